package interval_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/interval"
)

// small is the process as this file declares it, by itself: pairs (q,r) after a decision
// have the number q·(N+1) + r, and 0 is none.
type small struct {
	p     robots.Parameters
	rates interval.Rates
}

func (m small) pairs() int { return (m.p.Buffer + 1) * (m.p.Robots + 1) }

// choice is a place where a side has two ways: for the controller a pair before an event,
// for nature a pair and a rate.
type choice struct{ pair, kind int }

const (
	atDeparture = iota // of the controller: activate one more?
	atArrival          // send out again?
	ofArrival          // of nature: λ at the upper end?
	ofService          // μ?
)

// choices lists all choices that make a difference, those of the controller and those of
// nature.
func (m small) choices() (controller, nature []choice) {
	for x := 1; x < m.pairs(); x++ {
		q, r := x/(m.p.Robots+1), x%(m.p.Robots+1)
		if q > 0 && r < m.p.Robots && q+r > 1 { // at (1,0) it must be activated
			controller = append(controller, choice{x, atDeparture})
		}
		if r > 0 {
			controller = append(controller, choice{x, atArrival})
			nature = append(nature, choice{x, ofArrival})
		}
		if q > 0 {
			nature = append(nature, choice{x, ofService})
		}
	}
	return controller, nature
}

// next returns where the events at a pair lead to: after a departure and after an arrival.
func (m small) next(x int, does map[choice]bool) (departed, arrived int) {
	n := m.p.Robots + 1
	q, r := x/n, x%n
	if q > 0 {
		departed = x - n
		if does[choice{x, atDeparture}] || q == 1 && r == 0 {
			departed++
		}
	}
	if r > 0 {
		arrived = min(q+1, m.p.Buffer)*n + r
		if !does[choice{x, atArrival}] {
			arrived--
		}
	}
	return departed, arrived
}

// classes returns the closed classes of a policy, which do not depend on rates.
func (m small) classes(does map[choice]bool) [][]int {
	reach := make([]map[int]bool, m.pairs())
	for x := 1; x < m.pairs(); x++ {
		reach[x] = map[int]bool{x: true}
		for todo := []int{x}; len(todo) > 0; todo = todo[1:] {
			departed, arrived := m.next(todo[0], does)
			for _, y := range []int{departed, arrived} {
				if y > 0 && !reach[x][y] {
					reach[x][y] = true
					todo = append(todo, y)
				}
			}
		}
	}
	var classes [][]int
	for x := 1; x < m.pairs(); x++ {
		var class []int
		closed := true
		for y := 1; y < m.pairs(); y++ {
			if reach[x][y] {
				class = append(class, y)
				closed = closed && reach[y][x]
			}
		}
		if closed && class[0] == x {
			classes = append(classes, class)
		}
	}
	return classes
}

// gain returns the long-run cost on a closed class, by its balance equations.
func (m small) gain(class []int, does, high map[choice]bool) float64 {
	place := map[int]int{}
	for i, x := range class {
		place[x] = i
	}
	size := len(class)
	balance, right := mat.NewDense(size, size, nil), mat.NewVecDense(size, nil)
	cost := make([]float64, size)
	for i, x := range class {
		q, r := x/(m.p.Robots+1), x%(m.p.Robots+1)
		lambda, mu := m.rates.Arrival.Low, m.rates.Service.Low
		if high[choice{x, ofArrival}] {
			lambda = m.rates.Arrival.High
		}
		if high[choice{x, ofService}] {
			mu = m.rates.Service.High
		}
		move := func(y int, rate float64) {
			balance.Set(place[y], i, balance.At(place[y], i)+rate)
			balance.Set(i, i, balance.At(i, i)-rate)
		}
		cost[i] = m.p.HoldingCost*float64(q) + m.p.RobotCost*float64(r)
		departed, arrived := m.next(x, does)
		if q == 0 {
			cost[i] += m.p.StarvationWeight
		} else {
			move(departed, mu)
			if departed%(m.p.Robots+1) > r {
				cost[i] += mu * m.p.ActivationCost
			}
		}
		if r > 0 {
			move(arrived, lambda*float64(r))
		}
		if q == m.p.Buffer {
			cost[i] += lambda * float64(r)
		}
	}
	for i := range size {
		balance.Set(size-1, i, 1)
	}
	right.SetVec(size-1, 1)
	var shares mat.VecDense
	if err := shares.SolveVec(balance, right); err != nil {
		return math.NaN()
	}
	return mat.Dot(&shares, mat.NewVecDense(size, cost))
}

// set returns the choices whose bit is set.
func set(choices []choice, bits int) map[choice]bool {
	chosen := map[choice]bool{}
	for i, c := range choices {
		if bits>>i&1 == 1 {
			chosen[c] = true
		}
	}
	return chosen
}

// minMax tries every policy against every way to choose the ends of the ranges. The
// controller may go to whichever closed class of a policy it likes, since all pairs can be
// reached from all others. A policy is given up once something costs more than the worst
// case of the best one so far, and what refuted the last policy is tried first.
func (m small) minMax(t *testing.T) float64 {
	t.Helper()
	controller, nature := m.choices()
	best, refutations := math.Inf(1), []map[choice]bool{set(nature, 0)}
	for bits := range 1 << len(controller) {
		does := set(controller, bits)
		for _, class := range m.classes(does) {
			var own []choice // of nature, in the class
			for _, c := range nature {
				for _, x := range class {
					if c.pair == x {
						own = append(own, c)
					}
				}
			}
			worst := math.Inf(-1)
			try := func(high map[choice]bool) bool {
				gain := m.gain(class, does, high)
				require.False(t, math.IsNaN(gain))
				worst = max(worst, gain)
				return worst >= best
			}
			refuted := false
			for i := len(refutations) - 1; i >= 0 && !refuted; i-- {
				refuted = try(refutations[i])
			}
			for rates := 0; rates < 1<<len(own) && !refuted; rates++ {
				high := set(own, rates)
				if refuted = try(high); refuted {
					refutations = append(refutations, high)
				}
			}
			if !refuted {
				best = worst
			}
		}
	}
	return best
}

// TestBruteForce tries all policies against all extreme rates.
func TestBruteForce(t *testing.T) {
	ranges := func(a, b, c, d float64) interval.Rates {
		return interval.Rates{Arrival: interval.Range{Low: a, High: b}, Service: interval.Range{Low: c, High: d}}
	}
	for _, m := range []small{
		{robots.Parameters{Robots: 1, Buffer: 2, StarvationWeight: 1.4}, ranges(0.3, 0.5, 0.8, 1.3)},
		{robots.Parameters{Robots: 1, Buffer: 3, StarvationWeight: 0.2}, ranges(2, 2.5, 0.1, 3)},
		{robots.Parameters{Robots: 2, Buffer: 2, StarvationWeight: 1}, ranges(0.4, 0.8, 0.9, 1.1)},
		{robots.Parameters{Robots: 2, Buffer: 2, StarvationWeight: 3}, ranges(0.5, 0.5, 0.2, 1.1)},
		{robots.Parameters{Robots: 2, Buffer: 2, StarvationWeight: 0.01}, ranges(0.05, 5, 1, 1)},
		{robots.Parameters{Robots: 2, Buffer: 2, StarvationWeight: 2, HoldingCost: 0.1, RobotCost: 0.05, ActivationCost: 0.3}, ranges(0.3, 0.9, 0.7, 1.2)},
		{robots.Parameters{Robots: 2, Buffer: 3, StarvationWeight: 5}, ranges(0.2, 0.9, 0.8, 1.2)},
	} {
		if testing.Short() && m.pairs() > 9 {
			continue
		}
		t.Run(fmt.Sprintf("N=%d,K=%d,gamma=%v", m.p.Robots, m.p.Buffer, m.p.StarvationWeight), func(t *testing.T) {
			want := m.minMax(t)
			p := m.p
			p.ArrivalRate, p.ServiceRate = m.rates.Arrival.Middle(), m.rates.Service.Middle()
			s, err := interval.Solve(context.Background(), p, m.rates, mdp.Settings{})
			require.NoError(t, err)
			assert.Equal(t, mdp.Converged, s.Status)
			// Balance equations of a dozen states, by LU.
			assert.InEpsilon(t, want, s.Gain, 1e-12)
			assert.LessOrEqual(t, s.Lower, want*(1+1e-12))
			assert.GreaterOrEqual(t, s.Upper, want*(1-1e-12))
			assert.InEpsilon(t, want, s.Measures.Gain, 1e-12)
		})
	}
}
