// This file reads recorded indexing times.

package robots

import (
	"os"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/lines"
)

// readTimes reads recorded indexing times; # starts a comment up to the end of the line.
func readTimes(a *ui.Arguments, flag, name string) []float64 {
	file, err := os.Open(name)
	if fault := ui.ReadFault(err); fault != nil {
		a.Fault(flag, "%v", fault)
	}
	defer func() { _ = file.Close() }() // nothing was written that closing could lose
	rows, err := lines.Numbers(file, name)
	if err != nil {
		a.Fault(flag, "%v", err)
	}
	times, err := lines.NotNegative(rows, name, "time")
	if err != nil {
		a.Fault(flag, "%v", err)
	}
	return times
}
