package mdp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/average"
	"github.com/mdpsolve/mdpsolve/mdp/internal/discounted"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/uncertain"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Solving uncertain models by rounds of ordinary ones.

// mostIdle is the number of rounds in a row without closer bounds after which the rounds end.
const mostIdle = 20

// The relative values of two end components may be too far apart to satisfy the inequality of a row
// that leads from one to the other. Value iteration moves them: for at most relaxations steps, and for
// fewer in a model with many transitions, because nothing interrupts these steps.
const relaxations, relaxedTransitions = 300, 1 << 21

// Ordinary solves allow for moreError times the relative error of the model. Values that prove
// a bound then have margins for rows that nature might choose instead.
const moreError = 4

// Where gains differ by state, nature's choice and the proof look at values h + steps·g: the
// relative values, and the gain of so many steps. The more steps, the more gains count.
const (
	// choiceSteps is for nature's choice. It is small enough that h decides between rows whose
	// gains are equal but for rounding. It is multiplied by the ratio of h to g if that is above 1.
	choiceSteps = 1e6

	// proofSteps is for a proof. It is so large that a row which leads to smaller gains satisfies
	// the inequality for values, whatever its relative values are.
	proofSteps = 0x1p40
)

// rounds improves nature's choice until the bounds are within the tolerance, no row is better for
// nature, or mostIdle rounds bring no closer bounds. start is a result to start from, nil for none.
func (g *withNature) rounds(ctx context.Context, start *Result) (best *Result, err error) {
	r := g.uncertain.rows
	if start != nil {
		g.choose(g.values(start))
	}
	nature := g.uncertain.all(g.nature)
	for idle := 0; idle <= mostIdle; idle++ {
		g.solved++
		found, err := g.round(ctx, r.Of(nature, g.sign < 0), &start)
		if err != nil {
			return nil, err
		}
		found.Policy = g.reach.avoiding(found.Policy)
		g.reach.open(&found.proof, found.Policy)
		if g.sign > 0 {
			found.proof.Upper = g.prove(found, found.proof.Upper, found.Policy, 1)
		} else {
			found.proof.Lower = g.prove(found, found.proof.Lower, nil, -1)
		}
		g.settle(found)
		if best == nil || found.width() < best.width() {
			best, idle = found, 0
			chosen := nature
			g.nature = func(s, a int) []float64 { return r.Row(chosen, s, a) }
		}
		next, isBetter := g.improve(nature, g.values(start))
		if best.met(g.settings.Tolerance) || g.limits.HasEnded() || !isBetter {
			break
		}
		nature = next
	}
	return best, nil
}

// width returns the sum of the widths of the bounds that differ, which may be infinite.
func (r *Result) width() (sum float64) {
	for s := range r.lower {
		if r.lower[s] != r.upper[s] {
			sum += r.upper[s] - r.lower[s]
		}
	}
	return sum
}

// values returns the values, times the rate, for which nature makes its extreme choice: those of a
// result or, without one, the order of reach or zeros.
func (g *withNature) values(r *Result) vector.Vector {
	switch {
	case r != nil && r.gains != nil:
		return keys(r.relative, vector.Extended(r.gains))
	case r != nil && len(r.proof.Upper.Value.High) > 0:
		return r.proof.Upper.Value.inner()
	case g.reach != nil:
		return vector.Of(g.reach.order)
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

// keys returns the values h + steps·g for which nature makes its extreme choice where gains differ.
func keys(h, g vector.Vector) vector.Vector {
	steps, size := choiceSteps, vector.LargestMagnitude(g.High)
	if size > 0 {
		steps *= min(max(1, vector.LargestMagnitude(h.High)/size), 0x1p600)
	}
	return weighed(h, g, steps)
}

// table returns the ordinary model of rows.
func (g *withNature) table(all *rows.Rows) approximateTable {
	return approximateTable{&Table{rows: all, rate: g.uncertain.rate}, moreError * g.uncertain.relativeError}
}

// ordinary solves an ordinary model.
func (g *withNature) ordinary(ctx context.Context, model Explicit, start *Result) (*Result, error) {
	if !g.limits.HasEnded() {
		g.limits.End = nil // of an earlier round
	}
	in := *g.run
	in.settings.Tolerance = max(g.settings.Tolerance/4, 1e-15)
	if start != nil {
		in.settings = in.settings.startingFrom(start)
	}
	return g.Criterion.solve(ctx, &in, model)
}

// prove moves the witness of a result until its inequalities hold in spite of rounding, and
// whatever rows nature chooses: from above for the actions of a policy (side 1), or from below
// for all actions (side −1). Where gains differ, the inequality for values has to hold for every
// row, also for one that leaves its end component. If the inequalities cannot be met, the
// witness has the same gain in all states or, for values, infinities.
func (g *withNature) prove(result *Result, w Witness, policy []int32, side float64) Witness {
	if len(w.Value.High) == 0 {
		w.Value.High = make([]float64, g.uncertain.NumStates())
	}
	flat := Witness{Vector{High: []float64{0}}, w.Value}
	if len(w.Gain.High) > 1 {
		flat.Value = vectorOf(result.relative)
		w.Value = vectorOf(weighed(result.relative, w.Gain.inner(), proofSteps))
	}
	if policy != nil && g.reach.isTrapping() {
		w.Value = g.reach.trapped(w.Value, policy)
	}
	excess, over := g.test(w, policy, side)
	if math.IsInf(excess, 1) && len(w.Gain.High) > 1 {
		w.Gain = snapped(w.Gain, side)
		excess, over = g.test(w, policy, side)
	}
	for range min(relaxations, relaxedTransitions/g.uncertain.rows.NumTransitions()) {
		if len(w.Gain.High) < 2 || !(excess > 0 && excess < math.Inf(1)) {
			break
		}
		for s, x := range over {
			v := w.Value.inner().AtOrZero(s).AddFloat(side * max(x, 0))
			w.Value.High[s], w.Value.Low[s] = v.Hi, v.Lo
		}
		excess, over = g.test(w, policy, side)
	}
	factor, _ := g.stepFactor()
	isDiscounted := factor != nil
	for moves := 0; moves < 2 && excess > 0 && !math.IsInf(excess, 1); moves++ { // after a move, sums may round by a unit more
		move := excess * (1 + 0x1p-40)
		if isDiscounted {
			_, move = discounted.Shift(0, move, factor)
			w.Value = vectorOf(plus(w.Value.inner(), side*move))
		} else if len(w.Gain.High) > 0 {
			w.Gain = vectorOf(plus(w.Gain.inner(), side*move))
		}
		excess, _ = g.test(w, policy, side)
	}
	t, isTotal := g.Criterion.(TotalCost)
	if isTotal { // a bound that fails becomes infinite, and then the bounds that depend on it
		w.Value.High, w.Value.Low = slices.Clone(w.Value.High), slices.Clone(w.Value.Low)
	}
	for range min(relaxations, relaxedTransitions/g.uncertain.rows.NumTransitions()) {
		if !isTotal || excess <= 0 {
			break
		}
		for s, x := range over {
			if x > 0 {
				w.Value.High[s] = math.Inf(int(side))
				if w.Value.Low != nil {
					w.Value.Low[s] = 0
				}
			}
		}
		excess, over = g.test(w, policy, side)
	}
	switch {
	case excess <= 0:
		return w
	case isDiscounted || isTotal:
		w.Value = Vector{High: slices.Repeat([]float64{math.Inf(int(side))}, len(w.Value.High))}
		for _, s := range t.Target {
			w.Value.High[s] = 0
		}
		return w
	}
	excess, _ = g.test(flat, policy, side)
	flat.Gain.High[0] = side * excess
	return flat
}

// snapped returns the gains, made equal where they may differ by rounding alone.
func snapped(gains Vector, side float64) Vector {
	order := make([]int32, len(gains.High))
	for s := range order {
		order[s] = int32(s)
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(side*gains.High[j], side*gains.High[i]) })
	equal := Vector{High: slices.Clone(gains.High)}
	same, first := average.SameGain*vector.LargestMagnitude(gains.High), order[0]
	for _, s := range order {
		if math.Abs(gains.High[first]-gains.High[s]) > same {
			first = s
		}
		if outward := gains.inner().AtOrZero(int(first)); side > 0 {
			equal.High[s] = outward.RoundUp()
		} else {
			equal.High[s] = outward.RoundDown()
		}
	}
	return equal
}

// test returns the largest amount by which a row violates the inequalities of a witness: +Inf if it
// violates the inequality for gains. It also returns this amount for each state.
func (g *withNature) test(w Witness, policy []int32, side float64) (excess float64, over []float64) {
	values, gains := w.Value.inner(), w.Gain.inner()
	x := g.extreme(values)
	x.Up, x.Policy = side > 0, policy
	ofGains := x
	ofGains.Values, ofGains.IsGain = gains, true
	settled := make([]bool, g.uncertain.NumStates())
	over = make([]float64, len(settled))
	total, isTotal := g.Criterion.(TotalCost)
	for _, s := range total.Target {
		settled[s] = true
	}
	g.sweeper.Blocks(func(block, lo, hi int) {
		var row []rows.Entry
		most := math.Inf(-1)
		look := func(x uncertain.Extreme, s, a int, goal doubledouble.Number, isFatal bool) {
			var by float64
			if by, row = g.over(x, row, s, a, goal, side); by > 0 && isFatal || math.IsNaN(by) {
				by = math.Inf(1)
			}
			over[s], most = max(over[s], by), max(most, by)
		}
		for s := lo; s < hi; s++ {
			if v := values.High[s]; settled[s] || isTotal && (math.IsInf(v, 1) || math.IsInf(v, -1) && (side < 0 || total.Sense == Maximize)) {
				continue // nothing is claimed, or the graph proves it
			}
			var goal doubledouble.Number
			if len(gains.High) == 1 {
				goal = gains.AtOrZero(0)
			}
			for a := range x.NumActions(s) {
				if len(gains.High) > 1 {
					look(ofGains, s, a, doubledouble.Number{}, true)
					goal = gains.AtOrZero(s)
				}
				look(x, s, a, goal, false)
			}
		}
		g.sweeper.Most[block] = most
	})
	return slices.Max(g.sweeper.Most), over
}

// over returns by how much the extreme row of an action violates an inequality: that its cost plus the
// expected change of x.Values is at most (side 1) or at least (side −1) than. It overwrites row.
func (g *withNature) over(x uncertain.Extreme, row []rows.Entry, s, a int, than doubledouble.Number, side float64) (float64, []rows.Entry) {
	row, cost := x.AppendRow(row[:0], s, a)
	if math.IsInf(x.Values.High[s], 0) {
		return math.Inf(1), row
	}
	for _, e := range row {
		if v := x.Values.High[e.State]; math.IsInf(v, 0) {
			return side * v, row
		}
	}
	value, magnitude, err := action(x, row, cost, s)
	if value = value.Sub(than); side < 0 {
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

// improve returns nature's choice with each row replaced for which, with the values, another row is
// better for nature by more than rounding. isBetter says whether there is such a row.
func (g *withNature) improve(nature []float64, values vector.Vector) (next []float64, isBetter bool) {
	r, x := g.uncertain.rows, g.extreme(values)
	next = slices.Clone(nature)
	changed := make([]bool, len(g.sweeper.Most))
	g.sweeper.Blocks(func(block, lo, hi int) {
		var row []rows.Entry
		for s := lo; s < hi; s++ {
			if math.IsInf(values.High[s], 0) {
				continue // nothing is better
			}
			for a := range r.NumActions(s) {
				old, better := r.Row(next, s, a), x.Row(s, a)
				if slices.Equal(better, old) {
					continue
				}
				value := func(p []float64) (doubledouble.Number, float64) {
					var cost float64
					row, cost = r.Append(row[:0], s, a, p, 0, false)
					sum, _, err := action(x, row, cost, s)
					return sum, err
				}
				now, nowErr := value(old)
				then, thenErr := value(better)
				if then.Sub(now).Hi*g.sign > nowErr+thenErr {
					copy(old, better)
					changed[block] = true
				}
			}
		}
	})
	return next, slices.Contains(changed, true)
}
