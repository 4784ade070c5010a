package dual

// What follows a search: the settlements of the groups, the result with its bound, and
// whether it is good enough or a search has to go on.

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/exactsum"
	"github.com/mdpsolve/mdpsolve/internal/fixedpoint"
)

// settlements returns the settlement of each group, which says what rates it gets.
func (s *solver) settlements() []Settlement {
	ends := make([]Settlement, len(s.groups))
	for i := range ends {
		g := &s.groups[i]
		if g.capped {
			ends[i] = g.search.End(g.tolerance())
			continue
		}
		ends[i] = s.end
		on := s.sweeper.scales[i]
		if s.end.Share > 0 && s.over[i].Sum.Below(on, g.cap) < 0 {
			// Capped on one side of the mean only: the part of the other side that
			// fills the cap.
			low, high := s.under[i].Sum.Below(on, g.cap), s.over[i].Sum.Below(on, g.cap)
			ends[i].Share *= low / (low - high)
		}
	}
	return ends
}

// finish writes the rates and says how good they are, unless the pass fails.
func (s *solver) finish(rates []float64) *Result {
	p, ends := s.sweeper.problem, s.settlements()
	for g := range s.groups {
		s.groups[g].tally = Tally{}
	}
	tallies, sum := s.sweeper.settlePass(rates, ends)
	if s.sweeper.err != nil {
		return nil
	}
	for r, t := range tallies {
		s.groups[s.sweeper.layout.runs[r].group].tally.merge(&t)
	}
	all, gap, open := Tally{}, exactsum.Sum{}, 0.0 // open: the excess of groups without a price of their own
	for i := range s.groups {
		t := &s.groups[i].tally
		all.Used.AddSum(s.sweeper.scale, t.Used, s.sweeper.scales[i])
		all.worst(t)
		if !s.groups[i].capped {
			open = max(open, t.Excess)
		}
	}
	result := &Result{
		Rates: rates, Value: sum.All.Float(), Residual: all.Residual, Used: all.Used.Float(s.sweeper.scale), Active: all.Active,
		Multiplier: multiplierOr(s.end, all.Greatest),
	}
	price, rest := priceOr(s.end, all.Greatest), all.Used.Below(s.sweeper.scale, p.Bandwidth)
	gap.Add(moved(open, s.end))
	gap.Add(unused(price, rest))
	if p.Hosts != nil {
		result.HostMultipliers = make([]float64, len(p.HostCaps))
	}
	for host, g := range s.sweeper.layout.groupOf {
		result.HostMultipliers[host] = max(result.Multiplier, multiplierOr(ends[g], s.groups[g].tally.Greatest))
	}
	for i := range s.groups {
		if g := &s.groups[i]; g.capped {
			above := max(0, priceOr(ends[i], g.tally.Greatest)-price)
			gap.Add(moved(g.tally.Excess, ends[i]))
			gap.Add(unused(above, g.tally.Used.Below(s.sweeper.scales[i], g.cap)))
		}
	}
	s.rest = rest
	result.Bound = bound(p.Minimize, sum, max(0, gap.Float())+allowance*sum.size())
	return result
}

// moved bounds what the rates of a settlement lose beside those that are wanted at its
// price. The factor makes up for the rounding of slopes.
func moved(excess float64, e Settlement) float64 {
	if excess == 0 || e.Rest == 0 {
		return 0
	}
	return 2 * excess * e.Rest
}

// allowance bounds the rounding of each value in [Objective.Measure], relative to it: 64
// units in the last place.
const allowance = 0x1p-46

// unused is the price of what is left of a budget. It is 0 if nothing is left, and if the
// price is infinite and rounding alone makes rest negative.
func unused(price, rest float64) float64 {
	if rest == 0 || rest < 0 && math.IsInf(price, 1) {
		return 0
	}
	return price * rest
}

// priceOr returns the price of a settlement. An infinite one means that all rates are at
// their least: then it returns greatest, the greatest marginal value.
func priceOr(e Settlement, greatest float64) float64 {
	if math.IsInf(e.At, 1) && e.Share == 0 {
		return greatest
	}
	return e.price()
}

// multiplierOr is the same for the multiplier.
func multiplierOr(e Settlement, greatest float64) float64 {
	return priceOr(e, greatest) * math.Exp(-e.Step)
}

// bound returns the value of the dual function: the value of the rates plus gap, or
// minus gap where a cost is minimised.
func bound(minimize bool, v *Values, gap float64) float64 {
	sign := 1.0
	if minimize {
		sign = -1
	}
	switch value := v.All.Float(); {
	case math.IsInf(value, 0):
		return value
	case math.IsInf(gap, 1):
		return sign * gap
	}
	sum := v.All
	sum.Add(sign * gap)
	return sum.Float()
}

// done reports whether a result is as good as it can be: it keeps to accuracy, and the
// rates of no group are uncertain.
func (s *solver) done(result *Result) bool {
	for g := range s.groups {
		if s.groups[g].tally.uncertain() {
			return false
		}
	}
	return s.met(result, accuracy)
}

// SteepSlope is the greatest slope of a page, relative to its rate or to the mean rate,
// with which Newton's step may be the last: rounding of λ moves no rate by more than
// 3e-10 of that.
const SteepSlope = 0x1p20

// longestStep is what a page's rate may move by on that step, in the same terms. The
// error that remains is about its square, 6e-11.
const longestStep = 0x1p-17

// boundRounding bounds the rounding of the marginal value of a page, relative to the
// multiplier at which it leaves a bound.
const boundRounding = 0x1p-49

// uncertain reports whether a page may have a rate that is off by more than 1e-9: it
// is steep, or would leave its bound at a multiplier that is not far enough away.
func (t *Tally) uncertain() bool {
	return t.Step > longestStep || t.AtBounds > boundRounding
}

// met reports whether a result keeps to an accuracy.
func (s *solver) met(result *Result, accuracy float64) bool {
	gap := math.Abs(result.Bound - result.Value)
	tight := result.Bound == result.Value || gap <= accuracy*math.Abs(result.Value) // infinite, or not
	if !(result.Residual <= accuracy) || !tight {
		return false
	}
	bandwidth := s.sweeper.problem.Bandwidth
	if s.rest < -accuracy*bandwidth || !s.plenty && s.rest > accuracy*bandwidth {
		return false
	}
	for g := range s.groups {
		if !s.groups[g].met(s.sweeper.scales[g], accuracy) {
			return false
		}
	}
	return true
}

// met reports whether a group keeps to its cap.
func (g *group) met(on *fixedpoint.Scale, accuracy float64) bool {
	rest := g.tally.Used.Below(on, g.cap)
	return rest >= -accuracy*g.cap && (!g.capped || rest <= accuracy*g.cap)
}

// refine tightens tolerances after a result that is not done: those of the capped groups
// at fault or, if there are none, the grid of the whole search. It returns false if none
// can be tightened.
func (s *solver) refine() bool {
	refined := false
	for i := range s.groups {
		g := &s.groups[i]
		atFault := g.capped && (g.tally.Residual > accuracy || g.tally.uncertain() || !g.met(s.sweeper.scales[i], accuracy))
		if atFault && g.level < len(tolerances)-1 {
			g.level++
			refined = true
		}
	}
	return refined || s.raise()
}
