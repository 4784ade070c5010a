package trial

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/examples/crawler/site"
)

// settings are those of figure 7 of the paper, in runs of a length in units.
func settings(t *testing.T, load string, length int) Settings {
	t.Helper()
	l, err := ParseLoad(load)
	require.NoError(t, err)
	const unit = 10 * time.Millisecond
	return Settings{
		Robots: 16, Buffer: 5, StarvationWeight: 1.4, Unit: unit, ArrivalRate: 0.1, ServiceRate: 1,
		Load: l, WarmUp: 200 * unit, Length: time.Duration(length) * unit, Seed: 1, Synchronous: true,
	}
}

// virtual makes runs in virtual time, in which nothing depends on how fast the machine is.
func virtual(t *testing.T, s Settings, runs int, newIndex func(int) (crawl.Index, error)) *Comparison {
	t.Helper()
	var c *Comparison
	synctest.Test(t, func(t *testing.T) {
		var err error
		c, err = NewComparison(t.Context(), s)
		require.NoError(t, err)
		for range runs {
			require.NoError(t, c.Run(t.Context(), pipes{}, newIndex, nil))
		}
	})
	return c
}

func newStub(int) (crawl.Index, error) { return stub{}, nil }

// TestSteady is the claim: with the rates unknown to it, the adaptive policy costs less than the
// best fixed pool, as much as predicted. The whole crawler runs, HTTP included.
func TestSteady(t *testing.T) {
	c := virtual(t, settings(t, "steady", 1000), 10, newStub)
	c.Report(t.Output())
	d := c.Difference(3, 0)
	assert.Less(t, d.Mean+d.HalfWidth, 0.0)
	assert.Less(t, d.P, 1e-4)
	for i, pool := range c.Pools {
		if pool.Predict != nil {
			assert.True(t, c.Apart(i).Contains(0), "%s: %v", pool.Name, c.Apart(i))
		}
	}
	// The model's own figures: Table 1 of the paper for the fixed pool, its figure 7.
	for i, want := range map[int]float64{0: 0.4000, 2: 0.2592} {
		promised, err := c.Settings.Promised(t.Context(), c.Pools[i])
		require.NoError(t, err)
		assert.InDelta(t, want, promised, 0.5e-4)
	}
}

// TestJump has the site twice as fast for a third of the run. Nobody tells.
func TestJump(t *testing.T) {
	c := virtual(t, settings(t, "jump", 1500), 5, newStub)
	c.Report(t.Output())
	for i := range 3 {
		d := c.Difference(3, i)
		assert.Less(t, d.Mean+d.HalfWidth, 0.0, c.Pools[i].Name)
	}
}

// TestReal has the site fail, and pages that have not changed; Bleve indexes what the adaptive pool
// brings. The store decides what is fetched: pages that are gone, or that robots.txt forbids, once,
// and pages that change once a day more often than others.
func TestReal(t *testing.T) {
	s := settings(t, "steady", 500)
	s.Reality = Real
	x := newOutside(t)
	var c *Comparison
	lost := make([]map[string]int, 4)                       // fetches of pages that cannot be fetched, by pool
	often, seldom := make([]float64, 4), make([]float64, 4) // fetches of a page, on average
	synctest.Test(t, func(t *testing.T) {
		var err error
		c, err = NewComparison(t.Context(), s)
		require.NoError(t, err)
		newIndex := func(pool int) (crawl.Index, error) {
			if pool == 3 {
				return x, nil
			}
			return stub{}, nil
		}
		require.NoError(t, c.Run(t.Context(), pipes{}, newIndex, func(pool int, _ crawl.Switch, web *site.Site) crawl.Observer {
			lost[pool] = map[string]int{}
			daily := map[string]float64{} // 1 over the number of pages like it
			counts := map[bool]float64{}
			isDaily := func(p site.Page) bool { return p.ChangeRate*day*s.Unit.Seconds() > 0.5 }
			for _, p := range web.Pages() {
				if p.Lasts {
					counts[isDaily(p)]++
				}
			}
			for _, p := range web.Pages() {
				if p.Lasts && isDaily(p) {
					daily[p.URL] = 1 / counts[true]
				}
			}
			return func(e crawl.Event) {
				if e.Kind != crawl.FetchEnded {
					return
				}
				if e.Result.Outcome == crawl.Gone || e.Result.Outcome == crawl.Disallowed {
					lost[pool][e.URL]++
				} else if share := daily[e.URL]; share > 0 {
					often[pool] += share
				} else {
					seldom[pool] += 1 / counts[false]
				}
			}
		}))
	})
	c.Report(t.Output())
	for i, pool := range c.Pools {
		for _, o := range []crawl.Outcome{crawl.Failed, crawl.Unchanged, crawl.Changed} {
			assert.Positive(t, c.Runs[0][i].Sums.Fetches[o], "%s: %s", pool.Name, o)
		}
		assert.NotEmpty(t, lost[i])
		for url, times := range lost[i] {
			assert.Equal(t, 1, times, "%s: %s", pool.Name, url)
		}
	}
	t.Logf("pages that change daily were fetched %.1f times, others %.1f times", often[3], seldom[3])
	assert.Greater(t, often[3], 1.2*seldom[3])
	assert.Greater(t, x.count(t), uint64(100))
}

// TestRepeatable asks for the same run twice.
func TestRepeatable(t *testing.T) {
	s := settings(t, "daily", 300)
	first, second := virtual(t, s, 1, newStub), virtual(t, s, 1, newStub)
	for i := range first.Pools {
		a, b := first.Runs[0][i], second.Runs[0][i]
		if math.IsNaN(a.Predicted) {
			a.Predicted, b.Predicted = 0, 0
		}
		assert.Equal(t, a, b)
	}
}

func TestInterval(t *testing.T) {
	// Student's own data (The probable error of a mean, 1908): hours of sleep gained by ten
	// patients; t = 4.0621, p = 0.002833 with two sides, as R's t.test prints.
	c := &Comparison{}
	for _, x := range []float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4} {
		c.Runs = append(c.Runs, []Measured{{Cost: x}, {}})
	}
	d := c.Difference(0, 1)
	assert.InEpsilon(t, 0.002833, d.P, 1e-3)
	assert.InEpsilon(t, 1.58, d.Mean, 1e-12)
	assert.InEpsilon(t, 2.4598858-1.58, d.HalfWidth, 1e-6)
	assert.True(t, d.Contains(0.8))
	assert.False(t, d.Contains(0.6))
}

// TestLatencyMean wants answers of the same mean by either law, which Latencies is not to change.
func TestLatencyMean(t *testing.T) {
	for _, r := range []Reality{Plain, Latencies} {
		assert.InEpsilon(t, 0.25, r.latency(250*time.Millisecond).Mean(), 1e-12)
	}
}
