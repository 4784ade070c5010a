package mdp_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// partOf holds the rows of the states first … last−1 of a table, as the numbers 0,
// 1, …; the other states follow, in their order.
type partOf struct {
	*mdp.Table
	first, last int
}

func (p partOf) NumStates() int       { return p.last - p.first }
func (p partOf) NumActions(s int) int { return p.Table.NumActions(p.first + s) }

func (p partOf) AppendRow(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64) {
	begin := len(dst)
	dst, cost := p.Table.AppendRow(dst, p.first+s, a)
	for i := range dst[begin:] {
		e := &dst[begin+i]
		switch j := int(e.State); {
		case j < p.first:
			e.State = int32(p.NumStates() + j)
		case j < p.last:
			e.State -= int32(p.first)
		}
	}
	return dst, cost
}

// values returns those of the part, in its order.
func (p partOf) values(v []float64) mdp.Vector {
	own := append([]float64{}, v[p.first:p.last]...)
	return mdp.Vector{High: append(append(own, v[:p.first]...), v[p.last:]...)}
}

// Parts that together are a model bound its optimum, here as all policies have it in
// exact arithmetic; and for the average they do so by the bounds of Solve.
func TestPartsBoundTheWhole(t *testing.T) {
	trials(t, 200, func(t *testing.T, random *rand.Rand) {
		table := randomTable(t, random, structure(random.IntN(int(structures))), scale(random.IntN(int(scales))))
		n := table.NumStates()
		values, residual, policy := make([]float64, n), make([]float64, n), make([]int32, n)
		for s := range values {
			values[s] = random.NormFloat64() * math.Pow(10, 20*random.Float64()-10)
		}
		discount := mdp.Discounted{Discount: []float64{0.1, 0.9, 1 - 0x1p-20}[random.IntN(3)]}
		cut := random.IntN(n + 1)
		sweep := func(improve func(mdp.Part, mdp.Vector, []int32, []float64) (float64, float64)) (lower, upper float64) {
			lower, upper = math.Inf(1), math.Inf(-1)
			for _, part := range []partOf{{table, 0, cut}, {table, cut, n}} {
				if part.NumStates() > 0 {
					least, greatest := improve(part, part.values(values), policy[part.first:part.last], residual[part.first:part.last])
					lower, upper = min(lower, least), max(upper, greatest)
				}
			}
			return lower, upper
		}

		swept := sweptOnce(t, table, values, 1)
		lower, upper := sweep(mdp.LongRunAverage{}.Improve)
		assert.LessOrEqual(t, lower, swept.Lower) // which may be the least cost of a step
		assert.Equal(t, swept.Upper, upper)
		assert.Equal(t, swept.Policy, policy)
		least, greatest := mdp.LongRunAverage{}.Improve(table, mdp.Vector{High: values}, slices.Clone(policy), slices.Clone(residual))
		assert.Equal(t, []float64{lower, upper}, []float64{least, greatest}, "a table is a part that holds all states")

		exact := newExactModel(table).discounted(discount.Discount)
		end := make([]bool, n+1)
		end[n] = true
		best, _ := exact.leastTotals(end)
		lower, upper = sweep(discount.Improve)
		achieved := exact.chain(append(append([]int32{}, policy...), 0)).total(end)
		for s := range n {
			v := rational(values[s])
			assert.LessOrEqual(t, v.Add(v, rational(lower)).Cmp(best[s]), 0, "state %d", s)
			v = rational(values[s])
			assert.GreaterOrEqual(t, v.Add(v, rational(upper)).Cmp(achieved[s]), 0, "state %d", s)
		}
	})
}
