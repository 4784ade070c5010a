package certificate

// This file holds what the inequalities of a certificate prove.

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// restricted is a model with some choices allowed: all of them, or those of a policy.
// Its value is that of the best policy that takes only allowed choices.
type restricted struct {
	*problem
	allowed []bool // by choice
	needed  []bool // by choice: allowed, and its inequality counts; of a total, only those outside the target that never lead to +Inf
	stays   []bool // for an average: those that stay in an end component

	// For a total, by state: those with a value below +Inf, and with −Inf.
	finite, negative []bool

	// For a total of all steps, by state: those where a policy may stop, and those from which it
	// may reach states where it is not known whether staying for ever costs +Inf or −Inf.
	stops, unknown []bool
}

// restrict returns the model with the allowed choices. For a total of all steps it needs the cycle of
// a certificate, or nil.
func restrict(q *problem, allowed []bool, cycle *Cycle) *restricted {
	g := &restricted{problem: q, allowed: allowed, needed: allowed, negative: make([]bool, q.rows.NumStates())}
	switch {
	case q.endless:
		g.settle(cycle)
		return g
	case q.result.HasGain():
		g.stays = q.rows.endComponents(allowed).stays
	case q.target != nil && q.nature != 0:
		g.finite = q.rows.reaching(q.target, allowed, q.sense > 0, q.nature < 0)
	case q.target != nil && q.sense < 0:
		g.finite = q.rows.unavoidable(q.target, allowed)
	case q.target != nil:
		g.finite = q.rows.surely(q.target, allowed)
	}
	if q.target != nil {
		g.needed = q.rows.stayingIn(g.finite, q.rows.until(q.target, allowed), q.nature < 0)
	}
	return g
}

// prove returns what a certificate, if there is one, proves of the values of the model. One
// side follows a policy: that of another restricted model.
func (g *restricted) prove(c *Certificate, policy *restricted) []proof {
	proofs := slices.Repeat([]proof{unproved}, g.rows.NumStates())
	if c != nil {
		if g.target != nil && !g.endless && g.sense > 0 && c.Cycle != nil {
			policy, _ := g.rows.choicesOf(c.Cycle.Policy)
			g.proveNegative(c.Cycle, g.rows.filter(policy, func(k, _ int32) bool { return g.needed[k] }))
			g.rows.reach(g.negative, g.needed)
		}
		optimal, followed := &c.Lower, &c.Upper
		if g.sense < 0 {
			optimal, followed = followed, optimal
		}
		g.add(proofs, g.withNature(optimal, g.needed, g.sense))
		needed := g.rows.filter(policy.needed, func(_, s int32) bool { return !g.negative[s] })
		g.add(proofs, policy.withNature(followed, needed, -g.sense))
	}
	gain, loss := proof{nothingBelow, nothingBelow}, proof{nothingAbove, nothingAbove}
	if g.endless && g.sense < 0 {
		gain, loss = loss, gain
	}
	for s := range g.target {
		switch {
		case g.target[s]:
			proofs[s] = proof{}
		case g.endless && g.unknown[s]:
			proofs[s] = unproved
		case g.negative[s]:
			proofs[s] = gain
		case !g.finite[s]:
			proofs[s] = loss
		}
	}
	return proofs
}

// evident returns what is proved of every value without a certificate: a long-run average of
// rewards of states, and the expectation of a terminal reward, lie within their range.
func (q *problem) evident() proof {
	r := q.rows
	if r.action.isSet() || r.transition.isSet() {
		return unproved
	}
	var list []bound
	switch {
	case q.result.HasGain():
		for s := range int32(r.NumStates()) {
			list = append(list, r.state.at(s))
		}
	case q.result.HasSteps() && !r.state.isSet():
		for _, x := range q.ending {
			list = append(list, exactBound(x))
		}
		if len(list) > 0 && q.shrink != nil { // by a factor above 0, and below 1
			list = append(list, bound{})
		}
	}
	if list == nil {
		return unproved
	}
	return proof{slices.MinFunc(list, bound.compare), slices.MaxFunc(list, bound.compare)}
}

// proveNegative finds the states that a cycle proves to be in a closed class whose mean cost is
// negative, by choices of its policy.
func (g *restricted) proveNegative(c *Cycle, policy []bool) {
	x := g.side(&Witness{Value: c.Value}, policy, nil, -1)
	x.rows = x.after(&choice{sign: g.nature, value: x.value})
	ends := g.rows.endComponents(policy)
	falls, rises := make([]bool, len(g.target)), make([]bool, len(g.target)) // by component
	for k, is := range ends.stays {
		if is {
			class := ends.component[g.rows.stateOf[k]]
			sign, known := x.expression.sign(int32(k))
			falls[class] = falls[class] || sign*g.sense < 0
			rises[class] = rises[class] || !known || sign*g.sense > 0
		}
	}
	for s, class := range ends.component {
		g.negative[s] = class != outside && falls[class] && !rises[class]
	}
}

// side is one side of a certificate: an expression whose sign has to be that of the
// side, or 0, for all needed choices. For an average, this holds for needed choices that stay,
// and the sign of drift, D_k gain, is tested for all needed choices.
type side struct {
	expression
	needed, stays []bool      // by choice
	sign          int         // positive where it proves lower bounds
	drift         *expression // nil: the gain is the same everywhere, or there is none
	bounds        *numbers    // that it proves
	stops         []bool      // by state, where a policy may stop, so that bounds must not be beyond 0; nil for none
	finite        []bool      // by state, outside of which +∞ is proved; nil where no needed choice leads there
	name          string
}

func (q *problem) side(w *Witness, needed, stays []bool, sign int) *side {
	n := q.rows.NumStates()
	value := fromVector(&w.Value, n, q.target)
	s := &side{expression: expression{rows: q.rows, value: value, costs: true}, needed: needed, stays: stays, sign: sign, bounds: value}
	s.name = map[bool]string{true: "lower", false: "upper"}[sign > 0]
	if q.factors != nil {
		s.factors, s.level = q.factors, value
	}
	if stays != nil {
		s.bounds = fromVector(&w.Gain, n, nil)
		if s.level = s.bounds; len(w.Gain.High) > 1 {
			s.drift = &expression{rows: q.rows, value: s.bounds}
		}
	}
	return s
}

// add adds to the proofs what a side proves; nothing if the context ends. If an inequality
// fails in a state, nothing is proved for the states from which needed choices may lead
// there. States outside the target without a needed choice fail, too.
func (q *problem) add(proofs []proof, s *side) {
	const none, noChoice = -1, -2 // in place of the first choice that fails
	failed, void := make([]int32, len(proofs)), make([]bool, len(proofs))
	forStates(len(proofs), func(i int32) {
		if failed[i] = noChoice; len(q.target) > 0 && q.target[i] || s.sign > 0 && s.finite != nil && !s.finite[i] {
			failed[i] = none
		}
		if s.isBeyond(i) {
			return
		}
		for k := s.StateStart[i]; k < s.StateStart[i+1] && failed[i] < 0 && q.ctx.Err() == nil; k++ {
			if s.needed[k] {
				if failed[i] = none; !s.holds(k) {
					failed[i] = k
				}
			}
		}
	})
	for i, k := range failed {
		if void[i] = k != none; k >= 0 && q.reason == nil {
			q.reason = fmt.Errorf("the %s side of the certificate fails in state %d, action %d", s.name, i, k-s.StateStart[i])
		}
	}
	s.reach(void, s.needed)
	for i, is := range void {
		switch b := s.bounds.at(int32(i)); {
		case is || b.isInfinite() || q.ctx.Err() != nil:
		case s.sign > 0:
			proofs[i].lower = b
		default:
			proofs[i].upper = b
		}
	}
}

// holds reports whether the inequalities of choice k are satisfied.
func (s *side) holds(k int32) bool {
	if s.drift != nil {
		if sign, known := s.drift.sign(k); !known || sign*s.sign < 0 {
			return false
		}
	}
	sign, known := s.sign, len(s.stays) > 0 && !s.stays[k]
	if !known {
		sign, known = s.expression.sign(k)
	}
	return known && sign*s.sign >= 0
}

// forStates calls do for each of n states, in any order and from several goroutines.
func forStates(n int, do func(s int32)) {
	cuts := parallel.Cuts(n, 256)
	parallel.For(runtime.GOMAXPROCS(0), len(cuts)-1, func(block int) {
		for s := cuts[block]; s < cuts[block+1]; s++ {
			do(int32(s))
		}
	})
}
