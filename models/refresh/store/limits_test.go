package store

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
	optimal "github.com/mdpsolve/mdpsolve/models/refresh/rates"
)

// ratesByID returns the rates of all pages, best ones for all that is known.
func ratesByID(t *testing.T, s *Store) map[string]Status {
	t.Helper()
	all := map[string]Status{}
	for status, err := range s.Pages("") {
		require.NoError(t, err)
		all[status.ID] = status
	}
	return all
}

func TestIntervals(t *testing.T) {
	const day = 86400.
	settings := Settings{
		Bandwidth: 10, Intervals: limits.Intervals{Greatest: 4 * day},
		Rules: limits.Rules{{Host: "news.example", Path: "/live/", Intervals: limits.Intervals{Greatest: day / 2}}},
	}
	path := filepath.Join(t.TempDir(), "pages.db")
	s, err := Create(t.Context(), path, settings)
	require.NoError(t, err)
	ids := []string{"https://news.example/live/1", "https://news.example/", "https://busy.example/", "https://own.example/"}
	for _, id := range ids {
		page := Page{ID: id, Weight: 1}
		if id == ids[3] {
			page.Intervals = limits.Intervals{Least: 5 * day}
		}
		require.NoError(t, s.Put(page))
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var visits []Visit
	for hour := range 200 {
		for i, id := range ids {
			outcome := Unchanged
			if i == 2 || hour%30 == 10*i { // a page that changes all the time, and others
				outcome = Changed
			}
			visits = append(visits, Visit{ID: id, Time: start.Add(time.Duration(hour) * time.Hour), Outcome: outcome})
		}
	}
	require.NoError(t, s.Record(visits...))
	least, greatest := []float64{2, 0.25, 0.25, 0.2}, []float64{1e9, 1e9, 1e9, 0.2}
	check := func(bandwidth float64) {
		t.Helper()
		require.NoError(t, s.Learn(t.Context()))
		found := ratesByID(t, s)
		problem := refresh.Problem{Objective: refresh.FixedOrder{}, Bandwidth: bandwidth}
		for _, id := range ids {
			problem.Pages.ChangeRates = append(problem.Pages.ChangeRates, found[id].ChangeRate)
		}
		problem.Pages.LeastRates, problem.Pages.GreatestRates = least, greatest
		want, err := optimal.Optimize(context.Background(), problem, optimal.Settings{})
		require.NoError(t, err)
		for i, id := range ids {
			assert.InDelta(t, want.Rates[i], found[id].Rate, 1e-9, id)
		}
		factor, err := s.Stretched()
		require.NoError(t, err)
		assert.Equal(t, 1., factor)
	}
	check(10)
	s = reopen(t, s)
	check(10)

	// A page that is due again waits for its interval, and is then due.
	due, err := s.Due(t.Context(), Request{Now: start.Add(199*time.Hour + 13*time.Hour), Most: 10})
	require.NoError(t, err)
	var dueIDs []string
	for _, page := range due {
		dueIDs = append(dueIDs, page.ID)
	}
	assert.Contains(t, dueIDs, ids[0])
	assert.NotContains(t, dueIDs, ids[3])

	// Without the rule and the general limit, those of the page are left.
	settings.Rules, settings.Intervals = nil, limits.Intervals{}
	require.NoError(t, s.Configure(settings))
	least = []float64{0, 0, 0, 0}
	check(10)
	s = reopen(t, s)
	check(10)

	// Limits that do not fit are stretched: here 6.2 accesses for 3.1.
	settings.Bandwidth, settings.Intervals = 3.1, limits.Intervals{Greatest: day / 2}
	require.NoError(t, s.Configure(settings))
	found := ratesByID(t, s)
	for i, want := range []float64{1, 1, 1, 0.1} {
		assert.InDelta(t, want, found[ids[i]].Rate, 1e-6)
	}
	factor, err := s.Stretched()
	require.NoError(t, err)
	assert.InDelta(t, 2, factor, 1e-6)
	require.NoError(t, s.Close())
}

func TestIntervalsThatAreNotAllowed(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 10})
	assert.ErrorContains(t, s.Put(Page{ID: "a", Intervals: limits.Intervals{Least: 2, Greatest: 1}}), `page "a"`)
	assert.ErrorContains(t, s.Configure(Settings{Bandwidth: 10, Intervals: limits.Intervals{Least: -1}}), "interval")
	assert.ErrorContains(t, s.Configure(Settings{Bandwidth: 10, Rules: limits.Rules{{Label: "feed"}}}), "label")
}
