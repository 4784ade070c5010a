package mdp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/uncertain"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Solving uncertain models: sweeps of the operator that has nature's choice in it.

// NatureChoice is what nature chooses in an [Uncertain] model, in an answer of [Solve]. The policy of
// the answer costs no more than the upper bounds: whatever nature chooses ([Robust]), or if nature
// chooses so ([Optimistic]). The inequalities of [Result.Proof] hold for
//
//	             Lower                            Upper
//	Robust       all choices of this model        the choices of Policy, with all
//	                                              probabilities in U(s,a)
//	Optimistic   all choices, with all            the choices of Policy in this model
//	             probabilities in U(s,a)
//
// On the side with all probabilities, the second inequality of LongRunAverage holds for every choice,
// also for one that leaves its end component.
type NatureChoice struct {
	// Rounds is the number of ordinary models that were solved; 0 if sweeps were enough.
	Rounds int

	uncertain *Uncertain
	choice    func(s, a int) []float64
}

// Probabilities returns nature's choice for action a of state s: a number for each element of
// the row of [Uncertain.AppendRow]. For FiniteHorizon it is that of the first step.
func (c *NatureChoice) Probabilities(s, a int) []float64 { return slices.Clone(c.choice(s, a)) }

// Model returns the ordinary model of nature's choices for all actions. Costs of
// transitions are in those of actions. [Evaluate] says what the policy does in it.
func (c *NatureChoice) Model() *Table { return c.uncertain.chosen(c.choice) }

// chosen returns the ordinary model of nature's choices.
func (u *Uncertain) chosen(nature func(s, a int) []float64) *Table {
	return &Table{rows: u.rows.Of(u.all(nature), false), rate: u.rate}
}

// all returns nature's choices for all actions, by interval.
func (u *Uncertain) all(nature func(s, a int) []float64) (p []float64) {
	for s := range u.NumStates() {
		for a := range u.NumActions(s) {
			p = append(p, nature(s, a)...)
		}
	}
	return p
}

// In a model of more than sweptStates states, sweeps come before the rounds. In smaller ones rounds take
// milliseconds, and give closer bounds.
const sweptStates = 500

// solve is [Solve] for an uncertain model.
func (u *Uncertain) solve(ctx context.Context, begin time.Time, criterion Criterion, settings Settings) (*Result, error) {
	listed := listedUncertain{uncertain.Extreme{Rows: u.rows}, u.rate}
	settings, err := settings.withDefaults(listed)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(u.check(criterion), criterion.check(listed), settings.Method.check(criterion, listed)); err != nil {
		return nil, err
	}
	if _, isAverage := criterion.(LongRunAverage); isAverage { // nature's choice needs relative values
		criterion = LongRunAverage{Sense: criterion.sense()}
	}
	g := &withNature{Criterion: criterion, uncertain: u, sign: u.sweep().Sign}
	maximize := criterion.sense() == Maximize
	if maximize {
		g.uncertain, settings = u.withRewards(), settings.negative()
	}
	if t, isTotal := criterion.(TotalCost); isTotal && !u.rows.IsSupportKnown() {
		g.reach = newReach(g, t)
	}
	result, err := settings.solve(ctx, begin, listed, g, maximize)
	if result != nil {
		result.Nature = &NatureChoice{g.solved, u, g.nature}
	}
	return result, err
}

// listedUncertain stands for an uncertain model where settings and criterion are checked.
type listedUncertain struct {
	uncertain.Extreme
	rate float64
}

// Rate implements [Timed].
func (l listedUncertain) Rate() float64 { return l.rate }

// check checks what is special to uncertain models.
func (u *Uncertain) check(criterion Criterion) error {
	switch total, isTotal := criterion.(TotalCost); {
	case isTotal && total.Target == nil:
		return fmt.Errorf("mdp: TotalCost: %w: the model is uncertain: give a target", ErrUnsupported)
	case u.nature != Robust && u.nature != Optimistic:
		return fmt.Errorf("mdp: Nature %d is not valid: use Robust or Optimistic", int(u.nature))
	}
	_, isHorizon := criterion.(FiniteHorizon)
	if _, ok := criterion.stepFactor(); !ok && !isHorizon {
		return fmt.Errorf("mdp: criterion %s: %w: probabilities are only known to lie in intervals", criterion.name(), ErrUnsupported)
	}
	return nil
}

// operator is the model whose backups have nature's choice in them.
type operator struct {
	uncertain.Sweep
	rate          float64
	relativeError float64
	choose        func(values vector.Vector) // sets nature's choice to the extreme one for values
}

// Rate implements [Timed].
func (o operator) Rate() float64 { return o.rate }

func (u *Uncertain) operator(choose func(values vector.Vector)) operator {
	return operator{u.sweep(), u.rate, u.relativeError, choose}
}

// at lists the rows that nature chooses for values, see [horizon.At]. Side 0 asks for a lower bound
// on absolute costs, whatever nature chooses. In a model whose transitions have costs, all costs
// count as 0 for this bound, since those of actions and of transitions may cancel.
func (o operator) at(values vector.Vector, side float64) bound.Lister {
	x := uncertain.Extreme{Rows: o.Rows, Values: values, Sign: o.Sign, Up: side > 0}
	if side == 0 {
		x.Sign, x.IsGain = -1, o.Rows.Pay != nil
	}
	return bound.Lister{Lister: x, RelativeError: o.relativeError}
}

// withNature is a criterion where nature chooses the probabilities, with costs to minimise.
type withNature struct {
	*run
	Criterion
	uncertain *Uncertain
	sign      float64 // nature makes costs as large as possible (1), or as small (−1)
	sweeper   *sweep.Sweeper
	solved    int                      // ordinary models
	nature    func(s, a int) []float64 // its choice in the answer
	reach     *reach                   // nil unless nature may choose what can be reached
}

// minimized implements [Criterion]: solve finds the scale.
func (g *withNature) minimized() Criterion { return nil }

// solve implements [Criterion].
func (g *withNature) solve(ctx context.Context, r *run, _ Model) (*Result, error) {
	g.run, r.side = r, g.sign
	g.sweeper = sweep.New(g.operator(), r.settings.Workers)
	defer g.sweeper.Close()
	result, err := g.find(ctx)
	if err == nil && !result.met(r.settings.Tolerance) && !r.limits.HasEnded() {
		g.measure(ctx, approximateTable{g.smallest(result), g.uncertain.relativeError}, g.Criterion, result)
	}
	return result, err
}

// smallest returns the ordinary model whose absolute costs give the scale: the model of nature's
// choice that proves nature's side. The checker derives this choice in the same way. Costs are
// rounded towards 0.
func (g *withNature) smallest(result *Result) *Table {
	w := result.proof.Lower
	if g.sign < 0 {
		w = result.proof.Upper
	}
	values := w.Value.inner()
	if len(w.Gain.High) > 1 {
		values = keys(values, w.Gain.inner())
	}
	p := g.uncertain.all(g.extreme(values).Row)
	all, above := g.uncertain.rows.Of(p, false), g.uncertain.rows.Of(p, true)
	for k, cost := range all.Costs {
		if all.Costs[k] = max(cost, 0); cost < 0 {
			all.Costs[k] = min(above.Costs[k], 0)
		}
	}
	return &Table{rows: all, rate: g.uncertain.rate}
}

func (g *withNature) operator() operator { return g.uncertain.operator(g.choose) }

// find solves the model: as an ordinary model if nature has no choice, by sweeps of the operator, by
// rounds of ordinary models, or by rounds that start from sweeps.
func (g *withNature) find(ctx context.Context) (start *Result, err error) {
	r, m := g.uncertain.rows, g.settings.Method
	x := g.extreme(g.values(nil))
	x.IsGain = g.reach != nil // only the order of the states counts here, not the costs of transitions
	g.nature = x.Row
	_, isTotal := g.Criterion.(TotalCost)
	_, isHorizon := g.Criterion.(FiniteHorizon)
	isSwept := m != 0 && m != PolicyIteration && m != InexactPolicyIteration
	switch {
	case slices.Equal(r.Probabilities, r.High) && r.Pay == nil:
		g.side = 0
		return g.Criterion.solve(ctx, g.run, approximateTable{g.uncertain.chosen(g.nature), g.uncertain.relativeError})
	case isHorizon:
		return g.Criterion.solve(ctx, g.run, g.operator())
	case isSwept, m == 0 && !isTotal && r.NumStates() > sweptStates:
		if start, err = g.sweep(ctx); err != nil || isSwept || g.limits.HasEnded() || start.met(g.settings.Tolerance) {
			return start, err
		}
	}
	return g.rounds(ctx, start)
}

// sweep solves by sweeps of the operator. If no method is named, they end where they make little progress.
func (g *withNature) sweep(ctx context.Context) (*Result, error) {
	result, err := g.Criterion.solve(ctx, g.run, g.operator())
	if err != nil {
		return nil, err
	}
	if result.Reason != "" {
		result.Reason = "nature's choice is part of its sweeps"
	}
	w := Witness{Value: Vector{High: vector.Scaled(result.Value, g.uncertain.rate)}}
	if result.Value == nil {
		w = Witness{Vector{High: []float64{result.Gain}}, Vector{High: vector.Scaled(result.Bias, g.uncertain.rate)}}
	}
	g.choose(w.Value.inner())
	if g.uncertain.rows.Pay != nil || !result.met(g.settings.Tolerance) && !g.limits.HasEnded() { // bounds in float64 leave out payments
		result.proof.Lower = g.prove(result, w, nil, -1)
		result.proof.Upper = g.prove(result, w, result.Policy, 1)
		g.settle(result)
	}
	return result, nil
}

// choose sets nature's choice to the one that is extreme for values, times the rate.
func (g *withNature) choose(values vector.Vector) {
	g.nature = g.extreme(values).Row
}

// extreme lists the rows that nature chooses for values.
func (g *withNature) extreme(values vector.Vector) uncertain.Extreme {
	factor, _ := g.stepFactor()
	return uncertain.Extreme{Rows: g.uncertain.rows, Values: values, Sign: g.sign, Discount: factor}
}

// plus returns the sum of a vector and a number.
func plus(v vector.Vector, x float64) vector.Vector {
	sum := vector.New(len(v.High))
	for s := range sum.High {
		sum.Set(s, v.AtOrZero(s).AddFloat(x))
	}
	return sum
}

// settle sets the bounds of a result to those that its proof gives, and moves the estimates
// between them.
func (g *withNature) settle(result *Result) {
	below, above, rate := result.proof.Lower.Value.inner(), result.proof.Upper.Value.inner(), g.uncertain.rate
	if result.Value == nil {
		below, above, rate = result.proof.Lower.Gain.inner(), result.proof.Upper.Gain.inner(), 1
	}
	length := max(len(below.High), len(above.High))
	repeated := func(v vector.Vector) vector.Vector { // a vector of length 1 stands for all states
		x := vector.New(length)
		for s := range length {
			x.Set(s, v.AtOrZero(min(s, len(v.High)-1)))
		}
		return x
	}
	result.setBounds(boundsOf(repeated(below), repeated(above), rate))
	for _, estimates := range [][]float64{result.Value, result.gains} {
		for s, x := range estimates {
			lower, upper := result.Bounds(s)
			estimates[s] = rounding.Between(x, lower, upper)
		}
	}
	if result.Value == nil {
		result.Gain = rounding.Between(result.Gain, result.Lower, result.Upper)
	}
}
