package robots

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// small is a process whose switching curves can be written down by hand.
var small = Parameters{Robots: 3, Buffer: 4, ArrivalRate: 0.5, ServiceRate: 1, StarvationWeight: 1.4}

func policyBy(t *testing.T, p Parameters, activate func(State) bool) *Policy {
	t.Helper()
	policy, err := NewPolicy(p, activate)
	require.NoError(t, err)
	return policy
}

// below is the policy that follows two curves.
func below(departure, arrival []int) func(State) bool {
	return func(s State) bool {
		if s.Event == Departure {
			return s.Queue <= departure[s.Active]
		}
		return s.Queue <= arrival[s.Active]
	}
}

func TestCurves(t *testing.T) {
	never := func(State) bool { return false }
	for name, test := range map[string]struct {
		activate           func(State) bool
		departure, arrival []int
		threshold          bool
		monotone           bool
	}{
		"always":      {func(State) bool { return true }, []int{4, 4, 4, -1}, []int{-1, 4, 4, 4}, true, true},
		"never":       {never, []int{1, -1, -1, -1}, []int{-1, -1, -1, -1}, true, true}, // but where it must
		"decreasing":  {below([]int{4, 2, 1, -1}, []int{-1, 4, 0, 0}), []int{4, 2, 1, -1}, []int{-1, 4, 0, 0}, true, true},
		"rising f_0":  {below([]int{2, 1, 2, -1}, []int{-1, 4, 4, 4}), []int{2, 1, 2, -1}, []int{-1, 4, 4, 4}, true, false},
		"rising f_1":  {below([]int{2, 2, 2, -1}, []int{-1, 2, 0, 1}), []int{2, 2, 2, -1}, []int{-1, 2, 0, 1}, true, false},
		"last rising": {below([]int{1, -1, 1, -1}, []int{-1, 0, 0, 0}), []int{1, -1, 1, -1}, []int{-1, 0, 0, 0}, true, false},
		"a gap at departures": {
			func(s State) bool { return s.Event == Departure && s.Active == 1 && s.Queue != 2 },
			[]int{1, 4, -1, -1},
			[]int{-1, -1, -1, -1},
			false, false,
		},
		"a gap at arrivals": {
			func(s State) bool { return s.Event == Arrival && s.Active == 1 && s.Queue == 3 },
			[]int{1, -1, -1, -1},
			[]int{-1, 3, -1, -1},
			false, false,
		},
		// What is decided with all robots active does not matter: f_0(N) is −1.
		"no robot idle": {
			func(s State) bool { return s.Event == Departure && s.Active == 3 && s.Queue == 2 },
			[]int{1, -1, -1, -1},
			[]int{-1, -1, -1, -1},
			true, true,
		},
		"forced": { // 1 at (2,0,0) with the forced 1 at (1,0,0) is a threshold; without it would be a gap
			func(s State) bool { return s == State{2, 0, Departure} },
			[]int{2, -1, -1, -1},
			[]int{-1, -1, -1, -1},
			true, true,
		},
	} {
		c := policyBy(t, small, test.activate).Curves()
		assert.Equal(t, Curves{test.departure, test.arrival, test.threshold, test.monotone}, c, name)
	}
}

func TestPolicyIsItsRule(t *testing.T) {
	r := random(t)
	forAll(t, func(t *testing.T, p Parameters) {
		chosen := map[State]bool{}
		policy := policyBy(t, p, func(s State) bool {
			assert.False(t, s.forced(), "%+v was asked for", s)
			_, twice := chosen[s]
			assert.False(t, twice, "%+v was asked for twice", s)
			chosen[s] = r.IntN(2) == 1
			return chosen[s]
		})
		assert.Equal(t, p, policy.Parameters())
		events, pairs := bothForms(t, p)
		again := pairPolicy(pairs, policy.pairActions(pairs))
		for i := range events.NumStates() {
			s := events.State(i)
			switch {
			case s.Event == Fictitious:
				assert.False(t, policy.Activates(s))
			case s == State{1, 0, Departure}:
				assert.True(t, policy.Activates(s))
			default:
				assert.Equal(t, chosen[s], policy.Activates(s), "%+v", s)
			}
			if s.Event != Departure || s.Active < p.Robots { // else it makes no difference
				assert.Equal(t, policy.Activates(s), again.Activates(s), "%+v", s)
			}
		}
		for _, s := range []State{{0, 1, Departure}, {1, 0, Arrival}, {0, 0, Fictitious}, {1, p.Robots + 1, Arrival}, {p.Buffer + 1, 1, Arrival}, {1, 1, 3}} {
			assert.Panics(t, func() { policy.Activates(s) }, "%+v", s)
		}
	})
}

func TestNewPolicyRefuses(t *testing.T) {
	always := func(State) bool { return true }
	_, err := NewPolicy(Parameters{1, 1, 1, 1, 1}, always)
	var fault *ParameterError
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, "Buffer", fault.Field)
	_, err = NewPolicy(Parameters{math.MaxInt, 2, 1e-30, 1, 1}, always)
	require.ErrorIs(t, err, mdp.ErrTooLarge)
}

// The paper conjectures that optimal policies follow curves that do not rise.
// It does of all processes tried here; where numbers like these are changed and
// it does not, that is news about the paper, not a fault.
func TestConjecture(t *testing.T) {
	kept, tried := 0, 0
	for _, robots := range []int{1, 2, 5, 12} {
		for _, buffer := range []int{2, 4, 9} {
			for _, load := range []float64{0.3, 1, 4} { // N·λ/μ
				for _, weight := range []float64{0.01, 0.8, 1.4, 50} {
					p := Parameters{robots, buffer, load / float64(robots), 1, weight}
					s, err := Solve(context.Background(), p, mdp.Settings{})
					require.NoError(t, err)
					tried++
					if s.Curves.Threshold && s.Curves.Monotone {
						kept++
						continue
					}
					t.Logf("not monotone: %+v: %+v", p, s.Curves)
				}
			}
		}
	}
	t.Logf("%d of %d optimal policies follow curves that do not rise", kept, tried)
}
