package mdp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// buildTable returns the table that fill adds to a builder.
func buildTable(t testing.TB, fill func(b *mdp.TableBuilder)) *mdp.Table {
	t.Helper()
	var b mdp.TableBuilder
	fill(&b)
	table, err := b.Build()
	require.NoError(t, err)
	return table
}

// A problem over numbers in the order of exploration compiles to the same table as
// its outcomes, added one by one, build: with states that are named again and
// again, in short rows and in long ones.
func TestTableBuilderAgreesWithCompile(t *testing.T) {
	trials(t, 30, func(t *testing.T, random *rand.Rand) {
		n := 2 + random.IntN(120)
		rows := make([][][]mdp.Outcome[int], n)
		for s := range rows {
			rows[s] = make([][]mdp.Outcome[int], 1+random.IntN(3))
			for a := range rows[s] {
				row := []mdp.Outcome[int]{{State: min(s+1, n-1), Probability: 0.25}} // so that 0, 1, 2, … is found
				length := 1 + random.IntN(150)
				for range length {
					row = append(row, mdp.Outcome[int]{State: random.IntN(min(s+2, n)), Probability: 0.75 / float64(length)})
				}
				rows[s][a] = append(row, mdp.Outcome[int]{State: 0, Probability: 0})
			}
		}
		problem := mdp.Problem[int, int]{
			Start: []int{0},
			Rate:  3,
			Actions: func(dst []int, s int) []int {
				for a := range rows[s] {
					dst = append(dst, a)
				}
				return dst
			},
			Cost: func(s, a int) float64 { return float64(7*s - a) },
			Next: func(dst []mdp.Outcome[int], s, a int) []mdp.Outcome[int] { return append(dst, rows[s][a]...) },
		}
		want, err := problem.Compile(context.Background())
		require.NoError(t, err)
		b := mdp.TableBuilder{Rate: 3}
		for s := range rows {
			assert.Equal(t, s, b.AddState())
			for a, row := range rows[s] {
				b.AddAction(float64(7 * s))
				for _, o := range row {
					b.AddTransition(o.State, o.Probability)
				}
				b.AddCost(-float64(a))
			}
		}
		got, err := b.Build()
		require.NoError(t, err)
		assert.Equal(t, tableArrays(want.Table), tableArrays(got))
	})
}

// A builder that has built is as good as new, and does not touch what it built.
func TestTableBuilderStartsAnew(t *testing.T) {
	b := mdp.TableBuilder{Rate: 4}
	coin := func(cost float64) {
		b.AddState()
		b.AddAction(cost)
		b.AddTransition(1, 0.5)
		b.AddTransition(0, 0.5)
		b.AddState()
		b.AddAction(0)
		b.AddTransition(0, 1)
	}
	coin(3)
	first, err := b.Build()
	require.NoError(t, err)
	want := tableArrays(first)
	coin(5)
	b.AddTransition(-1, 1)
	_, err = b.Build()
	require.Error(t, err)
	coin(3)
	second, err := b.Build()
	require.NoError(t, err)
	assert.Equal(t, want, tableArrays(first))
	assert.Equal(t, want, tableArrays(second))
	assert.Equal(t, 4.0, second.Rate())
}

func TestTableBuilderRefuses(t *testing.T) {
	second := func(fill func(b *mdp.TableBuilder)) func(b *mdp.TableBuilder) { // state 1 with an action
		return func(b *mdp.TableBuilder) {
			b.AddState()
			b.AddAction(0)
			b.AddTransition(0, 1)
			b.AddState()
			b.AddAction(0)
			fill(b)
		}
	}
	for _, c := range []struct {
		fill func(b *mdp.TableBuilder)
		kind error
		want string
	}{
		{func(*mdp.TableBuilder) {}, mdp.ErrNoStart, "mdp: no start state: a table needs at least one state"},
		{func(b *mdp.TableBuilder) { b.AddState() }, mdp.ErrNoActions, "mdp: state 0: no actions: give at least one"},
		{func(b *mdp.TableBuilder) { b.AddState(); b.AddState(); b.AddAction(0) }, mdp.ErrNoActions, "mdp: state 0: no actions: give at least one"},
		{
			func(b *mdp.TableBuilder) { b.AddState(); b.AddAction(0); b.AddAction(0); b.AddTransition(0, 1) },
			mdp.ErrNotDistribution, "mdp: state 0, action 0: not a probability distribution: no next state has a positive probability: add one",
		},
		{
			second(func(b *mdp.TableBuilder) { b.AddTransition(0, 1); b.AddAction(0); b.AddTransition(0, 0) }),
			mdp.ErrNotDistribution, "mdp: state 1, action 1: not a probability distribution: no next state has a positive probability: add one",
		},
		{
			second(func(b *mdp.TableBuilder) { b.AddTransition(0, 0.25); b.AddTransition(1, 0.5) }),
			mdp.ErrNotDistribution, "mdp: state 1, action 0: not a probability distribution: probabilities sum to 0.75, not to 1 within 1e-9: divide each by their sum",
		},
		{
			second(func(b *mdp.TableBuilder) { b.AddTransition(2, 1) }),
			mdp.ErrNotDistribution, "mdp: state 1, action 0: not a probability distribution: next state 2, of states 0 … 1",
		},
		{ // would be hidden by the other
			second(func(b *mdp.TableBuilder) { b.AddTransition(0, -0.5); b.AddTransition(0, 1.5) }),
			mdp.ErrNotDistribution, "mdp: state 1, action 0: not a probability distribution: probability -0.5 is not in [0, 1]",
		},
		{
			second(func(b *mdp.TableBuilder) { b.AddTransition(-1, 1); b.AddState() }),
			mdp.ErrNotDistribution, "mdp: state 1, action 0: not a probability distribution: next state -1 is not the number of a state",
		},
		{
			second(func(b *mdp.TableBuilder) { b.AddTransition(math.MaxInt32, 1); b.AddAction(0); b.AddCost(1) }),
			mdp.ErrNotDistribution, "mdp: state 1, action 0: not a probability distribution: next state 2147483647 is not the number of a state",
		},
		{
			second(func(b *mdp.TableBuilder) { b.AddTransition(0, 1); b.AddCost(math.Inf(1)) }),
			mdp.ErrCost, "mdp: state 1, action 0: cost is not a finite number: +Inf",
		},
		{
			second(func(b *mdp.TableBuilder) { b.Rate = math.NaN(); b.AddTransition(0, 1) }),
			mdp.ErrRate, "mdp: rate not allowed: Rate NaN is not valid: use a positive number of steps per unit of time, or 0 for 1",
		},
		{
			second(func(b *mdp.TableBuilder) { b.Rate = -1; b.AddTransition(0, 1) }),
			mdp.ErrRate, "mdp: rate not allowed: Rate -1 is not valid: use a positive number of steps per unit of time, or 0 for 1",
		},
		{func(b *mdp.TableBuilder) { b.AddAction(0) }, mdp.ErrOrder, "mdp: call out of order: TableBuilder.AddAction before AddState: call AddState first"},
		{
			func(b *mdp.TableBuilder) { b.AddState(); b.AddTransition(0, 1) },
			mdp.ErrOrder, "mdp: call out of order: TableBuilder.AddTransition before AddAction: call AddAction first",
		},
		{
			second(func(b *mdp.TableBuilder) { b.AddTransition(0, 1); b.AddState(); b.AddTransition(0, 1) }),
			mdp.ErrOrder, "mdp: call out of order: TableBuilder.AddTransition before AddAction: call AddAction first",
		},
		{func(b *mdp.TableBuilder) { b.AddCost(1) }, mdp.ErrOrder, "mdp: call out of order: TableBuilder.AddCost before AddAction: call AddAction first"},
		{ // the first fault counts
			func(b *mdp.TableBuilder) { b.AddTransition(0, 1); b.AddAction(0); b.AddState(); b.AddAction(0) },
			mdp.ErrOrder, "mdp: call out of order: TableBuilder.AddTransition before AddAction: call AddAction first",
		},
	} {
		var b mdp.TableBuilder
		c.fill(&b)
		table, err := b.Build()
		assert.Nil(t, table, c.want)
		require.EqualError(t, err, c.want)
		require.ErrorIs(t, err, c.kind)
	}
}
