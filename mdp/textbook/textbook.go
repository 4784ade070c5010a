// Package textbook has methods as textbooks state them, iteration by iteration, to teach with.
//
//	method, err := textbook.New(table, mdp.Discounted{Discount: 0.9})
//	err = method.Run(ctx, mdp.PolicyIteration, mdp.Settings{}, func(at textbook.Iterate) error {
//		fmt.Println(at.Number, at.Values[0], at.Changes)
//		return nil
//	})
//
// The methods of the same names in package mdp begin with better policies, use higher precision and
// take shortcuts: use those to solve.
package textbook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Iterate is what an iteration of a method has found. The next iteration overwrites its lists.
type Iterate struct {
	Number   int           // from 1; 0 for values of the start
	Elapsed  time.Duration // since the method began
	Values   []float64     // of states; for an average, the gains
	Relative []float64     // relative values of an average, 0 in state 0; of a policy its bias, see [mdp.LongRun], less that of state 0; nil for other criteria
	Policy   []int32       // the action of each state that gives the values
	Changes  int           // states whose action the next iteration changes; −1 for methods other than policy iteration

	// Least and Greatest bound, up to rounding, the optimum less Values: by MacQueen (1966) for value
	// iteration with a discount, by Odoni (1969) for an average. They are 0 for a finite horizon, whose
	// iterate k is the optimum of k steps. Otherwise they are infinite for policy iteration and for the
	// start.
	Least, Greatest float64

	// Damping is the factor τ of relative value iteration, h ← h + τ·(T h − h) up to a constant: 1, or
	// 0.9 if optimal policies are periodic, where the method without damping need not converge (Puterman
	// 1994, §8.5.4). It is 0 for other methods.
	Damping float64
}

// Method is a model with a criterion, for which [Method.Run] runs the methods of textbooks.
type Method struct {
	table     *mdp.Table
	criterion mdp.Criterion
	sign      float64 // −1 for rewards
	discount  float64
	ends      []bool
	row       []mdp.Entry
}

// ErrImproper says that policy iteration cannot go on, since its policy has infinite values.
var ErrImproper = errors.New("textbook: the policy has infinite values: start from another")

// New takes a model, with its rewards in place of costs if the sense of the criterion is
// [mdp.Maximize]. The error wraps [mdp.ErrUnsupported] for a [mdp.TimeHorizon].
func New(table *mdp.Table, criterion mdp.Criterion) (*Method, error) {
	t := &Method{table: table, criterion: criterion, sign: 1, discount: 1, ends: make([]bool, table.NumStates())}
	var sense mdp.Sense
	switch c := criterion.(type) {
	case mdp.LongRunAverage:
		sense = c.Sense
	case mdp.Discounted:
		sense, t.discount = c.Sense, c.Discount
	case mdp.TotalCost:
		sense = c.Sense
		for _, s := range c.Target {
			t.ends[s] = true
		}
	case mdp.FiniteHorizon:
		if sense = c.Sense; c.Discount > 0 {
			t.discount = c.Discount
		}
	default:
		return nil, fmt.Errorf("textbook: %w: no method for a criterion of type %T", mdp.ErrUnsupported, criterion)
	}
	if sense == mdp.Maximize {
		t.sign = -1
	}
	return t, nil
}

// Methods returns the methods for the criterion, the default first: [mdp.PolicyIteration], and
// [mdp.ValueIteration] for a discount factor or a finite horizon, where an iteration is a step from
// the end, or [mdp.RelativeValueIteration] for an average.
func (t *Method) Methods() []mdp.Method {
	switch t.criterion.(type) {
	case mdp.LongRunAverage:
		return []mdp.Method{mdp.PolicyIteration, mdp.RelativeValueIteration}
	case mdp.Discounted:
		return []mdp.Method{mdp.PolicyIteration, mdp.ValueIteration}
	case mdp.FiniteHorizon:
		return []mdp.Method{mdp.ValueIteration}
	}
	return []mdp.Method{mdp.PolicyIteration}
}

// Run calls take after each iteration of a method until it has converged, and returns the first error
// of take. Policy iteration begins with the Policy of the settings, or with the first action of each
// state; for a total, with the first that may lead a step nearer to the target. Value iteration begins
// with the Values of the settings, or with zeros. Of the settings, Run also uses
// Tolerance and MaxIterations; 0 stands for the defaults of [mdp.Solve]. Errors wrap
// [mdp.ErrUnsupported] for a method that is not one of [Method.Methods]; others are those of
// [mdp.LongRun] and [mdp.Evaluate], [ErrImproper], and the cause of ctx.
func (t *Method) Run(ctx context.Context, method mdp.Method, settings mdp.Settings, take func(Iterate) error) error {
	if !slices.Contains(t.Methods(), method) {
		return fmt.Errorf("textbook: %w: %v for this criterion", mdp.ErrUnsupported, method)
	}
	tolerance, most := cmp.Or(settings.Tolerance, mdp.DefaultTolerance), cmp.Or(settings.MaxIterations, mdp.DefaultMaxIterations)
	switch method {
	case mdp.ValueIteration:
		return t.valueIteration(ctx, settings.Values, tolerance, most, take)
	case mdp.RelativeValueIteration:
		return t.relativeValueIteration(ctx, settings.Values, tolerance, most, take)
	}
	return t.policyIteration(ctx, settings.Policy, most, take)
}

// action returns the cost of an action, and the expected value of the next state.
func (t *Method) action(s, a int, v []float64) (cost, next float64) {
	t.row, cost = t.table.AppendRow(t.row[:0], s, a)
	for _, e := range t.row {
		next += e.Probability * v[e.State]
	}
	return cost / t.table.Rate(), next
}

// sweep makes a sweep of value iteration: dst[s] = min over a of c(s,a) + β·Σ p·v, with max for rewards.
// policy gets the actions that attain it.
func (t *Method) sweep(dst []float64, policy []int32, v []float64) {
	for s := range dst {
		if t.ends[s] {
			dst[s] = 0
			continue
		}
		for a := range t.table.NumActions(s) {
			cost, next := t.action(s, a, v)
			if x := cost + t.discount*next; a == 0 || t.sign*x < t.sign*dst[s] {
				dst[s], policy[s] = x, int32(a)
			}
		}
	}
}

// valueIteration calls take after each sweep of value iteration, and with the values of the start. It
// ends when bounds by MacQueen (1966) are within the tolerance, or at the end of a finite horizon. With
// a discount, the last values are then off the optimum by nearly the same number in all states.
func (t *Method) valueIteration(ctx context.Context, start []float64, tolerance float64, most int, take func(Iterate) error) error {
	n := t.table.NumStates()
	v, next, policy, begin := make([]float64, n), make([]float64, n), make([]int32, n), time.Now()
	copy(v, start)
	if f, ok := t.criterion.(mdp.FiniteHorizon); ok {
		copy(v, f.Terminal)
		most, tolerance = f.Steps, math.Inf(-1)
	}
	begun := Iterate{Values: v, Policy: policy, Changes: -1, Least: math.Inf(-1), Greatest: math.Inf(1)}
	factor := t.discount / (1 - t.discount)
	if _, ok := t.criterion.(mdp.FiniteHorizon); ok {
		factor, begun.Least, begun.Greatest = 0, 0, 0
	}
	if err := take(begun); err != nil {
		return err
	}
	for k := 1; k <= most && ctx.Err() == nil; k++ {
		t.sweep(next, policy, v)
		least, greatest := math.Inf(1), math.Inf(-1)
		for s, x := range next {
			least, greatest = min(least, x-v[s]), max(greatest, x-v[s])
		}
		v, next = next, v
		at := Iterate{Number: k, Elapsed: time.Since(begin), Values: v, Policy: policy, Changes: -1, Least: factor * least, Greatest: factor * greatest}
		if err := take(at); err != nil {
			return err
		}
		if at.Greatest-at.Least <= tolerance*sizeOf(v) {
			break
		}
	}
	return context.Cause(ctx)
}

// relativeValueIteration is valueIteration for the average: h ← w − w(0), w = h + τ·(T h − h).
func (t *Method) relativeValueIteration(ctx context.Context, start []float64, tolerance float64, most int, take func(Iterate) error) error {
	n, rate := t.table.NumStates(), t.table.Rate()
	h, next, gains, policy := make([]float64, n), make([]float64, n), make([]float64, n), make([]int32, n)
	copy(h, start)
	damping, err := t.damping(ctx)
	if err != nil {
		return err
	}
	begin := time.Now()
	for k := 1; k <= most && ctx.Err() == nil; k++ {
		t.sweep(next, policy, h)
		least, greatest := math.Inf(1), math.Inf(-1)
		for s, x := range next {
			least, greatest = min(least, (x-h[s])*rate), max(greatest, (x-h[s])*rate)
			if damping < 1 {
				next[s] = h[s] + damping*(x-h[s])
			}
		}
		half := (greatest - least) / 2
		for s := range next {
			gains[s] = least + half
			h[s] = next[s] - next[0]
		}
		if err := take(Iterate{Number: k, Elapsed: time.Since(begin), Values: gains, Relative: h, Policy: policy, Changes: -1, Least: -half, Greatest: half, Damping: damping}); err != nil {
			return err
		}
		if greatest-least <= tolerance*max(math.Abs(least), math.Abs(greatest)) {
			break
		}
	}
	return context.Cause(ctx)
}

// damping returns the damping factor of relative value iteration. Without damping, that converges from
// all values if and only if all states that optimal policies visit for ever are aperiodic in the chain
// that takes all optimal actions with positive probability (Schweitzer and Federgruen 1977). So damping
// solves the model first, and finds the period of the model that has only the optimal actions.
func (t *Method) damping(ctx context.Context) (float64, error) {
	const damped = 0.9
	sense := mdp.Minimize
	if t.sign < 0 {
		sense = mdp.Maximize
	}
	found, err := mdp.Solve(ctx, t.table, mdp.LongRunAverage{Sense: sense}, mdp.Settings{Tolerance: precise})
	if found == nil {
		return 0, err
	}
	gains, b := make([]float64, len(found.Bias)), mdp.TableBuilder{}
	for s := range gains {
		gains[s] = found.Optimum(s)
	}
	margin := tie * (sizeOf(gains) + sizeOf(found.Bias))
	for s := range gains {
		b.AddState()
		best := t.worth(s, int(found.Policy[s]), gains, found.Bias)
		for a := range t.table.NumActions(s) {
			if !best.isBetter(t.worth(s, a, gains, found.Bias), t.sign, margin) {
				b.AddAction(0)
				for _, e := range t.row {
					b.AddTransition(int(e.State), e.Probability)
				}
			}
		}
	}
	optimal, err := b.Build()
	if err != nil {
		return 0, err
	}
	if mdp.Analyze(optimal).Period > 1 {
		return damped, nil
	}
	return 1, nil
}

// tie is the relative difference from which on policy iteration takes one action for better than
// another.
const tie = 1e-10

// precise is the tolerance of values that are compared.
const precise = 1e-13

// worth is what an action is worth, given the values of the next states: for an average, its gain is
// compared first.
type worth struct{ gain, value float64 }

func (t *Method) worth(s, a int, values, relative []float64) (w worth) {
	if relative != nil {
		_, w.gain = t.action(s, a, values)
		values = relative
	}
	cost, next := t.action(s, a, values)
	w.value = cost + t.discount*next
	return w
}

// isBetter reports whether an action is better than another by more than a margin.
func (w worth) isBetter(than worth, sign, margin float64) bool {
	gain := sign * (w.gain - than.gain)
	return gain < -margin || gain <= margin && sign*(w.value-than.value) < -margin
}

// policyIteration calls take with each policy of Howard's policy iteration, from [Method.firstPolicy] or
// a given policy, with its value and the number of states whose action it improves. Iteration k
// evaluates policy k. An action is changed only if another is better. For the average, that is one that
// leads to a better gain or, if no state has one, to the same gain with better relative values (Puterman
// 1994, §9.2).
func (t *Method) policyIteration(ctx context.Context, start []int32, most int, take func(Iterate) error) error {
	policy, begin := start, time.Now()
	if policy == nil {
		policy = t.firstPolicy()
	}
	for k := 1; k <= most && ctx.Err() == nil; k++ {
		values, relative, err := t.evaluate(ctx, policy)
		if err != nil {
			return err
		}
		improved, changes := slices.Clone(policy), 0
		margin := tie * (sizeOf(values) + sizeOf(relative))
		for _, byGain := range []bool{relative != nil, false} {
			if changes > 0 {
				break
			}
			for s := range policy {
				if t.ends[s] {
					continue
				}
				best := t.worth(s, int(policy[s]), values, relative)
				for a := range t.table.NumActions(s) {
					x := t.worth(s, a, values, relative)
					if byGain {
						x.value, best.value = 0, 0
					}
					if x.isBetter(best, t.sign, margin) {
						best, improved[s] = x, int32(a)
					}
				}
				if improved[s] != policy[s] {
					changes++
				}
			}
		}
		at := Iterate{Number: k, Elapsed: time.Since(begin), Values: values, Relative: relative, Policy: policy, Changes: changes, Least: math.Inf(-1), Greatest: math.Inf(1)}
		if err := take(at); err != nil {
			return err
		}
		if changes == 0 {
			break
		}
		policy = improved
	}
	return context.Cause(ctx)
}

// firstPolicy returns the policy with the first action of each state. For a total, whose values would be
// infinite where that misses the target, it has the first action that may lead a step nearer to it.
func (t *Method) firstPolicy() []int32 {
	n := t.table.NumStates()
	policy, before, distance := make([]int32, n), make([][]int32, n), make([]int, n)
	if !slices.Contains(t.ends, true) {
		return policy
	}
	var reached []int32
	for s := range n {
		if t.ends[s] {
			reached = append(reached, int32(s))
			continue
		}
		distance[s] = n
		for a := range t.table.NumActions(s) {
			t.row, _ = t.table.AppendRow(t.row[:0], s, a)
			for _, e := range t.row {
				before[e.State] = append(before[e.State], int32(s))
			}
		}
	}
	for i := 0; i < len(reached); i++ {
		for _, s := range before[reached[i]] {
			if distance[s] == n {
				distance[s] = distance[reached[i]] + 1
				reached = append(reached, s)
			}
		}
	}
	isNearer := func(s, a int) bool {
		t.row, _ = t.table.AppendRow(t.row[:0], s, a)
		return slices.ContainsFunc(t.row, func(e mdp.Entry) bool { return distance[e.State] < distance[s] })
	}
	for s := range policy {
		for a := range t.table.NumActions(s) {
			if isNearer(s, a) {
				policy[s] = int32(a)
				break
			}
		}
	}
	return policy
}

func sizeOf(list []float64) (size float64) {
	for _, x := range list {
		size = max(size, math.Abs(x))
	}
	return size
}

// evaluate returns the values of a policy; for the average, gains, and relative values that are 0 in
// state 0.
func (t *Method) evaluate(ctx context.Context, policy []int32) (values, relative []float64, err error) {
	if _, ok := t.criterion.(mdp.LongRunAverage); ok {
		b, err := mdp.LongRun(ctx, t.table, mdp.Policy{Actions: policy})
		if err != nil {
			return nil, nil, err
		}
		relative = make([]float64, len(b.Bias))
		for s, x := range b.Bias {
			relative[s] = x - b.Bias[0]
		}
		return b.Gain, relative, nil
	}
	r, err := mdp.Evaluate(ctx, t.table, mdp.Policy{Actions: policy}, t.criterion, mdp.Settings{Tolerance: precise})
	if r == nil {
		return nil, nil, err
	}
	for _, x := range r.Value {
		if math.IsInf(x, 0) {
			return nil, nil, ErrImproper
		}
	}
	return r.Value, nil, ctx.Err()
}
