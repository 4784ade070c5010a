package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	optimal "github.com/mdpsolve/mdpsolve/models/refresh/rates"
)

// begin is a time from which tests count.
var begin = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

func after(days float64) time.Time { return begin.Add(time.Duration(days * float64(24*time.Hour))) }

func newStore(t testing.TB, settings Settings) *Store {
	t.Helper()
	s, err := Create(t.Context(), filepath.Join(t.TempDir(), "pages.db"), settings)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// reopen closes a store and opens it again.
func reopen(t testing.TB, s *Store) *Store {
	t.Helper()
	path := s.db.Path()
	require.NoError(t, s.Close())
	again, err := Open(t.Context(), path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, again.Close()) })
	return again
}

func statusOf(t testing.TB, s *Store, id string) Status {
	t.Helper()
	status, err := s.Page(id)
	require.NoError(t, err)
	return status
}

// What is recorded is there, also after the store has been closed.
func TestPagesAndVisits(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 10})
	added, err := s.Add(
		Page{ID: "https://A.example:443/1"}, Page{ID: "https://a.example/2", Weight: 3, Note: []byte("mine")},
		Page{ID: "b", Host: "b.example"}, Page{ID: "b"})
	require.NoError(t, err)
	assert.Equal(t, 3, added, "one is twice there")

	first, second := "https://A.example:443/1", "https://a.example/2"
	require.NoError(t, s.Record(
		Visit{ID: first, Time: after(1), Outcome: Changed},
		Visit{ID: first, Time: after(2), Outcome: Changed},
		Visit{ID: second, Time: after(1), Digest: []byte("x"), Outcome: Unchanged},
		Visit{ID: first, Time: after(3)},
		Visit{ID: first, Time: after(4), Outcome: Unchanged, Note: []byte("new")},
		Visit{ID: second, Time: after(3), Digest: []byte("y"), Outcome: Unchanged},
		Visit{ID: "b", Time: after(3), Outcome: Gone},
	))
	err = s.Record(
		Visit{ID: first, Time: after(4), Outcome: Changed},
		Visit{ID: "c", Time: after(4), Outcome: Changed},
		Visit{ID: second, Time: after(4), Digest: []byte("y"), Outcome: Changed},
		Visit{ID: second, Time: after(5), Outcome: 9},
	)
	require.ErrorIs(t, err, ErrNotLater)
	require.ErrorIs(t, err, ErrNoPage)
	var fault *VisitError
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, VisitError{0, first, ErrNotLater}, *fault)

	for range 2 {
		status := statusOf(t, s, first)
		assert.Equal(t, "a.example", status.Host)
		assert.Equal(t, after(4), status.Visited)
		assert.Equal(t, Unchanged, status.Outcome)
		assert.Equal(t, "new", string(status.Note))
		assert.Equal(t, []int64{4, 2, 1}, []int64{status.Visits, status.Seen, status.Changes}, "the failed visit tells nothing, the first one neither")

		status = statusOf(t, s, second)
		assert.Equal(t, []int64{3, 2, 1}, []int64{status.Visits, status.Seen, status.Changes})
		assert.Equal(t, Unchanged, status.Outcome)
		assert.InDelta(t, 3, status.Weight, 0)

		status = statusOf(t, s, "b")
		assert.Equal(t, Gone, status.Outcome)
		assert.Zero(t, status.Rate)
		_, err = s.Page("c")
		require.ErrorIs(t, err, ErrNoPage)
		assert.Equal(t, Counts{Pages: 3, Gone: 1}, s.Counts())
		s = reopen(t, s)
	}

	require.NoError(t, s.Put(Page{ID: "b", Weight: 2}))
	assert.Equal(t, Found, statusOf(t, s, "b").Outcome, "it has come back")
	removed, err := s.Remove("nothing", second)
	require.NoError(t, err)
	assert.Equal(t, 1, removed)
	_, err = s.Page(second)
	require.ErrorIs(t, err, ErrNoPage)
	assert.Equal(t, Counts{Pages: 2}, s.Counts())
	_, err = s.Add(Page{ID: "again"})
	require.NoError(t, err)
	assert.Equal(t, Counts{Pages: 3, Unvisited: 1}, reopen(t, s).Counts())
}

func TestWhatIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages.db")
	for _, settings := range []Settings{{}, {Bandwidth: math.NaN()}, {Bandwidth: 1, Objective: "best"}, {Bandwidth: 1, Objective: "discrete"}, {Bandwidth: 1, HostDelay: -1}, {Bandwidth: 1, GroupDelay: -1}} {
		_, err := Create(t.Context(), path, settings)
		require.Error(t, err)
		require.NoFileExists(t, path)
	}
	_, err := Open(t.Context(), path)
	require.Error(t, err)
	s, err := Create(t.Context(), path, Settings{Bandwidth: 1})
	require.NoError(t, err)
	_, err = Create(t.Context(), path, Settings{Bandwidth: 1})
	require.Error(t, err, "there is one")
	_, err = Open(t.Context(), path)
	require.ErrorIs(t, err, ErrInUse)
	for _, page := range []Page{{}, {ID: "a", Weight: -1}, {ID: "a", Weight: math.Inf(1)}, {ID: string(make([]byte, 40_000))}} {
		require.Error(t, s.Put(Page{ID: "good"}, page))
	}
	assert.Zero(t, s.Counts().Pages)
	for _, name := range []string{"", strings.Repeat("h", 1001), strings.Repeat("h", 40_000)} {
		require.ErrorIs(t, s.Block(name, after(1)), ErrHostName)
		require.ErrorIs(t, s.SetDelay(name, time.Second), ErrHostName)
	}
	require.Error(t, s.Configure(Settings{}))
	require.EqualError(t, s.Configure(Settings{Bandwidth: 1, Objective: "age"}), "store: the store has the objective fixed-order: make another store for age")
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Put(Page{ID: "a"}), ErrClosed)
	_, err = s.Page("a")
	require.ErrorIs(t, err, ErrClosed)
	_, err = s.Due(t.Context(), Request{Most: 1})
	require.ErrorIs(t, err, ErrClosed)
}

// Whoever goes through the pages does not keep others from writing, though the file grows,
// and comes across all pages that stay.
func TestPagesWhileOthersWrite(t *testing.T) {
	const pages = 5000
	s := newStore(t, Settings{Bandwidth: 10})
	note := make([]byte, 1000)
	for batch := range 10 {
		many := make([]Page, pages/10)
		for i := range many {
			many[i] = Page{ID: fmt.Sprintf("https://h%d.example/%d/%d", i%2, batch, i), Note: note}
		}
		require.NoError(t, s.Put(many...))
	}
	for host, want := range map[string]int{"": pages, "h1.example": pages / 2} {
		seen := map[string]bool{}
		for page, err := range s.Pages(host) {
			require.NoError(t, err)
			require.False(t, seen[page.ID], page.ID)
			seen[page.ID] = true
			if len(seen)%500 == 0 {
				written := make(chan error, 1)
				go func() { written <- s.Put(Page{ID: fmt.Sprint("later", host, len(seen)), Note: make([]byte, 4<<20)}) }()
				require.NoError(t, <-written)
			}
		}
		for id := range seen {
			if strings.HasPrefix(id, "later") {
				delete(seen, id)
			}
		}
		assert.Len(t, seen, want)
	}
}

// A file with nothing in it, not even by a Create that was killed, can be made a store. It
// stays as it is until then, and so do files of others.
func TestEmptyFiles(t *testing.T) {
	folder := t.TempDir()
	empty, killed, text := filepath.Join(folder, "empty"), filepath.Join(folder, "killed"), filepath.Join(folder, "text")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	require.NoError(t, os.WriteFile(text, []byte("id\n"), 0o600))
	db, err := bbolt.Open(killed, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	for _, path := range []string{empty, killed} {
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		_, err = Open(t.Context(), path)
		require.ErrorIs(t, err, ErrEmpty)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, before, after)
		s, err := Create(t.Context(), path, Settings{Bandwidth: 1})
		require.NoError(t, err)
		require.NoError(t, s.Put(Page{ID: "a"}))
		require.NoError(t, s.Close())
		_, err = Create(t.Context(), path, Settings{Bandwidth: 1})
		require.ErrorIs(t, err, fs.ErrExist)
		s, err = Open(t.Context(), path)
		require.NoError(t, err)
		assert.Equal(t, 1, s.Counts().Pages)
		require.NoError(t, s.Close())
	}
	_, err = Create(t.Context(), text, Settings{Bandwidth: 1})
	require.Error(t, err)
	content, err := os.ReadFile(text)
	require.NoError(t, err)
	assert.Equal(t, "id\n", string(content))
}

// A file that is damaged, or only a part of one, is an error, unless what is damaged holds
// nothing.
func TestDamagedFiles(t *testing.T) {
	const count, size = 300, 4096
	s := newStore(t, Settings{Bandwidth: 10})
	pages := make([]Page, count)
	for i := range pages {
		pages[i] = Page{ID: fmt.Sprintf("https://h%d.example/%d", i%7, i)}
	}
	require.NoError(t, s.Put(pages...))
	name := s.db.Path()
	require.NoError(t, s.Close())
	whole, err := os.ReadFile(name)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "damaged.db")
	opens := func(data []byte) bool {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		damaged, err := Open(t.Context(), path)
		if err != nil {
			return false
		}
		assert.Equal(t, count, damaged.Counts().Pages)
		require.NoError(t, damaged.Close())
		return true
	}
	require.True(t, opens(whole))
	outOfOrder := bytes.ReplaceAll(whole, []byte("https://h1.example/1"), []byte("zttps://h1.example/1"))
	for what, data := range map[string][]byte{"empty": nil, "a part": whole[:5*size], "text": []byte(strings.Repeat("no store", 5000)), "key": outOfOrder} {
		assert.False(t, opens(data), what)
	}
	refused := 0
	for at := 2 * size; at < len(whole); at += size {
		for _, fill := range []byte{0, 0xff} {
			data := slices.Clone(whole)
			copy(data[at:], bytes.Repeat([]byte{fill}, size))
			if !opens(data) {
				refused++
			}
		}
	}
	assert.Greater(t, refused, 10)
	_, err = Open(t.Context(), t.TempDir())
	require.Error(t, err)
}

// The rates that are listed are at any time those of a full solve, whatever has happened.
func TestRatesAreOptimal(t *testing.T) {
	for _, objective := range []string{"fixed-order", "random", "age", "harmonic"} {
		t.Run(objective, func(t *testing.T) { checkRatesAreOptimal(t, objective) })
	}
}

func checkRatesAreOptimal(t *testing.T, objective string) {
	const seed = 7
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	s := newStore(t, Settings{Bandwidth: 30, Objective: objective})
	now := begin
	for step := range 600 {
		id := fmt.Sprint("page ", r.IntN(200))
		now = now.Add(time.Duration(r.IntN(1_000_000)) * time.Millisecond)
		switch r.IntN(10) {
		case 0:
			require.NoError(t, s.Put(Page{ID: id, Host: id[5:6], Weight: 0.1 + r.Float64()}))
		case 1:
			_, err := s.Remove(id)
			require.NoError(t, err)
		case 2:
			require.NoError(t, s.Configure(Settings{Bandwidth: 10 + 40*r.Float64(), Objective: objective, HostDelay: time.Duration(r.IntN(8)) * time.Hour}))
		case 3:
			require.NoError(t, s.SetDelay(fmt.Sprint(r.IntN(10)), time.Duration(r.IntN(8)-1)*time.Hour))
		default:
			if err := s.Record(Visit{ID: id, Time: now, Outcome: Outcome(r.IntN(41) / 10)}); !errors.Is(err, ErrNoPage) {
				require.NoError(t, err)
			}
		}
		if step%20 == 0 {
			requireOptimalRates(t, s)
		}
	}
	requireOptimalRates(t, s)
	requireOptimalRates(t, reopen(t, s))
}

// requireOptimalRates compares the rates of a store with those of a solve from nothing,
// relative to the rate or the mean rate.
func requireOptimalRates(t testing.TB, s *Store) {
	t.Helper()
	got, want := s.ratesBeside(t)
	mean := s.Settings().Bandwidth / float64(max(len(got), 1))
	for i := range want {
		require.InDelta(t, want[i], got[i], 1e-9*max(want[i], mean))
	}
}

// ratesBeside returns the rates of a store, and those of a solve from nothing. A host with a
// delay has room for 1/delay visits.
func (s *Store) ratesBeside(t testing.TB) (got, want []float64) {
	t.Helper()
	objective, err := refresh.ParseObjective(s.Settings().Objective, nil)
	require.NoError(t, err)
	problem := refresh.Problem{
		Pages:     refresh.Pages{ChangeRates: []float64{}, Weights: []float64{}},
		Objective: objective, Bandwidth: s.Settings().Bandwidth,
	}
	hosts := map[string]int32{"": 0}
	problem.HostCaps = []float64{math.Inf(1)}
	for _, host := range s.Hosts() {
		hosts[host.Name] = int32(len(problem.HostCaps))
		problem.HostCaps = append(problem.HostCaps, 24/host.Delay.Hours())
	}
	for status, err := range s.Pages("") {
		require.NoError(t, err)
		if status.Outcome != Gone {
			problem.Pages.ChangeRates = append(problem.Pages.ChangeRates, status.ChangeRate)
			problem.Pages.Weights = append(problem.Pages.Weights, status.Weight)
			problem.Hosts = append(problem.Hosts, hosts[status.Host])
			got = append(got, status.Rate)
		}
	}
	solution, err := optimal.Optimize(context.Background(), problem, optimal.Settings{})
	require.NoError(t, err)
	return got, solution.Rates
}

// A crawler that visits what is due visits each page as often as its rate says, never
// two of a host or a registered domain within its delay, and, closed and opened between, goes on as if nothing
// had been.
func TestCrawlOfManyDays(t *testing.T) {
	const pages, hosts, domains, bandwidth, length = 50, 10, 5, 100., 20
	const delay, ofDomain = 4 * time.Minute, 3 * time.Minute
	s := newStore(t, Settings{Bandwidth: bandwidth, HostDelay: delay, GroupDelay: ofDomain})
	for i := range pages {
		require.NoError(t, s.Put(Page{ID: fmt.Sprint(i), Host: fmt.Sprintf("www%d.d%d.example", i%hosts, i%domains), Weight: 1 + float64(i%7)}))
	}
	visits := map[string]int{}
	owed := map[string]float64{}
	last := map[string]time.Time{}
	ctx := t.Context()
	step := time.Minute
	for now, i := begin, 0; now.Before(after(length)); now, i = now.Add(step), i+1 {
		if i%5000 == 4999 {
			s = reopen(t, s)
		}
		due, err := s.Due(ctx, Request{Now: now, Most: 1, Lease: time.Hour})
		require.NoError(t, err)
		for _, page := range due {
			if before, known := last[page.Host]; known {
				require.GreaterOrEqual(t, now.Sub(before), delay)
			}
			last[page.Host] = now
			_, domain, _ := strings.Cut(page.Host, ".")
			if before, known := last[domain]; known {
				require.GreaterOrEqual(t, now.Sub(before), ofDomain)
			}
			last[domain] = now
			visits[page.ID]++
			// A page that changes at the rate at which all are thought to change.
			outcome := Unchanged
			if visits[page.ID]%3 == 0 {
				outcome = Changed
			}
			require.NoError(t, s.Record(Visit{ID: page.ID, Time: now, Outcome: outcome}))
		}
		if i%60 == 0 {
			for status, err := range s.Pages("") {
				require.NoError(t, err)
				owed[status.ID] += status.Rate * 60 * step.Hours() / 24
			}
		}
	}
	all, most := 0, 0.
	for id, owed := range owed {
		all += visits[id]
		most = max(most, math.Abs(float64(visits[id])-owed))
	}
	t.Logf("%d visits, at most %.2f from rate × time", all, most)
	assert.Less(t, most, 1.5, "one, and half of one for the joining")
	assert.InDelta(t, bandwidth*length, all, pages)
}

// Pages that change at every visit are all about as much worth a visit: with next to no
// change of the multiplier they get many or none. The store gives out as many pages as the
// bandwidth has room for all the same.
func TestBandwidthIsUsed(t *testing.T) {
	const pages, bandwidth, slots = 60, 10, 1200
	s := newStore(t, Settings{Bandwidth: bandwidth})
	random := rand.New(rand.NewPCG(82, 1))
	changeRates, visited := map[string]float64{}, map[string]float64{}
	for i := range pages {
		page := Page{ID: fmt.Sprint(i)}
		changeRates[page.ID] = []float64{5, 5, 0.1, 0.02}[i%4]
		require.NoError(t, s.Put(page))
	}
	idle := 0
	for slot := range slots {
		now := float64(slot) / bandwidth
		due, err := s.Due(t.Context(), Request{Now: after(now), Most: 1})
		require.NoError(t, err)
		if len(due) == 0 {
			idle++
			continue
		}
		id := due[0].ID
		outcome := Unchanged
		if random.Float64() < -math.Expm1(-changeRates[id]*(now-visited[id])) {
			outcome = Changed
		}
		visited[id] = now
		require.NoError(t, s.Record(Visit{ID: id, Time: after(now), Outcome: outcome}))
	}
	assert.Less(t, idle, slots/100)
}

// Whatever was done before, a page is due once an interval of its rate has passed since
// its last visit, and where nothing holds its host back it is handed out then.
func TestAllThatIsDueIsHandedOut(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		pages := 10 + random.IntN(100)
		settings := func() Settings {
			return Settings{Bandwidth: float64(pages) * math.Exp(4*random.Float64()-3), HostDelay: []time.Duration{0, time.Hour, 1000 * time.Hour}[random.IntN(3)]}
		}
		s := newStore(t, settings())
		id := func(page int) string { return fmt.Sprintf("https://h%d.example/%d", page%7, page) }
		all := make([]Page, pages)
		for page := range all {
			all[page] = Page{ID: id(page), Weight: math.Exp(4 * random.Float64())}
		}
		require.NoError(t, s.Put(all...))
		now := 0.0
		for range 8 {
			switch random.IntN(6) {
			case 0:
				require.NoError(t, s.Configure(settings()))
			case 1:
				_, err := s.Remove(id(random.IntN(pages)))
				require.NoError(t, err)
			case 2:
				require.NoError(t, s.Put(Page{ID: id(random.IntN(pages))}))
			case 3:
				_, err := s.Due(t.Context(), Request{Now: after(now), Most: random.IntN(20)})
				require.NoError(t, err)
			default:
				var visits []Visit
				for range 3 * pages {
					now += random.Float64() / 20
					outcomes := []Outcome{Failed, Found, Unchanged, Unchanged, Changed}
					visits = append(visits, Visit{ID: id(random.IntN(pages)), Time: after(now), Outcome: outcomes[random.IntN(len(outcomes))]})
				}
				if err := s.Record(visits...); err != nil {
					require.ErrorIs(t, err, ErrNoPage)
				}
			}
		}
		last := s.Settings()
		last.HostDelay = 0
		require.NoError(t, s.Configure(last))
		s = reopen(t, s)
		now += math.Exp(8*random.Float64() - 4)
		due, err := s.Due(t.Context(), Request{Now: after(now), Most: pages})
		require.NoError(t, err)
		listed := map[string]bool{}
		for _, page := range due {
			listed[page.ID] = true
		}
		for page, err := range s.Pages("") {
			require.NoError(t, err)
			if age := after(now).Sub(page.Visited).Hours() / 24; page.Visited.IsZero() || page.Rate*age > 1+1e-6 {
				require.True(t, listed[page.ID], "seed %d: %+v", seed, page)
			}
		}
	}
}

// dueAt returns the IDs of what is due.
func dueAt(t testing.TB, s *Store, at float64) (ids []string) {
	t.Helper()
	pages, err := s.Due(t.Context(), Request{Now: after(at), Most: 100, Lease: time.Nanosecond})
	require.NoError(t, err)
	for _, page := range pages {
		ids = append(ids, page.ID)
	}
	return ids
}

// Pages are due one interval after their last visit, whatever the times of those before.
func TestDueOneIntervalAfterTheLastVisit(t *testing.T) {
	for _, test := range []struct {
		visits []float64
		due    float64
	}{
		{[]float64{0, 14, 28, 42}, 52},
		{[]float64{0, 11}, 21},
		{[]float64{0, 1, 2, 3}, 13},
		{[]float64{0, 3, 19, 20, 35.5}, 45.5},
		{[]float64{0, 95, 190, 191}, 201},
	} {
		s := newStore(t, Settings{Bandwidth: 0.1})
		require.NoError(t, s.Put(Page{ID: "a"}))
		for _, day := range test.visits {
			require.NoError(t, s.Record(Visit{ID: "a", Time: after(day), Outcome: Unchanged}))
		}
		for range 2 {
			last := test.visits[len(test.visits)-1]
			assert.Empty(t, dueAt(t, s, last+5./(24*60)), test)
			assert.Empty(t, dueAt(t, s, test.due-1e-3), test)
			assert.Equal(t, []string{"a"}, dueAt(t, s, test.due), test)
			due, overdue, err := s.Backlog(after(test.due + 9.9))
			require.NoError(t, err)
			assert.Equal(t, []int{1, 0}, []int{due, overdue}, test)
			_, overdue, err = s.Backlog(after(test.due + 10.1))
			require.NoError(t, err)
			assert.Equal(t, 1, overdue, test)
			s = reopen(t, s)
		}
	}
}

// A visit with a wrong time, years ahead, blocks nothing: not its host, not its page once the store
// is opened again, and not the next visit, from which the interval then counts.
func TestVisitInTheFuture(t *testing.T) {
	one, two := "https://a.example/1", "https://a.example/2"
	s := newStore(t, Settings{Bandwidth: 0.2, HostDelay: time.Hour})
	require.NoError(t, s.Put(Page{ID: one}, Page{ID: two}))
	require.NoError(t, s.Record(Visit{ID: one, Time: after(-1), Outcome: Found}, Visit{ID: one, Time: after(0), Outcome: Changed}))
	require.NoError(t, s.Record(Visit{ID: one, Time: after(3650), Outcome: Changed}, Visit{ID: two, Time: after(0), Outcome: Found}))
	s = reopen(t, s)
	assert.Equal(t, []string{one}, dueAt(t, s, 1))
	require.NoError(t, s.RecordAt(after(1), Visit{ID: one, Time: after(1), Outcome: Changed}))
	require.ErrorIs(t, s.RecordAt(after(1), Visit{ID: one, Time: after(1), Outcome: Changed}), ErrNotLater)
	require.ErrorIs(t, s.RecordAt(after(2), Visit{ID: one, Time: after(0.5), Outcome: Changed}), ErrNotLater)
	status := statusOf(t, s, one)
	assert.Equal(t, after(1), status.Visited)
	assert.Equal(t, []int64{4, 2}, []int64{status.Visits, status.Seen}, "how long the page was not visited is not known")
	for range 2 {
		interval := 1 / statusOf(t, s, one).Rate
		assert.NotContains(t, dueAt(t, s, 1+0.999*interval), one)
		assert.Contains(t, dueAt(t, s, 1+interval), one)
		s = reopen(t, s)
	}

	// Recorded by another process, without any request between.
	require.NoError(t, s.RecordAt(after(4000), Visit{ID: one, Time: after(4000), Outcome: Changed}))
	s = reopen(t, s)
	require.NoError(t, s.RecordAt(after(20), Visit{ID: one, Time: after(20), Outcome: Unchanged}))
	assert.Equal(t, after(20), statusOf(t, s, one).Visited)
}

// Where the clock is set back while the store is open, pages visited after that time count as
// visited then.
func TestClockIsSetBack(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 1})
	require.NoError(t, s.Put(Page{ID: "a"}))
	assert.Len(t, dueAt(t, s, 30), 1)
	require.NoError(t, s.Record(Visit{ID: "a", Time: after(30), Outcome: Found}))
	assert.Empty(t, dueAt(t, s, 30.5))
	assert.Empty(t, dueAt(t, s, 10))
	assert.Empty(t, dueAt(t, s, 10.9))
	assert.Len(t, dueAt(t, s, 11), 1)
	require.NoError(t, s.Record(Visit{ID: "a", Time: after(11), Outcome: Unchanged}))
	assert.Empty(t, dueAt(t, s, 11.9))
	assert.Len(t, dueAt(t, s, 12), 1)
}

// A page that is handed out is not handed out again until its lease ends.
func TestLeases(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 100})
	ctx := t.Context()
	require.NoError(t, s.Put(Page{ID: "a", Host: "x"}, Page{ID: "b", Host: "x"}, Page{ID: "c", Host: "y"}))
	due := func(at float64, r Request) (ids []string) {
		r.Now = after(at)
		pages, err := s.Due(ctx, r)
		require.NoError(t, err)
		for _, page := range pages {
			ids = append(ids, page.ID)
		}
		return ids
	}
	lease := Request{Most: 10, MostOfHost: 1, Lease: time.Hour}
	assert.ElementsMatch(t, []string{"a", "c"}, due(0, lease))
	assert.Equal(t, 2, s.Counts().HandedOut)
	assert.Equal(t, []string{"b"}, due(0, lease))
	assert.Empty(t, due(0.01, lease))
	require.NoError(t, s.Record(Visit{ID: "b", Time: after(0.01), Outcome: Changed}))
	assert.Equal(t, 2, s.Counts().HandedOut)
	assert.Subset(t, due(0.05, Request{Most: 10, Lease: time.Hour}), []string{"a", "c"}, "no visit was recorded within an hour")
	require.NoError(t, s.Block("y", after(1)))
	require.NoError(t, s.Record(Visit{ID: "c", Time: after(0.05), Outcome: Failed}))
	host, _ := s.Host("y")
	assert.Equal(t, Host{Name: "y", Ready: after(1), Until: after(1), Pages: 1}, host)
	assert.NotContains(t, due(0.9, Request{Most: 10}), "c")
	assert.Equal(t, []string{"c"}, due(1, Request{Most: 10, Host: "y"}))
	assert.Empty(t, due(1, Request{Most: 10, Host: "z"}))
	require.NoError(t, s.Block("y", time.Unix(math.MaxInt64, 0)))
	assert.Empty(t, due(1000, Request{Most: 10, Host: "y"}))
	require.NoError(t, s.Block("y", time.Unix(math.MinInt64, 0)))
	assert.Equal(t, []string{"c"}, due(1001, Request{Most: 10, Host: "y"}))
	for _, never := range []time.Time{time.Unix(math.MinInt64, 0), time.Unix(0, 0), {}} {
		require.NoError(t, s.Block("y", never))
		host, _ = s.Host("y")
		assert.Zero(t, host.Until, "%d seconds since 1970", never.Unix())
	}
}

// A host keeps its delay although the clock was set back.
func TestDelayWhereTheClockIsSetBack(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 100, HostDelay: time.Hour})
	require.NoError(t, s.Put(Page{ID: "a", Host: "x"}, Page{ID: "b", Host: "y"}, Page{ID: "c", Host: "y"}))
	due := func(host string, now time.Time) int {
		pages, err := s.Due(t.Context(), Request{Now: now, Most: 10, Host: host})
		require.NoError(t, err)
		return len(pages)
	}
	assert.Equal(t, 1, due("x", after(10)))
	assert.Equal(t, 1, due("y", after(9)))
	assert.Zero(t, due("y", after(9).Add(time.Minute)))
	assert.Equal(t, 1, due("y", after(10).Add(time.Hour)))
}

// A page that is removed while it is handed out leaves its host free.
func TestRemoveWhileHandedOut(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 100})
	require.NoError(t, s.Put(Page{ID: "a", Host: "x"}, Page{ID: "b", Host: "x"}))
	lease := Request{Now: after(0), Most: 10, MostOfHost: 1, Lease: time.Hour}
	first, err := s.Due(t.Context(), lease)
	require.NoError(t, err)
	require.Len(t, first, 1)
	_, err = s.Remove(first[0].ID)
	require.NoError(t, err)
	assert.Zero(t, s.Counts().HandedOut)
	lease.Now = after(1)
	second, err := s.Due(t.Context(), lease)
	require.NoError(t, err)
	assert.Len(t, second, 1)
	assert.NotEqual(t, first[0].ID, second[0].ID)
}

// A log that is recorded at once leaves the page due when the same visits one by one do.
func TestVisitsRecordedAtOnce(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 1})
	due := func(at float64) int {
		pages, err := s.Due(t.Context(), Request{Now: after(at), Most: 1, Lease: time.Nanosecond})
		require.NoError(t, err)
		return len(pages)
	}
	require.NoError(t, s.Put(Page{ID: "daily"}))
	require.NoError(t, s.Record(Visit{ID: "daily", Time: after(0), Outcome: Changed}))
	var log []Visit
	for day := range 20 {
		log = append(log, Visit{ID: "daily", Time: after(float64(day + 1)), Outcome: Changed})
	}
	require.NoError(t, s.Record(log...))
	for range 2 {
		assert.Zero(t, due(20.9), "its interval is a day, and the last visit was on day 20")
		assert.Equal(t, 1, due(21.1))
		s = reopen(t, s)
	}
}

// A host that is handed out gets its delay, also when it gets another delay before the
// visit is recorded.
func TestDelayIsSetWhileHandedOut(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 100, HostDelay: time.Hour})
	require.NoError(t, s.Put(Page{ID: "a", Host: "x"}, Page{ID: "b", Host: "x"}))
	due := func(at time.Duration) int {
		pages, err := s.Due(t.Context(), Request{Now: begin.Add(at), Most: 10})
		require.NoError(t, err)
		return len(pages)
	}
	assert.Equal(t, 1, due(0))
	require.NoError(t, s.SetDelay("x", 2*time.Hour))
	assert.Zero(t, due(time.Hour))
	require.NoError(t, s.Block("x", time.Time{}))
	assert.Zero(t, due(time.Hour))
	require.NoError(t, s.Configure(Settings{Bandwidth: 100, HostDelay: time.Minute}))
	require.NoError(t, s.SetDelay("x", -1))
	assert.Equal(t, 1, due(time.Hour), "the store's delay counts from when the page was handed out")
}

// Goroutines that record at the same time all get their visits to the disk.
func TestRecordTogether(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 100})
	const goroutines, each = 20, 20
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			id := fmt.Sprint("page ", g)
			assert.NoError(t, s.Put(Page{ID: id}))
			for i := range each {
				assert.NoError(t, s.Record(Visit{ID: id, Time: after(float64(i)), Outcome: Changed}))
				_, err := s.Due(t.Context(), Request{Now: after(float64(i)), Most: 3})
				assert.NoError(t, err)
			}
		})
	}
	group.Wait()
	s = reopen(t, s)
	for g := range goroutines {
		assert.Equal(t, int64(each), statusOf(t, s, fmt.Sprint("page ", g)).Visits)
	}
}

// A page may be visited before the goroutine that adds it knows that it is there.
func TestVisitsOfPagesThatAreBeingAdded(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 100})
	var group sync.WaitGroup
	for i := range 200 {
		id := fmt.Sprint("page ", i)
		group.Go(func() { assert.NoError(t, s.Put(Page{ID: id})) })
		group.Go(func() {
			if err := s.Record(Visit{ID: id, Time: begin, Outcome: Changed}); !errors.Is(err, ErrNoPage) {
				assert.NoError(t, err)
			}
		})
	}
	group.Wait()
	assert.Equal(t, 200, s.Counts().Pages)
	requireOptimalRates(t, s)
}

// Visits that tell nothing of changes do not make the store believe that it knows pages,
// neither before nor after it is opened again.
func TestFailuresTeachNothing(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 10})
	require.NoError(t, s.Put(Page{ID: "a"}, Page{ID: "down"}))
	for day := range 200 {
		require.NoError(t, s.Record(Visit{ID: "down", Time: after(float64(day)), Outcome: Failed}))
	}
	require.NoError(t, s.Record(Visit{ID: "a", Time: after(0), Outcome: Found}, Visit{ID: "a", Time: after(1), Outcome: Changed}))
	for range 2 {
		require.NoError(t, s.Learn(t.Context()))
		assert.InDelta(t, 5, statusOf(t, s, "down").ChangeRate, 1e-12, "10 visits for 2 pages")
		s = reopen(t, s)
	}
}

// A prior is fitted to what all pages have shown: it is what is believed of a page that
// was never visited, and moves those that were visited little, however long before it.
func TestPriorIsLearned(t *testing.T) {
	const seed, pages, visits, mean = 11, 400, 4, 0.5
	r := rand.New(rand.NewPCG(seed, 0))
	s := newStore(t, Settings{Bandwidth: 1000})
	logs := make([]estimate.AccessLog, pages)
	for i := range pages {
		id := fmt.Sprint("page ", i)
		require.NoError(t, s.Put(Page{ID: id}))
		require.NoError(t, logs[i].Take(0, Found, nil))
		rate := mean * r.ExpFloat64() // a gamma law of shape 1
		log := []Visit{{ID: id, Time: begin, Outcome: Found}}
		for visit := range visits {
			log = append(log, Visit{ID: id, Time: after(float64(visit + 1)), Outcome: Unchanged})
			if r.ExpFloat64() < rate {
				log[visit+1].Outcome = Changed
			}
			require.NoError(t, logs[i].Take(float64(visit+1), log[visit+1].Outcome, nil))
		}
		require.NoError(t, s.Record(log...))
	}
	require.NoError(t, s.Put(Page{ID: "new"}))
	assert.InDelta(t, 1000./(pages+1), statusOf(t, s, "new").ChangeRate, 0.3, "as often as pages are visited")
	_, err := s.Due(t.Context(), Request{Now: after(10), Most: 1})
	require.NoError(t, err)
	learned := statusOf(t, s, "new").ChangeRate
	assert.InEpsilon(t, mean, learned, 0.15, "three standard errors of the mean of 400 exponential rates")
	histories := make([]*estimate.History, pages)
	for i := range logs {
		histories[i] = logs[i].History()
	}
	prior, err := estimate.Fit(t.Context(), histories, 1)
	require.NoError(t, err)
	for i, history := range histories {
		assert.InEpsilon(t, prior.After(history).Mean, statusOf(t, s, fmt.Sprint("page ", i)).ChangeRate, 1e-9, "recorded before there was a prior")
	}
	require.NoError(t, s.Record(Visit{ID: "page 0", Time: after(20), Outcome: Changed}))
	requireOptimalRates(t, s)
	s = reopen(t, s)
	assert.InDelta(t, learned, statusOf(t, s, "new").ChangeRate, 0)
	requireOptimalRates(t, s)
}

// Whoever goes through the pages learns of what ends that early, as the last thing.
func TestPagesYieldsErrors(t *testing.T) {
	through := func(s *Store, each func()) (ids []string, errs []error) {
		for page, err := range s.Pages("") {
			if err != nil {
				errs = append(errs, err)
				continue
			}
			require.Empty(t, errs, "an error is the last thing")
			ids = append(ids, page.ID)
			each()
		}
		return ids, errs
	}
	nothing := func() {}

	s := newStore(t, Settings{Bandwidth: 10})
	require.NoError(t, s.Put(Page{ID: "a"}, Page{ID: "b"}, Page{ID: "c"}))
	require.NoError(t, s.write(func(c *change) error {
		number, _, err := c.find("b")
		if err != nil {
			return err
		}
		return c.pages.put(key(number), []byte("damaged"))
	}))
	ids, errs := through(s, nothing)
	assert.Equal(t, []string{"a"}, ids)
	require.Len(t, errs, 1)
	require.Error(t, errs[0])

	s = newStore(t, Settings{Bandwidth: 10})
	require.NoError(t, s.Put(Page{ID: "a"}, Page{ID: "b"}))
	ids, errs = through(s, func() { require.NoError(t, s.Close()) })
	assert.Equal(t, []string{"a"}, ids)
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], ErrClosed)

	s = newStore(t, Settings{Bandwidth: 10})
	require.NoError(t, s.Put(Page{ID: "a"}))
	s.settings.Bandwidth = math.NaN() // for which there are no best rates
	ids, errs = through(s, nothing)
	assert.Empty(t, ids)
	require.Len(t, errs, 1)
}

// Rates are found anew where there are none, where more than 1 % of their sum has moved, and
// where less has, once that is more than an hour ago.
func TestRatesAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		found := &optimal.Solution{Used: 200}
		for _, test := range []struct {
			last  *optimal.Solution
			moved float64
			age   time.Duration
			due   bool
		}{
			{nil, 0, 0, true},
			{found, 0, 0, false},
			{found, 0, 48 * time.Hour, false},
			{found, 2, 0, false},
			{found, 2.001, 0, true},
			{found, 1e-9, time.Hour, false},
			{found, 1e-9, time.Hour + 1, true},
		} {
			r := rates{last: test.last, moved: test.moved, at: time.Now().Add(-test.age)}
			assert.Equal(t, test.due, r.areDue(), "%v moved, %v ago", test.moved, test.age)
		}
	})
}
