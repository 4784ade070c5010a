package robots_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/paper"
)

// compiled returns the table of the declared process.
func compiled(t *testing.T, p robots.Parameters) *mdp.Compiled[paper.State, int] {
	t.Helper()
	problem, err := paper.NewProblem(p)
	require.NoError(t, err)
	table, err := problem.Compile(context.Background())
	require.NoError(t, err)
	return table
}

// afterDecision sets w to the expectation of h, values of the table's states, over the
// event after each pair: what a fictitious event, which leaves the pair as it is, leads to.
func afterDecision(t *testing.T, w, h []float64, table *mdp.Compiled[paper.State, int], pairs *robots.Model) {
	t.Helper()
	problem, err := paper.NewProblem(pairs.Parameters())
	require.NoError(t, err)
	for i := range w {
		p := pairOf(pairs, i)
		w[i] = 0
		for _, next := range problem.Next(nil, paper.State{Queue: p.Queue, Active: p.Active, Event: paper.Fictitious}, 0) {
			if next.Probability > 0 {
				at, found := table.Index(next.State)
				require.True(t, found)
				w[i] += float64(next.Probability * h[at])
			}
		}
	}
}

// The states are all (q,r,s) but (q,N,2), q > 0: with all robots active and a page in
// service every event is an arrival or a departure.
func TestCompiledStates(t *testing.T) {
	forAll(t, func(t *testing.T, p robots.Parameters) {
		table := compiled(t, p)
		assert.Equal(t, paper.State{Queue: 1, Active: 1, Event: robots.Arrival}, table.State(0))
		n, k := p.Robots, p.Buffer
		assert.Equal(t, k*(n+1)+(k+1)*n+(k+1)*(n+1)-1-k, table.NumStates())
	})
}

// Values of pairs stay the expectations of those of the declared states, sweep by sweep,
// and both decide the same.
func TestModelHasTheIteratesOfTheDeclaredProcess(t *testing.T) {
	forAll(t, func(t *testing.T, p robots.Parameters) {
		table := compiled(t, p)
		pairs, err := robots.NewModel(p)
		require.NoError(t, err)
		assert.Equal(t, (p.Buffer+1)*(p.Robots+1)-1, pairs.NumStates())
		assert.Equal(t, table.Rate(), pairs.Rate())
		h, act := values(random(t), table.NumStates()), make([]int32, table.NumStates())
		w, decisions := make([]float64, pairs.NumStates()), make([]int32, pairs.NumStates())
		nextH, nextW, want := make([]float64, len(h)), make([]float64, len(w)), make([]float64, len(w))
		afterDecision(t, w, h, table, pairs)
		for k := range 50 {
			table.Backup(nextH, act, h, 0, len(h))
			pairs.Backup(nextW, decisions, w, 0, len(w))
			if k == 0 { // w has the bits that the table computes for itself
				requireSameDecisions(t, table, pairs, act, decisions)
			}
			h, nextH = nextH, h
			w, nextW = nextW, w
			afterDecision(t, want, h, table, pairs)
			scale := 0.0
			for _, x := range want {
				scale = max(scale, math.Abs(x))
			}
			for i := range w {
				require.InDelta(t, want[i], w[i], 1e-13*scale, "sweep %d, pair %v", k, pairOf(pairs, i))
			}
		}
	})
}

func requireSameDecisions(t *testing.T, table *mdp.Compiled[paper.State, int], pairs *robots.Model, act, decisions []int32) {
	t.Helper()
	at := func(p Pair, e robots.Event) bool {
		s, found := table.Index(paper.State{Queue: p.Queue, Active: p.Active, Event: e})
		require.True(t, found)
		return table.Action(s, int(act[s])) == 1
	}
	for i := range decisions {
		p := pairOf(pairs, i)
		require.Equal(t, i, indexOf(pairs, p))
		d := pairs.Decisions(i, int(decisions[i]))
		if p.Queue > 0 {
			require.Equal(t, at(p, robots.Departure) && p.Active < pairs.Parameters().Robots, d.Activate == 0, "departure at %v", p)
		}
		if p.Active > 0 {
			require.Equal(t, at(p, robots.Arrival), d.Reactivate.Has(0), "arrival at %v", p)
		}
	}
}

// Both forms have one optimum, and so do both methods: gains to the tolerance,
// bounds that overlap, and policies that differ only where that costs nothing.
func TestSolutionsOfAllForms(t *testing.T) {
	forAll(t, func(t *testing.T, p robots.Parameters) {
		table := compiled(t, p)
		pairs, err := robots.NewModel(p)
		require.NoError(t, err)
		best, err := robots.Solve(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		for _, method := range []mdp.Method{mdp.PolicyIteration, mdp.RelativeValueIteration} {
			for name, m := range map[string]mdp.Explicit{"table": table, "pairs": pairs} {
				r, err := mdp.Solve(context.Background(), m, mdp.LongRunAverage{}, mdp.Settings{Method: method})
				require.NoError(t, err, "%s by %v", name, method)
				assert.InEpsilon(t, best.Gain, r.Gain, 1e-9, "%s by %v", name, method)
				// The bounds of the table are for its float64 rates, which the
				// others' contain; those of Solve are for rates that round to them.
				assert.LessOrEqual(t, r.Lower, best.Upper, "%s by %v", name, method)
				assert.GreaterOrEqual(t, r.Upper, best.Lower, "%s by %v", name, method)

				policy := policyOf(t, p, m, r.Policy)
				measures, err := robots.Measure(context.Background(), policy)
				require.NoError(t, err)
				assert.LessOrEqual(t, measures.Gain, r.Upper*(1+1e-14))
				assert.InEpsilon(t, best.Gain, measures.Gain, 1e-9)
				requireSamePolicy(t, best.Policy, policy, pairs)
			}
		}
	})
}

// policyOf reads the policy of either form by its states.
func policyOf(t *testing.T, p robots.Parameters, m mdp.Model, actions []int32) *robots.Policy {
	t.Helper()
	switch m := m.(type) {
	case *robots.Model:
		return modelPolicy(t, m, actions)
	case *mdp.Compiled[paper.State, int]:
		policy, err := plainPolicy(p, func(s moment) bool {
			i, found := m.Index(paper.State(s))
			require.True(t, found)
			return m.Action(i, int(actions[i])) == 1
		})
		require.NoError(t, err)
		return policy
	}
	t.Fatalf("%T", m)
	return nil
}

// requireSamePolicy allows decisions to differ only where the pairs after them
// are worth the same under the first policy, to what the tolerance of a solve
// can tell apart.
func requireSamePolicy(t *testing.T, a, b *robots.Policy, m *robots.Model) {
	t.Helper()
	evaluation, err := mdp.LongRun(context.Background(), m, mdp.Policy{Actions: a.Actions(m)})
	require.NoError(t, err)
	p, scale := a.Parameters(), 0.0
	for _, w := range evaluation.Bias {
		scale = max(scale, math.Abs(w))
	}
	for _, s := range moments(p) {
		if activates(a, s) == activates(b, s) {
			continue
		}
		idle := Pair{s.Queue - 1, s.Active} // after the event, without the robot
		if s.Event == robots.Arrival {
			idle = Pair{min(s.Queue+1, p.Buffer), s.Active - 1}
		}
		active := Pair{idle.Queue, idle.Active + 1}
		require.InDelta(t, evaluation.Bias[indexOf(m, idle)], evaluation.Bias[indexOf(m, active)], 1e-7*scale, "%+v", s)
	}
}

// W is the mean of h over the next event, so its span is no wider, and narrower by as
// much as a sweep or two bring: fictitious events hand on the values of the
// sweep before.
func TestIterationsOfAllForms(t *testing.T) {
	forAll(t, func(t *testing.T, p robots.Parameters) {
		pairs, err := robots.NewModel(p)
		require.NoError(t, err)
		rounds := func(m mdp.Model) int {
			r, err := mdp.Solve(context.Background(), m, mdp.LongRunAverage{}, mdp.Settings{
				Method: mdp.RelativeValueIteration, Tolerance: 1e-7,
			})
			require.NoError(t, err)
			return r.Iterations
		}
		n, fewer := rounds(compiled(t, p)), rounds(pairs)
		assert.LessOrEqual(t, fewer, n)
		assert.GreaterOrEqual(t, fewer, n-2)
	})
}

// switching is an action of the process in continuous time: what to do at the
// next event.
type switching struct{ activate, reactivate bool }

// The process declared once more, on pairs and by rates: a lost page is an
// event with a cost that changes the number of active robots only.
func TestContinuousTime(t *testing.T) {
	for _, p := range append(testParameters(), process(1, 2, 1e-3, 7, 100)) {
		least := p.ArrivalRate*float64(p.Robots) + p.ServiceRate
		actions := func(dst []switching, x Pair) []switching {
			for _, a := range []switching{{false, false}, {true, false}, {false, true}, {true, true}} {
				if a.activate || x != (Pair{1, 0}) {
					dst = append(dst, a)
				}
			}
			return dst
		}
		cost := func(x Pair, _ switching) float64 {
			switch x.Queue {
			case 0:
				return p.StarvationWeight
			case p.Buffer:
				return p.ArrivalRate * float64(x.Active) // each page that arrives is lost
			}
			return 0
		}
		best, err := robots.Solve(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		for _, rate := range []float64{least, 3 * least} {
			problem := mdp.Problem[Pair, switching]{
				Start: []Pair{{0, 1}}, Actions: actions, Cost: cost, Rate: rate,
				Next: func(dst []mdp.Outcome[Pair], x Pair, a switching) []mdp.Outcome[Pair] {
					idle := rate
					event := func(to Pair, rateOf float64) {
						idle -= rateOf
						dst = append(dst, mdp.Outcome[Pair]{State: to, Probability: rateOf / rate})
					}
					if x.Queue > 0 {
						next := Pair{x.Queue - 1, x.Active}
						if a.activate && x.Active < p.Robots {
							next.Active++
						}
						event(next, p.ServiceRate)
					}
					if x.Active > 0 {
						next := Pair{min(x.Queue+1, p.Buffer), x.Active}
						if !a.reactivate {
							next.Active--
						}
						event(next, p.ArrivalRate*float64(x.Active))
					}
					return append(dst, mdp.Outcome[Pair]{State: x, Probability: max(idle, 0) / rate})
				},
			}
			table, err := problem.Compile(context.Background())
			require.NoError(t, err)
			assert.Equal(t, (p.Buffer+1)*(p.Robots+1)-1, table.NumStates())
			r, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{Method: mdp.PolicyIteration})
			require.NoError(t, err)
			assert.InEpsilon(t, best.Gain, r.Gain, 1e-12, "%+v at rate %v", p, rate)
		}
	}
}
