// This file reads recorded service times.

package robots

import (
	"os"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/lines"
)

// readTraceTimes reads recorded service times; # starts a comment that ends with
// the line.
func readTraceTimes(a *ui.Arguments, name string) []float64 {
	file, err := os.Open(name)
	if err != nil {
		a.Fault("trace", "%q is not valid: use a file that can be read (%v)", name, err)
	}
	defer func() { _ = file.Close() }() // nothing was written that closing could lose
	rows, err := lines.Numbers(file, name)
	if err != nil {
		a.Fault("trace", "%v", err)
	}
	times, err := lines.NotNegative(rows, name, "time")
	if err != nil {
		a.Fault("trace", "%v", err)
	}
	return times
}
