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

func bothForms(t *testing.T, p robots.Parameters) (*paper.EventModel, *robots.Model) {
	t.Helper()
	events, err := paper.NewEventModel(p)
	require.NoError(t, err)
	pairs, err := robots.NewModel(p)
	require.NoError(t, err)
	return events, pairs
}

// The table has the states of EventModel but (q,N,2), q > 0: with all robots
// active and a page in service every event is an arrival or a departure.
func TestCompiledStates(t *testing.T) {
	forAll(t, func(t *testing.T, p robots.Parameters) {
		table := compiled(t, p)
		events, _ := bothForms(t, p)
		assert.Equal(t, paper.State{Queue: 1, Active: 1, Event: robots.Arrival}, table.State(0))
		for i := range events.NumStates() {
			s := events.State(i)
			_, found := table.Index(s)
			assert.Equal(t, s.Queue == 0 || s.Active < p.Robots || s.Event != paper.Fictitious, found, "%+v", s)
		}
		assert.Equal(t, events.NumStates()-p.Buffer, table.NumStates())
		assert.Equal(t, events.Rate(), table.Rate())
	})
}

// The table and EventModel agree to the bit on every processor: their rows hold
// the same float64 numbers (rows sum to 1 to rounding, so that Compile leaves
// them as they are), summed in the same order, the cost last, with products
// that are never fused. Where EventModel adds a product with probability 0, the
// sum stays. Model sums in another order.
func TestSweepsOfAllForms(t *testing.T) {
	forAll(t, func(t *testing.T, p robots.Parameters) {
		table := compiled(t, p)
		events, pairs := bothForms(t, p)
		n := table.NumStates()
		h, v := values(random(t), events.NumStates()), make([]float64, n)
		w, want := make([]float64, pairs.NumStates()), make([]float64, pairs.NumStates())
		place := make([]int, n) // in events, of each state of the table
		for i := range place {
			place[i] = events.Index(table.State(i))
			v[i] = h[place[i]]
		}
		afterDecision(w, h, events, pairs)
		nextV, nextH, nextW := make([]float64, n), make([]float64, len(h)), make([]float64, len(w))
		actV, actH, actW := make([]int32, n), make([]int32, len(h)), make([]int32, len(w))
		for sweep := range 30 {
			table.Backup(nextV, actV, v, 0, n)
			events.Backup(nextH, actH, h, 0, len(h))
			pairs.Backup(nextW, actW, w, 0, len(w))
			for i, at := range place {
				require.Equal(t, nextH[at], nextV[i], "sweep %d, %+v", sweep, table.State(i))
				require.Equal(t, events.Action(at, int(actH[at])), table.Action(i, int(actV[i])), "sweep %d, %+v", sweep, table.State(i))
			}
			if sweep == 0 { // w has the bits that EventModel computes for itself
				requireSameDecisions(t, events, pairs, actH, actW)
			}
			v, nextV = nextV, v
			h, nextH = nextH, h
			w, nextW = nextW, w
			afterDecision(want, h, events, pairs)
			scale := 0.0
			for _, x := range want {
				scale = max(scale, math.Abs(x))
			}
			for i := range w {
				require.InDelta(t, want[i], w[i], 1e-13*scale, "sweep %d, %+v", sweep, pairOf(pairs, i))
			}
		}
	})
}

// All forms have one optimum, and so do both methods: gains to the tolerance,
// bounds that overlap, and policies that differ only where that costs nothing.
func TestSolutionsOfAllForms(t *testing.T) {
	forAll(t, func(t *testing.T, p robots.Parameters) {
		table := compiled(t, p)
		events, pairs := bothForms(t, p)
		best, err := robots.Solve(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		for _, method := range []mdp.Method{mdp.PolicyIteration, mdp.RelativeValueIteration} {
			for name, m := range map[string]mdp.Explicit{"table": table, "events": events, "pairs": pairs} {
				if name == "events" && method == mdp.PolicyIteration {
					continue // not communicating: nothing leads to (q,N,2)
				}
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

// policyOf reads the policy of any of the three forms by its states.
func policyOf(t *testing.T, p robots.Parameters, m mdp.Model, actions []int32) *robots.Policy {
	t.Helper()
	switch m := m.(type) {
	case *paper.EventModel:
		policy, err := plainPolicy(p, func(s moment) bool {
			i := m.Index(paper.State(s))
			return m.Action(i, int(actions[i])) == 1
		})
		require.NoError(t, err)
		return policy
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
	evaluation, err := mdp.Evaluate(context.Background(), m, a.Actions(m))
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

// The table has the values of EventModel and needs as many iterations. W is the
// mean of h over the next event, so its span is no wider, and narrower by as
// much as a sweep or two bring: fictitious events hand on the values of the
// sweep before.
func TestIterationsOfAllForms(t *testing.T) {
	forAll(t, func(t *testing.T, p robots.Parameters) {
		events, pairs := bothForms(t, p)
		rounds := func(m mdp.Model) int {
			r, err := mdp.Solve(context.Background(), m, mdp.LongRunAverage{}, mdp.Settings{
				Method: mdp.RelativeValueIteration, Tolerance: 1e-7,
			})
			require.NoError(t, err)
			return r.Iterations
		}
		n, fewer := rounds(events), rounds(pairs)
		assert.Equal(t, n, rounds(compiled(t, p)))
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
			switch {
			case x.Queue == 0:
				return p.StarvationWeight
			case x.Queue == p.Buffer:
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
