package ui

// What commands take beside their flags.

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Operands returns the names of what a command takes beside its flags, such as
// MODEL. All of them are needed.
func Operands(command *cli.Command) []string { return strings.Fields(command.ArgsUsage) }

// checkOperands demands as many operands as the command takes.
func checkOperands(c *cli.Context) error {
	names := Operands(c.Command)
	switch {
	case c.NArg() < len(names):
		return UsageErrorf("%s %s missing: use %s", commandName(c), names[c.NArg()], c.Command.UsageText)
	case c.NArg() == len(names):
		return nil
	case len(names) == 0:
		return UsageErrorf("%s %q is not valid here: use flags only", commandName(c), c.Args().First())
	}
	return UsageErrorf("%s %q is not valid here: use %s and flags only", commandName(c), c.Args().Get(len(names)), strings.Join(names, " "))
}

// FlagsFirst moves the operands of a verb behind its flags, where the parser,
// which takes the first operand as the end of the flags, finds both. What
// follows "--" is operands.
func FlagsFirst(app *cli.App, args []string) []string {
	if len(args) < 3 {
		return args
	}
	command := app.Command(args[1])
	if command == nil || len(Operands(command)) == 0 {
		return args
	}
	flags, rest := slices.Clone(args[:2]), []string{"--"}
	for i := 2; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return slices.Concat(flags, rest, args[i+1:])
		case arg == "--help" || arg == "-h": // whatever else there is
			return append(args[:2:2], arg)
		case len(arg) < 2 || arg[0] != '-':
			rest = append(rest, arg)
			continue
		}
		flags = append(flags, arg)
		if !takesValue(command, strings.TrimLeft(arg, "-")) {
			continue
		}
		if i++; i == len(args) {
			return flags // the parser finds the value missing
		}
		flags = append(flags, args[i])
	}
	return append(flags, rest...)
}

// takesValue reports whether the word behind a flag is its value.
func takesValue(command *cli.Command, name string) bool {
	for _, flag := range command.Flags {
		if slices.Contains(flag.Names(), name) { // --name=value is no name
			_, isSwitch := flag.(*cli.BoolFlag)
			return !isSwitch
		}
	}
	return false
}
