package commandline

// How the words of a command line are read.

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// Arrange checks a command line against the declarations of a program and writes it so
// that the parser of package cli finds all of it: the verb, then flags by their full
// names, then operands. --help and -h become the verb help. So all that can be wrong with
// the shape of a command line is worded here.
func Arrange(app *cli.App, args []string) ([]string, error) {
	root := program(app)
	at, rest := root.follow(args[1:])
	path := args[:len(args)-len(rest)]
	if help := asksForHelp(rest); help != nil {
		return slices.Concat(args[:1], help, path[1:]), nil
	}
	flags, operands, err := at.read(rest)
	switch {
	case err != nil:
		return nil, err
	case at.Action == nil && len(operands) > 0:
		return nil, unknownVerb(root, at, operands[0])
	case at.Action == nil && len(flags) == 0:
		return nil, noVerb(at)
	}
	if err := at.checkOperands(root, operands); err != nil {
		return nil, err
	}
	if len(operands) > 0 {
		operands = append([]string{"--"}, operands...)
	}
	return slices.Concat(path, flags, operands), nil
}

// asksForHelp returns the verb help with its flag, if one of the words is --help or -h.
func asksForHelp(words []string) []string {
	if end := slices.Index(words, "--"); end >= 0 {
		words = words[:end]
	}
	switch {
	case slices.Contains(words, "--help"), slices.Contains(words, "-help"):
		return []string{"help"}
	case slices.Contains(words, "-h"):
		return []string{"help", "--" + shortPage}
	}
	return nil
}

// read takes the words behind a verb apart. Flags may stand before operands and behind
// them; what follows "--" is operands.
func (v verb) read(words []string) (flags, operands []string, err error) {
	if below, found := v.lateVerb(words); found {
		return nil, nil, ui.UsageErrorf("%s: flags stand behind the verb: put it after %q", words[0], below)
	}
	given := map[string]bool{}
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "--" {
			return flags, append(operands, words[i+1:]...), nil
		}
		if !isFlag(word) {
			operands = append(operands, word)
			continue
		}
		typed, value, hasValue := strings.Cut(word, "=")
		flag := v.flag(word)
		if flag == nil {
			return nil, nil, unknownFlag(v, typed)
		}
		name := "--" + flag.Names()[0]
		_, isRepeated := flag.(*cli.StringSliceFlag)
		switch {
		case given[name] && !isRepeated:
			return nil, nil, ui.UsageErrorf("%s: given twice: give it once", name)
		case !takesValue(flag):
			if _, err := strconv.ParseBool(value); hasValue && err != nil {
				return nil, nil, ui.UsageErrorf("%s: %q is not valid: use true or false", name, value)
			}
			flags = append(flags, word)
		case hasValue:
			flags = append(flags, name, value)
		case i+1 == len(words) || v.flag(words[i+1]) != nil:
			value, _ := placeholder(flag)
			return nil, nil, ui.UsageErrorf("%s: no value: use it as in %s %s", name, name, value)
		default:
			i++
			flags = append(flags, name, words[i])
		}
		given[name] = true
	}
	return flags, operands, nil
}

// lateVerb returns the verb that stands behind flags, if one does.
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
	return ui.UsageErrorf(`%s: no verb: use %s ("%s" explains them)`, of, ui.Enumerate(at.names()), helpFor(at))
}

// checkOperands demands as many operands as a verb takes.
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
		return ui.UsageErrorf("%s: %q is not valid here: use flags only", v.words(), operands[0])
	}
	return ui.UsageErrorf("%s: %q is not valid here: use %s and flags only", v.words(), operands[most], strings.Join(names, " "))
}
