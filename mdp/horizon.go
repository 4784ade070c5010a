package mdp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/horizon"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// FiniteHorizon asks for the expected total cost of n steps,
//
//	v_0(s) = E[ Σ_{t<n} β^t·c_t + β^n·(terminal cost of the state after them) ] from s,
//
// minimised over all policies, which may depend on the time, or that of
// rewards, maximised. Solve computes it by backward induction, v_t = T(β·v_{t+1})
// (Puterman 1994, §4.5), and needs Backup only; an iteration is one step. It refuses a
// [Timed] model whose rate is not 1: its steps are no units of time.
//
// The policy of the [Result] is that of the first step; Stage sees all. If a solve stops
// early, the bounds assume the least and the greatest cost for each remaining step.
type FiniteHorizon struct {
	// Steps is the number n of steps, at least 0.
	Steps int

	// Terminal is the cost, or reward, of ending in each state; nil for none. For an
	// [Approximate] model it has the relative error of the model.
	Terminal []float64

	// Discount is the factor β, 0 < β ≤ 1, by which a step weighs less than the one before; 0
	// stands for 1. For an [Approximate] model it was rounded, too.
	Discount float64

	// At, if not nil, returns the model of each step, for costs and transitions that change with
	// time: [Explicit] or [Uncertain] models. Each has the states of the model that Solve is
	// given, whose own rows and costs play no role. Solve may ask for a step several times.
	At func(step int) (Model, error)

	// Sense is the direction; zero minimises.
	Sense Sense

	// Stage, if not nil, is called for each step from the last, Steps−1, to
	// the first, 0, with the optimal values before the step and its policy. It
	// must copy slices that it keeps. If it returns an error, Solve stops as if
	// interrupted, with that error. Where the bounds need more digits, Solve goes through all
	// steps a second time: the policies of the last call for each step achieve them.
	Stage func(step int, values []float64, policy []int32) error
}

func (FiniteHorizon) name() string { return "finite" }

func (f FiniteHorizon) sense() Sense { return f.Sense }

func (FiniteHorizon) stepFactor() (*vector.Discount, bool) { return nil, false }

func (FiniteHorizon) minimized() Criterion { return nil }

func (f FiniteHorizon) check(model Model) error {
	if !(f.Discount >= 0 && f.Discount <= 1) {
		return fmt.Errorf("mdp: FiniteHorizon.Discount %v is not valid: use a number above 0, up to 1", f.Discount)
	}
	if f.Steps < 0 {
		return fmt.Errorf("mdp: FiniteHorizon.Steps %d is not valid: use 0 or more", f.Steps)
	}
	if timed, ok := model.(Timed); ok && timed.Rate() != 1 {
		return fmt.Errorf("mdp: FiniteHorizon: %w: its steps are events of a uniformized process, %v per unit of time, and no steps of time",
			ErrUnsupported, timed.Rate())
	}
	return cmp.Or(checkTerminal("FiniteHorizon", f.Terminal, model.NumStates()), f.Sense.check())
}

// checkTerminal checks the terminal costs of a criterion for a model of n states.
func checkTerminal(criterion string, costs []float64, n int) error {
	if costs != nil && len(costs) != n {
		return fmt.Errorf("mdp: %s.Terminal of length %d is not valid: the model has %d states", criterion, len(costs), n)
	}
	for s, v := range costs {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("mdp: %s.Terminal[%d] %v is not valid: use finite numbers", criterion, s, v)
		}
	}
	return nil
}

func (f FiniteHorizon) solve(ctx context.Context, r *run, model Model) (*Result, error) {
	task := r.task(model, 1)
	defer task.Sweeper.Close()
	terminal := make([]float64, model.NumStates())
	if f.Terminal != nil {
		terminal = vector.Scaled(f.Terminal, f.sign())
	}
	all := &stages{FiniteHorizon: f, step: -1, model: model}
	all.list()
	discount := f.factor(model)
	at, err := horizon.New(all.backedUp, f.At != nil, task.Sweeper, terminal, f.Steps, discount)
	if err != nil {
		return nil, err
	}
	at.Error = all.relativeError*vector.LargestMagnitude(terminal) + float64(f.Steps)*all.payError
	uncertain, isUncertain := model.(operator)
	f.watch(r.limits, at)
	if f.Steps > 0 {
		end, err := r.limits.Drive(ctx, at)
		if err != nil {
			return nil, err
		}
		r.limits.Note(end)
	}
	if isUncertain {
		uncertain.choose(vector.Of(slices.Clone(at.After)))
	}
	result := f.result(at, all.relativeError)
	if (all.listed.Lister != nil || isUncertain) && at.IsFinished() && !result.met(r.settings.Tolerance) {
		if e := horizon.Extend(ctx, all.rows, all.relativeError, task.Sweeper, terminal, f.Steps, discount, f.tell); e != nil {
			result.extend(e)
		}
	}
	return result, nil
}

// stages are the models of the steps, made one at a time.
type stages struct {
	FiniteHorizon
	step          int // of the last model
	model         Model
	listed        bound.Lister
	backupError   float64
	relativeError float64 // the greatest of the steps seen
	payError      float64 // the greatest error that costs of transitions add to a step, of the steps seen
}

// enter makes the model of a step the last one.
func (s *stages) enter(step int) error {
	if s.At == nil || step == s.step {
		return nil
	}
	model, err := s.At(step)
	if err == nil {
		err = cmp.Or(checkGiven("model of FiniteHorizon.At", "", model), s.check(model))
	}
	if err == nil && model.NumStates() != s.model.NumStates() {
		err = fmt.Errorf("mdp: FiniteHorizon.At: a model of %d states is not valid: use one of %d", model.NumStates(), s.model.NumStates())
	}
	if err != nil {
		return fmt.Errorf("step %d: %w", step, err)
	}
	switch m := model.(type) {
	case *Uncertain:
		if err := m.check(s.FiniteHorizon); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
		if s.Sense == Maximize {
			m = m.withRewards()
		}
		model = m.operator(nil)
	case Explicit:
		if s.Sense == Maximize {
			if model, err = rewardsAsCosts(model); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("step %d: mdp: FiniteHorizon.At: %w: the model does not list its rows (interface Explicit)", step, ErrUnsupported)
	}
	s.step, s.model = step, model
	s.list()
	return nil
}

// list finds how the last model is listed, with its errors.
func (s *stages) list() {
	var terms int
	s.listed, terms, _ = listing(s.model)
	s.backupError = bound.BackupError(terms, s.listed.RelativeError)
	s.relativeError = max(s.relativeError, s.listed.RelativeError)
	if u, ok := s.model.(operator); ok {
		s.payError = max(s.payError, 2*s.backupError*vector.LargestMagnitude(u.Rows.Pay))
	}
}

// backedUp implements [horizon.Stage].
func (s *stages) backedUp(step int) (sweep.Model, float64, error) {
	err := s.enter(step)
	return s.model, s.backupError, err
}

// rows implements [horizon.At].
func (s *stages) rows(step int, values vector.Vector, side float64) (bound.Lister, error) {
	err := s.enter(step)
	if u, ok := s.model.(operator); ok {
		return u.at(values, side), err
	}
	return s.listed, err
}

// extend replaces bounds by those of an induction in double-double, and moves values
// into them.
func (r *Result) extend(e *horizon.Extended) {
	lower, upper := boundsOf(e.Lower, e.Upper, 1)
	if slices.ContainsFunc(slices.Concat(lower, upper), math.IsNaN) {
		return // values near the largest float64 leave double-double
	}
	r.setBounds(lower, upper)
	r.scale, _ = boundsOf(e.Scale, e.Scale, 1)
	for s, v := range r.Value {
		r.scale[s] = max(r.scale[s], 0)
		r.Value[s] = rounding.Between(v, r.lower[s], r.upper[s])
	}
	r.Policy = e.Policy
}

// watch has limits call Settings.Record, and then Stage, after each step.
func (f FiniteHorizon) watch(limits *limit.Run, at *horizon.Induction) {
	record := limits.Record
	limits.Record = func(iteration int, lower, upper float64) error {
		if record != nil {
			if err := record(iteration, lower, upper); err != nil {
				return err
			}
		}
		return f.tell(f.Steps-at.Done, at.Values, at.Policy)
	}
}

// tell calls Stage with costs, or rewards.
func (f FiniteHorizon) tell(step int, costs []float64, policy []int32) error {
	if f.Stage == nil {
		return nil
	}
	if f.Sense == Maximize {
		costs = vector.Scaled(costs, -1)
	}
	return f.Stage(step, costs, policy)
}

// result returns the values, with bounds on what the remaining steps can cost.
func (f FiniteHorizon) result(at *horizon.Induction, relativeError float64) *Result {
	v, err := at.Values, at.Error
	lower, upper := slices.Clone(v), slices.Clone(v)
	if left := float64(f.Steps - at.Done); left > 0 {
		weight, rest := left, 1.0 // of the remaining steps, and of what follows
		if f.Discount > 0 && f.Discount < 1 {
			rest = math.Pow(f.Discount, left)
			weight = math.Expm1(left*math.Log(f.Discount)) / (f.Discount - 1)
		}
		low, high := weight*at.Least+rest*slices.Min(v), weight*at.Most+rest*slices.Max(v)
		err += 8 * left * rounding.Unit * vector.LargestMagnitude(v)
		for s := range v {
			lower[s], upper[s], v[s] = low, high, low+(high-low)/2
		}
		err += left * (8*bound.AssumedTerms*rounding.Unit + 2*relativeError) * (math.Abs(at.Least) + math.Abs(at.Most))
	}
	for s := 0; s < len(v) && err > 0; s++ {
		lower[s], upper[s] = math.Nextafter(lower[s]-err, math.Inf(-1)), math.Nextafter(upper[s]+err, math.Inf(1))
	}
	result := &Result{Policy: at.Policy, Value: v, Method: "backward induction", Reason: "it is exact"}
	result.setBounds(lower, upper)
	return result
}

// factor returns the discount factor. Beside an approximate model, it is taken to be rounded,
// too.
func (f FiniteHorizon) factor(model Model) horizon.Factor {
	x := horizon.Factor{Value: f.Discount}
	if x.Value == 0 {
		x.Value = 1
	}
	if relativeError(model) > 0 && x.Value != 1 {
		x.RelativeError = rounding.Unit
	}
	return x
}

// sign returns the factor that turns terminal costs or rewards into costs.
func (f FiniteHorizon) sign() float64 {
	if f.Sense == Maximize {
		return -1
	}
	return 1
}
