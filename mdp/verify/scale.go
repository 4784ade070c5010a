package verify

// This file holds what a tolerance is relative to: what the absolute costs under a
// policy come to.

import "math"

// scaleBounds are bounds on the scale of each state.
type scaleBounds struct {
	lower   []proof // nil: none
	oneSign bool    // all costs are ≥ 0, or all ≤ 0
	most    float64 // that absolute costs come to under any policy
}

// shared returns the least magnitude in an interval: where costs come to something
// in it, absolute costs come to as much at least.
func shared(i Interval) bound { return floatBound(max(i.Lower, -i.Upper, 0)) }

// scale returns a lower bound on the scale of a state, where what the policy
// achieves lies in an interval.
func (c *check) scale(s int, i Interval) bound {
	if c.prepare(); c.scales.lower != nil && c.scales.lower[s].lower.compare(shared(i)) > 0 {
		return c.scales.lower[s].lower
	}
	return shared(i)
}

// ceiling returns an upper bound on the scale of a state.
func (c *check) ceiling(s int) bound {
	c.prepare()
	i := c.optimum[s].interval()
	if c.achieved != nil {
		i = c.achieved[s].interval()
	}
	if !c.scales.oneSign {
		return floatBound(c.scales.most)
	}
	return floatBound(min(max(i.Upper, -i.Lower), c.scales.most))
}

// prepare finds the scales, once.
func (c *check) prepare() {
	if c.scales != nil {
		return
	}
	positive, negative, largest := false, false, 0.0
	x := &expression{rows: c.rows, value: &numbers{}, costs: true}
	for k := range int32(c.rows.NumChoices()) {
		cost, _, off := x.near(k)
		positive = positive || !(cost.Hi+off <= 0)
		negative = negative || !(cost.Hi-off >= 0)
		largest = max(largest, (math.Abs(cost.Hi)+off)*(1+0x1p-20)) // the unit is 1 up to 1e-9
	}
	steps := map[string]float64{average: 1, finite: float64(c.result.Horizon), total: math.Inf(1)}[c.result.Criterion]
	if c.factor != nil {
		steps = (1 + 0x1p-20) / c.factor.pairs[1].Hi
	}
	c.scales = &scaleBounds{oneSign: !(positive && negative), most: math.Inf(1)}
	if largest*steps < 0x1p1000 {
		c.scales.most = largest * steps * (1 + 0x1p-20)
	}
	if c.result.Criterion == finite {
		c.scales.lower, _, _ = c.induce(true, 1, nil)
	} else if c.certificate != nil && c.certificate.Scale != nil {
		s := c.side(c.certificate.Scale, c.followed.needed, c.followed.stays, 1)
		s.absolute, s.name = true, "scale"
		c.scales.lower = make([]proof, c.rows.NumStates())
		c.add(c.scales.lower, s)
	}
}
