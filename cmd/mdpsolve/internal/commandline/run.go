package commandline

// Reading command lines, and running their verbs.

import (
	"cmp"
	"context"
	"flag"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Run runs the verb of a command line with the flags and operands that it gives. All errors
// in the form of a command line are worded here.
func Run(ctx context.Context, app *cli.App, args []string) error {
	root := program(app)
	at, rest := root.follow(args[1:])
	words := rest
	if end := slices.Index(words, "--"); end >= 0 {
		words = words[:end]
	}
	if isLong := slices.Contains(words, "--help") || slices.Contains(words, "-help"); isLong || slices.Contains(words, "-h") {
		return printHelp(app.Writer, at, !isLong)
	}
	flags := flag.NewFlagSet(at.path, flag.ContinueOnError)
	for _, declared := range at.Flags {
		if err := declare(flags, declared); err != nil {
			return err
		}
	}
	operands, err := at.read(flags, rest)
	switch {
	case at.Action == nil && len(operands) > 0:
		return unknownVerb(root, at, operands[0])
	case err != nil:
		return err
	case at.Action == nil && flags.NFlag() == 0:
		return noVerb(at)
	}
	if err := cmp.Or(at.checkOperands(root, operands), flags.Parse(append([]string{"--"}, operands...))); err != nil {
		return err
	}
	c := cli.NewContext(app, flags, &cli.Context{Context: ctx})
	c.Command = at.Command
	c.Command.HelpName = at.path
	if at.Action == nil { // the program itself, with --version
		return app.Action(c)
	}
	return at.Action(c)
}

// read sets the flags that words after a verb give, and returns the operands among the words,
// in any order; all words after "--" are operands.
func (v verb) read(flags *flag.FlagSet, words []string) (operands []string, err error) {
	if below, found := v.lateVerb(words); found {
		return nil, ui.UsageErrorf("%s: flags come after the verb: put this flag after %q", words[0], below)
	}
	isGiven := map[string]bool{}
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "--" {
			return append(operands, words[i+1:]...), nil
		}
		if !isFlag(word) {
			operands = append(operands, word)
			continue
		}
		typed, value, hasValue := strings.Cut(word, "=")
		declared := v.flag(word)
		if declared == nil {
			return operands, unknownFlag(v, typed)
		}
		name := names(declared)[0]
		written := "--" + name
		_, isRepeated := declared.(*cli.StringSliceFlag)
		switch {
		case isGiven[name] && !isRepeated:
			advice := map[string]string{"input": "; to join files, cat them and use --input -"}[name]
			return nil, ui.UsageErrorf("%s: given twice: give it once%s", written, advice)
		case hasValue:
		case !takesValue(declared):
			value = "true"
		case i+1 == len(words) || v.flag(words[i+1]) != nil:
			value, _ := placeholder(declared)
			return nil, ui.UsageErrorf("%s: no value: write %s %s", written, written, value)
		default:
			i++
			value = words[i]
		}
		if isGiven[name] = true; flags.Set(name, value) != nil {
			return nil, ui.UsageErrorf("%s: %q is not valid: use true or false", written, value)
		}
	}
	return operands, nil
}

// lateVerb returns the verb that stands after flags, if one does.
func (v verb) lateVerb(words []string) (name string, found bool) {
	if len(words) == 0 || !isFlag(words[0]) {
		return "", false
	}
	for _, below := range v.verbs() {
		if slices.Contains(words, below.Name) {
			return below.Name, true
		}
	}
	return "", false
}

// noVerb refuses a group of verbs without one of them.
func noVerb(at verb) error {
	of := cmp.Or(at.words(), at.path)
	return ui.UsageErrorf(`%s: no verb: use %s (see "%s")`, of, wording.Alternatives(at.names()), helpFor(at))
}

// checkOperands checks the number of operands.
func (v verb) checkOperands(program verb, operands []string) error {
	names := ui.Operands(v.Command)
	needed, most := len(names), len(names)
	for _, name := range names {
		if strings.HasPrefix(name, "[") {
			needed--
		}
		if strings.HasSuffix(name, "…]") {
			most = len(operands)
		}
	}
	switch {
	case len(operands) < needed:
		return ui.UsageErrorf(`%s: %s missing: use %s`, v.words(), names[len(operands)], v.UsageText)
	case len(operands) <= most:
		return nil
	case len(v.Subcommands) > 0:
		return unknownVerb(program, v, operands[0])
	case most == 0:
		return ui.UsageErrorf("%s: %q is not valid here: use only flags", v.words(), operands[0])
	}
	return ui.UsageErrorf("%s: %q is not valid here: use only %s and flags", v.words(), operands[most], strings.Join(names, " "))
}
