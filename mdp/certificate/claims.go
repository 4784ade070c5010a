package certificate

// This file holds claims, and the scale that tolerances are relative to.

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// What claims are about.
const optimum, own = "the optimum", "the value of the policy"

// Tolerances if a result does not say: for bounds that have converged, the default of
// mdp.Settings; for values without bounds, a looser one.
const tightTolerance, looseTolerance = 1e-9, 1e-6

// write compares the claims of the result with what is proved.
func (c *check) write() {
	r, evident := c.report, c.evident()
	for s := range c.optimum {
		c.optimum[s] = c.optimum[s].and(evident)
		r.Optimum = append(r.Optimum, c.optimum[s].interval())
	}
	for s := range c.achieved {
		c.achieved[s] = c.achieved[s].and(evident)
		r.Achieved = append(r.Achieved, c.achieved[s].interval())
	}
	for f, write := range map[*Finding]func(*Finding){
		&r.Bounds: c.writeBounds, &r.Values: c.writeValues, &r.Policy: c.writePolicy, &r.Status: c.writeStatus,
	} {
		*f = Finding{Verdict: Holds}
		write(f)
	}
}

func (c *check) writeBounds(f *Finding) {
	for s := range c.result.Lower {
		p, lower, upper := c.optimum[s], c.result.Lower[s], c.result.Upper[s]
		f.add(p.atLeast(floatBound(lower)), s, p, optimum, "lower bound %v", lower)
		f.add(p.atMost(floatBound(upper)), s, p, optimum, "upper bound %v", upper)
	}
}

func (c *check) writeValues(f *Finding) {
	r := c.result
	for s, x := range r.Values {
		p := c.optimum[s]
		if r.Lower == nil {
			f.add(c.near(s, Interval{x, x}), s, p, optimum, "value %v within %v of the scale of the state", x, c.result.ToleranceOr(looseTolerance))
		} else if !(r.Lower[s] <= x && x <= r.Upper[s]) {
			f.add(Refuted, s, p, fmt.Sprint("the bounds are ", Interval{r.Lower[s], r.Upper[s]}), "value %v", x)
		}
		if exact := floatBound(x); r.Exact != nil {
			exact.exact = r.Exact[s]
			f.add(p.equals(exact), s, p, optimum, "exact value near %v", x)
		}
	}
	if r.Values != nil && !slices.Contains(c.rows.Initial, int32(r.Initial)) {
		f.add(Refuted, r.Initial, unproved, fmt.Sprintf("the model begins in %d", c.rows.Initial), "the claim that this state is initial")
	}
	if r.InitialStates != nil && !slices.Equal(c.rows.Initial, r.InitialStates) {
		f.add(Refuted, r.Initial, unproved, fmt.Sprintf("the model begins in %d states", len(c.rows.Initial)), "the list of initial states")
	}
}

func (c *check) writePolicy(f *Finding) {
	r := c.result
	for s, a := range r.Policy {
		if c.rows.isMissing(s, a) {
			f.add(Refuted, s, unproved, fmt.Sprintf("the actions are 0 … %d", c.rows.StateStart[s+1]-c.rows.StateStart[s]-1), "action %d", a)
		}
	}
	for step := 1; step < len(r.Policies); step++ { // the first is the policy
		for s, a := range r.Policies[step] {
			if c.rows.isMissing(s, a) {
				f.add(Refuted, s, unproved, fmt.Sprintf("the actions are 0 … %d", c.rows.StateStart[s+1]-c.rows.StateStart[s]-1), "action %d in step %d", a, step+1)
			}
		}
	}
	for s, p := range c.achieved {
		claim := "the claim that the policy achieves the bound %v"
		var number float64
		var v Verdict
		switch {
		case r.Lower == nil:
			claim, number, v = "the claim that the policy is optimal within %v of the scale of the state", c.result.ToleranceOr(looseTolerance), c.near(s, p.interval())
		case c.sense > 0:
			number, v = r.Upper[s], p.atMost(floatBound(r.Upper[s]))
		default:
			number, v = r.Lower[s], p.atLeast(floatBound(r.Lower[s]))
		}
		gain := nothingBelow // an infinite gain
		if c.endless && c.sense < 0 {
			gain = nothingAbove
		}
		if best := c.optimum[s]; (c.sense > 0 || c.endless) && c.target != nil && (best.lower == gain || best.upper == gain) { // need not be achieved
			if best.lower == best.upper {
				f.NotJudged++
				continue
			}
			v = judge(v == Holds, false)
		}
		f.add(v, s, p, own, claim, number)
	}
}

// near says whether a number in an interval is within the tolerance of an optimum.
func (c *check) near(s int, x Interval) Verdict {
	best, tolerance := c.optimum[s].interval(), c.result.ToleranceOr(looseTolerance)
	apart := Interval{min(best.Upper, x.Upper), max(best.Lower, x.Lower)} // by so much at least
	together := Interval{min(best.Lower, x.Lower), max(best.Upper, x.Upper)}
	return judge(within(together, tolerance, c.scale(s, best)), !within(apart, tolerance, c.ceiling(s)))
}

func (c *check) writeStatus(f *Finding) {
	tolerance := c.result.ToleranceOr(tightTolerance)
	for s := range c.result.Lower {
		i := Interval{c.result.Lower[s], c.result.Upper[s]}
		if c.result.Status != "converged" || within(i, tolerance, shared(i)) {
			continue
		}
		scale := c.magnitude(s)
		if !c.other {
			scale = slices.MaxFunc([]bound{scale, c.scale(s, i)}, bound.compare)
		}
		if within(i, tolerance, scale) {
			continue
		}
		down, _ := scale.rounded()
		f.add(judge(false, !within(i, tolerance, c.ceiling(s))), s, c.optimum[s],
			fmt.Sprintf("the bounds are %.4g apart, more than %v times the proved scale, %.4g", i.Upper-i.Lower, tolerance, down), "status converged")
	}
}

// magnitude returns a proved lower bound on the magnitude of the policy's value. The value of its
// absolute costs is at least as large.
func (c *check) magnitude(s int) bound {
	best := c.optimum[s].interval()
	own := best
	if c.achieved != nil {
		own = c.achieved[s].interval()
	}
	if c.sense < 0 {
		return floatBound(max(-best.Upper, own.Lower, 0))
	}
	return floatBound(max(best.Lower, -own.Upper, 0))
}

// within reports whether an interval is no wider than 0, or finite and no wider than
// ε times the scale. Nothing is rounded.
func within(i Interval, epsilon float64, scale bound) bool {
	width := i.Upper - i.Lower
	switch {
	case i.Lower >= i.Upper:
		return true
	case math.IsInf(i.Lower, 0) || math.IsInf(i.Upper, 0):
		return false
	case scale.isInfinite():
		return true
	case scale.exact == nil && width > 0x1p-900 && math.Abs(width/(epsilon*scale.Hi)-1) > 0x1p-40: // rounding does not matter
		return width < epsilon*scale.Hi
	}
	allowed := new(big.Rat).SetFloat64(epsilon)
	apart := new(big.Rat).SetFloat64(i.Upper)
	return apart.Sub(apart, new(big.Rat).SetFloat64(i.Lower)).Cmp(allowed.Mul(allowed, scale.rational())) <= 0
}

// writeClassification compares the class with the one that [mdp.Analyze] finds. Analyze may call a
// unichain model communicating, since it is hard to decide whether a model is unichain.
func (c *check) writeClassification() {
	const unichain = "unichain"
	r, f := c.result, &c.report.Classification
	if f.Verdict = Holds; r.Classification == "" {
		return
	}
	graph, err := c.rows.GraphTable()
	if err != nil {
		f.Verdict, c.reason = Undecided, err
		return
	}
	structure := mdp.Analyze(graph)
	class, periodic := structure.Classification, structure.Period > 1
	known, shown := class == unichain || class == "multichain", "the model is "+class
	if !known {
		shown += ", and perhaps unichain"
	}
	f.add(judge(r.Classification == class, known || r.Classification != unichain), -1, unproved, shown, "classification %s", r.Classification)
	switch {
	case *r.Aperiodic && periodic:
		f.add(Refuted, -1, unproved, "a maximal end component has a period", "aperiodic")
	case !*r.Aperiodic && !periodic:
		f.add(Refuted, -1, unproved, "no maximal end component has a period", "periodic")
	}
}

// scaleBounds are bounds on the scale of each state.
type scaleBounds struct {
	lower   []proof // nil: none
	oneSign bool    // all costs are ≥ 0, or all ≤ 0
	most    float64 // upper bound on the value of absolute costs under any policy
}

// shared returns the least magnitude in an interval: the value of absolute costs is at least as large.
func shared(i Interval) bound { return floatBound(max(i.Lower, -i.Upper, 0)) }

// scale returns a lower bound on the scale of a state where the value lies in i.
func (c *check) scale(s int, i Interval) bound {
	if c.prepare(); len(c.scales.lower) > 0 && c.scales.lower[s].lower.compare(shared(i)) > 0 {
		return c.scales.lower[s].lower
	}
	return shared(i)
}

// ceiling returns an upper bound on the scale of a state.
func (c *check) ceiling(s int) bound {
	if c.prepare(); !c.scales.oneSign {
		return floatBound(c.scales.most)
	}
	i := c.optimum[s].interval()
	largest := max(i.Upper, -i.Lower)
	if c.achieved != nil {
		i = c.achieved[s].interval()
		largest = max(largest, i.Upper, -i.Lower)
	}
	return floatBound(min(largest, c.scales.most))
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
	costsVary := c.nature != 0 && (c.rows.transition.isSet() || c.rows.continuous && c.rows.action.isSet())
	steps := math.Inf(1) // bounds how many steps a value sums; a discounted step counts as its weight
	switch {
	case c.factors != nil:
		steps = (1 + 0x1p-20) / c.factors.nearLevel.Hi
	case c.result.HasGain():
		steps = 1
	case c.result.HasSteps():
		steps = float64(c.result.Steps())
	}
	most := largest * steps
	for _, x := range c.ending {
		positive, negative = positive || x.Sign() > 0, negative || x.Sign() < 0
		end, _ := x.Float64()
		most = max(most, largest*steps+math.Abs(end))
	}
	c.scales = &scaleBounds{oneSign: !costsVary && (!positive || !negative), most: math.Inf(1)}
	if most < 0x1p1000 && !costsVary {
		c.scales.most = most * (1 + 0x1p-20)
	}
	if c.result.HasSteps() {
		if !costsVary {
			c.scales.lower = c.induce(true, 1, c.open)
		}
	} else if c.certificate != nil && c.certificate.Scale != nil {
		g := c.followed.against(c.certificate.fixing(c.nature))
		s := g.side(c.certificate.Scale, g.needed, g.stays, 1)
		s.absolute, s.name, s.stops = true, "scale", g.stops
		c.scales.lower = make([]proof, c.rows.NumStates())
		c.add(c.scales.lower, s)
	}
}
