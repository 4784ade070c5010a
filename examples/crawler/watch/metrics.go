// This file declares the metrics for Prometheus. All have the label pool, and times and rates
// are in seconds, whatever the unit of time of the model is.

package watch

import (
	"math"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
)

// metrics are those of all pools.
type metrics struct {
	fetches                              *prometheus.CounterVec // by outcome
	delivered, lost, indexed, policies   *prometheus.CounterVec
	runs, runTime, starvation, robotTime *prometheus.CounterVec
	fetchTime, indexTime                 *prometheus.HistogramVec

	// Gauges whose values are not known are not there.
	queue, capacity, robots, unit, weight *prometheus.GaugeVec // robots by state
	cost, halfWidth, expected             *prometheus.GaugeVec // cost by window
	promised, regret                      *prometheus.GaugeVec // regret by bound
	believedDelivery, believedIndexing    *prometheus.GaugeVec // by bound
	trueDelivery, trueIndexing            *prometheus.GaugeVec
	pages                                 *prometheus.GaugeVec // by copy
}

func newMetrics(registry *prometheus.Registry) *metrics {
	with := promauto.With(registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return with.NewCounterVec(prometheus.CounterOpts{Namespace: "crawler", Name: name, Help: help}, append([]string{"pool"}, labels...))
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return with.NewGaugeVec(prometheus.GaugeOpts{Namespace: "crawler", Name: name, Help: help}, append([]string{"pool"}, labels...))
	}
	histogram := func(name, help string) *prometheus.HistogramVec {
		return with.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "crawler", Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(0.001, 2, 15), // 1 ms to 16 s
		}, []string{"pool"})
	}
	return &metrics{
		fetches:    counter("fetches_total", "Fetches that have ended, by outcome: found and changed deliver a page.", "outcome"),
		delivered:  counter("pages_delivered_total", "Pages that robots have brought to the queue, those that were lost included."),
		lost:       counter("pages_lost_total", "Pages that were thrown away because the queue was full."),
		indexed:    counter("pages_indexed_total", "Pages that have been indexed."),
		policies:   counter("policies_total", "Policies that a pool that learns has made."),
		runs:       counter("runs_total", "Runs that have begun."),
		runTime:    counter("run_seconds_total", "Time in which a run was under way."),
		starvation: counter("starvation_seconds_total", "Time in which the queue was empty and the indexer had nothing to do."),
		robotTime:  counter("robot_active_seconds_total", "Time in which robots were active, summed over robots."),
		fetchTime:  histogram("fetch_duration_seconds", "How long fetches took, those that failed included."),
		indexTime:  histogram("index_duration_seconds", "How long it took to index a page."),

		queue:     gauge("queue_pages", "Pages in the queue, the one that is being indexed included."),
		capacity:  gauge("queue_capacity_pages", "Pages that the queue has room for, the one that is being indexed included."),
		robots:    gauge("robots", "Robots by state: active, resting or dead.", "state"),
		unit:      gauge("time_unit_seconds", "Unit of time of the costs."),
		weight:    gauge("starvation_weight", "Gamma: what a unit of time with an empty queue costs; a lost page costs 1."),
		cost:      gauge("cost", "Cost per unit of time, gamma S + L, without times to warm up, in a window: all, or the last minute.", "window"),
		halfWidth: gauge("cost_half_width", "Half the width of the 95 % confidence interval of the cost in the window all."),
		expected:  gauge("expected_cost", "Cost per unit of time that the model expects at the rates that the load has now."),
		promised:  gauge("promised_cost", "Cost per unit of time that the policy in force has at the rates for which it was made."),
		regret: gauge("regret", "Cost per unit of time beyond what was promised, in the run so far, times to warm up included: "+
			"its mean, and the lower and the upper end of its confidence interval.", "bound"),
		believedDelivery: gauge("believed_delivery_rate",
			"Pages that an active robot delivers per second, as the pool believes: its mean, and the lower and the upper end of its confidence interval.", "bound"),
		believedIndexing: gauge("believed_indexing_rate",
			"Pages that are indexed per second of work, as the pool believes: its mean, and the lower and the upper end of its confidence interval.", "bound"),
		trueDelivery: gauge("true_delivery_rate", "Pages that an active robot delivers per second, as the load has it."),
		trueIndexing: gauge("true_indexing_rate", "Pages that are indexed per second of work, as the load has it."),
		pages:        gauge("site_pages", "Pages by what the index has of them: fresh, stale, missing, or gone from the site.", "copy"),
	}
}

// poolMetrics are the metrics of one pool.
type poolMetrics struct {
	all                                *metrics
	pool                               string
	fetches                            [crawl.Outcomes]prometheus.Counter
	delivered, lost, indexed, policies prometheus.Counter
	runTime, starvation, robotTime     prometheus.Counter
	fetchTime, indexTime               prometheus.Observer
	made                               int // policies, in this run
}

// of returns the metrics of a pool.
func (m *metrics) of(pool string) *poolMetrics {
	p := &poolMetrics{
		all: m, pool: pool,
		delivered: m.delivered.WithLabelValues(pool), lost: m.lost.WithLabelValues(pool),
		indexed: m.indexed.WithLabelValues(pool), policies: m.policies.WithLabelValues(pool),
		runTime: m.runTime.WithLabelValues(pool), starvation: m.starvation.WithLabelValues(pool), robotTime: m.robotTime.WithLabelValues(pool),
		fetchTime: m.fetchTime.WithLabelValues(pool), indexTime: m.indexTime.WithLabelValues(pool),
	}
	for o := range crawl.Outcomes {
		p.fetches[o] = m.fetches.WithLabelValues(pool, o.String())
	}
	return p
}

// start tells that a run begins.
func (p *poolMetrics) start() {
	p.all.runs.WithLabelValues(p.pool).Inc()
	p.made = 0
}

// setPolicies tells how many policies have been made in this run.
func (p *poolMetrics) setPolicies(n int) {
	p.policies.Add(float64(max(0, n-p.made)))
	p.made = n
}

// observe counts an event.
func (p *poolMetrics) observe(e crawl.Event) {
	switch e.Kind {
	case crawl.FetchEnded:
		p.fetches[e.Result.Outcome].Inc()
		if e.Result.Outcome != crawl.Disallowed {
			p.fetchTime.Observe(e.Result.Duration.Seconds())
		}
	case crawl.Delivered:
		p.delivered.Inc()
	case crawl.Lost:
		p.delivered.Inc()
		p.lost.Inc()
	case crawl.Indexed:
		p.indexed.Inc()
		p.indexTime.Observe(e.Duration.Seconds())
	case crawl.FetchBegun, crawl.RobotOn, crawl.RobotOff, crawl.RobotDied:
	}
}

// pass lets seconds pass.
func (p *poolMetrics) pass(seconds float64, queue, active int) {
	p.runTime.Add(seconds)
	p.robotTime.Add(seconds * float64(active))
	if queue == 0 {
		p.starvation.Add(seconds)
	}
}

// set sets a gauge, and takes it away if its value is not known.
func (p *poolMetrics) set(g *prometheus.GaugeVec, value float64, labels ...string) {
	labels = append([]string{p.pool}, labels...)
	if math.IsNaN(value) {
		g.DeleteLabelValues(labels...)
		return
	}
	g.WithLabelValues(labels...).Set(value)
}
