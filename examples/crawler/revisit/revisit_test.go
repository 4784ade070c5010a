package revisit_test

import (
	"context"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/examples/crawler/revisit"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

const day = 24 * time.Hour

var begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(days float64) time.Time { return begin.Add(time.Duration(days * float64(day))) }

// next requires a page.
func next(t *testing.T, c revisit.Chooser, now time.Time) string {
	t.Helper()
	id, wait, err := c.Next(now)
	require.NoError(t, err)
	require.NotEmpty(t, id, "it is to wait for %v", wait)
	return id
}

// choosers makes one of each kind, for 4 fetches a day.
func choosers(t *testing.T) map[string]revisit.Chooser {
	t.Helper()
	s, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "pages.db"), store.Settings{Bandwidth: 4})
	require.NoError(t, err)
	all := map[string]revisit.Chooser{
		"uniform":      revisit.NewUniform(),
		"proportional": revisit.NewProportional(),
		"known":        revisit.NewKnowing(4, func(string) float64 { return 1 }),
		"Nutch":        revisit.NewNutch(revisit.NutchDefaults().Scaled(day)),
		"store":        revisit.NewStore(s, 1),
	}
	for _, c := range all {
		t.Cleanup(func() { require.NoError(t, c.Close()) })
	}
	return all
}

// Every chooser fetches all pages, gives out none twice at a time, and goes on to fetch them.
func TestAllPagesInTurn(t *testing.T) {
	for name, c := range choosers(t) {
		t.Run(name, func(t *testing.T) {
			id, wait, err := c.Next(at(0))
			require.NoError(t, err)
			assert.Empty(t, id, "there are no pages")
			assert.Positive(t, wait)
			require.NoError(t, c.Add(at(0), revisit.Page{ID: "a"}, revisit.Page{ID: "b"}, revisit.Page{ID: "c"}, revisit.Page{ID: "d"}, revisit.Page{ID: "a"}))
			fetched := map[string]int{}
			first := next(t, c, at(0.25))
			now := 0.5
			for range 60 {
				id, _, err := c.Next(at(now))
				require.NoError(t, err)
				require.NotEqual(t, first, id, "it is being fetched")
				outcome := store.Unchanged
				if fetched[id] == 0 {
					outcome = store.Found
				}
				if fetched[id]++; id != "" {
					require.NoError(t, c.Fetched(id, at(now), outcome))
				}
				now += 0.25
				if now == 1 {
					require.NoError(t, c.Fetched(first, at(0.9), store.Found))
					fetched[first], first = 1, "none"
				}
			}
			for _, id := range []string{"a", "b", "c", "d"} {
				assert.Greater(t, fetched[id], 1, id)
			}
		})
	}
}

// A page that is gone is not fetched again, except by Nutch, where no page is gone for ever.
func TestGone(t *testing.T) {
	for name, c := range choosers(t) {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, c.Add(at(0), revisit.Page{ID: "a"}, revisit.Page{ID: "b"}))
			again := 0
			for slot := 1.0; slot < 40; slot++ {
				id, _, err := c.Next(at(slot / 4))
				require.NoError(t, err)
				switch id {
				case "":
					continue
				case "a":
					again++
					require.NoError(t, c.Fetched(id, at(slot/4), store.Gone))
				default:
					require.NoError(t, c.Fetched(id, at(slot/4), store.Found))
				}
			}
			if name == "Nutch" {
				assert.Greater(t, again, 1)
			} else {
				assert.Equal(t, 1, again)
			}
		})
	}
}

// What was not given out cannot have been fetched.
func TestFetchedWithoutNext(t *testing.T) {
	for name, c := range map[string]revisit.Chooser{"uniform": revisit.NewUniform(), "Nutch": revisit.NewNutch(revisit.NutchDefaults())} {
		require.NoError(t, c.Add(at(0), revisit.Page{ID: "a"}))
		assert.ErrorContains(t, c.Fetched("a", at(1), store.Found), "page a has not been given out", name)
		assert.ErrorContains(t, c.Fetched("b", at(1), store.Found), "page b has not been given out", name)
	}
}

// The shares of fetches are those of the rates: proportional to how often pages are seen to
// change, and where they are known the best ones, by which a page that changes all the time gets
// none.
func TestShares(t *testing.T) {
	crawl := func(c revisit.Chooser, changeDays map[string]float64) map[string]int {
		var pages []revisit.Page
		for _, id := range slices.Sorted(maps.Keys(changeDays)) {
			pages = append(pages, revisit.Page{ID: id})
		}
		require.NoError(t, c.Add(at(0), pages...))
		fetched, seen := map[string]int{}, map[string]float64{}
		for slot := range 4000 {
			now := float64(slot+1) / 4
			id := next(t, c, at(now))
			outcome := store.Unchanged
			if version := float64(int(now / changeDays[id])); version > seen[id] {
				outcome, seen[id] = store.Changed, version
			}
			if fetched[id]++; fetched[id] == 1 {
				outcome = store.Found
			}
			require.NoError(t, c.Fetched(id, at(now), outcome))
		}
		return fetched
	}
	equal := crawl(revisit.NewUniform(), map[string]float64{"a": 1, "b": 2, "c": 3})
	assert.InDelta(t, equal["a"], equal["c"], 1)
	proportional := crawl(revisit.NewProportional(), map[string]float64{"often": 4, "seldom": 40})
	assert.InEpsilon(t, 10, float64(proportional["often"])/float64(proportional["seldom"]), 0.25, "%v", proportional)
	known := crawl(revisit.NewKnowing(4, func(id string) float64 {
		return map[string]float64{"always": 100, "a": 1, "b": 1}[id]
	}), map[string]float64{"always": 0.01, "a": 1, "b": 1})
	assert.LessOrEqual(t, known["always"], 1, "%v", known)
	assert.InDelta(t, known["a"], known["b"], 1)
}

// A step of Nutch's rule, worked out by hand from its source with the settings that it comes with.
// The interval is 30 days at first.
func TestNutchRule(t *testing.T) {
	type step struct {
		outcome store.Outcome
		wait    float64 // days until it is due again
	}
	for name, steps := range map[string][]step{
		// Intervals 30, 0.8·30, 0.8·24.
		"modified": {{store.Found, 30}, {store.Changed, 24}, {store.Changed, 19.2}},
		// At day 30 the page is as 30 days before: the interval is 42 days, less 0.3·30 to be in
		// time. At day 63 it is as 63 days before: that is more than 1.4·42 = 58.8, less 0.3·63.
		"not modified": {{store.Found, 30}, {store.Unchanged, 33}, {store.Unchanged, 44.1}},
		// At day 107.1 the interval would be 107.1 days, more than 90: the copy is forgotten, the
		// interval is 81 days, and the fetch, which is due 107.1 − 0.3·107.1 days later, stays.
		// That one finds nothing to compare with.
		"too long": {{store.Found, 30}, {store.Unchanged, 33}, {store.Unchanged, 44.1}, {store.Unchanged, 74.97}, {store.Unchanged, 81}},
		// A day after each of two failures; after the third the interval of a page that is gone.
		"failed": {{store.Failed, 1}, {store.Failed, 1}, {store.Failed, 45}, {store.Failed, 67.5}, {store.Failed, 81}},
		"gone":   {{store.Gone, 45}, {store.Gone, 67.5}, {store.Gone, 81}, {store.Gone, 81}},
	} {
		t.Run(name, func(t *testing.T) {
			c := revisit.NewNutch(revisit.NutchDefaults())
			require.NoError(t, c.Add(at(0), revisit.Page{ID: "a"}))
			now := 0.0
			for i, s := range steps {
				require.Equal(t, "a", next(t, c, at(now)))
				require.NoError(t, c.Fetched("a", at(now), s.outcome))
				id, wait, err := c.Next(at(now))
				require.NoError(t, err)
				require.Empty(t, id, "step %d", i)
				assert.InDelta(t, s.wait, wait.Hours()/24, 1e-6, "step %d", i)
				now += wait.Hours() / 24
			}
		})
	}
}

// Of pages that are due, the one due for longest comes first, or the one of the greatest weight.
func TestNutchOrder(t *testing.T) {
	for byScore, want := range map[bool][]string{false: {"old", "light", "heavy"}, true: {"heavy", "old", "light"}} {
		settings := revisit.NutchDefaults()
		settings.ByScore = byScore
		c := revisit.NewNutch(settings)
		require.NoError(t, c.Add(at(0), revisit.Page{ID: "old"}))
		require.NoError(t, c.Add(at(1), revisit.Page{ID: "light"}, revisit.Page{ID: "heavy", Weight: 5}))
		for _, id := range want {
			assert.Equal(t, id, next(t, c, at(2)))
		}
	}
	settings := revisit.NutchDefaults()
	settings.Ahead = true
	c := revisit.NewNutch(settings)
	require.NoError(t, c.Add(at(0), revisit.Page{ID: "a"}))
	for slot := range 3 {
		require.Equal(t, "a", next(t, c, at(float64(slot))), "it is never idle")
		require.NoError(t, c.Fetched("a", at(float64(slot)), store.Unchanged))
	}
}

// However many robots ask, one page an interval is given out.
func TestPaced(t *testing.T) {
	c := revisit.NewPaced(revisit.NewUniform(), time.Hour)
	require.NoError(t, c.Add(begin, revisit.Page{ID: "a"}, revisit.Page{ID: "b"}))
	require.NotEmpty(t, next(t, c, begin))
	id, wait, err := c.Next(begin)
	require.NoError(t, err)
	assert.Empty(t, id)
	require.NotEmpty(t, next(t, c, begin.Add(wait)))
}

func ExampleNewUniform() {
	c := revisit.NewUniform()
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	if err := c.Add(now, revisit.Page{ID: "https://a.example/"}, revisit.Page{ID: "https://b.example/"}); err != nil {
		log.Fatal(err)
	}
	for range 4 {
		id, _, err := c.Next(now)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(id)
		if err := c.Fetched(id, now, store.Found); err != nil {
			log.Fatal(err)
		}
		now = now.Add(time.Hour)
	}
	// Output:
	// https://a.example/
	// https://b.example/
	// https://a.example/
	// https://b.example/
}

// Nutch waits until a page is due.
func ExampleNewNutch() {
	settings := revisit.NutchDefaults().Scaled(10 * time.Hour) // 10 hours in place of 30 days
	c := revisit.NewNutch(settings)
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	if err := c.Add(now, revisit.Page{ID: "https://a.example/"}); err != nil {
		log.Fatal(err)
	}
	for _, outcome := range []store.Outcome{store.Found, store.Changed, store.Changed} {
		id, _, _ := c.Next(now)
		if err := c.Fetched(id, now, outcome); err != nil {
			log.Fatal(err)
		}
		_, wait, _ := c.Next(now)
		fmt.Println(wait)
		now = now.Add(wait)
	}
	// Output:
	// 10h0m0s
	// 8h0m0s
	// 6h24m0s
}

// The store of an operator says what is due.
func ExampleNewStore() {
	folder, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	s, err := store.Create(context.Background(), filepath.Join(folder, "pages.db"), store.Settings{Bandwidth: 24})
	if err != nil {
		log.Panic(err)
	}
	c := revisit.NewStore(s, 1)
	defer func() { _ = c.Close() }()
	now := time.Now()
	if err := c.Add(now, revisit.Page{ID: "https://a.example/"}); err != nil {
		log.Panic(err)
	}
	id, _, err := c.Next(now)
	fmt.Println(id, err)
	// Output: https://a.example/ <nil>
}
