// Package watch shows a crawler while it runs: metrics for Prometheus, and a live page.
//
// A [Watch] is told of each run as it begins; the [crawl.Observer] that it returns takes the
// run's events. Several pools of robots may run side by side. [Watch.Serve] answers at an address
// of this computer: the page at /, metrics at /metrics, the events that the page draws at /events,
// and "ok" at /healthz.
package watch

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// Run describes a run of a pool of robots. Rates and costs are per Unit. What is nil is not known,
// and is not shown.
type Run struct {
	Pool   string // a name, such as "adaptive"; runs of the same pool are counted together
	Robots int    // N
	Buffer int    // K, the page that is being indexed included
	Gamma  float64
	Unit   time.Duration
	Switch crawl.Switch // of which an [operate.Adaptive] also tells what it believes

	WarmUp time.Duration // at the beginning, which is not in the costs
	Length time.Duration // of the run, WarmUp included; 0 if nobody knows

	Policy *robots.Policy // of a pool that follows one

	// Functions that answer for the present. They are called a few times a second, and at once.
	Expected func() Expected // what the model knows
	Pages    func() Pages    // what the site knows of the copies in the index
}

// Expected is what the model expects, NaN where it expects nothing.
type Expected struct {
	Lambda, Mu float64 // the rates that the load has
	Cost       float64 // γS + L, at these rates
}

// Pages counts pages by what the index has of them.
type Pages struct {
	Fresh   int `json:"fresh"`   // the page as it is now
	Stale   int `json:"stale"`   // the page as it was before it changed
	Missing int `json:"missing"` // nothing
	Gone    int `json:"gone"`    // a page that the site has no more
}

// Watch follows pools of robots. Its methods may be called by any number of goroutines at once.
type Watch struct {
	registry *prometheus.Registry
	metrics  *metrics

	mu    sync.Mutex
	begin time.Time // of the first run
	pools []*live   // by name
	looks int       // at them
}

// New returns a watch that has seen nothing.
func New() *Watch {
	w := &Watch{registry: prometheus.NewRegistry()}
	w.metrics = newMetrics(w.registry)
	return w
}

// Begin tells that a run begins now, and that the last run of the same pool has ended. Its events
// go to the observer that it returns.
func (w *Watch) Begin(r Run) crawl.Observer {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if w.begin.IsZero() {
		w.begin = now
	}
	at, found := slices.BinarySearchFunc(w.pools, r.Pool, func(l *live, name string) int { return cmp.Compare(l.pool, name) })
	if !found {
		w.pools = slices.Insert(w.pools, at, newLive(r.Pool, w.begin, w.metrics.of(r.Pool)))
	}
	return w.pools[at].start(r, now)
}

// present returns the pools, and the number of looks at them so far.
func (w *Watch) present() (pools []*live, looks int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.pools), w.looks
}

// look looks at all pools, and keeps what it sees for the page.
func (w *Watch) look(now time.Time) {
	pools, _ := w.present()
	for _, l := range pools {
		l.keep(l.look(now))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks++
}
