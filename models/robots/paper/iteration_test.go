package paper

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/robots"
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

// An iteration is the one that the paper defines, from any h.
func TestIterationIsTheDefinition(t *testing.T) {
	forAll(t, func(t *testing.T, p robots.Parameters) {
		r, d, it, h := random(t), definition{p}, newIteration(p), map[State]float64{}
		at := func(x State) int { return x.Queue*(p.Robots+1) + x.Active }
		reference := State{1, 1, Arrival}
		for _, x := range d.states() {
			h[x] = values(r, 1)[0]
			it.h[x.Event][at(x)] = h[x]
		}
		best := func(x State) float64 {
			least := math.Inf(1)
			for _, a := range d.actions(x) {
				least = min(least, d.value(x, a, h))
			}
			return least
		}
		change, lower, upper := it.iterate()
		gain, wantChange, wantLower, wantUpper := best(reference), 0.0, math.Inf(1), math.Inf(-1)
		require.InDelta(t, gain, it.gain, 1e-11)
		for x, before := range h {
			value := best(x)
			next := (1-Damping)*before + Damping*(value-gain)
			// a sum of three products and a cost, of numbers up to 10⁴
			require.InDelta(t, next, it.next[x.Event][at(x)], 1e-10, "%+v", x)
			wantLower, wantUpper = min(wantLower, value-before), max(wantUpper, value-before)
			if x != reference {
				wantChange = max(wantChange, math.Abs((next-before)/before))
			}
		}
		require.InDelta(t, wantLower, lower, 1e-10)
		require.InDelta(t, wantUpper, upper, 1e-10)
		require.InEpsilon(t, wantChange, change, 1e-9)
	})
}

func TestEventsHaveNames(t *testing.T) {
	assert.Equal(t, "Event(3)", robots.Event(3).String())
}
