package sequence_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
)

// A morningPage is a page of the simulation of many mornings.
type morningPage struct {
	changeRate, weight float64
	copied             float64 // when it was last accessed; NaN: never
	fresh              float64 // weight × expected time up to date, so far
}

// access counts the time since the last access.
func (p *morningPage) access(now float64) {
	if !math.IsNaN(p.copied) {
		p.fresh -= p.weight * math.Expm1(-p.changeRate*(now-p.copied)) / p.changeRate
	}
	p.copied = now
}

// gain is the greedy index of a page.
func (p *morningPage) gain(now float64) float64 {
	if math.IsNaN(p.copied) {
		return p.weight / p.changeRate
	}
	x := p.changeRate * (now - p.copied)
	return p.weight / p.changeRate * (1 - (1+x)*math.Exp(-x))
}

// mornings simulates days on each of which some of n pages are replaced and a plan is made
// anew. It returns the time that pages are up to date in all, times their weight.
func mornings(t *testing.T, n, days int, churn, spread, accesses float64, byIndex bool) (fresh, promised float64) {
	r := rand.New(rand.NewPCG(5, 14))
	var all []*morningPage
	present := make([]*morningPage, n)
	join := func() *morningPage {
		p := &morningPage{changeRate: 0.1 * math.Exp(1.5*r.NormFloat64()), weight: math.Exp(spread * r.NormFloat64()), copied: math.NaN()}
		all = append(all, p)
		return p
	}
	for i := range present {
		present[i] = join()
	}
	slots := int(accesses * float64(n)) // a day
	for day := range days {
		start := float64(day)
		if day > 0 {
			for range int(churn * float64(n)) {
				i := r.IntN(n)
				present[i].access(start)
				present[i] = join()
			}
		}
		problem := refresh.Problem{Objective: refresh.FixedOrder{}, Bandwidth: float64(slots)}
		for _, p := range present {
			problem.Pages.ChangeRates = append(problem.Pages.ChangeRates, p.changeRate)
			problem.Pages.Weights = append(problem.Pages.Weights, p.weight)
		}
		s, err := rates.Optimize(context.Background(), problem, rates.Settings{})
		require.NoError(t, err)
		if day == 0 { // in the middle of a plan that has been running
			for i, p := range present {
				if rate := s.Rates[i]; rate > 0 {
					passed := r.Float64()
					p.copied = -passed / rate
					p.fresh = p.weight * math.Expm1(p.changeRate*p.copied) / p.changeRate // before time 0
				}
			}
		}
		if byIndex {
			for done, batch := 0, max(1, slots/500); done < slots; done += batch {
				now := start + float64(done)/float64(slots)
				best := slices.Clone(present)
				slices.SortFunc(best, func(a, b *morningPage) int { return cmp.Compare(b.gain(now), a.gain(now)) })
				for k := range min(batch, slots-done) {
					best[k].access(start + float64(done+k+1)/float64(slots))
				}
			}
			continue
		}
		past := sequence.Past{Rates: make([]float64, n), Accessed: make([]float64, n), Spacings: make([]refresh.Spacing, n)}
		freshness := refresh.Freshness(problem.Objective, problem.Pages, s.Rates, nil, 1)
		for i, p := range present {
			past.Rates[i], past.Accessed[i] = s.Rates[i]/s.Used, (p.copied-start)*float64(slots)
			past.Spacings[i] = refresh.SpacingOf(freshness[i])
		}
		visits, outlook := past.Visits(int64(slots))
		plan, err := sequence.NewPlan(visits, nil)
		require.NoError(t, err)
		promised += s.Value * outlook.Freshness
		for slot := range slots {
			if page := plan.Next(); page >= 0 {
				present[page].access(start + float64(slot+1)/float64(slots))
			}
		}
	}
	for _, p := range present {
		p.access(float64(days))
	}
	for _, p := range all {
		fresh += p.fresh
	}
	return fresh, promised
}

// A plan that is made anew every morning, with pages that join and leave, is nearly as good as
// the greedy index, which looks at every page before each access. With 5% of the pages replaced
// a day and accesses for 10%, pages that join take half of all accesses.
func TestMornings(t *testing.T) {
	for _, accesses := range []float64{0.1, 0.5} {
		for _, spread := range []float64{0, 2} {
			for churn, most := range map[float64]float64{0: 0.002, 0.05: 0.004} {
				name := fmt.Sprintf("accesses %v of pages, spread %v, churn %v", accesses, spread, churn)
				index, _ := mornings(t, 500, 20, churn, spread, accesses, true)
				plan, promised := mornings(t, 500, 20, churn, spread, accesses, false)
				t.Logf("%s: %+.2f%% of the index, %+.2f%% of the outlook", name, 100*(plan/index-1), 100*(plan/promised-1))
				assert.GreaterOrEqual(t, plan, (1-most)*index, name)
			}
		}
	}
}
