package main

import "github.com/urfave/cli/v2"

func workersFlag() cli.Flag {
	return valueFlag("workers", "share the work among `n` goroutines (default: one per processor)", "")
}

// workers reads the number of goroutines, 0 for one per processor.
func (a *arguments) workers() int {
	if !a.context.IsSet("workers") {
		return 0
	}
	const most = 4096
	return int(a.wholeWithin("workers", 1, most))
}
