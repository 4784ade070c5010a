package grid

// Drawings of policies.

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

func TestGridsFit(t *testing.T) {
	for _, robotsAndBuffer := range [][2]int{{2, 2}, {16, 5}, {79, 24}, {80, 25}, {100, 25}, {100, 26}, {1000, 400}} {
		p := robots.Parameters{
			Robots: robotsAndBuffer[0], Buffer: robotsAndBuffer[1], ArrivalRate: 1, ServiceRate: 1, StarvationWeight: 1,
		}
		policy, err := robots.NewPolicy(p, func(s robots.State) robots.Decisions {
			if s.Queue+s.Active[0] < p.Robots {
				return robots.Decisions{Activate: 0, Reactivate: 1}
			}
			return robots.Decisions{Activate: robots.NoClass}
		})
		require.NoError(t, err)
		const width = 80
		decisions := New(policy, width-Margin)
		for _, lines := range [][]string{decisions.Departures(), decisions.Arrivals(0)} {
			assert.LessOrEqual(t, len(lines), height+3)
			for _, line := range lines {
				assert.LessOrEqual(t, len([]rune(line)), width)
			}
			drawing := strings.Join(lines, "\n")
			assert.Contains(t, drawing, "█")
			assert.Contains(t, drawing, "·")
		}
	}
}

func TestColour(t *testing.T) {
	var out bytes.Buffer
	s := ui.NewScreen(&out, &out)
	assert.Equal(t, " ██·", Coloured(s, " ██·"))
	s.Colour = true
	assert.Equal(t, " \x1b[36m██\x1b[0m\x1b[2m·\x1b[0m", Coloured(s, " ██·"))
}

func TestDecisionCounts(t *testing.T) {
	f := robots.Parameters{
		Classes: []robots.Class{{Robots: 2, ArrivalRate: 1}, {Robots: 3, ArrivalRate: 2}},
		Buffer:  3, ServiceRate: 1, StarvationWeight: 1,
	}
	policy, err := robots.NewPolicy(f, func(s robots.State) robots.Decisions {
		d := robots.Decisions{Activate: robots.NoClass}
		switch {
		case s.Active[0] < 2:
			d.Activate = 0
		case s.Active[1] < 3:
			d.Activate = 1
		}
		if s.Queue < 2 {
			d.Reactivate |= 1 << 1
		}
		return d
	})
	require.NoError(t, err)
	counts := New(policy, 80)
	// Three active robots: 0+3, 1+2 and 2+1.
	assert.Equal(t, []int{0, 2, 1}, counts.departures[counts.cell(2, 3)])
	assert.Equal(t, []int{0, 3}, counts.arrivals[1][counts.cell(1, 3)])
	assert.Equal(t, []int{2, 0}, counts.arrivals[0][counts.cell(1, 3)])
	assert.Equal(t, []int{3, 0}, counts.arrivals[1][counts.cell(2, 3)])
	assert.Equal(t, []string{
		"    3 ┤11+++·", "    2 ┤11+++·", "    1 ┤11+++·", "    q └────── r", "       0    5",
	}, counts.Departures())
}
