package mdp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

var python = flag.String("python", "", "compare constrained models with HiGHS by this Python with SciPy")

// constrainedCase is a random problem.
type constrainedCase struct {
	table       *mdp.Table
	criterion   mdp.Criterion
	state       int
	constraints []mdp.Constraint
}

// costsOf returns costs by state and action as a list by choice.
func costsOf(table *mdp.Table, cost func() float64) []float64 {
	var costs []float64
	for range table.NumChoices() {
		costs = append(costs, cost())
	}
	return costs
}

// objective returns the costs of a table by choice.
func objective(table *mdp.Table) []float64 {
	var costs []float64
	for s := range table.NumStates() {
		for a := range table.NumActions(s) {
			_, cost := table.AppendRow(nil, s, a)
			costs = append(costs, cost)
		}
	}
	return costs
}

// exactValues returns the values of all costs under a policy from a state; nil where the
// target may not be reached.
func exactValues(table *mdp.Table, criterion mdp.Criterion, costs [][]float64, policy []int32, state int) []*big.Rat {
	exact := newExactModel(table)
	if d, ok := criterion.(mdp.Discounted); ok {
		exact, policy = exact.discounted(d.Discount), append(slices.Clone(policy), 0)
	}
	chain := exact.chain(policy)
	var values []*big.Rat
	for _, list := range costs {
		k := 0
		for s := range table.NumStates() {
			chain.costs[s] = rational(list[k+int(policy[s])])
			k += table.NumActions(s)
		}
		target := make([]bool, len(policy))
		switch x := criterion.(type) {
		case mdp.LongRunAverage:
			values = append(values, chain.gains()[state])
			continue
		case mdp.TotalCost:
			for _, s := range x.Target {
				target[s] = true
				chain.rows[s] = zeros(len(policy))
				chain.rows[s][s].SetInt64(1)
			}
		default:
			target[len(target)-1] = true
		}
		value := chain.total(target)[state]
		if value == nil {
			return nil
		}
		values = append(values, value)
	}
	return values
}

func randomConstrained(t *testing.T, random *rand.Rand, limits int) constrainedCase {
	t.Helper()
	scale := scale(random.IntN(int(free)))
	c := constrainedCase{table: randomTable(t, random, structure(random.IntN(int(structures))), scale)}
	sense := mdp.Sense(random.IntN(2))
	switch random.IntN(3) {
	case 0:
		c.criterion = mdp.LongRunAverage{Sense: sense}
	case 1:
		c.criterion = mdp.Discounted{Discount: []float64{0, 0.5, 0.9, 0.99}[random.IntN(4)], Sense: sense}
	default: // cycles cost something, so that repeating them is no use
		scale = plain
		c.table = randomTable(t, random, absorbing, plain)
		c.criterion = mdp.TotalCost{Target: []int32{int32(c.table.NumStates() - 1)}}
	}
	c.state = random.IntN(c.table.NumStates())
	for range limits {
		x := mdp.Constraint{Costs: costsOf(c.table, func() float64 { return randomCost(random, scale) })}
		if _, total := c.criterion.(mdp.TotalCost); !total {
			x.AtLeast = random.IntN(2) == 0
		}
		policies := [2]*big.Rat{}
		for i := range policies {
			policy := make([]int32, c.table.NumStates())
			for s := range policy {
				policy[s] = int32(random.IntN(c.table.NumActions(s)))
			}
			policies[i] = big.NewRat(5, 1)
			if values := exactValues(c.table, c.criterion, [][]float64{x.Costs}, policy, c.state); values != nil {
				policies[i] = values[0]
			}
		}
		// The value of a policy, or one between those of two policies.
		share := big.NewRat(int64(random.IntN(5)), 4)
		x.Bound = new(big.Rat).Sub(policies[1], policies[0])
		x.Bound.Add(policies[0], x.Bound.Mul(x.Bound, share))
		c.constraints = append(c.constraints, x)
	}
	return c
}

// signed returns the costs that are minimised and those with upper limits, and the limits.
func (c *constrainedCase) signed() (costs [][]float64, limits []*big.Rat) {
	sign := func(list []float64, negative bool) []float64 {
		list = slices.Clone(list)
		for i := range list {
			if negative {
				list[i] = -list[i]
			}
		}
		return list
	}
	costs = [][]float64{sign(objective(c.table), maximizes(c.criterion))}
	for _, x := range c.constraints {
		costs = append(costs, sign(x.Costs, x.AtLeast))
		limit := new(big.Rat).Set(x.Bound)
		if x.AtLeast {
			limit.Neg(limit)
		}
		limits = append(limits, limit)
	}
	return costs, limits
}

// leastWithin returns the least first value of mixtures of points within the limits, nil for
// none, by trying all sets of points and slacks that may make a vertex.
func leastWithin(points [][]*big.Rat, limits []*big.Rat) *big.Rat {
	k := len(limits)
	var best *big.Rat
	column := func(c, row int) *big.Rat {
		switch {
		case c >= k && row == k:
			return big.NewRat(1, 1)
		case c >= k:
			return new(big.Rat).Set(points[c-k][row+1])
		case c == row:
			return big.NewRat(1, 1)
		}
		return new(big.Rat)
	}
	var choose func(chosen []int)
	choose = func(chosen []int) {
		if len(chosen) < k+1 {
			from := 0
			if len(chosen) > 0 {
				from = chosen[len(chosen)-1] + 1
			}
			for c := from; c < k+len(points); c++ {
				choose(append(slices.Clone(chosen), c))
			}
			return
		}
		a, b := make([][]*big.Rat, k+1), append(zeros(0), limits...)
		b = append(b, big.NewRat(1, 1))
		for row := range a {
			b[row] = new(big.Rat).Set(b[row])
			for _, c := range chosen {
				a[row] = append(a[row], column(c, row))
			}
		}
		defer func() { _ = recover() }() // a singular matrix is no vertex
		cost := new(big.Rat)
		for i, w := range solveExactly(a, b) {
			if w.Sign() < 0 {
				return
			}
			if c := chosen[i]; c >= k {
				cost.Add(cost, new(big.Rat).Mul(w, points[c-k][0]))
			}
		}
		if best == nil || cost.Cmp(best) < 0 {
			best = cost
		}
	}
	choose(nil)
	return best
}

// assertConstrained judges an answer by the optimum; nil if there is none.
func assertConstrained(t *testing.T, c constrainedCase, want *big.Rat, found *mdp.Constrained, err error) {
	t.Helper()
	costs, limits := c.signed()
	if want == nil {
		if errors.Is(err, mdp.ErrUnsupported) { // no policy reaches the target
			return
		}
		fault, ok := errors.AsType[*mdp.InfeasibleError](err)
		require.True(t, ok, "%v", err)
		newExactModel(c.table).policies(func(policy []int32, _ *exactChain) {
			values := exactValues(c.table, c.criterion, costs, policy, c.state)
			if values == nil {
				return
			}
			sum, bound := new(big.Rat), new(big.Rat)
			for i, price := range fault.Prices {
				sum.Add(sum, new(big.Rat).Mul(rational(price), values[i+1]))
				bound.Add(bound, new(big.Rat).Mul(rational(price), limits[i]))
			}
			assert.GreaterOrEqual(t, sum.Cmp(rational(fault.Least)), 0)
			assert.Positive(t, rational(fault.Least).Cmp(bound))
		})
		return
	}
	require.NoError(t, err)
	assert.Equal(t, mdp.Converged, found.Status)
	lower, upper, value := found.Lower, found.Upper, found.Value
	if maximizes(c.criterion) {
		lower, upper, value = -upper, -lower, -value
	}
	optimum := float(want)
	assert.InDelta(t, optimum, value, 1e-8*max(1, math.Abs(optimum)))
	assert.LessOrEqual(t, rational(lower).Cmp(want), 0, "lower bound %v of %v", lower, optimum)
	assert.GreaterOrEqual(t, upper, optimum-1e-8*max(1, math.Abs(optimum)))
	for i, x := range c.constraints {
		sign := 1
		if x.AtLeast {
			sign = -1
		}
		if excess := new(big.Rat).Sub(rational(found.Limits[i]), x.Bound); excess.Sign() == sign {
			assert.InDelta(t, 0, float(excess), 1e-12*(1+math.Abs(float(x.Bound))))
		}
		assert.GreaterOrEqual(t, found.Multipliers[i], 0.0)
	}
	// What the mixture is worth, without the solver.
	total := make([]float64, len(costs))
	sum := 0.0
	for _, part := range found.Mixture {
		sum += part.Weight
		for i, result := range part.Results {
			total[i] += part.Weight * result.Optimum(c.state)
		}
		if policy := deterministic(c.table, part.Probabilities); policy != nil {
			given := [][]float64{objective(c.table)}
			for _, x := range c.constraints {
				given = append(given, x.Costs)
			}
			for i, exact := range exactValues(c.table, c.criterion, given, policy, c.state) {
				low, high := part.Results[i].Bounds(c.state)
				assert.LessOrEqual(t, rational(low).Cmp(exact), 0)
				assert.GreaterOrEqual(t, rational(high).Cmp(exact), 0)
			}
		}
	}
	assert.InDelta(t, 1, sum, 1e-15)
	assert.InDelta(t, found.Value, total[0], 1e-9*max(1, math.Abs(optimum)))
}

// deterministic returns the action of each state, nil if a policy has several in one.
func deterministic(table *mdp.Table, probabilities []float64) (policy []int32) {
	k := 0
	for s := range table.NumStates() {
		first := k
		k += table.NumActions(s)
		at := slices.Index(probabilities[first:k], 1)
		if at < 0 {
			return nil
		}
		policy = append(policy, int32(at))
	}
	return policy
}

// TestConstrainedAgainstAllPoliciesExactly mixes all deterministic policies, in fractions.
func TestConstrainedAgainstAllPoliciesExactly(t *testing.T) {
	kinds := map[string]int{}
	trials(t, 120, func(t *testing.T, random *rand.Rand) {
		c := randomConstrained(t, random, 1+random.IntN(2))
		costs, limits := c.signed()
		var points [][]*big.Rat
		newExactModel(c.table).policies(func(policy []int32, _ *exactChain) {
			values := exactValues(c.table, c.criterion, costs, policy, c.state)
			same := func(other []*big.Rat) bool {
				return slices.EqualFunc(values, other, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
			}
			if values != nil && !slices.ContainsFunc(points, same) {
				points = append(points, values)
			}
		})
		if len(limits) == 2 && len(points) > 30 {
			limits, c.constraints = limits[:1], c.constraints[:1]
		}
		want := leastWithin(points, limits)
		looser := slices.Clone(limits)
		for i := range looser {
			looser[i] = new(big.Rat).Add(looser[i], rational(1e-11))
		}
		if loose := leastWithin(points, looser); loose != nil && (want == nil || float(want) > float(loose)+1e-9*max(1, math.Abs(float(want)))) {
			kinds["at the edge"]++ // of what rounding can tell from a policy within the limits
			return
		}
		found, err := mdp.SolveConstrained(context.Background(), c.table, c.criterion, c.state, c.constraints, mdp.Settings{})
		assertConstrained(t, c, want, found, err)
		switch {
		case want == nil:
			kinds["infeasible"]++
		case found == nil:
		case len(found.Mixture) > 1:
			kinds["mixture"]++
		case deterministic(c.table, found.Mixture[0].Probabilities) == nil:
			kinds["randomised"]++
		default:
			kinds["deterministic"]++
		}
	})
	t.Log(kinds)
}

// TestConstrainedAgainstHiGHS compares 1,000 models with linear programs over the visits to
// states and actions: testdata/constrained.py.
func TestConstrainedAgainstHiGHS(t *testing.T) {
	if *python == "" {
		t.Skip("no -python")
	}
	var cases []constrainedCase
	var input []map[string]any
	for seed := range uint64(1000) {
		random := rand.New(rand.NewPCG(seed, 7))
		c := randomConstrained(t, random, 1+random.IntN(3))
		costs, limits := c.signed()
		rows := [][]any{}
		for s := range c.table.NumStates() {
			for a := range c.table.NumActions(s) {
				row, _ := c.table.AppendRow(nil, s, a)
				to := map[int32]float64{}
				for _, e := range row {
					to[e.State] = e.Probability
				}
				rows = append(rows, []any{s, to})
			}
		}
		floats := []float64{}
		for _, x := range limits {
			floats = append(floats, float(x))
		}
		asked := map[string]any{"rows": rows, "costs": costs, "limits": floats, "state": c.state, "states": c.table.NumStates()}
		switch x := c.criterion.(type) {
		case mdp.Discounted:
			asked["discount"] = x.Discount
		case mdp.TotalCost:
			asked["target"] = x.Target
		}
		cases, input = append(cases, c), append(input, asked)
	}
	text, err := json.Marshal(input)
	require.NoError(t, err)
	command := exec.Command(*python, "testdata/constrained.py")
	command.Stdin = bytes.NewReader(text)
	output, err := command.Output()
	require.NoError(t, err)
	var optima []*float64 // nil: infeasible
	require.NoError(t, json.Unmarshal(output, &optima))
	require.Len(t, optima, len(cases))
	infeasible, atEdge := 0, 0
	for i, c := range cases {
		found, err := mdp.SolveConstrained(context.Background(), c.table, c.criterion, c.state, c.constraints, mdp.Settings{})
		switch {
		case optima[i] == nil && err != nil:
			infeasible++
		case optima[i] == nil: // within the tolerance of HiGHS
			atEdge++
			t.Logf("case %d: infeasible for HiGHS, limits %v for %v", i, found.Limits, c.constraints)
		case err != nil:
			t.Errorf("case %d: %v, HiGHS has %v", i, err, *optima[i])
		default:
			value := found.Value
			if maximizes(c.criterion) {
				value = -value
			}
			assert.Equal(t, mdp.Converged, found.Status, "case %d", i)
			assert.InDelta(t, *optima[i], value, 1e-8*max(1, math.Abs(value)), "case %d", i)
		}
	}
	t.Logf("%d infeasible, %d at the edge", infeasible, atEdge)
}

func maximizes(criterion mdp.Criterion) bool {
	switch x := criterion.(type) {
	case mdp.LongRunAverage:
		return x.Sense == mdp.Maximize
	case mdp.Discounted:
		return x.Sense == mdp.Maximize
	}
	return false
}
