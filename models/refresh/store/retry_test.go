package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
)

// isDue reports whether a page is due at a time in days. A host without a delay gives all its pages.
func isDue(t *testing.T, s *Store, id string, day float64) bool {
	t.Helper()
	due, err := s.Plan(t.Context(), Batch{Request: Request{Now: after(day), Most: 1000}})
	require.NoError(t, err)
	for _, page := range due {
		if page.ID == id {
			return true
		}
	}
	return false
}

// A page that is not found is due when the rules say so, whatever its rate, after reopening too.
func TestRetries(t *testing.T) {
	const hour = 1. / 24
	for _, test := range []struct {
		outcome Outcome
		waits   []float64 // in days, by hand
	}{
		{Failed, []float64{hour / 4, hour / 2, hour, 2 * hour}},
		{Denied, []float64{1, 2, 4}},
		{Gone, []float64{7, 14, 28, 56, 90, 90}},
	} {
		s := newStore(t, Settings{Bandwidth: 1e-3})
		_, err := s.Add(Page{ID: "https://a.example/"})
		require.NoError(t, err)
		day := 1.0
		for _, wait := range test.waits {
			require.NoError(t, s.Record(Visit{ID: "https://a.example/", Time: after(day), Outcome: test.outcome}))
			s = reopen(t, s)
			require.False(t, isDue(t, s, "https://a.example/", day+wait*0.999), "%v, after %v days", test.outcome, wait)
			require.True(t, isDue(t, s, "https://a.example/", day+wait), "%v, after %v days", test.outcome, wait)
			day += wait
		}
		require.NoError(t, s.Record(Visit{ID: "https://a.example/", Time: after(day), Outcome: Found}))
		require.False(t, isDue(t, s, "https://a.example/", day+100), "a page that was found has its rate")
	}
}

// What is never tried again: by the rules, or as the visit says, until Put.
func TestNeverAgain(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 10, Retries: limits.Retries{Gone: limits.Retry{First: limits.Never}}})
	_, err := s.Add(Page{ID: "a"}, Page{ID: "b"})
	require.NoError(t, err)
	require.NoError(t, s.Record(Visit{ID: "a", Time: after(1), Outcome: Gone}, Visit{ID: "b", Time: after(1), Outcome: Failed, Final: true}))
	s = reopen(t, s)
	for _, id := range []string{"a", "b"} {
		assert.False(t, isDue(t, s, id, 10_000))
		require.NoError(t, s.Put(Page{ID: id}))
		assert.True(t, isDue(t, s, id, 10_000))
	}
	for _, wrong := range []limits.Retries{{Copies: 1}, {Failed: limits.Retry{First: time.Hour, Factor: 0.5, Greatest: time.Hour}}, {Gone: limits.Retry{First: time.Hour, Factor: 2, Greatest: time.Minute}}} {
		settings := s.Settings()
		settings.Retries = wrong
		assert.Error(t, s.Configure(settings))
	}
}

// Pages with the digest of many of their host count as gone, from the twentieth on, however
// visits are cut into writes, and are back with a digest of their own.
func TestCopies(t *testing.T) {
	for _, together := range []int{1, 7, 30} {
		s := newStore(t, Settings{Bandwidth: 30})
		s.db.NoSync = true
		var pages []Page
		var visits []Visit
		for i := range 30 {
			id := fmt.Sprintf("https://a.example/%d", i)
			pages = append(pages, Page{ID: id})
			visits = append(visits, Visit{ID: id, Time: after(1), Digest: []byte("nothing here"), Outcome: Found})
		}
		pages = append(pages, Page{ID: "https://b.example/"})
		visits = append(visits, Visit{ID: "https://b.example/", Time: after(1), Digest: []byte("nothing here"), Outcome: Found})
		_, err := s.Add(pages...)
		require.NoError(t, err)
		for i := 0; i < len(visits); i += together {
			require.NoError(t, s.Record(visits[i:min(i+together, len(visits))]...))
		}
		assert.Equal(t, 11, s.Counts().Gone)
		s = reopen(t, s)
		assert.NotEqual(t, Gone, statusOf(t, s, "https://b.example/").Outcome, "another host")
		again := visits[0]
		again.Time = after(2)
		back := visits[29]
		back.Time, back.Digest = after(2), []byte("a page again")
		same := Visit{ID: visits[28].ID, Time: after(2), Outcome: Unchanged} // 304
		require.NoError(t, s.Record(again, back, same))
		assert.Equal(t, Gone, statusOf(t, s, again.ID).Outcome)
		assert.Equal(t, Gone, statusOf(t, s, same.ID).Outcome)
		assert.NotEqual(t, Gone, statusOf(t, s, back.ID).Outcome)
		assert.Equal(t, 11, s.Counts().Gone, "one more, one less")
	}
}

// A page that has moved gives its place to the target.
func TestMoves(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 10})
	_, err := s.Add(Page{ID: "https://a.example/1", Weight: 3}, Page{ID: "https://a.example/2", Weight: 7}, Page{ID: "https://a.example/3"}, Page{ID: "https://a.example/4"})
	require.NoError(t, err)
	for day := range 4 {
		for page := 1; page <= 2; page++ {
			require.NoError(t, s.Record(Visit{ID: fmt.Sprintf("https://a.example/%d", page), Time: after(float64(day)), Digest: []byte{byte(day)}, Outcome: Found}))
		}
	}
	require.NoError(t, s.Record(Visit{ID: "https://a.example/3", Time: after(3), Outcome: Found}))
	before := s.Counts()
	moves := []Visit{
		{ID: "https://a.example/1", Time: after(5), Outcome: Failed, Target: "https://b.example/1"}, // a new page
		{ID: "https://a.example/2", Time: after(5), Digest: []byte("x"), Outcome: Found, Target: "https://a.example/4"},
		{ID: "https://a.example/3", Time: after(5), Outcome: Failed, Target: "https://b.example/1"}, // which has visits
	}
	require.NoError(t, s.Record(moves...))
	for range 2 {
		status := statusOf(t, s, "https://b.example/1")
		assert.Equal(t, "b.example", status.Host)
		assert.Equal(t, []any{3., int64(5), int64(3)}, []any{status.Weight, status.Visits, status.Changes})
		status = statusOf(t, s, "https://a.example/4")
		assert.Equal(t, []any{7., int64(5), int64(4), Changed}, []any{status.Weight, status.Visits, status.Changes, status.Outcome})
		for page := 1; page <= 3; page++ {
			_, err := s.Page(fmt.Sprintf("https://a.example/%d", page))
			require.ErrorIs(t, err, ErrNoPage)
		}
		assert.Equal(t, before.Pages-2, s.Counts().Pages)
		var refused VisitErrors
		require.ErrorAs(t, s.Record(moves...), &refused, "a log that is recorded twice")
		require.Len(t, refused, 3)
		require.ErrorIs(t, refused, ErrNotLater)
		s = reopen(t, s)
	}
	require.NoError(t, s.Record(Visit{ID: "https://a.example/2", Time: after(5.5), Digest: []byte("x"), Target: "https://a.example/4"}), "by its old ID")
	assert.Equal(t, int64(6), statusOf(t, s, "https://a.example/4").Visits)
	require.ErrorIs(t, s.Record(Visit{ID: "https://a.example/2", Time: after(5.6), Target: "https://a.example/none"}), ErrNoPage)
	assert.False(t, isDue(t, s, "https://b.example/1", 5+10./(24*60)), "redirects in a circle do not run on")
	assert.True(t, isDue(t, s, "https://b.example/1", 5+31./(24*60)))
	assert.Error(t, s.Record(Visit{ID: "https://a.example/4", Time: after(6), Target: "https://a.example/5" + string(make([]byte, longestID))}))
	require.NoError(t, s.Record(Visit{ID: "https://a.example/4", Time: after(6), Target: "https://a.example/4"}), "to itself")
}

// What is announced is due at once, until the next visit.
func TestAnnounce(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 1e-3})
	_, err := s.Add(Page{ID: "a"}, Page{ID: "b"}, Page{ID: "new"})
	require.NoError(t, err)
	require.NoError(t, s.Record(Visit{ID: "a", Time: after(1), Outcome: Gone}, Visit{ID: "b", Time: after(1), Outcome: Found}))
	due, weighted, err := s.Announce(after(2), Announcement{ID: "a", Modified: after(1.5)}, Announcement{ID: "b", Modified: after(1)},
		Announcement{ID: "new", Modified: after(1.5), Weight: 2}, Announcement{ID: "none", Modified: after(1.5)})
	require.NoError(t, err)
	assert.Equal(t, []int{1, 1}, []int{due, weighted})
	assert.Equal(t, 2., statusOf(t, s, "new").Weight)
	due, _, err = s.Announce(after(2), Announcement{ID: "b", Modified: after(2.5)})
	require.NoError(t, err)
	assert.Zero(t, due, "in the future")
	s = reopen(t, s)
	assert.True(t, isDue(t, s, "a", 1.6))
	assert.False(t, isDue(t, s, "b", 1.6))
	require.NoError(t, s.Record(Visit{ID: "a", Time: after(1.6), Outcome: Found}))
	assert.False(t, isDue(t, s, "a", 1.7))
}

// A first guess counts until visits tell more.
func TestFirstGuess(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 10})
	_, err := s.Add(Page{ID: "a", ChangeRate: 7}, Page{ID: "b"})
	require.NoError(t, err)
	s = reopen(t, s)
	assert.EqualValues(t, 7, statusOf(t, s, "a").ChangeRate)
	require.NoError(t, s.Record(Visit{ID: "a", Time: after(1), Outcome: Found}))
	assert.EqualValues(t, 7, statusOf(t, s, "a").ChangeRate)
	require.NoError(t, s.Record(Visit{ID: "a", Time: after(9), Outcome: Unchanged}))
	assert.Less(t, statusOf(t, s, "a").ChangeRate, 5.)
	assert.Error(t, Page{ID: "a", ChangeRate: -1}.Validate())
}

// All URLs of a page are one page, if the store normalises them.
func TestNormalURLs(t *testing.T) {
	for _, normal := range []bool{false, true} {
		s := newStore(t, Settings{Bandwidth: 10, NormalURLs: normal})
		n, err := s.Add(Page{ID: "https://x"}, Page{ID: "https://X/"}, Page{ID: "https://x:443/#a"})
		require.NoError(t, err)
		assert.Equal(t, map[bool]int{false: 3, true: 1}[normal], n)
		require.NoError(t, s.Record(Visit{ID: "https://X/", Time: after(1), Outcome: Found}))
		statusOf(t, s, "https://x:443/#a")
		removed, err := s.Remove("https://x", "https://X/")
		require.NoError(t, err)
		assert.Equal(t, map[bool]int{false: 2, true: 1}[normal], removed)
		settings := s.Settings()
		settings.NormalURLs = !normal
		require.Error(t, s.Configure(settings))
	}
}
