package ui

// Progress: what is shown, and when.

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

func TestLine(t *testing.T) {
	m := moment{phase: "solving", iteration: 12345, lower: 0.25923961, upper: 0.25924217, seconds: 12.3, rate: 1003.4, left: 254}
	assert.Equal(t, "solving: iteration 12345, 12s, about 4m14s left, 0.259241 ± 1.4e-06, gap 2.6e-06, 1e+03/s, Ctrl-C: the best so far",
		m.line())
	m = beginOf("reading")
	m.seconds = 200
	assert.Equal(t, "reading, 3m20s, Ctrl-C ends it", m.line())
	m.done, m.total, m.things = 3, 8, "rows"
	assert.Equal(t, "reading: 3 of 8 rows, 3m20s, Ctrl-C: the best so far", m.line())
}

// A gap of e^{−0.1·t} after t seconds takes ln(10³)/0.1 seconds from 1 to 10⁻³. When two
// of eight rows are done, the other six take three times the time that has gone by.
func TestTimeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgress()
		p.Phase("solving")
		for i := range 4001 {
			if i > 0 {
				time.Sleep(10 * time.Millisecond)
			}
			p.Bounds(7*i, 0, 1, math.Exp(-0.001*float64(i)), 1e-3)
		}
		assert.InEpsilon(t, math.Log(1e3)/0.1-40, p.moment().left, 1e-9)
		assert.InEpsilon(t, 700, p.moment().rate, 1e-9)
		assert.InEpsilon(t, 4/math.Log(1e3), p.moment().share, 1e-9)

		for i := range 10 { // policy iteration, of which no step tells of the next
			p.Bounds(i, 0, 1, math.Exp(-0.1*float64(i)), 1e-9)
			time.Sleep(time.Second)
		}
		assert.True(t, math.IsNaN(p.moment().left))
		for i := range 100 { // no target
			p.Bounds(i, 0, 1, math.Exp(-0.1*float64(i)), 0)
			time.Sleep(time.Second)
		}
		assert.True(t, math.IsNaN(p.moment().left))

		p.Phase("counting")
		p.Count(0, 8, "rows")
		assert.True(t, math.IsNaN(p.moment().left))
		time.Sleep(2 * time.Second)
		p.Count(2, 8, "rows")
		assert.InEpsilon(t, 6, p.moment().left, 1e-9)
		assert.InEpsilon(t, 1, p.moment().rate, 1e-9)
		time.Sleep(time.Second)
		assert.InEpsilon(t, 9, p.moment().left, 1e-9)
		p.Count(3, 0, "rows")
		assert.True(t, math.IsNaN(p.moment().left))
	})
}

func TestBoundsOfCostsAreNotNegative(t *testing.T) {
	p := newProgress()
	require.NoError(t, p.Solving(true, 1e-9)(mdp.Progress{Iteration: 3, Lower: -1.8e-12, Upper: 4}))
	assert.Zero(t, p.now.lower)
	assert.InDelta(t, 1, p.firstGap, 0)
	require.NoError(t, p.Solving(false, 1e-9)(mdp.Progress{Iteration: 2, Lower: -2, Upper: -1}))
	assert.InDelta(t, -2, p.now.lower, 0)
	assert.True(t, math.IsNaN(p.firstGap))
}

func TestTextComesTwiceAsLateEachTime(t *testing.T) {
	var log display
	at, lines := log.next(0), 1
	for at < time.Hour {
		at += log.next(at)
		lines++
	}
	assert.Equal(t, 4096*time.Second, at)
	assert.Equal(t, 12, lines)
}

func TestJSONLines(t *testing.T) {
	var out strings.Builder
	log := display{out: &out, asJSON: true}
	log.moment(beginOf("reading"))
	log.moment(moment{phase: "solving", iteration: 5, lower: 0.25, upper: math.Inf(1), seconds: 1.5, left: math.NaN(), rate: 3, done: 2, total: 4, things: "rows"})
	log.note("the file is odd")
	log.stopping()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Len(t, lines, 4)
	var got [4]map[string]any
	for i, line := range lines {
		require.NoError(t, json.Unmarshal([]byte(line), &got[i]), line)
	}
	for _, key := range []string{"phase", "iteration", "lower", "upper", "gap", "seconds", "left"} {
		assert.Contains(t, got[0], key)
		assert.Contains(t, got[1], key)
	}
	assert.Equal(t, "reading", got[0]["phase"])
	assert.Nil(t, got[0]["iteration"])
	assert.InDelta(t, 5, got[1]["iteration"], 0)
	assert.Nil(t, got[1]["upper"])
	assert.InDelta(t, 2, got[1]["done"], 0)
	assert.Equal(t, map[string]any{"warning": "the file is odd"}, got[2])
	assert.Equal(t, map[string]any{"phase": "stopping"}, got[3])
}
