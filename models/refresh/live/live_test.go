package refresh

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/queue"
)

// A set that lives has at any time the rates of a full solve.
func TestLiveSetEqualsFullSolves(t *testing.T) {
	const seed = 5
	t.Logf("seed %d", seed)
	steps := 1500
	if testing.Short() {
		steps = 200
	}
	ctx := context.Background()
	law := must(queue.NewExponential(1e-3))
	for _, objective := range []Objective{FixedOrder{}, Random{}, Age{}, Discrete{}, NewCoffman(law), NewCoffmanRandomized(law)} {
		r := rand.New(rand.NewPCG(seed, 0))
		set, err := NewLiveSet(objective, 40, 2)
		require.NoError(t, err)
		number := func() float64 {
			switch r.IntN(12) {
			case 0:
				return 0
			case 1:
				return 0.5
			}
			return r.Float64()
		}
		present := []int{}
		for step := range steps {
			switch action := r.IntN(20); {
			case len(present) < 100 || action < 4:
				page, err := set.Add(number(), number())
				require.NoError(t, err)
				present = append(present, page)
			case action < 7:
				k := r.IntN(len(present))
				require.NoError(t, set.Remove(present[k]))
				present[k] = present[len(present)-1]
				present = present[:len(present)-1]
			case action == 7:
				require.NoError(t, set.SetBandwidth(set.Bandwidth()*(0.9+0.2*r.Float64())))
			default: // drift
				page := present[r.IntN(len(present))]
				require.NoError(t, set.Update(page, set.pages.ChangeRates[page]*(0.99+0.01*r.Float64()), set.pages.Weights[page]))
			}
			if step%7 != 0 {
				continue
			}
			p := Problem{Pages: set.pages, Objective: objective, Bandwidth: set.Bandwidth()}
			full, err := Optimize(ctx, p, Settings{Workers: 1})
			require.NoError(t, err)
			multiplier, err := set.Multiplier(ctx)
			require.NoError(t, err)
			require.InDelta(t, full.Multiplier, multiplier, 1e-12*full.Multiplier, "%v, step %d", objective, step)
			for page, want := range full.Rates {
				got, err := set.Rate(ctx, page)
				require.NoError(t, err)
				require.InDelta(t, want, got, 1e-9*max(want, set.Bandwidth()/float64(len(present))), "%v, step %d", objective, step)
			}
		}
		t.Logf("%v: %d pages, %d rebuilds in %d steps", objective, len(present), set.Rebuilds(), steps)
	}
}

// Pages that ask for many orders of magnitude more than there is, and leave before
// anybody has looked, do not spoil the sums of the others.
func TestLiveSetForgetsWhatHasLeft(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(4, 0))
	pages := Pages{[]float64{1, 2, 3}, []float64{1, 1, 1}}
	for _, objective := range []Objective{FixedOrder{}, Random{}, Age{}} {
		want := solve(t, Problem{Pages: pages, Objective: objective, Bandwidth: 5})
		for range 200 {
			set, err := NewLiveSet(objective, 5, 1)
			require.NoError(t, err)
			for i := range pages.Len() {
				_, err := set.Add(pages.ChangeRates[i], pages.Weight(i))
				require.NoError(t, err)
			}
			_, err = set.Multiplier(ctx)
			require.NoError(t, err)
			greatest := 100 * r.Float64()
			for range 5 {
				_, err := set.Add(r.Float64(), math.Pow(10, greatest*r.Float64()))
				require.NoError(t, err)
			}
			for page := 3; page < 8; page++ {
				require.NoError(t, set.Remove(page))
			}
			for page, rate := range want.Rates {
				got, err := set.Rate(ctx, page)
				require.NoError(t, err)
				require.InEpsilon(t, rate, got, 1e-12, "%v", objective)
			}
		}
	}
}

func TestLiveSetOfFewPages(t *testing.T) {
	ctx := context.Background()
	set, err := NewLiveSet(FixedOrder{}, 5, 1)
	require.NoError(t, err)
	multiplier, err := set.Multiplier(ctx)
	require.NoError(t, err)
	assert.Zero(t, multiplier)

	for i := range 5 {
		page, err := set.Add(float64(i+1), 1)
		require.NoError(t, err)
		assert.Equal(t, i, page)
	}
	for page, want := range []float64{1.14989, 1.35841, 1.35384, 1.13786, 0} {
		rate, err := set.Rate(ctx, page)
		require.NoError(t, err)
		assert.InDelta(t, want, rate, 6e-6)
	}
	require.NoError(t, set.Remove(2))
	rate, err := set.Rate(ctx, 2)
	require.NoError(t, err)
	assert.Zero(t, rate)
	for _, page := range []int{-1, 2, 5} {
		assert.Error(t, set.Remove(page))
		assert.Error(t, set.Update(page, 1, 1))
	}
	page, err := set.Add(3, 1)
	require.NoError(t, err)
	assert.Equal(t, 2, page, "the free index")
	rate, err = set.Rate(ctx, 2)
	require.NoError(t, err)
	assert.InDelta(t, 1.35384, rate, 6e-6)

	_, err = set.Add(-1, 1)
	var fault *PageError
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, PageError{5, "ChangeRates", -1, "0 or a number from 1e-100 to 1e+100"}, *fault)
	assert.Equal(t, 5, set.Len())
	assert.Error(t, set.SetBandwidth(math.NaN()))
	_, err = set.Rate(ctx, 9)
	assert.Error(t, err)
}
