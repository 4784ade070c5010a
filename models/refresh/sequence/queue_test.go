package sequence

// Tests of queues, against a literal one and by what they promise.

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const mostPages = 400 // of a literalQueue

// literalQueue looks at all pages for each access.
type literalQueue struct {
	pages  map[int]*Visit
	parent []int
	delay  []float64
	ready  []float64
}

func (l *literalQueue) next(now float64) int {
	best := [orders]int{-1, -1, -1}
	firsts, rate := 0, 0.0
	for page := range mostPages { // of the lowest number first
		v := l.pages[page]
		if v == nil || v.Rate == 0 {
			continue
		}
		rate += v.Rate
		kind := known
		if v.First {
			firsts++
			kind = fresh
		} else if v.Urgent {
			kind = urgent
		}
		can := v.First || v.Due-1/v.Rate <= now
		for group := v.Group; group > 0; group = l.parent[group] {
			can = can && l.ready[group] <= now
		}
		if can && (best[kind] < 0 || v.Due < l.pages[best[kind]].Due) {
			best[kind] = page
		}
	}
	page := best[known]
	if first := best[fresh]; first >= 0 && (page < 0 || l.pages[page].Due >= l.pages[first].Due ||
		l.pages[page].Due >= now+2*float64(firsts)/rate) {
		page = first
	}
	if best[urgent] >= 0 {
		page = best[urgent]
	}
	if page < 0 {
		return -1
	}
	v := l.pages[page]
	v.First = false
	v.Due = max(v.Due+1/v.Rate, now+0.5/v.Rate)
	for group := v.Group; group > 0; group = l.parent[group] {
		l.ready[group] = now + l.delay[group]
	}
	return page
}

// A queue does what the literal one does, whatever is done to both. Numbers are such
// that deadlines coincide only where both break ties alike: rates differ.
func TestQueueIsTheLiteralOne(t *testing.T) {
	runs := 200
	if testing.Short() {
		runs = 50
	}
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 3))
		q := NewQueue()
		l := &literalQueue{pages: map[int]*Visit{}, parent: []int{0}, delay: []float64{0}, ready: []float64{0}}
		for range r.IntN(6) {
			parent, delay := r.IntN(len(l.parent)), float64(r.IntN(5))
			q.AddGroup(parent, delay)
			l.parent, l.delay, l.ready = append(l.parent, parent), append(l.delay, delay), append(l.ready, math.Inf(-1))
		}
		pages := 1 + r.IntN(mostPages)
		rate := func() float64 {
			if r.IntN(5) == 0 {
				return 0
			}
			return math.Exp(r.NormFloat64()) / float64(pages)
		}
		now := 0.0
		for step := range 1000 {
			page, group := r.IntN(pages), r.IntN(len(l.parent))
			what := r.IntN(20)
			if step < pages { // many at the beginning, so that heaps are deep
				page, what = step, 2
			}
			switch {
			case what == 0 && q.Has(page):
				q.Remove(page)
				delete(l.pages, page)
			case what == 1 && q.Has(page):
				v, to := l.pages[page], rate()
				left := v.Due
				if v.Rate > 0 {
					left = (v.Due - now) * v.Rate
				}
				if to != v.Rate {
					if v.Rate, v.Due = to, left; to > 0 {
						v.Due = now + left/to
					}
				}
				q.SetRate(page, to, now)
			case what == 2:
				v := Visit{Group: group, Rate: rate(), Due: now + 10*r.NormFloat64(), Urgent: r.IntN(4) == 0}
				q.Put(page, v)
				l.pages[page] = &v
			case what == 3 && group > 0:
				l.ready[group] = now + float64(r.IntN(9)-4)
				q.SetReady(group, l.ready[group])
			case what == 4 && group > 0:
				l.delay[group] = float64(r.IntN(4))
				q.SetDelay(group, l.delay[group])
			case what < 9:
				v := Visit{Group: group, Rate: rate(), Due: 1, First: true}
				if v.Rate > 0 {
					v.Due = now + 1/v.Rate
				}
				q.Join(page, group, v.Rate, now)
				l.pages[page] = &v
			default:
				now += float64(r.IntN(3))
				if when := q.When(); when > q.now {
					// Nothing can be accessed before.
					require.Equal(t, -1, l.next(math.Nextafter(min(when, now), math.Inf(-1))), "seed %d", seed)
				}
				require.Equal(t, l.next(now), q.Next(now), "seed %d", seed)
			}
			requireHeaps(t, q)
			require.Equal(t, len(l.pages), q.length)
			for page, v := range l.pages {
				if *v != q.Visit(page) {
					t.Fatalf("seed %d: page %d is %v, not %v", seed, page, q.Visit(page), *v)
				}
			}
		}
	}
}

// requireHeaps looks at the order of all heaps, and at the places that nodes know.
func requireHeaps(t *testing.T, q *Queue) {
	heaps := []nodeHeap{q.waiting}
	for _, g := range q.groups {
		heaps = append(heaps, g.able[:]...)
	}
	for _, h := range heaps {
		for at, n := range h {
			if n.before(h[max(0, at-1)/4]) || !isGroup(n.of) && q.pages[n.of].at != int32(at) {
				t.Fatalf("index %d of a heap of %d", at, len(h))
			}
		}
	}
}

// Without groups, from the beginning on: |rate × time − accesses| < 1 for every page
// after every slot, by the exact count of Algorithm 3.
func TestQueueKeepsCounts(t *testing.T) {
	for name, rates := range rateLists() {
		if name == "tiny" || name == "huge" { // not allowed as rates
			continue
		}
		for _, joins := range []bool{false, true} {
			s, err := newPortions(rates)
			require.NoError(t, err)
			q, counts := NewQueue(), make([]float64, len(rates))
			for page, part := range s.parts {
				rate := float64(part) / float64(s.total)
				switch {
				case joins:
					q.Join(page, 0, rate, 0)
				case rate > 0:
					q.Put(page, Visit{Rate: rate, Due: 1 / rate})
				}
			}
			most := 1 + 1e-9
			if joins {
				// First accesses come before their time: what that costs others is no
				// more than a tenth of an access on these lists.
				most = 1.1
			}
			for slot := 1.0; slot <= 5_000; slot++ {
				page := q.Next(slot)
				require.GreaterOrEqual(t, page, 0, "%s: slot %v is empty", name, slot)
				counts[page]++
				for page, part := range s.parts {
					lag := slot*(float64(part)/float64(s.total)) - counts[page]
					require.LessOrEqual(t, math.Abs(lag), most, "%s: slot %v, page %d", name, slot, page)
				}
			}
		}
	}
}

// No two accesses to a group are nearer than its delay, at every level.
func TestQueueKeepsDelays(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	q := NewQueue()
	parents, delays := []int{0}, []float64{0}
	for range 4 { // addresses, of 5 domains, of 10 hosts
		address := q.AddGroup(0, 3)
		parents, delays = append(parents, 0), append(delays, 3)
		for range 5 {
			domain := q.AddGroup(address, 20)
			parents, delays = append(parents, address), append(delays, 20)
			for range 10 {
				delay := float64(r.IntN(300))
				q.AddGroup(domain, delay)
				parents, delays = append(parents, domain), append(delays, delay)
			}
		}
	}
	const pages = 3000
	for page := range pages {
		q.Join(page, r.IntN(len(parents)), 2*r.Float64()/pages, 0)
	}
	last := make([]float64, len(parents))
	for group := range last {
		last[group] = math.Inf(-1)
	}
	empty := 0
	for slot := range 100_000 {
		now := float64(slot + 1)
		page := q.Next(now)
		if page < 0 {
			require.Greater(t, q.When(), now)
			empty++
			continue
		}
		for group := q.Visit(page).Group; group > 0; group = parents[group] {
			require.GreaterOrEqual(t, now-last[group], delays[group], "group %d", group)
			last[group] = now
		}
	}
	assert.Less(t, empty, 50_000) // it is not idle for no reason
}

// NextOf takes the pages of a group only.
func TestNextOfGroup(t *testing.T) {
	q := NewQueue()
	domain := q.AddGroup(0, 2)
	host, other := q.AddGroup(domain, 0), q.AddGroup(0, 0)
	q.Put(0, Visit{Group: other, Rate: 1, Due: 1})
	q.Put(1, Visit{Group: host, Rate: 0.1, Due: 10})
	q.Put(2, Visit{Group: domain, Rate: 0.1, Due: 9})
	assert.Equal(t, 1, q.NextOf(host, 0))
	assert.Equal(t, -1, q.NextOf(domain, 1), "the domain is not ready")
	assert.Equal(t, 2, q.NextOf(domain, 2))
	assert.Equal(t, 0, q.Next(0.5), "time does not run backwards: it is 2")
	assert.Equal(t, Visit{Group: other, Rate: 1, Due: 2.5}, q.Visit(0), "an access that comes an interval late is owed by half")
}

func TestQueuePanics(t *testing.T) {
	q := NewQueue()
	assert.PanicsWithValue(t, "sequence: page 3 is not in the queue", func() { q.Remove(3) })
	assert.PanicsWithValue(t, "sequence: a group: 1 is not valid: use 0 to 0", func() { q.AddGroup(1, 0) })
	assert.PanicsWithValue(t, "sequence: a delay: -1 is not valid: use a number of 0 or more", func() { q.AddGroup(0, -1) })
	assert.PanicsWithValue(t, "sequence: a rate: -1 is not valid: use 0 or a number from 1e-300 to 1e+300", func() { q.Put(0, Visit{Rate: -1}) })
	assert.Panics(t, func() { q.Put(0, Visit{Rate: 1.5e300}) })
	assert.NotPanics(t, func() { NewQueue().Put(0, Visit{Rate: 1e300}) })
	assert.PanicsWithValue(t, "sequence: a time: NaN is not valid: use a number", func() { q.Next(math.NaN()) })
}

func BenchmarkQueue(b *testing.B) {
	for _, test := range []struct {
		name  string
		pages int
		hosts int
	}{{"1e5 pages", 1e5, 0}, {"1e6 pages", 1e6, 0}, {"1e5 pages of 5000 hosts", 1e5, 5000}, {"1e6 pages of 5000 hosts", 1e6, 5000}} {
		b.Run(test.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			q := NewQueue()
			for range test.hosts {
				q.AddGroup(0, float64(test.hosts/2))
			}
			for page := range test.pages {
				group := 0
				if test.hosts > 0 {
					group = 1 + r.IntN(test.hosts)
				}
				rate := r.ExpFloat64() / float64(test.pages)
				q.Put(page, Visit{Group: group, Rate: rate, Due: 1 / rate})
			}
			slot := 0.0
			for range 2 * test.pages {
				slot++
				q.Next(slot)
			}
			for b.Loop() {
				slot++
				q.Next(slot)
			}
		})
	}
}
