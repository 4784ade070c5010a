package ui

// Progress: what is shown, and when.

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

func TestLineFits(t *testing.T) {
	m := moment{phase: "solving", iteration: 12345, lower: 0.25923961, upper: 0.25924217, seconds: 12.3, rate: 1003.4, left: 254}
	assert.Equal(t, "solving: iteration 12345, between 0.2592396 and 0.2592422, gap 2.6e-06, 1e+03/s, 12 s, about 4 min 14 s left, Ctrl-C: the best so far",
		m.line(math.MaxInt))
	for columns := range 150 {
		line := m.line(columns)
		assert.LessOrEqual(t, text.StringWidthWithoutEscSequences(line), columns)
		if columns >= 60 { // what matters most
			assert.Contains(t, line, "solving")
			assert.Contains(t, line, "12 s")
			assert.Contains(t, line, "left")
			assert.Contains(t, line, "0.2592")
		}
	}
	m = moment{phase: "reading", lower: math.NaN(), upper: math.NaN(), left: math.NaN(), rate: math.NaN(), seconds: 200}
	assert.Equal(t, "reading, 3 min 20 s, Ctrl-C ends it", m.line(80))
}

// A gap that falls by a tenth in each second has ln(10³)/0.1 seconds from 1 to 10⁻³.
func TestTimeLeft(t *testing.T) {
	var d decline
	for i := range 4000 {
		at := 0.01 * float64(i)
		d.add(at, 7*i, math.Exp(-0.1*at), 1e-3)
	}
	assert.LessOrEqual(t, len(d.samples), mostSamples)
	assert.InEpsilon(t, math.Log(1e3)/0.1-40, d.left(40), 1e-9)
	assert.InEpsilon(t, 700, d.rate(), 1e-9)

	d = decline{}
	for i := range 100 { // the gap of policy iteration falls ever faster
		at := 0.1 * float64(i)
		d.add(at, i, math.Exp(-math.Pow(1.5, at)), 1e-300)
	}
	assert.True(t, math.IsNaN(d.left(10)))
	d = decline{}
	for i := range 100 { // no target
		d.add(0.1*float64(i), i, math.Exp(-0.1*float64(i)), 0)
	}
	assert.True(t, math.IsNaN(d.left(10)))
}

func TestBoundsOfCostsAreNotNegative(t *testing.T) {
	p := &Progress{begin: time.Now(), now: beginOf("solving")}
	require.NoError(t, p.Solving(true, 1e-9)(mdp.Progress{Iteration: 3, Lower: -1.8e-12, Upper: 4}))
	assert.Zero(t, p.now.lower)
	assert.InDelta(t, 1e-9, p.decline.target, 0)
	require.NoError(t, p.Solving(false, 1e-9)(mdp.Progress{Iteration: 4, Lower: -2, Upper: -1}))
	assert.InDelta(t, -2, p.now.lower, 0)
	assert.Zero(t, p.decline.target)
}

func TestTextComesTwiceAsLateEachTime(t *testing.T) {
	at, lines := textLog{}.first(), 1
	for at < time.Hour {
		at += textLog{}.next(at)
		lines++
	}
	assert.Equal(t, 4096*time.Second, at)
	assert.Equal(t, 12, lines)
}

func TestJSONLines(t *testing.T) {
	var out strings.Builder
	log := jsonLog{&out}
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
