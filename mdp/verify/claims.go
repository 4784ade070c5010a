package verify

// This file holds the claims of a result, compared with what is proved.

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// write compares the claims of the result with what is proved.
func (c *check) write() {
	r := c.report
	r.Bounds, r.Values, r.Policy, r.Status = Finding{}, Finding{}, Finding{}, Finding{}
	r.Optimum, r.Achieved = intervals(c.optimum), intervals(c.achieved)
	c.writeBounds()
	c.writeValues()
	c.writePolicy()
	c.writeStatus()
	for _, f := range []*Finding{&r.Bounds, &r.Values, &r.Policy, &r.Status} {
		f.close()
	}
}

func intervals(proofs []proof) []Interval {
	var list []Interval
	for _, p := range proofs {
		list = append(list, p.interval())
	}
	return list
}

func (c *check) optimumText(s int) string { return "the optimum " + c.optimum[s].interval().place() }

func (c *check) writeBounds() {
	for s := range c.result.Lower {
		p, lower, upper := c.optimum[s], c.result.Lower[s], c.result.Upper[s]
		f := &c.report.Bounds
		f.add(p.atLeast(floatBound(lower)), s, p, func() (string, string) { return fmt.Sprint("lower bound ", lower), c.optimumText(s) })
		f.add(p.atMost(floatBound(upper)), s, p, func() (string, string) { return fmt.Sprint("upper bound ", upper), c.optimumText(s) })
	}
}

func (c *check) writeValues() {
	r, f := c.result, &c.report.Values
	for s, x := range r.Values {
		p := c.optimum[s]
		if r.Lower != nil {
			f.add(decide(r.Lower[s] <= x && x <= r.Upper[s]), s, p, func() (string, string) {
				return fmt.Sprint("value ", x), "its bounds are " + Interval{r.Lower[s], r.Upper[s]}.String()
			})
		} else {
			f.add(c.near(s, Interval{x, x}), s, p, func() (string, string) {
				return fmt.Sprintf("value %v within %v of its scale", x, c.tolerance(looseTolerance)), c.optimumText(s)
			})
		}
		if r.Exact == nil {
			continue
		}
		exact, text := floatBound(x), fmt.Sprint(x)
		if r.Exact[s] != nil {
			exact, text = bound{exact: r.Exact[s]}, short(r.Exact[s])
		}
		f.add(worse(p.atLeast(exact), p.atMost(exact)), s, p, func() (string, string) { return "exact value " + text, c.optimumText(s) })
	}
	if r.Values != nil {
		f.add(decide(slices.Contains(c.rows.Initial, int32(r.Initial))), r.Initial, unproved, func() (string, string) {
			return "that it is initial", fmt.Sprintf("the model begins in %d", c.rows.Initial)
		})
	}
}

// short returns a rational, or its first digits.
func short(x *big.Rat) string {
	if text := x.RatString(); len(text) <= 40 {
		return text
	}
	return x.FloatString(20) + "…"
}

func (c *check) writePolicy() {
	r, f := c.result, &c.report.Policy
	for s, a := range r.Policy {
		f.add(decide(!c.rows.isMissing(s, a)), s, unproved, func() (string, string) {
			return fmt.Sprint("action ", a), fmt.Sprintf("the actions are 0 … %d", c.rows.StateStart[s+1]-c.rows.StateStart[s]-1)
		})
	}
	for s, p := range c.achieved {
		text := func() string { return "what it achieves " + p.interval().place() }
		switch {
		case !c.maximize && c.optimum[s].upper.compare(nothingBelow) == 0: // it need not be achieved
		case r.Lower == nil:
			f.add(c.near(s, p.interval()), s, p, func() (string, string) {
				return fmt.Sprintf("that the policy is optimal within %v of its scale", c.tolerance(looseTolerance)), text() + ", " + c.optimumText(s)
			})
		default:
			claimed, verdict := r.Upper[s], p.atMost(floatBound(r.Upper[s]))
			if c.maximize {
				claimed, verdict = r.Lower[s], p.atLeast(floatBound(r.Lower[s]))
			} else if c.target != nil && verdict == Refuted && c.optimum[s].lower.compare(nothingBelow) == 0 {
				verdict = Undecided // the optimum may be −Inf
			}
			f.add(verdict, s, p, func() (string, string) { return fmt.Sprint("that the policy achieves the bound ", claimed), text() })
		}
	}
}

const (
	// converged is the status that claims something.
	converged = "converged"
	// tightTolerance is that of mdp.Settings, where a result does not say.
	tightTolerance = 1e-9
	// looseTolerance is that of numbers without bounds, where a result does not say.
	looseTolerance = 1e-6
)

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
	best := c.optimum[s].interval()
	apart := Interval{min(best.Upper, own.Upper), max(best.Lower, own.Lower)} // by so much at least
	together := Interval{min(best.Lower, own.Lower), max(best.Upper, own.Upper)}
	tolerance := c.tolerance(looseTolerance)
	return judge(within(together, tolerance, c.scale(s, best)),
		apart.Lower < apart.Upper && !within(apart, tolerance, c.ceiling(s)))
}

// writeStatus looks at the status.
func (c *check) writeStatus() {
	r, f := c.result, &c.report.Status
	if r.Status != converged || r.Lower == nil {
		return
	}
	tolerance := c.tolerance(tightTolerance)
	for s := range r.Lower {
		claimed := Interval{r.Lower[s], r.Upper[s]}
		if within(claimed, tolerance, shared(claimed)) {
			continue
		}
		scale := c.scale(s, claimed)
		verdict := judge(within(claimed, tolerance, scale), !within(claimed, tolerance, c.ceiling(s)))
		f.add(verdict, s, c.optimum[s], func() (string, string) {
			down, _ := scale.rounded()
			return "status converged", fmt.Sprintf("its bounds are %.4g apart, and %v of a scale of at least %.4g is allowed",
				claimed.Upper-claimed.Lower, tolerance, down)
		})
	}
}

// shared returns the least magnitude in an interval: where costs come to something
// in it, absolute costs come to as much at least.
func shared(i Interval) bound { return floatBound(max(i.Lower, -i.Upper, 0)) }

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

// writeClassification looks at the classification.
func (c *check) writeClassification() {
	r, f := c.result, &c.report.Classification
	defer f.close()
	if r.Classification == "" {
		return
	}
	found := c.rows.classify()
	verdict := decide(found.name == r.Classification)
	shown := "the model is " + found.name
	if found.name == "" {
		shown = "the model is " + found.atLeast + ", and perhaps unichain"
		switch r.Classification {
		case found.atLeast:
			verdict = Holds
		case unichain:
			verdict = Undecided
		}
	}
	f.add(verdict, -1, unproved, func() (string, string) { return "classification " + r.Classification, shown })
	f.add(decide(found.periodic != r.Aperiodic), -1, unproved, func() (string, string) {
		if r.Aperiodic {
			return "aperiodic", "a maximal end component has a period"
		}
		return "periodic", "no maximal end component has a period"
	})
}
