package estimate

// This file finds a prior for each host, drawn towards what hosts are like.

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// HostPages is the number of pages of a host that [FitHosts] looks at.
const HostPages = 200

// What FitHosts looks at to find what hosts are like: so many hosts, and pages of each.
const sampledHosts, sampledPages = 200, 5

// FitHosts returns a prior for each host, and one for hosts of which nothing is known:
// hosts[i] is the number of the host of pages[i], from 0 on.
//
// The rates of the pages of a host have a gamma law with a shape that all hosts share and a
// mean of its own, its level, which has a gamma law among the hosts. The shape and this law
// are those under which what is seen is most probable, found from up to 200 hosts with up to
// 5 pages each, with −(ln Shape)²/2 added as in Fit. A host's own pages then say what its level is, and how
// uncertain; a host with few pages stays close to what hosts are like, and the uncertainty
// of its level widens its prior: with variance v of the logarithm of the level, the gamma
// law of the prior has the mean and variance of ln Δ of the law that it stands for,
// ψ'(Shape) being v larger. If overall has a Tail, a law with a Tail, and with Shape·Tail as in overall, takes
// its place: ln Δ has the same mean and variance.
//
// The bits of the answer do not depend on workers. When the context ends, so does FitHosts,
// with its error.
func FitHosts(ctx context.Context, pages []*History, hosts []int32, overall Prior, workers int) (priors []Prior, unknown Prior, err error) {
	var members [][]*History
	for i, host := range hosts {
		for int(host) >= len(members) {
			members = append(members, nil)
		}
		if pages[i].Accesses() > 0 {
			members[host] = append(members[host], pages[i])
		}
	}
	known, err := likelyLevels(ctx, members, overall, workers)
	if err != nil {
		return nil, Prior{}, err
	}
	among := known.among
	spread, _ := polygamma(among.Shape)
	unknown = known.prior(mathext.Digamma(among.Shape)-math.Log(among.Rate), spread).like(overall)
	priors = make([]Prior, len(members))
	const block = 16
	cuts := parallel.Cuts(len(members), block)
	parallel.For(workers, len(cuts)-1, func(b int) {
		for i := cuts[b]; i < cuts[b+1] && ctx.Err() == nil; i++ {
			if priors[i] = unknown; len(members[i]) > 0 {
				priors[i] = known.prior(known.of(spaced(members[i], HostPages))).like(overall)
			}
		}
	})
	return priors, unknown, ctx.Err()
}

// spaced returns some of the elements, as far apart from each other as can be.
func spaced[E any](elements []E, most int) []E {
	if len(elements) <= most {
		return elements
	}
	some := make([]E, most)
	for i := range some {
		some[i] = elements[i*len(elements)/most]
	}
	return some
}

// levels are what hosts are like: the shape of the law of the rates in a host, and the gamma
// law of its mean, the level, here always by its logarithm.
type levels struct {
	shape float64
	among Prior
}

// at returns the prior of the pages of a host of a known level.
func (l *levels) at(level float64) Prior {
	return Prior{Shape: l.shape, Rate: l.shape / math.Exp(level)}
}

// of returns the most probable level of a host, and the variance around it. The derivatives
// of a page's part follow from the moments of Rate·Δ under its posterior, as in
// [fit.value].
func (l *levels) of(pages []*History) (level, variance float64) {
	level = math.Log(l.among.Mean())
	evidences := evidencesOf(pages)
	var s law
	for range maxNewton {
		p := l.at(level)
		pull := l.among.Rate * math.Exp(level)
		slope, curvature := l.among.Shape-pull, -pull
		for i := range evidences {
			s.spread(p, &evidences[i], sumPoints)
			mean, square := 0., 0.
			for k, weight := range s.weights {
				scaled := p.Rate * s.rates[k]
				mean += weight * scaled
				square += weight * scaled * scaled
			}
			slope += mean - p.Shape
			curvature += square - mean*mean - mean
		}
		// Far from the top the curve may be convex.
		variance = -1 / min(curvature, -pull)
		step := min(max(slope*variance, -1), 1)
		level += step
		if math.Abs(step) <= 1e-3*math.Sqrt(variance) {
			break
		}
	}
	return level, variance
}

func evidencesOf(pages []*History) []evidence {
	evidences := make([]evidence, len(pages))
	for i, h := range pages {
		evidences[i].take(h)
	}
	return evidences
}

// prior returns the prior of a page whose host has an uncertain level.
func (l *levels) prior(level, variance float64) Prior {
	at := l.at(level)
	spread, _ := polygamma(at.Shape)
	want := spread + variance
	shape := max(leastShape/2, inverseTrigamma(want))
	at.Rate *= math.Exp(mathext.Digamma(shape) - mathext.Digamma(at.Shape))
	at.Shape = shape
	return at
}

// bisect returns the number up to which a condition holds, to 2⁻⁵⁰ of the interval.
func bisect(low, high float64, holds func(x float64) bool) float64 {
	for range 50 {
		if middle := low + (high-low)/2; holds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// likelyLevels finds what hosts are like. Levels are summed over on a grid; that is as good
// as an integral, since with few pages no level is known to much less than a step. Shapes
// are tried from that of all pages on, which is the least that is likely, as long as larger
// ones are better.
func likelyLevels(ctx context.Context, members [][]*History, overall Prior, workers int) (levels, error) {
	const step = 0.5
	overall = overall.gamma()
	var hosts [][]evidence
	longest, shortest := 0., math.Inf(1)
	for _, pages := range members {
		if len(pages) == 0 {
			continue
		}
		hosts = append(hosts, evidencesOf(spaced(pages, sampledPages)))
	}
	hosts = spaced(hosts, sampledHosts)
	for _, evidences := range hosts {
		total := 0.
		for i := range evidences {
			total += evidences[i].idle + evidences[i].busy
			for _, g := range evidences[i].groups {
				shortest = min(shortest, g.gap)
			}
		}
		longest = max(longest, total)
	}
	best := levels{overall.Shape, Prior{Shape: 1, Rate: 1 / overall.Mean()}}
	if len(hosts) < 2 || math.IsInf(shortest, 1) {
		return best, nil
	}
	// A host whose pages never changed is not known to be lower than the first level, nor one
	// whose pages always did to be higher than the last.
	var grid []float64
	low, high := math.Log(0.1/longest), math.Log(10/shortest)
	middle := min(max(math.Log(overall.Mean()), low), high)
	low, high = max(low, middle-12), min(high, middle+6)
	for level := low; level < high+step; level += step {
		grid = append(grid, level)
	}
	score := func(l *levels) float64 {
		logs := make([][]float64, len(hosts))
		parallel.For(workers, len(hosts), func(i int) {
			var s law
			for _, level := range grid {
				sum := 0.
				for k := range hosts[i] {
					if ctx.Err() == nil {
						s.spread(l.at(level), &hosts[i][k], sumPoints)
						sum += s.logMarginal
					}
				}
				logs[i] = append(logs[i], sum)
			}
		})
		shape := math.Log(l.shape)
		return l.fitAmong(grid, logs) - shape*shape/2
	}
	before, bestScore := math.Inf(-1), score(&best)
	for ctx.Err() == nil {
		next := best
		next.shape *= 2
		after := score(&next)
		if after > bestScore && next.shape < greatestShape {
			before, best, bestScore = bestScore, next, after
			continue
		}
		if !math.IsInf(before, -1) { // the top of the parabola through the last three
			next = best
			next.shape *= math.Exp2((before - after) / (before - 2*bestScore + after) / 2)
			if score(&next) > bestScore {
				best = next
			}
		}
		break
	}
	return best, ctx.Err()
}

// fitAmong finds the gamma law of levels by expectation and maximisation, from the
// logarithms of the probabilities of what each host shows at each level of a grid. It
// returns the logarithm of the probability of everything.
func (l *levels) fitAmong(grid []float64, logs [][]float64) float64 {
	score := 0.
	prior, weights := make([]float64, len(grid)), make([]float64, len(grid))
	for range 200 {
		sum := 0.
		peak := math.Log(l.among.Mean())
		for k, level := range grid {
			prior[k] = math.Exp(l.among.Shape * (level - peak - math.Expm1(level-peak)))
			sum += prior[k]
		}
		score = 0
		meanLog, mean := 0., 0.
		for _, host := range logs {
			top, total := math.Inf(-1), 0.
			for _, log := range host {
				top = max(top, log)
			}
			for k, log := range host {
				weights[k] = prior[k] / sum * math.Exp(log-top)
				total += weights[k]
			}
			score += top + math.Log(total)
			for k, level := range grid {
				meanLog += weights[k] / total * level
				mean += weights[k] / total * math.Exp(level)
			}
		}
		n := float64(len(logs))
		was := l.among
		l.among.Shape = gammaShape(math.Log(mean/n) - meanLog/n)
		l.among.Rate = l.among.Shape / (mean / n)
		if math.Abs(l.among.Shape-was.Shape) < 1e-4*was.Shape && math.Abs(l.among.Rate-was.Rate) < 1e-4*was.Rate {
			break
		}
	}
	return score
}

// gammaShape returns the shape s, at most 20, of a gamma law for which the logarithm of the
// mean exceeds the mean of the logarithm by excess = ln s − ψ(s): levels of hosts are no more
// alike than to a fifth or so, as far as the grid can tell.
func gammaShape(excess float64) float64 {
	return math.Exp(bisect(math.Log(leastShape), math.Log(20), func(x float64) bool { return x-mathext.Digamma(math.Exp(x)) > excess }))
}
