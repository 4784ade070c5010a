package controller

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

// twins are parameters with two classes.
func twins() robots.Parameters {
	return robots.Parameters{
		Classes: []robots.Class{{Robots: 3, ArrivalRate: 0.2}, {Robots: 2, ArrivalRate: 0.3}},
		Buffer:  4, ServiceRate: 1, StarvationWeight: 1.4, RobotCost: 0.01,
	}
}

// walk tells the controller a of random events, and appends its answers.
func walk(t *testing.T, a *Adaptive, random *rand.Rand, now *float64, events int) (answers []any) {
	t.Helper()
	for range events {
		*now += random.ExpFloat64()
		queue, active := a.Counts()
		if queue > 0 && (active == 0 || random.IntN(2) == 0) {
			class, err := a.Indexed()
			require.NoError(t, err)
			answers = append(answers, class)
			continue
		}
		class := random.IntN(2)
		d, err := a.Deliver(class)
		if err != nil {
			d, err = a.Deliver(1 - class)
		}
		require.NoError(t, err)
		answers = append(answers, d)
	}
	return answers
}

// TestAdaptiveRestored goes on from a file, and must answer as if nothing had happened.
func TestAdaptiveRestored(t *testing.T) {
	now := 0.0
	settings := AdaptiveSettings{Now: func() float64 { return now }, Synchronous: true}
	a, err := NewAdaptive(t.Context(), twins(), settings)
	require.NoError(t, err)
	walk(t, a, rand.New(rand.NewPCG(3, 4)), &now, 3000)
	name := filepath.Join(t.TempDir(), "state.json")
	require.NoError(t, a.Save(name))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	saved := now
	b, err := RestoreAdaptive(t.Context(), bytes.NewReader(text), name, twins(), settings)
	require.NoError(t, err)
	assert.Equal(t, a.Belief().ArrivalRates, b.Belief().ArrivalRates)
	assert.Equal(t, a.Belief().ServiceRate, b.Belief().ServiceRate)
	// The policies in force are for rates that differ by the rounding.
	require.NoError(t, a.begin())
	want := walk(t, a, rand.New(rand.NewPCG(5, 6)), &now, 1000)
	now = saved
	assert.Equal(t, want, walk(t, b, rand.New(rand.NewPCG(5, 6)), &now, 1000))
	assert.Equal(t, a.saved(), b.saved())
}

// TestAdaptiveStateFaults spoils a state at each of its words, and wants the place in the
// error.
func TestAdaptiveStateFaults(t *testing.T) {
	now := 0.0
	settings := AdaptiveSettings{Now: func() float64 { return now }, Synchronous: true}
	a, err := NewAdaptive(t.Context(), twins(), settings)
	require.NoError(t, err)
	walk(t, a, rand.New(rand.NewPCG(3, 4)), &now, 100)
	text, err := json.Marshal(a.saved())
	require.NoError(t, err)
	restore := func(text string) error {
		_, err := RestoreAdaptive(t.Context(), strings.NewReader(text), "state", twins(), settings)
		return err
	}
	require.NoError(t, restore(string(text)))
	require.NoError(t, restore(strings.Replace(string(text), `}}`, `},"performance":{"time":3}}`, 1)), "of an earlier version")
	for _, spoiled := range []struct{ from, to, message string }{
		{`"version":1`, `"version":2`, `state:1:43: found 2; expected version 1`},
		{`"format":"adaptive-controller"`, `"format":"x"`, `state:1:11: found "x"; expected adaptive-controller`},
		{`"guess":0.2`, `"guess":0`, `found 0; expected a number above 0`},
		{`"guess":0.2`, `"guess":-1`, `state:1:91: found -1; expected a number above 0`},
		{`"groups":[[`, `"groups":[[3.5,1],[`, `found 3.5; expected a power of two`},
		{`"groups":[[`, `"groups":[[3,1],[`, `found 3; expected a power of two`},
		{`"groups":[[`, `"groups":[` + strings.Repeat("[64,1],", 9) + `[`, `found 64; expected at most 8 groups of that size`},
		{`"groups":[[`, `"groups":[[64,1e308],[64,1e308],[`, `expected a positive finite one`},
		{`"guess":0.2`, `"guess":1e-320`, `state:1:82: found evidence of the rate 0; expected a positive finite one`},
		{`"queue":`, `"queue":9`, `expected 0 to 4 pages and 0 to [3 2] robots, by class`},
		{`"active":[`, `"active":[0,0,`, `expected a list of 2`},
		{`"open":`, `"shut":`, `member "shut" is not known`},
		{`"open":`, `"open":1e999,"x":`, `open: found number 1e999`},
		{`}}`, `}`, `state:1:`},
	} {
		spoilt := strings.Replace(string(text), spoiled.from, spoiled.to, 1)
		require.NotEqual(t, string(text), spoilt)
		err := restore(spoilt)
		assert.ErrorContains(t, err, spoiled.message, spoiled.to)
	}
	for end := range text {
		require.Error(t, restore(string(text[:end])))
	}
}
