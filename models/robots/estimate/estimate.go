// Package estimate finds the rates of a search engine from what it did: λ from the times at which
// robots delivered pages, and μ from the times that indexing took. Each rate comes with a confidence
// interval, which is wider where pages come in bursts or indexing times follow each other.
package estimate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Least is the least number of gaps between pages, and of indexing times, from which a rate is
// estimated.
const Least = 10

// A Rate is an estimate of λ or μ.
type Rate struct {
	Rate         float64 // per unit of time
	Lower, Upper float64 // confidence interval
	Count        int     // of the events that it rests on
	// Dispersion is a variance divided by that for independent events: for λ, the variance of the
	// numbers of pages in equal times; for μ, that of sums of successive indexing times. It is about
	// 1 for independent events, and greater if events come in bursts or rates change.
	Dispersion float64

	parts int // in which dispersion was measured
}

// IsUneven reports whether the dispersion is above what independent events exceed in one case of 100.
func (r Rate) IsUneven() bool { return r.parts > 1 && r.Dispersion > r.usual(0.99) }

// IsRegular reports whether the dispersion is below what independent events fall short of in one case
// of 100: the events then follow a schedule, and their rate is that of the schedule.
func (r Rate) IsRegular() bool { return r.parts > 1 && r.Dispersion < r.usual(0.01) }

// usual returns the dispersion that independent events exceed with probability 1 − p.
func (r Rate) usual(p float64) float64 {
	freedom := float64(r.parts - 1)
	return distuv.ChiSquared{K: freedom}.Quantile(p) / freedom
}

// An Error says which argument is not valid.
type Error struct {
	Argument string // arrivals, services, active, pause or confidence
	Value    any
	Allowed  string
}

// Error returns a line with the argument, its value and what is allowed.
func (e *Error) Error() string {
	return "estimate: " + e.Argument + ": " + wording.Invalid(e.Value, e.Allowed)
}

// mostParts is the greatest number of parts in which dispersion is measured, and perPart the least
// number of events of each.
const (
	mostParts = 100
	perPart   = 10
)

// Arrivals returns λ, the rate of one robot: the number of gaps between pages divided by their total
// length and by the mean number of active robots. Gaps that are longer than pause do not count, since
// the crawler rested; +Inf keeps them all. The times may be in any order.
//
// The standard error of ln λ is √(d/n) for n gaps with dispersion d, or with d = 1 if d is less, and
// the interval that of a normal law. The error is an [*Error] for a time that is NaN or infinite, for
// fewer than [Least] gaps that count, and if these are all 0.
func Arrivals(times []float64, active, pause, confidence float64) (Rate, error) {
	if !(active > 0) || math.IsInf(active, 1) {
		return Rate{}, &Error{"active", active, "a positive finite number"}
	}
	if !(pause > 0) {
		return Rate{}, &Error{"pause", pause, "a number above 0"}
	}
	for _, t := range times {
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return Rate{}, &Error{"arrivals", t, "finite times"}
		}
	}
	sorted := slices.Sorted(slices.Values(times))
	length, ends := 0.0, []float64(nil) // the time that counts, and when in it pages came
	for i := 1; i < len(sorted); i++ {
		if gap := sorted[i] - sorted[i-1]; gap <= pause {
			length += gap
			ends = append(ends, length)
		}
	}
	if n := len(ends); n < Least || !(length > 0) {
		return Rate{}, &Error{"arrivals", fmt.Sprintf("%d gaps between pages, %v units of time in all", n, length), fmt.Sprintf("at least %d, not all of them 0", Least)}
	}
	counts := make([]float64, max(1, min(mostParts, len(ends)/perPart)))
	for _, at := range ends {
		part := min(len(counts)-1, int(at/length*float64(len(counts))))
		counts[part]++
	}
	dispersion := 1.0
	if mean, variance := stat.MeanVariance(counts, nil); len(counts) > 1 {
		dispersion = variance / mean
	}
	return newRate(Rate{Rate: float64(len(ends)) / length / active, Count: len(ends), Dispersion: dispersion, parts: len(counts)}, 1, confidence)
}

// Services returns μ: 1 divided by the mean of the indexing times, which are in the order in which
// they were measured.
//
// The standard error of ln μ is c·√(d/n) for n times with coefficient of variation c and dispersion d,
// or with d = 1 if d is less. The error is an [*Error]: there have to be at least [Least] times, none
// negative, NaN or infinite, and not all 0.
func Services(times []float64, confidence float64) (Rate, error) {
	for _, t := range times {
		if !(t >= 0) || math.IsInf(t, 1) {
			return Rate{}, &Error{"services", t, "finite times of 0 or more"}
		}
	}
	if len(times) < Least || slices.Max(times) == 0 {
		return Rate{}, &Error{"services", fmt.Sprintf("%d times", len(times)), fmt.Sprintf("at least %d, of which one is above 0", Least)}
	}
	mean, deviation := stat.MeanStdDev(times, nil)
	dispersion, parts := 1.0, min(mostParts, len(times)/perPart)
	if parts > 1 && deviation > 0 {
		size := len(times) / parts
		means := make([]float64, parts)
		for i := range means {
			means[i] = stat.Mean(times[i*size:(i+1)*size], nil)
		}
		dispersion = stat.Variance(means, nil) * float64(size) / (deviation * deviation)
	}
	return newRate(Rate{Rate: 1 / mean, Count: len(times), Dispersion: dispersion, parts: parts}, deviation/mean, confidence)
}

// newRate gives a rate its interval; variation is the coefficient of variation of one event.
func newRate(r Rate, variation, confidence float64) (Rate, error) {
	if !(confidence > 0 && confidence < 1) {
		return Rate{}, &Error{"confidence", confidence, "a number between 0 and 1"}
	}
	within := distuv.UnitNormal.Quantile((1+confidence)/2) * variation * math.Sqrt(max(1, r.Dispersion)/float64(r.Count))
	r.Lower, r.Upper = r.Rate*math.Exp(-within), r.Rate*math.Exp(within)
	return r, nil
}
