package store

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	optimal "github.com/mdpsolve/mdpsolve/models/refresh/rates"
)

// TestMonth has a crawler ask for pages every half hour for a month, in which 2 % of the pages are
// replaced each day. The store begins without knowing how often they change. In the second half of
// the month the freshness, as expected from the times of the visits, is near what the
// best rates promise to one who knows the change rates.
func TestMonth(t *testing.T) {
	pages, days := 1000, 30
	if *longRun {
		pages = 20_000
	}
	random := rand.New(rand.NewPCG(7, 30))
	begin := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	s, err := Create(t.Context(), filepath.Join(t.TempDir(), "pages.db"), Settings{Bandwidth: float64(pages) / 2})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })

	type page struct {
		changeRate, weight float64 // per day
		fetched            float64 // day of the last visit, -Inf before the first
	}
	present := map[string]*page{}
	var names []string
	joined := 0
	join := func(count int) {
		added := make([]Page, count)
		for i := range added {
			id := fmt.Sprintf("https://h%d.example/%d", joined%97, joined)
			joined++
			p := &page{0.1 * math.Exp(1.5*random.NormFloat64()), math.Exp(random.NormFloat64()), math.Inf(-1)}
			present[id], added[i] = p, Page{ID: id, Weight: p.weight}
			names = append(names, id)
		}
		_, err := s.Add(added...)
		require.NoError(t, err)
	}
	join(pages)
	fresh, promised, measured := 0.0, 0.0, 0.0 // weight × days, in the second half
	// pass adds the expected freshness of a page since its last visit, or since the middle of the month
	// if that is later.
	half := float64(days) / 2
	pass := func(p *page, to float64) {
		if from := max(p.fetched, half); to > from && !math.IsInf(p.fetched, -1) {
			fresh += p.weight / p.changeRate * (math.Exp(-p.changeRate*(from-p.fetched)) - math.Exp(-p.changeRate*(to-p.fetched)))
		}
	}
	const looks = 48 // a day
	for day := range days {
		if day > 0 {
			for range pages / 50 {
				i := random.IntN(len(names))
				pass(present[names[i]], float64(day))
				_, err := s.Remove(names[i])
				require.NoError(t, err)
				delete(present, names[i])
				names[i] = names[len(names)-1]
				names = names[:len(names)-1]
			}
			join(pages / 50)
		}
		if float64(day) >= half {
			best := refresh.Problem{Objective: refresh.FixedOrder{}, Bandwidth: float64(pages) / 2}
			for _, name := range names {
				best.Pages.ChangeRates = append(best.Pages.ChangeRates, present[name].changeRate)
				best.Pages.Weights = append(best.Pages.Weights, present[name].weight)
				measured += present[name].weight
			}
			solution, err := optimal.Optimize(context.Background(), best, optimal.Settings{})
			require.NoError(t, err)
			promised += solution.Value
		}
		for look := range looks {
			now := float64(day) + (float64(look)+0.5)/looks
			at := begin.Add(time.Duration(now * float64(24*time.Hour)))
			due, err := s.Due(t.Context(), Request{Now: at, Most: pages / 2 / looks})
			require.NoError(t, err)
			visits := make([]Visit, len(due))
			for i, d := range due {
				p := present[d.ID]
				pass(p, now)
				outcome := Unchanged
				if random.Float64() < -math.Expm1(-p.changeRate*(now-p.fetched)) {
					outcome = Changed
				}
				p.fetched = now
				visits[i] = Visit{ID: d.ID, Time: at, Outcome: outcome}
			}
			require.NoError(t, s.Record(visits...))
		}
	}
	for _, name := range names {
		pass(present[name], float64(days))
	}
	t.Logf("%d pages: freshness %.5f, best rates promise %.5f to one who knows the change rates", pages, fresh/measured, promised/measured)
	assert.Greater(t, fresh, 0.9*promised)
	assert.Less(t, fresh, promised)
}
