package refresh

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
)

// LiveSet holds pages that join, leave and change, and their best rates. After
// a change the multiplier is found again without a pass over the pages.
//
// For that it keeps the sum of the rates, as a function of the multiplier, on a
// window of some 0.1% around the present one: at the Chebyshev nodes of the
// window for all pages whose rate is a smooth function there, which a change of
// one page updates, and page by page for those that begin or cease to be
// accessed nearby. Only when the multiplier has left the window are all pages
// looked at again.
//
// Rates equal those of [Optimize] to 1e-9 of the rate itself or of the mean rate,
// whichever is greater, and as a rule to 1e-13. That includes pages which are about
// to be given up and whose rate falls from 3% of their change rate to nothing within
// the rounding of the multiplier: both then take the rates at the two float64 next
// to the multiplier, mixed so that they meet the bandwidth.
//
// A LiveSet is for one goroutine at a time. [NewLiveSet] makes one. It takes 20
// bytes a page.
type LiveSet struct {
	objective Objective
	bandwidth float64
	fastest   float64 // greatest rate of any page
	workers   int

	pages     Pages
	free      []int32 // pages that have left
	places    []int32 // by page: index in critical, or regular
	window    window
	critical  []int32 // pages that are not smooth on the window
	sums      [nodes]accumulator
	rounding  float64 // at most that of the changes of sums, since they were built
	end       settlement
	solved    bool
	rebuilds  int
	one       [2][1]float64 // a page
	rate, der [1]float64    // its demand
}

// nodes is the number of Chebyshev nodes of a window. Pages whose rates have no
// kink or other singularity within margin half-widths of its middle are smooth:
// the polynomial through the nodes is off by less than (m+√(m²−1))^{−nodes},
// 4·10⁻¹⁵, of the little that their rates change over the window.
const (
	nodes     = 12
	halfWidth = 0x1p-10 // in ln λ
	margin    = 8
	regular   = -1
)

// window is an interval of multipliers.
type window struct {
	middle      float64 // NaN where there is none yet
	multipliers [nodes]float64
	low, high   float64 // the margins
}

func windowAround(multiplier float64) window {
	w := window{middle: multiplier}
	for j := range nodes {
		w.multipliers[j] = multiplier * math.Exp(halfWidth*chebyshevNode(j))
	}
	w.low, w.high = multiplier*math.Exp(-margin*halfWidth), multiplier*math.Exp(margin*halfWidth)
	return w
}

func chebyshevNode(j int) float64 { return math.Cos(math.Pi * (float64(j) + 0.5) / nodes) }

// position returns where a multiplier lies in the window, −1 to 1 if inside.
func (w window) position(multiplier float64) float64 {
	return math.Log(multiplier/w.middle) / halfWidth
}

// NewLiveSet returns an empty set. Workers is the number of goroutines for the
// passes over all pages; below 1, one for each processor. The error says that
// the objective is nil or the bandwidth not allowed, see [Problem].
func NewLiveSet(objective Objective, bandwidth float64, workers int) (*LiveSet, error) {
	p := Problem{Objective: objective, Bandwidth: bandwidth}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	_, fastest := p.limits()
	return &LiveSet{
		objective: objective, bandwidth: bandwidth, fastest: fastest, workers: workers,
		pages:  Pages{ChangeRates: []float64{}, Weights: []float64{}},
		window: window{middle: math.NaN()},
	}, nil
}

// Len returns the number of indices in use so far: those of the present pages,
// and of pages that have left and whose indices are free.
func (s *LiveSet) Len() int { return s.pages.Len() }

// Rebuilds returns how often all pages have been looked at.
func (s *LiveSet) Rebuilds() int { return s.rebuilds }

// Bandwidth returns R.
func (s *LiveSet) Bandwidth() float64 { return s.bandwidth }

// SetBandwidth changes R, or returns an error where that is not allowed.
func (s *LiveSet) SetBandwidth(bandwidth float64) error {
	if err := (&Problem{Objective: s.objective, Bandwidth: bandwidth}).Validate(); err != nil {
		return err
	}
	s.bandwidth, s.solved = bandwidth, false
	return nil
}

// Add lets a page join and returns its index, that of a page that has left where
// there is one. It returns a [*PageError] for numbers that are not allowed.
func (s *LiveSet) Add(changeRate, weight float64) (page int, err error) {
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
			return 0, errors.New("refresh: a live set holds at most 2³¹ pages")
		}
		s.pages.ChangeRates = append(s.pages.ChangeRates, 0)
		s.pages.Weights = append(s.pages.Weights, 0)
		s.places = append(s.places, regular)
	}
	s.put(page, changeRate, weight)
	return page, nil
}

// gone marks the places of pages that have left.
const gone = -2

// Update changes the numbers of a page. It returns a [*PageError] for numbers
// that are not allowed, and an error where there is no such page.
func (s *LiveSet) Update(page int, changeRate, weight float64) error {
	if err := s.find(page); err != nil {
		return err
	}
	if err := s.check(page, changeRate, weight); err != nil {
		return err
	}
	s.take(page)
	s.put(page, changeRate, weight)
	return nil
}

// Remove lets a page leave. It returns an error where there is no such page.
func (s *LiveSet) Remove(page int) error {
	if err := s.find(page); err != nil {
		return err
	}
	s.take(page)
	s.pages.ChangeRates[page], s.pages.Weights[page] = 0, 0
	s.places[page] = gone
	s.free = append(s.free, int32(page))
	return nil
}

func (s *LiveSet) find(page int) error {
	if page < 0 || page >= s.pages.Len() || s.places[page] == gone {
		return fmt.Errorf("refresh: there is no page %d", page)
	}
	return nil
}

func (s *LiveSet) check(page int, changeRate, weight float64) error {
	p := Problem{Pages: Pages{[]float64{changeRate}, []float64{weight}}, Objective: s.objective, Bandwidth: s.bandwidth}
	err := p.Validate()
	if fault, ok := errors.AsType[*PageError](err); ok {
		fault.Page = page
	}
	return err
}

// put adds a page to the sums, or to the critical pages.
func (s *LiveSet) put(page int, changeRate, weight float64) {
	s.pages.ChangeRates[page], s.pages.Weights[page] = changeRate, weight
	s.places[page], s.solved = regular, false
	if math.IsNaN(s.window.middle) {
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

// take takes a page out of the sums or the critical pages.
func (s *LiveSet) take(page int) {
	s.solved = false
	if math.IsNaN(s.window.middle) {
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

// shift adds the rates of a page at the nodes, times sign, to the sums.
func (s *LiveSet) shift(page int, sign float64) {
	for j, multiplier := range s.window.multipliers {
		rate, _ := s.demand(page, multiplier)
		s.sums[j].addOne(sign * rate)
		s.rounding += 0x1p-53 * math.Abs(s.sums[j].low)
	}
}

// smooth says whether the rates at both margins, the greater one first, tell of
// a page without a kink between them: never accessed, always at the cap, or
// never either.
func (s *LiveSet) smooth(low, high float64) bool {
	return low == 0 || high >= s.fastest || high > 0 && low < s.fastest
}

// demand returns the rate of a page and its slope.
func (s *LiveSet) demand(page int, multiplier float64) (rate, slope float64) {
	s.one[0][0], s.one[1][0] = s.pages.ChangeRates[page], s.pages.Weights[page]
	s.objective.Demand(s.rate[:], s.der[:], Pages{s.one[0][:], s.one[1][:]}, multiplier)
	switch rate := s.rate[0]; {
	case rate <= 0:
		return 0, 0
	case rate >= s.fastest:
		return s.fastest, 0
	default:
		return rate, s.der[0]
	}
}

// Multiplier returns the price of bandwidth for the present pages, 0 where they
// can use less than there is. The error is that of ctx, which may end a pass
// over all pages.
func (s *LiveSet) Multiplier(ctx context.Context) (float64, error) {
	if err := s.solve(ctx); err != nil {
		return 0, err
	}
	return s.end.multiplier(), nil
}

// Rate returns the best rate of a page, 0 of one that has left. The error is
// that of ctx, or says that there never was such a page.
func (s *LiveSet) Rate(ctx context.Context, page int) (float64, error) {
	if page < 0 || page >= s.pages.Len() {
		return 0, fmt.Errorf("refresh: there is no page %d", page)
	}
	if err := s.solve(ctx); err != nil {
		return 0, err
	}
	rate, slope := s.demand(page, s.end.at)
	if s.end.share > 0 {
		other, _ := s.demand(page, s.end.other)
		return rate + s.end.share*(other-rate), nil
	}
	return min(max(0, rate+s.end.step*slope), s.fastest), nil
}
