package mdp_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// coinState is the state of the shared coin: of each process what it does next
// and what it has flipped, and the counter.
type coinState struct {
	next, flipped [4]int8
	counter       int8
}

// What a process does next.
const (
	flips = iota
	counts
	looks
	isDone
)

// sharedCoin is the protocol of Aspnes and Herlihy, Fast randomized consensus
// using shared memory, Journal of Algorithms 11 (1990), 441-461: n processes flip
// coins and move a counter up or down until they see it within n of one end, in
// any order that a scheduler likes. A step costs 1.
func sharedCoin(n int, spread int) (problem mdp.Problem[coinState, int8], done func(coinState) bool) {
	most := int8(2 * (spread + 1) * n)
	low, high := int8(n), most-int8(n)
	done = func(s coinState) bool {
		for _, next := range s.next[:n] {
			if next != isDone {
				return false
			}
		}
		return true
	}
	problem.Start = []coinState{{counter: most / 2}}
	problem.Actions = func(dst []int8, s coinState) []int8 {
		if done(s) {
			return append(dst, 0)
		}
		for i, next := range s.next[:n] {
			if next != isDone {
				dst = append(dst, int8(i))
			}
		}
		return dst
	}
	problem.Cost = func(coinState, int8) float64 { return 1 }
	problem.Next = func(dst []mdp.Outcome[coinState], s coinState, i int8) []mdp.Outcome[coinState] {
		switch to := s; s.next[i] {
		case flips:
			to.next[i], to.flipped[i] = counts, 0
			other := to
			other.flipped[i] = 1
			return append(dst, mdp.Outcome[coinState]{State: to, Probability: 0.5}, mdp.Outcome[coinState]{State: other, Probability: 0.5})
		case counts:
			to.next[i], to.flipped[i] = looks, 0
			if s.flipped[i] == 1 {
				to.counter = min(s.counter+1, most)
			} else {
				to.counter = max(s.counter-1, 0)
			}
			return append(dst, mdp.Outcome[coinState]{State: to, Probability: 1})
		case looks:
			to.next[i] = flips
			if s.counter <= low || s.counter >= high {
				to.next[i] = isDone
			}
			if s.counter >= high {
				to.flipped[i] = 1
			}
			return append(dst, mdp.Outcome[coinState]{State: to, Probability: 1})
		default:
			return append(dst, mdp.Outcome[coinState]{State: s, Probability: 1})
		}
	}
	return problem, done
}

// The least and the greatest expected number of steps are 48 and 75 for two
// processes, 192 and 363 for four, with the counter spread over 2·3·n: reference
// values of the models consensus.2 and consensus.4 of the Quantitative
// Verification Benchmark Set (Hartmanns, Klauck, Parker, Quatmann and Ruijters,
// TACAS 2019).
func TestSharedCoin(t *testing.T) {
	for n, steps := range map[int]map[mdp.Sense]float64{
		2: {mdp.Minimize: 48, mdp.Maximize: 75},
		4: {mdp.Minimize: 192, mdp.Maximize: 363},
	} {
		problem, done := sharedCoin(n, 2)
		model, err := problem.Compile(context.Background())
		require.NoError(t, err)
		var target []int32
		for s := range model.NumStates() {
			if done(model.State(s)) {
				target = append(target, int32(s))
			}
		}
		for sense, want := range steps {
			criterion := mdp.TotalCost{Target: target, Sense: sense}
			result, err := mdp.Solve(context.Background(), model, criterion, mdp.Settings{})
			require.NoError(t, err)
			assert.InEpsilon(t, want, result.Optimum(0), mdp.DefaultTolerance)
			assert.LessOrEqual(t, result.Lower, want)
			assert.GreaterOrEqual(t, result.Upper, want)
		}
	}
}
