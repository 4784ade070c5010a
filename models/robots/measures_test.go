package robots_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/paper"
	"github.com/mdpsolve/mdpsolve/queue"
)

func measure(t *testing.T, policy *robots.Policy) robots.Measures {
	t.Helper()
	m, err := robots.Measure(context.Background(), policy)
	require.NoError(t, err)
	return m
}

// requireStatic checks measures against the queue M/M/1/K that is fed by a
// fixed number of robots.
func requireStatic(t *testing.T, p robots.Parameters, robots int, m robots.Measures) {
	t.Helper()
	q := queue.MM1K{ArrivalRate: float64(robots) * p.ArrivalRate, ServiceRate: p.ServiceRate, Buffer: p.Buffer}
	const tolerance = 1e-13 // 10⁻¹⁵ for each of some hundred states of the class
	assert.InEpsilon(t, q.Empty(), m.Starvation, tolerance)
	assert.InEpsilon(t, q.LossRate(), m.LossRate, tolerance)
	assert.InEpsilon(t, p.StarvationWeight*q.Empty()+q.LossRate(), m.Gain, tolerance)
	assert.InEpsilon(t, robots, m.RobotsMean, tolerance)
	assert.Equal(t, robots, m.RobotsMin)
	assert.Equal(t, robots, m.RobotsMax)
}

func TestMeasuresOfAllActive(t *testing.T) {
	for _, p := range append(
		testParameters(),
		process(7, 100, 1e-2, 1, 1.4),  // starves always, loses 10⁻¹¹⁶
		process(7, 100, 1e2, 1, 1e-9),  // never starves
		process(2, 300, 0.45, 1, 1e12), // 90% load
	) {
		always := policyBy(t, p, func(moment) bool { return true })
		requireStatic(t, p, p.Robots, measure(t, always))
	}
}

// The example of the paper (section 3.1) for a process that is multichain: with
// two robots, reactivate at every arrival and activate none. One robot active
// and two are closed classes; an empty queue with one robot is in the first,
// even where the second costs less.
func TestMeasuresOfMultichainPolicy(t *testing.T) {
	for _, rate := range []float64{0.4, 4} {
		p := process(2, 5, rate, 1, 1)
		policy := policyBy(t, p, func(s moment) bool { return s.Event == robots.Arrival })
		requireStatic(t, p, 1, measure(t, policy))

		pairs, err := robots.NewModel(p)
		require.NoError(t, err)
		evaluation, err := mdp.LongRun(context.Background(), pairs, mdp.Policy{Actions: policy.Actions(pairs)})
		require.NoError(t, err)
		require.Len(t, evaluation.Classes, 2)
		requireStatic(t, p, 2, pairs.MeasureClass(policy, evaluation.Classes[1], nil))
		assert.Equal(t, rate == 0.4, evaluation.Classes[1].Gain < evaluation.Classes[0].Gain)
		best, err := robots.Solve(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		assert.Less(t, best.Gain, evaluation.Classes[0].Gain)
		assert.Less(t, best.Gain, evaluation.Classes[1].Gain)
	}
}

// Deactivating at every arrival and activating at every departure keeps q + r as
// it is: there is a class for each sum, and (0,1) is in that of (1,0).
func TestMeasuresOfDiagonal(t *testing.T) {
	p := process(3, 4, 0.5, 1, 1.4)
	m := measure(t, policyBy(t, p, func(s moment) bool { return s.Event == robots.Departure }))
	// (0,1) is left at rate λ, (1,0) at rate μ.
	assert.InEpsilon(t, 1/1.5, m.Starvation, 1e-15)
	assert.InEpsilon(t, 1/1.5, m.RobotsMean, 1e-15)
	assert.InEpsilon(t, 1.4/1.5, m.Gain, 1e-15)
	assert.Zero(t, m.LossRate)
	assert.Equal(t, [2]int{0, 1}, [2]int{m.RobotsMin, m.RobotsMax})
}

// The gain is γS + L, that of the class in exact arithmetic, and what mdp makes
// of the costs of either form, for policies without any pattern.
func TestMeasuresOfRandomPolicies(t *testing.T) {
	r := random(t)
	trials := 300
	if testing.Short() {
		trials = 30
	}
	for range trials {
		p := randomParameters(r, 3, 4, 1e3)
		policy := policyBy(t, p, func(moment) bool { return r.IntN(2) == 1 })
		m := measure(t, policy)
		assert.InEpsilon(t, p.StarvationWeight*m.Starvation+m.LossRate, m.Gain, 1e-15)
		assert.GreaterOrEqual(t, m.RobotsMean, float64(m.RobotsMin)*(1-1e-14))
		assert.LessOrEqual(t, m.RobotsMean, float64(m.RobotsMax)*(1+1e-14))

		table := compiled(t, p)
		pairs, err := robots.NewModel(p)
		require.NoError(t, err)
		actions := make([]int32, table.NumStates())
		for i := range actions {
			if s := moment(table.State(i)); s.Event != paper.Fictitious && free(p, s) && activates(policy, s) {
				actions[i] = 1
			}
		}
		evaluation, err := mdp.LongRun(context.Background(), table, mdp.Policy{Actions: actions})
		require.NoError(t, err)
		start, found := table.Index(paper.State{Queue: 0, Active: 1, Event: paper.Fictitious})
		require.True(t, found)
		assert.InEpsilon(t, m.Gain, evaluation.Gain[start], 1e-12, "%+v", p)
		evaluation, err = mdp.LongRun(context.Background(), pairs, mdp.Policy{Actions: policy.Actions(pairs)})
		require.NoError(t, err)
		assert.InEpsilon(t, m.Gain, evaluation.Gain[indexOf(pairs, Pair{0, 1})], 1e-12, "%+v", p)
		// A class has, with each pair, the path of departures down to an empty
		// queue and that of arrivals up to a full one or to no robot active. No
		// move leads across these, so one class is all that (0,1) can reach.
		reached := evaluation.Reachable(indexOf(pairs, Pair{0, 1}))
		require.Len(t, reached, 1)
		exact := rationalGain(p, policy, exactRational(p.ArrivalRate), exactRational(p.ServiceRate),
			exactRational(p.StarvationWeight), pairOf(pairs, evaluation.Classes[reached[0]].States[0]))
		require.NotNil(t, exact)
		gain, _ := exact.Float64()
		assert.InEpsilon(t, gain, m.Gain, 1e-13, "%+v", p)
	}
}

// A simulation of the continuous-time process agrees on S, L, N̄ and the whole
// distribution within four standard errors, of the means over batches of events.
func TestMeasuresAgainstSimulation(t *testing.T) {
	batches, length := 100, 4000
	for i, p := range []robots.Parameters{
		process(6, 4, 0.3, 1, 1.4),
		process(3, 2, 1, 2.5, 0.3),
		figure6,
	} {
		best, err := robots.Solve(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		for name, policy := range map[string]*robots.Policy{
			"optimal":     best.Policy,
			"alternating": policyBy(t, p, func(s moment) bool { return (s.Queue+s.Active)%2 == 0 }),
		} {
			t.Run(fmt.Sprintf("%d %s", i, name), func(t *testing.T) {
				m := measure(t, policy)
				sim := simulation{policy: policy, random: rand.New(rand.NewPCG(1999, uint64(i))), at: Pair{0, 1}}
				sim.batch(length) // leaves the transient states, and forgets the start
				var starvation, losses, active []float64
				shares := make([][]float64, (p.Robots+1)*(p.Buffer+1)) // of each batch, by place in Distribution
				for range batches {
					b := sim.batch(length)
					for i, share := range slices.Concat(b.Distribution...) {
						shares[i] = append(shares[i], share)
					}
					starvation = append(starvation, b.Starvation)
					losses = append(losses, b.LossRate)
					active = append(active, b.RobotsMean)
				}
				requireMean(t, m.Starvation, starvation)
				requireMean(t, m.LossRate, losses)
				requireMean(t, m.RobotsMean, active)
				for i, share := range slices.Concat(m.Distribution...) {
					requireMean(t, share, shares[i])
				}
			})
		}
	}
}

func requireMean(t *testing.T, want float64, sample []float64) {
	t.Helper()
	n, mean, squares := float64(len(sample)), 0.0, 0.0
	for _, x := range sample {
		mean += x / n
	}
	for _, x := range sample {
		squares += (x - mean) * (x - mean)
	}
	standardError := math.Sqrt(squares / (n - 1) / n)
	assert.InDelta(t, want, mean, 4*standardError+1e-12)
}

// simulation is the process as the paper tells it: robots, a queue, and a
// policy that is asked at each event.
type simulation struct {
	policy *robots.Policy
	random *rand.Rand
	at     Pair
}

// batch simulates a number of events and returns what they were like.
func (s *simulation) batch(events int) robots.Measures {
	p, elapsed, m := s.policy.Parameters(), 0.0, robots.Measures{}
	m.Distribution = make([][]float64, p.Robots+1)
	for r := range m.Distribution {
		m.Distribution[r] = make([]float64, p.Buffer+1)
	}
	for range events {
		service, arrivals := 0.0, p.ArrivalRate*float64(s.at.Active)
		if s.at.Queue > 0 {
			service = p.ServiceRate
		}
		stay := s.random.ExpFloat64() / (service + arrivals)
		elapsed += stay
		m.Distribution[s.at.Active][s.at.Queue] += stay
		m.RobotsMean += float64(s.at.Active) * stay
		if s.at.Queue == 0 {
			m.Starvation += stay
		}
		if s.random.Float64()*(service+arrivals) < service {
			if activates(s.policy, moment{s.at.Queue, s.at.Active, robots.Departure}) && s.at.Active < p.Robots {
				s.at.Active++
			}
			s.at.Queue--
			continue
		}
		keep := activates(s.policy, moment{s.at.Queue, s.at.Active, robots.Arrival})
		if s.at.Queue == p.Buffer {
			m.LossRate++
		} else {
			s.at.Queue++
		}
		if !keep {
			s.at.Active--
		}
	}
	m.Starvation /= elapsed
	m.LossRate /= elapsed
	m.RobotsMean /= elapsed
	for _, shares := range m.Distribution {
		for q := range shares {
			shares[q] /= elapsed
		}
	}
	return m
}
