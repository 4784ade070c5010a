package robots

import (
	"bufio"
	"errors"
	"os"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/number"
)

// maxTraceLine is the length of the longest line of a trace, in bytes.
const maxTraceLine = 1 << 24

// readTraceTimes reads recorded service times; # starts a comment that ends with
// the line.
func readTraceTimes(a *ui.Arguments, name string) []float64 {
	file, err := os.Open(name)
	if err != nil {
		a.Fault("trace", "%q is not valid: use a file that can be read (%v)", name, err)
	}
	defer func() { _ = file.Close() }() // nothing was written that closing could lose
	var times []float64
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxTraceLine)
	line := 1
	for ; lines.Scan(); line++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		for at := 0; at < len(text); {
			if strings.IndexByte(traceSeparators, text[at]) >= 0 {
				at++
				continue
			}
			end := len(text)
			if length := strings.IndexAny(text[at:], traceSeparators); length >= 0 {
				end = at + length
			}
			time, err := number.Parse(text[at:end])
			if err == nil && time < 0 {
				err = errors.New("negative")
			}
			if err != nil {
				a.Fault("trace", "%s:%d:%d: %q is not valid: use a number of 0 or more", name, line, at+1, text[at:end])
			}
			times = append(times, time)
			at = end
		}
	}
	if err := lines.Err(); err != nil {
		a.Fault("trace", "%s:%d:1: %v", name, line, err)
	}
	return times
}

const traceSeparators = " \t,\r"
