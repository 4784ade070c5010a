// This file tests what is measured of a run.

package watch

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/internal/confidence"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/operate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// runOf describes a run of a policy.
func runOf(pool string, c *operate.Controller, unit time.Duration) Run {
	p := c.Parameters()
	return Run{Pool: pool, Robots: p.Robots, Buffer: p.Buffer, Gamma: p.StarvationWeight, Unit: unit, Switch: c}
}

// measured is what the cost of a run is computed from, by another way: all events are kept.
type measured struct {
	begin  time.Time
	events []crawl.Event
}

func (m *measured) observe(e crawl.Event) { m.events = append(m.events, e) }

// cost returns γS + L between two times after the beginning.
func (m *measured) cost(from, to, unit time.Duration) float64 {
	empty, lost := time.Duration(0), 0
	since, isEmpty := time.Duration(0), true
	count := func(until time.Duration) {
		if isEmpty {
			empty += max(0, min(until, to)-max(since, from))
		}
		since = until
	}
	for _, e := range m.events {
		at := e.At.Sub(m.begin)
		count(at)
		isEmpty = e.Queue == 0
		if e.Kind == crawl.Lost && at > from && at <= to {
			lost++
		}
	}
	count(max(to, since))
	length := (to - from).Seconds()
	return figure7.StarvationWeight*empty.Seconds()/length + float64(lost)*unit.Seconds()/length
}

// TestLook compares all that is computed of a run with its events, added up another way, and
// with the exact cost of the policy. The half-width of this run's interval is 3 % of the cost.
func TestLook(t *testing.T) {
	const unit, horizon = 15 * time.Millisecond, 1000 * time.Second
	policy, gain := solved(t, figure7)
	exact, err := robots.Measure(context.Background(), policy)
	require.NoError(t, err)
	c := operate.NewController(policy)
	begin := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	w := New()
	l := newLive("paper", begin, w.metrics.of("paper"))
	all := &measured{begin: begin}
	observe := l.start(runOf("paper", c, unit), begin)
	require.NoError(t, play(c, unit, begin, horizon, func(e crawl.Event) { observe(e); all.observe(e) }, func(time.Time) {}))
	s := l.look(begin.Add(horizon))

	const tolerance = 1e-9 // sums of some 10⁵ float64 and of whole nanoseconds
	assert.InEpsilon(t, all.cost(0, horizon, unit), float64(s.Point.Cost), tolerance)
	assert.InEpsilon(t, all.cost(horizon-time.Minute, horizon, unit), float64(s.Minute), tolerance)
	half := float64(s.Point.High - s.Point.Cost)
	t.Logf("cost %.5f ± %.5f, exactly %.5f", s.Point.Cost, half, gain)
	assert.InDelta(t, gain, float64(s.Point.Cost), half)
	assert.Less(t, half, 0.05*gain)
	assert.InDelta(t, half, float64(s.Point.Cost-s.Point.Low), 1e-12)

	assert.InEpsilon(t, exact.RobotsMean, float64(s.RobotsMean), 0.02)
	total := 0.0
	for r, shares := range s.Occupancy {
		for q, share := range shares {
			total += float64(share)
			assert.InDelta(t, exact.Distribution[r][q], float64(share), 0.01, "%d robots, %d pages", r, q)
		}
	}
	assert.InDelta(t, 1, total, tolerance)
	queue, active := c.Counts()
	i, _ := l.instant(begin.Add(horizon), 0)
	assert.Equal(t, []int{queue, active}, []int{i.Queue, i.Active})
	assert.Equal(t, active, strings.Count(i.Robots, string(fetching)))
	assert.Equal(t, s.Delivered, s.Fetches["found"])
	assert.Equal(t, s.Delivered, s.Indexed+s.Lost+queue)
	curves := policy.Curves()[0]
	assert.Nil(t, s.Curves)
	l.run.Policy = policy
	assert.Equal(t, curves.Departure, l.look(begin.Add(horizon)).Curves.Departure)
}

// TestBatches holds the interval to that of batches of the same length made at once, and to none
// while there are few.
func TestBatches(t *testing.T) {
	b := batches{length: 1}
	var seconds []float64
	for n := 1; n <= 1000; n++ {
		cost := math.Sin(float64(n * n))
		seconds = append(seconds, cost)
		if n%b.length == 0 {
			sum := 0.0
			for _, c := range seconds[n-b.length:] {
				sum += c
			}
			b.add(sum / float64(b.length))
		}
		assert.Equal(t, n < leastBatches, math.IsNaN(b.halfWidth()), "%d seconds", n)
	}
	assert.Equal(t, 32, b.length) // 1000 seconds are 31 batches
	var costs []float64
	for i := range 31 {
		sum := 0.0
		for _, c := range seconds[32*i : 32*i+32] {
			sum += c
		}
		costs = append(costs, sum/32)
	}
	_, half := confidence.Mean(costs, 0.95)
	assert.InEpsilon(t, half, b.halfWidth(), 1e-9)
}

// TestHistory holds the points that are kept to an even spacing over the whole run.
func TestHistory(t *testing.T) {
	l := newLive("paper", time.Now(), New().metrics.of("paper"))
	for n := 1; n <= 5000; n++ {
		l.keep(view{Point: point{Time: number(n)}})
		require.Less(t, len(l.history), mostPoints)
	}
	assert.Equal(t, 16, l.stride)
	for i, p := range l.history {
		require.InDelta(t, 16*(i+1), float64(p.Time), 0)
	}
	assert.Len(t, l.history, 5000/16)
}

// TestRuns follows a pool through three runs with times to warm up, and another one beside it.
func TestRuns(t *testing.T) {
	const unit, warmUp, length = 15 * time.Millisecond, 3 * time.Second, 25*time.Second + 300*time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		policy, _ := solved(t, figure7)
		w := New()
		pools, _ := w.present()
		assert.Empty(t, pools)
		idle := runOf("additive", operate.NewController(policy), unit)
		idle.Length = 10 * time.Second
		w.Begin(idle)

		var costs []float64 // of the parts that are counted
		var late crawl.Observer
		for n := range 3 {
			c := operate.NewController(policy)
			r := runOf("paper", c, unit)
			r.WarmUp, r.Length = warmUp, length
			observe := w.Begin(r)
			all := &measured{begin: time.Now()}
			end := time.Now().Add(length)
			require.NoError(t, play(c, unit, time.Now(), length, func(e crawl.Event) { observe(e); all.observe(e) },
				func(at time.Time) { time.Sleep(time.Until(at)) }))
			costs = append(costs, all.cost(warmUp, length, unit))
			time.Sleep(time.Until(end) + time.Duration(n)*time.Second) // after the end, which is not counted
			if late != nil {
				late(crawl.Event{Kind: crawl.Lost, At: time.Now(), Queue: 5, Active: 1}) // of the run before
			}
			late = observe
		}
		time.Sleep(time.Minute)
		w.look(time.Now())
		pools, looks := w.present()
		assert.Equal(t, 1, looks)
		require.Len(t, pools, 2)
		additive, _ := pools[0].kept()
		assert.InDelta(t, figure7.StarvationWeight, float64(additive.Point.Cost), 1e-9)
		paper, _ := pools[1].kept()
		assert.Equal(t, 3, paper.Runs)
		assert.InDelta(t, (costs[0]+costs[1]+costs[2])/3, float64(paper.Point.Cost), 1e-9)
		assert.InDelta(t, 3*(length-warmUp).Seconds(), pools[1].tally.sums(time.Now()).Time, 1e-6)
		assert.Equal(t, 66, pools[1].tally.seconds)
		total := number(0)
		for _, shares := range paper.Occupancy {
			for _, share := range shares {
				total += share
			}
		}
		assert.InDelta(t, 1, float64(total), 1e-9)
		i, _ := pools[1].instant(time.Now(), 0)
		assert.NotEqual(t, 5, i.Queue, "the state of a run that has ended")
	})
}

// TestLearner has a pool that learns tell what it believes.
func TestLearner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		a, err := operate.NewAdaptive(ctx, figure7, operate.AdaptiveSettings{Synchronous: true})
		require.NoError(t, err)
		w := New()
		w.Begin(Run{Pool: "adaptive", Robots: 16, Buffer: 5, Gamma: 1.4, Unit: 10 * time.Millisecond, Switch: a})
		time.Sleep(time.Second)
		w.look(time.Now())
		pools, _ := w.present()
		assert.True(t, pools[0].describe().Learns)
		v, _ := pools[0].kept()
		b := a.Belief()
		assert.InEpsilon(t, b.ArrivalRates[0].Mean/0.01, float64(v.Point.Lambda), 1e-12)
		assert.InEpsilon(t, b.ServiceRate.Upper/0.01, float64(v.Point.MuHigh), 1e-12)
		assert.Equal(t, b.Policies, v.Belief.Policies)
		assert.Equal(t, b.Policy.Curves()[0].Arrival, v.Curves.Arrival)
		families := scrape(t, w)
		assert.InEpsilon(t, b.Gain, value(families, "crawler_promised_cost", "pool=adaptive"), 1e-12)
	})
}
