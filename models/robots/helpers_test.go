package robots_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// process returns the parameters of the plain process: N, K, λ, μ and γ.
func process(n, k int, lambda, mu, gamma float64) robots.Parameters {
	return robots.Parameters{Robots: n, Buffer: k, ArrivalRate: lambda, ServiceRate: mu, StarvationWeight: gamma}
}

// testParameters covers the smallest sizes, rows shorter and longer than a
// vector, and rates of all proportions.
func testParameters() []robots.Parameters {
	return []robots.Parameters{
		process(1, 2, 0.7, 1, 1.4),
		process(2, 2, 3, 0.5, 0.01),
		process(3, 7, 0.1, 2, 30),
		process(4, 3, 0.25, 1, 1),
		process(5, 4, 1.0/3, 1, 1),
		process(6, 9, 1.0/7, 1.1, 17.0/15),
		figure6,
		process(21, 12, 0.05, 1, 2),
	}
}

// random is a source of random numbers of a test, which prints its seed.
func random(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Log("seed", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// values returns n random numbers of both signs and several magnitudes.
func values(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64() * math.Pow(10, float64(r.IntN(4)))
	}
	return v
}

// forAll runs a test for all of testParameters.
func forAll(t *testing.T, test func(t *testing.T, p robots.Parameters)) {
	for _, p := range testParameters() {
		t.Run(fmt.Sprintf("N=%d,K=%d", p.Robots, p.Buffer), func(t *testing.T) { test(t, p) })
	}
}

// rowValue returns the cost and expected value of an action from its row,
// which it checks: distinct successors, probabilities that sum to 1.
func rowValue(t *testing.T, m mdp.Explicit, v []float64, s, a int) float64 {
	prefix := []mdp.Entry{{State: -1, Probability: 5}}
	row, cost := m.AppendRow(prefix, s, a)
	require.Equal(t, prefix[0], row[0])
	sum, total, seen := 0.0, 0.0, map[int32]bool{}
	for _, e := range row[1:] {
		require.False(t, seen[e.State])
		require.Positive(t, e.Probability)
		seen[e.State] = true
		total += e.Probability
		sum += float64(e.Probability * v[e.State]) // never fused, like the model's
	}
	require.InDelta(t, 1, total, 4e-16)
	return cost + sum
}

// moment is a state of the plain process just before an event.
type moment struct {
	Queue, Active int
	Event         robots.Event
}

// Pair is a state of the plain process after a decision.
type Pair struct{ Queue, Active int }

// pairOf returns a state of the plain process of a model.
func pairOf(m *robots.Model, index int) Pair {
	s := m.State(index)
	return Pair{s.Queue, s.Active[0]}
}

// indexOf is the inverse of pairOf.
func indexOf(m *robots.Model, p Pair) int {
	return m.Index(robots.State{Queue: p.Queue, Active: []int{p.Active}})
}

// moments returns all moments with a decision, forced ones included.
func moments(p robots.Parameters) []moment {
	var all []moment
	for q := range p.Buffer + 1 {
		for r := range p.Robots + 1 {
			if q > 0 {
				all = append(all, moment{Queue: q, Active: r, Event: robots.Departure})
			}
			if r > 0 {
				all = append(all, moment{Queue: q, Active: r, Event: robots.Arrival})
			}
		}
	}
	return all
}

// free reports whether the decision at a moment makes a difference.
func free(p robots.Parameters, s moment) bool {
	return s.Event == robots.Arrival || s.Active < p.Robots && s != moment{Queue: 1, Event: robots.Departure}
}

// modelPolicy returns the policy of actions of a model.
func modelPolicy(t *testing.T, m *robots.Model, actions []int32) *robots.Policy {
	t.Helper()
	policy, err := robots.NewPolicy(m.Parameters(), func(s robots.State) robots.Decisions {
		index := m.Index(s)
		return m.Decisions(index, int(actions[index]))
	})
	require.NoError(t, err)
	return policy
}

func activates(policy *robots.Policy, s moment) bool {
	d := policy.Decisions(robots.State{Queue: s.Queue, Active: []int{s.Active}})
	if s.Event == robots.Departure {
		return d.Activate == 0
	}
	return d.Reactivate.Has(0)
}

func plainPolicy(p robots.Parameters, activate func(moment) bool) (*robots.Policy, error) {
	return robots.NewPolicy(p, oneClass(func(e robots.Event, queue, active int) bool {
		return activate(moment{Queue: queue, Active: active, Event: e})
	}))
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
