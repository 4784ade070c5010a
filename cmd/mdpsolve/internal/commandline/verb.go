// Package commandline reads command lines, explains them and completes them, from the
// declarations of verbs and flags.
package commandline

// Verbs as they are found by their names.

import (
	"flag"
	"iter"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// verb is a command with the words that lead to it.
type verb struct {
	*cli.Command
	path string // begins with the name of the program
}

// program returns the verb that stands for all of a program.
func program(app *cli.App) verb {
	return verb{&cli.Command{
		Name: app.Name, Usage: app.Usage, UsageText: app.UsageText, Description: app.Description,
		Flags: app.Flags, Subcommands: app.Commands,
	}, app.Name}
}

// words returns the path without the name of the program.
func (v verb) words() string {
	_, words, _ := strings.Cut(v.path, " ")
	return words
}

// verbs returns those directly below v.
func (v verb) verbs() []verb {
	var below []verb
	for _, command := range v.Subcommands {
		if !command.Hidden {
			below = append(below, verb{command, v.path + " " + command.Name})
		}
	}
	return below
}

// names returns the names of the verbs directly below v.
func (v verb) names() []string {
	var names []string
	for _, below := range v.verbs() {
		names = append(names, below.Name)
	}
	return names
}

// all yields all verbs below v, each before those below it.
func (v verb) all() iter.Seq[verb] {
	return func(yield func(verb) bool) {
		for _, below := range v.verbs() {
			if !yield(below) {
				return
			}
			for deeper := range below.all() {
				if !yield(deeper) {
					return
				}
			}
		}
	}
}

// follow goes down by the words that are names of verbs, and returns those that are
// left.
func (v verb) follow(words []string) (verb, []string) {
	for len(words) > 0 {
		below := v.verbs()
		at := slices.IndexFunc(below, func(b verb) bool { return b.Name == words[0] })
		if at < 0 {
			break
		}
		v, words = below[at], words[1:]
	}
	return v, words
}

// find is [verb.follow] where all words have to be verbs.
func (v verb) find(words []string) (verb, error) {
	found, rest := v.follow(words)
	if len(rest) > 0 {
		return v, unknownVerb(v, found, rest[0])
	}
	return found, nil
}

// isFlag reports whether a word is a flag; "-" stands for standard input.
func isFlag(word string) bool { return len(word) > 1 && word[0] == '-' }

// flag returns the flag that a word such as --name, -name or --name=value gives; nil for
// none.
func (v verb) flag(word string) cli.Flag {
	name, _, _ := strings.Cut(strings.TrimPrefix(word, "-"), "=")
	name = strings.TrimPrefix(name, "-")
	at := slices.IndexFunc(v.Flags, func(flag cli.Flag) bool { return slices.Contains(names(flag), name) })
	if at < 0 || !isFlag(word) {
		return nil
	}
	return v.Flags[at]
}

// names returns the names of a flag. The flag's own method Names searches them for commas, which takes
// longer than reading the command line of a small question.
func names(flag cli.Flag) []string {
	switch flag := flag.(type) {
	case *cli.StringFlag:
		return append([]string{flag.Name}, flag.Aliases...)
	case *ui.ChoiceFlag:
		return append([]string{flag.Name}, flag.Aliases...)
	case *cli.BoolFlag:
		return append([]string{flag.Name}, flag.Aliases...)
	}
	return flag.Names()
}

// declare adds a flag to those that can be set. The flag's own method Apply does the same, but by Names,
// which is slow: see [names].
func declare(flags *flag.FlagSet, declared cli.Flag) error {
	switch declared := declared.(type) {
	case *cli.StringFlag, *ui.ChoiceFlag:
		text, is := declared.(*cli.StringFlag)
		if !is {
			text = declared.(*ui.ChoiceFlag).StringFlag
		}
		for _, name := range names(declared) {
			flags.String(name, text.Value, "")
		}
	case *cli.BoolFlag:
		for _, name := range names(declared) {
			flags.Bool(name, declared.Value, "")
		}
	default:
		return declared.Apply(flags)
	}
	return nil
}

// takesValue reports whether a flag has a value.
func takesValue(flag cli.Flag) bool { return flag.(cli.DocGenerationFlag).TakesValue() }

// placeholder returns what stands for the value of a flag on its pages, and its usage.
func placeholder(flag cli.Flag) (value, usage string) {
	usage = flag.(cli.DocGenerationFlag).GetUsage()
	before, rest, _ := strings.Cut(usage, "`")
	value, after, found := strings.Cut(rest, "`")
	if !found {
		return "VALUE", usage
	}
	return value, before + value + after
}
