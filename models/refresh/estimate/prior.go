package estimate

// This file fits priors to the histories of many pages: empirical Bayes.

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/optimize"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// FittedPages is the number of pages that [Fit] looks at: it takes them at even distances
// where there are more. Their mean rate is then known to about 1 %.
const FittedPages = 20_000

// The least and greatest Shape and 1/Tail that Fit tries. With the least shape, rates differ by factors
// of e^50 or so, with the greatest by 1 %. Beyond the greatest 1/Tail, histories cannot tell a law from a
// gamma law.
const leastShape, greatestShape, leastPower, greatestPower = 0.02, 1e4, 0.2, 1e3

// Fit returns the prior under which what the histories of pages show is most probable, each
// page having a rate of its own: the maximum of
//
//	Σ_pages ln ∫ L_page(Δ)·g(Δ) dΔ − (ln Shape)²/2
//
// over gamma laws g. The last term keeps the maximum finite whatever was seen, together with a page
// that Fit adds, seen once changed and once unchanged after the mean gap. Both count for little with
// some dozens of pages or more. Laws with a Tail are tried, too, with (ln Tail)²/2 subtracted as well.
// If the maximum over these is more than e³ times as likely, it is the prior: if rates have a gamma law,
// that happens about once in a hundred times. Pages without an access do not count; if there are no
// others, the error is [ErrNoHistory]. Where the maximum cannot be found, as where pages are all alike
// or of two kinds far apart, the error is [ErrPlain], and the prior that comes with it a plain one,
// which serves: of shape 1, its mean the change rate that a page would have if all pages and gaps were
// alike.
//
// The bits of the answer do not depend on workers. When the context ends, so does Fit, with
// its error.
//
// Source: B. Efron, Large-Scale Inference (2010), chapter 1, of empirical Bayes.
func Fit(ctx context.Context, pages []*History, workers int) (Prior, error) {
	var f fit
	var gaps, changed float64
	for _, h := range spaced(pages, FittedPages) {
		if h.Accesses() == 0 {
			continue
		}
		e := evidence{}
		e.take(h)
		f.pages = append(f.pages, e)
		gaps += float64(h.Accesses())
		changed += float64(h.Changes())
	}
	if len(f.pages) == 0 {
		return Prior{}, ErrNoHistory
	}
	total := 0.
	for i := range f.pages {
		total += f.pages[i].idle + f.pages[i].busy
	}
	gap := total / gaps
	f.pages = append(f.pages, evidence{idle: gap, busy: gap, groups: []evidenceGroup{{1, gap}}})
	// As often changed as if all gaps were equal and all pages alike.
	start := []float64{0, math.Log(-math.Log1p(-(changed+0.5)/(gaps+1)) / gap)}
	prior, err := f.maximise(ctx, start, workers)
	if errors.Is(err, ErrPlain) {
		return priorAt(start), err
	}
	if err != nil {
		return Prior{}, err
	}
	const clearly, power = 3, 2.
	wide, err := f.maximise(ctx, []float64{math.Log(prior.Shape), mathext.Digamma(power) - math.Log(prior.Rate), math.Log(power)}, workers)
	if errors.Is(err, ErrPlain) {
		return prior, nil
	}
	if err == nil && float64(len(f.pages))*(f.value(pointOf(prior), make([]float64, 2), workers)-f.value(pointOf(wide), make([]float64, 3), workers)) > clearly {
		prior = wide
	}
	return prior, err
}

// ErrPlain says that no prior fits the histories best, and that a plain one is given instead.
var ErrPlain = errors.New("estimate: no prior can be fitted: a plain one serves")

// A fit is the pages that a prior is fitted to.
type fit struct{ pages []evidence }

// priorAt returns the prior of a point x: the logarithms of shape and mean of a gamma law, or of shape,
// s and b of another.
func priorAt(x []float64) Prior {
	shape := math.Exp(x[0])
	if len(x) == 2 {
		return Prior{Shape: shape, Rate: shape / math.Exp(x[1])}
	}
	power := math.Exp(x[2])
	return Prior{Shape: shape, Rate: power / math.Exp(x[1]), Tail: 1 / power}
}

// pointOf is the inverse of priorAt.
func pointOf(p Prior) []float64 {
	if p.Tail == 0 {
		return []float64{math.Log(p.Shape), math.Log(p.Shape / p.Rate)}
	}
	return []float64{math.Log(p.Shape), -math.Log(p.Tail * p.Rate), -math.Log(p.Tail)}
}

// maximise climbs from a point by the method of Broyden, Fletcher, Goldfarb and Shanno.
func (f *fit) maximise(ctx context.Context, start []float64, workers int) (Prior, error) {
	at := append([]float64(nil), start...)
	var value float64
	gradient := make([]float64, len(start))
	known := false
	evaluate := func(x []float64) {
		for i := range x {
			known = known && x[i] == at[i]
		}
		if known {
			return
		}
		copy(at, x)
		value = f.value(x, gradient, workers)
		known = true
	}
	problem := optimize.Problem{
		Func: func(x []float64) float64 { evaluate(x); return value },
		Grad: func(grad, x []float64) { evaluate(x); copy(grad, gradient) },
		Status: func() (optimize.Status, error) {
			if ctx.Err() != nil {
				return optimize.Failure, ctx.Err()
			}
			return optimize.NotTerminated, nil
		},
	}
	const tolerance = 1e-6 // of the logarithm of the probability of a page
	result, err := optimize.Minimize(problem, start, &optimize.Settings{GradientThreshold: tolerance, MajorIterations: 200}, &optimize.BFGS{})
	if ctx.Err() != nil {
		return Prior{}, ctx.Err()
	}
	// A search along a line may fail where rounding is all that is left.
	if err != nil && (result == nil || !(floats.Norm(result.Gradient, math.Inf(1)) <= 1e3*tolerance)) {
		return Prior{}, fmt.Errorf("%w: %w", ErrPlain, err)
	}
	return priorAt(result.X), nil
}

// value returns minus the logarithm of the probability of a page, on average, and its
// gradient. By the identity of Fisher, the derivative of ln ∫ L·g dΔ by a parameter is the
// mean of the derivative of ln(L·g) over the posterior of Δ.
func (f *fit) value(x, gradient []float64, workers int) float64 {
	p := priorAt(x)
	if p.Shape < leastShape || p.Shape > greatestShape || p.Tail > 0 && (1/p.Tail < leastPower || 1/p.Tail > greatestPower) {
		return math.Inf(1) // a search along a line turns back
	}
	const block = 64
	cuts := parallel.Cuts(len(f.pages), block)
	type sums struct{ logMarginal, log, rate, above, share float64 } // above is ln(1 + Δ/s), share Δ/(s + Δ)
	parts := make([]sums, len(cuts)-1)
	parallel.For(workers, len(parts), func(b int) {
		var l law
		part := &parts[b]
		for i := cuts[b]; i < cuts[b+1]; i++ {
			e := &f.pages[i]
			l.spread(p, e, sumPoints)
			part.logMarginal += l.logMarginal
			for k, weight := range l.weights {
				part.log += weight * l.logs[k]
				part.rate += weight * l.rates[k]
				if p.Tail > 0 {
					ratio := p.Tail * p.Rate * l.rates[k]
					part.above += weight * math.Log1p(ratio)
					part.share += weight * ratio / (1 + ratio)
				}
			}
		}
	})
	var sum sums
	for _, part := range parts {
		sum.logMarginal += part.logMarginal
		sum.log += part.log
		sum.rate += part.rate
		sum.above += part.above
		sum.share += part.share
	}
	n := float64(len(f.pages))
	if p.Tail > 0 {
		a, b := p.Shape, 1/p.Tail
		both := mathext.Digamma(a + b)
		gradient[0] = -(a*(sum.log-n*x[1]-sum.above-n*(mathext.Digamma(a)-both)) - x[0]) / n
		gradient[1] = -((a+b)*sum.share - n*a) / n
		gradient[2] = -(b*(-sum.above-n*(mathext.Digamma(b)-both)) - x[2]) / n
		return -(sum.logMarginal - x[0]*x[0]/2 - x[2]*x[2]/2) / n
	}
	byShape := sum.log + n*(math.Log(p.Rate)-mathext.Digamma(p.Shape))
	byRate := n*p.Shape/p.Rate - sum.rate
	value := sum.logMarginal - x[0]*x[0]/2
	gradient[0] = -(p.Shape*byShape + p.Rate*byRate - x[0]) / n
	gradient[1] = p.Rate * byRate / n
	return -value / n
}
