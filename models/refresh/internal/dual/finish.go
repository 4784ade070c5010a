package refresh

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// settlements decides what each group gets.
func (s *solver) settlements(whole settlement) []settlement {
	ends := make([]settlement, s.groups)
	for g := range ends {
		if s.capped[g] {
			ends[g] = s.own[g].end(s.ownTolerance(g))
			continue
		}
		ends[g] = whole
		if whole.share > 0 && s.over[g].sum.below(s.caps[g]) < 0 {
			// Capped on one side of the blend only: the part of the other side
			// that fills the cap.
			low, high := s.under[g].sum.below(s.caps[g]), s.over[g].sum.below(s.caps[g])
			ends[g].share *= low / (low - high)
		}
	}
	return ends
}

// finish writes the rates and says how good they are.
func (s *solver) finish(rates []float64) *Solution {
	whole := s.whole.end(tolerances[s.tolerance])
	if s.plenty {
		whole = settlement{}
	}
	ends := s.settlements(whole)
	clear(s.tallies)
	for r, t := range s.settlePass(rates, ends) {
		s.tallies[s.runs[r].group].merge(&t)
	}
	all := tally{}
	for g := range s.tallies {
		all.merge(&s.tallies[g])
	}
	solution := &Solution{
		Rates: rates, Value: all.value.value(), Residual: all.residual, Used: all.used.value(), Active: all.active,
		Multiplier: multiplierOr(whole, all.greatest),
	}
	price := priceOr(whole, all.greatest)
	gap := all.gap + unused(price, all.used.below(s.Bandwidth))
	if s.groupOf != nil {
		solution.HostMultipliers = make([]float64, len(s.groupOf))
	}
	for host, g := range s.groupOf {
		solution.HostMultipliers[host] = max(solution.Multiplier, multiplierOr(ends[g], s.tallies[g].greatest))
	}
	for g := range s.tallies {
		if s.capped[g] {
			above := max(0, priceOr(ends[g], s.tallies[g].greatest)-price)
			gap += unused(above, s.tallies[g].used.below(s.caps[g]))
		}
	}
	solution.Bound = bound(s.Objective.Minimizes(), all.value, max(0, gap)+allowance*all.size)
	return solution
}

// allowance is for the rounding of each value in [Objective.Measure], up to 64
// units in the last place.
const allowance = 0x1p-46

// unused is the price of what is left of a budget; nothing where all is used, but
// for rounding if the price is infinite.
func unused(price, rest float64) float64 {
	if rest == 0 || rest < 0 && math.IsInf(price, 1) {
		return 0
	}
	return price * rest
}

// priceOr returns the price of an end, and the greatest marginal value where that
// is infinite, since all rates are as low as they may.
func priceOr(e settlement, greatest float64) float64 {
	if math.IsInf(e.at, 1) && e.share == 0 {
		return greatest
	}
	return e.price()
}

// multiplierOr is the same for the multiplier.
func multiplierOr(e settlement, greatest float64) float64 {
	return priceOr(e, greatest) * math.Exp(-e.step)
}

func bound(minimize bool, value accumulator, gap float64) float64 {
	if math.IsInf(value.high, 0) {
		return value.high
	}
	sign := 1.0
	if minimize {
		sign = -1
	}
	if math.IsInf(gap, 1) {
		return sign * gap
	}
	sum := doubledouble.TwoSum(value.high, sign*gap)
	return sum.Hi + (sum.Lo + value.low)
}

// done reports whether a solution is as good as it can be: it keeps to accuracy,
// and no page is at a bound that it would leave with a jump at a multiplier which
// is nearer than that.
func (s *solver) done(solution *Solution) bool {
	for g := range s.tallies {
		if s.tallies[g].atBounds > boundRounding {
			return false
		}
	}
	return s.met(solution, accuracy)
}

// boundRounding is what rounding makes of the marginal value of a page, relative
// to the multiplier at which it leaves a bound.
const boundRounding = 0x1p-49

// met reports whether a solution keeps to an accuracy.
func (s *solver) met(solution *Solution, accuracy float64) bool {
	gap := math.Abs(solution.Bound - solution.Value)
	tight := solution.Bound == solution.Value || gap <= accuracy*math.Abs(solution.Value) // infinite, or not
	if !(solution.Residual <= accuracy) || !tight {
		return false
	}
	if rest := s.Bandwidth - solution.Used; rest < -accuracy*s.Bandwidth || !s.plenty && rest > accuracy*s.Bandwidth {
		return false
	}
	for g := range s.tallies {
		if !s.metCap(g, accuracy) {
			return false
		}
	}
	return true
}

// metCap reports whether a group keeps to its cap.
func (s *solver) metCap(group int, accuracy float64) bool {
	most := s.caps[group]
	rest := s.tallies[group].used.below(most)
	return rest >= -accuracy*most && (!s.capped[group] || rest <= accuracy*most)
}

// refine makes the tolerances smaller that a solution which does not pass the
// test calls for: those of the capped groups that are at fault, else that of the
// whole. It returns false where there is nothing smaller.
func (s *solver) refine() bool {
	refined := false
	for g := range s.tallies {
		atFault := s.capped[g] && (s.tallies[g].residual > accuracy || s.tallies[g].atBounds > boundRounding || !s.metCap(g, accuracy))
		if atFault && int(s.ownTolerances[g]) < len(ownTolerances)-1 {
			s.ownTolerances[g]++
			refined = true
		}
	}
	if !refined && s.tolerance < len(tolerances)-1 {
		s.tolerance++
		refined = true
	}
	return refined
}
