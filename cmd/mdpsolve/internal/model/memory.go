package model

// How much memory a model needs, and how much there is.

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// counts are the sizes of a model, or what is known to be not above them.
type counts struct{ states, choices, transitions int }

// countsOf returns what the header of a file lets one count on: each state has a
// choice, and each choice but those of a CTMC a transition.
func countsOf(h mdpio.Header) counts {
	c := counts{states: max(h.States, 0)}
	c.choices = max(h.Choices, c.states)
	c.transitions = h.Transitions
	if c.transitions < 0 {
		c.transitions = c.choices
		if h.Kind != mdpio.MDP && h.Kind != mdpio.DTMC {
			c.transitions = 0
		}
	}
	return c
}

// modelBytes is what a model takes in memory at the least: starts of rows,
// rewards by state, columns and values.
func (c counts) modelBytes() float64 {
	return 12*float64(c.states) + 4*float64(c.choices) + 12*float64(c.transitions)
}

// solveBytes is what is needed beside that to solve it: costs and probabilities
// of a table, and by state values before and after a sweep, a policy and two
// bounds.
func (c counts) solveBytes() float64 {
	return 36*float64(c.states) + 8*float64(c.choices) + 8*float64(c.transitions)
}

// check refuses a model that needs more memory than there is.
func (c counts) check(operand, path string, needed float64) error {
	return c.fit(operand, path, needed, availableBytes())
}

func (c counts) fit(operand, path string, needed, available float64) error {
	if needed <= available {
		return nil
	}
	return ui.UsageErrorf("%s: %q has %d states, %d choices and %d transitions or more, which need %s of memory or more: use a model for %s, all there is",
		operand, path, c.states, c.choices, c.transitions, bytesText(needed), bytesText(available))
}

// bytesText returns "1.5 GiB".
func bytesText(bytes float64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; bytes >= 1024 && i < len(units)-1; i++ {
		bytes /= 1024
	}
	return fmt.Sprintf("%.3g %s", bytes, units[i])
}

// availableBytes returns the memory that the system can give, as Linux tells it,
// and that the runtime may take (GOMEMLIMIT).
func availableBytes() float64 {
	available := float64(debug.SetMemoryLimit(-1))
	const kibi = 1024
	if free := firstNumber("/proc/meminfo", "MemAvailable:"); free > 0 {
		available = kibi * (free + firstNumber("/proc/meminfo", "SwapFree:"))
	}
	if limit := firstNumber("/sys/fs/cgroup/memory.max", ""); limit > 0 { // containers may have less
		available = min(available, limit)
	}
	return available
}

// firstNumber returns the number behind a name at the beginning of a line of a file; 0
// where there is none.
func firstNumber(path, name string) float64 {
	text, _ := os.ReadFile(path) // what cannot be read says nothing
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, name); found {
			number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			x, _ := strconv.ParseFloat(number, 64)
			return x
		}
	}
	return 0
}
