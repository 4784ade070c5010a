// This file says what a pool looks like at one instant, to the page and to Prometheus.

package watch

import (
	"bytes"
	"encoding/json"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/operate"
)

// number is a number that may be NaN, which is null in JSON.
type number float64

// MarshalJSON implements [json.Marshaler].
func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// description is what hardly changes, and the curves so far.
type description struct {
	Pool    string  `json:"pool"`
	Robots  int     `json:"robots"`
	Buffer  int     `json:"buffer"`
	Gamma   number  `json:"gamma"`
	Unit    number  `json:"unit"` // seconds
	Learns  bool    `json:"learns"`
	History []point `json:"history"`
}

// point is a place on the curves. Costs are per unit of time, rates per second.
type point struct {
	Time     number `json:"time"` // seconds since the first run began
	Cost     number `json:"cost"` // so far, with its confidence interval
	Low      number `json:"low"`
	High     number `json:"high"`
	Expected number `json:"expected"`

	Lambda     number `json:"lambda"`
	LambdaLow  number `json:"lambdaLow"`
	LambdaHigh number `json:"lambdaHigh"`
	LambdaTrue number `json:"lambdaTrue"`
	Mu         number `json:"mu"`
	MuLow      number `json:"muLow"`
	MuHigh     number `json:"muHigh"`
	MuTrue     number `json:"muTrue"`
}

// view is what the page gets a few times a second of each pool.
type view struct {
	Point      point          `json:"point"`
	Runs       int            `json:"runs"`
	Minute     number         `json:"minute"` // cost in the last minute
	RobotsMean number         `json:"robotsMean"`
	Starvation number         `json:"starvation"`
	LossRate   number         `json:"lossRate"` // per unit of time
	Delivered  int            `json:"delivered"`
	Lost       int            `json:"lost"`
	Indexed    int            `json:"indexed"`
	Fetches    map[string]int `json:"fetches"`
	Occupancy  [][]number     `json:"occupancy"` // shares of time, [active][queue]
	Curves     *curves        `json:"curves"`
	Belief     *belief        `json:"belief"`
	Pages      *Pages         `json:"pages"`
}

// curves are the switching curves of the policy in force.
type curves struct {
	Departure []int `json:"departure"`
	Arrival   []int `json:"arrival"`
}

// belief is what else a pool that learns tells of the present run.
type belief struct {
	Policies   int    `json:"policies"`
	Regret     number `json:"regret"` // per unit of time, with its confidence interval
	RegretLow  number `json:"regretLow"`
	RegretHigh number `json:"regretHigh"`
	promised   float64
	lambda, mu operate.Rate
}

// instant is what the page gets many times a second of each pool.
type instant struct {
	Queue  int    `json:"queue"`
	Active int    `json:"active"`
	Robots string `json:"robots"` // a digit for each: its state
	Moves  []move `json:"moves"`  // since the last instant, the latest ones
}

// describe returns the description of a pool.
func (l *live) describe() description {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.run
	_, learns := r.Switch.(learner)
	return description{
		Pool: r.Pool, Robots: r.Robots, Buffer: r.Buffer, Gamma: number(r.Gamma), Unit: number(r.Unit.Seconds()),
		Learns: learns, History: append([]point{}, l.history...),
	}
}

// instant returns the present, and the moves after those that have been seen.
func (l *live) instant(now time.Time, seen int) (i instant, moved int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pass(now)
	i = instant{Queue: l.queue, Active: l.active, Robots: string(l.robots), Moves: []move{}}
	for n := max(seen, l.moved-keptMoves); n < l.moved; n++ {
		i.Moves = append(i.Moves, l.moves[n%keptMoves])
	}
	return i, l.moved
}

// learner is what an [operate.Adaptive] can.
type learner interface {
	Belief() operate.Belief
	Performance() operate.Performance
}

// asked is what a run has answered.
type asked struct {
	expected Expected
	policy   *robots.Policy
	belief   *belief
	pages    *Pages
}

// ask asks a run. Its switch and its functions may wait for a crawler that waits for this package,
// so no lock of the pool is held.
func (r Run) ask() asked {
	nan := math.NaN()
	a := asked{expected: Expected{nan, nan, nan}, policy: r.Policy}
	if r.Expected != nil {
		a.expected = r.Expected()
	}
	if r.Pages != nil {
		pages := r.Pages()
		a.pages = &pages
	}
	if s, learns := r.Switch.(learner); learns {
		b, p := s.Belief(), s.Performance()
		a.policy = b.Policy
		a.belief = &belief{
			Policies: b.Policies, lambda: b.ArrivalRates[0], mu: b.ServiceRate, promised: b.Gain,
			Regret: number(p.Regret.Mean), RegretLow: number(p.Regret.Mean - p.Regret.HalfWidth), RegretHigh: number(p.Regret.Mean + p.Regret.HalfWidth),
		}
	}
	return a
}

// switchingCurves returns the curves of a policy, nil if there is none.
func switchingCurves(p *robots.Policy) *curves {
	if p == nil {
		return nil
	}
	c := p.Curves()
	if len(c) != 1 { // several classes of robots, or phases of services
		return nil
	}
	return &curves{c[0].Departure, c[0].Arrival}
}

// look looks at a pool, and sets its gauges for Prometheus.
func (l *live) look(now time.Time) view {
	l.mu.Lock()
	run := l.run
	l.mu.Unlock()
	a := run.ask()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pass(now)
	sums := l.tally.sums(now)
	unit := l.tally.unit
	s := view{
		Point: l.point(now, sums, a), Runs: l.runs, Minute: number(l.tally.lastMinute(sums)),
		RobotsMean: number(sums.RobotsMean()), Starvation: number(sums.Starvation()), LossRate: number(sums.LossRate() * unit),
		Delivered: sums.Delivered, Lost: sums.Lost, Indexed: sums.Indexed, Fetches: map[string]int{},
		Curves: switchingCurves(a.policy), Belief: a.belief, Pages: a.pages,
	}
	for o := range crawl.Outcomes {
		s.Fetches[o.String()] = sums.Fetches[o]
	}
	for _, times := range l.occupancy {
		shares := make([]number, len(times))
		for q, t := range times {
			shares[q] = number(t / sums.Time)
		}
		s.Occupancy = append(s.Occupancy, shares)
	}
	l.setGauges(s)
	return s
}

func (l *live) point(now time.Time, sums crawl.Sums, a asked) point {
	cost, half, unit := l.tally.cost(sums), l.tally.batches.halfWidth(), l.tally.unit
	nan := number(math.NaN())
	p := point{
		Time: number(now.Sub(l.begin).Seconds()), Cost: number(cost), Low: number(cost - half), High: number(cost + half),
		Expected: number(a.expected.Cost), LambdaTrue: number(a.expected.Lambda / unit), MuTrue: number(a.expected.Mu / unit),
		Lambda: nan, LambdaLow: nan, LambdaHigh: nan, Mu: nan, MuLow: nan, MuHigh: nan,
	}
	if b := a.belief; b != nil {
		per := func(rate float64) number { return number(rate / unit) }
		p.Lambda, p.LambdaLow, p.LambdaHigh = per(b.lambda.Mean), per(b.lambda.Lower), per(b.lambda.Upper)
		p.Mu, p.MuLow, p.MuHigh = per(b.mu.Mean), per(b.mu.Lower), per(b.mu.Upper)
	}
	return p
}

func (l *live) setGauges(s view) {
	m, p := l.metrics.all, s.Point
	set := func(g *prometheus.GaugeVec, value number, labels ...string) {
		l.metrics.set(g, float64(value), labels...)
	}
	died := bytes.Count(l.robots, []byte{dead})
	set(m.queue, number(l.queue))
	set(m.capacity, number(l.run.Buffer))
	set(m.robots, number(l.active), "active")
	set(m.robots, number(l.run.Robots-l.active-died), "resting")
	set(m.robots, number(died), "dead")
	set(m.unit, number(l.tally.unit))
	set(m.weight, number(l.run.Gamma))
	set(m.cost, p.Cost, "all")
	set(m.cost, s.Minute, "minute")
	set(m.halfWidth, p.High-p.Cost)
	set(m.expected, p.Expected)
	set(m.trueDelivery, p.LambdaTrue)
	set(m.trueIndexing, p.MuTrue)
	if b := s.Belief; b != nil {
		for bound, rates := range map[string][2]number{"mean": {p.Lambda, p.Mu}, "lower": {p.LambdaLow, p.MuLow}, "upper": {p.LambdaHigh, p.MuHigh}} {
			set(m.believedDelivery, rates[0], bound)
			set(m.believedIndexing, rates[1], bound)
		}
		set(m.promised, number(b.promised))
		set(m.regret, b.Regret, "mean")
		set(m.regret, b.RegretLow, "lower")
		set(m.regret, b.RegretHigh, "upper")
		l.metrics.setPolicies(b.Policies)
	}
	if s.Pages != nil {
		set(m.pages, number(s.Pages.Fresh), "fresh")
		set(m.pages, number(s.Pages.Stale), "stale")
		set(m.pages, number(s.Pages.Missing), "missing")
		set(m.pages, number(s.Pages.Gone), "gone")
	}
}

// mostPoints are as many as the curves of the page keep; then every other one is left out.
const mostPoints = 600

// keep keeps a view for readers.
func (l *live) keep(s view) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latest = s
	if l.views++; l.views%l.stride != 0 {
		return
	}
	l.history = append(l.history, s.Point)
	if len(l.history) < mostPoints {
		return
	}
	for i := range mostPoints / 2 {
		l.history[i] = l.history[2*i+1]
	}
	l.history = l.history[:mostPoints/2]
	l.stride *= 2
}

// kept returns the last view that was kept, and whether there is one.
func (l *live) kept() (view, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.latest, l.views > 0
}
