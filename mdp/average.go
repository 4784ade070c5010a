package mdp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/average"
	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// LongRunAverage asks for the optimal gain: the long-run average cost per step, or per
// unit of time for a [Timed] model,
//
//	g(s) = limsup (1/n)·E[cost of the first n steps from s],
//
// minimised over all policies (Puterman 1994, chapters 8 and 9), or that of
// rewards, maximised.
//
// The optimal gain may depend on the state if not every state can be reached from
// every other. Solve then divides the model: a [Table] always, any other [Explicit]
// model if Settings name no method. A method solves each maximal end component, which
// has one optimal gain; a stochastic shortest path problem decides in which of them to
// stay. [Result.Bounds] and [Result.Optimum] give the gain of each state.
type LongRunAverage struct {
	// Sense is the direction; zero minimises.
	Sense Sense

	// GainOnly says that relative values are not asked for. [Result.Bias] is then nil where finding
	// them would be another problem to solve after that of the gains.
	GainOnly bool
}

func (LongRunAverage) name() string { return "average" }

func (l LongRunAverage) check(Model) error { return l.Sense.check() }

func (l LongRunAverage) sense() Sense { return l.Sense }

func (LongRunAverage) stepFactor() (*vector.Discount, bool) { return nil, true }

func (LongRunAverage) minimized() Criterion { return LongRunAverage{GainOnly: true} }

func (l LongRunAverage) solve(ctx context.Context, r *run, model Model) (*Result, error) {
	table, isTable := tableOf(model)
	if isTable {
		if ends := table.endComponents(); ends.Strong > 1 {
			return l.divide(ctx, r, model, table.rows, ends)
		}
	}
	part, method, err := l.whole(ctx, r, model)
	explicit, lists := model.(Explicit)
	if errors.Is(err, average.ErrNotCommunicating) && lists && r.settings.Method == 0 {
		all, err := rowsOf(explicit)
		if err != nil {
			return nil, err
		}
		return l.divide(ctx, r, model, all, endcomponents.Find(all, nil))
	}
	if err != nil {
		return nil, err
	}
	result := &Result{Policy: part.Policy, Gain: part.Gain, Bias: part.Bias, Method: method.name, Reason: method.reason}
	result.setBounds([]float64{part.Lower}, []float64{part.Upper})
	result.proof = Proof{
		Lower: Witness{Vector{High: result.lower}, vectorOf(part.Below)},
		Upper: Witness{Vector{High: result.upper}, vectorOf(part.Above)},
	}
	for s := range result.Bias {
		result.Bias[s] /= rateOf(model)
	}
	return result, nil
}

// used names the method that ran, and the reason why Solve chose it; "" if Settings named it.
type used struct{ name, reason string }

// few is a number of states for which exact evaluation takes no time.
const few = 64

// whole solves a model without dividing it.
func (l LongRunAverage) whole(ctx context.Context, r *run, model Model) (average.Part, used, error) {
	m, reason, err := l.choose(ctx, r, model)
	if err != nil {
		return average.Part{}, used{}, err
	}
	part, end, err := l.by(ctx, r, model, m)
	if err != nil {
		return average.Part{}, used{}, err
	}
	fails := func(chosen Method) bool {
		return m == chosen && reason != "" && errors.Is(end, ErrPrecisionLimit) && isVague(part.Lower, part.Upper)
	}
	if fails(PolicyIteration) && model.NumStates() > few {
		// Some state is visited so rarely that elimination underflows.
		m, reason = InexactPolicyIteration, "exact evaluation underflows float64"
		if part, end, err = l.by(ctx, r, model, m); err != nil {
			return average.Part{}, used{}, err
		}
	}
	if fails(InexactPolicyIteration) && !r.limits.HasEnded() {
		// Steps come to policies whose values are too large for float64. Sweeps may pass them by.
		most := r.limits.MaxIterations
		r.limits.MaxIterations = min(most, r.limits.Iterations+lastSweeps)
		swept, sweptEnd, err := l.by(ctx, r, model, RelativeValueIteration)
		r.limits.MaxIterations = most
		if err != nil {
			return average.Part{}, used{}, err
		}
		if swept.Upper-swept.Lower < part.Upper-part.Lower {
			part, m, reason = swept, RelativeValueIteration, "values of policies are too large for float64"
		}
		if !errors.Is(sweptEnd, ErrIterationLimit) || r.limits.Iterations >= most {
			end = sweptEnd
		}
	}
	r.limits.Note(end)
	return part, used{m.String(), reason}, nil
}

// lastSweeps bounds the sweeps after inexact policy iteration has failed.
const lastSweeps = 20_000

// isVague reports whether the bounds on the gain differ by more than 0.1% of it.
func isVague(lower, upper float64) bool {
	return !(upper-lower <= 1e-3*max(math.Abs(lower), math.Abs(upper)))
}

// choose returns the method that Settings name, or one for the model and the reason.
func (LongRunAverage) choose(ctx context.Context, r *run, model Model) (m Method, why string, err error) {
	_, lists := model.(Explicit)
	operations := float64(evaluate.Operations)
	if r.settings.isGiven {
		return RelativeValueIteration, "", nil
	}
	switch r.settings.Method {
	case 0:
		if !lists {
			return RelativeValueIteration, "the model does not list its rows", nil
		}
		if _, isTable := tableOf(model); isTable && model.NumStates() > few && r.side == 0 {
			return InexactPolicyIteration, sweepsFirst, nil
		}
	case PolicyIteration:
		operations = math.Inf(1)
	default:
		return r.settings.Method, "", nil
	}
	listed, _, _ := listing(model)
	forecast, err := average.Forecast(ctx, listed, operations)
	named := r.settings.Method != 0
	switch {
	case errors.Is(err, average.ErrNotCommunicating) && named:
		return 0, "", fmt.Errorf("mdp: policy iteration: %w: %w", ErrUnsupported, err)
	case named:
		return PolicyIteration, "", nil // interrupted, the run ends before the first iteration
	case ctx.Err() != nil:
		return RelativeValueIteration, "the solve was interrupted before a method was chosen", nil
	case err != nil:
		return 0, "", err
	case !evaluate.IsAffordable(ctx, forecast, operations):
		return InexactPolicyIteration, fmt.Sprintf("exact evaluation would take %s", forecast), nil
	}
	return PolicyIteration, smallEnough, nil
}

// sweepsFirst is the reason for inexact policy iteration.
const sweepsFirst = "it sweeps while that makes progress, and then evaluates policies"

// smallEnough is the reason for policy iteration.
const smallEnough = "the model is small enough to solve exactly"

// by solves a model by a method, without dividing it; end says why it did not converge.
func (l LongRunAverage) by(ctx context.Context, r *run, model Model, m Method) (part average.Part, end, err error) {
	task := r.task(model, 1)
	defer task.Sweeper.Close()
	var it method.Iteration
	if m == PolicyIteration {
		if it, err = average.New(ctx, task); err != nil {
			return part, nil, err
		}
	} else {
		it = r.start(m, task)
	}
	end, err = r.iterate(ctx, task, it, func(answer method.Answer) (shortfall float64, err error) {
		part, err = average.Enclose(ctx, task, answer)
		return bound.Shortfall(part.Lower, part.Upper, task.Tolerance), err
	})
	return part, end, err
}

// divide solves each maximal end component, and decides in which of them to stay.
func (l LongRunAverage) divide(ctx context.Context, r *run, model Model, all *rows.Rows, ends *endcomponents.Components) (*Result, error) {
	var largest used
	size := 0
	x, err := average.Divide(ctx, average.Whole{
		Rows: all, Ends: ends, Side: r.side, RelativeError: relativeError(model), Run: r.limits, Start: r.settings.Policy, Eliminate: r.settings.Method == PolicyIteration,
		GainOnly: l.GainOnly && r.side == 0, Tolerance: r.settings.Tolerance,
		Solve: func(rowsOfPart *rows.Rows, members, start []int32) (average.Part, error) {
			inPart := *r
			inPart.settings.Policy = start
			if values := r.settings.Values; values != nil {
				inPart.settings.Values = vector.Gather(values, members)
			}
			part, by, err := l.whole(ctx, &inPart, approximateTable{&Table{rows: rowsOfPart, rate: rateOf(model)}, relativeError(model)})
			if len(members) > size {
				size, largest = len(members), by
			}
			return part, err
		},
	})
	if err != nil {
		return nil, err
	}
	result := &Result{Policy: x.Policy, Gain: x.Gain[0], gains: x.Gain, Method: largest.name}
	if size == 0 {
		result.Method = PolicyIteration.String()
	}
	if r.settings.Method == 0 {
		result.Reason = "the only maximal end component"
		if x.Ends > 1 {
			result.Reason = fmt.Sprintf("the largest of %d maximal end components", x.Ends)
		}
		result.Reason += fmt.Sprintf(" has %d of the states", max(size, 1))
		switch largest.reason {
		case "":
		case smallEnough:
			result.Reason += ", few enough to solve exactly"
		default:
			result.Reason += ": " + largest.reason
		}
	}
	result.setBounds(boundsOf(x.Floor, x.Roof, 1))
	result.proof = Proof{
		Lower: Witness{vectorOf(x.Floor), vectorOf(x.Below)},
		Upper: Witness{vectorOf(x.Roof), vectorOf(x.Above)},
	}
	result.relative = x.Relative
	if x.Bias != nil {
		result.Bias = vector.Of(x.Bias).Relative(rateOf(model))
		if x.Ends > 1 && all.NumChoices() == all.NumStates() && r.side == 0 && !r.limits.HasEnded() {
			setBias(ctx, r, all, result.Bias)
		}
	}
	return result, nil
}

// setBias turns relative values h of a chain, which are arbitrary up to a constant in each closed class,
// into the bias less that of state 0. The bias is h − P*·h, where P*·h is the long-run average of h. If
// that average is not found, the relative values remain.
func setBias(ctx context.Context, r *run, chain *rows.Rows, relative []float64) {
	averages, err := Solve(ctx, &Table{rows: chain.WithCosts(slices.Clone(relative)), rate: 1}, LongRunAverage{GainOnly: true}, Settings{Tolerance: r.settings.Tolerance, Workers: r.settings.Workers})
	if err != nil {
		return
	}
	for s := range relative {
		relative[s] -= averages.Optimum(s) - averages.Optimum(0)
	}
}
