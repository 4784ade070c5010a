package answer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
	"github.com/mdpsolve/mdpsolve/mdp/simulate"
)

const (
	// walk goes to the goal, to a trap, or round; the trap costs nothing.
	walk = `{"kind": "mdp", "labels": {"goal": [2], "trap": [3], "left": [0, 1]}, "reward_models": ["cost", "gain"], "states": [
		{"rewards": [1, 0], "actions": [{"to": [[1, "1/2"], [3, "1/4"], [0, "1/4"]]}, {"rewards": [2, 1], "to": [[1, 1]]}]},
		{"rewards": [3, 1], "actions": [{"rewards": [1, 0], "to": [[0, "1/3"], [2, "2/3"]]}]},
		{"rewards": [0, 0], "actions": [{"to": [[2, 1]]}]},
		{"rewards": [0, 0], "actions": [{"to": [[3, 1]]}]}]}`
	// round never ends.
	round = `{"kind": "dtmc", "labels": {"goal": [1]}, "reward_models": ["cost"], "states": [
		{"rewards": [1], "actions": [{"to": [[0, "3/4"], [1, "1/4"]]}]}, {"rewards": [5], "actions": [{"to": [[0, 1]]}]}]}`
	clock = `{"kind": "ctmc", "labels": {"full": [2]}, "reward_models": ["use"], "states": [
		{"rewards": [0], "actions": [{"to": [[1, 2]]}]}, {"rewards": [1], "actions": [{"to": [[0, 3], [2, 1]]}]}, {"rewards": [4], "actions": [{"to": [[0, 1]]}]}]}`
)

// Intervals of 99.99% hold the value that Evaluate proves, for questions of flags and every
// operator of properties. Seeds are fixed, so that a failure is no accident.
func TestSimulateAgreesWithEvaluate(t *testing.T) {
	follow := func(text, ask string) *answer.Followed {
		m := read(text)
		f, err := answer.Follow(m, &mdp.Policy{Actions: make([]int32, m.NumStates())}, func(m *modelfile.Model) (*question.Asked, error) {
			q := question.Question{Property: ask}
			return q.On(m)
		})
		require.NoError(t, err, ask)
		return f
	}
	for _, test := range []struct{ model, property string }{
		{walk, `P=? [F "goal"]`},
		{walk, `P=? [true U "goal"]`},
		{walk, `P=? [G !"goal"]`},
		{walk, `P=? ["left" W "goal"]`},
		{walk, `P=? [F<=3 "goal"]`},
		{walk, `P=? [X "trap"]`},
		{walk, `P=? [F "trap"]`},
		{walk, `P>=0.5 [F "goal"]`},
		{walk, `R{"cost"}=? [C<=4]`},
		{walk, `R{"cost"}=? [C]`},
		{walk, `R{"gain"}=? [I=2]`},
		{walk, `R{"cost"}=? [F ("goal"|"trap")]`},
		{walk, `S=? ["goal"]`},
		{round, `S=? ["goal"]`},
		{round, `R=? [S]`},
		{round, `R=? [F "goal"]`},
		{clock, `P=? [F<=1.5 "full"]`},
		{clock, `R=? [C<=1.5]`},
		{clock, `S=? ["full"]`},
		{clock, `R=? [F "full"]`},
	} {
		f := follow(test.model, test.property)
		exact, err := answer.Evaluate(t.Context(), f, answer.Settings{})
		require.NoError(t, err, test.property)
		found, err := answer.Simulate(t.Context(), f, simulate.Settings{Horizon: 2000, WarmUp: 100, Replications: 3000, Seed: 4, Confidence: 0.9999})
		require.NoError(t, err, test.property)
		mean, lower, upper := found.Estimate()
		value := exact.Result.Values[0]
		assert.LessOrEqual(t, lower, value+1e-12, "%s: %v, of %v", test.property, mean, value)
		assert.GreaterOrEqual(t, upper, value-1e-12, "%s: %v, of %v", test.property, mean, value)
		assert.LessOrEqual(t, upper-lower, 0.2*value+0.1, test.property)
	}
	_, err := answer.Simulate(t.Context(), follow(round, `E [F "goal"]`), simulate.Settings{Replications: 2, Confidence: 0.9})
	assert.ErrorContains(t, err, "about paths")
	_, err = answer.Simulate(t.Context(), follow(round, `R=? [C]`), simulate.Settings{Replications: 2, Confidence: 0.9})
	assert.ErrorContains(t, err, "never where it earns no more")
	_, err = answer.Simulate(t.Context(), follow(walk, `R{"cost"}=? [F "goal"]`), simulate.Settings{Replications: 2, Confidence: 0.9})
	assert.ErrorContains(t, err, "may reach state 3, and never")
}
