package mdp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/average"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/uncertain"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Solving uncertain models by rounds of ordinary ones.

// mostIdle is the number of rounds without closer bounds after which they end.
const mostIdle = 20

// Values of a proof take at most so many steps of value iteration, and those of many
// transitions fewer, as nothing interrupts them.
const relaxations, relaxedTransitions = 500, 1 << 21

// columns are rows of actions, by state: the actions of an ordinary model.
type columns = [][]uncertain.Column

// Where gains differ, a gain counts as much as that many steps beside relative values: for
// nature's choice, where rounding must not decide between equal gains, and in a proof,
// where it makes up for the relative values of rows that lead to smaller gains.
const (
	choiceSteps = 1e6
	proofSteps  = 0x1p40
)

// play improves nature's choice against the controller (Worst). start is a result to start
// from, nil for none.
func (g *game) play(ctx context.Context, start *Result) (best *Result, err error) {
	nature := g.extreme(g.values(start)).All()
	for idle := 0; idle <= mostIdle; idle++ {
		result, err := g.ordinary(ctx, nature, false, start)
		if err != nil {
			return nil, err
		}
		start = result
		proved, _ := g.prove(result, result.proof.Upper, result.Policy, 0)
		if g.take(&best, result, proved, nature) {
			idle = 0
		}
		if best.met(g.settings.Tolerance) || g.limits.HasEnded() {
			return best, nil
		}
		if next := g.improve(nature, g.values(result)); next != nil {
			nature = next
			continue
		}
		// With these values nature sees nothing better: find its best reply to the policy.
		reply := make(columns, len(nature))
		for s, a := range result.Policy {
			reply[s] = nature[s][a : a+1 : a+1]
		}
		answer, err := g.grow(ctx, reply, result)
		if err != nil {
			return nil, err
		}
		if g.take(&best, result, answer.proof.Upper, nature) {
			idle = 0
		}
		nature = slices.Clone(nature)
		isSame := true
		for s, a := range result.Policy {
			if row := reply[s][answer.Policy[s]].Row; !slices.Equal(row, nature[s][a].Row) {
				nature[s] = slices.Clone(nature[s])
				nature[s][a].Row, isSame = row, false
			}
		}
		if isSame || best.met(g.settings.Tolerance) || g.limits.HasEnded() {
			return best, nil
		}
	}
	return best, nil
}

// take makes a result with another proof from above the best so far if its bounds are
// closer, and reports whether it is.
func (g *game) take(best **Result, result *Result, upper Witness, nature columns) bool {
	found := *result
	found.proof.Upper = upper
	g.settle(&found)
	distance := func(r *Result) (sum float64) {
		for s := range r.lower {
			if r.lower[s] != r.upper[s] { // they may be infinite
				sum += r.upper[s] - r.lower[s]
			}
		}
		return sum
	}
	if *best != nil && !(distance(&found) < distance(*best)) {
		return false
	}
	*best = &found
	if v := result.proof.Lower.Value; found.met(g.settings.Tolerance) && result.gains == nil && len(v.High) > 0 {
		// Rows that are better for nature with the values of the lower bound prove it as well.
		if better := g.improve(nature, v.inner()); better != nil {
			nature = better
		}
	}
	g.nature = func(s, a int) []float64 { return nature[s][a].Row }
	return true
}

// help lets nature help the controller (Best): both choose among rows that are added as
// long as some promise more.
func (g *game) help(ctx context.Context, start *Result) (*Result, error) {
	all := g.extreme(g.values(start)).All()
	result, err := g.grow(ctx, all, nil)
	if err != nil {
		return nil, err
	}
	chosen := make(columns, len(all))
	for s, i := range result.Policy {
		chosen[s], result.Policy[s] = all[s][i:i+1], all[s][i].Action
	}
	if g.uncertain.rows.Pay != nil && !g.limits.HasEnded() { // costs were rounded down
		up, err := g.ordinary(ctx, chosen, true, nil)
		if err != nil {
			return nil, err
		}
		result.proof.Upper = up.proof.Upper
	}
	g.settle(result)
	others := g.extreme(g.values(result))
	g.nature = func(s, a int) []float64 {
		if int(chosen[s][0].Action) == a {
			return chosen[s][0].Row
		}
		return others.Column(s, a).Row
	}
	return result, nil
}

// values returns the values of a result that nature's choice is to be extreme for, times
// the rate; zeros for no result.
func (g *game) values(r *Result) vector.Vector {
	switch {
	case r != nil && r.gains != nil:
		return weighed(r.relative, vector.Extended(r.gains), choiceSteps)
	case r != nil && len(r.proof.Upper.Value.High) > 0:
		return r.proof.Upper.Value.inner()
	}
	return vector.New(g.uncertain.NumStates())
}

// weighed returns h + steps·g.
func weighed(h, g vector.Vector, steps float64) vector.Vector {
	sum := vector.New(len(h.High))
	for s := range sum.High {
		sum.Set(s, h.AtOrZero(s).Add(g.AtOrZero(s).MulFloat(steps)))
	}
	return sum
}

// ordinary solves the ordinary model of columns. If nature alone decides, against the
// controller, costs are rounded up and maximised.
func (g *game) ordinary(ctx context.Context, columns columns, up bool, start *Result) (*Result, error) {
	g.rounds++
	if !g.limits.HasEnded() {
		g.limits.End = nil // of an earlier round
	}
	in, criterion := *g.run, g.criterion
	in.settings.Tolerance = max(g.settings.Tolerance/4, 1e-15)
	if start != nil {
		in.settings.Values, in.settings.Policy = start.Value, start.Policy
		if start.Value == nil {
			in.settings.Values = start.Bias
		}
		if start.isOpen() {
			in.settings.Values = nil
		}
	}
	r, maximize := g.uncertain.rows.Of(columns, up), up && g.sign > 0
	if maximize {
		r = r.WithCosts(opposite(r.Costs))
		in.settings.Values = opposite(in.settings.Values)
		if t, ok := criterion.(TotalCost); ok {
			t.Sense = Maximize - t.Sense
			criterion = t
		}
	}
	result, err := criterion.solve(ctx, &in, approximateTable{&Table{rows: r, rate: g.uncertain.rate}, g.uncertain.relativeError})
	if err == nil && maximize {
		result.negate()
	}
	return result, err
}

// grow solves the ordinary model of columns, and adds rows that violate the inequalities
// of its proof, until there is none. With Worst the columns are those of a policy, and
// nature maximises; with Best it minimises, as the controller does.
func (g *game) grow(ctx context.Context, all columns, start *Result) (*Result, error) {
	var policy []int32
	if g.sign > 0 {
		policy = make([]int32, len(all))
		for s := range all {
			policy[s] = all[s][0].Action
		}
	}
	if start != nil {
		first := *start
		first.Policy = make([]int32, len(all))
		start = &first
	}
	for {
		result, err := g.ordinary(ctx, all, g.sign > 0, start)
		if err != nil {
			return nil, err
		}
		found := *result
		side := &found.proof.Lower
		if g.sign > 0 {
			side = &found.proof.Upper
		}
		isComplete, from := true, *side
		_, isDiscounted := g.criterion.(Discounted)
		for _, steps := range []int{0, min(relaxations, relaxedTransitions/g.uncertain.NumTransitions())} {
			var violators []*uncertain.Column
			*side, violators = g.prove(result, from, policy, steps)
			for s, c := range violators {
				if c != nil && !slices.ContainsFunc(all[s], func(other uncertain.Column) bool {
					return other.Action == c.Action && slices.Equal(other.Row, c.Row)
				}) {
					all[s], isComplete = append(all[s], *c), false
				}
			}
			g.settle(&found)
			if !isComplete || isDiscounted || len(from.Gain.High) == 1 || found.met(g.settings.Tolerance) || g.limits.HasEnded() {
				break
			}
		}
		if isComplete || g.limits.HasEnded() || found.met(g.settings.Tolerance) {
			return &found, nil
		}
		start = result
	}
}

// prove returns a witness near that of a result whose inequalities hold for all rows of
// the policy, from above, if nature is against the controller; otherwise for those of all
// actions, from below. Where the gains differ, the inequality for values holds for all rows,
// too, which no rows need to stay anywhere for. If there is no such witness it is one of
// the same gain for all states, or of infinite values. It also returns rows that violate
// the inequalities, by state, nil for none.
//
// Between end components of the same gain, relative values may be too far apart for rows
// that lead from one to another: so many steps of value iteration move them.
func (g *game) prove(result *Result, w Witness, policy []int32, steps int) (proved Witness, violators []*uncertain.Column) {
	if len(w.Value.High) == 0 {
		w.Value.High = make([]float64, g.uncertain.NumStates())
	}
	flat := w
	if len(w.Gain.High) > 1 {
		flat.Value = vectorOf(result.relative)
		w.Value = vectorOf(weighed(result.relative, w.Gain.inner(), proofSteps))
	}
	excess, over, violators := g.check(w, policy)
	if math.IsInf(excess, 1) && len(w.Gain.High) > 1 {
		w.Gain = g.snapped(w.Gain)
		excess, over, _ = g.check(w, policy)
	}
	for ; steps > 0 && excess > 0 && !math.IsInf(excess, 1); steps-- {
		for s, x := range over {
			if v := w.Value.inner().AtOrZero(s); x > 0 {
				v = v.AddFloat(g.sign * x)
				w.Value.High[s], w.Value.Low[s] = v.Hi, v.Lo
			}
		}
		excess, over, violators = g.check(w, policy)
	}
	if move := g.sign * excess * (1 + 0x1p-20); excess > 0 && !math.IsInf(excess, 1) {
		if _, ok := g.criterion.(Discounted); ok {
			w = g.shifted(w.Value.inner(), move, g.sign)
		} else if len(w.Gain.High) > 0 {
			w.Gain = vectorOf(plus(w.Gain.inner(), move))
		}
		excess, _, _ = g.check(w, policy)
	}
	if excess <= 0 {
		return w, violators
	}
	if len(w.Gain.High) > 0 {
		flat.Gain = Vector{High: []float64{0}}
		excess, _, _ = g.check(flat, policy)
		flat.Gain.High[0] = g.sign * excess
		return flat, violators
	}
	w.Value = Vector{High: slices.Repeat([]float64{math.Inf(int(g.sign))}, len(w.Value.High))}
	if t, ok := g.criterion.(TotalCost); ok {
		for _, s := range t.Target {
			w.Value.High[s] = 0
		}
	}
	return w, violators
}

// snapped returns gains of which those are equal that only rounding may tell apart.
func (g *game) snapped(gains Vector) Vector {
	order := make([]int32, len(gains.High))
	for s := range order {
		order[s] = int32(s)
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(g.sign*gains.High[j], g.sign*gains.High[i]) })
	equal := Vector{High: slices.Clone(gains.High)}
	same, first := average.SameGain*vector.LargestMagnitude(gains.High), order[0]
	for _, s := range order {
		if math.Abs(gains.High[first]-gains.High[s]) > same {
			first = s
		}
		if outward := gains.inner().AtOrZero(int(first)); g.sign > 0 {
			equal.High[s] = outward.RoundUp()
		} else {
			equal.High[s] = outward.RoundDown()
		}
	}
	return equal
}

// check returns the largest violation of the inequalities of a witness by a row: +Inf if it
// is one of the inequality for gains. By state, it also returns the largest violation, and
// a row that violates them.
func (g *game) check(w Witness, policy []int32) (excess float64, over []float64, violators []*uncertain.Column) {
	values, gains := w.Value.inner(), w.Gain.inner()
	x := g.extreme(values)
	x.Up, x.Policy = g.sign > 0, policy
	ofGains := x
	ofGains.Values, ofGains.IsGain = gains, true
	settled := make([]bool, g.uncertain.NumStates())
	over, violators = make([]float64, len(settled)), make([]*uncertain.Column, len(settled))
	total, isTotal := g.criterion.(TotalCost)
	for _, s := range total.Target {
		settled[s] = true
	}
	g.sweeper.Blocks(func(block, lo, hi int) {
		var row []rows.Entry
		most := math.Inf(-1)
		test := func(x uncertain.Extreme, s, a int, goal doubledouble.Number, isFatal bool) {
			var by float64
			if by, row = g.over(x, row, s, a, goal); by > 0 && violators[s] == nil {
				c := x.Column(s, a)
				violators[s] = &c
			}
			if by > 0 && isFatal || math.IsNaN(by) {
				by = math.Inf(1)
			}
			over[s], most = max(over[s], by), max(most, by)
		}
		for s := lo; s < hi; s++ {
			if v := values.High[s]; settled[s] || isTotal && (math.IsInf(v, 1) || math.IsInf(v, -1) && (g.sign < 0 || total.Sense == Maximize)) {
				continue // nothing is claimed, or the graph proves it
			}
			var goal doubledouble.Number
			if len(gains.High) == 1 {
				goal = gains.AtOrZero(0)
			}
			for a := range x.NumActions(s) {
				if len(gains.High) > 1 {
					test(ofGains, s, a, doubledouble.Number{}, true)
					goal = gains.AtOrZero(s)
				}
				test(x, s, a, goal, false)
			}
		}
		g.sweeper.Most[block] = most
	})
	return slices.Max(g.sweeper.Most), over, violators
}

// over returns how far the extreme row of an action is on the wrong side of an inequality,
// which says that what it adds to its values is a number. It overwrites row.
func (g *game) over(x uncertain.Extreme, row []rows.Entry, s, a int, than doubledouble.Number) (float64, []rows.Entry) {
	row, cost := x.AppendRow(row[:0], s, a)
	if math.IsInf(x.Values.High[s], 0) {
		return math.Inf(1), row
	}
	for _, e := range row {
		if v := x.Values.High[e.State]; math.IsInf(v, 0) {
			return g.sign * v, row
		}
	}
	value, magnitude, err := action(x, row, cost, s)
	if value = value.Sub(than); g.sign < 0 {
		value = value.Neg()
	}
	return value.AddFloat(err + g.uncertain.relativeError*magnitude + 4*rounding.Extended*math.Abs(than.Hi)).RoundUp(), row
}

// action is [vector.Vector.Action], or DiscountedAction if there is a discount.
func action(x uncertain.Extreme, row []rows.Entry, cost float64, s int) (sum doubledouble.Number, magnitude, err float64) {
	if x.Discount != nil && !x.IsGain {
		return x.Values.DiscountedAction(row, cost, s, x.Discount)
	}
	return x.Values.Action(row, cost, s)
}

// improve returns nature's choice with the rows that are better for it with values by more
// than rounding; nil if there is none.
func (g *game) improve(nature columns, values vector.Vector) columns {
	x := g.extreme(values)
	next, changed := slices.Clone(nature), make([]bool, len(g.sweeper.Most))
	g.sweeper.Blocks(func(block, lo, hi int) {
		var row []rows.Entry
		for s := lo; s < hi; s++ {
			for a, c := range nature[s] {
				better := x.Column(s, a)
				if slices.Equal(better.Row, c.Row) {
					continue
				}
				value := func(c uncertain.Column) (doubledouble.Number, float64) {
					var cost float64
					row, cost = x.Append(row[:0], s, c)
					sum, _, err := action(x, row, cost, s)
					return sum, err
				}
				now, nowErr := value(c)
				then, thenErr := value(better)
				if then.Sub(now).Hi > nowErr+thenErr {
					next[s] = slices.Clone(next[s])
					next[s][a], changed[block] = better, true
				}
			}
		}
	})
	if !slices.Contains(changed, true) {
		return nil
	}
	return next
}
