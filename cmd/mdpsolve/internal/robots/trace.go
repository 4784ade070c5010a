// This file reads recorded indexing times.

package robots

import (
	"os"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/lines"
)

// readTimes reads recorded indexing times; # starts a comment up to the end of the line.
func readTimes(a *ui.Arguments, name string) []float64 {
	file, err := os.Open(name)
	if err != nil {
		a.Fault("times", "%v", err)
	}
	defer func() { _ = file.Close() }() // nothing was written that closing could lose
	rows, err := lines.Numbers(file, name)
	if err != nil {
		a.Fault("times", "%v", err)
	}
	times, err := lines.NotNegative(rows, name, "time")
	if err != nil {
		a.Fault("times", "%v", err)
	}
	return times
}
