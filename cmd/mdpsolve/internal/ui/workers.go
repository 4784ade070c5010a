package ui

import "github.com/urfave/cli/v2"

// WorkersFlag is --workers, the number of goroutines.
func WorkersFlag() cli.Flag {
	return ValueFlag("workers", "share the work among `n` goroutines (default: one per processor)", "")
}

// Workers reads the number of goroutines, 0 for one per processor.
func (a *Arguments) Workers() int {
	if !a.CLI.IsSet("workers") {
		return 0
	}
	const most = 4096
	return int(a.WholeWithin("workers", 1, most))
}
