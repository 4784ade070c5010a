package estimate

// This file has confidence intervals.

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Interval returns a confidence interval of the change rate that holds it with at least
// the probability confidence, between 0 and 1, however few accesses there are. With x of n
// accesses that saw a change, lower and upper are the rates at which the mean probability of
// an access to see one,
//
//	p(Δ) = Σ (1 − e^{−Δτ}) / n,
//
// is the lower and the upper limit of Clopper and Pearson for x of n trials. Nothing is
// smoothed: where no access saw a change, lower is 0, and where every access did, upper is
// +Inf. Where (1 − confidence)/2 is below 1e−15, it counts as that.
//
// With equal gaps these are the limits of Clopper and Pearson themselves. With different
// ones the number X of accesses that see a change has a Poisson-binomial law. By Hoeffding's
// theorem it is in each range a ≤ X ≤ b, a ≤ np ≤ b, at least as often as a binomial one of
// the same mean np. That is all that the proof for equal gaps needs, from a confidence of
// 50 % on; where no whole number but 0 or n is in the range, the probability of another
// number is at most that mean, or n less the mean. The interval is wider than need be where
// some gaps are so long that they always see a change.
//
// Gaps count at the mean of their group (see [History]). An empty history gives
// [ErrNoHistory].
//
// Sources: C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits
// illustrated in the case of the binomial, Biometrika 26 (1934); W. Hoeffding, On the
// distribution of the number of successes in independent trials, Annals of Mathematical
// Statistics 27 (1956), theorem 5.
func (h *History) Interval(confidence float64) (lower, upper float64, err error) {
	if err := checkConfidence(confidence); err != nil {
		return math.NaN(), math.NaN(), err
	}
	n, x := float64(h.Accesses()), float64(h.Changes())
	if n == 0 {
		return math.NaN(), math.NaN(), ErrNoHistory
	}
	lower, upper = 0, math.Inf(1)
	const leastTail = 1e-15 // so that rounding does not make 1 − tail 1
	tail := max((1-confidence)/2, leastTail)
	if x > 0 {
		lower = h.rateOf(mathext.InvRegIncBeta(x, n-x+1, tail))
	}
	if x < n {
		upper = h.rateOf(1 - mathext.InvRegIncBeta(n-x, x+1, tail))
	}
	return lower, upper, nil
}

func checkConfidence(confidence float64) error {
	if !(confidence > 0 && confidence < 1) {
		return fmt.Errorf("estimate: confidence: %s", wording.Invalid(confidence, "a number between 0 and 1"))
	}
	return nil
}

// rateOf returns the rate Δ at which p(Δ) is a given probability. As p is concave, Newton's
// method climbs to the root from the left, where Jensen's inequality has it start: at the rate
// for which all gaps are the mean gap, which is the root where they are equal.
func (h *History) rateOf(probability float64) float64 {
	n, sum := float64(h.Accesses()), 0.
	for i := range h.groups {
		sum += h.groups[i].Sum.Float()
	}
	rate := -math.Log1p(-probability) / (sum / n)
	for range maxNewton {
		missing, slope := n*probability, 0.
		for i := range h.groups {
			count, gap := float64(h.groups[i].Count), h.groups[i].mean()
			missing += count * math.Expm1(-rate*gap)
			slope += count * gap * math.Exp(-rate*gap)
		}
		next := rate + missing/slope
		if !(next > rate*(1+1e-14)) {
			break
		}
		rate = next
	}
	return rate
}
