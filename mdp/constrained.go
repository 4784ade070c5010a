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

	// Status is Converged if Lower and Upper are within the tolerance of each other, and Limits
	// no further beyond the bounds: relative to the absolute costs that add up, Σ |c| +
	// Σ_i Multipliers[i]·|d_i|, see [Within].
	Status Status

	// Limits holds by constraint what the value of the mixture is proved not to exceed, or
	// not to fall below: on the right side of Bound if there is any room, and otherwise as
	// close to it as rounding allows.
	Limits []float64

	// Multipliers are the prices of the limits, ≥ 0: by how much Value would improve, at
	// first, for each unit by which a Bound is eased.
	Multipliers []float64

	// Mixture holds the policies, one of which is drawn at the start and followed for ever. It
	// is one stationary policy, which may leave decisions to chance, if that is as good.
	Mixture []Component

	// Method and Reason are those of the last solve. Solves counts solves, Iterations the
	// iterations of all of them.
	Method, Reason     string
	Solves, Iterations int
	Elapsed            time.Duration

	proof Proof
}

// Component is a policy of a mixture.
type Component struct {
	Weight float64 // its probability, up to rounding: divide by the sum of all
	Policy []int32
	// Chances are the actions that the policy takes with some probability in place of that in
	// Policy: in the order of the states, which may have several.
	Chances []Chance
	// Results are those of the chain of the policy with the costs that are minimised, and with
	// those of each constraint. Signs are changed for rewards that are maximised, and for
	// AtLeast.
	Results []*Result
}

// Chance is an action that a policy takes with a probability. In a file it is an object.
type Chance struct {
	State       int32   `json:"state"`
	Action      int32   `json:"action"`
	Probability float64 `json:"probability"`
}

// InfeasibleError says that no policy meets all constraints: for every policy, the sum of
// Prices times values, with the sign − for AtLeast, is at least Least, and that of the bounds
// is less.
type InfeasibleError = tradeoff.InfeasibleError

// Proof returns the proof of the bound on all policies, as the side Lower of [Result.Proof]: for
// the costs Σ_i λ_i·s_i·c_i, with λ = 1 and then the Multipliers, and s_i = −1 for rewards that
// are maximised and for AtLeast. If L is its bound, no policy within the limits b has a value
// s·v below L − Σ_i λ_i·s_i·b_i.
func (c *Constrained) Proof() Proof { return c.proof }

// SolveConstrained finds the least cost from a state over all policies, randomised ones
// included, that keep other costs within limits, or the greatest reward. The criterion is a
// [LongRunAverage], [Discounted] or [TotalCost]; for the latter, only policies count that reach
// the target with probability 1. The model is a [Table].
//
// The bound is that of Lagrangian duality (E. Altman, Constrained Markov Decision Processes,
// 1999, chapters 3 and 12). Column generation finds the multipliers: each step solves the
// model for one sum of the costs. A linear program mixes the policies found. The stationary
// policy with the visits x(s,a) of the mixture, which takes a in s with probability x(s,a)/x(s),
// is the answer if its own values are as good; where policies recur in different states, they
// need not be.
//
// Errors are an [*InfeasibleError], those of [Solve], and [ErrUnsupported], also if a cycle
// lowers a sum of costs without bound. If the search ends early, the answer beside the error is
// the best mixture so far, nil if none is known to meet the limits.
func SolveConstrained(ctx context.Context, model Explicit, criterion Criterion, state int, constraints []Constraint, settings Settings) (*Constrained, error) {
	begin := time.Now()
	c, err := newConstrained(model, criterion, state, constraints, settings)
	if err != nil {
		return nil, err
	}
	if limit := settings.TimeLimit; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, begin.Add(limit), ErrTimeLimit)
		defer cancel()
	}
	problem := tradeoff.Problem[*evaluated]{Solve: c.solve, Tolerance: c.settings.Tolerance / 2}
	for _, bound := range c.bounds { // a bound that is just the value of a policy must not be missed by rounding
		eased := new(big.Rat).SetFloat64(0x1p-42)
		problem.Limits = append(problem.Limits, eased.Add(bound, eased.Mul(eased, new(big.Rat).Abs(bound))))
	}
	answer, end := problem.Run(ctx)
	if _, infeasible := errors.AsType[*InfeasibleError](end); infeasible || answer.Weights == nil {
		return nil, end
	}
	found := &Constrained{
		Multipliers: c.prices, proof: c.proof, Method: c.last.Method, Reason: c.last.Reason, Solves: c.solves, Iterations: c.iterations,
	}
	c.settle(ctx, found, answer, end)
	if end == nil && found.Status != Converged {
		end = ErrPrecisionLimit
	}
	found.Elapsed = time.Since(begin)
	return found, end
}

// constrained is a call of SolveConstrained. Inside, all costs are minimised and all limits
// upper ones.
type constrained struct {
	table      *Table
	off        float64 // relative error of the numbers
	criterion  Criterion
	state      int
	signs      []float64   // of the costs of the model, then of those of the constraints
	costs      [][]float64 // by choice, with their signs
	bounds     []*big.Rat
	settings   Settings
	last       *Result // of the last solve; nil before
	lower      float64 // the best bound, with its proof and multipliers
	proof      Proof
	prices     []float64
	solves     int
	iterations int
}

// evaluated is a policy with its chain.
type evaluated struct {
	policy  []int32
	chances []Chance
	results []*Result
	visits  []float64 // by state; nil: not known
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
	c := &constrained{table: table, off: relativeError(model), state: state, settings: settings}
	switch criterion.(type) {
	case LongRunAverage, Discounted, TotalCost:
		c.criterion = criterion.minimized()
	default:
		ok = false
	}
	switch {
	case !ok:
		return nil, fmt.Errorf("mdp: SolveConstrained: %w: use a Table, and LongRunAverage, Discounted or TotalCost", ErrUnsupported)
	case state < 0 || state >= table.NumStates():
		return nil, fmt.Errorf("mdp: SolveConstrained: state %d is not valid: use 0 … %d", state, table.NumStates()-1)
	}
	c.add(table.rows.Costs, criterion.sense() == Maximize)
	for i, x := range constraints {
		if len(x.Costs) != table.NumChoices() || x.Bound == nil {
			return nil, fmt.Errorf("mdp: SolveConstrained: constraint %d has %d costs, or no Bound: use one cost for each of %d choices", i, len(x.Costs), table.NumChoices())
		}
		for _, cost := range x.Costs {
			if err := checkCost(cost); err != nil {
				return nil, fmt.Errorf("mdp: SolveConstrained: constraint %d: %w", i, err)
			}
		}
		c.add(x.Costs, x.AtLeast)
		c.bounds = append(c.bounds, new(big.Rat).Mul(x.Bound, new(big.Rat).SetFloat64(c.signs[i+1])))
	}
	return c, nil
}

func (c *constrained) add(costs []float64, negative bool) {
	sign := 1.0
	if negative {
		sign, costs = -1, opposite(costs)
	}
	c.costs, c.signs = append(c.costs, costs), append(c.signs, sign)
}

// solve finds the best policy for a sum of costs.
func (c *constrained) solve(ctx context.Context, weights []float64) (tradeoff.Point[*evaluated], float64, error) {
	var none tradeoff.Point[*evaluated]
	settings := c.settings
	settings.TimeLimit, settings.Tolerance = 0, max(settings.Tolerance/64, 1e-14)
	if c.last != nil {
		settings.Policy = c.last.Policy
		if settings.Values = c.last.Bias; settings.Values == nil && !c.last.isOpen() {
			settings.Values = c.last.Value
		}
	}
	sum := approximateTable{&Table{rows: c.table.rows.WithCosts(c.summed(weights)), rate: c.table.rate}, c.off}
	result, err := Solve(ctx, sum, c.criterion, settings)
	if result == nil {
		return none, math.Inf(-1), err
	}
	c.solves, c.iterations = c.solves+1, c.iterations+result.Iterations
	lower, upper := result.Bounds(c.state)
	switch {
	case math.IsInf(lower, 1):
		return none, lower, fmt.Errorf("mdp: SolveConstrained: %w: no policy reaches the target from state %d with probability 1", ErrUnsupported, c.state)
	case math.IsInf(upper, -1):
		return none, lower, fmt.Errorf("mdp: SolveConstrained: %w: a cycle lowers a sum of the costs without bound", ErrUnsupported)
	}
	c.last = result
	if bound := tradeoff.Excess(lower, weights[1:], c.bounds); weights[0] == 1 && (c.proof.Lower.Value.High == nil || bound > c.lower) {
		c.lower, c.proof, c.prices = bound, Proof{Lower: result.proof.Lower}, weights[1:]
	}
	if err != nil && !errors.Is(err, ErrPrecisionLimit) {
		return none, lower, err
	}
	policy := &evaluated{policy: result.Policy}
	err = c.evaluate(ctx, policy)
	return tradeoff.Point[*evaluated]{Policy: policy, Values: policy.values(c.state)}, lower, err
}

// summed returns Σ_i weights[i]·costs[i] by choice, rounded down: a bound from
// below stays one.
func (c *constrained) summed(weights []float64) []float64 {
	sums := make([]float64, c.table.NumChoices())
	for k := range sums {
		var sum doubledouble.Sum
		terms, isExact := 0, true // two products without rounding have a sum without rounding
		for i, w := range weights {
			if x := c.costs[i][k]; w != 0 && x != 0 {
				sum.AddProduct(doubledouble.FromFloat(w), doubledouble.FromFloat(x), math.Abs(x))
				terms++
				isExact = isExact && terms <= 2 && math.FMA(w, x, -w*x) == 0
			}
		}
		off := 0.0
		if terms > 1 {
			off = c.off * sum.Size * (1 + 0x1p-40)
		}
		if !isExact {
			off += sum.Error(terms)
		}
		sums[k] = sum.AddFloat(-off).RoundDown() + 0
	}
	return sums
}

// values returns the estimates of the values from a state.
func (e *evaluated) values(state int) []float64 {
	var values []float64
	for _, r := range e.results {
		values = append(values, r.Optimum(state))
	}
	return values
}

// proved returns bounds on value i of a mixture, and its scale.
func (c *constrained) proved(mixture []Component, i int) (lower, upper, scale float64) {
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

// conclude sets the values, the bounds and the status of an answer.
func (c *constrained) conclude(found *Constrained, lower float64, end error) {
	least, upper, scale := c.proved(found.Mixture, 0)
	lower = min(lower, upper)
	found.Status, found.Limits = Converged, nil
	for i, bound := range c.bounds {
		_, most, size := c.proved(found.Mixture, i+1)
		down, _ := doubledouble.Around(bound)
		if !(most <= down || Within(down, most, size, c.settings.Tolerance)) {
			found.Status = PrecisionLimit
		}
		found.Limits = append(found.Limits, c.signs[i+1]*most+0)
		scale += found.Multipliers[i] * size
	}
	if !Within(lower, upper, scale, c.settings.Tolerance) {
		found.Status = PrecisionLimit
	}
	found.Value, found.Lower, found.Upper = max(lower, least+(upper-least)/2), lower, upper
	if c.signs[0] < 0 {
		found.Value, found.Lower, found.Upper = 0-found.Value, 0-upper, 0-lower
	}
	switch {
	case end == nil || errors.Is(end, ErrPrecisionLimit):
	case errors.Is(end, ErrTimeLimit):
		found.Status = TimeLimit
	case errors.Is(end, ErrIterationLimit):
		found.Status = IterationLimit
	default:
		found.Status = Interrupted
	}
}
