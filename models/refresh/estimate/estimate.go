// Package estimate estimates how often a page changes from what its accesses saw. A
// [History] keeps what the estimate needs, an [AccessLog] makes one from times and
// digests.
package estimate

import (
	"errors"
	"fmt"
	"math"
)

// Smoothing says which likelihood has no maximum among the positive finite
// rates, and what an [Estimate] rests on instead.
type Smoothing int

const (
	// NotSmoothed says that some accesses saw a change and some did not; nothing is added.
	NotSmoothed Smoothing = iota
	// NoneChanged says that no access saw a change: the likelihood is greatest at rate 0.
	// Half an access with a change is added, after the mean gap: n equal gaps τ
	// give ln((n+½)/n)/τ.
	NoneChanged
	// AllChanged says that every access saw a change: the likelihood grows with the rate
	// without end. Half an access without a change is added, after the mean gap:
	// n equal gaps τ give ln((n+½)/½)/τ, the bias-reduced estimate.
	AllChanged
)

// String returns the name of the smoothing, "not smoothed" and so on.
func (s Smoothing) String() string {
	switch s {
	case NotSmoothed:
		return "not smoothed"
	case NoneChanged:
		return "none changed"
	case AllChanged:
		return "all changed"
	}
	return fmt.Sprintf("Smoothing(%d)", int(s))
}

// An Estimate is the change rate of a page as its accesses show it.
type Estimate struct {
	// Rate is the estimated change rate, per unit of time.
	Rate float64
	// StandardError is that of Rate: 1/√I, I being the observed information, the
	// curvature of the log-likelihood at Rate. With few accesses it is a rough
	// guide.
	StandardError float64
	// Accesses that count, and those of them that saw a change.
	Accesses, Changes int64
	// Smoothing that was needed.
	Smoothing Smoothing
}

// ErrNoHistory is returned where there is no access to estimate from.
var ErrNoHistory = errors.New("estimate: no access with a gap before it: the change rate cannot be estimated")

// BiasReducedChangeRate returns the estimator of Cho and Garcia-Molina for n
// accesses at equal gaps τ = gap, x of which saw a change,
//
//	Δ = −ln((n − x + ½)/(n + ½)) / τ,
//
// whose bias is much below that of the maximum of the likelihood,
// −ln((n−x)/n)/τ, for small n.
//
// Special cases are:
//
//	BiasReducedChangeRate(n, 0, gap) = 0
//	BiasReducedChangeRate(n, x, gap) = NaN for n ≤ 0, x < 0, x > n, and gaps that are not positive and finite
//
// Source: J. Cho and H. Garcia-Molina, Estimating frequency of change, ACM
// Transactions on Internet Technology 3 (2003), section 4.2.
func BiasReducedChangeRate(accesses, changes int64, gap float64) float64 {
	if accesses <= 0 || changes < 0 || changes > accesses || !(gap > 0 && gap <= math.MaxFloat64) {
		return math.NaN()
	}
	// (n−x+½)/(n+½) = 1 − x/(n+½), near 1 where changes are rare.
	return -math.Log1p(-float64(changes)/(float64(accesses)+0.5)) / gap
}
