package robots_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/queue"
)

// exactFleet is the process of a fleet in rational arithmetic, written down anew
// as a continuous-time chain on states with names: it shares nothing with
// Model but the phases of the law.
type exactFleet struct {
	fleet robots.Parameters
	start []float64
	rates [][]float64
	exits []float64
	place map[string]int
	parts []robots.State
}

func newExactFleet(t *testing.T, f robots.Parameters) *exactFleet {
	t.Helper()
	e := &exactFleet{fleet: f, start: []float64{1}, rates: [][]float64{{0}}, exits: []float64{f.ServiceRate}, place: map[string]int{}}
	if f.Service != nil {
		law, err := queue.PhaseTypeOf(f.Service)
		require.NoError(t, err)
		e.start, e.rates, e.exits = law.Start(), law.Generator(), law.ExitRates()
	}
	var fill func(queue, phase int, active []int)
	fill = func(queue, phase int, active []int) {
		if len(active) < len(f.Classes) {
			for r := range f.Classes[len(active)].Robots + 1 {
				fill(queue, phase, append(append([]int(nil), active...), r))
			}
			return
		}
		total := queue
		for _, r := range active {
			total += r
		}
		if total > 0 {
			s := robots.State{queue, phase, active}
			e.place[fmt.Sprint(s)] = len(e.parts)
			e.parts = append(e.parts, s)
		}
	}
	for queue := range f.Buffer + 1 {
		for phase := range e.start {
			if queue > 0 || phase == 0 {
				fill(queue, phase, nil)
			}
		}
	}
	return e
}

func exactly(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// step returns the rates out of a state and its cost rate.
func (e *exactFleet) step(s robots.State, d robots.Decisions) (map[int]*big.Rat, *big.Rat) {
	f, moves, cost := e.fleet, map[int]*big.Rat{}, new(big.Rat)
	add := func(queue, phase int, active []int, rate *big.Rat) {
		to := e.place[fmt.Sprint(robots.State{queue, phase, active})]
		if moves[to] == nil {
			moves[to] = new(big.Rat)
		}
		moves[to].Add(moves[to], rate)
	}
	begin := func(queue int, active []int, rate *big.Rat) {
		if queue == 0 {
			add(0, 0, active, rate)
			return
		}
		for j, probability := range e.start {
			add(queue, j, active, new(big.Rat).Mul(rate, exactly(probability)))
		}
	}
	charge := func(factor, amount *big.Rat) { cost.Add(cost, new(big.Rat).Mul(factor, amount)) }
	if s.Queue == 0 {
		charge(exactly(f.StarvationWeight), big.NewRat(1, 1))
	} else {
		charge(exactly(f.HoldingCost), big.NewRat(int64(s.Queue), 1))
		active, exit := append([]int(nil), s.Active...), exactly(e.exits[s.Phase])
		if d.Activate != robots.NoClass {
			active[d.Activate]++
			charge(exactly(f.ActivationCost), exit)
		}
		if exit.Sign() > 0 {
			begin(s.Queue-1, active, exit)
		}
		for j, rate := range e.rates[s.Phase] {
			if j != s.Phase {
				add(s.Queue, j, s.Active, exactly(rate))
			}
		}
	}
	for c, r := range s.Active {
		charge(exactly(f.RobotCost), big.NewRat(int64(r), 1))
		if r == 0 {
			continue
		}
		rate := new(big.Rat).Mul(exactly(f.Classes[c].ArrivalRate), big.NewRat(int64(r), 1))
		active := append([]int(nil), s.Active...)
		if !d.Reactivate.Has(c) {
			active[c]--
		}
		switch s.Queue {
		case 0:
			begin(1, active, rate)
		case f.Buffer:
			charge(rate, big.NewRat(1, 1))
			add(s.Queue, s.Phase, active, rate)
		default:
			add(s.Queue+1, s.Phase, active, rate)
		}
	}
	return moves, cost
}

// options returns every way to decide in a state.
func (e *exactFleet) options(s robots.State) []robots.Decisions {
	departures := []int{robots.NoClass}
	if s.Queue > 0 && e.exits[s.Phase] > 0 {
		total := 0
		for c, r := range s.Active {
			total += r
			if r < e.fleet.Classes[c].Robots {
				departures = append(departures, c)
			}
		}
		if s.Queue == 1 && total == 0 {
			departures = departures[1:]
		}
	}
	var options []robots.Decisions
	for _, c := range departures {
		for set := range robots.ClassSet(1 << len(s.Active)) {
			useful := true
			for c, r := range s.Active {
				useful = useful && (r > 0 || !set.Has(c))
			}
			if useful {
				options = append(options, robots.Decisions{c, set})
			}
		}
	}
	return options
}

// solveRational returns the solution of a·x = b, overwriting both, or nil if
// there is none or more than one.
func solveRational(a [][]*big.Rat, b []*big.Rat) []*big.Rat {
	n, term := len(b), new(big.Rat)
	for k := range n {
		pivot := k
		for pivot < n && a[pivot][k].Sign() == 0 {
			pivot++
		}
		if pivot == n {
			return nil
		}
		a[k], a[pivot], b[k], b[pivot] = a[pivot], a[k], b[pivot], b[k]
		for i := range n {
			if i == k || a[i][k].Sign() == 0 {
				continue
			}
			factor := new(big.Rat).Quo(a[i][k], a[k][k])
			for j := k; j < n; j++ {
				if a[k][j].Sign() != 0 {
					a[i][j].Sub(a[i][j], term.Mul(factor, a[k][j]))
				}
			}
			b[i].Sub(b[i], term.Mul(factor, b[k]))
		}
	}
	for k := range n {
		b[k].Quo(b[k], a[k][k])
	}
	return b
}

// evaluate solves θ = c + Σ rate·(W(to) − W), W = 0 at the first state, for a
// policy that has one closed class, and else returns nil.
func (e *exactFleet) evaluate(policy []robots.Decisions) (gain *big.Rat, values []*big.Rat) {
	n := len(e.parts)
	a, b := make([][]*big.Rat, n), make([]*big.Rat, n)
	for i, s := range e.parts {
		a[i] = make([]*big.Rat, n)
		for j := range n {
			a[i][j] = new(big.Rat)
		}
		moves, cost := e.step(s, policy[i])
		for to, rate := range moves {
			a[i][to].Sub(a[i][to], rate)
			a[i][i].Add(a[i][i], rate)
		}
		a[i][0].SetInt64(1) // θ takes the place of W of the first state
		b[i] = cost
	}
	x := solveRational(a, b)
	if x == nil {
		return nil, nil
	}
	gain = new(big.Rat).Set(x[0])
	x[0].SetInt64(0)
	return gain, x
}

// better returns whether some decision beats the gain and values of a policy.
func (e *exactFleet) better(gain *big.Rat, values []*big.Rat) bool {
	for i, s := range e.parts {
		for _, d := range e.options(s) {
			moves, sum := e.step(s, d)
			for to, rate := range moves {
				difference := new(big.Rat).Sub(values[to], values[i])
				sum.Add(sum, difference.Mul(difference, rate))
			}
			if sum.Cmp(gain) < 0 {
				return true
			}
		}
	}
	return false
}

// TestFleetAgainstRationals evaluates the policy that Solve finds in
// rational arithmetic and shows that it satisfies the optimality equations
// there, with not a digit to spare.
func TestFleetAgainstRationals(t *testing.T) {
	fleets := testFleets(t)
	fleets["tiny"] = robots.Parameters{Classes: []robots.Class{{1, 0.5}, {1, 1.25}}, Buffer: 2, ServiceRate: 1, StarvationWeight: 1.5}
	fleets["tiny costs"] = robots.Parameters{
		Classes: []robots.Class{{1, 0.5}, {1, 1.25}}, Buffer: 2, ServiceRate: 1, StarvationWeight: 4,
		HoldingCost: 0.125, RobotCost: 0.0625, ActivationCost: 0.25,
	}
	fleets["dear activations"] = robots.Parameters{
		Classes: []robots.Class{{2, 0.25}, {1, 0.75}}, Buffer: 3, ServiceRate: 1, StarvationWeight: 2, ActivationCost: 10,
		Service: mustLaw(t, "erlang:2", 1),
	}
	for name, f := range fleets {
		t.Run(name, func(t *testing.T) {
			if name == "loop" { // the reference has the phase that is never reached, so that it is not communicating
				law, err := queue.NewPhaseType("there and back", []float64{0.5, 0.5}, [][]float64{{-1, 0.5}, {0.25, -4}}, 1.25)
				require.NoError(t, err)
				f.Service = law
			}
			if !*long && (name == "erlang" || name == "loop") { // rational numbers grow with the states
				f.Buffer = 2
			}
			s, err := robots.Solve(context.Background(), f, mdp.Settings{Method: mdp.PolicyIteration})
			require.NoError(t, err)
			e := newExactFleet(t, f)
			policy := make([]robots.Decisions, len(e.parts))
			for i, state := range e.parts {
				policy[i] = s.Policy.Decisions(state)
			}
			gain, values := e.evaluate(policy)
			require.NotNil(t, gain, "several closed classes")
			assert.False(t, e.better(gain, values), "a better decision exists")
			exact, _ := gain.Float64()
			assert.InEpsilon(t, exact, s.Gain, 1e-13)
			assert.InEpsilon(t, exact, s.Measures.Gain, 1e-13)
			assert.LessOrEqual(t, exactly(s.Lower).Cmp(gain), 0)
			assert.GreaterOrEqual(t, exactly(s.Upper).Cmp(gain), 0)
			assert.Less(t, s.Upper-s.Lower, 1e-12*s.Upper)
		})
	}
}

// TestFleetEnumeration compares with the best of all policies, each evaluated in
// rational arithmetic. Those with several closed classes are left out, as
// another policy leads from anywhere to the best of these.
func TestFleetEnumeration(t *testing.T) {
	two, err := queue.NewPhaseType("two", []float64{0.75, 0.25}, [][]float64{{-2, 1}, {0.5, -1}}, 1)
	require.NoError(t, err)
	for name, f := range map[string]robots.Parameters{
		"phases":  {Classes: []robots.Class{{1, 0.5}}, Buffer: 2, ServiceRate: 1, StarvationWeight: 0.5, ActivationCost: 0.125, HoldingCost: 0.25, Service: two},
		"erlang":  {Classes: []robots.Class{{1, 2}}, Buffer: 2, ServiceRate: 1, StarvationWeight: 0.25, RobotCost: 0.25, Service: mustLaw(t, "erlang:2", 1)},
		"robots":  {Classes: []robots.Class{{2, 0.75}}, Buffer: 2, ServiceRate: 1, StarvationWeight: 2, ActivationCost: 0.25},
		"dearest": {Classes: []robots.Class{{1, 0.5}}, Buffer: 3, ServiceRate: 1, StarvationWeight: 2, ActivationCost: 100},
	} {
		t.Run(name, func(t *testing.T) {
			e := newExactFleet(t, f)
			var best *big.Rat
			policy := make([]robots.Decisions, len(e.parts))
			count := 0
			var try func(i int)
			try = func(i int) {
				if i < len(policy) {
					for _, policy[i] = range e.options(e.parts[i]) {
						try(i + 1)
					}
					return
				}
				count++
				gain, _ := e.evaluate(policy)
				if gain != nil && (best == nil || gain.Cmp(best) < 0) {
					best = gain
				}
			}
			try(0)
			s, err := robots.Solve(context.Background(), f, mdp.Settings{})
			require.NoError(t, err)
			exact, _ := best.Float64()
			t.Logf("%d policies, the best costs %v", count, exact)
			assert.InEpsilon(t, exact, s.Gain, 1e-13)
			assert.LessOrEqual(t, exactly(s.Lower).Cmp(best), 0)
			assert.GreaterOrEqual(t, exactly(s.Upper).Cmp(best), 0)
		})
	}
}
