package ui

// What all commands have in common, and what the flag parser says in our words.

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// commandName returns the verbs that lead to a command, as the beginning of a
// message.
func commandName(c *cli.Context) string {
	name := strings.TrimPrefix(strings.TrimPrefix(c.Command.HelpName, c.App.Name), " ")
	if name == "" {
		return ""
	}
	return name + ":"
}

// Prepare sets what all commands have in common.
func Prepare(command *cli.Command) {
	command.OnUsageError = UsageFault
	command.HideHelpCommand = true
	command.CustomHelpTemplate = commandHelp
	action := command.Action
	if action != nil {
		command.Flags = append(command.Flags, progressFlags()...)
	}
	command.Action = func(c *cli.Context) error {
		if err := checkPlaces(c); err != nil {
			return err
		}
		if action == nil {
			return UnknownVerb(c, c.Command.Subcommands)
		}
		if err := checkOperands(c); err != nil {
			return err
		}
		return action(c)
	}
	for _, sub := range command.Subcommands {
		Prepare(sub)
	}
}

// checkPlaces refuses flags that stand before the last verb, which would be
// read as flags of a command that does not run.
func checkPlaces(c *cli.Context) error {
	for _, ancestor := range c.Lineage()[1:] {
		if ancestor.Command == nil || ancestor.NumFlags() == 0 {
			continue
		}
		return UsageErrorf("--%s: flags stand behind the verb: put it after %q",
			ancestor.LocalFlagNames()[0], c.Command.Name)
	}
	return nil
}

// UnknownVerb words the refusal of what is none of a command's verbs.
func UnknownVerb(c *cli.Context, verbs []*cli.Command) error {
	var names []string
	for _, verb := range verbs {
		names = append(names, verb.Name)
	}
	name := commandName(c)
	if !c.Args().Present() {
		return UsageErrorf("%s no verb: use %s", name, Enumerate(names))
	}
	return UsageErrorf("%s %q is not a verb: use %s", name, c.Args().First(), Enumerate(names))
}

// UsageFault words what the flag parser says like all other errors.
func UsageFault(c *cli.Context, err error, _ bool) error {
	text := err.Error()
	if name, found := strings.CutPrefix(text, "flag provided but not defined: -"); found {
		var names []string
		if c.Command != nil {
			for _, flag := range c.Command.VisibleFlags() {
				names = append(names, "--"+flag.Names()[0])
			}
		}
		return UsageErrorf("--%s: unknown flag: use %s", strings.TrimLeft(name, "-"), Enumerate(names))
	}
	if name, found := strings.CutPrefix(text, "flag needs an argument: -"); found {
		return UsageErrorf("--%s: no value: give one", strings.TrimLeft(name, "-"))
	}
	if value, found := strings.CutPrefix(text, "invalid boolean value "); found {
		if value, name, found := strings.Cut(value, " for -"); found {
			name, _, _ = strings.Cut(name, ":")
			return UsageErrorf("--%s: %s is not valid: use true or false", strings.TrimLeft(name, "-"), value)
		}
	}
	return UsageErrorf("%s", text)
}
