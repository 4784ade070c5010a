package catalogue

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// catalogue is made once: no test changes it.
var catalogue = sync.OnceValue(Problems)

// problem returns a problem of the catalogue by its name.
func problem(t *testing.T, name string) *Problem {
	t.Helper()
	for _, p := range catalogue() {
		if p.Name == name {
			return p
		}
	}
	require.Fail(t, "no such problem", name)
	return nil
}

// right returns the right answer to a problem.
func right(t *testing.T, name string) (*Problem, Answer) {
	t.Helper()
	p := problem(t, name)
	form := p.forms(t)[0]
	result, err := mdp.Solve(t.Context(), form.model, form.criterion, mdp.Settings{})
	require.NoError(t, err)
	answer := answerOf(result)
	require.NoError(t, p.Verify(answer))
	for s := range answer.Value {
		if !math.IsInf(answer.Value[s], 0) {
			answer.Value[s] = nearest(p.Optimum[s])
		}
	}
	return p, answer
}

// Verify finds every kind of wrong answer, and names the state.
func TestWrongAnswersAreFound(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		problem string
		spoil   func(a *Answer)
		want    string
	}{
		{"toymaker", func(a *Answer) { a.Lower[1], a.Upper[1] = 2.1, 2.2 }, "toymaker: state 2: value 2 is not between its bounds 2.1 and 2.2"},
		{"toymaker", func(a *Answer) { a.Lower[1], a.Value[1], a.Upper[1] = 2.1, 2.2, 2.3 }, "state 2: bounds 2.1 and 2.3 do not enclose the optimum 2"},
		{"toymaker", func(a *Answer) { a.Lower[0], a.Value[0], a.Upper[0] = 1.1, 1.2, 1.3 }, "state 1: bounds 1.1 and 1.3 do not enclose the optimum 2"},
		{"toymaker", func(a *Answer) { a.Value[0] = nan }, "state 1: value NaN is not between"},
		{"toymaker", func(a *Answer) { a.Lower[0] = nan }, "state 1: value 2 is not between its bounds NaN"},
		{"toymaker", func(a *Answer) { a.Lower[0], a.Value[0], a.Upper[0] = inf, inf, inf }, "do not enclose the optimum 2"},
		{"toymaker", func(a *Answer) { a.Lower[0], a.Value[0], a.Upper[0] = -inf, -inf, -inf }, "do not enclose the optimum 2"},
		{"toymaker", func(a *Answer) { a.Policy[0] = 0 }, "do not enclose what the policy achieves, 17/12"},
		{"toymaker", func(a *Answer) { a.Policy[0] = 2 }, "action 2 in state 1 is not valid: use 0 … 1"},
		{"toymaker", func(a *Answer) { a.Policy[0] = -1 }, "action -1 in state 1 is not valid: use 0 … 1"},
		{"toymaker", func(a *Answer) { a.Policy = a.Policy[:1] }, "1 actions are not valid: use 2 each"},
		{"toymaker", func(a *Answer) { a.Value = nil }, "2 lower bounds, 0 values, 2 upper bounds and 2 actions are not valid"},
		{"toymaker", func(a *Answer) { a.Lower[0], a.Value[0], a.Upper[0] = 0, 2.1, 3 }, "value 2.1 is not close to the optimum 2"},
		{"maintenance", func(a *Answer) { a.Value[0], a.Upper[0] = 0.434, 1 }, "state 1: value 0.434 is not close to the optimum 95/219"},
		{"pit", func(a *Answer) { a.Lower[1], a.Value[1], a.Upper[1] = 0, 100, 1e300 }, "state 1: bounds 0 and 1e+300 do not enclose the optimum +Inf"},
		{"pit", func(a *Answer) { a.Policy[0] = 0 }, "do not enclose what the policy achieves, +Inf"},
		{"endless", func(a *Answer) { a.Policy[0] = 1 }, "state 0: bounds +Inf and +Inf do not enclose what the policy achieves, 6"},
		{"die", func(a *Answer) { a.Policy[6] = 0 }, "what the policy achieves, 14/3"},
	} {
		p, answer := right(t, test.problem)
		test.spoil(&answer)
		require.ErrorContains(t, p.Verify(answer), test.want, test.problem)
	}
}

// An answer that has not converged may be as wrong as its bounds allow.
func TestWideBoundsAreAllowed(t *testing.T) {
	p, answer := right(t, "toymaker")
	answer.Converged = false
	for s := range answer.Value {
		answer.Lower[s], answer.Value[s], answer.Upper[s] = math.Inf(-1), 7, math.Inf(1)
	}
	answer.Policy = []int32{0, 0}
	require.NoError(t, p.Verify(answer))
}

// Forms that minimise negative rewards are verified as such.
func TestAnswersToNegativeRewards(t *testing.T) {
	p, answer := right(t, "toymaker")
	for _, form := range p.forms(t) {
		if form.sign > 0 {
			require.NoError(t, form.verify(answer))
			continue
		}
		require.Error(t, form.verify(answer))
		require.NoError(t, form.verify(answer.negated()))
	}
}

func TestExactNumbersInWords(t *testing.T) {
	assert.Equal(t, "+Inf", text(nil))
	assert.Equal(t, "-3", text(whole(-3)))
	assert.Equal(t, "95/219 = 0.433789954338", text(ratio(95, 219)))
	assert.Equal(t, "0.33333333333333333333", text(sub(ratio(1, 3), power(ratio(1, 10), 40))))
}
