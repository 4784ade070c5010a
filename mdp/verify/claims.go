package verify

// This file holds the claims of a result, compared with what is proved.

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// Tolerances, where a result does not say: that of mdp.Settings, by which bounds
// have converged, and that of numbers without bounds.
const (
	tightTolerance = 1e-9
	looseTolerance = 1e-6
)

// write compares the claims of the result with what is proved.
func (c *check) write() {
	r := c.report
	r.Optimum, r.Achieved = intervals(c.optimum), intervals(c.achieved)
	for f, write := range map[*Finding]func(*Finding){
		&r.Bounds: c.writeBounds, &r.Values: c.writeValues, &r.Policy: c.writePolicy, &r.Status: c.writeStatus,
	} {
		*f = Finding{Verdict: Holds}
		write(f)
	}
}

func intervals(proofs []proof) (list []Interval) {
	for _, p := range proofs {
		list = append(list, p.interval())
	}
	return list
}

// place says where a number lies.
func place(what string, p proof) string {
	if i := p.interval(); i.Lower < i.Upper {
		return what + " lies in " + i.String()
	}
	return what + " is " + p.interval().String()
}

func (c *check) writeBounds(f *Finding) {
	for s := range c.result.Lower {
		p, lower, upper := c.optimum[s], c.result.Lower[s], c.result.Upper[s]
		f.add(p.atLeast(floatBound(lower)), s, p, func() (string, string) { return fmt.Sprint("lower bound ", lower), place("the optimum", p) })
		f.add(p.atMost(floatBound(upper)), s, p, func() (string, string) { return fmt.Sprint("upper bound ", upper), place("the optimum", p) })
	}
}

func (c *check) writeValues(f *Finding) {
	r := c.result
	for s, x := range r.Values {
		p := c.optimum[s]
		if r.Lower == nil {
			f.add(c.near(s, Interval{x, x}), s, p, func() (string, string) {
				return fmt.Sprintf("value %v within %v of its scale", x, c.tolerance(looseTolerance)), place("the optimum", p)
			})
		} else {
			f.add(decide(r.Lower[s] <= x && x <= r.Upper[s]), s, p, func() (string, string) {
				return fmt.Sprint("value ", x), "its bounds are " + Interval{r.Lower[s], r.Upper[s]}.String()
			})
		}
		if r.Exact == nil {
			continue
		}
		exact, text := floatBound(x), fmt.Sprint(x)
		if y := r.Exact[s]; y != nil {
			if exact, text = exactBound(y), y.RatString(); len(text) > 40 {
				text = y.FloatString(20) + "…"
			}
		}
		f.add(p.equals(exact), s, p, func() (string, string) { return "exact value " + text, place("the optimum", p) })
	}
	if r.Values != nil {
		f.add(decide(slices.Contains(c.rows.Initial, int32(r.Initial))), r.Initial, unproved, func() (string, string) {
			return "that it is initial", fmt.Sprintf("the model begins in %d", c.rows.Initial)
		})
	}
}

func (c *check) writePolicy(f *Finding) {
	r := c.result
	for s, a := range r.Policy {
		f.add(decide(!c.rows.isMissing(s, a)), s, unproved, func() (string, string) {
			return fmt.Sprint("action ", a), fmt.Sprintf("the actions are 0 … %d", c.rows.StateStart[s+1]-c.rows.StateStart[s]-1)
		})
	}
	for s, p := range c.achieved {
		verdict, claim := Holds, "that the policy achieves the bound %v"
		number := c.tolerance(looseTolerance)
		switch {
		case !c.maximize && c.optimum[s].upper.compare(nothingBelow) == 0:
			continue // it need not be achieved
		case r.Lower == nil:
			verdict, claim = c.near(s, p.interval()), "that the policy is optimal within %v of its scale"
		case c.maximize:
			number = r.Lower[s]
			verdict = p.atLeast(floatBound(number))
		default:
			number = r.Upper[s]
			verdict = p.atMost(floatBound(number))
		}
		if verdict == Refuted && !c.maximize && c.target != nil && c.optimum[s].lower.compare(nothingBelow) == 0 {
			verdict = Undecided // the optimum may be −Inf
		}
		f.add(verdict, s, p, func() (string, string) { return fmt.Sprintf(claim, number), place("what it achieves", p) })
	}
}

// tolerance returns the tolerance of the result, or one for results without.
func (c *check) tolerance(unknown float64) float64 {
	if c.result.Tolerance == 0 && !c.result.ZeroTolerance {
		return unknown
	}
	return c.result.Tolerance
}

// near says whether a number in an interval is within the tolerance of the optimum
// of a state.
func (c *check) near(s int, own Interval) Verdict {
	best, tolerance := c.optimum[s].interval(), c.tolerance(looseTolerance)
	apart := Interval{min(best.Upper, own.Upper), max(best.Lower, own.Lower)} // by so much at least
	together := Interval{min(best.Lower, own.Lower), max(best.Upper, own.Upper)}
	return judge(within(together, tolerance, c.scale(s, best)),
		apart.Lower < apart.Upper && !within(apart, tolerance, c.ceiling(s)))
}

func (c *check) writeStatus(f *Finding) {
	tolerance := c.tolerance(tightTolerance)
	for s := range c.result.Lower {
		i := Interval{c.result.Lower[s], c.result.Upper[s]}
		if c.result.Status != "converged" || within(i, tolerance, shared(i)) {
			continue
		}
		scale := c.scale(s, i)
		f.add(judge(within(i, tolerance, scale), !within(i, tolerance, c.ceiling(s))), s, c.optimum[s], func() (string, string) {
			return "status converged", fmt.Sprintf("its bounds are %.4g apart, and %v of a scale is allowed that is proved to be at least %.4g",
				i.Upper-i.Lower, tolerance, proof{scale, scale}.interval().Lower)
		})
	}
}

// within reports whether the ends of an interval are equal, or finite and at most
// ε times the scale apart. Nothing is rounded.
func within(i Interval, epsilon float64, scale bound) bool {
	width := i.Upper - i.Lower
	switch {
	case i.Lower == i.Upper:
		return true
	case !(width >= 0) || math.IsInf(i.Lower, 0) || math.IsInf(i.Upper, 0):
		return false
	case scale.isInfinite():
		return true
	case scale.exact == nil && width > 0x1p-900 && math.Abs(width/(epsilon*scale.Hi)-1) > 0x1p-40: // rounding does not matter
		return width < epsilon*scale.Hi
	}
	allowed := new(big.Rat).SetFloat64(epsilon)
	apart := new(big.Rat).SetFloat64(i.Upper)
	return apart.Sub(apart, new(big.Rat).SetFloat64(i.Lower)).Cmp(allowed.Mul(allowed, scale.rational())) <= 0
}

func (c *check) writeClassification() {
	r, f := c.result, &c.report.Classification
	if f.Verdict = Holds; r.Classification == "" {
		return
	}
	class, known, periodic := c.rows.classify()
	f.add(judge(r.Classification == class, known || r.Classification != unichain), -1, unproved, func() (string, string) {
		if known {
			return "classification " + r.Classification, "the model is " + class
		}
		return "classification " + r.Classification, "the model is " + class + ", and perhaps unichain"
	})
	f.add(decide(periodic != r.Aperiodic), -1, unproved, func() (string, string) {
		if r.Aperiodic {
			return "aperiodic", "a maximal end component has a period"
		}
		return "periodic", "no maximal end component has a period"
	})
}
