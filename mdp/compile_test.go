package mdp_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

type outcomes = []mdp.Outcome[string]

// oneRow returns a problem in which "a" does "go" with the given outcomes at
// the given cost, and all other states stay where they are.
func oneRow(cost float64, row outcomes) mdp.Problem[string, string] {
	return mdp.Problem[string, string]{
		Start:   []string{"a"},
		Actions: func(dst []string, _ string) []string { return append(dst, "go") },
		Cost: func(s, _ string) float64 {
			if s == "a" {
				return cost
			}
			return 0
		},
		Next: func(dst outcomes, s, _ string) outcomes {
			if s == "a" {
				return append(dst, row...)
			}
			return append(dst, mdp.Outcome[string]{State: s, Probability: 1})
		},
	}
}

func TestCompileMergesAndDrops(t *testing.T) {
	model, err := oneRow(2, outcomes{{"b", 0.25}, {"never", 0}, {"c", 0.5}, {"b", 0.25}}).Compile(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 3, model.NumStates(), "outcomes of probability 0 are not explored")
	_, known := model.Index("never")
	assert.False(t, known)
	row, cost := model.AppendRow(nil, 0, 0)
	assert.Equal(t, []mdp.Entry{{State: 1, Probability: 0.5}, {State: 2, Probability: 0.5}}, row)
	assert.Equal(t, 2.0, cost)
	assert.Equal(t, 1.0, model.Rate())
	assert.Equal(t, 3, model.NumChoices())
	assert.Equal(t, 4, model.NumTransitions())
}

// From 0 a binary tree of depth 3: state numbers go level by level.
func TestCompileExploresBreadthFirst(t *testing.T) {
	model, err := mdp.Problem[string, int]{
		Start: []string{"t", "x", "t"},
		Actions: func(dst []int, s string) []int {
			if len(s) > 2 {
				return append(dst, 7)
			}
			return append(dst, 5, 6)
		},
		Cost: func(string, int) float64 { return 0 },
		Next: func(dst outcomes, s string, a int) outcomes {
			next := s
			if len(s) <= 2 {
				next += string(rune('0' + a))
			}
			return append(dst, mdp.Outcome[string]{State: next, Probability: 1})
		},
	}.Compile(context.Background())
	require.NoError(t, err)
	want := []string{"t", "x", "t5", "t6", "x5", "x6", "t55", "t56", "t65", "t66", "x55", "x56", "x65", "x66"}
	require.Equal(t, len(want), model.NumStates())
	for i, s := range want {
		assert.Equal(t, s, model.State(i))
		index, ok := model.Index(s)
		assert.True(t, ok)
		assert.Equal(t, i, index)
	}
	assert.Equal(t, 6, model.Action(0, 1))
	assert.Equal(t, 7, model.Action(13, 0))
	assert.Equal(t, 2, model.NumActions(5))
	assert.Panics(t, func() { model.Action(13, 1) })
	assert.Panics(t, func() { model.Action(0, -1) })
}

func TestCompileNamesTheFault(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, test := range map[string]struct {
		problem mdp.Problem[string, string]
		want    error
	}{
		"cost NaN":             {oneRow(nan, outcomes{{"a", 1}}), mdp.ErrCost},
		"cost infinite":        {oneRow(-inf, outcomes{{"a", 1}}), mdp.ErrCost},
		"sum below 1":          {oneRow(0, outcomes{{"a", 0.5}, {"b", 0.4}}), mdp.ErrNotDistribution},
		"sum above 1":          {oneRow(0, outcomes{{"a", 0.5}, {"b", 0.6}}), mdp.ErrNotDistribution},
		"no outcomes":          {oneRow(0, nil), mdp.ErrNotDistribution},
		"only zeros":           {oneRow(0, outcomes{{"a", 0}}), mdp.ErrNotDistribution},
		"negative":             {oneRow(0, outcomes{{"a", 1.5}, {"b", -0.5}}), mdp.ErrNotDistribution},
		"negative, merged":     {oneRow(0, outcomes{{"a", 1}, {"b", 0.5}, {"a", -0.5}}), mdp.ErrNotDistribution},
		"negative, cancelling": {oneRow(0, outcomes{{"a", 1}, {"b", 0.5}, {"b", -0.5}}), mdp.ErrNotDistribution},
		"NaN":                  {oneRow(0, outcomes{{"a", 1}, {"b", nan}}), mdp.ErrNotDistribution},
		"infinite":             {oneRow(0, outcomes{{"a", inf}, {"b", -inf}}), mdp.ErrNotDistribution},
	} {
		model, err := test.problem.Compile(context.Background())
		assert.Nil(t, model, name)
		require.ErrorIs(t, err, test.want, name)
		var fault *mdp.ModelError
		require.ErrorAs(t, err, &fault, name)
		assert.Equal(t, "a", fault.State, name)
		assert.Equal(t, "go", fault.Action, name)
		assert.ErrorContains(t, err, "mdp: state a, action go: ", name)
	}
}

func TestCompileWithoutActions(t *testing.T) {
	problem := oneRow(0, outcomes{{"a", 0.5}, {"b", 0.5}})
	problem.Actions = func(dst []string, s string) []string {
		if s == "b" {
			return dst
		}
		return append(dst, "go")
	}
	_, err := problem.Compile(context.Background())
	require.ErrorIs(t, err, mdp.ErrNoActions)
	assert.EqualError(t, err, "mdp: state b: no actions: give at least one")
}

// Functions that return a slice of their own instead of appending to dst do
// what their authors mean.
func TestCompileForgivesFreshSlices(t *testing.T) {
	model, err := mdp.Problem[int, string]{
		Start: []int{0},
		Actions: func(_ []string, s int) []string {
			if s == 0 {
				return []string{"wait"}
			}
			return []string{"wait", "back"}
		},
		Cost: func(int, string) float64 { return 1 },
		Next: func(_ []mdp.Outcome[int], _ int, a string) []mdp.Outcome[int] {
			if a == "back" {
				return []mdp.Outcome[int]{{State: 0, Probability: 1}}
			}
			return []mdp.Outcome[int]{{State: 1, Probability: 1}}
		},
	}.Compile(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 2, model.NumStates())
	assert.Equal(t, 1, model.NumActions(0))
	require.Equal(t, 2, model.NumActions(1))
	assert.Equal(t, "wait", model.Action(0, 0))
	assert.Equal(t, "back", model.Action(1, 1))
}

// Decimal probabilities that add up to 1 within 1e-9 are divided by their sum;
// sums that are 1 up to rounding are left as they are.
func TestCompileForgivesDecimals(t *testing.T) {
	model, err := oneRow(0, outcomes{{"a", 0.3333333333}, {"b", 0.3333333333}, {"c", 0.3333333333}}).Compile(context.Background())
	require.NoError(t, err)
	row, _ := model.AppendRow(nil, 0, 0)
	assert.InDelta(t, 1, row[0].Probability+row[1].Probability+row[2].Probability, 1e-16)

	model, err = oneRow(0, outcomes{{"a", 0.1}, {"b", 0.2}, {"c", 0.7}}).Compile(context.Background())
	require.NoError(t, err)
	row, _ = model.AppendRow(nil, 0, 0)
	assert.Equal(t, []mdp.Entry{{State: 0, Probability: 0.1}, {State: 1, Probability: 0.2}, {State: 2, Probability: 0.7}}, row)

	_, err = oneRow(0, outcomes{{"a", 0.333333}, {"b", 0.333333}, {"c", 0.333333}}).Compile(context.Background())
	require.ErrorIs(t, err, mdp.ErrNotDistribution)
	assert.ErrorContains(t, err, "probabilities sum to 0.999999, not to 1 within 1e-9: divide each by their sum")
}

// Choice answers in the types of the problem, also where a state has only its last action.
func TestChoice(t *testing.T) {
	model, err := machine().Compile(context.Background())
	require.NoError(t, err)
	result := &mdp.Result{Policy: []int32{1, 0, 1, 0, 0, 0}}
	for grade, want := range []string{"replace", "keep", "replace", "keep", "keep", "replace"} {
		assert.Equal(t, want, model.Choice(result, grade), grade)
	}
	assert.PanicsWithValue(t, "mdp: Choice: the model has no state 6", func() { model.Choice(result, 6) })
}

func TestCompileWithoutStart(t *testing.T) {
	problem := oneRow(0, outcomes{{"a", 1}})
	problem.Start = nil
	_, err := problem.Compile(context.Background())
	assert.ErrorIs(t, err, mdp.ErrNoStart)
}

func TestCompileRate(t *testing.T) {
	problem := oneRow(0, outcomes{{"a", 1}})
	problem.Rate = 4
	model, err := problem.Compile(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 4.0, model.Rate())
	for _, rate := range []float64{-1, math.NaN(), math.Inf(1)} {
		problem.Rate = rate
		_, err := problem.Compile(context.Background())
		require.ErrorIs(t, err, mdp.ErrRate, rate)
		assert.ErrorContains(t, err, "Rate", rate)
	}
}

// There are infinitely many states: only the context stops the exploration.
func TestCompileStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	_, err := mdp.Problem[int, int]{
		Start:   []int{0},
		Actions: func(dst []int, _ int) []int { return append(dst, 0) },
		Cost:    func(int, int) float64 { return 0 },
		Next: func(dst []mdp.Outcome[int], s, _ int) []mdp.Outcome[int] {
			if s == 5000 {
				cancel(errEnough)
			}
			return append(dst, mdp.Outcome[int]{State: s + 1, Probability: 1})
		},
	}.Compile(ctx)
	assert.ErrorIs(t, err, errEnough)
}

func TestCompileWithoutFunctionsPanics(t *testing.T) {
	for _, problem := range []func(*mdp.Problem[string, string]){
		func(p *mdp.Problem[string, string]) { p.Actions = nil },
		func(p *mdp.Problem[string, string]) { p.Cost = nil },
		func(p *mdp.Problem[string, string]) { p.Next = nil },
	} {
		p := oneRow(0, outcomes{{"a", 1}})
		problem(&p)
		assert.PanicsWithValue(t, "mdp: Problem needs Actions, Cost and Next", func() { _, _ = p.Compile(context.Background()) })
	}
}
