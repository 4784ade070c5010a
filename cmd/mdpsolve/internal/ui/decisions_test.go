package ui

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

func TestGridsFit(t *testing.T) {
	for _, robotsAndBuffer := range [][2]int{{2, 2}, {16, 5}, {79, 24}, {80, 25}, {100, 25}, {100, 26}, {1000, 400}} {
		p := robots.Parameters{
			Robots: robotsAndBuffer[0], Buffer: robotsAndBuffer[1], ArrivalRate: 1, ServiceRate: 1, StarvationWeight: 1,
		}
		policy, err := robots.NewPolicy(p, func(s robots.State) bool { return s.Active+s.Queue < p.Robots })
		require.NoError(t, err)
		for _, event := range []robots.Event{robots.Departure, robots.Arrival} {
			const width = 80
			lines := NewGrid(p, policy, event).Draw(width - GridMargin)
			assert.LessOrEqual(t, len(lines), gridHeight+3)
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
	s := NewScreen(&out, &out)
	assert.Equal(t, " ██·", s.ColourGrid(" ██·"))
	s.Colour = true
	assert.Equal(t, " \x1b[36m██\x1b[0m\x1b[2m·\x1b[0m", s.ColourGrid(" ██·"))
}
