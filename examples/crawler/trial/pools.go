// This file has the pools of robots that are compared.

package trial

import (
	"context"
	"fmt"
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/operate"
)

// Pool is a way to decide how many robots fetch.
type Pool struct {
	Name string
	// Policy is what it follows; nil for a pool whose policy is not known beforehand.
	Policy *robots.Policy
	// Switch returns one for a run that begins now.
	Switch func(ctx context.Context) (crawl.Switch, error)
	// Predict returns the cost per unit that the model promises at rates; nil for a pool for which it
	// promises nothing.
	Predict func(ctx context.Context, arrivalRate, serviceRate float64) (float64, error)
}

// parameters are those of the model at rates.
func (s Settings) parameters(arrivalRate, serviceRate float64) robots.Parameters {
	return robots.Parameters{
		Robots: s.Robots, Buffer: s.Buffer, StarvationWeight: s.StarvationWeight,
		ArrivalRate: arrivalRate, ServiceRate: serviceRate,
	}
}

// steps is the number of times at which a load that varies is looked at.
const steps = 120

// average returns the average over the run of a cost at the rate λ of each time.
func (s Settings) average(cost func(arrivalRate float64) (float64, error)) (float64, error) {
	known := map[float64]float64{}
	sum := 0.0
	for i := range steps {
		rate := s.ArrivalRate * s.Load.Speed((float64(i)+0.5)/steps)
		c, ok := known[rate]
		if !ok {
			var err error
			if c, err = cost(rate); err != nil {
				return 0, err
			}
			known[rate] = c
		}
		sum += c
	}
	return sum / steps, nil
}

// varies reports whether the load does.
func (s Settings) varies() bool {
	for i := range steps {
		if s.Load.Speed((float64(i)+0.5)/steps) != s.Load.Speed(0) {
			return true
		}
	}
	return false
}

// Names of the pools.
const (
	Fixed    = "fixed"
	Additive = "additive"
	Paper    = "paper"
	Adapting = "adaptive"
)

// Pools returns the pools, of which each knows something else:
//
//   - fixed: as many robots as cost least over the whole run, which nobody can know beforehand;
//   - additive: nothing, see [crawl.AIMD];
//   - paper: the rates at the beginning, and that they stay; the optimal policy for them;
//   - adaptive: rates that are wrong, λ by a factor of 3 and μ by 2; it learns.
func (s Settings) Pools(ctx context.Context) ([]Pool, error) {
	fixed, err := s.fixed()
	if err != nil {
		return nil, err
	}
	policy, err := s.optimal(ctx, s.ArrivalRate*s.Load.Speed(0), s.ServiceRate)
	if err != nil {
		return nil, err
	}
	return []Pool{fixed, s.additive(), s.paper(policy), s.adaptive()}, nil
}

// optimal returns the optimal policy at rates.
func (s Settings) optimal(ctx context.Context, arrivalRate, serviceRate float64) (*robots.Policy, error) {
	solution, err := robots.Solve(ctx, s.parameters(arrivalRate, serviceRate), mdp.Settings{})
	if err != nil {
		return nil, err
	}
	return solution.Policy, nil
}

// fixed returns the best fixed pool for the load.
func (s Settings) fixed() (Pool, error) {
	best, least := 0, 0.0
	for n := 1; n <= s.Robots; n++ {
		cost, err := s.average(func(rate float64) (float64, error) {
			mix, err := s.parameters(rate, s.ServiceRate).EvaluateStatic(n)
			return mix.Cost, err
		})
		if err != nil {
			return Pool{}, err
		}
		if best == 0 || cost < least {
			best, least = n, cost
		}
	}
	return s.fixedOf(best)
}

// fixedOf returns the pool of n robots.
func (s Settings) fixedOf(n int) (Pool, error) {
	policy, err := robots.NewStaticPolicy(s.parameters(s.ArrivalRate, s.ServiceRate), n)
	if err != nil {
		return Pool{}, err
	}
	return Pool{
		Name:   fmt.Sprintf("%s: %d robots", Fixed, n),
		Policy: policy,
		Switch: func(context.Context) (crawl.Switch, error) {
			c := operate.NewController(policy)
			return c, c.Reset(0, n)
		},
		Predict: func(_ context.Context, arrivalRate, serviceRate float64) (float64, error) {
			mix, err := s.parameters(arrivalRate, serviceRate).EvaluateStatic(n)
			return mix.Cost, err
		},
	}, nil
}

func (s Settings) additive() Pool {
	return Pool{
		Name: Additive,
		Switch: func(context.Context) (crawl.Switch, error) {
			return crawl.NewAIMD(s.Robots, s.Buffer), nil
		},
	}
}

// paper returns a policy, and what it costs at other rates.
func (s Settings) paper(policy *robots.Policy) Pool {
	return Pool{
		Name:   Paper,
		Policy: policy,
		Switch: func(context.Context) (crawl.Switch, error) { return operate.NewController(policy), nil },
		Predict: func(ctx context.Context, arrivalRate, serviceRate float64) (float64, error) {
			there, err := robots.NewPolicy(s.parameters(arrivalRate, serviceRate), robots.OneClass(policy.Activates))
			if err != nil {
				return 0, err
			}
			m, err := robots.Measure(ctx, there)
			return m.Gain, err
		},
	}
}

// adaptive returns the pool that learns. The model promises it the cost of knowing the rates.
func (s Settings) adaptive() Pool {
	return Pool{
		Name: Adapting,
		Switch: func(ctx context.Context) (crawl.Switch, error) {
			begin := time.Now()
			return operate.NewAdaptive(ctx, s.parameters(s.ArrivalRate/3, 2*s.ServiceRate), operate.AdaptiveSettings{
				Now:         func() float64 { return float64(time.Since(begin)) / float64(s.Unit) },
				Synchronous: s.Synchronous,
			})
		},
		Predict: func(ctx context.Context, arrivalRate, serviceRate float64) (float64, error) {
			solution, err := robots.Solve(ctx, s.parameters(arrivalRate, serviceRate), mdp.Settings{})
			if err != nil {
				return 0, err
			}
			return solution.Gain, nil
		},
	}
}
