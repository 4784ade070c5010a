package store

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var longRun = flag.Bool("store.long", false, "run tests at full length: a million pages, and a hundred processes that are killed")

// A store of many pages, each of which changes at a rate of its own, under load: visits
// of what is due, some pages that join and leave, rates near the best at any time. At full
// length it says how many visits a second one core records, and how many bytes a page
// takes.
func TestLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("24,000 visits, in one thread")
	}
	pages, visits, needed := 8000, 8000, 0.
	if *longRun {
		pages, visits, needed = 1_000_000, 300_000, 5000
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	}
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	s := newStore(t, Settings{Bandwidth: float64(pages) / 7})
	changeRate := func(page int) float64 { return 0.02 * float64(1+page*7919%100) }
	page := func(i int) Page {
		return Page{ID: fmt.Sprintf("https://host-%d.example/a/path/of/usual/length/page-%d.html", i%(pages/10), i), Weight: 0.5 + r.Float64()}
	}
	start := time.Now()
	const together = 10_000
	for first := 0; first < pages; first += together {
		batch := make([]Page, together)
		for i := range batch {
			batch[i] = page(first + i)
		}
		require.NoError(t, s.Put(batch...))
	}
	t.Logf("%d pages added in %.1f s", pages, time.Since(start).Seconds())

	const group = 500
	perPage := 7 * 24 * time.Hour / time.Duration(pages) // time per visit at the bandwidth
	number := map[string]int{}
	for i := range pages {
		number[page(i).ID] = i
	}
	last := make([]time.Time, pages)
	now := begin
	crawl := func(visits int) {
		for done := 0; done < visits; done += group {
			now = now.Add(group * perPage)
			due, err := s.Due(t.Context(), Request{Now: now, Most: group})
			require.NoError(t, err)
			batch := make([]Visit, len(due))
			for i, page := range due {
				n := number[page.ID]
				changed := r.ExpFloat64() < changeRate(n)*now.Sub(last[n]).Hours()/24
				last[n] = now
				batch[i] = Visit{ID: page.ID, Time: now, Outcome: Unchanged}
				if changed {
					batch[i].Outcome = Changed
				}
			}
			require.NoError(t, s.Record(batch...))
		}
	}
	begun := time.Now()
	_, err := s.Due(t.Context(), Request{Now: now, Most: 1})
	require.NoError(t, err)
	t.Logf("first solve and queue in %.1f s", time.Since(begun).Seconds())
	for range 3 {
		begun, cpu, before := time.Now(), cpuTime(), visitsOf(s)
		crawl(visits)
		recorded := visitsOf(s) - before
		rate := float64(recorded) / time.Since(begun).Seconds()
		t.Logf("%d visits: %.0f a second, %.1f µs of processor each", recorded, rate,
			(cpuTime()-cpu).Seconds()*1e6/float64(recorded))
		assert.GreaterOrEqual(t, rate, needed, "visits a second")
	}
	requireOptimalRates(t, s)
	clear(number)
	number, last = nil, nil
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	file, err := os.Stat(s.db.Path())
	require.NoError(t, err)
	t.Logf("%.0f bytes a page in memory, %.0f on disk", float64(memory.HeapAlloc)/float64(pages), float64(file.Size())/float64(pages))
	start = time.Now()
	s = reopen(t, s)
	_, err = s.Due(t.Context(), Request{Now: now, Most: 1})
	require.NoError(t, err)
	t.Logf("opened and ready in %.1f s", time.Since(start).Seconds())
}

// visitsOf returns how many visits there were.
func visitsOf(s *Store) (visits int) {
	for status, err := range s.Pages("") {
		if err != nil {
			return -1
		}
		visits += int(status.Visits)
	}
	return visits
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
