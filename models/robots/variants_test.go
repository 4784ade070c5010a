package robots_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/queue"
)

var (
	_ mdp.Sweeper     = (*robots.Model)(nil)
	_ mdp.Approximate = (*robots.Model)(nil)
	_ mdp.Blocked     = (*robots.Model)(nil)
	_ mdp.Timed       = (*robots.Model)(nil)
)

func mustLaw(t testing.TB, text string, rate float64) queue.Law {
	t.Helper()
	law, err := queue.ParseLaw(text, 1/rate, nil)
	require.NoError(t, err)
	return law
}

// loopLaw has moves back and forth, a phase in which no service starts, one
// that ends none, and one that is never reached.
func loopLaw(t testing.TB, rate float64) queue.Law {
	t.Helper()
	law, err := queue.NewPhaseType("loop", []float64{0.25, 0, 0, 0.75}, [][]float64{
		{-3, 2, 0, 1},
		{1, -1, 0, 0},
		{0, 1, -2, 0},
		{0.5, 0, 0, -4},
	}, 1/rate)
	require.NoError(t, err)
	return law
}

// testFleets are small and of every kind.
func testFleets(t testing.TB) map[string]robots.Parameters {
	plain := robots.Parameters{Classes: []robots.Class{{5, 0.3}}, Buffer: 4, ServiceRate: 1, StarvationWeight: 1.4}
	costs := plain
	costs.HoldingCost, costs.RobotCost, costs.ActivationCost = 0.05, 0.02, 0.1
	erlang := costs
	erlang.Service = mustLaw(t, "erlang:3", 1)
	mixed := robots.Parameters{
		Classes: []robots.Class{{3, 0.2}, {2, 0.45}}, Buffer: 3, ServiceRate: 0.8, StarvationWeight: 2,
		HoldingCost: 0.03, RobotCost: 0.01, ActivationCost: 0.2,
	}
	three := robots.Parameters{
		Classes: []robots.Class{{1, 0.2}, {2, 0.3}, {1, 0.7}}, Buffer: 2, ServiceRate: 1.5, StarvationWeight: 0.7,
		ActivationCost: 0.05, Service: mustLaw(t, "hyperexponential:0.3@2,0.7@0.5", 1.5),
	}
	loop := mixed
	loop.Service = loopLaw(t, 0.8)
	return map[string]robots.Parameters{
		"plain": plain, "costs": costs, "erlang": erlang, "mixed": mixed, "three": three, "loop": loop,
	}
}

// The fast rows and sweeps of the plain process have the bits of the general ones.
func TestFastRowsAndSweeps(t *testing.T) {
	forAll(t, func(t *testing.T, p robots.Parameters) {
		m, err := robots.NewModel(p)
		require.NoError(t, err)
		variant, n := m.AsVariant(), m.NumStates()
		for s := range n {
			for a := range m.NumActions(s) {
				want, wantCost := variant.AppendRow(nil, s, a)
				got, cost := m.AppendRow(nil, s, a)
				require.Equal(t, want, got)
				require.Equal(t, wantCost, cost)
			}
		}
		v, want, got := values(random(t), n), make([]float64, n), make([]float64, n)
		for range 20 {
			wantLeast, wantGreatest := variant.Sweep(want, v, 0.9, 0.1, 0, n)
			least, greatest := m.Sweep(got, v, 0.9, 0.1, 0, n)
			require.Equal(t, want, got)
			require.Equal(t, [2]float64{wantLeast, wantGreatest}, [2]float64{least, greatest})
			copy(v, got)
		}
	})
}

func TestFleetModelSweepsAreItsRows(t *testing.T) {
	for name, f := range testFleets(t) {
		t.Run(name, func(t *testing.T) {
			m, err := robots.NewModel(f)
			require.NoError(t, err)
			n := m.NumStates()
			random := rand.New(rand.NewPCG(5, 6))
			v := values(random, n)
			whole, act := make([]float64, n), make([]int32, n)
			m.Backup(whole, act, v, 0, n)
			for s := range n {
				best, first := math.Inf(1), 0
				require.Equal(t, s, m.Index(m.State(s)))
				for a := range m.NumActions(s) {
					require.Equal(t, a, m.ActionOf(s, m.Decisions(s, a)))
					row, cost := m.AppendRow(nil, s, a)
					sum, total := cost, 0.0
					for _, e := range row {
						sum += e.Probability * v[e.State]
						total += e.Probability
					}
					require.InDelta(t, 1, total, 1e-14)
					if sum < best-1e-12 {
						best, first = sum, a
					}
				}
				require.InDelta(t, best, whole[s], 1e-11)
				require.Equal(t, first, int(act[s]), "%+v", m.State(s))
			}
			parts, swept := make([]float64, n), make([]float64, n)
			least, greatest := math.Inf(1), math.Inf(-1)
			for lo := 0; lo < n; {
				hi := min(n, lo+1+random.IntN(n/3))
				m.Backup(parts, nil, v, lo, hi)
				l, g := m.Sweep(swept, v, 0.75, 0.5, lo, hi)
				least, greatest = min(least, l), max(greatest, g)
				lo = hi
			}
			assert.Equal(t, whole, parts)
			for s := range n {
				require.InDelta(t, v[s]+0.75*(whole[s]-v[s])-0.5, swept[s], 1e-12)
				require.True(t, least <= whole[s]-v[s] && whole[s]-v[s] <= greatest)
			}
		})
	}
}

// TestEqualClassesAreOneClass: dividing the robots into classes of equal rates
// changes nothing.
func TestEqualClassesAreOneClass(t *testing.T) {
	for _, f := range testFleets(t) {
		f.Classes = []robots.Class{{6, 0.25}}
		one, err := robots.Solve(context.Background(), f, mdp.Settings{})
		require.NoError(t, err)
		for _, split := range [][]int{{1, 5}, {3, 3}, {2, 2, 2}, {1, 1, 4}} {
			f.Classes = nil
			for _, n := range split {
				f.Classes = append(f.Classes, robots.Class{n, 0.25})
			}
			several, err := robots.Solve(context.Background(), f, mdp.Settings{})
			require.NoError(t, err)
			assert.InEpsilon(t, one.Gain, several.Gain, 1e-12, "%v", split)
			assert.InEpsilon(t, one.Gain, several.Measures.Gain, 1e-12)
			sum := 0.0
			for _, mean := range several.Measures.RobotsMeanByClass {
				sum += mean
			}
			assert.InEpsilon(t, several.Measures.RobotsMean, sum, 1e-12)
		}
	}
}

func TestPlainFleetIsSolve(t *testing.T) {
	for _, p := range []robots.Parameters{
		{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4},
		{Robots: 22, Buffer: 15, ArrivalRate: 0.05, ServiceRate: 1, StarvationWeight: 17.0 / 15},
		{Robots: 9, Buffer: 20, ArrivalRate: 1, ServiceRate: 3, StarvationWeight: 0.2},
	} {
		want, err := robots.Solve(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		for _, law := range []string{"", "exponential", "erlang:1", "hyperexponential:0.4@2,0.6@2"} {
			f := p
			if law != "" {
				f.Service = mustLaw(t, law, p.ServiceRate)
			}
			got, err := robots.Solve(context.Background(), f, mdp.Settings{})
			require.NoError(t, err, law)
			assert.InEpsilon(t, want.Gain, got.Gain, 1e-12, law)
			assert.InEpsilon(t, want.Measures.Starvation, got.Measures.Starvation, 1e-9)
			assert.InDelta(t, want.Measures.LossRate, got.Measures.LossRate, 1e-9*want.Measures.LossRate)
			assert.InEpsilon(t, want.Measures.RobotsMean, got.Measures.RobotsMean, 1e-9)
			for _, c := range got.Policy.Curves() {
				if law == "" || law == "exponential" || law == "erlang:1" {
					assert.Equal(t, want.Policy.Curves()[0], c, law)
				}
			}
		}
	}
}

// TestStaticFleetIsMG1K: robots that are never switched off make M/PH/1/K,
// whose steady state package queue computes from the embedded chain.
func TestStaticFleetIsMG1K(t *testing.T) {
	for _, law := range []string{"exponential", "erlang:4", "hyperexponential:0.1@5,0.9@0.3", "loop"} {
		f := robots.Parameters{Classes: []robots.Class{{2, 0.25}, {3, 0.125}}, Buffer: 6, ServiceRate: 0.9, StarvationWeight: 1.5, HoldingCost: 0.1, RobotCost: 0.2, ActivationCost: 3}
		if law == "loop" {
			f.Service = loopLaw(t, f.ServiceRate)
		} else {
			f.Service = mustLaw(t, law, f.ServiceRate)
		}
		// Service is not in parallel with anything: all robots become active and stay.
		policy, err := robots.NewPolicy(f, func(s robots.State) robots.Decisions {
			d := robots.Decisions{Activate: robots.NoClass, Reactivate: 3}
			for c := range s.Active {
				if s.Active[c] < f.Classes[c].Robots {
					d.Activate = c
				}
			}
			return d
		})
		require.NoError(t, err)
		m, err := robots.Measure(context.Background(), policy)
		require.NoError(t, err)
		q := queue.NewMG1K(0.875, f.Service, f.Buffer)
		assert.InEpsilon(t, q.Empty(), m.Starvation, 1e-12, law)
		assert.InEpsilon(t, q.LossRate(), m.LossRate, 1e-12, law)
		assert.InEpsilon(t, q.MeanLength(), m.PagesMean, 1e-12, law)
		assert.InEpsilon(t, 5, m.RobotsMean, 1e-12)
		assert.Zero(t, m.ActivationRate)
		assert.InEpsilon(t, 1.5*q.Empty()+q.LossRate()+0.1*q.MeanLength()+0.2*5, m.Gain, 1e-12)
	}
}

func TestFleetValidation(t *testing.T) {
	valid := testFleets(t)["mixed"]
	require.NoError(t, valid.Validate())
	for field, spoil := range map[string]func(*robots.Parameters){
		"Classes a list of 0":           func(f *robots.Parameters) { f.Classes = []robots.Class{} },
		"Classes a list of 9":           func(f *robots.Parameters) { f.Classes = make([]robots.Class, 9) },
		"Classes[1].Robots 0":           func(f *robots.Parameters) { f.Classes[1].Robots = 0 },
		"Classes[0].ArrivalRate":        func(f *robots.Parameters) { f.Classes[0].ArrivalRate = math.Inf(1) },
		"Classes [":                     func(f *robots.Parameters) { f.Classes[0].ArrivalRate = math.MaxFloat64 },
		"Buffer 1":                      func(f *robots.Parameters) { f.Buffer = 1 },
		"ServiceRate NaN":               func(f *robots.Parameters) { f.ServiceRate = math.NaN() },
		"Service exponential with mean": func(f *robots.Parameters) { f.Service = mustLaw(t, "exponential", 1) },
		"StarvationWeight 0":            func(f *robots.Parameters) { f.StarvationWeight = 0 },
		"HoldingCost -1":                func(f *robots.Parameters) { f.HoldingCost = -1 },
		"RobotCost +Inf":                func(f *robots.Parameters) { f.RobotCost = math.Inf(1) },
		"ActivationCost NaN":            func(f *robots.Parameters) { f.ActivationCost = math.NaN() },
	} {
		f := valid
		f.Classes = append([]robots.Class(nil), valid.Classes...)
		spoil(&f)
		_, err := robots.NewModel(f)
		var parameter *robots.ParameterError
		require.ErrorAs(t, err, &parameter, field)
		assert.ErrorContains(t, err, "robots: "+field)
	}
	f := valid
	f.Service = mustLaw(t, "deterministic", f.ServiceRate)
	_, err := robots.NewModel(f)
	assert.ErrorContains(t, err, "Service: deterministic is not valid: use a phase-type law")

	f = valid
	f.Classes = []robots.Class{{1000, 1}, {1000, 2}, {1000, 3}}
	_, err = robots.Solve(context.Background(), f, mdp.Settings{})
	require.ErrorIs(t, err, mdp.ErrTooLarge)
	assert.ErrorContains(t, err, "too large: 4.012e+09 states with Buffer 3, of at most 16777216")
	f.Classes = []robots.Class{{4000, 1}, {4000, 2}}
	_, err = robots.Solve(context.Background(), f, mdp.Settings{})
	require.ErrorIs(t, err, mdp.ErrTooLarge)
	assert.ErrorContains(t, err, "6.403e+07 states with Buffer 3, of at most")
}

func TestFleetPolicyRules(t *testing.T) {
	f := testFleets(t)["mixed"]
	for rule, want := range map[int]string{
		robots.NoClass: "it must be a class, as the last page leaves",
		0:              "activates class 0: it must be a class with an idle robot, or none",
		2:              "activates class 2: it must be one of 2 classes or none",
		-2:             "activates class -2",
	} {
		_, err := robots.NewPolicy(f, func(robots.State) robots.Decisions { return robots.Decisions{Activate: rule} })
		assert.ErrorContains(t, err, want)
	}
	s, err := robots.Solve(context.Background(), f, mdp.Settings{})
	require.NoError(t, err)
	assert.Equal(t, f, s.Policy.Parameters())
	again, err := robots.NewPolicy(f, s.Policy.Decisions)
	require.NoError(t, err)
	assert.True(t, s.Policy.SameDecisions(again))
	assert.Nil(t, s.Policy.Curves())
	for _, state := range []robots.State{
		{0, 0, []int{0, 0}}, {4, 0, []int{0, 0}}, {1, 1, []int{0, 0}}, {1, 0, []int{0}}, {1, 0, []int{4, 0}}, {1, 0, []int{-1, 0}},
	} {
		assert.Panics(t, func() { s.Policy.Decisions(state) }, "%+v", state)
	}
}

// TestFleetBoundsHoldWithoutPolicyIteration solves by value iteration, whose
// bounds must contain the gain that policy iteration finds.
func TestFleetBoundsHoldWithoutPolicyIteration(t *testing.T) {
	for name, f := range testFleets(t) {
		exact, err := robots.Solve(context.Background(), f, mdp.Settings{Method: mdp.PolicyIteration})
		require.NoError(t, err, name)
		assert.Less(t, exact.Upper-exact.Lower, 1e-12*exact.Upper)
		iterated, err := robots.Solve(context.Background(), f, mdp.Settings{Method: mdp.RelativeValueIteration, Tolerance: 1e-7})
		require.NoError(t, err, name)
		assert.True(t, iterated.Lower <= exact.Upper && exact.Lower <= iterated.Upper)
		assert.InEpsilon(t, exact.Gain, iterated.Measures.Gain, 1e-7)
	}
}

func TestInterruptedFleet(t *testing.T) {
	stopped := fmt.Errorf("enough")
	s, err := robots.Solve(context.Background(), testFleets(t)["loop"], mdp.Settings{
		Record: func(mdp.Progress) error { return stopped },
	})
	require.ErrorIs(t, err, stopped)
	assert.Equal(t, mdp.Interrupted, s.Status)
	assert.GreaterOrEqual(t, s.Measures.Gain, s.Lower)
}

func TestFleetPhases(t *testing.T) {
	f := testFleets(t)["loop"]
	m, err := robots.NewModel(f)
	require.NoError(t, err)
	policy, err := robots.NewStaticPolicy(f, 1, 1)
	require.NoError(t, err)
	assert.Equal(t, 3, policy.Phases())
	assert.Equal(t, f, m.Parameters())
	assert.Panics(t, func() { m.State(m.NumStates()) })
	assert.Panics(t, func() { m.Index(robots.State{}) })
	assert.Panics(t, func() { m.Decisions(0, m.NumActions(0)) })
	for _, spoil := range []func(*robots.Parameters){
		func(f *robots.Parameters) { f.Buffer = 0 },
		func(f *robots.Parameters) { f.Service = mustLaw(t, "gamma:2", f.ServiceRate) },
	} {
		g := f
		spoil(&g)
		_, err := robots.NewModel(g)
		assert.Error(t, err)
	}
}

// TestFleetCurves: the departure curve belongs to the phase that ends services.
func TestFleetCurves(t *testing.T) {
	s, err := robots.Solve(context.Background(), testFleets(t)["erlang"], mdp.Settings{})
	require.NoError(t, err)
	curves := s.Policy.Curves()
	require.Len(t, curves, 3)
	for phase, c := range curves {
		for r, q := range c.Departure {
			if phase < 2 {
				assert.Equal(t, -1, q)
			} else if r < 5 {
				assert.GreaterOrEqual(t, q, c.Departure[r+1])
			}
		}
	}
}
