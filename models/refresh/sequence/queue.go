package sequence

// The queue of pages by deadline, which pages join and leave, and which is polite.

import (
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// A Queue says which page to access next, while pages join, leave and change
// their rates, and while hosts have a delay after each access. Of the accesses that may
// take place it gives out the one of the earliest deadline: access by access, the sequence
// of [EarliestDeadlineFirst].
//
// A page of rate ρ has an access in every interval of length 1/ρ. The end of the
// present interval is when it is due; from its beginning on it may be given out, and is
// then due at the end of the next. A page's intervals follow each other from one due
// time to the next, whenever its accesses take place. That is why accesses stay within
// one of rate × time, however often a plan is made anew. What a page is owed beyond
// half an access, after long neglect, is forgiven.
//
// When a rate changes, the part of the interval that has passed is kept: with
// θ = 1 − (due − now)·ρ, the page is due at now + (1 − θ)/ρ′. θ is below 0 where
// the access has come early, and above 1 where it is late. A page last fetched
// at t, of which no more is known, is due at t + 1/ρ.
//
// Pages may belong to groups, and groups to other groups: a host, a registered
// domain, an address. Two accesses to a group are never nearer to each other than
// its delay. A page whose groups are not ready waits, and the next one comes first.
// Urgent pages that may be accessed come before all others: see [Visit].
//
// Times and delays are in any one unit of time, from any origin, and rates in
// accesses per unit. With slots as the unit whole numbers stay exact. All
// bookkeeping takes O(log n) steps an access and about 50 bytes a page. Equal
// deadlines go to the lowest page: the order depends on nothing but the calls.
//
// A Queue is for one goroutine at a time. [NewQueue] makes one. Methods panic for
// a page that is not in the queue, a group that does not exist, and numbers that
// are not allowed.
//
// Source: Azar et al., Algorithm 3, for pages that stay.
type Queue struct {
	now     float64
	early   bool    // accesses may come before their intervals, which begin with them: see Plan
	rate    float64 // Σρ
	firsts  int     // pages with a rate that wait for their first access
	length  int
	pages   []queuedPage
	groups  []queuedGroup // 0 is that of all pages, without a delay
	waiting nodeHeap      // by the time when a page is released or a group ready
}

// A Visit is when to access a page.
type Visit struct {
	// Group that the page belongs to, from AddGroup; 0 for none.
	Group int

	// Rate of accesses: 0, for none at present, or positive.
	Rate float64

	// Due is the end of the page's present interval. A page of rate 0 has 1 − θ
	// here, the part of an interval that will be left when it gets a rate.
	Due float64

	// First says that the page has joined and waits for its first access: see
	// [Queue.Join].
	First bool

	// Urgent says that the page, once it may be accessed, comes before all that are not
	// urgent, whatever their deadlines, unless it waits for its first access. It is meant for
	// pages with a greatest interval, which would become longer if pages that are late came first.
	Urgent bool
}

// After returns the visit of a page with another rate, for a plan that begins at time 0
// where another has come to time now. The part of the interval that has passed stays as
// it is.
func (v Visit) After(now, rate float64) Visit {
	left := v.Due
	if v.Rate > 0 {
		left = (v.Due - now) * v.Rate
	}
	v.Rate, v.Due = rate, left
	if rate > 0 {
		v.Due = left / rate
	}
	return v
}

// A queuedPage is a [Visit] and where the page is.
type queuedPage struct {
	rate, due float64
	group     int32
	at        int32 // index in its heap
	in        byte
	first     bool
	urgent    bool
}

type queuedGroup struct {
	delay  float64
	ready  float64          // time from which on it may be accessed
	able   [orders]nodeHeap // by deadline: the pages that may be accessed
	above  [orders]bool     // it is in the same heaps of its parent
	waits  bool             // it is in Queue.waiting
	at     [orders]int32    // its indices in these heaps; at[0] is that in Queue.waiting, if it waits
	parent int32
}

// The heaps of a group.
const (
	known  = iota // accessed before, and not urgent
	fresh         // not accessed before
	urgent        // accessed before, and urgent
	orders
)

// NewQueue returns an empty queue.
func NewQueue() *Queue {
	return &Queue{now: math.Inf(-1), groups: []queuedGroup{{ready: math.Inf(-1), parent: -1}}}
}

// AddGroup adds a group of pages that keeps a delay of 0 or more, inside another
// group or, for 0, by itself. It returns its number: 1, 2 and so on.
func (q *Queue) AddGroup(parent int, delay float64) (group int) {
	q.mustHaveGroup(parent)
	mustBe(delay >= 0, "a delay", delay, "a number of 0 or more")
	q.groups = append(q.groups, queuedGroup{delay: delay, ready: math.Inf(-1), parent: int32(parent)})
	return len(q.groups) - 1
}

// SetDelay changes the delay of a group, from its next access on.
func (q *Queue) SetDelay(group int, delay float64) {
	q.mustHaveGroup(group)
	mustBe(delay >= 0, "a delay", delay, "a number of 0 or more")
	q.groups[group].delay = delay
}

// Ready returns the time from which on a group may be accessed, for its own delay:
// −Inf before its first access.
func (q *Queue) Ready(group int) float64 {
	q.mustHaveGroup(group)
	return q.groups[group].ready
}

// SetReady changes the time from which on a group may be accessed: because of
// accesses before the queue was made, or a host that asks for a pause.
func (q *Queue) SetReady(group int, ready float64) {
	q.mustHaveGroup(group)
	mustBe(!math.IsNaN(ready), "a time", ready, "a number")
	q.groups[group].ready = ready
	q.settle(group)
}

// Has reports whether a page is in the queue.
func (q *Queue) Has(page int) bool {
	return page >= 0 && page < len(q.pages) && q.pages[page].in != outside
}

// leastRate is the least one but 0.
const leastRate = 1e-300

// Put adds a page whose due time is known, or replaces the visit of one that is in the
// queue. The caller numbers the pages, best without large gaps. Pages that have never
// been accessed come by [Queue.Join].
func (q *Queue) Put(page int, v Visit) {
	q.mustHaveGroup(v.Group)
	mustBe(page >= 0 && page < maxPages, "a page", page, fmt.Sprintf("0 to %d", maxPages-1))
	mustBe(v.Rate == 0 || v.Rate >= leastRate && v.Rate <= 1/leastRate, "a rate", v.Rate, fmt.Sprintf("0 or a number from %v to %v", leastRate, 1/leastRate))
	mustBe(!math.IsNaN(v.Due), "a time", v.Due, "a number")
	if q.Has(page) {
		q.Remove(page)
	}
	for page >= len(q.pages) {
		q.pages = append(q.pages, queuedPage{})
	}
	q.pages[page] = queuedPage{rate: v.Rate, due: v.Due, group: int32(v.Group), first: v.First, urgent: v.Urgent}
	q.rate += v.Rate
	q.length++
	if v.First && v.Rate > 0 {
		q.firsts++
	}
	q.enter(page)
	q.settle(v.Group)
}

// Join adds a page that has never been accessed. Its first interval begins now, so that
// its accesses stay within one of rate × time. But its first access comes sooner where
// that makes no other access late: before every access whose deadline is further away
// than twice the time that the first accesses of all new pages take.
func (q *Queue) Join(page, group int, rate, now float64) {
	due := 1.0
	if rate > 0 {
		due = now + 1/rate
	}
	q.advance(now)
	q.Put(page, Visit{Group: group, Rate: rate, Due: due, First: true})
}

// Visit returns when to access a page next.
func (q *Queue) Visit(page int) Visit {
	q.mustHave(page)
	p := &q.pages[page]
	return Visit{Group: int(p.group), Rate: p.rate, Due: p.due, First: p.first, Urgent: p.urgent}
}

// SetRate changes the rate of a page from now on. The part of its interval that has
// passed stays as it is.
func (q *Queue) SetRate(page int, rate, now float64) {
	q.mustHave(page)
	q.advance(now)
	if v := q.Visit(page); rate != v.Rate {
		if v = v.After(now, rate); rate > 0 {
			v.Due += now
		}
		q.Put(page, v)
	}
}

// Remove takes a page out of the queue.
func (q *Queue) Remove(page int) {
	q.mustHave(page)
	p := &q.pages[page]
	q.take(page)
	q.settle(int(p.group))
	if p.first && p.rate > 0 {
		q.firsts--
	}
	q.rate -= p.rate
	q.length--
	p.in = outside
	if q.length == 0 {
		q.rate = 0 // without what rounding has left
	}
}

// Next takes the access that comes first of those that may take place now, and
// returns its page, −1 where there is none: see [Queue.When]. Time does not run
// backwards: an earlier now than that of the call before counts as that one.
func (q *Queue) Next(now float64) (page int) { return q.NextOf(0, now) }

// NextOf is [Queue.Next] for the pages of one group, and of those inside it.
func (q *Queue) NextOf(group int, now float64) (page int) {
	q.mustHaveGroup(group)
	q.advance(now)
	for above := int32(group); above >= 0; above = q.groups[above].parent {
		if q.groups[above].ready > q.now {
			return -1
		}
	}
	g := &q.groups[group]
	order := known
	switch {
	case len(g.able[urgent]) > 0:
		order = urgent
	case len(g.able[fresh]) > 0 && (len(g.able[known]) == 0 || q.leaves(g)):
		order = fresh
	case len(g.able[known]) == 0:
		return -1
	}
	of := nodeOf(group)
	for isGroup(of) {
		of = q.groups[groupOf(of)].able[order][0].of
	}
	q.access(int(of))
	return int(of)
}

// leaves reports whether a group's known pages leave time for the first access of a
// new one.
func (q *Queue) leaves(g *queuedGroup) bool {
	deadline := g.able[known][0].key
	return deadline >= g.able[fresh][0].key || deadline >= q.now+2*float64(q.firsts)/q.rate
}

// When returns the time from which on Next will have a page if it has none now: +Inf
// if it never will.
func (q *Queue) When() float64 {
	switch {
	case q.groups[0].isAble():
		return q.now
	case len(q.waiting) > 0:
		return q.waiting[0].key
	}
	return math.Inf(1)
}

// isAble reports whether a page of a group may be accessed, apart from the delays of the
// group and those above it.
func (g *queuedGroup) isAble() bool {
	return len(g.able[known])+len(g.able[fresh])+len(g.able[urgent]) > 0
}

// access counts an access of a page that may take place now.
func (q *Queue) access(page int) {
	p := &q.pages[page]
	q.take(page)
	if p.first {
		p.first = false
		q.firsts--
	}
	const owed = 0.5 // at most, after an access
	p.due = max(p.due+1/p.rate, q.now+(1-owed)/p.rate)
	if q.early {
		p.due = q.now + 1/p.rate
	}
	q.enter(page)
	for group := int(p.group); group > 0; group = int(q.groups[group].parent) {
		g := &q.groups[group]
		g.ready = q.now + g.delay
		q.settle(group)
	}
}

// advance lets time pass: pages are released and groups become ready.
func (q *Queue) advance(now float64) {
	mustBe(!math.IsNaN(now), "a time", now, "a number")
	q.now = max(q.now, now)
	for len(q.waiting) > 0 && q.waiting[0].key <= q.now {
		at := q.waiting[0].of
		if isGroup(at) {
			q.settle(groupOf(at))
		} else {
			page := int(at)
			q.take(page)
			q.enter(page)
			q.settle(int(q.pages[page].group))
		}
	}
}

// enter puts a page that is nowhere among those of its group that may be accessed, or
// those to be released later. The caller then settles the group.
func (q *Queue) enter(page int) {
	p := &q.pages[page]
	p.in = nowhere
	if p.rate == 0 {
		return
	}
	if released := p.due - 1/p.rate; released > q.now && !p.first && !q.early {
		p.in = waiting
		q.insert(&q.waiting, 0, node{released, int32(page)})
		return
	}
	p.in = able
	order := p.order()
	q.insert(&q.groups[p.group].able[order], order, node{p.due, int32(page)})
}

// order is the heap of its group that a page may be in.
func (p *queuedPage) order() int {
	switch {
	case p.first:
		return fresh
	case p.urgent:
		return urgent
	}
	return known
}

// take removes a page from where it is. The caller then settles the group.
func (q *Queue) take(page int) {
	p := &q.pages[page]
	switch p.in {
	case waiting:
		q.delete(&q.waiting, 0, p.at)
	case able:
		order := p.order()
		q.delete(&q.groups[p.group].able[order], order, p.at)
	}
	p.in = nowhere
}

// settle puts a group where it belongs, and those above it: among those that wait
// until they are ready, or where its first pages are in its parent's heaps.
func (q *Queue) settle(group int) {
	for changed := true; changed && group != 0; {
		g, of := &q.groups[group], nodeOf(group)
		blocked := g.ready > q.now
		waits := blocked && g.isAble()
		if g.waits && !waits {
			g.waits = false
			q.delete(&q.waiting, 0, g.at[0])
		}
		changed = false
		for order := range g.able {
			above := &q.groups[g.parent].able[order]
			var key node
			if len(g.able[order]) > 0 {
				key = node{g.able[order][0].key, of}
			}
			switch belongs := !blocked && key.of != 0; {
			case belongs && !g.above[order]:
				q.insert(above, order, key)
			case belongs && (*above)[g.at[order]] != key:
				q.change(above, order, g.at[order], key)
			case !belongs && g.above[order]:
				q.delete(above, order, g.at[order])
			default:
				continue
			}
			g.above[order], changed = !blocked && key.of != 0, true
		}
		if waits {
			if key := (node{g.ready, of}); g.waits {
				q.change(&q.waiting, 0, g.at[0], key)
			} else {
				g.waits = true
				q.insert(&q.waiting, 0, key)
			}
		}
		group = int(g.parent)
	}
}

func (q *Queue) mustHave(page int) {
	if !q.Has(page) {
		panic(fmt.Sprintf("sequence: page %d is not in the queue", page))
	}
}

func (q *Queue) mustHaveGroup(group int) {
	mustBe(group >= 0 && group < len(q.groups), "a group", group, fmt.Sprintf("0 to %d", len(q.groups)-1))
}

// mustBe panics for an argument that is not allowed.
func mustBe(allowed bool, what string, value any, use string) {
	if !allowed {
		panic(fmt.Sprintf("sequence: %s: %s", what, wording.Invalid(value, use)))
	}
}
