package model

import (
	"bufio"
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

func countsOfModel(m *mdpio.Model) counts {
	return counts{m.NumStates(), m.NumChoices(), m.NumTransitions()}
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

// check refuses a model that cannot be read and solved in the memory there is.
func (c counts) check(operand, path string) error {
	return c.fit(operand, path, c.modelBytes()+c.solveBytes(), availableBytes())
}

// checkSolve refuses to solve a model, which has been read, where that cannot be
// done in the memory there is.
func (c counts) checkSolve(operand, path string) error {
	return c.fit(operand, path, c.solveBytes(), availableBytes())
}

func (c counts) fit(operand, path string, needed, available float64) error {
	if needed <= available {
		return nil
	}
	return ui.UsageErrorf("%s: %q with %d states, %d choices and %d transitions or more found, which need %s of memory or more; %s is allowed, all there is",
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
	if info := systemNumbers("/proc/meminfo", 1024); info["MemAvailable:"] > 0 {
		available = info["MemAvailable:"] + info["SwapFree:"]
	}
	// Containers may have less.
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if limit, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64); err == nil {
			available = min(available, limit)
		}
	}
	return available
}

// systemNumbers reads lines "name number unit".
func systemNumbers(path string, unit float64) map[string]float64 {
	numbers := make(map[string]float64)
	file, err := os.Open(path)
	if err != nil {
		return numbers
	}
	defer func() { _ = file.Close() }() // it was only read
	for lines := bufio.NewScanner(file); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 2 {
			continue
		}
		if x, err := strconv.ParseFloat(words[1], 64); err == nil {
			numbers[words[0]] = x * unit
		}
	}
	return numbers
}
