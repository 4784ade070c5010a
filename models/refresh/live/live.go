// Package live keeps the best access rates of a set of pages that join, leave and
// change. After a change it finds the multiplier again without a pass over the pages.
package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/internal/dual"
)

// Set holds pages and their best rates under a bandwidth.
//
// It keeps the sum of the rates, as a function of the multiplier, on a window of
// some 0.1% around the present one: at the Chebyshev nodes of the window for all
// pages whose rate is a smooth function there, which a change of one page updates,
// and page by page for those that begin or cease to be accessed nearby. Only when
// the multiplier has left the window are all pages looked at again.
//
// Rates equal those of [refresh.Optimize] to 1e-9 of the rate itself or of the mean
// rate, whichever is greater, and as a rule to 1e-13. That includes pages which are
// about to be given up and whose rate falls from 3% of their change rate to nothing
// within the rounding of the multiplier: both then take the rates at the two float64
// next to the multiplier, mixed so that they meet the bandwidth.
//
// A Set is for one goroutine at a time. [NewSet] makes one. It takes 20 bytes a page.
type Set struct {
	objective refresh.Objective
	bandwidth float64
	fastest   float64 // greatest rate of any page
	workers   int

	pages    refresh.Pages
	free     []int32 // pages that have left
	places   []int32 // by page: index in critical, regular, or gone
	critical []int32 // pages that are not smooth on the window
	window   *window // nil where there is none
	end      dual.Settlement
	solved   bool
	rebuilds int
	one      demands // of one page
	several  demands // of the critical pages
}

// The places of pages that are not critical.
const (
	regular = -1
	gone    = -2 // it has left
)

// demands is room for the demand of some pages, whose numbers lie next to each other.
type demands struct {
	pages         refresh.Pages
	rates, slopes []float64
}

// gather copies the numbers of some pages.
func (d *demands) gather(all refresh.Pages, pages ...int32) {
	d.pages.ChangeRates, d.pages.Weights = d.pages.ChangeRates[:0], d.pages.Weights[:0]
	for _, page := range pages {
		d.pages.ChangeRates = append(d.pages.ChangeRates, all.ChangeRates[page])
		d.pages.Weights = append(d.pages.Weights, all.Weights[page])
	}
	d.rates = slices.Grow(d.rates[:0], len(pages))[:len(pages)]
	d.slopes = slices.Grow(d.slopes[:0], len(pages))[:len(pages)]
}

// NewSet returns an empty set. Workers is the number of goroutines for the passes
// over all pages; below 1, one for each processor. The error says that the objective
// is nil or the bandwidth not allowed, see [refresh.Problem].
func NewSet(objective refresh.Objective, bandwidth float64, workers int) (*Set, error) {
	p := refresh.Problem{Objective: objective, Bandwidth: bandwidth}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	fastest := math.Inf(1)
	if limited, ok := objective.(refresh.Limited); ok {
		_, fastest = limited.Limits()
	}
	return &Set{
		objective: objective, bandwidth: bandwidth, fastest: fastest, workers: workers,
		pages: refresh.Pages{ChangeRates: []float64{}, Weights: []float64{}},
	}, nil
}

// Len returns the number of indices in use so far: those of the present pages, and
// of pages that have left and whose indices are free.
func (s *Set) Len() int { return s.pages.Len() }

// Rebuilds returns how often all pages have been looked at.
func (s *Set) Rebuilds() int { return s.rebuilds }

// Bandwidth returns the number of accesses per unit of time.
func (s *Set) Bandwidth() float64 { return s.bandwidth }

// SetBandwidth changes the bandwidth, or returns an error where that is not allowed.
func (s *Set) SetBandwidth(bandwidth float64) error {
	if err := (&refresh.Problem{Objective: s.objective, Bandwidth: bandwidth}).Validate(); err != nil {
		return err
	}
	s.bandwidth, s.solved = bandwidth, false
	return nil
}

// Add lets a page join and returns its index, that of a page that has left where
// there is one. It returns a [*refresh.PageError] for numbers that are not allowed.
func (s *Set) Add(changeRate, weight float64) (page int, err error) {
	page = s.pages.Len()
	if n := len(s.free); n > 0 {
		page = int(s.free[n-1])
	}
	if err := s.check(page, changeRate, weight); err != nil {
		return 0, err
	}
	if page < s.pages.Len() {
		s.free = s.free[:len(s.free)-1]
	} else {
		if page > math.MaxInt32 {
			return 0, errors.New("live: a set holds at most 2³¹ pages")
		}
		s.pages.ChangeRates = append(s.pages.ChangeRates, 0)
		s.pages.Weights = append(s.pages.Weights, 0)
		s.places = append(s.places, regular)
	}
	s.join(page, changeRate, weight)
	return page, nil
}

// Update changes the numbers of a page. It returns a [*refresh.PageError] for
// numbers that are not allowed, and an error where there is no such page.
func (s *Set) Update(page int, changeRate, weight float64) error {
	if err := s.mustHave(page); err != nil {
		return err
	}
	if err := s.check(page, changeRate, weight); err != nil {
		return err
	}
	s.leave(page)
	s.join(page, changeRate, weight)
	return nil
}

// Remove lets a page leave. It returns an error where there is no such page.
func (s *Set) Remove(page int) error {
	if err := s.mustHave(page); err != nil {
		return err
	}
	s.leave(page)
	s.pages.ChangeRates[page], s.pages.Weights[page] = 0, 0
	s.places[page] = gone
	s.free = append(s.free, int32(page))
	return nil
}

// Multiplier returns the price of bandwidth for the present pages, 0 where they can
// use less than there is. The error is that of ctx, which may end a pass over all
// pages.
func (s *Set) Multiplier(ctx context.Context) (float64, error) {
	if err := s.solve(ctx); err != nil {
		return 0, err
	}
	return s.end.Multiplier(), nil
}

// Rate returns the best rate of a page, 0 of one that has left. The error is that of
// ctx, or says that there never was such a page.
func (s *Set) Rate(ctx context.Context, page int) (float64, error) {
	if page < 0 || page >= s.pages.Len() {
		return 0, noPage(page)
	}
	if err := s.solve(ctx); err != nil {
		return 0, err
	}
	return s.settledRate(page), nil
}

func (s *Set) mustHave(page int) error {
	if page < 0 || page >= s.pages.Len() || s.places[page] == gone {
		return noPage(page)
	}
	return nil
}

func noPage(page int) error { return fmt.Errorf("live: there is no page %d", page) }

func (s *Set) check(page int, changeRate, weight float64) error {
	p := refresh.Problem{
		Pages:     refresh.Pages{ChangeRates: []float64{changeRate}, Weights: []float64{weight}},
		Objective: s.objective, Bandwidth: s.bandwidth,
	}
	err := p.Validate()
	if fault, ok := errors.AsType[*refresh.PageError](err); ok {
		fault.Page = page
	}
	return err
}

// join adds a page to the sums of the window, or to the critical pages.
func (s *Set) join(page int, changeRate, weight float64) {
	s.pages.ChangeRates[page], s.pages.Weights[page] = changeRate, weight
	s.places[page], s.solved = regular, false
	if s.window == nil {
		return
	}
	low, _ := s.demand(page, s.window.low)
	high, _ := s.demand(page, s.window.high)
	if !s.smooth(low, high) {
		s.places[page] = int32(len(s.critical))
		s.critical = append(s.critical, int32(page))
		return
	}
	s.shift(page, 1)
}

// leave takes a page out of the sums or the critical pages.
func (s *Set) leave(page int) {
	s.solved = false
	if s.window == nil {
		return
	}
	place := s.places[page]
	if place == regular {
		s.shift(page, -1)
		return
	}
	last := s.critical[len(s.critical)-1]
	s.critical[place], s.places[last] = last, place
	s.critical = s.critical[:len(s.critical)-1]
}

// shift adds the rates of a page, times sign, to the sums of the window.
func (s *Set) shift(page int, sign float64) {
	for j, multiplier := range s.window.multipliers {
		rate, _ := s.demand(page, multiplier)
		s.window.sums[j].Add(sign * rate)
		s.window.rounding += 0x1p-53 * math.Abs(s.window.sums[j].Rounding())
	}
}

// smooth reports whether the rates at both margins of the window, the greater one
// first, are those of a page without a kink between them: never accessed, always at
// the greatest rate, or neither.
func (s *Set) smooth(low, high float64) bool {
	return low == 0 || high >= s.fastest || high > 0 && low < s.fastest
}

// demand returns the rate of a page and its slope.
func (s *Set) demand(page int, multiplier float64) (rate, slope float64) {
	s.one.gather(s.pages, int32(page))
	s.demandOf(&s.one, multiplier)
	return s.one.rates[0], s.one.slopes[0]
}

// demandOf finds the rates and slopes of the pages that d has gathered.
func (s *Set) demandOf(d *demands, multiplier float64) {
	s.objective.Demand(d.rates, d.slopes, d.pages, multiplier)
	for i, rate := range d.rates {
		switch {
		case rate <= 0:
			d.rates[i], d.slopes[i] = 0, 0
		case rate >= s.fastest:
			d.rates[i], d.slopes[i] = s.fastest, 0
		}
	}
}

// settledRate returns the rate of a page with which the last search has ended.
func (s *Set) settledRate(page int) float64 {
	rate, slope := s.demand(page, s.end.At)
	if s.end.Share > 0 {
		other, _ := s.demand(page, s.end.Other)
		return rate + s.end.Share*(other-rate)
	}
	return min(max(0, rate+s.end.Step*slope), s.fastest)
}
