package freshness

// The truth: pages that change, come and go.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/mdpsolve/mdpsolve/examples/crawler/revisit"
)

// A World is the truth about pages, which no chooser sees: when each changes, comes and goes.
// The same seed gives the same world, whoever crawls it.
type World struct {
	Scenario Scenario
	seed     uint64
	pages    []truth // in the order in which they come
	index    map[string]int
}

// truth is that of one page. Times are in days.
type truth struct {
	revisit.Page
	rate       float64 // changes per day
	born, dies float64 // dies after the end: stays
	changes    []float64
}

// NewWorld draws the pages of a scenario.
func NewWorld(s Scenario, seed uint64) *World {
	w := &World{Scenario: s, seed: seed, index: map[string]int{}}
	random := rand.New(rand.NewPCG(seed, 0))
	zipf := rand.NewZipf(random, 2, 1, 9_999)
	add := func(born, rate float64) float64 {
		p := truth{born: born, dies: math.Inf(1), rate: rate}
		p.ID = fmt.Sprintf("https://site.example/%d", len(w.pages))
		p.Weight = 1
		if s.Weighted {
			p.Weight = float64(1 + zipf.Uint64())
		}
		if s.Lifetime > 0 {
			p.dies = born + random.ExpFloat64()*s.Lifetime
		}
		p.draw(rand.New(rand.NewPCG(seed, 1+uint64(len(w.pages)))), s.Days)
		w.pages = append(w.pages, p)
		return p.dies
	}
	// Each class of pages has its share in every world. A page that goes is followed by a new
	// one of its class.
	for _, i := range random.Perm(s.Pages) {
		rate := changeRates.Quantile((float64(i) + 0.5) / float64(s.Pages))
		for next := 0.0; next < s.Days; {
			next = add(next, rate)
		}
	}
	sort.SliceStable(w.pages, func(i, j int) bool { return w.pages[i].born < w.pages[j].born })
	for i, p := range w.pages {
		w.index[p.ID] = i
	}
	return w
}

// draw draws the times at which a page changes, of a Poisson process.
func (p *truth) draw(random *rand.Rand, end float64) {
	for at := p.born; ; {
		at += random.ExpFloat64() / p.rate
		if at >= min(p.dies, end) {
			return
		}
		p.changes = append(p.changes, at)
	}
}

// next returns the time of the first change of a page after a time, +Inf if there is none.
func (p *truth) next(after float64) float64 {
	i := sort.Search(len(p.changes), func(i int) bool { return p.changes[i] > after })
	if i == len(p.changes) {
		return math.Inf(1)
	}
	return p.changes[i]
}

// ChangeRate returns how often a page changes, in changes per day.
func (w *World) ChangeRate(id string) float64 { return w.pages[w.index[id]].rate }
