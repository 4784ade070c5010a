package mdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/discounted"
	"github.com/mdpsolve/mdpsolve/mdp/internal/implicit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/uncertain"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Solving uncertain models: sweeps of the operator that has nature's choice in it.

// UncertainResult is an answer of [SolveUncertain].
type UncertainResult struct {
	// Result is as for an ordinary model. Policy costs no more than the upper bounds,
	// whatever nature does (Worst), or if nature helps (Best). The inequalities of Proof hold
	//
	//	Worst: below for all choices of the model Adversary
	//	       above for the choices of Policy with all probabilities in U(s,a)
	//	Best:  below for all choices with all probabilities in U(s,a)
	//	       above for the choices of Policy in the model Adversary
	//
	// where "all probabilities" has the second inequality of LongRunAverage wherever a
	// choice may lead.
	*Result

	// Rounds is the number of ordinary models that were solved; 0 if sweeps were enough.
	Rounds int

	uncertain *Uncertain
	nature    func(s, a int) []float64
}

// Probabilities returns nature's choice for action a of state s: a number for each element of
// the row of [Uncertain.AppendRow]. For FiniteHorizon it is that of the first step.
func (r *UncertainResult) Probabilities(s, a int) []float64 { return slices.Clone(r.nature(s, a)) }

// Adversary returns the ordinary model of nature's choices for all actions. Costs of
// transitions are in those of actions. [Evaluate] says what the policy does in it.
func (r *UncertainResult) Adversary() *Table { return r.uncertain.chosen(r.nature) }

// chosen returns the ordinary model of nature's choices.
func (u *Uncertain) chosen(nature func(s, a int) []float64) *Table {
	all := make(columns, u.NumStates())
	for s := range all {
		for a := range u.NumActions(s) {
			all[s] = append(all[s], uncertain.Column{Action: int32(a), Row: nature(s, a)})
		}
	}
	return &Table{rows: u.rows.Of(all, false), rate: u.rate}
}

// sweptStates is the number of states from which on sweeps come first, and sweepsMore the
// most of them that the first ones may promise.
const sweptStates, sweepsMore = 4096, 1000

// errSlow ends sweeps that make too little progress.
var errSlow = errors.New("sweeps are too slow")

// SolveUncertain finds the policy that is optimal if nature chooses the probabilities, and
// its value: the least worst cost (Worst) or the least best one (Best), or those of
// rewards, maximised.
//
// The operator
//
//	(T h)(s) = min over a of { c(s,a) + max over p in U(s,a) of Σ_e p_e·(w_e + h(j_e)) }
//
// (min in place of max with Best) has the bounds of the ordinary one (Odoni, MacQueen):
// with nature's choice fixed it is that of an ordinary model, whose optimum is no larger,
// and with the policy fixed that of nature. So methods that sweep work as they are, with a
// last sweep in double-double. With no Method they come first if there are more than some
// thousand states. If they do not converge, or [PolicyIteration] or
// [InexactPolicyIteration] is named, ordinary models are solved by that method, in rounds
// of strategy improvement (A.J. Hoffman and R.M. Karp, On nonterminating stochastic games,
// Management Science 12 (1966), 359-370): against nature's present choice, which then
// improves, and for nature alone, with rows that are added while some promise more.
//
// The gains of [LongRunAverage] may differ by state. Where they are closer than rounding
// can tell, the error may be [ErrPrecisionLimit]. [TotalCost] needs intervals with low > 0,
// so that nature cannot choose what can be reached: otherwise, and for [TimeHorizon], the
// error is [ErrUnsupported]. Totals stay open where nature's choice decides whether a cycle
// has negative cost.
//
// Settings and errors are those of [Solve]. MaxIterations counts iterations of all rounds.
func SolveUncertain(ctx context.Context, u *Uncertain, nature Nature, criterion Criterion, settings Settings) (*UncertainResult, error) {
	begin := time.Now()
	if err := cmp.Or(checkGiven("model", "", u), checkGiven("criterion", ": use one such as mdp.LongRunAverage{}", criterion)); err != nil {
		return nil, err
	}
	listed := listedUncertain{uncertain.Extreme{Rows: u.rows}, u.rate}
	settings, err := settings.withDefaults(listed)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(u.check(nature, criterion), criterion.check(listed), settings.Method.check(criterion, listed)); err != nil {
		return nil, err
	}
	g := &game{uncertain: u, sign: 1 - 2*float64(nature), criterion: criterion}
	maximize := criterion.sense() == Maximize
	if maximize {
		r := *u.rows
		r.Rows, r.Pay = r.WithCosts(opposite(r.Costs)), opposite(r.Pay)
		g.uncertain, settings = &Uncertain{&r, u.rate, u.relativeError}, settings.negative()
	}
	if settings.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, begin.Add(settings.TimeLimit), ErrTimeLimit)
		defer cancel()
	}
	g.run = &run{settings, settings.limits(begin), true}
	g.sweeper = sweep.New(g.operator(), settings.Workers)
	defer g.sweeper.Close()
	result, err := g.solve(ctx)
	if err != nil {
		return nil, err
	}
	if !result.met(settings.Tolerance) {
		g.measure(ctx, approximateTable{g.uncertain.chosen(g.nature), u.relativeError}, criterion, result)
	}
	if maximize {
		result.negate()
	}
	result.Iterations, result.Elapsed = g.limits.Iterations, time.Since(begin)
	return &UncertainResult{result, g.rounds, u, g.nature}, g.conclude(result)
}

// listedUncertain stands for an uncertain model where settings and criterion are checked.
type listedUncertain struct {
	uncertain.Extreme
	rate float64
}

// Rate implements [Timed].
func (l listedUncertain) Rate() float64 { return l.rate }

// check checks what is special to uncertain models.
func (u *Uncertain) check(nature Nature, criterion Criterion) error {
	switch _, isTotal := criterion.(TotalCost); {
	case nature != Worst && nature != Best:
		return fmt.Errorf("mdp: Nature %d is not valid: use Worst or Best", int(nature))
	case isTotal && slices.Contains(u.rows.Probabilities, 0):
		return fmt.Errorf("mdp: TotalCost: %w: an interval begins at 0: give all of them lower ends above 0", ErrUnsupported)
	}
	if _, ok := criterion.(TimeHorizon); ok {
		return fmt.Errorf("mdp: TimeHorizon: %w: probabilities are only known to lie in intervals", ErrUnsupported)
	}
	return nil
}

// operator is the model whose backups have nature's choice in them.
type operator struct {
	uncertain.Sweep
	rate          float64
	relativeError float64
}

// Rate implements [Timed].
func (o operator) Rate() float64 { return o.rate }

// at implements [horizon.At]. A lower bound on absolute costs that holds whatever nature
// does leaves out those that payments can change.
func (o operator) at(values vector.Vector, side float64) bound.Lister {
	x := uncertain.Extreme{Rows: o.Rows, Values: values, Sign: o.Sign, Up: side > 0}
	if side == 0 {
		x.Sign, x.IsGain = -1, o.Rows.Pay != nil
	}
	return bound.Lister{Lister: x, RelativeError: o.relativeError}
}

// game is a call of SolveUncertain, with costs to minimise.
type game struct {
	*run
	uncertain *Uncertain
	sign      float64 // nature makes costs as large as possible (1), or as small (−1)
	criterion Criterion
	sweeper   *sweep.Sweeper
	rounds    int
	nature    func(s, a int) []float64 // its choice in the answer
}

func (g *game) operator() operator {
	return operator{uncertain.Sweep{Rows: g.uncertain.rows, Sign: g.sign}, g.uncertain.rate, g.uncertain.relativeError}
}

// solve sweeps, or plays rounds, or one after the other.
func (g *game) solve(ctx context.Context) (start *Result, err error) {
	if r := g.uncertain.rows; slices.Equal(r.Probabilities, r.High) && r.Pay == nil {
		g.choose(vector.New(r.NumStates()))
		g.exactly = false
		return g.criterion.solve(ctx, g.run, approximateTable{g.uncertain.chosen(g.nature), g.uncertain.relativeError})
	}
	isSwept, isFirst := g.settings.Method != 0, g.uncertain.NumStates() > sweptStates
	switch c := g.criterion.(type) {
	case FiniteHorizon:
		c.Stage = g.after(c)
		return c.solve(ctx, g.run, g.operator())
	case TotalCost:
		isSwept, isFirst = false, false
	case Discounted:
		isFirst = isFirst && c.factor().Complement.Hi >= slowDiscount
	}
	isSwept = isSwept && g.settings.Method != PolicyIteration && g.settings.Method != InexactPolicyIteration
	if isSwept || isFirst && g.settings.Method == 0 {
		if start, err = g.sweep(ctx); err != nil || isSwept || g.limits.HasEnded() || start.met(g.settings.Tolerance) {
			return start, err
		}
	}
	if g.sign > 0 {
		return g.play(ctx, start)
	}
	return g.help(ctx, start)
}

// after returns the Stage of a criterion that also makes nature's choice for the values
// after the first step.
func (g *game) after(f FiniteHorizon) func(step int, values []float64, policy []int32) error {
	g.choose(vector.New(g.uncertain.NumStates()))
	if f.Terminal != nil {
		g.choose(vector.Of(vector.Scaled(f.Terminal, f.sign())))
	}
	return func(step int, values []float64, policy []int32) error {
		if step == 1 {
			g.choose(vector.Of(vector.Scaled(values, f.sign())))
		}
		if f.Stage == nil {
			return nil
		}
		return f.Stage(step, values, policy)
	}
}

// sweep solves by sweeps of the operator. Without a named method it gives up if they
// promise to be too many.
func (g *game) sweep(ctx context.Context) (*Result, error) {
	record, trend := g.limits.Record, implicit.Trend{Next: 32, Most: sweepsMore}
	defer func() { g.limits.Record = record }()
	g.limits.Record = func(iteration int, lower, upper float64) error {
		if record != nil {
			if err := record(iteration, lower, upper); err != nil {
				return err
			}
		}
		goal := func() float64 { return g.settings.Tolerance * max(math.Abs(lower), math.Abs(upper)) }
		if gap := upper - lower; g.settings.Method == 0 && !(gap <= goal()) && trend.TooSlow(gap, goal) {
			return errSlow
		}
		return nil
	}
	result, err := g.criterion.solve(ctx, g.run, g.operator())
	if err != nil {
		return nil, err
	}
	if end := g.limits.End; errors.Is(end, errSlow) || errors.Is(end, ErrPrecisionLimit) {
		g.limits.End = nil
	}
	values := result.Value
	if values == nil {
		values = result.Bias
	}
	if result.Reason != "" {
		result.Reason = "nature's choice is part of its sweeps"
	}
	g.enclose(vector.Of(vector.Scaled(values, g.uncertain.rate)), result)
	return result, nil
}

// enclose replaces policy and bounds of a result by those of one sweep over values in
// double-double.
func (g *game) enclose(values vector.Vector, result *Result) {
	explicit := func(x uncertain.Extreme) bound.Greedy {
		lister := bound.Lister{Lister: x, RelativeError: g.uncertain.relativeError, Discount: x.Discount}
		return bound.Explicit(lister, g.sweeper, values, nil, make([]int32, len(values.High)))
	}
	x := g.extreme(values)
	low := explicit(x)
	high := low.Upper
	if x.Pay != nil { // costs were rounded down
		x.Policy, x.Up = low.Policy, true
		high = explicit(x).Upper
	}
	result.Policy = low.Policy
	result.proof.Lower, result.proof.Upper = g.shifted(values, low.Lower, -1), g.shifted(values, high, 1)
	g.choose(values)
	g.settle(result)
}

// choose makes nature's choice that for values, times the rate.
func (g *game) choose(values vector.Vector) {
	x := g.extreme(values)
	g.nature = func(s, a int) []float64 { return x.Column(s, a).Row }
}

// extreme lists the rows that nature chooses for values.
func (g *game) extreme(values vector.Vector) uncertain.Extreme {
	x := uncertain.Extreme{Rows: g.uncertain.rows, Values: values, Sign: g.sign}
	if d, ok := g.criterion.(Discounted); ok {
		x.Discount = d.factor()
	}
	return x
}

// shifted returns the witness that follows from a bound on T h − h in all states: from
// above with direction 1, from below with −1.
func (g *game) shifted(values vector.Vector, residual, direction float64) Witness {
	d, ok := g.criterion.(Discounted)
	if !ok {
		return Witness{Gain: Vector{High: []float64{residual}}, Value: vectorOf(values)}
	}
	down, up := discounted.Shift(residual, residual, d.factor())
	if direction > 0 {
		down = up
	}
	return Witness{Value: vectorOf(plus(values, down))}
}

// plus returns the sum of a vector and a number.
func plus(v vector.Vector, x float64) vector.Vector {
	sum := vector.New(len(v.High))
	for s := range sum.High {
		sum.Set(s, v.AtOrZero(s).AddFloat(x))
	}
	return sum
}

// settle sets the bounds of a result to those that its proof proves, and moves estimates
// between them.
func (g *game) settle(result *Result) {
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
