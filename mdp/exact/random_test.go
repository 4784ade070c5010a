package exact_test

import (
	"context"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

var long = flag.Bool("long", false, "run thousands of random models instead of hundreds")

// trials runs body on many random sources; each failure names the seed.
func trials(t *testing.T, count int, body func(t *testing.T, random *rand.Rand)) {
	t.Helper()
	switch {
	case *long:
		count *= 20
	case testing.Short():
		count = (count + 9) / 10
	}
	t.Logf("seeds 1 to %d", count)
	for seed := range uint64(count) {
		ok := t.Run(fmt.Sprintf("seed=%d", seed+1), func(t *testing.T) {
			body(t, rand.New(rand.NewPCG(seed+1, 0)))
		})
		if !ok && !*long {
			return // one counterexample is enough to look at
		}
	}
}

// randomModel returns a model of a few states, most often multichain, with costs
// of both signs, some of them 0, so that some cycles cost nothing.
func randomModel(t *testing.T, random *rand.Rand) (*exact.Model, *oracle) {
	t.Helper()
	n := 2 + random.IntN(4)
	arrays, o := exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}}, &oracle{}
	lowest := random.IntN(4) // of the costs, negated
	for range n {
		var (
			rows  [][]*big.Rat
			costs []*big.Rat
		)
		for range 1 + random.IntN(3) {
			weights, sum := make([]int64, n), int64(0)
			for range 1 + random.IntN(2) {
				w := int64(1 + random.IntN(9))
				weights[random.IntN(n)] += w
				sum += w
			}
			row := rationals(n)
			for j, w := range weights {
				if w > 0 {
					row[j].SetFrac64(w, sum)
					arrays.Columns = append(arrays.Columns, int32(j))
					arrays.Probabilities = append(arrays.Probabilities, row[j])
				}
			}
			cost := big.NewRat(int64(random.IntN(5)-lowest), int64(1+random.IntN(2)))
			rows, costs = append(rows, row), append(costs, cost)
			arrays.Costs = append(arrays.Costs, cost)
			arrays.RowStart = append(arrays.RowStart, int32(len(arrays.Columns)))
		}
		o.rows, o.costs = append(o.rows, rows), append(o.costs, costs)
		arrays.StateStart = append(arrays.StateStart, int32(len(arrays.Costs)))
	}
	model, err := exact.NewModel(arrays)
	require.NoError(t, err)
	return model, o
}

var senses = []mdp.Sense{mdp.Minimize, mdp.Maximize}

func TestRandomModelsAverage(t *testing.T) {
	trials(t, 300, func(t *testing.T, random *rand.Rand) {
		model, o := randomModel(t, random)
		for _, sense := range senses {
			answer, err := model.Average(context.Background(), sense)
			require.NoError(t, err)
			assertValues(t, texts(o.average(sense)), answer.Values)
			assertValues(t, texts(o.chain(answer.Policy).gains()), answer.Values)
			o.chain(answer.Policy).assertRelative(t, answer)
			followed, err := model.Follow(answer.Policy)
			require.NoError(t, err)
			bias, err := followed.Average(context.Background(), sense)
			require.NoError(t, err)
			o.chain(answer.Policy).assertRelative(t, bias)
			o.chain(answer.Policy).assertBias(t, bias)
		}
	})
}

// assertBias requires that relative values have the same long-run average from all states, as the bias has,
// whose average is 0, and that of state 0 is 0.
func (c *chain) assertBias(t *testing.T, answer *exact.Answer) {
	t.Helper()
	costs := c.costs
	defer func() { c.costs = costs }()
	c.costs = nil
	for _, x := range answer.Relative {
		c.costs = append(c.costs, x.Rat())
	}
	averages := c.gains()
	for s, x := range averages {
		assert.Zero(t, x.Cmp(averages[0]), "state %d", s)
	}
	assert.Zero(t, answer.Relative[0].Rat().Sign())
}

// assertRelative substitutes in g + h = c + P·h.
func (c *chain) assertRelative(t *testing.T, answer *exact.Answer) {
	t.Helper()
	for s, row := range c.rows {
		left := new(big.Rat).Add(answer.Values[s].Rat(), answer.Relative[s].Rat())
		right := new(big.Rat).Set(c.costs[s])
		for j, p := range row {
			right.Add(right, new(big.Rat).Mul(p, answer.Relative[j].Rat()))
		}
		assert.Zero(t, left.Cmp(right), "state %d", s)
	}
}

func TestRandomModelsDiscounted(t *testing.T) {
	trials(t, 200, func(t *testing.T, random *rand.Rand) {
		model, o := randomModel(t, random)
		discount := big.NewRat(int64(max(0, random.IntN(110)-10)), 100)
		for _, sense := range senses {
			answer, err := model.Discounted(context.Background(), sense, discount)
			require.NoError(t, err)
			assertValues(t, texts(o.discounted(sense, discount)), answer.Values)
			assertValues(t, texts(o.chain(answer.Policy).total(nil, discount)), answer.Values)
		}
	})
}

func TestRandomModelsTotal(t *testing.T) {
	infinities := map[string]int{}
	trials(t, 500, func(t *testing.T, random *rand.Rand) {
		model, o := randomModel(t, random)
		target := []int32{int32(random.IntN(model.NumStates()))}
		for _, sense := range senses {
			answer, err := model.Total(context.Background(), sense, target)
			require.NoError(t, err)
			want := o.total(sense, target)
			assertValues(t, want, answer.Values)
			c := o.chain(answer.Policy)
			reach := c.reachable(target)
			for s, text := range want {
				if answer.Values[s].Infinity() != 0 {
					infinities[sense.String()+text]++
				} else if s != int(target[0]) {
					require.True(t, o.isProper(reach, target, s))
					assert.Equal(t, text, c.from(s, reach, target).RatString())
				}
			}
		}
	})
	t.Log("infinite values:", infinities)
}

func TestRandomModelsFinite(t *testing.T) {
	trials(t, 100, func(t *testing.T, random *rand.Rand) {
		model, o := randomModel(t, random)
		terminal := rationals(model.NumStates())
		for s := range terminal {
			terminal[s].SetFrac64(int64(random.IntN(9)-4), int64(1+random.IntN(3)))
		}
		steps := random.IntN(5)
		for _, sense := range senses {
			answer, err := model.Finite(context.Background(), sense, exact.Horizon{Steps: steps, Terminal: terminal})
			require.NoError(t, err)
			for s, value := range answer.Values {
				assert.Equal(t, o.finite(sense, steps, s, terminal).RatString(), value.String())
			}
		}
	})
}

func texts(x []*big.Rat) []string {
	text := make([]string, len(x))
	for i := range x {
		text[i] = x[i].RatString()
	}
	return text
}

func assertValues(t *testing.T, want []string, got []exact.Value) {
	t.Helper()
	text := make([]string, len(got))
	for i, v := range got {
		text[i] = v.String()
	}
	assert.Equal(t, want, text)
}
