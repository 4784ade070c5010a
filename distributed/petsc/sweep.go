package petsc

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"

	"github.com/mdpsolve/mdpsolve/distributed/petsc/internal/share"
	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// Sweeps over the values of all ranks, and the bounds that they prove.

// criterion has the parameters of a criterion for sweeps.
type criterion struct {
	discount float64 // 1 for the average
	improve  func(mdp.Part, mdp.Vector, []int32, []float64) (lower, upper float64)
	sense    mdp.Sense
}

func criterionOf(c mdp.Criterion) (criterion, error) {
	switch c := c.(type) {
	case mdp.LongRunAverage:
		return criterion{1, c.Improve, c.Sense}, nil
	case mdp.Discounted:
		if !(c.Discount > 0 && c.Discount < 1) || c.Complement != 0 {
			return criterion{}, fmt.Errorf("petsc: Discounted.Discount %v is not valid: use a number between 0 and 1, and no Complement", c.Discount)
		}
		return criterion{c.Discount, c.Improve, c.Sense}, nil
	}
	return criterion{}, fmt.Errorf("petsc: criterion %v is not valid: use mdp.LongRunAverage or mdp.Discounted", c)
}

// sweeper holds values of this rank's states, in double-double and in units of cost times
// the rate of the model, and what the last sweep over them found.
type sweeper struct {
	criterion
	world     *World
	share     *share.Share
	rate      float64
	tolerance float64
	cheapest  float64 // no average is below this cost; −Inf for discounted costs

	high, low vector  // of the values, followed by ghosts
	residual  vector  // T v − v
	policy    []int32 // attains T v
	before    []int32 // the policy of the sweep before

	lower, upper float64 // bounds, if it proved them: on the gain, or on v* − v in every state
	least, most  float64 // of the residual
	mean         float64 // of the values
	size         float64 // the largest magnitude of a value
	changed      float64 // the number of states in which policy and before differ
	ended        bool    // the context of a rank has ended
	met          bool    // the bounds of every state are within the tolerance
}

// newSweeper generates this rank's rows. The values are zeros.
func newSweeper(ctx context.Context, w *World, model Model, c mdp.Criterion, tolerance float64) (*sweeper, error) {
	of, err := criterionOf(c)
	if err != nil {
		return nil, err
	}
	states := model.NumStates()
	if states < 1 {
		return nil, fmt.Errorf("petsc: %w: a model needs at least one state", mdp.ErrNoStart)
	}
	first, last := share.Range(states, w.Ranks, w.Rank)
	rows := model
	if of.sense == mdp.Maximize {
		rows = negative{rows}
	}
	p, err := share.NewPlan(ctx, rows, first, last)
	if err == nil {
		err = w.fit(p)
	}
	if err := w.Agree(err); err != nil {
		return nil, err
	}
	s := &sweeper{criterion: of, world: w, rate: 1, tolerance: tolerance}
	s.share, err = p.Fill(ctx)
	if err := w.Agree(err); err != nil {
		return nil, err
	}
	if timed, ok := model.(interface{ Rate() float64 }); ok {
		s.rate = timed.Rate()
	}
	s.cheapest = math.Inf(-1)
	if s.discount == 1 {
		s.cheapest = s.share.Cheapest()
		w.least(&s.cheapest)
	}
	debug.FreeOSMemory() // of the plan, before vectors take memory
	s.high, s.low = w.newVector(last-first, s.share.Ghosts), w.newVector(last-first, s.share.Ghosts)
	s.residual = w.newVector(last-first, nil)
	s.policy, s.before = make([]int32, last-first), make([]int32, last-first)
	return s, nil
}

// Model lists any row of a whole model, and always the same row: every [mdp.Explicit] does.
// It may also be [mdp.Timed] or [mdp.Approximate].
type Model = share.Model

// negative is a model whose rewards are costs.
type negative struct{ Model }

// AppendRow appends a row of the model, and returns it with its reward as a cost.
func (m negative) AppendRow(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64) {
	dst, reward := m.Model.AppendRow(dst, s, a)
	return dst, -reward
}

// RelativeError is that of the model.
func (m negative) RelativeError() float64 {
	return share.RelativeError(m.Model)
}

// sweep finds the residual of the values and the policy that attains it, on all ranks. It
// sweeps in double-double if the bounds must be proved; otherwise in float64, several times
// as fast, over the high parts of the values.
func (s *sweeper) sweep(ctx context.Context, proved bool) error {
	s.world.exchange(s.high)
	copy(s.before, s.policy)
	s.lower, s.upper = math.Inf(1), math.Inf(-1)
	if proved {
		s.world.exchange(s.low)
		if len(s.policy) > 0 {
			s.lower, s.upper = s.improve(s.share, mdp.Vector{High: s.high.values, Low: s.low.values}, s.policy, s.residual.values)
		}
	} else {
		s.lower, s.upper = s.share.Sweep(s.high.values, s.discount, s.policy, s.residual.values)
		if s.discount < 1 {
			s.lower, s.upper = s.lower/(1-s.discount), s.upper/(1-s.discount)
		}
	}
	s.least, s.most, s.size = math.Inf(1), math.Inf(-1), 0
	var sum, changed, ended float64
	for i, r := range s.residual.values {
		s.least, s.most = min(s.least, r), max(s.most, r)
		sum += s.high.values[i]
		s.size = max(s.size, math.Abs(s.high.values[i]))
		if s.policy[i] != s.before[i] {
			changed++
		}
	}
	if ctx.Err() != nil {
		ended = 1
	}
	states := float64(len(s.policy))
	s.world.least(&s.lower, &s.least)
	s.world.most(&s.upper, &s.most, &s.size)
	s.world.sum(&sum, &changed, &ended, &states)
	s.lower = max(s.lower, s.cheapest)
	s.mean, s.changed, s.ended = sum/states, changed, ended > 0
	if math.IsNaN(s.lower) || math.IsNaN(s.upper) || math.IsInf(s.lower, 0) || math.IsInf(s.upper, 0) {
		return mdp.ErrOverflow
	}
	s.met = s.areMet()
	return nil
}

// areMet reports whether the bounds of every state are within the tolerance of each other.
func (s *sweeper) areMet() bool {
	if s.discount == 1 {
		return mdp.Within(s.lower, s.upper, 0, s.tolerance)
	}
	apart := 0.0
	for i := range s.policy {
		if lower, upper := s.bounds(i); !mdp.Within(lower, upper, 0, s.tolerance) {
			apart = 1
			break
		}
	}
	s.world.sum(&apart)
	return apart == 0
}

// bounds returns bounds on the least cost from one of the rank's states: its discounted
// value, or the gain.
func (s *sweeper) bounds(i int) (lower, upper float64) {
	if s.discount == 1 {
		return s.lower, s.upper
	}
	return shiftDown(s.high.values[i], s.low.values[i], s.lower, s.rate), -shiftDown(-s.high.values[i], -s.low.values[i], -s.upper, s.rate)
}

// shiftDown returns a number that is not above (high + low + by)/rate: four roundings of
// at most 2⁻⁵³ of their result, or below the least normal number.
func shiftDown(high, low, by, rate float64) float64 {
	x := doubledouble.TwoSum(high, by).AddFloat(low).RoundDown()
	if rate != 1 {
		x = math.Nextafter(x/rate, math.Inf(-1))
	}
	return math.Nextafter(x, math.Inf(-1))
}
