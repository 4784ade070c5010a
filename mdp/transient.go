package mdp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
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
// for costs c of a step. An iteration is one sweep. States that never pay, and those that no
// transition leaves, are left out: their value is known. The rate of uniformization is then the
// greatest rate of the other states. Solve stops adding terms when bounds are close enough. Each
// later P^k·terminal or P^k·c lies between the least and the greatest number of the last one. In each
// state it differs from that by at most the last change times the number of steps in between, as no
// step changes a number by more than the greatest change of the step before. This bounds the terms
// left out; bounds on the rounding of all sums are added.
//
// The tolerance is relative to the value, but at least to 10⁻²⁸⁰ of the greatest value that
// costs and T allow.
type TimeHorizon struct {
	// Time is T, at least 0. Bounds hold for all times that round to it.
	Time float64

	// Terminal is the cost of ending in each state; nil for none.
	Terminal []float64
}

func (TimeHorizon) name() string { return "time" }

func (TimeHorizon) sense() Sense { return Minimize }

func (TimeHorizon) stepFactor() (*vector.Discount, bool) { return nil, false }

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
	if slices.Min(all.Costs) < 0 || h.Terminal != nil && slices.Min(h.Terminal) < 0 {
		return nil, fmt.Errorf("mdp: TimeHorizon: %w: a cost is below 0", ErrUnsupported)
	}
	n, rate := all.NumStates(), rateOf(model)
	pays := make([]bool, n) // a cost may follow from the state; otherwise its value is 0
	for _, x := range [][]float64{all.Costs, h.Terminal} {
		for s, cost := range x {
			pays[s] = pays[s] || cost != 0
		}
	}
	endcomponents.NewPredecessors(all).Towards(pays, nil, make([]int32, n))
	t := &transient{
		chain: newOpenChain(all, pays), stepsOfAll: h.Time * rate, relativeError: relativeError(model),
		tolerance: r.settings.Tolerance, longest: all.Longest(),
	}
	t.steps = newPoisson(t.stepsOfAll * t.chain.share)
	if h.Terminal != nil {
		t.add(series{weights: t.steps.is, mass: 1, divisor: 1}, h.Terminal)
	}
	if slices.ContainsFunc(all.Costs, func(c float64) bool { return c != 0 }) {
		t.add(series{weights: t.steps.exceeds, mass: h.Time, divisor: rate * t.chain.share}, all.Costs)
	}
	if len(t.chain.states) > 0 && len(t.series) > 0 {
		t.sweeper = sweep.New(t.series[0].rows, r.settings.Workers)
		defer t.sweeper.Close()
		t.changes = make([]float64, len(t.sweeper.Least))
		end, err := r.limits.Drive(ctx, t)
		if err != nil {
			return nil, err
		}
		r.limits.Note(end)
	}
	result := &Result{Policy: make([]int32, n), Value: make([]float64, n), Method: "uniformization", Reason: "it bounds what it leaves out"}
	lower, upper := make([]float64, n), make([]float64, n)
	last := -1 // the last known state
	for s, at := range t.chain.place {
		switch {
		case at >= 0:
			lower[s], upper[s] = t.bounds(int(at))
		case pays[s] && last >= 0 && t.areAlike(s, last):
			lower[s], upper[s] = lower[last], upper[last]
		case pays[s]:
			lower[s], upper[s] = t.total(func(x *series) (lo, hi float64) { return x.of[s] * x.from(0), x.of[s] * x.from(0) })
			last = s
		}
		if !rounding.IsFinite(lower[s]) || !rounding.IsFinite(upper[s]) {
			return nil, fmt.Errorf("mdp: %w", ErrOverflow)
		}
		result.Value[s] = lower[s] + (upper[s]-lower[s])/2
	}
	result.setBounds(lower, upper)
	result.scale = []float64{t.negligible}
	return result, nil
}

// areAlike reports whether two states, which are known, have the same costs.
func (t *transient) areAlike(i, j int) bool {
	return !slices.ContainsFunc(t.series, func(x *series) bool { return x.of[i] != x.of[j] })
}

// openChain holds the states of a chain whose value is not known in advance: those from which a
// cost may follow, and that a transition leaves. It is uniformized at the greatest rate among
// them: its matrix is I + (P − I)/share, and its mean number of steps that of the whole chain
// times share.
type openChain struct {
	all    *rows.Rows
	open   *rows.Rows // its rows, without costs
	states []int32    // of all, by state of the open chain
	place  []int32    // in the open chain, by state of all; known for others
	share  float64
	excess float64 // the largest distance from 1 of the sum of a row of all
}

// known stands for the place of a state that is not in the open chain.
const known = -1

func newOpenChain(all *rows.Rows, pays []bool) *openChain {
	c := &openChain{all: all, place: make([]int32, all.NumStates())}
	away := make([]float64, len(pays)) // the probability to leave
	for s := range pays {
		sum, stays := doubledouble.Number{}, 0.0
		for e := all.RowStart[s]; e < all.RowStart[s+1]; e++ {
			if p := all.Probabilities[e]; int(all.Columns[e]) == s {
				stays = p
			} else {
				sum = sum.AddFloat(p)
			}
		}
		away[s], c.place[s] = sum.Hi, known
		if pays[s] && away[s] > 0 {
			c.place[s], c.states = int32(len(c.states)), append(c.states, int32(s))
			c.share = max(c.share, away[s])
			c.excess = max(c.excess, math.Abs(sum.AddFloat(stays).AddFloat(-1).Hi))
		}
	}
	if len(c.states) == 0 {
		c.share = 1
	}
	c.open = rows.New(len(c.states), len(c.states), 0)
	for i, s := range c.states {
		c.open.Add(int32(i), 1-away[s]/c.share)
		for e := all.RowStart[s]; e < all.RowStart[s+1]; e++ {
			if j := all.Columns[e]; j != s && c.place[j] != known {
				c.open.Add(c.place[j], all.Probabilities[e]/c.share)
			}
		}
		c.open.EndChoice(0)
		c.open.EndState()
	}
	return c
}

// paying returns the rows of the open chain in which a transition to a known state costs x of
// that state, with x by state of all. It also returns the least and the greatest x of a known
// state.
func (c *openChain) paying(x []float64) (paid *rows.Rows, least, greatest float64) {
	costs := make([]float64, len(c.states))
	for i, s := range c.states {
		for e := c.all.RowStart[s]; e < c.all.RowStart[s+1]; e++ {
			if j := c.all.Columns[e]; c.place[j] == known {
				costs[i] += c.all.Probabilities[e] / c.share * x[j]
			}
		}
	}
	least, greatest = math.Inf(1), math.Inf(-1)
	for s, at := range c.place {
		if at == known {
			least, greatest = min(least, x[s]), max(greatest, x[s])
		}
	}
	return c.open.WithCosts(costs), least, greatest
}

// transient sums up the series of uniformization over the open states. It implements
// limit.Iteration; an iteration adds a term.
type transient struct {
	chain         *openChain
	sweeper       *sweep.Sweeper
	changes       []float64 // by block
	steps         *poisson
	stepsOfAll    float64 // the mean of the steps of the whole chain
	relativeError float64
	longest       int // row
	series        []*series
	done          int     // terms
	tolerance     float64 // relative
	negligible    float64 // what counts as 0
	doubtful      int     // an open state whose bounds are too far apart
}

// series is Σ_k weight(k)·P^k·x, for x from 0 up, over a divisor.
type series struct {
	weights
	mass, divisor    float64    // the sum of all weights, over the divisor
	of               []float64  // x, by state of the whole chain
	rows             *rows.Rows // of the open chain
	power, next, sum []float64  // P^k·x, and the sum up to its term
	low, high        float64    // of x in the known states
	least, greatest  float64    // of P^k·x in all states
	change           float64    // bounds the magnitude of P^(k+1)·x − P^k·x
	most             float64    // of x
}

// add adds a series.
func (t *transient) add(s series, x []float64) {
	n := len(t.chain.states)
	s.of, s.power, s.next, s.sum = x, make([]float64, n), make([]float64, n), make([]float64, n)
	for i, state := range t.chain.states {
		s.power[i], s.next[i] = x[state], x[state]
	}
	s.rows, s.low, s.high = t.chain.paying(x)
	s.least, s.greatest, s.most = slices.Min(x), slices.Max(x), slices.Max(x)
	s.change = s.most
	const negligible = 1e-280
	t.negligible += min(s.most, math.MaxFloat64) * negligible * s.mass
	t.series = append(t.series, &s)
}

// Iterate adds a term.
func (t *transient) Iterate(context.Context) (lower, upper float64, err error) {
	for _, x := range t.series {
		weight := x.at(t.done)
		t.sweeper.Blocks(func(block, lo, hi int) {
			if t.done > 0 {
				x.rows.Backup(x.next, nil, x.power, lo, hi)
			}
			t.sweeper.Least[block], t.sweeper.Most[block], t.changes[block] = x.take(weight, lo, hi)
		})
		x.power, x.next = x.next, x.power
		x.least, x.greatest = t.sweeper.Extremes()
		x.least, x.greatest = min(x.least, x.low), max(x.greatest, x.high)
		if t.done > 0 {
			x.change = slices.Max(t.changes) + 8*float64(t.longest+4)*rounding.Unit*x.greatest
		}
	}
	t.done++
	lower, upper = t.bounds(t.doubtful)
	return lower, upper, nil
}

// take adds next, times its weight, to the sum. It returns the least and the greatest number of
// next, and its greatest change since power.
func (x *series) take(weight float64, lo, hi int) (least, greatest, change float64) {
	least, greatest = math.Inf(1), math.Inf(-1)
	before, sum := x.power[lo:hi], x.sum[lo:hi]
	for i, p := range x.next[lo:hi] {
		if p < least {
			least = p
		}
		if p > greatest {
			greatest = p
		}
		if d := math.Abs(p - before[i]); d > change {
			change = d
		}
		sum[i] += float64(weight * p)
	}
	return least, greatest, change
}

// digits divides the tolerance: the last terms fall so fast that a few more of them give
// three more digits.
const digits = 1024

// IsFinished reports whether no term is left, or all bounds are within the tolerance and as close
// as rounding, or tolerance/digits, allows.
func (t *transient) IsFinished() bool {
	if t.left() == 0 {
		return true
	}
	enough := min(t.tolerance, max(t.tolerance/digits, 8*t.off()))
	for range t.chain.states {
		if lower, upper := t.bounds(t.doubtful); !bound.Within(lower, upper, t.negligible, enough) {
			return false
		}
		t.doubtful = (t.doubtful + 1) % len(t.chain.states)
	}
	return true
}

// left returns how many terms are left.
func (t *transient) left() int {
	return t.steps.is.first + len(t.steps.is.weight) - t.done
}

// bounds returns bounds for an open state.
func (t *transient) bounds(i int) (lower, upper float64) {
	off, left := t.off(), float64(t.left())
	return t.total(func(x *series) (lo, hi float64) {
		least, greatest := x.power[i]*(1-2*off)-left*x.change, x.power[i]+left*x.change
		rest := x.from(t.done)
		return x.sum[i] + rest*max(x.least, least), x.sum[i] + rest*min(x.greatest, greatest) + t.steps.beyond*x.most
	})
}

// off bounds the relative error of a sum. No term is below 0, so this is at most the sum of the
// relative errors of additions, weights, probabilities and rates. A relative error ε of rates
// changes the mean number of steps and the diagonal of the matrix, and so results by a factor of
// at most exp(2ε·mean).
func (t *transient) off() float64 {
	mean, window := t.stepsOfAll, float64(len(t.steps.is.weight))
	return rounding.Unit*(float64(t.done+1)*float64(t.longest+4)+8*mean+24*window+64) +
		t.relativeError*(4*mean+4*window+4) + 2*t.chain.excess*mean + t.steps.beyond
}

// total returns bounds on the sum of all series in a state, from bounds on each times its divisor.
func (t *transient) total(of func(*series) (lo, hi float64)) (lower, upper float64) {
	off := t.off()
	for _, x := range t.series {
		lo, hi := of(x)
		if lo, hi = lo/x.divisor*(1-2*off), hi/x.divisor*(1+2*off); off > 0.01 {
			lo, hi = 0, x.most*x.mass*1.01
		}
		if x.most*x.mass > 0 {
			hi += float64(max(t.done-1, 0)) * bound.Underflow / min(x.divisor, 1)
		}
		lower, upper = lower+lo, upper+hi
	}
	err := 4 * rounding.Unit * (math.Abs(lower) + math.Abs(upper))
	return max(lower-err, 0), upper + err
}
