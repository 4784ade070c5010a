package estimate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Interval returns a confidence interval of the change rate: the rates Δ whose
// likelihood is not much below the greatest,
//
//	2·(ln L(Δ̂) − ln L(Δ)) ≤ q,
//
// q being the quantile of the χ² law of one degree of freedom. With many accesses
// it holds the rate with a probability close to confidence, which must be between
// 0 and 1; with few it is still the set of rates that go with what was seen, where
// Rate ± 2·StandardError may be nothing of the kind. Nothing is smoothed: where no
// access saw a change, lower is 0, and where every access did, upper is +Inf.
//
// Gaps that were merged (see [History]) count at the mean of their group. An empty
// history gives [ErrNoHistory].
//
// Source: A. W. van der Vaart, Asymptotic Statistics (1998), chapter 16.
func (h *History) Interval(confidence float64) (lower, upper float64, err error) {
	if !(confidence > 0 && confidence < 1) {
		return math.NaN(), math.NaN(), fmt.Errorf("estimate: confidence: %s", wording.Invalid(confidence, "a number between 0 and 1"))
	}
	accesses, changes := h.Accesses(), h.Changes()
	if accesses == 0 {
		return math.NaN(), math.NaN(), ErrNoHistory
	}
	depth := distuv.ChiSquared{K: 1}.Quantile(confidence) / 2
	l := likelihood{unchanged: h.unchanged.sum.Float()}
	longest := 0.
	for _, group := range h.changed {
		l.add(float64(group.count), group.mean())
		longest = max(longest, group.most)
	}
	switch changes {
	case 0:
		return 0, depth / l.unchanged, nil
	case accesses:
		// Below the lower end, which is where this is with all gaps as long as the longest.
		start := -math.Log(-math.Expm1(-depth/float64(changes))) / longest
		return l.contour(math.Inf(1), start, depth), math.Inf(1), nil
	}
	best := l.root()
	// In the logarithm of the rate, the ends if the log-likelihood were quadratic.
	away := math.Exp(math.Sqrt(2*depth/l.information(best)) / best)
	return l.contour(best, best/away, depth), l.contour(best, best*away, depth), nil
}

// contour returns the rate at which the log-likelihood is depth below that of the
// rate best, +Inf if it grows without end, on the side where start is. As the
// log-likelihood is concave in the logarithm of the rate, Newton's method leaps
// beyond the end, if it is not there yet, and from there comes back to it without
// overshooting.
func (l *likelihood) contour(best, start, depth float64) float64 {
	rate, beyond := start, false
	for range maxNewton {
		fall, slope := l.fall(best, rate)
		step := (fall - depth) / slope // of the logarithm
		if beyond && (step >= 0) != (rate > best) || step == 0 {
			break // where rounding is all that is left
		}
		beyond = beyond || fall >= depth
		next := rate * math.Exp(-step)
		if math.Abs(next-rate) <= 1e-15*rate {
			return next
		}
		rate = next
	}
	return rate
}

// fall returns ln L(best) − ln L(rate), and its derivative by the logarithm of the
// rate. Term by term, since the sums are close to each other where there are many.
func (l *likelihood) fall(best, rate float64) (fall, slope float64) {
	if !math.IsInf(best, 1) {
		fall = (rate - best) * l.unchanged
	}
	slope = rate * l.unchanged
	for i, gap := range l.gaps {
		fall -= l.weights[i] * logRatio(best*gap, rate*gap)
		slope -= l.weights[i] * rate * gap / math.Expm1(rate*gap)
	}
	return fall, slope
}

// logRatio returns ln((1 − e^{−y})/(1 − e^{−x})).
func logRatio(x, y float64) float64 {
	const near = 2 // x/y from which the difference of y and x is better than both
	const far = 30 // where e^{−x} is below rounding, and e^x may overflow
	if y < x/near || x > far {
		return math.Log(math.Expm1(-y) / math.Expm1(-x))
	}
	return math.Log1p(-math.Expm1(x-y) / math.Expm1(x))
}
