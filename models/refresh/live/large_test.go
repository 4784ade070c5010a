package live

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// 10⁶ pages with bounds in hosts with caps, of which two thirds change and one third is
// new, so that the multiplier drifts: the rates are those of a full solve, at 5,000
// changes a second and more.
func TestMillionPagesThatGrow(t *testing.T) {
	if !*longRun {
		t.Skip("long: -refresh.long")
	}
	const n, changes = 1_000_000, 100_000
	r := rand.New(rand.NewPCG(1, 2))
	set := must(NewSet(refresh.FixedOrder{}, n/10, 1))
	for range n / 60 {
		must(set.AddHost(2 + 10*r.ExpFloat64()))
	}
	page := func() Page {
		p := Page{ChangeRate: r.Float64(), Weight: r.ExpFloat64(), Host: 1 + r.IntN(n/60)}
		if r.IntN(10) == 0 {
			p.Least = 0.01
		}
		return p
	}
	ctx := context.Background()
	for range n {
		must(set.Add(page()))
	}
	must(set.Multiplier(ctx))
	begin := time.Now()
	for k := range changes {
		i := r.IntN(n)
		if k%3 == 0 {
			i = must(set.Add(page()))
		} else {
			require.NoError(t, set.Update(i, page()))
		}
		must(set.Rate(ctx, i))
	}
	t.Logf("%.0f changes a second, %d passes over all pages", changes/time.Since(begin).Seconds(), set.Rebuilds())
	full := solve(t, problemOf(set))
	worst := 0.0
	for i, want := range full.Rates {
		worst = max(worst, math.Abs(must(set.Rate(ctx, i))-want)/max(want, 0.1))
	}
	t.Logf("rates differ by %.2g", worst)
	require.LessOrEqual(t, worst, 1e-7) // a full solve decides which hosts are capped before its last step
}
