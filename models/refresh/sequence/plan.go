package sequence

// The sequence of a queue: plans that go on, and keep delays.

import (
	"fmt"
	"math"
)

// A Plan is a sequence from visits that are known, such as those of a [Past], and with
// groups that have delays. Each slot is that of the page that is due first, among those
// whose groups need not wait, and the page is then due again after 1/ρ: intervals begin with
// accesses, early or late, and not with deadlines as in [EarliestDeadlineFirst]. A slot in
// which all pages have to wait is empty: its page is −1.
//
// Rates are shares of the slots. Only their ratios matter where no delay keeps pages waiting.
type Plan struct {
	counted
	queue *Queue
}

// A Group is a set of pages that keeps a delay between its accesses, such as a host.
type Group struct {
	// Parent is a group before this one in the list that it is part of, −1 for none: the
	// registered domain of a host, or its address.
	Parent int

	// Delay is the least number of slots from one access to the next. What is not a
	// whole number counts as the next one.
	Delay float64

	// Ready is the slot from which on the group may be accessed: see [Accessed].
	Ready float64
}

// What rounding may have added to a delay is forgiven.
const forgiven = 1 - 0x1p-40

// Slots returns the delay in whole slots, as plans keep it.
func (g Group) Slots() float64 { return math.Ceil(g.Delay * forgiven) }

// Accessed has a group, and those that contain it, wait after an access in a slot, or between
// two, before the plan. group is an index of groups, −1 for none.
func Accessed(groups []Group, group int, slot float64) {
	for ; group >= 0; group = groups[group].Parent {
		g := &groups[group]
		g.Ready = max(g.Ready, slot+g.Delay*forgiven)
	}
}

// NewVisits returns the visits of a plan that does not go on from the past: shares of the slots
// in proportion to rates, and first accesses after a whole interval.
func NewVisits(rates []float64) []Visit {
	sum := 0.0
	for _, rate := range rates {
		sum += rate
	}
	visits := make([]Visit, len(rates))
	for page, rate := range rates {
		share := rate / sum
		if visits[page] = (Visit{Rate: share, Due: 1}); share > 0 {
			visits[page].Due = 1 / share
		}
	}
	return visits
}

// FitDelays cuts the rates of groups that ask for more accesses than their delays
// allow, one in each delay: all rates of such a group by the same factor. No rates up
// to the given ones that delays allow have a greater sum. Visits keep the part of their
// interval that has passed at slot 0. FitDelays returns the indices of the groups whose
// rates have been cut, and the sum of the rates that is lost. The group of a visit is an
// index of groups + 1, or 0 for none.
func FitDelays(visits []Visit, groups []Group) (cut []int, lost float64) {
	sums := make([]float64, len(groups)+1)
	for _, v := range visits {
		sums[v.Group] += v.Rate
	}
	factors := make([]float64, len(groups)+1)
	for group := len(groups); group > 0; group-- {
		g, most := groups[group-1], 1.0
		if delay := g.Slots(); delay > 1 {
			most = 1 / delay
		}
		factors[group] = 1
		if sum := sums[group]; sum > most*(1+0x1p-40) {
			factors[group], sums[group] = most/sum, most
			cut = append(cut, group-1)
			lost += sum - most
		}
		sums[g.Parent+1] += sums[group]
	}
	factors[0] = 1
	for group := range groups {
		factors[group+1] *= factors[groups[group].Parent+1]
	}
	for page := range visits {
		v := &visits[page]
		if factor := factors[v.Group]; factor < 1 && v.Rate > 0 {
			v.Due /= factor
			v.Rate *= factor
		}
	}
	return cut, lost
}

// NewPlan returns the plan for visits, from slot 0 on: a group of theirs is an index of
// groups + 1, or 0 for none. It takes the same rates as [NewEarliestDeadlineFirst],
// with a sum of at most 1, and the same errors. It panics where a group does not exist.
func NewPlan(visits []Visit, groups []Group) (*Plan, error) {
	rates, sum := make([]float64, len(visits)), 0.0
	for page, v := range visits {
		rates[page] = v.Rate
		sum += v.Rate
	}
	if _, err := newPortions(rates); err != nil {
		return nil, err
	}
	if sum > 1+1e-9 {
		return nil, fmt.Errorf("sequence: rates that sum to %v are more than one access in each slot", sum)
	}
	p := &Plan{queue: NewQueue()}
	p.queue.early = true
	for _, g := range groups {
		p.queue.AddGroup(g.Parent+1, g.Slots())
	}
	p.queue.advance(0)
	for page, v := range visits {
		if v.Rate < leastRate {
			v = v.After(0, 0) // once in more slots than there are
		}
		p.queue.Put(page, v)
	}
	for group, g := range groups {
		if g.Ready > 0 {
			p.queue.SetReady(group+1, g.Ready)
		}
	}
	return p, nil
}

// Next returns the page of the next slot, −1 if it is empty.
func (p *Plan) Next() int {
	p.slot++
	return p.queue.Next(float64(p.slot))
}
