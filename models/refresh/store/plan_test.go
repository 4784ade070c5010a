package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
)

// monday is 2026-01-05T00:00:00Z.
var monday = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

func TestPlannedBatches(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 100, HostDelay: time.Minute})
	for host := range 3 {
		for page := range 10 {
			require.NoError(t, s.Put(Page{ID: fmt.Sprintf("https://%c.example/%d", 'a'+host, page)}))
		}
	}
	plan := func(b Batch) []Planned {
		t.Helper()
		b.Now = monday
		planned, err := s.Plan(t.Context(), b)
		require.NoError(t, err)
		checkDelays(t, planned, time.Minute)
		again, err := s.Plan(t.Context(), b) // it changes nothing
		require.NoError(t, err)
		require.Equal(t, planned, again)
		return planned
	}
	// All pages are new: 10 of each host, a minute from one to the next.
	all := plan(Batch{Request: Request{Most: 100}})
	require.Len(t, all, 30)
	assert.Equal(t, monday.Add(9*time.Minute), all[29].Time)
	assert.Len(t, plan(Batch{Request: Request{Most: 100, MostOfHost: 4}}), 12)
	assert.Len(t, plan(Batch{Request: Request{Most: 7}}), 7)
	assert.Len(t, plan(Batch{Request: Request{Most: 100, Host: "B.example"}}), 10)
	assert.Len(t, plan(Batch{Request: Request{Most: 100}, Until: monday.Add(150 * time.Second)}), 9)
	assert.Empty(t, plan(Batch{Request: Request{Most: 100, Host: "x.example"}}))

	// At 12 an hour, and none from one to three o'clock.
	week := new(Week)
	for hour := range week {
		if week[hour] = 12 * 24; hour == 1 || hour == 2 {
			week[hour] = 0
		}
	}
	slow := plan(Batch{Request: Request{Most: 100}, Until: monday.Add(4 * time.Hour), Week: week})
	require.Len(t, slow, 24)
	assert.WithinDuration(t, monday.Add(55*time.Minute), slow[11].Time, time.Second)
	assert.WithinDuration(t, monday.Add(3*time.Hour), slow[12].Time, time.Second)

	// Pages that are visited often come several times, one interval after each other.
	var visits []Visit
	for hour := range 100 {
		for page := range 10 {
			visits = append(visits, Visit{ID: fmt.Sprintf("https://a.example/%d", page), Time: monday.Add(time.Duration(hour-100) * time.Hour), Outcome: []Outcome{Changed, Unchanged}[hour%2]})
		}
	}
	require.NoError(t, s.Record(visits...))
	often := map[string][]time.Time{}
	for _, p := range plan(Batch{Request: Request{Most: 10_000, Host: "a.example"}, Until: monday.Add(48 * time.Hour)}) {
		often[p.ID] = append(often[p.ID], p.Time)
	}
	status := ratesByID(t, s)
	for id, times := range often {
		interval := time.Duration(float64(24*time.Hour) / status[id].Rate)
		require.Greater(t, len(times), 2)
		for i := range times[1:] {
			assert.InDelta(t, 1, float64(times[i+1].Sub(times[i]))/float64(interval), 0.2)
		}
	}
}

func checkDelays(t *testing.T, planned []Planned, delay time.Duration) {
	t.Helper()
	last, before := map[string]time.Time{}, time.Time{}
	for _, p := range planned {
		require.False(t, p.Time.Before(before))
		before = p.Time
		if at, known := last[p.Host]; known {
			require.GreaterOrEqual(t, p.Time.Sub(at), delay-time.Millisecond)
		}
		last[p.Host] = p.Time
	}
}

func TestWeek(t *testing.T) {
	week := new(Week)
	week[24+7] = 240 // ten accesses from seven to eight on Tuesdays
	start := days(monday.UnixNano())
	at := func(hours float64) float64 { return start + hours/24 }
	assert.InDelta(t, at(31), week.After(start, 0), 1e-9)
	assert.InDelta(t, at(31.5), week.After(start, 5), 1e-9)
	assert.InDelta(t, at(31+7*24+0.5), week.After(at(31.9), 6), 1e-9)
	assert.True(t, math.IsInf(new(Week).After(start, 1), 1))
	assert.InDelta(t, 240./168, week.Mean(), 1e-12)
}

// With a bandwidth by hour, a week has as many accesses as the rates say, most of them at night, and
// none before the least interval of its page.
func TestNightsAreUsed(t *testing.T) {
	const pages, bandwidth = 200, 400.
	week := new(Week)
	for hour := range week {
		if week[hour] = bandwidth / 2; hour%24 < 8 {
			week[hour] = 2 * bandwidth
		}
	}
	require.InDelta(t, bandwidth, week.Mean(), 1e-9)
	settings := Settings{Bandwidth: bandwidth, Intervals: limits.Intervals{Least: 5 * 3600}}
	s := newStore(t, settings)
	r := rand.New(rand.NewPCG(3, 1))
	var visits []Visit
	for page := range pages {
		id := fmt.Sprintf("https://%d.example/", page)
		require.NoError(t, s.Put(Page{ID: id}))
		for day := range 10 {
			outcome := []Outcome{Unchanged, Changed}[min(1, r.IntN(1+page/20))]
			at := monday.Add(time.Duration((float64(day-10) + r.Float64()) * float64(24*time.Hour)))
			visits = append(visits, Visit{ID: id, Time: at, Outcome: outcome})
		}
	}
	require.NoError(t, s.Record(visits...))
	planned, err := s.Plan(t.Context(), Batch{Request: Request{Now: monday, Most: 10_000}, Until: monday.Add(7 * 24 * time.Hour), Week: week})
	require.NoError(t, err)
	assert.InEpsilon(t, 7*bandwidth, len(planned), 0.03)
	night, last := 0, map[string]time.Time{}
	for _, p := range planned {
		if p.Time.Hour() < 8 {
			night++
		}
		if at, known := last[p.ID]; known {
			require.GreaterOrEqual(t, p.Time.Sub(at), 5*time.Hour-time.Second)
		}
		last[p.ID] = p.Time
	}
	assert.InEpsilon(t, 2./3, float64(night)/float64(len(planned)), 0.05)
}

// Pages keep their greatest interval although many others are overdue: also where a host has a delay.
func TestGreatestIntervalsBeforeBacklog(t *testing.T) {
	s := newStore(t, Settings{
		Bandwidth: 400, HostDelay: 10 * time.Second,
		Rules: limits.Rules{{Path: "/feed", Intervals: limits.Intervals{Greatest: 7200}}},
	})
	var pages []Page
	var visits []Visit
	for i := range 1010 {
		id := fmt.Sprintf("https://h%d.example/%d", i%20, i)
		if i < 10 {
			id = fmt.Sprintf("https://h%d.example/feed", i)
		}
		pages = append(pages, Page{ID: id})
		// Feeds change less often than others: their limit alone gives them 12 accesses a day.
		for k := range 10 {
			changed := Unchanged
			if i >= 10 && (i+k)%2 == 0 {
				changed = Changed
			}
			visits = append(visits, Visit{ID: id, Time: monday.Add(time.Duration(k-40) * 24 * time.Hour), Outcome: changed})
		}
	}
	require.NoError(t, s.Put(pages...))
	require.NoError(t, s.RecordAt(monday, visits...))
	planned, err := s.Plan(t.Context(), Batch{Request: Request{Now: monday, Most: 5000}, Until: monday.Add(24 * time.Hour), Week: EvenWeek(400)})
	require.NoError(t, err)
	checkDelays(t, planned, 10*time.Second)
	const slot = 24 * time.Hour / 400
	last, count := map[string]time.Time{}, 0
	for _, p := range planned {
		if !strings.HasSuffix(p.ID, "/feed") {
			continue
		}
		count++
		before, again := last[p.ID]
		if !again {
			before = monday
		}
		assert.LessOrEqual(t, p.Time.Sub(before), 2*time.Hour+slot, "%s at %v", p.ID, p.Time)
		last[p.ID] = p.Time
	}
	assert.Len(t, last, 10)
	assert.InDelta(t, 130, count, 10, "feeds come no more often than they have to")
	assert.Len(t, planned, 401)

	due, err := s.Due(t.Context(), Request{Now: monday, Most: 20})
	require.NoError(t, err)
	require.Len(t, due, 20, "one of each host")
	for i, page := range due {
		assert.Equal(t, i < 10, strings.HasSuffix(page.ID, "/feed"), "%d: %s", i, page.ID)
	}
}
