// Package live keeps the best access rates of a set of pages that join, leave and
// change. After a change it finds the multiplier again without a pass over the pages.
package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/internal/dual"
)

// Set holds pages and their best rates under a bandwidth, within bounds of the pages
// and caps of their hosts.
//
// It keeps the sum of the rates as a function of the multiplier on windows around the
// present one, each an eighth as wide as the one before: at the Chebyshev nodes of the
// widest window on which the rate of a page is a smooth function, which a change of
// the page updates, and page by page for the few that begin or cease to be accessed
// right here. Where the multiplier leaves a window, the pages that are not smooth on
// the next wider one are looked at again; where it leaves the widest, some 3% to
// either side, all of them. So the time for a change does not grow with the number
// of pages.
//
// Rates equal those of [refresh.Optimize] to 1e-9 of the rate itself or of the mean
// rate, whichever is greater, and as a rule to 1e-13. That includes pages which are
// about to be given up and whose rate falls from 3% of their change rate to nothing
// within the rounding of the multiplier: both then take the rates at the two float64
// next to the multiplier, mixed so that they meet the bandwidth.
//
// A Set is for one goroutine at a time. [NewSet] makes one. It takes some 21 bytes a
// page, 16 more where pages have bounds, and 12 more where they have hosts.
type Set struct {
	objective refresh.Objective
	bandwidth float64
	fastest   float64 // greatest rate of any page
	workers   int

	pages           refresh.Pages
	least, greatest []float64 // bounds; nil as long as no page has one
	hostOf          []int32   // by page, 0 for none; nil as long as there are no hosts
	inHost          []int32   // by page: its index in the pages of its host
	hosts           []*host   // from 1
	free            []int32   // pages that have left
	levelOf         []int8    // by page: that of its group, or atRest, or gone
	places          []int32   // by page: its index in the list of its level, or of those at rest

	open     group   // the pages of no host, and of hosts whose caps do not matter
	critical []int32 // hosts whose caps may matter or not
	overfull int     // hosts whose least rates exceed their caps
	rebuilds int
	several  demands
}

// Page is a page of a [Set].
type Page struct {
	// ChangeRate and Weight are those of [refresh.Pages].
	ChangeRate, Weight float64

	// Least and Greatest are bounds of the rate; 0 stands for none.
	Least, Greatest float64

	// Host is the number that [Set.AddHost] returned for its host; 0 for none.
	Host int
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
		hosts: []*host{nil},
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
	s.bandwidth, s.open.solved = bandwidth, false
	return nil
}

// Page returns the page with an index, the zero Page where there is none.
func (s *Set) Page(page int) Page {
	if !s.has(page) {
		return Page{}
	}
	p := Page{ChangeRate: s.pages.ChangeRates[page], Weight: s.pages.Weights[page]}
	if s.least != nil {
		p.Least = s.least[page]
		if !math.IsInf(s.greatest[page], 1) {
			p.Greatest = s.greatest[page]
		}
	}
	p.Host = int(s.numberOf(int32(page)))
	return p
}

// Add lets a page join and returns its index, that of a page that has left where
// there is one. It returns a [*refresh.PageError] for numbers that are not allowed.
func (s *Set) Add(p Page) (page int, err error) {
	page = s.pages.Len()
	if n := len(s.free); n > 0 {
		page = int(s.free[n-1])
	}
	if err := s.check(page, p); err != nil {
		return 0, err
	}
	if page < s.pages.Len() {
		s.free = s.free[:len(s.free)-1]
	} else {
		if page > math.MaxInt32 {
			return 0, errors.New("live: a set holds at most 2³¹ pages")
		}
		s.grow()
	}
	s.join(int32(page), p)
	return page, nil
}

// grow makes room for one more page.
func (s *Set) grow() {
	s.pages.ChangeRates = append(s.pages.ChangeRates, 0)
	s.pages.Weights = append(s.pages.Weights, 0)
	s.levelOf = append(s.levelOf, gone)
	s.places = append(s.places, 0)
	if s.least != nil {
		s.least = append(s.least, 0)
		s.greatest = append(s.greatest, math.Inf(1))
	}
	if s.hostOf != nil {
		s.hostOf = append(s.hostOf, 0)
		s.inHost = append(s.inHost, 0)
	}
}

// Update changes a page. It returns a [*refresh.PageError] for numbers that are not
// allowed, and an error where there is no such page.
func (s *Set) Update(page int, p Page) error {
	if !s.has(page) {
		return noPage(page)
	}
	if err := s.check(page, p); err != nil {
		return err
	}
	s.leave(int32(page))
	s.join(int32(page), p)
	return nil
}

// Remove lets a page leave. It returns an error where there is no such page.
func (s *Set) Remove(page int) error {
	if !s.has(page) {
		return noPage(page)
	}
	s.leave(int32(page))
	s.set(int32(page), Page{})
	s.levelOf[page] = gone
	s.free = append(s.free, int32(page))
	return nil
}

// AddHost adds a host whose pages get at most so many accesses per unit of time
// together, and returns its number. The cap is 0 or at least 1e-100; +Inf is none.
func (s *Set) AddHost(most float64) (number int, err error) {
	if err := checkCap(most); err != nil {
		return 0, err
	}
	if s.hostOf == nil {
		s.hostOf, s.inHost = make([]int32, s.Len()), make([]int32, s.Len())
	}
	number = len(s.hosts)
	s.hosts = append(s.hosts, &host{most: most})
	s.makeCritical(int32(number))
	s.place(int32(number), 0)
	return number, nil
}

// SetHostCap changes the cap of a host. It returns an error where that is not allowed
// or there is no such host.
func (s *Set) SetHostCap(number int, most float64) error {
	if number < 1 || number >= len(s.hosts) {
		return noHost(number)
	}
	if err := checkCap(most); err != nil {
		return err
	}
	s.changeCap(int32(number), most)
	return nil
}

// Multiplier returns the price of bandwidth for the present pages, 0 where they can
// use less than there is. The error is that of ctx, which may end a pass over all
// pages, or a [*refresh.InfeasibleError] where least rates do not fit; its Host is a
// number of [Set.AddHost], or −1.
func (s *Set) Multiplier(ctx context.Context) (float64, error) {
	if err := s.solve(ctx); err != nil {
		return 0, err
	}
	return s.open.end.Multiplier(), nil
}

// HostMultiplier returns the price of an access to a page of a host: above that of
// bandwidth where the cap of the host matters. The errors are those of
// [Set.Multiplier], or that there is no such host.
func (s *Set) HostMultiplier(ctx context.Context, number int) (float64, error) {
	if number < 1 || number >= len(s.hosts) {
		return 0, noHost(number)
	}
	if err := s.solve(ctx); err != nil {
		return 0, err
	}
	end := s.endOf(int32(number))
	if math.IsInf(end.At, 1) && end.Share == 0 {
		return s.greatestMarginal(s.hosts[number].pages), nil
	}
	return max(s.open.end.Multiplier(), end.Multiplier()), nil
}

// Rate returns the best rate of a page, 0 of one that has left. The errors are those
// of [Set.Multiplier], or that there never was such a page.
func (s *Set) Rate(ctx context.Context, page int) (float64, error) {
	if page < 0 || page >= s.pages.Len() {
		return 0, noPage(page)
	}
	if err := s.solve(ctx); err != nil {
		return 0, err
	}
	return s.settledRate(int32(page), s.endOf(s.numberOf(int32(page)))), nil
}

// numberOf returns the number of the host of a page, 0 for none.
func (s *Set) numberOf(page int32) int32 {
	if s.hostOf == nil {
		return 0
	}
	return s.hostOf[page]
}

func (s *Set) has(page int) bool {
	return page >= 0 && page < s.pages.Len() && s.levelOf[page] != gone
}

func noPage(page int) error   { return fmt.Errorf("live: there is no page %d", page) }
func noHost(number int) error { return fmt.Errorf("live: there is no host %d", number) }

func checkCap(most float64) error {
	p := refresh.Problem{Objective: refresh.Random{}, Bandwidth: 1, Hosts: []int32{}, HostCaps: []float64{most}}
	return p.Validate()
}

func (s *Set) check(page int, p Page) error {
	if p.Host < 0 || p.Host >= len(s.hosts) {
		return noHost(p.Host)
	}
	problem := refresh.Problem{
		Pages:     refresh.Pages{ChangeRates: []float64{p.ChangeRate}, Weights: []float64{p.Weight}},
		Objective: s.objective, Bandwidth: s.bandwidth,
		Least: []float64{p.Least}, Greatest: []float64{orNone(p.Greatest)},
	}
	err := problem.Validate()
	if fault, ok := errors.AsType[*refresh.PageError](err); ok {
		fault.Page = page
	}
	return err
}

// orNone returns a greatest rate, +Inf for none.
func orNone(greatest float64) float64 {
	if greatest == 0 {
		return math.Inf(1)
	}
	return greatest
}

// set writes the numbers of a page.
func (s *Set) set(page int32, p Page) {
	s.pages.ChangeRates[page], s.pages.Weights[page] = p.ChangeRate, p.Weight
	if s.least == nil && (p.Least > 0 || p.Greatest > 0) {
		s.least, s.greatest = make([]float64, s.Len()), make([]float64, s.Len())
		for i := range s.greatest {
			s.greatest[i] = math.Inf(1)
		}
	}
	if s.least != nil {
		s.least[page], s.greatest[page] = p.Least, orNone(p.Greatest)
	}
}

// join adds a page to its host and to a group.
func (s *Set) join(page int32, p Page) {
	s.set(page, p)
	if p.Host > 0 {
		s.joinHost(page, int32(p.Host))
		return
	}
	s.add(&s.open, page, 0)
}

// leave takes a page out of its host and its group.
func (s *Set) leave(page int32) {
	if s.numberOf(page) > 0 {
		s.leaveHost(page)
		return
	}
	s.remove(&s.open, page)
}

// settledRate returns the rate of a page that a search has ended with.
func (s *Set) settledRate(page int32, end dual.Settlement) float64 {
	rate, slope := s.demand(page, end.At)
	if end.Share > 0 {
		other, _ := s.demand(page, end.Other)
		return rate + end.Share*(other-rate)
	}
	return min(max(s.lowest(page), rate+end.Step*slope), s.highest(page))
}

// greatestMarginal returns the greatest marginal value of pages at their least rates.
func (s *Set) greatestMarginal(pages []int32) float64 {
	greatest := 0.0
	d := &s.several
	d.gather(s, pages)
	d.rates = append(d.rates[:0], d.least...)
	s.objective.Measure(d.slopes, d.marginals, d.pages, d.rates)
	for i, marginal := range d.marginals {
		if d.rates[i] < s.highest(pages[i]) {
			greatest = max(greatest, marginal)
		}
	}
	return greatest
}
