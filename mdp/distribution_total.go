package mdp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/total"
)

// TotalDistribution returns the distribution of the total cost T of a policy until it reaches a
// target, for X = 0, 1, …, most. The policy is a stationary one. Costs are whole numbers
// from 0 up. The start is a distribution over states.
//
// With T the total from state s, each of the functions
//
//	f(s,b) = Pr(T ≤ b),  Pr(T > b),  E[(T − b)⁺]
//
// satisfies f(s,b) = Σ_j p(j|s)·f(j, b−c(s)), with f(s,b) = 0, 1, E[T] − b for b < 0. A sweep
// computes f for one b, and an elimination its values in states without a cost, see
// [TotalCost]. No term is below 0, so that relative errors stay small.
//
// Two numbers by state are kept for each of c+1 values of b, where c is the greatest cost.
// Errors are [ErrTooLarge] for more than 2²⁸ numbers, [ErrUnsupported] for other costs and for a
// [Timed] model whose rate is not 1, those of [Solve] and that of ctx.
func TotalDistribution(ctx context.Context, model Explicit, policy Policy, target []int32, start []Entry, most int, settings Settings) (*Distribution, error) {
	chain, away, err := stopped(model, policy, target, start)
	if err == nil {
		err = (FiniteHorizon{Steps: most}).check(model)
	}
	if err != nil {
		return nil, err
	}
	if settings, err = settings.withDefaults(model); err != nil {
		return nil, err
	}
	n, costs := len(away), chain.rows.Costs
	for s, c := range costs {
		if !(c >= 0 && c == math.Trunc(c)) {
			return nil, fmt.Errorf("mdp: TotalDistribution: %w: state %d costs %v, which is no whole number from 0 up", ErrUnsupported, s, c)
		}
	}
	w := &walk{rows: chain.rows, start: start, most: most, levels: int(min(float64(most), slices.Max(costs))) + 1, workers: settings.Workers}
	if numbers := max(2*float64(w.levels+1)*float64(n), float64(most)); numbers > mostNumbers {
		return nil, fmt.Errorf("mdp: %w: totals up to %d in %d states take %.3g numbers, of at most %d", ErrTooLarge, most, n, numbers, mostNumbers)
	}
	chain.excess += float64(2*w.rows.Longest()+16) * rounding.Unit // for sums, and for rows that do not sum to 1
	w.off = chain.RelativeError()
	d, values, err := untilTarget(ctx, chain, away, target, start, settings)
	if err != nil {
		return nil, err
	}
	reaches := make([]bool, n)
	for _, s := range target {
		reaches[s] = true
	}
	endcomponents.NewPredecessors(w.rows).Towards(reaches, nil, make([]int32, n))
	ended, never, ones, excess := make([]float64, n), make([]float64, n), slices.Repeat([]float64{1}, n), newPair(make([]float64, n))
	w.fixed, w.free = make([]bool, n), make([]bool, n)
	for s := range n {
		if ended[s] = 1; !reaches[s] {
			ended[s], never[s] = 0, 1
		}
		w.fixed[s] = away[s] == 0 || !reaches[s]
		w.free[s] = !w.fixed[s] && costs[s] == 0
		lower, upper := values.Bounds(s)
		excess[0][s], excess[1][s] = lower+1, upper+1
	}
	w.arrange()
	w.sweeper = sweep.New(chain, settings.Workers)
	defer w.sweeper.Close()
	d.whole = true
	for b := range most + 1 {
		d.X = append(d.X, float64(b))
	}
	if d.AtMost, err = w.bounds(ctx, tail{ended, newPair(make([]float64, n)), 0, 1}); err != nil {
		return nil, err
	}
	if d.Above, err = w.bounds(ctx, tail{never, newPair(ones), 0, 1}); err != nil {
		return nil, err
	}
	if d.Excess = slices.Repeat([]Bounds{d.Mean}, most+1); !math.IsInf(d.Mean.Lower, 1) {
		d.Excess, err = w.bounds(ctx, tail{make([]float64, n), excess, 1, math.Inf(1)})
	}
	return d, err
}

// mostNumbers bounds the numbers that are kept for the distribution of a total.
const mostNumbers = 1 << 28

// walk is a chain with the sweeps that find the distribution of its total.
type walk struct {
	rows         *rows.Rows
	off          float64 // relative error of a row
	start        []Entry
	most, levels int     // levels is the number of b for which f is kept
	fixed        []bool  // states where the total has ended, or never will
	free         []bool  // others without a cost
	order        []int32 // the free states, each after those that it leads to
	hasCycles    bool    // there is no such order
	sweeper      *sweep.Sweeper
	workers      int
}

// tail is one of the functions f.
type tail struct {
	end   []float64 // f(s,b) for b ≥ 0 where the total has ended, or never will
	below pair      // f(s,−1)
	slope float64   // f(s,b−1) − f(s,b) for b < 0
	most  float64
}

// pair has a lower and an upper bound by state.
type pair [2][]float64

func newPair(x []float64) pair { return pair{slices.Clone(x), slices.Clone(x)} }

// arrange finds an order of the free states.
func (w *walk) arrange() {
	g := graph.New(len(w.free))
	for s := range int32(len(w.free)) {
		for _, j := range w.rows.Next(s) {
			if w.free[s] && w.free[j] {
				g.Add(j)
				w.hasCycles = w.hasCycles || j == s
			}
		}
		g.EndState()
	}
	count, component := g.Components()
	if w.hasCycles = w.hasCycles || count < len(w.free); w.hasCycles {
		return
	}
	for _, one := range graph.Members(component, count) {
		if w.free[one[0]] {
			w.order = append(w.order, one[0])
		}
	}
}

// bounds returns f(start,b) for b = 0 … most.
func (w *walk) bounds(ctx context.Context, t tail) (found []Bounds, err error) {
	var at []pair // f(·,b) at b modulo their number
	for range w.levels {
		at = append(at, newPair(t.end))
	}
	for b := range w.most + 1 {
		w.backUp(t, at, b)
		if err := w.settle(ctx, t, at, b); err != nil {
			return nil, err
		}
		now := at[b%w.levels]
		at := mean(w.start, func(s int) (lower, upper float64) { return now[0][s], now[1][s] })
		found = append(found, Bounds{at.Lower, min(at.Upper, t.most)})
	}
	return found, nil
}

// backUp sets f(s,b) in the states s that are neither fixed nor free.
func (w *walk) backUp(t tail, at []pair, b int) {
	w.sweeper.Blocks(func(_, lo, hi int) {
		for s := lo; s < hi; s++ {
			if !w.fixed[s] && !w.free[s] {
				w.backUpState(t, at, b, s)
			}
		}
	})
}

// backUpState sets f(s,b) to Σ_j p(j|s)·f(j, b−c(s)).
func (w *walk) backUpState(t tail, at []pair, b, s int) {
	dst, f, more := at[b%len(at)], t.below, 0.0
	if left := b - int(w.rows.Costs[s]); left >= 0 {
		f = at[left%len(at)]
	} else {
		more = t.slope * float64(-1-left)
	}
	lower, upper, most := 0.0, 0.0, 0.0
	for e := w.rows.RowStart[s]; e < w.rows.RowStart[s+1]; e++ {
		j, p := w.rows.Columns[e], w.rows.Probabilities[e]
		lower += float64(p * (f[0][j] + more))
		upper += float64(p * (f[1][j] + more))
		most = max(most, f[1][j])
	}
	if dst[0][s], dst[1][s] = 0, 0; most > 0 {
		tiny := 1e-300 * w.off // more than what products lose by underflow
		dst[0][s], dst[1][s] = max(0, lower*(1-w.off)-tiny), min(t.most, upper*(1+w.off)+tiny)
	}
}

// settle solves f(s,b) = Σ_j p(j|s)·f(j,b) for the free states: one after the other if they have
// no cycles.
func (w *walk) settle(ctx context.Context, t tail, all []pair, b int) error {
	for _, s := range w.order {
		w.backUpState(t, all, b, int(s))
	}
	if ctx.Err() != nil || !w.hasCycles {
		return context.Cause(ctx)
	}
	at := all[b%len(all)]
	p := total.New(&limit.Run{Workers: w.workers, MaxIterations: math.MaxInt}, w.rows.WithCosts(make([]float64, len(w.free))), w.off)
	for s, free := range w.free {
		if p.Settled[s] = !free; !free {
			p.Lower.High[s], p.Upper.High[s] = at[0][s], at[1][s]
		}
	}
	if err := p.Solve(ctx); err != nil {
		return err
	}
	for s, free := range w.free {
		if free {
			at[0][s], at[1][s] = max(0, p.Lower.At(s).RoundDown()), min(t.most, p.Upper.At(s).RoundUp())
		}
	}
	return nil
}
