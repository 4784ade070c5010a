package mdp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
)

// TimeHorizon asks for the expected total cost up to time T of a Markov chain in continuous
// time,
//
//	v(s) = E[ ∫_{t<T} c(X_t) dt + terminal cost of X_T ] from s.
//
// with costs from 0 up. The model is [Timed], lists its rows and has one action in each
// state. Solve uniformizes (Jensen 1953): with N, the number of steps up to time T, of Poisson
// distribution of mean Rate·T,
//
//	v = Σ_k Pr(N = k)·P^k·terminal + Σ_k Pr(N > k)·P^k·c
//
// for costs c of a step. An iteration is one sweep. The terms that are left out, those
// of all later iterations if the solve ends early, lie between the least and the greatest of P^k·terminal
// and P^k·c, which bounds the result; so do bounds on the rounding of all sums.
//
// Numbers below 10⁻²⁸⁰ of the greatest cost count as converged.
type TimeHorizon struct {
	// Time is T, at least 0. Bounds hold for all times that round to it.
	Time float64

	// Terminal is the cost of ending in each state; nil for none.
	Terminal []float64
}

func (TimeHorizon) name() string { return "time" }

func (TimeHorizon) sense() Sense { return Minimize }

func (TimeHorizon) minimized() Criterion { return nil }

func (h TimeHorizon) check(model Model) error {
	explicit, ok := model.(Explicit)
	if !ok {
		return fmt.Errorf("mdp: TimeHorizon: %w: the model does not list its rows (interface Explicit)", ErrUnsupported)
	}
	for s := range explicit.NumStates() {
		if n := explicit.NumActions(s); n != 1 {
			return fmt.Errorf("mdp: TimeHorizon: %w: state %d has %d actions, and not one", ErrUnsupported, s, n)
		}
	}
	if steps := h.Time * rateOf(model); !(steps >= 0 && steps <= math.MaxInt32) {
		return fmt.Errorf("mdp: TimeHorizon.Time: %w: %v, or %v steps of the uniformized process, are not from 0 to %d", ErrTooLarge, h.Time, steps, math.MaxInt32)
	}
	return checkTerminal("TimeHorizon", h.Terminal, model.NumStates())
}

func (h TimeHorizon) solve(ctx context.Context, r *run, model Model) (*Result, error) {
	all, err := rowsOf(model.(Explicit))
	if err != nil {
		return nil, err
	}
	n, rate := all.NumStates(), rateOf(model)
	t := &transient{
		rows: all.WithCosts(make([]float64, n)), sweeper: sweep.New(model, r.settings.Workers),
		steps: newPoisson(h.Time * rate), relativeError: relativeError(model), longest: all.Longest(),
	}
	defer t.sweeper.Close()
	if slices.Min(all.Costs) < 0 || h.Terminal != nil && slices.Min(h.Terminal) < 0 {
		return nil, fmt.Errorf("mdp: TimeHorizon: %w: a cost is below 0", ErrUnsupported)
	}
	if h.Terminal != nil {
		t.add(series{weights: t.steps.is, mass: 1, divisor: 1}, h.Terminal)
	}
	if slices.ContainsFunc(all.Costs, func(c float64) bool { return c != 0 }) {
		t.add(series{weights: t.steps.exceeds, mass: h.Time, divisor: rate}, all.Costs)
	}
	end, err := r.limits.Drive(ctx, t)
	if err != nil {
		return nil, err
	}
	r.limits.Note(end)
	result := &Result{Policy: make([]int32, n), Value: make([]float64, n), Method: "uniformization", Reason: "it bounds what it leaves out"}
	lower, upper := make([]float64, n), make([]float64, n)
	pays := make([]bool, n) // perhaps; otherwise the value is 0
	for s := range pays {
		pays[s] = slices.ContainsFunc(t.series, func(x *series) bool { return x.of[s] != 0 })
	}
	endcomponents.NewPredecessors(all).Towards(pays, nil, make([]int32, n))
	for s := range n {
		if !pays[s] {
			continue
		}
		lower[s], upper[s] = t.bounds(s)
		lower[s] = max(lower[s], 0)
		if !rounding.IsFinite(lower[s]) || !rounding.IsFinite(upper[s]) {
			return nil, fmt.Errorf("mdp: %w", ErrOverflow)
		}
		result.Value[s] = lower[s] + (upper[s]-lower[s])/2
	}
	result.setBounds(lower, upper)
	const negligible = 1e-280
	result.scale = []float64{0}
	for _, x := range t.series {
		result.scale[0] += min(x.most, math.MaxFloat64) * negligible * x.mass
	}
	return result, nil
}

// transient sums up the series of uniformization. It implements limit.Iteration; an
// iteration adds a term.
type transient struct {
	rows          *rows.Rows // of no cost
	sweeper       *sweep.Sweeper
	steps         *poisson
	relativeError float64
	longest       int // row
	series        []*series
	done          int // terms
}

// series is Σ_k weight(k)·P^k·x, for x from 0 up, over a divisor.
type series struct {
	weights
	mass, divisor    float64   // the sum of all weights, over the divisor
	of               []float64 // x
	power, next, sum []float64 // P^k·x, and the sum before its term
	least, greatest  float64   // of P^k·x
	most             float64   // of x
}

// add adds a series.
func (t *transient) add(s series, x []float64) {
	s.of, s.power, s.next, s.sum = x, slices.Clone(x), make([]float64, len(x)), make([]float64, len(x))
	s.least, s.greatest, s.most = slices.Min(x), slices.Max(x), slices.Max(x)
	t.series = append(t.series, &s)
}

// Iterate adds a term.
func (t *transient) Iterate(context.Context) (lower, upper float64, err error) {
	for _, x := range t.series {
		if t.done > 0 {
			t.sweeper.Blocks(func(_, lo, hi int) { t.rows.Backup(x.next, nil, x.power, lo, hi) })
			x.power, x.next = x.next, x.power
			x.least, x.greatest = slices.Min(x.power), slices.Max(x.power)
		}
		if w := x.at(t.done); w > 0 {
			for s, p := range x.power {
				x.sum[s] += w * p
			}
		}
	}
	t.done++
	lower, upper = t.bounds(0)
	return lower, upper, nil
}

// IsFinished reports whether no term is left, or all that are left are known.
func (t *transient) IsFinished() bool {
	return t.done >= t.steps.is.first+len(t.steps.is.weight) || !slices.ContainsFunc(t.series, func(x *series) bool { return x.greatest-x.least > 0x1p-46*x.least })
}

// bounds returns bounds for a state. All terms are from 0 up, so that their relative errors
// bound that of the result: those of sums and weights, and of rates that are off by a share
// ε, which scales the mean of the steps and, by the diagonal of the matrix, results by
// exp(2ε·mean) at most.
func (t *transient) bounds(s int) (lower, upper float64) {
	mean, window := t.steps.mean, float64(len(t.steps.is.weight))
	off := rounding.Unit*(float64(t.done)*float64(t.longest+4)+8*mean+24*window+64) + t.relativeError*(4*mean+4*window+4) + t.steps.beyond
	for _, x := range t.series {
		rest := x.from(t.done)
		lo, hi := (x.sum[s]+rest*x.least)/x.divisor, (x.sum[s]+rest*x.greatest+t.steps.beyond*x.most)/x.divisor
		if lo, hi = lo*(1-2*off), hi*(1+2*off); off > 0.01 {
			lo, hi = 0, x.most*x.mass*1.01
		}
		if x.most*x.mass > 0 {
			hi += float64(max(t.done-1, 0)) * bound.Underflow / min(x.divisor, 1)
		}
		lower, upper = lower+lo, upper+hi
	}
	err := 4 * rounding.Unit * (math.Abs(lower) + math.Abs(upper))
	return lower - err, upper + err
}

// weights are weights of the numbers from first on, those of all numbers below, and the
// sums of weights from each number on.
type weights struct {
	first        int
	below        float64
	weight, sums []float64
}

func (w *weights) at(k int) float64 {
	if k < w.first {
		return w.below
	}
	return atOrZero(w.weight, k-w.first)
}

func (w *weights) from(k int) float64 {
	if k < w.first {
		return w.below*float64(w.first-k) + w.sums[0]
	}
	return atOrZero(w.sums, k-w.first)
}

func atOrZero(list []float64, i int) float64 {
	if i < len(list) {
		return list[i]
	}
	return 0
}

// poisson has Pr(N = k) and Pr(N > k) of a Poisson distribution, as far as they are more
// than 2⁻¹⁰⁰⁰ of the largest: computed from there on, so that errors are relative (Fox and
// Glynn 1988).
type poisson struct {
	is, exceeds weights
	mean        float64
	beyond      float64 // bounds the sums that are left out of each
}

func newPoisson(mean float64) *poisson {
	const least = 0x1p-1000
	mode := int(mean)
	var list []float64
	w := 1.0
	for k := mode; k > 0 && w >= least; k-- { // downwards, without the mode
		w *= float64(k) / mean
		list = append(list, w)
	}
	slices.Reverse(list)
	first, below := mode-len(list), 0.0
	if first > 0 { // the terms fall by this factor or more
		below = w / (1 - float64(first)/mean)
	}
	w = 1
	for k := mode + 1; w >= least; k++ {
		list = append(list, w)
		w *= mean / float64(k)
	}
	next := float64(first + len(list) + 1)
	falls := 1 - mean/next
	tail := sumsFrom(list)
	for i, total := range slices.Backward(tail) { // the first is the divisor of all
		list[i], tail[i] = list[i]/tail[0], total/tail[0]
	}
	above := append(slices.Clone(tail[1:]), 0)
	return &poisson{
		is: weights{first, 0, list, tail}, exceeds: weights{first, 1, above, sumsFrom(above)},
		mean: mean, beyond: 4 * (below + w/falls*(next+1/falls)),
	}
}

// sumsFrom returns the sums of the numbers from each on.
func sumsFrom(numbers []float64) []float64 {
	sums, sum := make([]float64, len(numbers)), 0.0
	for i, x := range slices.Backward(numbers) {
		sum += x
		sums[i] = sum
	}
	return sums
}
