package endcomponents

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Find agrees with a search of all sets of states of random models, also where it may keep
// only some of them.
func TestFindAgainstAllSetsOfStates(t *testing.T) {
	t.Log("seeds 1 to 3000")
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed+1, 0))
		n := 1 + rng.IntN(6)
		r := rows.New(n, 0, 0)
		for range n {
			for range 1 + rng.IntN(3) {
				for range 1 + rng.IntN(3) {
					r.Add(int32(rng.IntN(n)), 0.5)
				}
				r.Merge()
				r.EndChoice(0)
			}
			r.EndState()
		}
		var kept []bool
		within := 1<<n - 1
		if rng.IntN(4) > 0 {
			kept, within = make([]bool, n), 0
			for s := range kept {
				if kept[s] = rng.IntN(4) > 0; kept[s] {
					within |= 1 << s
				}
			}
		}
		want := largestSets(r, within)
		found := Find(r, kept)
		got := make([]int, found.Count)
		for s, k := range found.Of {
			if k != Outside {
				got[k] |= 1 << s
			}
			for c := r.StateStart[s]; c < r.StateStart[s+1]; c++ {
				require.Equal(t, k != Outside && staysIn(r, c, setWith(want, s)), found.Stays[c], "seed %d: choice %d", seed+1, c)
			}
		}
		require.ElementsMatch(t, want, got, "seed %d", seed+1)
	}
}

// setWith returns the set that holds a state, 0 for none.
func setWith(sets []int, s int) int {
	for _, set := range sets {
		if set>>s&1 == 1 {
			return set
		}
	}
	return 0
}

func staysIn(r *rows.Rows, choice int32, set int) bool {
	for _, j := range r.Next(choice) {
		if set>>j&1 == 0 {
			return false
		}
	}
	return true
}

// largestSets returns the end components within a set that no larger one holds, as bits.
func largestSets(r *rows.Rows, within int) (largest []int) {
	for set := 1; set <= within; set++ {
		if set&^within == 0 && isEnd(r, set) {
			larger := false
			for other := set + 1; other <= within; other++ {
				larger = larger || other&^within == 0 && set&^other == 0 && isEnd(r, other)
			}
			if !larger {
				largest = append(largest, set)
			}
		}
	}
	return largest
}

// isEnd reports whether the choices that stay in a set lead from each of its states to all.
func isEnd(r *rows.Rows, set int) bool {
	for s := range r.NumStates() {
		if set>>s&1 == 0 {
			continue
		}
		reached, moves := 0, true
		for moves {
			before := reached
			for from := range r.NumStates() {
				if from != s && reached>>from&1 == 0 {
					continue
				}
				for k := r.StateStart[from]; k < r.StateStart[from+1]; k++ {
					if staysIn(r, k, set) {
						for _, j := range r.Next(k) {
							reached |= 1 << j
						}
					}
				}
			}
			moves = reached != before
		}
		if reached != set {
			return false
		}
	}
	return true
}
