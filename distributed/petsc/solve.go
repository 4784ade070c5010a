package petsc

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/distributed/petsc/internal/share"
	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp"
)

const (
	// forcing is the residual of an evaluation, as a share of the right-hand side. As
	// evaluations are that inexact, the upper bound may rise by looseness times the gap
	// between the bounds.
	forcing, looseness = 1e-2, 0.2

	// The horizon of an evaluation is the mean number of steps of the process that it looks
	// ahead. It grows from firstHorizon by the factor horizonGrowth with each step. It
	// shrinks by that factor if the equations were not solved, and by its square if the
	// upper bound rose. It stays between leastHorizon and mostHorizon.
	firstHorizon, leastHorizon, mostHorizon, horizonGrowth = 1e3, 10, 1e14, 30

	// Sweeps continue while each reduces the span of the residual by fastFall. At least a
	// quarter as many as the iterations of an evaluation follow it, between leastSweeps and
	// mostSweeps: they spread its improvements from state to state.
	fastFall, leastSweeps, mostSweeps = 0.6, 3, 30

	// damping is that of sweeps for the average, so that periodic models converge.
	damping = 0.9

	// The solve ends at the limit of rounding if bounds have not come closer by a
	// factor of slowFall in patience iterations, or if the span of the residual is less
	// than roundingShare of the gap between the proved bounds.
	patience, slowFall, roundingShare = 40, 0.95, 0.01

	// roughShare is the span of the residual, as a share of the values, down to which
	// sweeps are in float64.
	roughShare = 0x1p-40

	// mostKrylov is the most iterations of one evaluation.
	mostKrylov = 200
)

// Solve minimises, or maximises, over all policies by inexact policy iteration:
//
//	v ← v + (I − γ·β·P_π)⁻¹·(r − g),  r = T v − v,  γ = H/(1+H),
//
// where π attains T v, β is the discount (1 for the average) and g a number that is the
// same for all states. The horizon H grows from step to step, and sweeps follow each; see
// [mdp.InexactPolicyIteration], which takes the same steps. The equations are
// solved by PETSc to within a share of their right side (Dembo, Eisenstat and Steihaug
// 1982; Gargiani and others 2024): by restarted GMRES, preconditioned on the right by
// incomplete factors of each rank's block or, once that takes too long, by algebraic
// multigrid (hypre's BoomerAMG), unless PETSC_OPTIONS says otherwise.
//
// The average needs a model with the same optimal gain from every state: unichain or
// communicating. On any other the bounds hold, but do not meet.
//
// When ctx ends, on any rank, the solve ends at the next iteration of the Krylov method or
// the next sweep. The result is then the best so far, with the status
// [mdp.Interrupted], or [mdp.TimeLimit] after a deadline. If a solve ends before it has
// converged, Solve returns a result and the error that [mdp.Solve] would return. In a
// program that was built without PETSc the error is [ErrNoEngine].
func Solve(ctx context.Context, w *World, model Model, c mdp.Criterion, settings Settings) (*Result, error) {
	if !hasEngine {
		return nil, ErrNoEngine
	}
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	s, err := newSweeper(ctx, w, model, c, settings.Tolerance)
	if err != nil {
		return nil, err
	}
	n := len(s.policy)
	it := &iteration{
		sweeper: s, settings: settings, states: model.NumStates(),
		correction: w.newVector(n, nil),
		system:     s.share.NewSystem(),
		horizon:    firstHorizon,
		lowest:     math.Inf(-1), highest: math.Inf(1), span: math.Inf(1), gap: math.Inf(1),
	}
	it.best.upper = math.Inf(1)
	w.forget()
	defer context.AfterFunc(ctx, w.stop)()
	return it.run(ctx)
}

// iteration is inexact policy iteration in progress.
type iteration struct {
	*sweeper
	settings Settings
	states   int // of all ranks

	correction vector
	system     *share.System
	multigrid  bool // preconditions
	proves     bool // sweeps are in double-double

	horizon         float64
	center          float64 // g: an estimate of the long-run mean of the residual
	lowest, highest float64 // the best bounds on a number for the answer: the gain, or the mean value times 1−β

	best      snapshot
	span, gap float64 // of the best values, and between lowest and highest, when they last came closer
	idle      int     // iterations since then

	iterations, krylov, sweeps int
}

// snapshot holds values and the results of a sweep over them.
type snapshot struct {
	high, low    []float64
	policy       []int32
	lower, upper float64
	met, proved  bool
}

// run iterates until the bounds are within the tolerance, or until a limit.
func (it *iteration) run(ctx context.Context) (*Result, error) {
	if err := it.measure(ctx); err != nil {
		return nil, err
	}
	end := it.sweepOn(ctx, 0)
	for end == nil && !it.met {
		switch {
		case it.isLost():
			end = it.enclose(ctx)
		case it.iterations == it.settings.MaxIterations:
			end = mdp.ErrIterationLimit
		default:
			end = it.iterate(ctx)
		}
	}
	if errors.Is(end, mdp.ErrOverflow) {
		return nil, end
	}
	it.restore(&it.best)
	it.lower, it.upper, it.met = it.best.lower, it.best.upper, it.best.met
	if !it.best.proved {
		it.sweeps++
		if err := it.sweep(ctx, true); err != nil {
			return nil, err
		}
	}
	r := it.result()
	r.Iterations, r.Krylov, r.Sweeps = it.iterations, it.krylov, it.sweeps
	switch {
	case r.Status == mdp.Converged:
		return r, nil
	case errors.Is(end, mdp.ErrPrecisionLimit):
		r.Status = mdp.PrecisionLimit
	case errors.Is(end, mdp.ErrIterationLimit):
		r.Status = mdp.IterationLimit
	case errors.Is(end, mdp.ErrTimeLimit):
		r.Status = mdp.TimeLimit
	default:
		r.Status = mdp.Interrupted
	}
	return r, end
}

// iterate evaluates the current policy, and sweeps.
func (it *iteration) iterate(ctx context.Context) error {
	it.iterations++
	allowed := it.offset() + it.most + looseness*(it.highest-it.lowest)
	used, good := it.step()
	it.krylov += used
	if err := it.measure(ctx); err != nil && !errors.Is(err, mdp.ErrOverflow) {
		return err
	}
	switch {
	case !(it.offset()+it.most <= allowed): // also where it is NaN
		it.horizon = max(it.horizon/(horizonGrowth*horizonGrowth), leastHorizon)
		it.restore(&it.best)
		if err := it.measure(ctx); err != nil {
			return err
		}
		used = 0
	case good:
		it.horizon = min(it.horizon*horizonGrowth, mostHorizon)
	default:
		it.horizon = max(it.horizon/horizonGrowth, leastHorizon)
	}
	err := it.sweepOn(ctx, min(max(used/4, leastSweeps), mostSweeps))
	it.settings.Record(it.iterations, used, it.best.lower, it.best.upper)
	return err
}

// step adds the solution of the policy's equations to the values, and returns the number of
// Krylov iterations and whether the equations were solved.
func (it *iteration) step() (used int, good bool) {
	stop := (1 - it.discount) + it.discount/(1+it.horizon)
	it.system.Of(it.share, it.policy, stop)
	it.world.setMatrix(it.system.Start, it.system.Columns, it.system.Values, it.states)
	it.center = min(max(it.center, it.least), it.most)
	for i := range it.residual.values {
		it.residual.values[i] -= it.center
	}
	used, good = it.evaluate(forcing)

	mean, states := 0.0, float64(len(it.policy))
	for _, x := range it.correction.values {
		mean += x
	}
	it.world.sum(&mean, &states)
	mean /= states
	number, rest := -mean, it.center
	if it.discount < 1 {
		number, rest = it.center/(1-it.discount), 0
	}
	it.add(it.correction.values, 1, number)
	it.center = rest + (stop-(1-it.discount))*mean
	return used, good
}

// evaluate solves the system for the correction, with the residual as right-hand side. If
// that is too hard with incomplete factors, which are cheap, it uses multigrid from then
// on.
func (it *iteration) evaluate(share float64) (used int, good bool) {
	clear(it.correction.values)
	used, good = it.world.solve(it.residual, it.correction, share, mostKrylov)
	if !good && !it.multigrid {
		it.multigrid = true
		it.world.useMultigrid()
		clear(it.correction.values)
		var more int
		more, good = it.world.solve(it.residual, it.correction, share, mostKrylov)
		used += more
	}
	return used, good
}

// offset is the difference between the number that stands for the answer and the
// residual.
func (it *iteration) offset() float64 { return (1 - it.discount) * it.mean }

// measure sweeps, and keeps the values with the closest bounds. It sweeps in float64 until
// the bounds may be close enough or float64 no longer resolves the residual, and then in
// double-double. If the context of a rank has ended, it returns [mdp.ErrTimeLimit] or the
// cause.
func (it *iteration) measure(ctx context.Context) error {
	it.sweeps++
	if err := it.sweep(ctx, it.proves); err != nil {
		return err
	}
	if !it.proves && (it.met || it.most-it.least < roughShare*it.size) {
		it.proves = true
		return it.measure(ctx)
	}
	it.lowest, it.highest = max(it.lowest, it.offset()+it.least), min(it.highest, it.offset()+it.most)
	if it.best.high == nil || it.met || it.upper-it.lower < it.best.upper-it.best.lower {
		it.keep(&it.best)
	}
	if !it.ended || it.met {
		return nil
	}
	if ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return mdp.ErrTimeLimit
	}
	return context.Cause(ctx)
}

// sweepOn sweeps while the span falls fast, and at least the given number of times unless
// no action changes and the span hardly falls.
func (it *iteration) sweepOn(ctx context.Context, times int) error {
	for made := 0; !it.met; made++ {
		before := it.most - it.least
		if it.discount == 1 {
			it.add(it.residual.values, damping, -damping*(it.least+before/2))
		} else {
			it.add(it.residual.values, 1, 0)
		}
		if err := it.measure(ctx); err != nil {
			return err
		}
		span := it.most - it.least
		if span > fastFall*before && made >= times || it.changed == 0 && span > slowFall*before {
			return nil
		}
	}
	return nil
}

// isLost reports whether the bounds no longer come closer.
func (it *iteration) isLost() bool {
	span, gap := it.best.upper-it.best.lower, it.highest-it.lowest
	if it.idle++; span < slowFall*it.span || gap < slowFall*it.gap {
		it.idle, it.span, it.gap = 0, span, gap
	}
	proved := it.upper - it.lower
	if it.discount < 1 {
		proved *= 1 - it.discount
	}
	return it.idle >= patience || it.proves && it.most-it.least < roundingShare*proved
}

// add adds factor·x and a number to the values.
func (it *iteration) add(x []float64, factor, number float64) {
	for i, more := range x {
		sum := doubledouble.Number{Hi: it.high.values[i], Lo: it.low.values[i]}.AddFloat(float64(factor*more) + number)
		it.high.values[i], it.low.values[i] = sum.Hi, sum.Lo
	}
}

// keep copies the values to a snapshot.
func (it *iteration) keep(to *snapshot) {
	n := len(it.policy)
	to.lower, to.upper, to.met, to.proved = it.lower, it.upper, it.met, it.proves
	to.high = append(to.high[:0], it.high.values[:n]...)
	to.low = append(to.low[:0], it.low.values[:n]...)
	to.policy = append(to.policy[:0], it.policy...)
}

// restore restores the values of a snapshot.
func (it *iteration) restore(from *snapshot) {
	copy(it.high.values, from.high)
	copy(it.low.values, from.low)
	copy(it.policy, from.policy)
}

const defaultIterations = 1000

func (s Settings) withDefaults() (Settings, error) {
	if s.Tolerance == 0 {
		s.Tolerance = mdp.DefaultTolerance
	}
	if s.MaxIterations == 0 {
		s.MaxIterations = defaultIterations
	}
	if !(s.Tolerance > 0) || math.IsInf(s.Tolerance, 1) || s.MaxIterations < 0 {
		return s, fmt.Errorf("petsc: Tolerance %v or MaxIterations %d is not valid: use positive finite numbers, or 0", s.Tolerance, s.MaxIterations)
	}
	if s.Record == nil {
		s.Record = func(int, int, float64, float64) {}
	}
	return s, nil
}
