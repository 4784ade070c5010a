package verify

// This file holds what a tolerance is relative to: what the absolute costs under a
// policy come to.

import "math"

// scaleBounds are bounds on the scale of each state.
type scaleBounds struct {
	lower   []proof // nil: none
	oneSign bool    // all costs are ≥ 0, or all ≤ 0
	most    bound   // that absolute costs come to under any policy
}

// scale returns a lower bound on the scale of a state, where what the policy
// achieves lies in an interval.
func (c *check) scale(s int, i Interval) bound {
	c.prepare()
	known := shared(i)
	if c.scales.lower != nil && c.scales.lower[s].lower.compare(known) > 0 {
		return c.scales.lower[s].lower
	}
	return known
}

// ceiling returns an upper bound on the scale of a state.
func (c *check) ceiling(s int) bound {
	c.prepare()
	if !c.scales.oneSign {
		return c.scales.most
	}
	i := c.optimum[s].interval()
	if c.achieved != nil {
		i = c.achieved[s].interval()
	}
	return floatBound(min(max(i.Upper, -i.Lower), c.scales.most.Hi))
}

// shared returns the least magnitude in an interval: where costs come to something
// in it, absolute costs come to as much at least.
func shared(i Interval) bound { return floatBound(max(i.Lower, -i.Upper, 0)) }

// prepare finds the scaleBounds, once.
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
	c.scales = &scaleBounds{oneSign: !(positive && negative), most: nothingAbove}
	switch steps := float64(c.result.Horizon); {
	case !(largest < 0x1p1000):
	case c.result.Criterion == average:
		c.scales.most.Hi = largest
	case c.result.Criterion == discounted:
		c.scales.most.Hi = largest / c.factor.pairs[1].Hi * (1 + 0x1p-20)
	case c.result.Criterion == finite:
		c.scales.most.Hi = largest * steps * (1 + 0x1p-20)
	}
	if c.result.Criterion == finite {
		c.scales.lower, _, _ = c.induce(true, 1, nil)
	} else if c.certificate != nil && c.certificate.Scale != nil {
		g := newGame(c.question, c.followed)
		s := g.side(c.certificate.Scale, g.needed, g.stays, 1)
		s.absolute = true
		c.scales.lower = make([]proof, c.rows.NumStates())
		g.add(c.scales.lower, s)
	}
}
