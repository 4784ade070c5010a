package ui

// The time that an iteration has left, estimated from the decline of its gap.

import (
	"cmp"
	"math"
	"slices"
)

// decline is the history of a gap. Gaps of sweeps decline geometrically in the long
// run; those of policy iteration fall in few steps of which none tells of the next.
type decline struct {
	samples []sample
	apart   float64 // the least distance between them, in seconds
	target  float64
}

type sample struct {
	at        float64 // seconds
	iteration int
	gap       float64 // its logarithm
}

const (
	mostSamples  = 64
	leastSamples = 12
	firstApart   = 0.02
)

// add takes down a gap. Where there are many, every other one is forgotten.
func (d *decline) add(at float64, iteration int, gap, target float64) {
	d.target = target
	n := len(d.samples)
	if n > 0 && at-d.samples[n-1].at < max(d.apart, firstApart) {
		return
	}
	if n == mostSamples {
		for i := range n / 2 {
			d.samples[i] = d.samples[2*i+1]
		}
		d.samples, d.apart = d.samples[:n/2], 2*max(d.apart, firstApart)
	}
	d.samples = append(d.samples, sample{at, iteration, math.Log(gap)})
}

// since returns the first sample of the last part of the time that there are samples of.
func (d *decline) since(part float64) sample {
	from, to := d.samples[0].at, d.samples[len(d.samples)-1].at
	i, _ := slices.BinarySearchFunc(d.samples, to-part*(to-from), func(s sample, at float64) int { return cmp.Compare(s.at, at) })
	return d.samples[i]
}

// rate returns the iterations per second, lately; NaN where that is not known.
func (d *decline) rate() float64 {
	n := len(d.samples)
	if n < 2 {
		return math.NaN()
	}
	from, to := d.since(0.5), d.samples[n-1]
	if n == 2 {
		from = d.samples[0]
	}
	return float64(to.iteration-from.iteration) / (to.at - from.at)
}

// left returns the seconds until the gap is at the target, from a time on; NaN where
// the gap does not decline steadily: over each of the last two quarters at a rate that
// is not twice the other's.
func (d *decline) left(now float64) float64 {
	n := len(d.samples)
	if n < leastSamples || !(d.target > 0) {
		return math.NaN()
	}
	from, middle, to := d.since(0.5), d.since(0.25), d.samples[n-1]
	early, late := slope(from, middle), slope(middle, to)
	if !(early > 0) || !(late > 0) || early > 2*late || late > 2*early || math.IsInf(late, 0) || math.IsInf(early, 0) {
		return math.NaN()
	}
	return max(0, (to.gap-math.Log(d.target))/slope(from, to)-(now-to.at))
}

// slope returns how much the logarithm falls in a second.
func slope(from, to sample) float64 { return (from.gap - to.gap) / (to.at - from.at) }
