package estimate

// This file has confidence intervals.

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Interval returns a confidence interval of the change rate that holds it with at least
// the probability confidence, between 0 and 1, however few accesses there are. With X the
// number of accesses that see a change, x of them here, and α = 1 − confidence,
//
//	P(X ≥ x) = α/2 at the rate lower,   P(X ≤ x) = α/2 at the rate upper.
//
// X has a Poisson-binomial law, which gets larger with the rate. With equal gaps it is a
// binomial one, and these are the limits of Clopper and Pearson. As X is a whole number the
// interval holds the rate more often than asked for, the more so the fewer accesses there
// are. Nothing is smoothed: where no access saw a change, lower is 0, and where every
// access did, upper is +Inf. Tails of more than 24 terms out of more than 256 accesses are
// approximated, to 1 % of themselves: by 0.025 % of probability for an interval of 95 %.
// Where α/2 is below 1e−15, it counts as that.
//
// How many accesses saw a change, and not which, is all that counts here. That loses
// little: in a gap so short or so long that it would matter, the outcome is next to certain.
//
// Gaps that were merged (see [History]) count at the mean of their group. An empty
// history gives [ErrNoHistory].
//
// Source: C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits
// illustrated in the case of the binomial, Biometrika 26 (1934).
func (h *History) Interval(confidence float64) (lower, upper float64, err error) {
	if err := checkConfidence(confidence); err != nil {
		return math.NaN(), math.NaN(), err
	}
	x := h.Changes()
	t := h.trials()
	if t.n == 0 {
		return math.NaN(), math.NaN(), ErrNoHistory
	}
	lower, upper = 0, math.Inf(1)
	const leastTail = 1e-15 // that rounding leaves of 1 − tail
	tail := max((1-confidence)/2, leastTail)
	if x > 0 {
		lower = t.rate(x-1, 1-tail)
	}
	if x < t.n {
		upper = t.rate(x, tail)
	}
	return lower, upper, nil
}

func checkConfidence(confidence float64) error {
	if !(confidence > 0 && confidence < 1) {
		return fmt.Errorf("estimate: confidence: %s", wording.Invalid(confidence, "a number between 0 and 1"))
	}
	return nil
}

// rate returns the rate at which P(X ≤ x) is a given probability. In the logarithm of the
// rate, the quantile of the normal law that belongs to P(X ≤ x) is nearly linear. Regula
// falsi with the weights of Anderson and Björck finds the root on that scale.
func (t *trials) rate(x int64, probability float64) float64 {
	want := distuv.UnitNormal.Quantile(probability)
	away := func(logRate float64) float64 {
		const least, most = 1e-300, 1 - 0x1p-53
		return distuv.UnitNormal.Quantile(min(max(t.atMost(x, math.Exp(logRate)), least), most)) - want
	}
	// As many changes as at the rate at which x + ½ are expected if all gaps are the mean gap.
	total := 0.
	for g, count := range t.counts {
		total += count * t.gaps[g]
	}
	n := float64(t.n)
	a := math.Log(-math.Log1p(-(float64(x)+0.5)/n) / (total / n))
	fa := away(a)
	// The standard deviation of the logarithm of the rate is some 1/√(x+1); the root is within
	// a few of them.
	const leastStep = 1e-6 // where want is 0
	step := max(math.Abs(want), leastStep) / math.Sqrt(min(float64(x), n-float64(x)-1)+1)
	if fa <= 0 { // P(X ≤ x) falls as the rate rises
		step = -step
	}
	b := a + step
	fb := away(b)
	for ; (fa > 0) == (fb > 0); step *= 2 {
		a, fa = b, fb
		b += step
		fb = away(b)
	}
	for range maxNewton {
		c := b - fb*(b-a)/(fb-fa)
		if !(c > min(a, b) && c < max(a, b)) {
			c = a + (b-a)/2
		}
		if math.Abs(c-b) <= 1e-12 {
			break
		}
		fc := away(c)
		if (fc > 0) == (fb > 0) {
			weight := 1 - fc/fb
			if weight <= 0 {
				weight = 0.5
			}
			fa *= weight
		} else {
			a, fa = b, fb
		}
		b, fb = c, fc
	}
	return math.Exp(b)
}
