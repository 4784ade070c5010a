// This file estimates a changing rate from events and the time in which they could occur.

package controller

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Rate is the estimate of a rate, per unit of Exposure.
type Rate struct {
	// Mean is the expectation of the rate, given what was observed since its last change. Lower
	// and Upper are the interval that holds the rate with the Confidence of the
	// [AdaptiveSettings]. Both assume that events have been a Poisson process since then.
	Mean, Lower, Upper float64

	// Observations is the number of events that the estimate rests on, and Exposure the time in which
	// they could occur: robots active, or the indexer busy.
	Observations int
	Exposure     float64

	// Changes counts how often older observations were dropped because later ones
	// contradicted them.
	Changes int
}

// evidence holds the events since the last change of a rate, about memory of them at most.
// The rate is per unit of exposure.
//
// As long as the rate is constant, n events in the exposure x have the likelihood
// rate^n·exp(−rate·x), whenever they occurred. With a first guess that counts as one
// event, its posterior is the gamma distribution with shape 1+n and rate 1/guess + x.
//
// # Forgetting
//
// Discounting old evidence trades noise for speed. Here old evidence keeps its full weight
// until later evidence contradicts it. At each place where the evidence can be cut, with n1
// events in x1 before and n2 in x2 after, the logarithm of the likelihood ratio of two rates
// against one is
//
//	n1·ln(n1/x1) + n2·ln(n2/x2) − (n1+n2)·ln((n1+n2)/(x1+x2)).
//
// If the greatest of these exceeds a threshold, the evidence before that place is dropped. So
// a jump is found as soon as noise allows, a slow drift leaves as much evidence as is
// consistent, and the estimate of a constant rate becomes ever better.
//
// Events are kept in groups of 1, 2, 4, … events, at most groupsOfSize of each size, the
// oldest in the largest. So memory and time are logarithmic in the number of events, and a
// cut is off the best place by at most an eighth of what remains.
//
// Source: A. Bifet and R. Gavaldà, Learning from time-changing data with adaptive
// windowing, SIAM International Conference on Data Mining, 2007; the test is that of
// Siegmund and Venkatraman, Using the generalized likelihood ratio statistic for
// sequential detection of a change-point, Annals of Statistics 23 (1995).
type evidence struct {
	guess   float64
	memory  int
	groups  []group // oldest first
	open    float64 // exposure since the last event
	changes int
}

// group is a number of successive events, and the exposure from the event before the first
// of them to the last.
type group struct {
	count    int
	exposure float64
}

const (
	// groupsOfSize is the greatest number of groups of one size.
	groupsOfSize = 8

	// changeThreshold is the logarithm of the likelihood ratio above which there was a
	// change. It takes some 80 events to tell a rate from its double, and 50 to tell it from
	// its half; a constant rate exceeded it once in 10⁷ simulated events.
	changeThreshold = 15

	// testEvery is the number of events between two tests.
	testEvery = 4
)

// expose adds exposure.
func (e *evidence) expose(exposure float64) { e.open += exposure }

// observe adds an event.
func (e *evidence) observe() {
	e.groups = append(e.groups, group{1, e.open})
	e.open = 0
	for end := len(e.groups); end > 0; { // of the groups of one size, which may be one too many
		begin, size := end, e.groups[end-1].count
		for begin > 0 && e.groups[begin-1].count == size {
			begin--
		}
		if end-begin <= groupsOfSize {
			break
		}
		e.groups[begin].count += size
		e.groups[begin].exposure += e.groups[begin+1].exposure
		e.groups = slices.Delete(e.groups, begin+1, begin+2)
		end = begin + 1
	}
	count, exposure := e.total()
	if len(e.groups) > 1 && count-e.groups[0].count >= e.memory {
		count -= e.groups[0].count
		exposure -= e.groups[0].exposure
		e.groups = slices.Delete(e.groups, 0, 1)
	}
	if count%testEvery != 0 {
		return
	}
	if at := e.change(count, exposure); at > 0 {
		e.groups = slices.Delete(e.groups, 0, at)
		e.changes++
	}
}

// total returns the events and their exposure, the open one left out.
func (e *evidence) total() (count int, exposure float64) {
	for _, g := range e.groups {
		count += g.count
		exposure += g.exposure
	}
	return count, exposure
}

// change returns the number of groups before a change, 0 for none.
func (e *evidence) change(count int, exposure float64) int {
	at, greatest := 0, logLikelihood(count, exposure)+changeThreshold
	before, exposureBefore := 0, 0.0
	for i, g := range e.groups[:len(e.groups)-1] {
		before += g.count
		exposureBefore += g.exposure
		two := logLikelihood(before, exposureBefore) + logLikelihood(count-before, exposure-exposureBefore)
		if two > greatest {
			at, greatest = i+1, two
		}
	}
	return at
}

// logLikelihood returns n·ln(n/x), the greatest logarithm of the likelihood of n events in
// the exposure x, up to a term that is the same for parts and their sum. Exposure that a
// coarse clock has measured as nothing tells nothing.
func logLikelihood(count int, exposure float64) float64 {
	if !(exposure > 0) {
		return math.Inf(-1)
	}
	return float64(count) * math.Log(float64(count)/exposure)
}

// posterior returns the distribution of the rate.
func (e *evidence) posterior() distuv.Gamma {
	count, exposure := e.total()
	return distuv.Gamma{Alpha: 1 + float64(count), Beta: 1/e.guess + exposure + e.open}
}

// mean returns the expectation of the rate.
func (e *evidence) mean() float64 { return e.posterior().Mean() }

// rate returns the estimate, with the interval of a confidence.
func (e *evidence) rate(confidence float64) Rate {
	count, exposure := e.total()
	posterior, tail := e.posterior(), (1-confidence)/2
	return Rate{
		Mean: posterior.Mean(), Lower: posterior.Quantile(tail), Upper: posterior.Quantile(1 - tail),
		Observations: count, Exposure: exposure + e.open, Changes: e.changes,
	}
}
