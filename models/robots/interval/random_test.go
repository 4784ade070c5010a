package interval_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/interval"
)

// valueIteration bounds the least worst case by plain value iteration on the states after
// a decision, with rates from five equally spaced points of each range. It is another
// statement of the process than the package's: its own rate of events, rates inside the
// ranges, costs and decisions spelt out.
func valueIteration(t *testing.T, p robots.Parameters, rates interval.Rates) (lower, upper float64) {
	t.Helper()
	const points = 5
	between := func(r interval.Range, i int) float64 { return r.Low + (r.High-r.Low)*float64(i)/(points-1) }
	n, events := p.Robots, 1.2*(rates.Arrival.High*float64(p.Robots)+rates.Service.High)
	w := make([][]float64, p.Buffer+1)
	next := make([][]float64, p.Buffer+1)
	for q := range w {
		w[q], next[q] = make([]float64, n+1), make([]float64, n+1)
	}
	for range 5_000_000 {
		lower, upper = math.Inf(1), math.Inf(-1)
		for q := range w {
			for r := range w[q] {
				if q+r == 0 {
					continue
				}
				theta := p.HoldingCost*float64(q) + p.RobotCost*float64(r)
				if q == 0 {
					theta += p.StarvationWeight
				}
				if q > 0 {
					after := math.Inf(1)
					if q+r > 1 {
						after = w[q-1][r]
					}
					if r < n {
						after = min(after, w[q-1][r+1]+p.ActivationCost)
					}
					worst := math.Inf(-1)
					for i := range points {
						worst = max(worst, between(rates.Service, i)*(after-w[q][r]))
					}
					theta += worst
				}
				if r > 0 {
					full, lost := min(q+1, p.Buffer), 0.0
					if q == p.Buffer {
						lost = 1
					}
					after, worst := min(w[full][r-1], w[full][r]), math.Inf(-1)
					for i := range points {
						worst = max(worst, between(rates.Arrival, i)*float64(r)*(lost+after-w[q][r]))
					}
					theta += worst
				}
				next[q][r] = w[q][r] + theta/events
				lower, upper = min(lower, theta), max(upper, theta)
			}
		}
		shift := next[p.Buffer][n]
		for q := range w {
			for r := range w[q] {
				w[q][r] = next[q][r] - shift
			}
		}
		if upper-lower <= 1e-9*upper {
			return lower, upper
		}
	}
	require.Fail(t, "value iteration did not converge")
	return lower, upper
}

// TestRandomModels compares with value iteration on random models, costs of waiting, of
// robots and of activations included, and the worst case of the policy found with the
// answer.
func TestRandomModels(t *testing.T) {
	const seed = 20261123
	random := rand.New(rand.NewPCG(seed, 1))
	count := 100
	if testing.Short() {
		count = 20
	}
	for range count {
		between := func(low, high float64) float64 { return low * math.Exp(random.Float64()*math.Log(high/low)) }
		p := robots.Parameters{
			Robots: 1 + random.IntN(5), Buffer: 2 + random.IntN(4),
			ArrivalRate: between(0.1, 2), ServiceRate: between(0.3, 3), StarvationWeight: between(0.1, 10),
		}
		if random.IntN(2) == 0 {
			p.HoldingCost, p.RobotCost, p.ActivationCost = between(0.01, 1), between(0.01, 1), between(0.01, 1)
		}
		share := between(0.01, 0.8)
		rates := around(p, share)
		if random.IntN(4) == 0 {
			rates.Service = interval.Range{Low: p.ServiceRate, High: p.ServiceRate}
		}
		lower, upper := valueIteration(t, p, rates)
		s, err := interval.Solve(context.Background(), p, rates, mdp.Settings{})
		require.NoError(t, err, "seed %d: %+v %+v", seed, p, rates)
		// The bounds of value iteration hold up to the rounding of some dozen terms.
		assert.LessOrEqual(t, s.Lower, upper*(1+1e-12), "seed %d: %+v %+v", seed, p, rates)
		assert.GreaterOrEqual(t, s.Upper, lower*(1-1e-12), "seed %d: %+v %+v", seed, p, rates)
		assert.InEpsilon(t, lower, s.Gain, 2e-9, "seed %d: %+v %+v", seed, p, rates)
		assert.InEpsilon(t, s.Gain, s.Measures.Gain, 1e-9)

		worst, err := interval.EvaluateWorst(context.Background(), s.Policy, rates, mdp.Settings{})
		require.NoError(t, err)
		assert.InEpsilon(t, s.Gain, worst.Gain, 1e-9, "seed %d: %+v %+v", seed, p, rates)
		assert.InEpsilon(t, s.Gain, worst.Measures.Gain, 1e-9, "seed %d: %+v %+v", seed, p, rates)
	}
}

// TestWorstOfRandomPolicies takes policies drawn at random and compares with trying all
// rates on each closed class. Of several classes the worst case lies between them, since
// which is reached is a matter of rates and chance.
func TestWorstOfRandomPolicies(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	several, count := 0, 30
	if testing.Short() {
		count = 6
	}
	for range count {
		p := robots.Parameters{Robots: 2, Buffer: 2, ArrivalRate: 0.5, ServiceRate: 1, StarvationWeight: 0.1 + 3*random.Float64()}
		m := small{p, around(p, 0.9*random.Float64())}
		controller, nature := m.choices()
		does := set(controller, random.IntN(1<<len(controller)))
		policy, err := robots.NewPolicy(p, oneClass(func(e robots.Event, q, r int) bool {
			kind := atDeparture
			if e == robots.Arrival {
				kind = atArrival
			}
			return does[choice{q*(p.Robots+1) + r, kind}] || e == robots.Departure && q == 1 && r == 0
		}))
		require.NoError(t, err)
		least, most := math.Inf(1), 0.0
		for _, class := range m.classes(does) {
			worst := 0.0
			for bits := range 1 << len(nature) {
				worst = max(worst, m.gain(class, does, set(nature, bits)))
			}
			least, most = min(least, worst), max(most, worst)
		}
		if least < most {
			several++
		}
		worst, err := interval.EvaluateWorst(context.Background(), policy, m.rates, mdp.Settings{})
		require.NoError(t, err)
		assert.Equal(t, mdp.Converged, worst.Status)
		assert.LessOrEqual(t, least*(1-1e-9), worst.Gain)
		assert.GreaterOrEqual(t, most*(1+1e-9), worst.Gain)
		assert.LessOrEqual(t, worst.Lower, most*(1+1e-12))
		assert.GreaterOrEqual(t, worst.Upper, least*(1-1e-12))
	}
	assert.Less(t, several, count, "no case has one answer")
}

// oneClass returns a rule for robots of one class that activates a robot, at a departure,
// or sends the one that delivers out again, at an arrival, where activate says so.
func oneClass(activate func(e robots.Event, queue, active int) bool) func(robots.State) robots.Decisions {
	return func(s robots.State) robots.Decisions {
		d := robots.Decisions{Activate: robots.NoClass}
		if s.Queue > 0 && activate(robots.Departure, s.Queue, s.Active[0]) {
			d.Activate = 0
		}
		if s.Active[0] > 0 && activate(robots.Arrival, s.Queue, s.Active[0]) {
			d.Reactivate |= 1
		}
		return d
	}
}
