package store

// The best rates of the pages in memory.

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
	optimal "github.com/mdpsolve/mdpsolve/models/refresh/rates"
)

// rates are the best rates of pages by number: those that [optimal.Optimize] has found, and
// for pages that have changed since, what they are worth at the multipliers of that answer.
type rates struct {
	objective            refresh.Objective
	changeRates, weights []float64 // both 0 for numbers without a page, and pages that are gone
	hosts                []int32
	of                   []float64

	// Limits of rates; nil until a page has one.
	least, greatest []float64
	stretched       float64 // by what factor greatest intervals are, at most; 1 for none

	last  *optimal.Solution // nil: there is none that can be used any more
	at    time.Time         // when it was found
	moved float64           // by how much single rates have been changed since, in all
}

const (
	// mostMoved is the part of the sum of rates that may change before all are found anew:
	// the multiplier is off by about as much at most.
	mostMoved = 0.01
	// longestUnsolved is how long changes of less than that may wait.
	longestUnsolved = time.Hour
)

// grow makes room for one more page.
func (r *rates) grow() {
	r.changeRates, r.weights = append(r.changeRates, 0), append(r.weights, 0)
	r.hosts, r.of = append(r.hosts, 0), append(r.of, 0)
	if r.least != nil {
		r.least, r.greatest = append(r.least, 0), append(r.greatest, math.Inf(1))
	}
}

// limit changes the limits of a page.
func (r *rates) limit(number uint32, intervals limits.Intervals) {
	const secondsOfDay = 86400
	least, greatest := intervals.Rates(secondsOfDay)
	if r.least == nil {
		if intervals == (limits.Intervals{}) {
			return
		}
		r.least, r.greatest = make([]float64, len(r.of)), slices.Repeat([]float64{math.Inf(1)}, len(r.of))
	}
	r.least[number], r.greatest[number] = least, greatest
}

// remove has a page get no visits.
func (r *rates) remove(number uint32) {
	r.limit(number, limits.Intervals{})
	r.set(number, 0, 0, 0)
}

// set changes the numbers of a page, and its rate to x(λ) of [refresh.Objective.Demand] at
// the last multiplier λ.
func (r *rates) set(number uint32, changeRate, weight float64, host int32) {
	r.changeRates[number], r.weights[number], r.hosts[number] = changeRate, weight, host
	if r.last == nil {
		return
	}
	multiplier := r.last.Multiplier
	if int(host) < len(r.last.HostMultipliers) {
		multiplier = r.last.HostMultipliers[host]
	}
	var rate, slope [1]float64
	page := refresh.Pages{ChangeRates: r.changeRates[number : number+1], Weights: r.weights[number : number+1]}
	if weight > 0 {
		r.objective.Demand(rate[:], slope[:], page, multiplier)
	}
	if math.IsInf(rate[0], 1) && (len(r.greatest) == 0 || math.IsInf(r.greatest[number], 1)) {
		r.forget() // there was bandwidth to spare
		return
	}
	if r.least != nil {
		rate[0] = min(max(rate[0], r.least[number]), r.greatest[number])
	}
	r.moved += math.Abs(rate[0] - r.of[number])
	r.of[number] = rate[0]
}

// forget has all rates found anew before any is used.
func (r *rates) forget() { r.last = nil }

// touch notes that the rates of a share of the pages must change, such as those of a
// host with another delay.
func (r *rates) touch(share float64) {
	if r.last != nil {
		r.moved += share * r.last.Used
	}
}

// areDue reports whether the rates must be computed anew.
func (r *rates) areDue() bool {
	return r.last == nil || r.moved > mostMoved*r.last.Used || r.moved > 0 && time.Since(r.at) > longestUnsolved
}

// solve finds all rates anew, with caps for hosts by number.
func (r *rates) solve(ctx context.Context, bandwidth float64, caps []float64) error {
	p := refresh.Problem{
		Pages: refresh.Pages{
			ChangeRates: r.changeRates, Weights: r.weights, LeastRates: r.least, GreatestRates: r.greatest,
		},
		Objective: r.objective, Bandwidth: bandwidth,
	}
	if slices.ContainsFunc(caps, func(most float64) bool { return !math.IsInf(most, 1) }) {
		p.Hosts, p.HostCaps = r.hosts, caps
	}
	var settings optimal.Settings
	if r.last != nil {
		settings.Multiplier = r.last.Multiplier
	}
	r.stretched = 1
	solution, err := optimal.Optimize(ctx, p, settings)
	if errors.As(err, new(*optimal.ExcessError)) {
		p.Pages.LeastRates, r.stretched = stretch(&p)
		solution, err = optimal.Optimize(ctx, p, settings)
	}
	if err != nil && !errors.Is(err, optimal.ErrPrecision) {
		return err
	}
	r.of, solution.Rates = solution.Rates, nil
	r.last, r.at, r.moved = solution, time.Now(), 0
	return nil
}

// stretch returns the least rates of a problem, where they do not fit lowered in proportion: those
// of each host to its cap, and then all to the bandwidth. by is the greatest factor.
func stretch(p *refresh.Problem) (least []float64, by float64) {
	const part = 1 - 1e-9 // of a budget, so that sums of rounded rates fit
	byHost, sums, sum := make([]float64, len(p.HostCaps)), make([]float64, len(p.HostCaps)), 0.0
	for i, host := range p.Hosts {
		sums[host] += p.Pages.LeastRates[i]
	}
	for host, most := range p.HostCaps {
		byHost[host] = max(1, sums[host]/(most*part))
	}
	least, by = slices.Clone(p.Pages.LeastRates), 1
	for i := range least {
		if p.Hosts != nil {
			least[i] /= byHost[p.Hosts[i]]
		}
		sum += least[i]
	}
	all := max(1, sum/(p.Bandwidth*part))
	for i := range least {
		if least[i] /= all; least[i] > 0 {
			by = max(by, p.Pages.LeastRates[i]/least[i])
		}
	}
	return least, by
}

// Stretched returns by what factor greatest intervals are stretched at most, as they do not fit into
// the bandwidth and the delays of hosts: 1 if they fit.
func (s *Store) Stretched() (factor float64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.solve(context.Background())
	return s.rates.stretched, err
}
