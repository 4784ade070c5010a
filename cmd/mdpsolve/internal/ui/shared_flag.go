package ui

// The flags --help and --version, which package cli keeps for all commands together.

import (
	"flag"

	"github.com/urfave/cli/v2"
)

// sharedFlag is a switch that several commands, which may run at the same time, have in
// common: cli's own switches keep what they were set to, this one declares itself anew
// for each.
type sharedFlag struct{ name, alias, usage string }

func init() {
	cli.HelpFlag = sharedFlag{"help", "h", "show help"}
	cli.VersionFlag = sharedFlag{"version", "v", "print the version"}
}

func (f sharedFlag) declared() *cli.BoolFlag {
	return &cli.BoolFlag{Name: f.name, Aliases: []string{f.alias}, Usage: f.usage, DisableDefaultText: true}
}

// Apply implements [cli.Flag].
func (f sharedFlag) Apply(set *flag.FlagSet) error { return f.declared().Apply(set) }

// String implements [cli.Flag].
func (f sharedFlag) String() string { return f.declared().String() }

// Names implements [cli.Flag].
func (f sharedFlag) Names() []string { return f.declared().Names() }

// IsSet implements [cli.Flag].
func (f sharedFlag) IsSet() bool { return false }

// IsVisible implements [cli.VisibleFlag].
func (f sharedFlag) IsVisible() bool { return true }
