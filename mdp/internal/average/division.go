package average

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/total"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Models in which not every state can be reached from every other are divided: each
// maximal end component is solved first, and then it is decided in which of them to
// stay.
//
// Every closed class of a policy lies in such a component, whose states have the same
// optimal gain. So the gain of a state is the least, over all policies, of the expected
// gain of the component in which the process stops: a stochastic shortest path problem
// on the quotient. Every policy of the quotient reaches the end, as staying in a
// component counts as stopping there.
//
// Bounds on the values of this problem are bounds on the gain. If L is below the gain
// of each component, and L(s) ≤ Σ_j p(j)·L(j) for every choice of the quotient, the
// mean of L(X_t) does not fall under any policy until the process stops. Likewise, for
// an upper bound U, the mean of U(X_t) does not rise under the policy found.

// Whole is a model to divide.
type Whole struct {
	Rows          *rows.Rows
	Ends          *endcomponents.Components // the maximal ones
	RelativeError float64                   // the relative error of the rows
	Run           *limit.Run
	Start         []int32 // the policy to start from; nil for none

	// Eliminate asks for elimination, however long it takes.
	Eliminate bool

	// GainOnly says that relative values are not asked for.
	GainOnly bool

	// Tolerance is how far apart the bounds on a gain may be, relative to the gain; 0 for as close as
	// arithmetic allows. Unless GainOnly is set it is ignored: relative values follow choices that keep
	// the gain exactly.
	Tolerance float64

	// Side, if not 0, asks for values that prove inequalities beyond end components, with all
	// digits of a proof: in Solution.Relative, from below for all choices (−1) or from above for
	// those of the policy (1). They count for choices that lead to the same gain, up to SameGain.
	Side float64

	// Solve solves one end component; start is the part of Start there, nil for none.
	Solve func(part *rows.Rows, members, start []int32) (Part, error)
}

// SameGain is the largest relative difference of gains that may be rounding alone.
const SameGain = 0x1p-40

// Solution is the solution of a divided model. Vectors are by state.
type Solution struct {
	Policy       []int32
	Gain         []float64     // estimates
	Floor, Roof  vector.Vector // bounds on the gain
	Bias         []float64     // relative values, times the rate; nil with Whole.GainOnly
	Relative     vector.Vector // the same; with Whole.Side those that prove Floor (−1) or Roof (1)
	Below, Above vector.Vector // the values that prove the bounds of each end component; with Whole.Side see align
	Ends         int           // how many end components there are
}

// gain is the gain of an end component, and its bounds.
type gain struct{ estimate, lower, upper float64 }

// Divide solves a model end component by end component.
func Divide(ctx context.Context, w Whole) (*Solution, error) {
	n, ends := w.Rows.NumStates(), w.Ends
	x := &Solution{Policy: make([]int32, n), Below: vector.New(n), Above: vector.New(n), Ends: ends.Count}
	if !w.GainOnly {
		x.Bias, x.Relative = make([]float64, n), vector.New(n)
	}
	stay := make([]gain, ends.Count)
	place := make([]int32, n)
	for i, members := range graph.Members(ends.Of, ends.Count) {
		if len(members) == 1 {
			stay[i] = w.stayIn(members[0], x.Policy)
			continue
		}
		part, action := PartOf(w.Rows, ends, members, place)
		var found Part
		if w.Run.HasEnded() {
			found = SweepOnce(part, w.RelativeError)
		} else {
			var err error
			if found, err = w.Solve(part, members, startIn(part, action, w.Start, members)); err != nil {
				return nil, err
			}
		}
		stay[i] = gain{found.Gain, found.Lower, found.Upper}
		for m, s := range members {
			x.Policy[s] = action[part.StateStart[m]+found.Policy[m]]
			x.Below.Set(int(s), found.Below.AtOrZero(m))
			x.Above.Set(int(s), found.Above.AtOrZero(m))
		}
		if w.GainOnly {
			continue
		}
		relative := vector.Of(found.Bias)
		if w.Side < 0 {
			relative = found.Below
		} else if w.Side > 0 {
			relative = found.Above
		}
		for m, s := range members {
			x.Bias[s] = found.Bias[m]
			x.Relative.Set(int(s), relative.AtOrZero(m).Sub(relative.AtOrZero(0)))
		}
	}
	stops, err := w.decide(ctx, ends, stay, x)
	if err != nil {
		return nil, err
	}
	if w.GainOnly {
		return x, nil
	}
	if err := w.lead(ctx, ends, stops, x); err != nil {
		return nil, err
	}
	if w.Side != 0 {
		x.align(ends)
	}
	return x, nil
}

// stayIn solves an end component of one state. It writes the action to the policy; the only relative
// value is 0.
func (w Whole) stayIn(s int32, policy []int32) gain {
	least, first := math.Inf(1), w.Rows.StateStart[s]
	for k := first; k < w.Rows.StateStart[s+1]; k++ {
		if w.Ends.Stays[k] && w.Rows.Costs[k] < least {
			least, policy[s] = w.Rows.Costs[k], k-first
		}
	}
	return gain{least, rounding.LessBy(least, w.RelativeError), -rounding.LessBy(-least, w.RelativeError)}
}

// align makes the values that prove bounds comparable beyond end components. It adds a
// constant to the values of each component, which leaves the proof valid, so that they fit
// Relative. The values of the other states, which prove nothing, become those of Relative. A
// checker derives nature's choice from these values where gains are equal.
func (x *Solution) align(ends *endcomponents.Components) {
	for _, v := range []vector.Vector{x.Below, x.Above} {
		moves := make([]*doubledouble.Number, ends.Count)
		for s, component := range ends.Of {
			at := x.Relative.At(s)
			if component != endcomponents.Outside {
				if moves[component] == nil {
					move := at.Sub(v.At(s))
					moves[component] = &move
				}
				at = v.At(s).Add(*moves[component])
			}
			v.Set(s, at)
		}
	}
}

// PartOf returns an end component as rows, and the action of each of its choices. It
// writes to place the index of each member.
func PartOf(all *rows.Rows, ends *endcomponents.Components, members, place []int32) (part *rows.Rows, action []int32) {
	for m, s := range members {
		place[s] = int32(m)
	}
	choices, transitions := 0, 0
	for _, s := range members {
		first, end := all.Choices(int(s))
		choices, transitions = choices+int(end-first), transitions+int(all.RowStart[end]-all.RowStart[first])
	}
	part = rows.New(len(members), choices, transitions)
	for _, s := range members {
		first, end := all.Choices(int(s))
		for k := first; k < end; k++ {
			if !ends.Stays[k] {
				continue
			}
			for e := all.RowStart[k]; e < all.RowStart[k+1]; e++ {
				part.Add(place[all.Columns[e]], all.Probabilities[e])
			}
			part.EndChoice(all.Costs[k])
			action = append(action, k-first)
		}
		part.EndState()
	}
	return part, action
}

// startIn returns the policy of a part that takes the start actions, or nil if there are
// none or one of them may leave the part.
func startIn(part *rows.Rows, action, start, members []int32) []int32 {
	if start == nil {
		return nil
	}
	policy := make([]int32, len(members))
	for m, s := range members {
		i := slices.Index(action[part.StateStart[m]:part.StateStart[m+1]], start[s])
		if i < 0 {
			return nil
		}
		policy[m] = int32(i)
	}
	return policy
}

// SweepOnce bounds the gain of an end component by the least and the greatest cost of
// its cheapest actions. For a single state that is exact.
func SweepOnce(part *rows.Rows, relativeError float64) Part {
	n := part.NumStates()
	p := Part{Bias: make([]float64, n)}
	p.Policy = make([]int32, n)
	least, greatest := math.Inf(1), math.Inf(-1)
	for m := range n {
		costs := part.Costs[part.StateStart[m]:part.StateStart[m+1]]
		cheapest := slices.Min(costs)
		p.Policy[m] = int32(slices.Index(costs, cheapest))
		least, greatest = min(least, cheapest), max(greatest, cheapest)
	}
	p.Gain = least + (greatest-least)/2
	p.Lower, p.Upper = rounding.LessBy(least, relativeError), -rounding.LessBy(-greatest, relativeError)
	return p
}

// decide returns the end components in which to stay for ever; it finds how to get there,
// and the resulting gains.
func (w Whole) decide(ctx context.Context, ends *endcomponents.Components, stay []gain, x *Solution) (stops []bool, err error) {
	n := w.Rows.NumStates()
	x.Floor, x.Roof, x.Gain, stops = vector.New(n), vector.New(n), make([]float64, n), make([]bool, len(stay))
	if len(stay) == 1 {
		for s := range n {
			x.Floor.High[s], x.Roof.High[s], x.Gain[s] = stay[0].lower, stay[0].upper, stay[0].estimate
		}
		return []bool{true}, nil
	}
	lower, upper := make([]float64, len(stay)), make([]float64, len(stay))
	for i, part := range stay {
		lower[i], upper[i] = part.lower, part.upper
	}
	floor, roof := doubledouble.FromFloat(slices.Min(lower)), doubledouble.FromFloat(slices.Max(upper)) // of all states
	p, q := w.goals(ends, lower, upper)
	if w.Eliminate {
		p.Eliminate = true
	} else if w.GainOnly {
		p.Tolerance, p.Sweeps = w.Tolerance, true
	}
	if err := p.Solve(ctx); err != nil {
		return nil, err
	}
	policy := q.Unfold(p.Policy)
	for s, i := range q.Number {
		component := ends.Of[s]
		if component != endcomponents.Outside && (q.Rows == w.Rows || q.Choice[q.Rows.StateStart[i]+p.Policy[i]] == endcomponents.Stopping) {
			stops[component] = true
		} else {
			x.Policy[s] = policy[s]
		}
		x.Floor.Set(s, floor)
		x.Roof.Set(s, roof)
		if lower := p.Lower.At(int(i)); floor.Less(lower) { // not where it is NaN
			x.Floor.Set(s, lower)
		}
		if upper := p.Upper.At(int(i)); upper.Less(roof) {
			x.Roof.Set(s, upper)
		}
		x.Gain[s] = rounding.Between(p.Estimate(p.Lower.At(int(i)), p.Upper.At(int(i))), x.Floor.At(s).RoundDown(), x.Roof.At(s).RoundUp())
	}
	return stops, nil
}

// goals returns the problem of choosing an end component in which to stay for ever, given bounds on the
// gain of each. It is a problem on the quotient. If no choice leaves an end component, the quotient is the
// model itself, and the states of end components are settled.
func (w Whole) goals(ends *endcomponents.Components, lower, upper []float64) (*total.Problem, *endcomponents.Quotient) {
	if !ends.AreLeft(w.Rows) {
		p := total.New(w.Run, w.Rows.WithCosts(make([]float64, len(w.Rows.Costs))), w.RelativeError)
		for s, component := range ends.Of {
			if component != endcomponents.Outside {
				p.Settled[s], p.Lower.High[s], p.Upper.High[s] = true, lower[component], upper[component]
			}
		}
		p.Component, p.Components = ends.StrongOf, ends.Strong // without the settled ones, which lead nowhere else
		return p, endcomponents.Unmerged(w.Rows, ends)
	}
	q := endcomponents.NewQuotient(w.Rows, ends, lower)
	p := total.New(w.Run, q.Rows.WithCosts(make([]float64, len(q.Choice))), w.RelativeError+q.RelativeError)
	p.UpperCosts = make([]float64, len(q.Choice))
	p.Settled[len(q.Members)] = true
	for i, members := range q.Members {
		if component := ends.Of[members[0]]; component != endcomponents.Outside {
			stop := q.Rows.StateStart[i+1] - 1
			p.Rows.Costs[stop], p.UpperCosts[stop] = lower[component], upper[component]
			p.Policy[i] = stop - q.Rows.StateStart[i]
		}
	}
	return p, q
}

// lead finds relative values, and a policy that attains them, for the states outside
// the end components in which the policy stays:
//
//	h(s) = min over a of { c(s,a) − g(s) + Σ_j p(j|s,a)·h(j) }
//
// over the actions that keep the gain (Puterman 1994, §9.1): those that lead only to
// states of the same gain, and the one that decide chose.
func (w Whole) lead(ctx context.Context, ends *endcomponents.Components, stops []bool, x *Solution) error {
	n := w.Rows.NumStates()
	costs := make([]float64, w.Rows.NumChoices())
	decided, keeps := make([]bool, len(costs)), make([]bool, len(costs))
	settled := make([]bool, n)
	same := 0.0 // the largest difference at which two gains count as the same
	if w.Side != 0 {
		same = SameGain * (vector.LargestMagnitude(x.Floor.High) + vector.LargestMagnitude(x.Roof.High))
	}
	isUniform := len(stops) == 1 // all states have the same gain
	for s := range int32(n) {
		component := ends.Of[s]
		settled[s] = component != endcomponents.Outside && stops[component]
		for k := w.Rows.StateStart[s]; k < w.Rows.StateStart[s+1]; k++ {
			costs[k] = w.Rows.Costs[k] - x.Gain[s]
			if w.Side < 0 {
				costs[k] = x.Floor.At(int(s)).Neg().AddFloat(w.Rows.Costs[k]).RoundDown()
			} else if w.Side > 0 {
				costs[k] = x.Roof.At(int(s)).Neg().AddFloat(w.Rows.Costs[k]).RoundUp()
			}
			decided[k] = k-w.Rows.StateStart[s] == x.Policy[s]
			keeps[k] = isUniform || decided[k] || !slices.ContainsFunc(w.Rows.Next(k), func(j int32) bool {
				return math.Abs(x.Floor.Difference(int(j), int(s)).Hi) > same || math.Abs(x.Roof.Difference(int(j), int(s)).Hi) > same
			})
		}
	}
	relativeError := 0.0
	if w.Side != 0 {
		relativeError = w.RelativeError
	}
	for _, allowed := range [][]bool{keeps, decided} {
		p := total.New(w.Run, w.Rows.WithCosts(costs), relativeError)
		p.Eliminate = w.Eliminate
		p.Allowed, p.Settled, p.Policy = allowed, slices.Clone(settled), slices.Clone(x.Policy)
		copy(p.Lower.High, x.Bias)
		copy(p.Upper.High, x.Bias)
		proved := &p.Lower
		if w.Side > 0 {
			proved = &p.Upper
		}
		copy(proved.High, x.Relative.High)
		copy(proved.Low, x.Relative.Low)
		if err := p.Solve(ctx); err != nil {
			return err
		}
		bias := make([]float64, n)
		for s := range bias {
			bias[s] = p.Estimate(p.Lower.At(s), p.Upper.At(s))
		}
		if slices.ContainsFunc(bias, func(v float64) bool { return !rounding.IsFinite(v) }) {
			continue // rounding of gains made a cycle of negative cost
		}
		x.Policy, x.Bias, x.Relative = p.Policy, bias, *proved
		return nil
	}
	return nil
}
