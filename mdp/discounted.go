package mdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/discounted"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Discounted asks for the expected discounted total cost, in which a cost paid after t
// steps counts β^t times,
//
//	v(s) = E[ Σ_t β^t·c_t ] from s,
//
// minimised over all policies (Puterman 1994, chapter 6), or that of rewards, maximised.
//
// The cost of a step of a [Timed] model of rate Λ is its cost per unit of time
// over Λ. With β = Λ/(Λ+α) the value is then (Λ+α)/Λ times that of the
// continuous-time process discounted at rate α.
type Discounted struct {
	// Discount is β, in [0, 1). With 0 only the first step counts.
	Discount float64

	// Complement is 1−β, rounded on its own, if β is close to 1 and not a float64, such
	// as 0.999999999: the digits of 1−β count there, and Discount does not hold them.
	// Bounds then hold for that β, with relative errors of 2⁻⁵³ in β and 1−β. 0 stands
	// for 1−Discount, exactly.
	Complement float64

	// Sense is the direction; zero minimises.
	Sense Sense
}

func (Discounted) name() string { return "discounted" }

func (d Discounted) check(Model) error {
	switch off := math.Abs(d.Discount + d.Complement - 1); {
	case d.Complement == 0 && !(d.Discount >= 0 && d.Discount < 1):
		return fmt.Errorf("mdp: Discounted.Discount %v is not valid: use a number in [0, 1)", d.Discount)
	case d.Complement != 0 && !(d.Discount >= 0 && d.Complement > 0 && off <= 2*rounding.Unit):
		return fmt.Errorf("mdp: Discounted.Complement %v is not valid with Discount %v: use 1−β, or 0", d.Complement, d.Discount)
	}
	return d.Sense.check()
}

func (d Discounted) sense() Sense { return d.Sense }

func (d Discounted) stepFactor() (*vector.Discount, bool) { return d.factor(), true }

func (d Discounted) minimized() Criterion {
	d.Sense = Minimize
	return d
}

// factor returns β and 1−β, with a bound on the relative error of either.
func (d Discounted) factor() *vector.Discount {
	if d.Complement == 0 {
		return &vector.Discount{Factor: d.Discount, Complement: doubledouble.TwoSum(1, -d.Discount)}
	}
	return &vector.Discount{Factor: d.Discount, Complement: doubledouble.FromFloat(d.Complement), RelativeError: 2 * rounding.Unit}
}

// slowDiscount bounds 1−β: below it values are sums of so many steps that float64 does
// not hold their digits.
const slowDiscount = 1e-6

func (d Discounted) solve(ctx context.Context, r *run, model Model) (*Result, error) {
	explicit, _ := model.(Explicit)
	if table, ok := tableOf(model); ok && r.settings.Method == 0 && !r.settings.isGiven && r.settings.Policy == nil && model.NumStates() > few && d.Discount > 0 {
		if order := discounted.TowardsGoals(table.rows, d.Discount); order != nil && !d.losesDigits(table.rows) {
			result, err := d.exactlyOrSwept(ctx, r, explicit, order)
			if err == nil && order.States != nil {
				result.Method, result.Reason = InexactPolicyIteration.String(), goalsFirst
			}
			return result, err
		}
	}
	m, reason := d.choose(r.settings, model)
	if m == PolicyIteration {
		return d.exactlyOrSwept(ctx, r, explicit, nil)
	}
	yields := reason == sweepsFirst
	result, end, err := d.by(ctx, r, model, m, yields)
	if err != nil {
		return nil, err
	}
	result.Method, result.Reason = m.String(), reason
	r.limits.Note(end)
	if !yields || !errors.Is(end, ErrPrecisionLimit) {
		return result, nil
	}
	// Some values are too small, compared with others, for a bound that is the same for
	// all states, or too large for float64.
	r.measure(ctx, model, d, result)
	if result.met(r.settings.Tolerance) {
		return result, nil
	}
	r.limits.End = nil
	exact, err := d.exactly(ctx, r, explicit, result.Policy, &discounted.Order{States: byMagnitude(result.Value)})
	if err == nil && exact.isOpen() && !result.isOpen() { // a limit ended it before all states had bounds
		return result, nil
	}
	return exact, err
}

// choose returns the method, and why where the settings leave it open.
func (d Discounted) choose(settings Settings, model Model) (m Method, reason string) {
	_, lists := model.(Explicit)
	_, follows := model.(PolicyBackuper)
	switch {
	case settings.isGiven:
		return ValueIteration, ""
	case lists && d.Discount == 0: // a value is the cost of one step, and sweeps would not prove that it is 0
		return PolicyIteration, ""
	case settings.Method != 0:
		return settings.Method, ""
	case lists && (model.NumStates() <= few || d.factor().Complement.Hi < slowDiscount):
		return PolicyIteration, ""
	case lists:
		return InexactPolicyIteration, sweepsFirst
	case follows:
		return ModifiedPolicyIteration, "the model does not list its rows"
	}
	return ValueIteration, "the model neither lists its rows nor sweeps with a fixed policy"
}

// exactlyOrSwept calls exactly. If a limit ends it before all states have bounds, value iteration
// finds bounds for them.
func (d Discounted) exactlyOrSwept(ctx context.Context, r *run, model Explicit, order *discounted.Order) (*Result, error) {
	result, err := d.exactly(ctx, r, model, r.settings.Policy, order)
	if err == nil && r.limits.HasEnded() && !errors.Is(r.limits.End, ErrIterationLimit) && result.isOpen() {
		swept, _, failure := d.by(ctx, r, model, ValueIteration, false)
		if failure == nil {
			swept.Method, swept.Reason, result = result.Method, result.Reason, swept
		}
	}
	return result, err
}

// losesDigits reports whether float64 does not hold all digits of a probability times the discount factor.
func (d Discounted) losesDigits(all *rows.Rows) bool {
	return slices.ContainsFunc(all.Probabilities, func(p float64) bool { return d.Discount*p < 0x1p-1022 })
}

// by solves by any method but policy iteration; end says why it did not converge. yields says that
// policy iteration follows.
func (d Discounted) by(ctx context.Context, r *run, model Model, m Method, yields bool) (result *Result, end, err error) {
	// Sweeps need a β below 1, also if Discount is rounded to 1.
	task := r.task(model, min(d.Discount, 1-rounding.Unit))
	task.By, task.Yields = d.factor(), yields
	defer task.Sweeper.Close()
	end, err = r.iterate(ctx, task, r.start(m, task), func(answer method.Answer) (float64, error) {
		b, err := discounted.Enclose(ctx, task, task.By, answer.Values)
		if err != nil {
			return 0, err
		}
		result = &Result{Policy: b.Policy, Value: b.Value}
		result.setBounds(b.Lower, b.Upper)
		result.proof = Proof{Lower: Witness{Value: vectorOf(b.Below)}, Upper: Witness{Value: vectorOf(b.Above)}}
		if b.Scale.High != nil {
			result.setScale(b.Scale, task.Rate)
		}
		return b.Shortfall(task.Tolerance), nil
	})
	return result, end, err
}

// goalsFirst is the reason for sweeps in the order of distances.
const goalsFirst = "paths lead to far goals: it sweeps from these to the states that lead there"

// byMagnitude lists states by the magnitude of their values, the largest first: the small values, which
// are to be found, follow from larger ones.
func byMagnitude(values []float64) []int32 {
	order := make([]int32, len(values))
	for s := range order {
		order[s] = int32(s)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(math.Abs(values[b]), math.Abs(values[a])) })
	return order
}

// exactly solves as a stochastic shortest path problem: by policy iteration with exact evaluation
// or, with an order, by sweeps in that order as far as they go.
func (d Discounted) exactly(ctx context.Context, r *run, model Explicit, start []int32, order *discounted.Order) (*Result, error) {
	all, err := rowsOf(model)
	if err != nil {
		return nil, err
	}
	by := d.factor()
	switch {
	case by.Factor == 0: // every step is the last
		all = &rows.Rows{StateStart: all.StateStart, RowStart: make([]int32, all.NumChoices()+1), Costs: all.Costs}
	case d.losesDigits(all):
		return nil, limit.ErrNotFinite
	}
	p := r.paths(all, relativeError(model)+2*rounding.Unit+by.RelativeError)
	p.Discount = by
	if order != nil {
		p.Sweeps, p.Order, p.Component, p.Components = order.States != nil, order.States, order.Component, order.Components
	}
	if start != nil {
		p.StartFrom(start)
	}
	if err := p.Solve(ctx); err != nil {
		return nil, err
	}
	result := r.pathResult(p, p.Lower, p.Upper, rateOf(model))
	result.Policy = p.Policy
	return result, nil
}
