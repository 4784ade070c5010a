package mdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// The values of all actions, and which of them are optimal.

// Optimality says whether an action is optimal.
type Optimality int

// What the bounds prove of an action.
const (
	Undecided  Optimality = iota // the bounds on its value and on the optimum overlap
	Optimal                      // its value is the optimum
	Suboptimal                   // its value is worse than the optimum
)

// String returns "undecided", "optimal" or "suboptimal".
func (o Optimality) String() string {
	return named(o, []string{Undecided: "undecided", Optimal: "optimal", Suboptimal: "suboptimal"})
}

// ActionValues are the values of actions: of taking the action once and following an optimal
// policy afterwards,
//
//	q(s,a) = c(s,a) + β·Σ_j p(j|s,a)·v(j)
//
// with the optimum v, and β = 1 for [TotalCost]. The lists have an element for each choice, in the
// order of [TableArrays].Costs.
type ActionValues struct {
	Lower, Upper []float64 // bounds on q

	// Advantage estimates q − v: 0 for optimal actions, above 0 for others where costs are
	// minimised and below 0 where rewards are maximised. It has more correct digits than a difference
	// of the bounds.
	Advantage []float64

	// Optimality follows from the bounds. They show that several actions are optimal only where all
	// these bounds coincide.
	Optimality []Optimality
}

// ValuesOfActions returns the values of all actions, given the result that [Solve] found for a
// [Discounted], [TotalCost] or [FiniteHorizon] criterion; for the latter those in the first step,
// which take a second solve. In the target of a total, actions are worth 0. Errors are
// [ErrUnsupported] and those of Solve.
func ValuesOfActions(ctx context.Context, model Explicit, criterion Criterion, result *Result, settings Settings) (*ActionValues, error) {
	if err := cmp.Or(checkGiven("model", "", model), checkGiven("result", "", result), criterion.check(model)); err != nil {
		return nil, err
	}
	q := &valued{model: model, relativeError: relativeError(model), rate: rateOf(model), sense: 1, ends: make([]bool, model.NumStates())}
	if criterion.sense() == Maximize {
		q.sense = -1
	}
	q.lower, q.upper = result.proof.Lower.Value.inner(), result.proof.Upper.Value.inner()
	switch c := criterion.(type) {
	case Discounted:
		q.discount = c.factor()
	case TotalCost:
		for _, s := range c.Target {
			q.ends[s] = true
		}
	case FiniteHorizon:
		if err := q.afterFirstStep(ctx, c, settings); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("mdp: %w: criterion %s has no values of actions: use Discounted, TotalCost or FiniteHorizon", ErrUnsupported, criterion.name())
	}
	if len(q.lower.High) != model.NumStates() {
		q.lower, q.upper = vector.Of(result.lower), vector.Of(result.upper)
		q.rate = 1
	}
	found := &ActionValues{}
	for s := range model.NumStates() {
		q.add(found, s, result)
	}
	return found, nil
}

// valued is a model with bounds on the optimal values of the next states, multiplied by the rate.
type valued struct {
	model         Explicit
	relativeError float64
	rate          float64
	discount      *vector.Discount // nil for none
	sense         float64          // −1 where rewards are maximised
	ends          []bool           // by state: the total ends there, so actions are worth 0
	lower, upper  vector.Vector
}

// afterFirstStep finds the optimum of all later steps.
func (q *valued) afterFirstStep(ctx context.Context, c FiniteHorizon, settings Settings) error {
	if c.Steps == 0 {
		return fmt.Errorf("mdp: %w: a horizon of 0 steps has no action", ErrUnsupported)
	}
	first, at := q.model, c.At
	if c.Steps, c.Stage = c.Steps-1, nil; at != nil {
		model, err := at(0)
		if err != nil {
			return err
		}
		var ok bool
		if first, ok = model.(Explicit); !ok {
			return fmt.Errorf("mdp: %w: the model of step 0 does not list its rows (interface Explicit)", ErrUnsupported)
		}
		c.At = func(step int) (Model, error) { return at(step + 1) }
	}
	rest, err := Solve(ctx, q.model, c, settings)
	if err != nil && !errors.Is(err, ErrPrecisionLimit) {
		return err
	}
	q.model, q.lower, q.upper = first, vector.Of(rest.lower), vector.Of(rest.upper)
	if factor := c.factor(q.model); factor.Value != 1 {
		q.discount = &vector.Discount{Factor: factor.Value, Complement: doubledouble.TwoSum(1, -factor.Value), RelativeError: factor.RelativeError}
	}
	return nil
}

// add appends the values of the actions of a state.
func (q *valued) add(found *ActionValues, s int, result *Result) {
	least, most := result.Bounds(s)
	last, candidates := 0, 0 // of those that may be optimal
	for a := range q.model.NumActions(s) {
		lower, advantage := q.side(s, a, q.lower, -1)
		upper, other := q.side(s, a, q.upper, 1)
		if q.ends[s] {
			lower, upper, advantage, other = 0, 0, 0, 0
		}
		o := Undecided
		if q.sense > 0 && lower > most || q.sense < 0 && upper < least {
			o = Suboptimal
		} else {
			last, candidates = len(found.Lower), candidates+1
			if lower == upper && least == most && lower == least {
				o = Optimal
			}
		}
		found.Lower, found.Upper = append(found.Lower, lower), append(found.Upper, upper)
		found.Advantage, found.Optimality = append(found.Advantage, (advantage+other)/2), append(found.Optimality, o)
	}
	if candidates == 1 && rounding.IsFinite(result.Optimum(s)) { // all others are worse
		found.Optimality[last] = Optimal
	}
}

// side returns a bound on the value of an action, from below (direction −1) or above (1), and how far
// this value exceeds the bound on the value of the state.
func (q *valued) side(s, a int, v vector.Vector, direction float64) (value, advantage float64) {
	row, cost := q.model.AppendRow(nil, s, a)
	at, infinite := s, 0.0 // at: the state whose value is subtracted from those of the next states
	for _, e := range row {
		if x := v.High[e.State]; math.IsInf(x, 0) {
			infinite += x
		} else if math.IsInf(v.High[at], 0) {
			at = int(e.State)
		}
	}
	if infinite != 0 { // also NaN, where both infinities meet
		if math.IsNaN(infinite) {
			infinite = math.Inf(int(direction))
		}
		return infinite, math.NaN()
	}
	factor, complement, off := 1.0, doubledouble.Number{}, 16*rounding.Extended
	if d := q.discount; d != nil {
		factor, complement, off = d.Factor, d.Complement, off+d.RelativeError
	}
	moves, magnitude, err := v.Action(row, 0, at)
	base := v.AtOrZero(at)
	sum := moves.Add(base).MulFloat(factor).AddFloat(cost)
	err += q.relativeError*(magnitude+math.Abs(cost)) + off*(magnitude+math.Abs(base.Hi)+math.Abs(cost))
	sum = sum.AddFloat(direction * err)
	advantage = moves.MulFloat(factor).AddFloat(cost).Sub(complement.Mul(base)).Float() / q.rate
	if direction < 0 {
		return rounding.QuotientDown(sum.RoundDown(), q.rate), advantage
	}
	return -rounding.QuotientDown(-sum.RoundUp(), q.rate), advantage
}
