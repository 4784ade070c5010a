package rates

// Pages in memory: what they demand at a multiplier, in passes on several workers.

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// chunk is the number of pages that an objective is asked about at a time: its
// vectors stay in the nearest cache. block is the number in a run, the unit of
// parallel work and of sums.
const (
	chunk = 512
	block = 8192
)

// memory is pages in groups: the pages of each host with a cap are a group, and so are all
// others together. Without hosts there is one group.
type memory struct {
	problem *refresh.Problem
	fastest float64 // greatest rate of any page
	mean    float64 // rate of all pages, elsewhere too
	team    *parallel.Team
	rates   []float64 // that settle writes

	groupOf []int32   // by host; nil without hosts
	caps    []float64 // by group
	groups  int       // how many
	order   []int32   // pages by group; nil: as they are
	runs    []run
	tasks   []int // cuts of the runs into tasks

	buffers sync.Pool // of *buffer
}

// run is a range of positions of one group.
type run struct{ group, from, to int }

// newMemory groups the pages of a problem.
func newMemory(p *refresh.Problem, team *parallel.Team) *memory {
	m := &memory{problem: p, team: team, mean: p.Bandwidth / float64(p.Pages.Len()), caps: []float64{math.Inf(1)}}
	_, m.fastest = p.Limits()
	m.buffers.New = func() any { return &buffer{fastest: m.fastest} }
	starts := []int{0, p.Pages.Len()}
	if p.Hosts != nil {
		m.groupOf, m.caps = groupHosts(p.HostCaps)
		starts = m.sort()
	}
	m.cut(starts)
	return m
}

// groupHosts returns the group of each host, and the cap of each group.
func groupHosts(hostCaps []float64) (of []int32, caps []float64) {
	of = make([]int32, len(hostCaps))
	open := int32(-1)
	for host, most := range hostCaps {
		if math.IsInf(most, 1) && open >= 0 {
			of[host] = open
			continue
		}
		of[host] = int32(len(caps))
		if math.IsInf(most, 1) {
			open = of[host]
		}
		caps = append(caps, most)
	}
	return of, caps
}

// sort orders pages by group, by counting. It returns where each group starts.
func (m *memory) sort() (starts []int) {
	starts = make([]int, len(m.caps)+1)
	for _, host := range m.problem.Hosts {
		starts[m.groupOf[host]+1]++
	}
	for g := range m.caps {
		starts[g+1] += starts[g]
	}
	m.order = make([]int32, m.problem.Pages.Len())
	next := slices.Clone(starts)
	for i, host := range m.problem.Hosts {
		g := m.groupOf[host]
		m.order[next[g]] = int32(i)
		next[g]++
	}
	return starts
}

// cut makes runs of at most block pages, and tasks of runs with about as many.
func (m *memory) cut(starts []int) {
	m.groups, m.runs, m.tasks = len(starts)-1, nil, []int{0}
	load := 0
	for group := range len(starts) - 1 {
		for from := starts[group]; from < starts[group+1]; from += block {
			r := run{group, from, min(from+block, starts[group+1])}
			m.runs = append(m.runs, r)
			if load += r.to - r.from; load >= block {
				m.tasks = append(m.tasks, len(m.runs))
				load = 0
			}
		}
	}
	if m.tasks[len(m.tasks)-1] < len(m.runs) {
		m.tasks = append(m.tasks, len(m.runs))
	}
}

// sizes returns what a solver has to know of the pages.
func (m *memory) sizes() sizes {
	p := m.problem
	return sizes{
		pages: p.Pages.Len(), caps: m.caps, least: p.Least != nil,
		bounded: p.Greatest != nil || p.Hosts != nil || m.fastest < p.Bandwidth,
	}
}

// buffer holds the vectors of a chunk of pages. The numbers of the pages are parts of
// the problem's slices, or gathered here where pages are in an order of their own.
type buffer struct {
	pages           refresh.Pages
	least, greatest []float64
	fastest         float64

	gathered            [6][chunk]float64
	rates, slopes       [chunk]float64 // the demand
	others, otherSlopes [chunk]float64 // the demand at another multiplier
	settled             [chunk]float64
	values, marginals   [chunk]float64
}

// load makes the positions from … to−1 the pages of the buffer.
func (m *memory) load(b *buffer, from, to int) {
	gather := func(space int, numbers []float64) []float64 {
		if numbers == nil {
			return nil
		}
		if m.order == nil {
			return numbers[from:to]
		}
		for i, page := range m.order[from:to] {
			b.gathered[space][i] = numbers[page]
		}
		return b.gathered[space][:to-from]
	}
	p := m.problem
	b.pages = refresh.Pages{ChangeRates: gather(0, p.Pages.ChangeRates), Weights: gather(1, p.Pages.Weights), Recalls: gather(2, p.Pages.Recalls), FalseRates: gather(3, p.Pages.FalseRates)}
	b.least, b.greatest = gather(4, p.Least), gather(5, p.Greatest)
}

// ask fills rates and slopes with the demand of the buffer's pages, within their
// bounds.
func (m *memory) ask(b *buffer, rates, slopes []float64, multiplier float64) {
	m.problem.Objective.Demand(rates, slopes, b.pages, multiplier)
	if b.unbounded() {
		return
	}
	for i, rate := range rates {
		if bound := b.highest(i); rate >= bound {
			rates[i], slopes[i] = bound, 0
		}
		if bound := b.lowest(i); rate <= bound {
			rates[i], slopes[i] = bound, 0
		}
	}
}

// unbounded reports whether the pages may have any rates.
func (b *buffer) unbounded() bool {
	return b.least == nil && b.greatest == nil && math.IsInf(b.fastest, 1)
}

func (b *buffer) lowest(i int) float64 {
	if b.least == nil {
		return 0
	}
	return b.least[i]
}

func (b *buffer) highest(i int) float64 {
	if b.greatest == nil {
		return b.fastest
	}
	return min(b.fastest, b.greatest[i])
}

// sweep makes a pass over the groups that take part: it adds up what body finds in each
// chunk, run by run and in their order, so that the sums do not depend on the workers.
func sweep[T any, P interface {
	*T
	merge(*T)
}](m *memory, part func(group int) bool, body func(b *buffer, group, from, to int, into P),
) []T {
	found := make([]T, len(m.runs))
	m.team.For(len(m.tasks)-1, func(task int) {
		b := m.buffers.Get().(*buffer)
		defer m.buffers.Put(b)
		for r := m.tasks[task]; r < m.tasks[task+1]; r++ {
			its := m.runs[r]
			if !part(its.group) {
				continue
			}
			for from := its.from; from < its.to; from += chunk {
				to := min(from+chunk, its.to)
				m.load(b, from, to)
				body(b, its.group, from, to, &found[r])
			}
		}
	})
	totals := make([]T, m.groups)
	for r := range found {
		P(&totals[m.runs[r].group]).merge(&found[r])
	}
	return totals
}

func every(int) bool { return true }

// demand is what some pages ask for at one multiplier.
type demand struct {
	Sum   doubledouble.Accumulator
	Slope float64
}

func (d *demand) add(rates, slopes []float64) {
	d.Sum.AddAll(rates)
	d.Slope += plainSum(slopes)
}

func (d *demand) merge(other *demand) {
	d.Sum.Merge(other.Sum)
	d.Slope += other.Slope
}

// plainSum adds numbers of which a few digits matter.
func plainSum(numbers []float64) float64 {
	var sum [4]float64
	n := len(numbers) &^ 3
	for i := 0; i < n; i += 4 {
		four := numbers[i : i+4 : i+4]
		sum[0] += four[0]
		sum[1] += four[1]
		sum[2] += four[2]
		sum[3] += four[3]
	}
	for _, x := range numbers[n:] {
		sum[0] += x
	}
	return sum[0] + sum[1] + sum[2] + sum[3]
}

// demand implements source.
func (m *memory) demand(multipliers []float64) ([]demand, error) {
	asked := func(group int) bool { return !math.IsNaN(multipliers[group]) }
	return sweep(m, asked, func(b *buffer, group, from, to int, into *demand) {
		rates, slopes := b.rates[:to-from], b.slopes[:to-from]
		m.ask(b, rates, slopes, multipliers[group])
		into.add(rates, slopes)
	}), nil
}

// demandAt returns the demand of each group at one multiplier.
func (m *memory) demandAt(multiplier float64) []demand {
	found, _ := m.demand(slices.Repeat([]float64{multiplier}, m.groups)) // memory does not fail
	return found
}

// between implements source.
func (m *memory) between(low, high float64) ([]between, error) {
	width := math.Log1p((high - low) / low)
	steep := atomic.Int64{}
	return sweep(m, every, func(b *buffer, _, from, to int, into *between) {
		n := to - from
		m.ask(b, b.rates[:n], b.slopes[:n], low)
		m.ask(b, b.others[:n], b.otherSlopes[:n], high)
		before := into.size()
		into.add(b, n, width)
		if steep.Add(int64(into.size()-before)) > mostSteep {
			into.limit(-1)
		}
	}), nil
}

// A sample is one page in so many, but for the least.
const (
	sampleShare = 64
	leastSample = 1 << 13
)

// sample implements source.
func (m *memory) sample() refresh.Pages {
	n := m.problem.Pages.Len()
	return sampleOf(m.problem.Pages, min(n, max(leastSample, n/sampleShare)))
}

// sampleOf returns so many of the pages, at even distances.
func sampleOf(p refresh.Pages, size int) refresh.Pages {
	if size == p.Len() {
		return p
	}
	pick := func(numbers []float64) []float64 {
		if numbers == nil {
			return nil
		}
		picked := make([]float64, size)
		for k := range picked {
			picked[k] = numbers[int(float64(len(numbers))/float64(size)*float64(k))]
		}
		return picked
	}
	return refresh.Pages{ChangeRates: pick(p.ChangeRates), Weights: pick(p.Weights), Recalls: pick(p.Recalls), FalseRates: pick(p.FalseRates)}
}
