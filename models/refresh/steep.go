package refresh

import (
	"math"
)

// The demand of [FixedOrder] falls so steeply where a page is given up, from some
// 3% of its change rate to nothing within the last 10⁻¹⁶ of λ, that the multiplier
// of the whole often lies on such a flank, and halving the interval takes a pass
// for each of 50 bits. Once the interval is short, all but a few pages are linear
// on it: those few are looked for in one pass, the multiplier is found with them
// alone, and a pass on either side of it confirms it.

const (
	steepWidth  = 0x1p-22 // width of the interval, in ln λ, from which on the rest is linear
	steepAfter  = 7       // observations before which Newton's method is left alone
	steepLinear = 1e-2    // relative deviation from a line that makes a page steep
	mostSteep   = 1 << 16 // pages
)

// isSteep reports whether the search for the whole needs help.
func (s *solver) isSteep() bool {
	low, high := s.whole.over.multiplier, s.whole.under.multiplier
	if s.whole.observed < steepAfter || s.whole.observed < s.steepened+steepAfter || !(high < low*(1+steepWidth)) {
		return false
	}
	for g := range s.caps { // the same groups share on both sides
		if (s.over[g].sum.below(s.caps[g]) < 0) != (s.under[g].sum.below(s.caps[g]) < 0) {
			return false
		}
	}
	return true
}

// steepPages returns the pages whose demand is not linear between the two sides.
func (s *solver) steepPages() Problem {
	low, high := s.whole.over.multiplier, s.whole.under.multiplier
	width := math.Log(high / low)
	found := make([]Problem, len(s.runs))
	s.passes++
	s.each(s.team, func(r int) {
		g := s.runs[r].group
		if s.under[g].sum.below(s.caps[g]) < 0 {
			return
		}
		p := &found[r]
		s.chunks(s.runs[r], func(b *buffer, from, to int) {
			n := to - from
			rates, slopes, others, steepness := b.rates[:n], b.slopes[:n], b.others[:n], b.settled[:n]
			s.ask(b, rates, slopes, low)
			s.ask(b, others, steepness, high)
			for i, rate := range rates {
				drop := rate - others[i]
				if line := (slopes[i] + steepness[i]) / 2 * width; math.Abs(drop-line) > steepLinear*drop {
					p.ChangeRates = append(p.ChangeRates, b.pages.ChangeRates[i])
					p.Weights = append(p.Weights, b.pages.Weight(i))
					p.Least = append(p.Least, b.lowest(i))
					p.Greatest = append(p.Greatest, b.highest(i, s.fastest))
				}
			}
		})
	})
	all := Problem{Objective: s.Objective}
	for _, p := range found {
		all.ChangeRates = append(all.ChangeRates, p.ChangeRates...)
		all.Weights = append(all.Weights, p.Weights...)
		all.Least = append(all.Least, p.Least...)
		all.Greatest = append(all.Greatest, p.Greatest...)
	}
	return all
}

// steepen shortens the interval of the search for the whole around the
// multiplier that the steep pages and the line through the rest suggest.
func (s *solver) steepen() {
	s.steepened = s.whole.observed
	steep := s.steepPages()
	if steep.Len() == 0 || steep.Len() > mostSteep {
		return
	}
	low, high := s.whole.over, s.whole.under
	o := newOptimizer(&steep, s.team)
	demandAt := func(multiplier float64) demand {
		all := demand{}
		for r := range o.runs {
			d := o.demandOf(r, multiplier)
			all.sum.merge(d.sum)
			all.slope += d.slope
		}
		return all
	}
	// What the others leave, as a line between the two sides.
	atLow, atHigh := demandAt(low.multiplier), demandAt(high.multiplier)
	leftLow, leftHigh := low.residual+atLow.sum.value(), high.residual+atHigh.sum.value()
	slope := (leftHigh - leftLow) / (high.multiplier - low.multiplier)

	local := newSearch(high.residual)
	local.observe(low)
	local.observe(high)
	for n := 0; n < maxObservations && !local.closedTo(narrow/4); n++ {
		multiplier := local.next()
		d := demandAt(multiplier)
		left := leftLow + slope*(multiplier-low.multiplier)
		local.observe(point{multiplier, d.sum.below(left), d.slope + slope*multiplier})
	}
	if below := local.over.multiplier * (1 - narrow/4); below > low.multiplier {
		s.look(below)
	}
	if above := local.under.multiplier * (1 + narrow/4); above < s.whole.under.multiplier && above > s.whole.over.multiplier {
		s.look(above)
	}
}
