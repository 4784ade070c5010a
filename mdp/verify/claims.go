package verify

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// write compares the claims of the result with what is proved.
func (c *check) write() {
	c.report.Bounds, c.report.Values, c.report.Policy = Finding{}, Finding{}, Finding{}
	c.report.Optimum, c.report.Achieved = intervals(c.optimum), intervals(c.achieved)
	r := c.result
	for s, p := range c.bounded() {
		proven := func() string { return "the optimum " + p.interval().place() }
		c.report.Bounds.add(p.atLeast(r.Lower[s]), s, func() (string, string) { return fmt.Sprint("lower bound ", r.Lower[s]), proven() })
		c.report.Bounds.add(p.atMost(r.Upper[s]), s, func() (string, string) { return fmt.Sprint("upper bound ", r.Upper[s]), proven() })
	}
	c.writeValues()
	c.writePolicy()
	for _, f := range []*Finding{&c.report.Bounds, &c.report.Values, &c.report.Policy} {
		f.close()
	}
}

// bounded returns what is proved of the optimum: it is no worse than what the
// policy achieves.
func (c *check) bounded() []proof {
	if c.achieved == nil {
		return c.optimum
	}
	bounded := slices.Clone(c.optimum)
	for s, p := range c.achieved {
		if c.maximize {
			bounded[s] = bounded[s].negative().below(p.negative()).negative()
		} else {
			bounded[s] = bounded[s].below(p)
		}
	}
	return bounded
}

func intervals(proofs []proof) []Interval {
	if proofs == nil {
		return nil
	}
	list := make([]Interval, len(proofs))
	for s, p := range proofs {
		list[s] = p.interval()
	}
	return list
}

// writeValues looks at the values.
func (c *check) writeValues() {
	r, f := c.result, &c.report.Values
	for s, x := range r.Values {
		f.add(decide(r.Lower[s] <= x && x <= r.Upper[s]), s, func() (string, string) {
			return fmt.Sprint("value ", x), "its bounds are " + Interval{r.Lower[s], r.Upper[s]}.String()
		})
	}
	for s, x := range r.Exact {
		if x != nil {
			f.add(c.exactVerdict(s, x), s, func() (string, string) {
				return "exact value " + short(x), "the optimum " + c.optimum[s].interval().place()
			})
		}
	}
	f.add(decide(slices.Contains(c.model.Initial, int32(r.Initial))), r.Initial, func() (string, string) {
		return "that it is initial", fmt.Sprintf("the model begins in %d", c.model.Initial)
	})
}

// exactVerdict says whether an exact value is that of a state. A discount factor,
// such as 9/10, has been rounded in the result but need not have been where exact
// values were found.
func (c *check) exactVerdict(s int, x *big.Rat) Verdict {
	verdict := c.optimum[s].is(x)
	switch {
	case verdict == Holds || c.result.Criterion != "discounted":
		return verdict
	case c.meant == nil:
		return Undecided
	case c.meant[s].is(x) == Holds:
		return Holds
	}
	return verdict
}

// short returns a rational, or its first digits.
func short(x *big.Rat) string {
	if text := x.RatString(); len(text) <= 40 {
		return text
	}
	return x.FloatString(20) + "…"
}

// writePolicy looks at the policy.
func (c *check) writePolicy() {
	r, f := c.result, &c.report.Policy
	for s, a := range r.Policy {
		f.add(decide(!c.isMissing(s, a)), s, func() (string, string) {
			return fmt.Sprint("action ", a), fmt.Sprintf("the actions are 0 … %d", c.rows.stateStart[s+1]-c.rows.stateStart[s]-1)
		})
	}
	for s, p := range c.achieved {
		bound, verdict := r.Upper[s], p.atMost(r.Upper[s])
		if c.maximize {
			bound, verdict = r.Lower[s], p.atLeast(r.Lower[s])
		}
		f.add(verdict, s, func() (string, string) {
			return fmt.Sprint("that the policy achieves the bound ", bound), "what it achieves " + p.interval().place()
		})
	}
}

const (
	converged = "converged"
	// defaultTolerance is that of mdp.Settings, for which 0 stands.
	defaultTolerance = 1e-9
)

// writeStatus looks at the status: the tolerance is relative to the largest
// magnitude of a bound.
func (c *check) writeStatus() {
	r, f := c.result, &c.report.Status
	defer f.close()
	if r.Status != converged {
		return
	}
	tolerance := r.Tolerance
	if tolerance == 0 {
		tolerance = defaultTolerance
	}
	largest := 0.0
	for s := range r.Values {
		for _, x := range []float64{r.Lower[s], r.Upper[s]} {
			if !math.IsInf(x, 0) {
				largest = max(largest, math.Abs(x))
			}
		}
	}
	// The bounds are rounded.
	allowed := (tolerance + 0x1p-50) * largest
	for s := range r.Values {
		lower, upper := r.Lower[s], r.Upper[s]
		f.add(decide(lower == upper || upper-lower <= allowed), s, func() (string, string) {
			return "status converged", fmt.Sprintf("its bounds are %.4g apart, and %.4g is allowed", upper-lower, allowed)
		})
	}
}

// writeClassification looks at the classification.
func (c *check) writeClassification() {
	r, f := c.result, &c.report.Classification
	defer f.close()
	if r.Classification == "" {
		return
	}
	found := c.rows.classify(c.model.Kind == mdpio.CTMC)
	verdict := decide(found.name == r.Classification)
	shown := "the model is " + found.name
	if found.name == "" {
		shown = "the model is " + found.atLeast + ", and perhaps unichain"
		switch r.Classification {
		case found.atLeast:
			verdict = Holds
		case unichain:
			verdict = Undecided
		}
	}
	f.add(verdict, -1, func() (string, string) { return "classification " + r.Classification, shown })
	f.add(decide(found.periodic != r.Aperiodic), -1, func() (string, string) {
		if r.Aperiodic {
			return "aperiodic", "a maximal end component has a period"
		}
		return "periodic", "no maximal end component has a period"
	})
}
