package robots

import (
	"context"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
	"github.com/mdpsolve/mdpsolve/models/static"
	"github.com/mdpsolve/mdpsolve/queue"
)

// StaticMix is a fixed number of robots of each class, all of them active for
// ever: the static counterpart of a policy. The queue is then M/G/1/K with
// arrivals of rate Λ = Σ n_i·λ_i, whatever the mix, and the cost per unit of time
//
//	γ·P(X=0) + Λ·P(X=K) + h·E[X] + c·Σ n_i.
//
// No robot is ever activated: a robot that delivers is sent out again.
type StaticMix struct {
	Robots      []int   // n_i, by class
	ArrivalRate float64 // Λ
	Cost        float64 // per unit of time
	Starvation  float64 // P(X=0)
	LossRate    float64 // Λ·P(X=K)
	PagesMean   float64 // E[X]
}

// Static returns the parameters for package static, in which the number of robots has no limit. It is for a
// process with one class of robots and without other costs.
func (p Parameters) Static() static.Parameters {
	return static.Parameters{
		ArrivalRate: p.ClassList()[0].ArrivalRate, ServiceRate: p.ServiceRate, StarvationWeight: p.StarvationWeight, Buffer: p.Buffer,
		Service: p.Service,
	}
}

// steadyState has the measures of the queue that a mix needs.
type steadyState interface {
	Empty() float64
	LossRate() float64
	MeanLength() float64
}

// EvaluateStatic returns the cost and measures of a mix, for any service law of
// package queue. It returns an error for parameters that are not valid, and for
// robots that are not a number from 0 to N_i for each class, at least 1 in all.
func (p Parameters) EvaluateStatic(robots ...int) (StaticMix, error) {
	if err := p.Validate(); err != nil {
		return StaticMix{}, err
	}
	if err := p.checkMix(robots); err != nil {
		return StaticMix{}, err
	}
	mix := StaticMix{Robots: append([]int(nil), robots...)}
	count := 0
	for i, n := range robots {
		count += n
		mix.ArrivalRate += float64(n) * p.ClassList()[i].ArrivalRate
	}
	state := p.steadyState(mix.ArrivalRate)
	mix.Starvation, mix.LossRate, mix.PagesMean = state.Empty(), state.LossRate(), state.MeanLength()
	mix.Cost = p.StarvationWeight*mix.Starvation + mix.LossRate + p.HoldingCost*mix.PagesMean + p.RobotCost*float64(count)
	return mix, nil
}

// measures returns the behaviour of the queue with those robots.
func (mix StaticMix) measures() Measures {
	m := Measures{Gain: mix.Cost, Starvation: mix.Starvation, LossRate: mix.LossRate, PagesMean: mix.PagesMean}
	for _, n := range mix.Robots {
		m.RobotsMax += n
		m.RobotsMeanByClass = append(m.RobotsMeanByClass, float64(n))
	}
	m.RobotsMin, m.RobotsMean = m.RobotsMax, float64(m.RobotsMax)
	return m
}

func (p Parameters) checkMix(robots []int) error {
	if len(robots) != len(p.ClassList()) {
		return &ParameterError{"Robots", robots, fmt.Sprintf("a list of %d numbers, one for each class", len(p.ClassList()))}
	}
	count := 0
	for i, n := range robots {
		if n < 0 || n > p.ClassList()[i].Robots {
			return &ParameterError{fmt.Sprintf("Robots[%d]", i), n, fmt.Sprintf("from 0 to %d", p.ClassList()[i].Robots)}
		}
		count += n
	}
	if count == 0 {
		return &ParameterError{"Robots", robots, "a list with at least one robot"}
	}
	return nil
}

func (p Parameters) steadyState(arrivalRate float64) steadyState {
	if phases.IsExponential(p.Service) {
		return queue.MM1K{ArrivalRate: arrivalRate, ServiceRate: p.ServiceRate, Buffer: p.Buffer}
	}
	return queue.NewMG1K(arrivalRate, p.Service, p.Buffer)
}

// maxMixes is the greatest number of mixes among which the best is looked for.
const maxMixes = 1 << 24

// BestStatic returns the mix of the least cost. With a limit on one of losses and starvation it
// returns the mix within the limit that has least of the other; StarvationWeight then counts only
// in Cost. If several mixes are equally good it returns one with the fewest robots. If no mix is
// within the limit it returns nil. For the plain process without a limit, package static finds
// the mix; otherwise BestStatic tries all mixes.
//
// Errors: parameters that are not valid, [mdp.ErrTooLarge] for more than 2²⁴ mixes,
// [mdp.ErrOverflow] if the cost of every mix is beyond float64, and the context's.
func (p Parameters) BestStatic(ctx context.Context, limit Limit) (*StaticMix, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if limit != (Limit{}) {
		if err := limit.validate(Parameters{}); err != nil {
			return nil, err
		}
		a, b, c := limit.line(p.ServiceRate)
		return p.bestMix(ctx, func(state steadyState, _ float64) float64 {
			switch {
			case a*state.Empty()+b*state.LossRate() > c:
				return math.Inf(1)
			case limit.Starvation > 0:
				return state.LossRate()
			}
			return state.Empty()
		})
	}
	if p.IsPlain() {
		// As a function of the number, the cost has one minimum. So if there are fewer robots
		// than would be best, all of them are best.
		best, err := p.Static().Optimize()
		n := p.ClassList()[0].Robots
		if err == nil {
			n = min(n, best.Robots)
		}
		mix, err := p.EvaluateStatic(n)
		return &mix, err
	}
	best, err := p.bestMix(ctx, func(state steadyState, robots float64) float64 {
		return p.StarvationWeight*state.Empty() + state.LossRate() + p.HoldingCost*state.MeanLength() + p.RobotCost*robots
	})
	if best == nil && err == nil {
		err = fmt.Errorf("robots: %w", mdp.ErrOverflow)
	}
	return best, err
}

// bestMix returns a mix for which a value, of the queue's steady state and the number of
// robots, is least, with the fewest robots of several; nil if it is infinite for all.
func (p Parameters) bestMix(ctx context.Context, value func(state steadyState, robots float64) float64) (*StaticMix, error) {
	classes, count := p.ClassList(), 1.0
	for _, class := range classes {
		count *= float64(class.Robots) + 1
	}
	if count > maxMixes {
		return nil, fmt.Errorf("robots: %w: there are %.3g mixes, of which at most %d can be searched", mdp.ErrTooLarge, count, maxMixes)
	}
	mixes, best, least, fewest := newMixes(classes), 0, math.Inf(1), 0.0
	for code := 1; code < mixes.count; code++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		rate, robots := 0.0, 0.0
		for c, class := range classes {
			n := float64(mixes.active(code, c))
			rate += n * class.ArrivalRate
			robots += n
		}
		if x := value(p.steadyState(rate), robots); x < least || x == least && robots < fewest {
			best, least, fewest = code, x, robots
		}
	}
	if best == 0 {
		return nil, nil
	}
	robots := make([]int, len(classes))
	for c := range robots {
		robots[c] = mixes.active(best, c)
	}
	mix, err := p.EvaluateStatic(robots...)
	return &mix, err
}
