package endcomponents

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// IsUnichain finds a state in every end component if, and only if, there is one: the model
// without it has none.
func TestIsUnichainTriesEveryState(t *testing.T) {
	t.Log("seeds 1 to 600")
	unichain := 0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed+1, 0))
		n := 2 + rng.IntN(60)
		hub, often := int32(rng.IntN(n)), rng.IntN(12)
		r := rows.New(n, 0, 0)
		for s := range n {
			r.Add(int32((s+1)%n), 1) // so that the model is communicating
			r.EndChoice(0)
			for range rng.IntN(3) {
				for range 1 + rng.IntN(2) {
					r.Add(int32(rng.IntN(n)), 0.5)
				}
				if rng.IntN(12) < often {
					r.Add(hub, 0.5)
				}
				r.Merge()
				r.EndChoice(0)
			}
			r.EndState()
		}
		kept := slices.Repeat([]bool{true}, n)
		want := r.NumChoices() == n
		for s := range n {
			kept[s] = false
			want = want || Find(r, kept).Count == 0
			kept[s] = true
		}
		if want {
			unichain++
		}
		require.Equal(t, want, Find(r, nil).IsUnichain(r), "seed %d", seed+1)
	}
	require.True(t, 60 < unichain && unichain < 540, "%d models are unichain", unichain)
}
