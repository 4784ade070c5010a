// This file holds rates that change over time, and the least cost if they are known.

package simulator

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// Load describes how the arrival rates change over time. At the time t ≥ 0 each class has the rate
// of the parameters times factor, which is positive. That holds until a later time, +Inf for ever.
type Load func(t float64) (factor, until float64)

// JumpLoad multiplies the rate of arrivals by a factor from the time at on.
func JumpLoad(factor, at float64) Load {
	return func(t float64) (float64, float64) {
		if t < at {
			return 1, at
		}
		return factor, math.Inf(1)
	}
}

// loadSteps is the number of steps of a drift and of a cycle.
const loadSteps = 48

// DriftLoad multiplies the rate of arrivals by a factor gradually, in 48 equal ratios at equal
// intervals up to the time at > 0, and leaves it there.
func DriftLoad(factor, at float64) Load {
	return func(t float64) (float64, float64) {
		step := math.Floor(t / at * loadSteps)
		if step >= loadSteps {
			return factor, math.Inf(1)
		}
		return math.Pow(factor, step/loadSteps), after(t, (step+1)*at/loadSteps)
	}
}

// CycleLoad moves the rate of arrivals up and down between a factor and its inverse, as
// factor^sin(2πt/period), in 48 steps for each period > 0.
func CycleLoad(factor, period float64) Load {
	return func(t float64) (float64, float64) {
		step := math.Floor(t / period * loadSteps)
		phase := math.Mod(step, loadSteps) + 0.5 // so that all cycles have the same factors, to the bit
		return math.Pow(factor, math.Sin(2*math.Pi*phase/loadSteps)), after(t, (step+1)*period/loadSteps)
	}
}

// after returns until or, if rounding has made it t, the next float64 above t.
func after(t, until float64) float64 { return max(until, math.Nextafter(t, math.Inf(1))) }

// Times returns the load whose factor is the product of those of two loads.
func (l Load) Times(other Load) Load {
	return func(t float64) (float64, float64) {
		f, until := l(t)
		g, otherUntil := other(t)
		return f * g, min(until, otherUntil)
	}
}

// Benchmark has the least costs per unit of time under a load whose rates are known at all times,
// averaged over each batch of a [Simulation]. It assumes that the queue is always in the steady
// state of the current rates, so it suits a load that changes slowly compared with the queue.
type Benchmark struct {
	// Optimum is the optimal gain at the current rates, by batch.
	Optimum []float64

	// Fixed is the cost, by batch, of the best fixed number of robots. Robots is that number: the
	// one with the least mean over all batches.
	Fixed  []float64
	Robots int
}

// Benchmark computes the benchmark of a load for parameters with one class of robots. The
// errors are a [*robots.ParameterError] and those of [robots.Solve].
func (s Simulation) Benchmark(ctx context.Context, p robots.Parameters) (*Benchmark, error) {
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(p.ClassList()) > 1 {
		return nil, invalid("Classes", p.Classes, "one class of robots")
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	b := &Benchmark{Optimum: make([]float64, s.Batches)}
	fixed := make([][]float64, p.ClassList()[0].Robots) // by robots less 1 and batch
	for n := range fixed {
		fixed[n] = make([]float64, s.Batches)
	}
	known, length := map[float64][]float64{}, s.Horizon/float64(s.Batches)
	for t := 0.0; t < s.Horizon; {
		f, until := s.at(t)
		costs, ok := known[f]
		if !ok {
			if costs, err = knownCosts(ctx, p, f); err != nil {
				return nil, err
			}
			known[f] = costs
		}
		for t < min(until, s.Horizon) {
			batch := min(int(t/length), s.Batches-1)
			end := s.Horizon
			if batch < s.Batches-1 {
				end = after(t, float64(batch+1)*length)
			}
			end = min(end, until)
			share := (end - t) / length
			b.Optimum[batch] += share * costs[0]
			for n := range fixed {
				fixed[n][batch] += share * costs[n+1]
			}
			t = end
		}
	}
	least := math.Inf(1)
	for n, costs := range fixed {
		sum := 0.0
		for _, cost := range costs {
			sum += cost
		}
		if sum < least {
			least, b.Fixed, b.Robots = sum, costs, n+1
		}
	}
	return b, nil
}

// at returns the factor of a time of the load, and until when it holds.
func (s Simulation) at(t float64) (factor, until float64) {
	if s.Load == nil {
		return 1, math.Inf(1)
	}
	return s.Load(t)
}

// knownTolerance is the tolerance of the optimal gain: far below the noise of a simulation.
const knownTolerance = 1e-6

// knownCosts returns the optimal gain and the costs of 1, 2, … robots if the rate of arrivals
// is multiplied by a factor.
func knownCosts(ctx context.Context, p robots.Parameters, factor float64) ([]float64, error) {
	p.Robots, p.ArrivalRate, p.Classes = p.ClassList()[0].Robots, p.ClassList()[0].ArrivalRate*factor, nil
	solution, err := robots.Solve(ctx, p, mdp.Settings{Tolerance: knownTolerance})
	if err != nil {
		return nil, err
	}
	costs := []float64{solution.Gain}
	for n := range p.Robots {
		mix, err := p.EvaluateStatic(n + 1)
		if err != nil {
			return nil, err
		}
		costs = append(costs, mix.Cost)
	}
	return costs, nil
}
