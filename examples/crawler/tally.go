// This file counts what the crawler does, and shows it to Prometheus.

package main

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/mdpsolve/mdpsolve/models/refresh/store"
	"github.com/mdpsolve/mdpsolve/models/robots/controller"
)

// sums are integrals over time, in seconds, and counts.
type sums struct {
	time, empty      float64 // all of it, and that with an empty queue
	active           float64 // ∫ active robots dt
	lost, indexed    int
	outcomes         [store.Gone + 1]int // fetches
	queue, robotsNow int                 // pages and active robots now
}

// fetches returns the number of fetches.
func (s *sums) fetches() int {
	total := 0
	for _, n := range s.outcomes {
		total += n
	}
	return total
}

// tally keeps the sums of a crawl.
type tally struct {
	mu   sync.Mutex
	last time.Time
	sums sums
}

func newTally(begin time.Time) *tally { return &tally{last: begin} }

// now returns the sums up to a time.
func (t *tally) now(at time.Time) sums {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass(at)
	return t.sums
}

// pass lets time pass with the queue and the robots as they are.
func (t *tally) pass(to time.Time) {
	passed := to.Sub(t.last).Seconds()
	if passed <= 0 {
		return
	}
	t.last = to
	t.sums.time += passed
	if t.sums.queue == 0 {
		t.sums.empty += passed
	}
	t.sums.active += passed * float64(t.sums.robotsNow)
}

// set says how many pages are in the queue and how many robots are active from a time on.
func (t *tally) set(at time.Time, queue, active int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass(at)
	t.sums.queue, t.sums.robotsNow = queue, active
}

func (t *tally) fetched(outcome store.Outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sums.outcomes[outcome]++
}

func (t *tally) delivered(at time.Time, queue, active int, accepted bool) {
	t.set(at, queue, active)
	if !accepted {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.sums.lost++
	}
}

func (t *tally) indexed(at time.Time, queue, active int) {
	t.set(at, queue, active)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sums.indexed++
}

// metricsServer serves the counts, and what the controller believes, at /metrics.
func metricsServer(counts *tally, control *controller.Adaptive, unit time.Duration) *http.Server {
	registry := prometheus.NewRegistry()
	registry.MustRegister(&collector{counts, control, unit})
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
}

// collector is a [prometheus.Collector]. Times and rates are in seconds.
type collector struct {
	counts  *tally
	control *controller.Adaptive
	unit    time.Duration
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("crawler_"+name, help, labels, nil)
}

var (
	fetchesTotal = describe("fetches_total", "Fetches that have ended, by outcome.", "outcome")
	lostTotal    = describe("pages_lost_total", "Pages thrown away because the queue was full.")
	indexedTotal = describe("pages_indexed_total", "Pages that have been indexed.")
	starvation   = describe("starvation_seconds_total", "Time in which the queue was empty.")
	robotTime    = describe("robot_active_seconds_total", "Time in which robots were active, summed over robots.")
	queueNow     = describe("queue_pages", "Pages in the queue, the one being indexed included.")
	robotsNow    = describe("robots_active", "Active robots.")
	arrivals     = describe("believed_delivery_rate", "Pages that an active robot delivers per second, as learnt.")
	services     = describe("believed_indexing_rate", "Pages indexed per second of work, as learnt.")
	policies     = describe("policies_total", "Policies made so far.")
)

// Describe implements [prometheus.Collector].
func (c *collector) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, to) }

// Collect implements [prometheus.Collector].
func (c *collector) Collect(to chan<- prometheus.Metric) {
	s, b := c.counts.now(time.Now()), c.control.Belief()
	send := func(d *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, kind, value, labels...)
	}
	for i, n := range s.outcomes {
		send(fetchesTotal, prometheus.CounterValue, float64(n), store.Outcome(i).String())
	}
	send(lostTotal, prometheus.CounterValue, float64(s.lost))
	send(indexedTotal, prometheus.CounterValue, float64(s.indexed))
	send(starvation, prometheus.CounterValue, s.empty)
	send(robotTime, prometheus.CounterValue, s.active)
	send(queueNow, prometheus.GaugeValue, float64(s.queue))
	send(robotsNow, prometheus.GaugeValue, float64(s.robotsNow))
	send(arrivals, prometheus.GaugeValue, b.ArrivalRates[0].Mean/c.unit.Seconds())
	send(services, prometheus.GaugeValue, b.ServiceRate.Mean/c.unit.Seconds())
	send(policies, prometheus.CounterValue, float64(b.Policies))
}
