package mdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/tradeoff"
)

// Constraint is a limit on the value of another cost of the same choices, by the same
// criterion: at most Bound, or at least Bound.
type Constraint struct {
	Costs   []float64 // by choice, as TableArrays.Costs
	Bound   *big.Rat
	AtLeast bool
}

// Constrained is an answer of [SolveConstrained]: a mixture of policies.
type Constrained struct {
	// Value is what the mixture costs, or earns, from the state. The optimum over all policies
	// within the limits lies between Lower and Upper.
	Value, Lower, Upper float64

	// Status is Converged if Lower and Upper differ by at most the tolerance, relative to the
	// values of the absolute costs, Σ |c| + Σ_i Multipliers[i]·Σ |d_i|, and if each of Limits is
	// beyond its Bound by at most the tolerance, relative to Σ |d_i|: see [Within].
	Status Status

	// Limits holds, for each constraint, a proved bound on the value of the mixture: from above
	// or, for AtLeast, from below. It keeps to Bound if some mixture can stay clear of all bounds,
	// and otherwise is as close to Bound as rounding allows.
	Limits []float64

	// Multipliers are the prices of the limits, ≥ 0: the rate at which Value improves as a Bound
	// is eased.
	Multipliers []float64

	// Mixture holds the policies, one of which is drawn at the start and followed for ever. It
	// holds a single stationary policy, which may be randomised, if that is as good.
	Mixture []MixturePolicy

	// Method and Reason are those of the last solve. Solves counts solves, Iterations the
	// iterations of all of them.
	Method, Reason     string
	Solves, Iterations int
	Elapsed            time.Duration

	proof Proof
}

// MixturePolicy is a policy of a mixture.
type MixturePolicy struct {
	Weight float64 // its probability, up to rounding: divide by the sum of all

	// Probabilities are those with which the policy takes each choice in its state, in the order
	// of TableArrays.Costs; up to rounding, too.
	Probabilities []float64

	// Results are those of the chain of the policy: with the costs of the model, and with those
	// of each constraint.
	Results []*Result
}

// InfeasibleError says that no policy meets all constraints: for every policy, the sum of
// Prices times values, with the sign − for AtLeast, is at least Least, but the same sum of the
// bounds is less than Least.
type InfeasibleError = tradeoff.InfeasibleError

// Proof returns the proof of the bound on all policies, as the side Lower of [Result.Proof]. It is
// about the costs Σ_i λ_i·s_i·c_i: index 0 is the model's cost, with λ_0 = 1, and the other λ_i are
// the Multipliers; s_i is −1 for rewards that are maximised and for AtLeast, otherwise 1. If L is its
// bound, no policy within the limits b has a value s_0·v below L − Σ_{i>0} λ_i·s_i·b_i.
func (c *Constrained) Proof() Proof { return c.proof }

// SolveConstrained finds the least cost from a state over all policies, randomised ones
// included, that keep other costs within limits, or the greatest reward. The criterion is a
// [LongRunAverage], [Discounted] or [TotalCost]; for the latter, only policies count that reach
// the target with probability 1. The model is a [Table].
//
// It is separate from [Solve], because its answer has another form: policies for one initial state,
// of which one is drawn at the start; one value, not one for each state; and a multiplier for each
// limit.
//
// The bound is that of Lagrangian duality (E. Altman, Constrained Markov Decision Processes,
// 1999, chapters 3 and 12). Column generation finds the multipliers: each step solves the
// model for one weighted sum of the costs. A linear program mixes the policies found. With x(s,a)
// the expected visits of the mixture, the stationary policy that takes a in s with probability
// x(s,a)/Σ_b x(s,b) is the answer if its own values are as good. They may be worse if the policies of
// the mixture have different recurrent states.
//
// Errors are an [*InfeasibleError], those of [Solve], and [ErrUnsupported], also if a cycle lowers a
// weighted sum of the costs without bound and no limit rules it out. If the search ends early, the
// answer beside the error is the best mixture so far, nil if none is known to meet the limits.
func SolveConstrained(ctx context.Context, model Explicit, criterion Criterion, state int, constraints []Constraint, settings Settings) (*Constrained, error) {
	begin := time.Now()
	c, err := newConstrained(model, criterion, state, constraints, settings)
	if err != nil {
		return nil, err
	}
	ctx, cancel := c.settings.within(ctx, begin)
	defer cancel()
	problem := tradeoff.Problem[*judged]{Limits: c.limits, Solve: c.around, Tolerance: c.settings.Tolerance / 2}
	answer, end := problem.Run(ctx)
	if _, infeasible := errors.AsType[*InfeasibleError](end); infeasible || answer.Weights == nil || errors.Is(end, ErrUnsupported) {
		return nil, end
	}
	found := c.conclude(c.settle(ctx, answer))
	switch {
	case end == nil || errors.Is(end, ErrPrecisionLimit):
		if end = nil; found.Status != Converged {
			end = ErrPrecisionLimit
		}
	case errors.Is(end, ErrTimeLimit):
		found.Status = TimeLimit
	case errors.Is(end, ErrIterationLimit):
		found.Status = IterationLimit
	default:
		found.Status = Interrupted
	}
	found.Elapsed = time.Since(begin)
	return found, end
}

// constrained is a call of SolveConstrained.
type constrained struct {
	table     *Table
	off       float64 // relative error of the numbers
	criterion Criterion
	target    []bool // by state
	state     int
	signs     []float64   // with which the costs of the model and of the constraints are minimised
	costs     [][]float64 // by choice
	limits    []*big.Rat  // upper limits of the costs times their signs
	settings  Settings
	last      *Result                 // of the last solve; nil before
	cycle     tradeoff.Point[*judged] // the policy that goes round the last cycle of negative cost; zero before
	best      Constrained             // Solves and Iterations; the best bound, Lower, with its proof and multipliers
}

func newConstrained(model Explicit, criterion Criterion, state int, constraints []Constraint, settings Settings) (*constrained, error) {
	if err := cmp.Or(checkGiven("model", "", model), checkGiven("criterion", ": use one such as mdp.LongRunAverage{}", criterion)); err != nil {
		return nil, err
	}
	table, ok := tableOf(model)
	settings, err := settings.withDefaults(model)
	if err := errors.Join(err, criterion.check(model)); err != nil {
		return nil, err
	}
	c := &constrained{table: table, off: relativeError(model), state: state, settings: settings, criterion: criterion.minimized(), target: make([]bool, model.NumStates())}
	c.best.Lower, c.best.Multipliers = math.Inf(-1), make([]float64, len(constraints))
	switch x := criterion.(type) {
	case LongRunAverage, Discounted:
	case TotalCost:
		ok = ok && x.Target != nil
		for _, s := range x.Target {
			c.target[s] = true
		}
	default:
		ok = false
	}
	switch {
	case !ok:
		return nil, fmt.Errorf("mdp: %w: use a Table, and LongRunAverage, Discounted or TotalCost with a target", ErrUnsupported)
	case state < 0 || state >= table.NumStates():
		return nil, fmt.Errorf("mdp: state %d is not valid: use 0 … %d", state, table.NumStates()-1)
	}
	c.add(table.rows.Costs, criterion.sense() == Maximize)
	for i, x := range constraints {
		if len(x.Costs) != table.NumChoices() || x.Bound == nil {
			return nil, fmt.Errorf("mdp: constraint %d has %d costs, or no Bound: use one cost for each of %d choices", i, len(x.Costs), table.NumChoices())
		}
		for _, cost := range x.Costs {
			if err := checkCost(cost); err != nil {
				return nil, fmt.Errorf("mdp: constraint %d: %w", i, err)
			}
		}
		c.add(x.Costs, x.AtLeast)
		c.limits = append(c.limits, new(big.Rat).Mul(x.Bound, new(big.Rat).SetFloat64(c.signs[i+1])))
	}
	return c, nil
}

func (c *constrained) add(costs []float64, negative bool) {
	c.costs, c.signs = append(c.costs, costs), append(c.signs, map[bool]float64{false: 1, true: -1}[negative])
}

// settle returns the mixture of an answer: moved inside the limits by more than the rounding errors
// if there is room, and as one stationary policy if that is as good.
func (c *constrained) settle(ctx context.Context, answer *tradeoff.Answer[*judged]) []MixturePolicy {
	inner := make([]*big.Rat, len(c.limits))
	for i, limit := range c.limits {
		size := 0.0
		for j, weight := range answer.Weights {
			size += weight * math.Abs(answer.Points[j].Values[i+1])
		}
		inner[i] = new(big.Rat).Sub(limit, new(big.Rat).SetFloat64(2*evaluationTolerance*c.settings.Tolerance*size))
	}
	if !answer.Within(inner) {
		answer.Within(c.limits)
	}
	var mixture []MixturePolicy
	for j, weight := range answer.Weights {
		if weight > 0 {
			x := answer.Points[j].Policy
			mixture = append(mixture, MixturePolicy{weight, c.weights(x.policy), x.results})
		}
	}
	if len(mixture) > 1 {
		if one, err := c.stationary(ctx, answer); err == nil && c.conclude(one).Status == Converged {
			return one
		}
	}
	return mixture
}

// proved returns bounds on value i of a mixture, and its scale.
func (c *constrained) proved(mixture []MixturePolicy, i int) (lower, upper, scale float64) {
	total, sums := new(big.Rat), [3]*big.Rat{new(big.Rat), new(big.Rat), new(big.Rat)}
	for _, x := range mixture {
		w := new(big.Rat).SetFloat64(x.Weight)
		total.Add(total, w)
		lower, upper := x.Results[i].Bounds(c.state)
		for j, y := range []float64{lower, upper, max(x.Results[i].Scale(c.state), lower, -upper, 0)} {
			number := new(big.Rat).SetFloat64(y)
			if number == nil { // not finite
				return math.Inf(-1), math.Inf(1), 0
			}
			sums[j].Add(sums[j], number.Mul(number, w))
		}
	}
	lower, _ = doubledouble.Around(sums[0].Quo(sums[0], total))
	_, upper = doubledouble.Around(sums[1].Quo(sums[1], total))
	scale, _ = doubledouble.Around(sums[2].Quo(sums[2], total))
	return lower, upper, scale
}

// conclude returns a mixture as an answer, with its values, bounds and status.
func (c *constrained) conclude(mixture []MixturePolicy) *Constrained {
	found := c.best
	found.Mixture, found.Status, found.Method, found.Reason = mixture, Converged, c.last.Method, c.last.Reason
	least, most, scale := c.proved(mixture, 0)
	found.Value = least + (most-least)/2
	for i, limit := range c.limits {
		lower, upper, size := c.proved(mixture, i+1)
		kept := map[float64]float64{1: upper, -1: lower}[c.signs[i+1]]
		down, _ := doubledouble.Around(limit)
		if !Within(down, c.signs[i+1]*kept, size, c.settings.Tolerance) {
			found.Status = PrecisionLimit
		}
		found.Limits = append(found.Limits, kept)
		scale += found.Multipliers[i] * size
	}
	if c.signs[0] > 0 {
		found.Lower, found.Upper = min(found.Lower, most), most
	} else {
		found.Lower, found.Upper = least, max(0-found.Lower, least)
	}
	found.Value = min(max(found.Value, found.Lower), found.Upper)
	if !Within(found.Lower, found.Upper, scale, c.settings.Tolerance) {
		found.Status = PrecisionLimit
	}
	return &found
}
