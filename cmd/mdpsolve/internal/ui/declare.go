package ui

// How verbs declare their flags. The command line is read, explained and completed from
// these declarations.

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// ValueFlag declares a flag with a value. Values are read as text, so that numbers may be
// fractions and all errors have the same words. The word of the usage in backquotes stands
// for the value in the help. Aliases of more than one letter are not shown there.
func ValueFlag(name, usage, byDefault string, aliases ...string) *cli.StringFlag {
	return &cli.StringFlag{Name: name, Usage: usage, Value: byDefault, DefaultText: byDefault, Aliases: aliases}
}

// SwitchFlag declares a flag without a value.
func SwitchFlag(name, usage string, aliases ...string) cli.Flag {
	return &cli.BoolFlag{Name: name, Usage: usage, DisableDefaultText: true, Aliases: aliases}
}

// ChoiceFlag is a flag whose value is one of a few words; [Arguments.Choice] reads it.
type ChoiceFlag struct {
	*cli.StringFlag
	Choices []string
}

// NewChoiceFlag declares a [ChoiceFlag]. Its usage ends with the choices.
func NewChoiceFlag(name, usage, byDefault string, choices ...string) *ChoiceFlag {
	return &ChoiceFlag{ValueFlag(name, usage+": "+wording.Alternatives(choices), byDefault), choices}
}

// Prepare adds to a verb and its subcommands what all verbs have.
func Prepare(command *cli.Command) {
	if command.Action != nil {
		command.Flags = append(command.Flags, progressFlags()...)
	}
	for _, below := range command.Subcommands {
		Prepare(below)
	}
}

// Group puts flags under a heading of their own on help pages.
func Group(heading string, flags ...cli.Flag) []cli.Flag {
	for _, flag := range flags {
		switch flag := flag.(type) {
		case *cli.StringFlag:
			flag.Category = heading
		case *ChoiceFlag:
			flag.Category = heading
		case *cli.BoolFlag:
			flag.Category = heading
		case *cli.StringSliceFlag:
			flag.Category = heading
		}
	}
	return flags
}

// Operands returns the names of the operands of a command, such as MODEL; one in brackets
// is optional, and one that ends with … may be repeated.
func Operands(command *cli.Command) []string { return strings.Fields(command.ArgsUsage) }
