package robots_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// small is a process whose switching curves can be written down by hand.
var small = robots.Parameters{Robots: 3, Buffer: 4, ArrivalRate: 0.5, ServiceRate: 1, StarvationWeight: 1.4}

func policyBy(t *testing.T, p robots.Parameters, activate func(moment) bool) *robots.Policy {
	t.Helper()
	policy, err := plainPolicy(p, activate)
	require.NoError(t, err)
	return policy
}

// below is the policy that follows two curves.
func below(departure, arrival []int) func(moment) bool {
	return func(s moment) bool {
		if s.Event == robots.Departure {
			return s.Queue <= departure[s.Active]
		}
		return s.Queue <= arrival[s.Active]
	}
}

func TestCurves(t *testing.T) {
	never := func(moment) bool { return false }
	for name, test := range map[string]struct {
		activate           func(moment) bool
		departure, arrival []int
		threshold          bool
		monotone           bool
	}{
		"always":      {func(moment) bool { return true }, []int{4, 4, 4, -1}, []int{-1, 4, 4, 4}, true, true},
		"never":       {never, []int{1, -1, -1, -1}, []int{-1, -1, -1, -1}, true, true}, // but where it must
		"decreasing":  {below([]int{4, 2, 1, -1}, []int{-1, 4, 0, 0}), []int{4, 2, 1, -1}, []int{-1, 4, 0, 0}, true, true},
		"rising f_0":  {below([]int{2, 1, 2, -1}, []int{-1, 4, 4, 4}), []int{2, 1, 2, -1}, []int{-1, 4, 4, 4}, true, false},
		"rising f_1":  {below([]int{2, 2, 2, -1}, []int{-1, 2, 0, 1}), []int{2, 2, 2, -1}, []int{-1, 2, 0, 1}, true, false},
		"last rising": {below([]int{1, -1, 1, -1}, []int{-1, 0, 0, 0}), []int{1, -1, 1, -1}, []int{-1, 0, 0, 0}, true, false},
		"a gap at departures": {
			func(s moment) bool { return s.Event == robots.Departure && s.Active == 1 && s.Queue != 2 },
			[]int{1, 4, -1, -1},
			[]int{-1, -1, -1, -1},
			false, false,
		},
		"a gap at arrivals": {
			func(s moment) bool { return s.Event == robots.Arrival && s.Active == 1 && s.Queue == 3 },
			[]int{1, -1, -1, -1},
			[]int{-1, 3, -1, -1},
			false, false,
		},
		// What is decided with all robots active does not matter: f_0(N) is −1.
		"no robot idle": {
			func(s moment) bool { return s.Event == robots.Departure && s.Active == 3 && s.Queue == 2 },
			[]int{1, -1, -1, -1},
			[]int{-1, -1, -1, -1},
			true, true,
		},
		"forced": { // 1 at (2,0,0) with the forced 1 at (1,0,0) is a threshold; without it would be a gap
			func(s moment) bool { return s == moment{2, 0, robots.Departure} },
			[]int{2, -1, -1, -1},
			[]int{-1, -1, -1, -1},
			true, true,
		},
	} {
		c := policyBy(t, small, test.activate).Curves()[0]
		assert.Equal(t, robots.Curves{test.departure, test.arrival, test.threshold, test.monotone}, c, name)
	}
}

func TestPolicyIsItsRule(t *testing.T) {
	r := random(t)
	forAll(t, func(t *testing.T, p robots.Parameters) {
		chosen := map[moment]bool{}
		policy := policyBy(t, p, func(s moment) bool {
			_, twice := chosen[s]
			assert.False(t, twice, "%+v was asked for twice", s)
			chosen[s] = r.IntN(2) == 1
			return chosen[s]
		})
		assert.Equal(t, p, policy.Parameters())
		m, err := robots.NewModel(p)
		require.NoError(t, err)
		assert.Equal(t, policy, modelPolicy(t, m, policy.Actions(m)))
		assert.Len(t, chosen, len(moments(p)))
		for _, s := range moments(p) {
			switch {
			case free(p, s):
				assert.Equal(t, chosen[s], activates(policy, s), "%+v", s)
			case s.Active == 0:
				assert.True(t, activates(policy, s), "the robot must be activated")
			default:
				assert.False(t, activates(policy, s), "no robot is idle")
			}
		}
		for _, s := range []robots.State{
			{Active: []int{0}},
			{Queue: -1, Active: []int{1}},
			{Queue: p.Buffer + 1, Active: []int{1}},
			{Queue: 1, Active: []int{p.Robots + 1}},
			{Queue: 1, Active: []int{-1}},
			{Queue: 1, Phase: 1, Active: []int{1}},
			{Queue: 1, Phase: -1, Active: []int{1}},
			{Queue: 1, Active: []int{1, 0}},
			{Queue: 1},
		} {
			assert.Panics(t, func() { policy.Decisions(s) }, "%+v", s)
			assert.Panics(t, func() { m.Index(s) }, "%+v", s)
		}
		var states int
		for state, d := range policy.Queues(0, policy.Parameters().Buffer+1) {
			require.Equal(t, states, m.Index(state))
			require.Equal(t, policy.Decisions(state), d)
			states++
		}
		assert.Equal(t, m.NumStates(), states)
	})
}

func TestNewPolicyRefuses(t *testing.T) {
	always := func(moment) bool { return true }
	_, err := plainPolicy(process(1, 1, 1, 1, 1), always)
	var fault *robots.ParameterError
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, "Buffer", fault.Field)
	_, err = plainPolicy(process(math.MaxInt, 2, 1e-30, 1, 1), always)
	require.ErrorIs(t, err, mdp.ErrTooLarge)
}

// The paper conjectures that optimal policies follow curves that do not rise.
// This holds for all processes tried here. If it does not for other numbers, that
// is news about the conjecture, not a fault of the program.
func TestConjecture(t *testing.T) {
	kept, tried := 0, 0
	for _, n := range []int{1, 2, 5, 12} {
		for _, buffer := range []int{2, 4, 9} {
			for _, load := range []float64{0.3, 1, 4} { // N·λ/μ
				for _, weight := range []float64{0.01, 0.8, 1.4, 50} {
					p := process(n, buffer, load/float64(n), 1, weight)
					s, err := robots.Solve(context.Background(), p, mdp.Settings{})
					require.NoError(t, err)
					tried++
					if curves := s.Policy.Curves()[0]; curves.Threshold && curves.Monotone {
						kept++
						continue
					}
					t.Logf("not monotone: %+v: %+v", p, s.Policy.Curves())
				}
			}
		}
	}
	t.Logf("%d of %d optimal policies follow curves that do not rise", kept, tried)
}
