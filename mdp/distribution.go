package mdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
)

// Bounds enclose a number.
type Bounds struct{ Lower, Upper float64 }

// Distribution is the distribution of a total T, from [TotalDistribution], [HorizonDistribution] or
// [TimeDistribution]. Bounds hold despite rounding, and are close in relative terms.
type Distribution struct {
	X      []float64 // the numbers x, ascending, of the lists below
	AtMost []Bounds  // Pr(T ≤ x)
	Above  []Bounds  // Pr(T > x)
	Excess []Bounds  // E[(T − x)⁺]

	// Mean is E[T]. Never is the probability that the target is never reached; if it is
	// above 0, Mean and Excess are +Inf.
	Mean, Never Bounds

	whole bool // T is one of X, or above all of them
}

// Quantile returns bounds on the value at risk, the least x with Pr(T ≤ x) ≥ level, where 0 <
// level < 1. Upper is +Inf if X ends before the quantile. The quantile of a time lies between
// two neighbours in X.
func (d *Distribution) Quantile(level float64) Bounds {
	q := Bounds{0, math.Inf(1)}
	if d.whole {
		q.Lower = d.X[0]
	}
	for i, p := range d.AtMost {
		switch {
		case p.Upper < level && d.whole:
			q.Lower = d.X[min(i+1, len(d.X)-1)]
		case p.Upper < level:
			q.Lower = d.X[i]
		case p.Lower >= level:
			q.Upper = min(q.Upper, d.X[i])
		}
	}
	if d.Never.Lower > 1-level {
		q.Lower = math.Inf(1)
	}
	return q
}

// CVaR returns bounds on the conditional value at risk, the mean of T in the worst 1−level of
// all cases, 0 < level < 1:
//
//	CVaR = min over x of x + E[(T − x)⁺]/(1 − level),
//
// attained by the quantile (R.T. Rockafellar and S. Uryasev, Optimization of conditional
// value-at-risk, Journal of Risk 2 (2000), 21-41). Each x gives an upper bound. The lower bound
// is loose if X does not reach the quantile.
func (d *Distribution) CVaR(level float64) Bounds {
	plus := func(x, excess, outward float64) float64 {
		if excess /= 1 - level; math.IsInf(excess, 1) {
			return excess
		}
		return x + excess + 8*rounding.Unit*outward*(math.Abs(x)+excess)
	}
	c, before := Bounds{math.Inf(1), math.Inf(1)}, 0.0
	for i, x := range d.X {
		c.Upper = min(c.Upper, plus(x, d.Excess[i].Upper, 1))
		if d.whole { // the quantile is not between two X
			before = x
		}
		c.Lower = min(c.Lower, plus(before, d.Excess[i].Lower, -1))
		before = x
	}
	if d.Never.Lower == 0 && math.IsInf(d.Quantile(level).Upper, 1) {
		c.Lower = min(c.Lower, before)
	}
	return c
}

// TimeDistribution returns the distribution of the time T until a policy in continuous time
// reaches a target, for times x ≥ 0. The policy is a stationary one of a [Timed] model,
// whose costs do not matter. The start is a distribution over states.
//
// Probabilities are those of [TimeHorizon]. With v(s) the mean of T from s, E[(T − x)⁺] is the
// mean of v over the state at time x. Errors are those of [Solve].
func TimeDistribution(ctx context.Context, model Explicit, policy Policy, target []int32, start []Entry, x []float64, settings Settings) (*Distribution, error) {
	chain, away, err := stopped(model, policy, target, start)
	if err != nil {
		return nil, err
	}
	chain, free := withCosts(chain, away), withCosts(chain, make([]float64, len(away)))
	d, values, err := untilTarget(ctx, chain, away, target, start, settings)
	if err != nil {
		return nil, err
	}
	d.X = x
	in, least, most := slices.Repeat([]float64{1}, len(away)), make([]float64, len(away)), make([]float64, len(away))
	for s := range away {
		in[s] -= away[s]
		if lower, upper := values.Bounds(s); !math.IsInf(upper, 1) { // else s is not reached, or the mean may be infinite
			least[s], most[s] = lower, upper
		}
	}
	for _, time := range x {
		var at [4]Bounds
		for i, terminal := range [][]float64{in, away, least, most} {
			result, err := bounded(ctx, free, TimeHorizon{Time: time, Terminal: terminal}, settings)
			if err != nil {
				return nil, err
			}
			at[i] = mean(start, result.Bounds)
		}
		at[0].Upper, at[1].Upper, at[2].Upper = min(at[0].Upper, 1), min(at[1].Upper, 1), at[3].Upper
		if math.IsInf(d.Mean.Upper, 1) {
			at[2].Upper = d.Mean.Upper
		}
		if math.IsInf(d.Mean.Lower, 1) {
			at[2] = d.Mean
		}
		d.AtMost, d.Above, d.Excess = append(d.AtMost, at[0]), append(d.Above, at[1]), append(d.Excess, at[2])
	}
	return d, nil
}

// stopped returns the chain of a policy, changed to stay in the target at no cost; and away,
// which is 0 for the states of the target and 1 for all others.
func stopped(model Explicit, policy Policy, target []int32, start []Entry) (chain Rounded, away []float64, err error) {
	if err = checkGiven("model", "", model); err == nil && target == nil {
		err = errors.New("mdp: Target is missing: give one state or more")
	}
	if err == nil {
		err = cmp.Or(policy.check(model), TotalCost{Target: target}.check(model), checkStart(start, model.NumStates()))
	}
	if err != nil {
		return chain, nil, err
	}
	ends, away := make([]bool, model.NumStates()), slices.Repeat([]float64{1}, model.NumStates())
	for _, s := range target {
		ends[s], away[s] = true, 0
	}
	under, err := policy.under(model, ends)
	if err != nil {
		return chain, nil, err
	}
	under.excess = under.relativeError
	return Rounded{under.Table}, away, nil
}

// checkStart checks a distribution over n states.
func checkStart(start []Entry, n int) error {
	for _, e := range start {
		if e.State < 0 || int(e.State) >= n || checkProbability(e.Probability) != nil {
			return fmt.Errorf("mdp: start in state %d with probability %v is not valid: use probabilities of states 0 … %d", e.State, e.Probability, n-1)
		}
	}
	return nil
}

// withCosts returns a chain with other costs.
func withCosts(chain Rounded, costs []float64) Rounded {
	table := *chain.Table
	table.rows = table.rows.WithCosts(costs)
	return Rounded{&table}
}

// untilTarget returns Mean and Never of a chain that stops in its target, and the mean total
// from each state.
func untilTarget(ctx context.Context, chain Rounded, away []float64, target []int32, start []Entry, settings Settings) (*Distribution, *Result, error) {
	values, err := bounded(ctx, chain, TotalCost{Target: target}, settings)
	if err != nil {
		return nil, nil, err
	}
	d := &Distribution{Mean: mean(start, values.Bounds)}
	if math.IsInf(d.Mean.Upper, 1) {
		share, err := bounded(ctx, withCosts(chain, away), LongRunAverage{GainOnly: true}, settings)
		if err != nil {
			return nil, nil, err
		}
		d.Never = mean(start, share.Bounds)
		d.Never.Upper = min(d.Never.Upper, 1)
	}
	return d, values, nil
}

// bounded is [Solve] for the bounds, however far apart they are.
func bounded(ctx context.Context, model Model, criterion Criterion, settings Settings) (*Result, error) {
	result, err := Solve(ctx, model, criterion, settings)
	if errors.Is(err, ErrPrecisionLimit) {
		err = nil
	}
	return result, err
}

// mean returns bounds on the mean over a distribution of numbers ≥ 0, given their bounds.
func mean(over []Entry, bounds func(s int) (lower, upper float64)) (b Bounds) {
	for _, e := range over {
		lower, upper := bounds(int(e.State))
		b.Lower, b.Upper = b.Lower+e.Probability*max(lower, 0), b.Upper+e.Probability*upper
	}
	off := 4 * rounding.Unit * float64(len(over)-1) // a single state has probability 1
	return Bounds{b.Lower * (1 - off), b.Upper * (1 + off)}
}
