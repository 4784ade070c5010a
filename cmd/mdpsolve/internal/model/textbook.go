package model

// Methods as textbooks state them, iteration by iteration: for pictures and tables to teach with. The
// engine's methods of the same names begin with better policies, use higher precision and take
// shortcuts.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// textbookText is for the help of solve.
const textbookText = `--values-out writes, for each iteration of a method as textbooks state it, the values and
the actions of --states. Without --method, that is policy-iteration: its first policy has
the first action of each state, or is the one that --start-from names. --method names
another: value-iteration, which starts from zeros (discounted), or rvi (average). For a
finite horizon, an iteration is a step from the end.

--methods a,b,c draws several methods in one picture, and lists their iterations and times:
in csv, markdown and latex in place of the states. The answer is that of the first. For
policy-iteration, this picture and that of --plot show the policies of --values-out: each
with its value and, for one method, with the number of states whose action the next policy
changes. The solve itself begins with a better policy; the line "textbook" of the answer
counts the iterations that are shown.`

// iterate is what an iteration of a method has found.
type iterate struct {
	number   int // from 1; 0 for values of the start
	elapsed  time.Duration
	values   []float64 // of states, in the unit of the answer
	relative []float64 // values beside the gain; nil unless the criterion is the average
	policy   []int32
	changes  int // states whose action the next iteration changes; -1 if policies do not change one by one
}

// textbook runs a method of textbooks.
type textbook struct {
	table     *mdp.Table
	criterion mdp.Criterion
	sign      float64 // -1 for rewards
	discount  float64
	ends      []bool
	row       []mdp.Entry
}

// errImproper says that policy iteration has no values to go on with.
var errImproper = errors.New("the policy has infinite values: start from another, with --start-from")

func newTextbook(q asked) (*textbook, error) {
	if q.Model.IsUncertain() {
		return nil, errors.New("not valid for a model with intervals")
	}
	table, err := q.Table()
	if err != nil {
		return nil, err
	}
	t := &textbook{table: table, criterion: q.EngineCriterion(), sign: 1, discount: 1, ends: make([]bool, table.NumStates())}
	switch c := t.criterion.(type) {
	case mdp.LongRunAverage:
	case mdp.Discounted:
		t.discount = c.Discount
	case mdp.TotalCost:
		for _, s := range c.Target {
			t.ends[s] = true
		}
	case mdp.FiniteHorizon:
		if c.Discount > 0 {
			t.discount = c.Discount
		}
	default:
		return nil, fmt.Errorf("not valid with the criterion %s", q.Criterion)
	}
	if q.IsMaximized() {
		t.sign = -1
	}
	return t, nil
}

// action returns cost and next values of an action.
func (t *textbook) action(s, a int, v []float64) (cost, next float64) {
	t.row, cost = t.table.AppendRow(t.row[:0], s, a)
	for _, e := range t.row {
		next += e.Probability * v[e.State]
	}
	return cost / t.table.Rate(), next
}

// sweep makes a sweep of value iteration: dst[s] = min over a of c(s,a) + β·Σ p·v. policy gets the
// actions that attain the least.
func (t *textbook) sweep(dst []float64, policy []int32, v []float64) {
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
// ends when bounds by MacQueen (1966) are within the tolerance, or at the end of a finite horizon.
func (t *textbook) valueIteration(ctx context.Context, start []float64, tolerance float64, most int, take func(iterate) error) error {
	n := t.table.NumStates()
	v, next, policy, begin := make([]float64, n), make([]float64, n), make([]int32, n), time.Now()
	copy(v, start)
	if f, ok := t.criterion.(mdp.FiniteHorizon); ok {
		copy(v, f.Terminal)
		most, tolerance = f.Steps, math.Inf(-1)
	}
	if err := take(iterate{values: v, policy: policy, changes: -1}); err != nil {
		return err
	}
	for k := 1; k <= most && ctx.Err() == nil; k++ {
		t.sweep(next, policy, v)
		least, greatest := math.Inf(1), math.Inf(-1)
		for s, x := range next {
			least, greatest = min(least, x-v[s]), max(greatest, x-v[s])
		}
		v, next = next, v
		if err := take(iterate{number: k, elapsed: time.Since(begin), values: v, policy: policy, changes: -1}); err != nil {
			return err
		}
		if (greatest-least)*t.discount/(1-t.discount) <= tolerance*sizeOf(v) {
			break
		}
	}
	return context.Cause(ctx)
}

// aperiodic is the share of a sweep in a step of relative value iteration: see
// [mdp.RelativeValueIteration].
const aperiodic = 0.9

// relativeValueIteration is valueIteration for the average: h ← w − w(0), w = h + τ·(T h − h).
func (t *textbook) relativeValueIteration(ctx context.Context, start []float64, tolerance float64, most int, take func(iterate) error) error {
	n, rate := t.table.NumStates(), t.table.Rate()
	h, next, gains, policy, begin := make([]float64, n), make([]float64, n), make([]float64, n), make([]int32, n), time.Now()
	copy(h, start)
	for k := 1; k <= most && ctx.Err() == nil; k++ {
		t.sweep(next, policy, h)
		least, greatest := math.Inf(1), math.Inf(-1)
		for s, x := range next {
			least, greatest = min(least, (x-h[s])*rate), max(greatest, (x-h[s])*rate)
			next[s] = h[s] + aperiodic*(x-h[s])
		}
		for s := range next {
			gains[s] = least + (greatest-least)/2
			h[s] = next[s] - next[0]
		}
		if err := take(iterate{number: k, elapsed: time.Since(begin), values: gains, relative: h, policy: policy, changes: -1}); err != nil {
			return err
		}
		if greatest-least <= tolerance*max(math.Abs(least), math.Abs(greatest)) {
			break
		}
	}
	return context.Cause(ctx)
}

// tie is the relative difference from which on policy iteration takes one action for better than
// another.
const tie = 1e-10

// policyIteration calls take with each policy of Howard's policy iteration, from the first actions or a
// given policy, with its value and the number of states whose action it improves. Iteration k
// evaluates policy k. An action is
// changed only if another is better. For the average, it is better if it leads to a better gain, or to
// the same with better relative values (Puterman 1994, §9.2).
func (t *textbook) policyIteration(ctx context.Context, start []int32, most int, take func(iterate) error) error {
	policy, begin := make([]int32, t.table.NumStates()), time.Now()
	copy(policy, start)
	for k := 1; k <= most && ctx.Err() == nil; k++ {
		values, relative, err := t.evaluate(ctx, policy)
		if err != nil {
			return err
		}
		improved := append([]int32(nil), policy...)
		changes := 0
		size := sizeOf(values) + sizeOf(relative)
		for s := range policy {
			if t.ends[s] {
				continue
			}
			type key struct{ gain, value float64 }
			keyOf := func(a int) (x key) {
				if relative != nil {
					_, x.gain = t.action(s, a, values)
					cost, next := t.action(s, a, relative)
					x.value = cost + next
					return x
				}
				cost, next := t.action(s, a, values)
				x.value = cost + t.discount*next
				return x
			}
			best := keyOf(int(policy[s]))
			for a := range t.table.NumActions(s) {
				x := keyOf(a)
				gain := t.sign * (x.gain - best.gain)
				if gain < -tie*size || gain <= tie*size && t.sign*(x.value-best.value) < -tie*size {
					best, improved[s] = x, int32(a)
				}
			}
			if improved[s] != policy[s] {
				changes++
			}
		}
		if err := take(iterate{number: k, elapsed: time.Since(begin), values: values, relative: relative, policy: policy, changes: changes}); err != nil {
			return err
		}
		if changes == 0 {
			break
		}
		policy = improved
	}
	return context.Cause(ctx)
}

func sizeOf(list []float64) (size float64) {
	for _, x := range list {
		size = max(size, math.Abs(x))
	}
	return size
}

// evaluate returns the values of a policy; for the average, gains and relative values.
func (t *textbook) evaluate(ctx context.Context, policy []int32) (values, relative []float64, err error) {
	if _, ok := t.criterion.(mdp.LongRunAverage); ok {
		b, err := mdp.LongRun(ctx, t.table, mdp.Policy{Actions: policy})
		if err != nil {
			return nil, nil, err
		}
		return b.Gain, b.Bias, nil
	}
	const precise = 1e-13
	r, err := mdp.Evaluate(ctx, t.table, mdp.Policy{Actions: policy}, t.criterion, mdp.Settings{Tolerance: precise})
	if r == nil {
		return nil, nil, err
	}
	for _, x := range r.Value {
		if math.IsInf(x, 0) {
			return nil, nil, errImproper
		}
	}
	return r.Value, nil, ctx.Err()
}

// methods returns the names of the methods for the criterion, the default first.
func (t *textbook) methods() []string {
	switch t.criterion.(type) {
	case mdp.LongRunAverage:
		return []string{policyIteration, relativeIteration}
	case mdp.Discounted:
		return []string{policyIteration, valueIteration}
	case mdp.FiniteHorizon:
		return []string{valueIteration}
	}
	return []string{policyIteration}
}

// run runs one of the methods.
func (t *textbook) run(ctx context.Context, method string, s mdp.Settings, take func(iterate) error) error {
	switch method {
	case valueIteration:
		return t.valueIteration(ctx, s.Values, s.Tolerance, s.MaxIterations, take)
	case relativeIteration:
		return t.relativeValueIteration(ctx, s.Values, s.Tolerance, s.MaxIterations, take)
	}
	return t.policyIteration(ctx, s.Policy, s.MaxIterations, take)
}

// The methods of textbooks.
const (
	valueIteration    = "value-iteration"
	relativeIteration = "rvi"
	policyIteration   = "policy-iteration"
)
