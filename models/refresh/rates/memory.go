package rates

// Pages in memory: what they demand at a multiplier, in passes on several workers.

import (
	"math"
	"slices"
	"sync"

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

// memory is pages in groups: the pages of each host are a group. Without hosts there is one.
type memory struct {
	objective refresh.Objective
	pages     refresh.Pages
	fastest   float64 // greatest rate of any page
	all       int     // pages, elsewhere too
	team      *parallel.Team
	rates     []float64 // that settle writes

	caps   []float64 // by group
	groups int       // how many
	order  []int32   // pages by group; nil: as they are
	runs   []run
}

// run is a range of positions of one group.
type run struct{ group, from, to int }

// newMemory returns pages in one group.
func newMemory(objective refresh.Objective, pages refresh.Pages, team *parallel.Team) *memory {
	m := &memory{objective: objective, pages: pages, all: pages.Len(), team: team, caps: []float64{math.Inf(1)}}
	_, m.fastest = (&refresh.Problem{Objective: objective}).Limits()
	m.cut([]int{0, pages.Len()})
	return m
}

// newHosts groups the pages of a problem by host, by counting.
func newHosts(p *refresh.Problem, team *parallel.Team) *memory {
	m := newMemory(p.Objective, p.Pages, team)
	if len(p.HostCaps) == 0 {
		return m
	}
	m.caps, m.order = p.HostCaps, make([]int32, len(p.Hosts))
	starts := make([]int, len(m.caps)+1)
	for _, host := range p.Hosts {
		starts[host+1]++
	}
	for host := range m.caps {
		starts[host+1] += starts[host]
	}
	next := slices.Clone(starts)
	for i, host := range p.Hosts {
		m.order[next[host]] = int32(i)
		next[host]++
	}
	m.cut(starts)
	return m
}

// cut makes runs of at most block pages.
func (m *memory) cut(starts []int) {
	m.groups, m.runs = len(starts)-1, nil
	for group := range m.groups {
		for from := starts[group]; from < starts[group+1]; from += block {
			m.runs = append(m.runs, run{group, from, min(from+block, starts[group+1])})
		}
	}
}

// buffer holds the vectors of a chunk of pages. The numbers of the pages are parts of
// the problem's slices, or gathered here where pages are in an order of their own.
type buffer struct {
	refresh.Pages
	fastest float64

	gathered            [len(absent)][chunk]float64
	rates, slopes       [chunk]float64 // the demand
	others, otherSlopes [chunk]float64 // the demand at another multiplier
	settled             [chunk]float64
	values, marginals   [chunk]float64
}

var buffers = sync.Pool{New: func() any { return &buffer{} }}

// load makes the positions from … to−1 the pages of the buffer.
func (m *memory) load(b *buffer, from, to int) {
	columns := columnsOf(&m.pages)
	for c, column := range columnsOf(&b.Pages) {
		numbers := *columns[c]
		switch {
		case numbers == nil:
			*column = nil
		case m.order == nil:
			*column = numbers[from:to]
		default:
			for i, page := range m.order[from:to] {
				b.gathered[c][i] = numbers[page]
			}
			*column = b.gathered[c][:to-from]
		}
	}
}

// ask fills rates and slopes with the demand of the buffer's pages, within their limits. A page at
// a limit does not answer to the price.
func (m *memory) ask(b *buffer, rates, slopes []float64, multiplier float64) {
	m.objective.Demand(rates, slopes, b.Pages, multiplier)
	if most := b.fastest; most < math.Inf(1) {
		for i, rate := range rates {
			if rate >= most {
				rates[i], slopes[i] = most, 0
			}
		}
	}
	for i, most := range b.GreatestRates {
		if rates[i] >= most {
			rates[i], slopes[i] = most, 0
		}
	}
	for i, least := range b.LeastRates {
		if rates[i] < least {
			rates[i], slopes[i] = least, 0
		}
	}
}

// limits returns the least and the greatest rate of page i of the buffer. Methods of [refresh.Pages]
// would copy all slices for each page.
func (b *buffer) limits(i int) (least, most float64) {
	most = b.fastest
	if b.LeastRates != nil {
		least = b.LeastRates[i]
	}
	if b.GreatestRates != nil {
		most = min(most, b.GreatestRates[i])
	}
	return least, most
}

// floors implements source: it adds up the least rates.
func (m *memory) floors() []demand {
	if m.pages.LeastRates == nil {
		return make([]demand, m.groups)
	}
	return m.demandAt(math.Inf(1))
}

// sweep makes a pass over the groups that are asked: it adds up what body finds in each
// chunk, run by run and in their order, so that the sums do not depend on the workers.
func sweep[T any, P interface {
	*T
	merge(*T)
}](m *memory, at []prices, body func(b *buffer, its run, from, to int, into P),
) []T {
	found := make([]T, len(m.runs))
	const few = 8 // runs at a time: those of small hosts are short
	m.team.For((len(m.runs)+few-1)/few, func(task int) {
		b := buffers.Get().(*buffer)
		defer buffers.Put(b)
		b.fastest = m.fastest
		for r := task * few; r < min((task+1)*few, len(m.runs)); r++ {
			its := m.runs[r]
			if at[its.group] == notAsked {
				continue
			}
			for from := its.from; from < its.to; from += chunk {
				to := min(from+chunk, its.to)
				m.load(b, from, to)
				body(b, its, from, to, &found[r])
			}
		}
	})
	totals := make([]T, m.groups)
	for r := range found {
		P(&totals[m.runs[r].group]).merge(&found[r])
	}
	return totals
}

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

// look implements source.
func (m *memory) look(at []prices) ([]look, error) {
	asked := 0 // pages
	for _, its := range m.runs {
		if at[its.group] != notAsked {
			asked += its.to - its.from
		}
	}
	asked = int(float64(asked) / float64(max(1, m.pages.Len())) * float64(m.all)) // elsewhere too
	return sweep(m, at, func(b *buffer, its run, from, to int, into *look) {
		n, p := to-from, at[its.group]
		m.ask(b, b.rates[:n], b.slopes[:n], p.Low)
		into.Low.add(b.rates[:n], b.slopes[:n])
		if p.Low == p.High {
			return
		}
		m.ask(b, b.others[:n], b.otherSlopes[:n], p.High)
		into.High.add(b.others[:n], b.otherSlopes[:n])
		// Each run may have twice its share of the steep pages that are allowed in all, so that
		// their number is bounded and does not depend on the workers; and one more, as small
		// runs have a share below 1.
		most := 1 + 2*mostSteep*(its.to-its.from)/max(1, asked)
		into.split(b, n, math.Log1p((p.High-p.Low)/p.Low), most)
	}), nil
}

// demandAt returns the demand of each group at one multiplier.
func (m *memory) demandAt(multiplier float64) []demand {
	found, _ := m.look(slices.Repeat([]prices{{Low: multiplier, High: multiplier}}, m.groups)) // memory does not fail
	demands := make([]demand, len(found))
	for g := range found {
		demands[g] = found[g].Low
	}
	return demands
}

// A sample has one page in sampleShare, but at least leastSample in a shard, and at most
// mostSample in all shards.
const (
	sampleShare = 64
	leastSample = 1 << 12
	mostSample  = 1 << 22
)

// sample implements source.
func (m *memory) sample() refresh.Pages { return sample(&m.pages, 1) }

// sample returns some of the pages of one shard, of the given number of shards, at even
// distances.
func sample(p *refresh.Pages, shards int) refresh.Pages {
	n := p.Len()
	size := min(n, max(leastSample, n/sampleShare), max(1, mostSample/max(1, shards)))
	if size == n {
		return *p
	}
	var picked refresh.Pages
	columns := columnsOf(p)
	for c, column := range columnsOf(&picked) {
		if numbers := *columns[c]; numbers != nil {
			for k := range size {
				*column = append(*column, numbers[int(float64(n)/float64(size)*float64(k))])
			}
		}
	}
	return picked
}
