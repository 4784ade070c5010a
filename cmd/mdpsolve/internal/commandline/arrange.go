package commandline

// Reading command lines.

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
// names, then operands. --help and -h become the verb help. All errors in the form of a
// command line are worded here.
func Arrange(app *cli.App, args []string) ([]string, error) {
	root := program(app)
	at, rest := root.follow(args[1:])
	path := args[:len(args)-len(rest)]
	if help := asksForHelp(rest); help != nil {
		return slices.Concat(args[:1], help, path[1:]), nil
	}
	flags, operands, err := at.read(rest)
	switch {
	case at.Action == nil && len(operands) > 0:
		return nil, unknownVerb(root, at, operands[0])
	case err != nil:
		return nil, err
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

// read separates the words after a verb into flags and operands, in any order; all words
// after "--" are operands.
func (v verb) read(words []string) (flags, operands []string, err error) {
	if below, found := v.lateVerb(words); found {
		return nil, nil, ui.UsageErrorf("%s: flags come after the verb: put this flag after %q", words[0], below)
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
			return nil, operands, unknownFlag(v, typed)
		}
		name := "--" + flag.Names()[0]
		_, isRepeated := flag.(*cli.StringSliceFlag)
		switch {
		case given[name] && !isRepeated:
			advice := map[string]string{"--input": "; to join files, cat them and use --input -"}[name]
			return nil, nil, ui.UsageErrorf("%s: given twice: give it once%s", name, advice)
		case !takesValue(flag):
			if _, err := strconv.ParseBool(value); hasValue && err != nil {
				return nil, nil, ui.UsageErrorf("%s: %q is not valid: use true or false", name, value)
			}
			if flags = append(flags, name); hasValue {
				flags[len(flags)-1] += "=" + value
			}
		case hasValue:
			flags = append(flags, name, value)
		case i+1 == len(words) || v.flag(words[i+1]) != nil:
			value, _ := placeholder(flag)
			return nil, nil, ui.UsageErrorf("%s: no value: write %s %s", name, name, value)
		default:
			i++
			flags = append(flags, name, words[i])
		}
		given[name] = true
	}
	return flags, operands, nil
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
	return ui.UsageErrorf(`%s: no verb: use %s (see "%s")`, of, ui.Enumerate(at.names()), helpFor(at))
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
