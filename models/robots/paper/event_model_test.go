package paper

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

var (
	_ mdp.Sweeper  = (*EventModel)(nil)
	_ mdp.Explicit = (*EventModel)(nil)
	_ mdp.Blocked  = (*EventModel)(nil)
	_ mdp.Timed    = (*EventModel)(nil)
)

// testParameters covers the smallest sizes, rows shorter and longer than a
// vector, and rates of all proportions.
func testParameters() []robots.Parameters {
	return []robots.Parameters{
		{Robots: 1, Buffer: 2, ArrivalRate: 0.7, ServiceRate: 1, StarvationWeight: 1.4},
		{Robots: 2, Buffer: 2, ArrivalRate: 3, ServiceRate: 0.5, StarvationWeight: 0.01},
		{Robots: 3, Buffer: 7, ArrivalRate: 0.1, ServiceRate: 2, StarvationWeight: 30},
		{Robots: 4, Buffer: 3, ArrivalRate: 0.25, ServiceRate: 1, StarvationWeight: 1},
		{Robots: 5, Buffer: 4, ArrivalRate: 1.0 / 3, ServiceRate: 1, StarvationWeight: 1},
		{Robots: 6, Buffer: 9, ArrivalRate: 1.0 / 7, ServiceRate: 1.1, StarvationWeight: 17.0 / 15},
		{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1},
		{Robots: 21, Buffer: 12, ArrivalRate: 0.05, ServiceRate: 1, StarvationWeight: 2},
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

// definition is the process as the paper defines it (section 3.1, with its
// slips corrected), over maps and nothing shared with the models.
type definition struct{ robots.Parameters }

func (d definition) states() []State {
	var all []State
	for q := 0; q <= d.Buffer; q++ {
		for s := Departure; s <= Fictitious; s++ {
			for r := 0; r <= d.Robots; r++ {
				no := s == Departure && q == 0 || s == Arrival && r == 0 || s == Fictitious && q == 0 && r == 0
				if !no {
					all = append(all, State{q, r, s})
				}
			}
		}
	}
	return all
}

func (d definition) actions(x State) []int {
	switch {
	case x.Event == Fictitious:
		return []int{0}
	case x == State{1, 0, Departure}:
		return []int{1}
	}
	return []int{0, 1}
}

func (d definition) value(x State, a int, h map[State]float64) float64 {
	nu := d.ArrivalRate*float64(d.Robots) + d.ServiceRate
	cost := 0.0
	if x.Queue == 0 {
		cost += d.StarvationWeight
	}
	if x.Queue == d.Buffer && x.Event == Arrival {
		cost += nu
	}
	q, r := x.Queue, x.Active
	switch x.Event {
	case Departure:
		q, r = q-1, min(r+a, d.Robots)
	case Arrival:
		q, r = min(q+1, d.Buffer), r+a-1
	}
	departure, arrival := 0.0, d.ArrivalRate*float64(r)/nu
	if q > 0 {
		departure = d.ServiceRate / nu
	}
	mean := (1 - departure - arrival) * h[State{q, r, Fictitious}]
	if departure > 0 {
		mean += departure * h[State{q, r, Departure}]
	}
	if arrival > 0 {
		mean += arrival * h[State{q, r, Arrival}]
	}
	return cost + mean
}

func TestEventModelIsTheDefinition(t *testing.T) {
	forAll(t, func(t *testing.T, p robots.Parameters) {
		m, err := NewEventModel(p)
		require.NoError(t, err)
		d := definition{p}
		states := d.states()
		require.Len(t, states, m.NumStates())
		v, h := values(random(t), len(states)), map[State]float64{}
		for i, x := range states {
			require.Equal(t, i, m.Index(x))
			require.Equal(t, x, m.State(i))
			h[x] = v[i]
		}
		dst, act := make([]float64, len(v)), make([]int32, len(v))
		m.Backup(dst, act, v, 0, len(v))
		for i, x := range states {
			actions, best := d.actions(x), math.Inf(1)
			require.Equal(t, len(actions), m.NumActions(i))
			for k, a := range actions {
				require.Equal(t, a, m.Action(i, k))
				best = min(best, d.value(x, a, h))
			}
			// a sum of three products and a cost, of numbers up to 10⁴
			require.InDelta(t, best, dst[i], 1e-11)
			require.InDelta(t, best, d.value(x, m.Action(i, int(act[i])), h), 1e-11)
		}
	})
}

func TestEventModelRowsGiveBackupToTheBit(t *testing.T) {
	forAll(t, func(t *testing.T, p robots.Parameters) {
		m, err := NewEventModel(p)
		require.NoError(t, err)
		n := m.NumStates()
		v, dst, act := values(random(t), n), make([]float64, n), make([]int32, n)
		m.Backup(dst, act, v, 0, n)
		for s := range n {
			best, first := math.Inf(1), 0
			for a := range m.NumActions(s) {
				if x := rowValue(t, m, v, s, a); x < best {
					best, first = x, a
				}
			}
			require.Equal(t, best, dst[s])
			require.Equal(t, int32(first), act[s])
		}
	})
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

func TestEventModelPanics(t *testing.T) {
	m, err := NewEventModel(testParameters()[6])
	require.NoError(t, err)
	for _, s := range []State{
		{0, 3, Departure}, {2, 0, Arrival}, {0, 0, Fictitious}, {6, 1, Arrival}, {-1, 1, Arrival}, {1, 17, Arrival}, {1, 1, 3},
	} {
		assert.Panics(t, func() { m.Index(s) }, "%v", s)
	}
	assert.Panics(t, func() { m.State(-1) })
	assert.Panics(t, func() { m.State(m.NumStates()) })
	assert.Panics(t, func() { m.Action(m.Index(State{1, 0, Departure}), 1) })
	assert.Equal(t, "Event(3)", robots.Event(3).String())
}
