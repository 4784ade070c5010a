package verify

// This file holds what the inequalities of a certificate prove.

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// game is a model with some choices allowed: all of them, or those of a policy.
// Its value is what the best of the policies that keep to them achieves.
type game struct {
	*question
	needed []bool // the allowed choices but, for a total, those of states that are not active or may lead to a value of +Inf
	stays  []bool // for an average, the allowed choices that stay in an end component

	// For a total, by state. Active states are outside of the target and have a
	// value below +Inf.
	active, infinite, negative []bool
}

// newGame returns the game of the allowed choices.
func newGame(q *question, allowed []bool) *game {
	g := &game{question: q, needed: allowed}
	switch q.result.Criterion {
	case average:
		g.stays = q.rows.endComponents(allowed).stays
	case total:
		n := q.rows.NumStates()
		g.active, g.negative = make([]bool, n), make([]bool, n)
		finite := make([]bool, n)
		if q.maximize {
			g.infinite = q.rows.mayAvoid(q.target, allowed)
		} else {
			g.infinite = q.rows.surely(q.target, allowed)
			for s, is := range g.infinite {
				g.infinite[s] = !is
			}
		}
		for s, is := range g.infinite {
			finite[s], g.active[s] = !is, !is && !q.target[s]
		}
		g.needed = q.rows.until(q.target, allowed)
		for k, is := range g.needed {
			g.needed[k] = is && g.active[q.rows.stateOf[k]] && !q.rows.leadsOut(int32(k), finite)
		}
	}
	return g
}

// prove returns what a certificate, if there is one, proves of the values of the
// game, where the side that follows a policy has the choices of policy, if any.
func (g *game) prove(c *mdpio.Certificate, policy []bool) []proof {
	proofs := make([]proof, g.rows.NumStates())
	for s := range proofs {
		proofs[s] = unproved
	}
	if c != nil {
		if g.active != nil && !g.maximize && c.Cycle != nil {
			g.proveNegative(c.Cycle)
		}
		optimal, followed := &c.Lower, &c.Upper
		if g.maximize {
			optimal, followed = followed, optimal
		}
		g.add(proofs, g.side(optimal, g.needed, g.stays, g.sense()))
		if policy != nil {
			g.add(proofs, g.following(followed, policy))
		}
	}
	for s := range g.active {
		switch {
		case g.target[s]:
			proofs[s] = proof{}
		case g.infinite[s]:
			proofs[s] = proof{nothingAbove, nothingAbove}
		case g.negative[s]:
			proofs[s] = proof{nothingBelow, nothingBelow}
		}
	}
	return proofs
}

// add adds to the proofs what a side proves: lower bounds where its sign is
// positive, upper ones where it is negative.
func (g *game) add(proofs []proof, s *side) {
	proved, first := s.proved(g.ctx)
	name := "lower"
	if s.sign < 0 {
		name = "upper"
	}
	if g.reason == nil && first >= 0 {
		state := g.rows.stateOf[first]
		g.reason = fmt.Errorf("the %s side of the certificate fails in state %d, action %d", name, state, first-g.rows.StateStart[state])
	}
	for i, is := range proved {
		switch b := s.bounds.at(int32(i)); {
		case !is || b.isInfinite():
		case s.sign > 0:
			proofs[i].lower = b
		default:
			proofs[i].upper = b
		}
	}
}

// following returns the side of a witness that follows a policy. It proves nothing
// in states where the policy has no action or may not reach the target.
func (g *game) following(w *mdpio.Witness, policy []bool) *side {
	needed, stays := make([]bool, len(policy)), g.stays
	var sure []bool
	if g.active != nil {
		sure = g.rows.surely(g.target, policy)
	} else if g.stays != nil {
		stays = g.rows.endComponents(policy).stays
	}
	for k, is := range policy {
		s := g.rows.stateOf[k]
		needed[k] = is && (g.active == nil || g.active[s] && !g.negative[s] && sure[s])
	}
	return g.side(w, needed, stays, -g.sense())
}

// proveNegative finds the states of value −Inf that a cycle proves: those from
// which one may come, never to where the value is +Inf, to a closed class of its
// policy whose mean cost is negative.
func (g *game) proveNegative(c *mdpio.Cycle) {
	policy := g.rows.choicesOf(c.Policy)
	for k, is := range policy {
		policy[k] = is && g.needed[k]
	}
	x := g.side(&mdpio.Witness{Value: c.Value}, policy, nil, -1).expression
	ends := g.rows.endComponents(policy)
	falls, rises := make([]bool, ends.count), make([]bool, ends.count)
	for k, is := range ends.stays {
		if is {
			class := ends.component[g.rows.stateOf[k]]
			sign, known := x.sign(int32(k))
			falls[class] = falls[class] || sign < 0
			rises[class] = rises[class] || !known || sign > 0
		}
	}
	for s, class := range ends.component {
		g.negative[s] = class != outside && falls[class] && !rises[class]
	}
	g.rows.reach(g.negative, g.needed)
}

// side is one side of a certificate: the expressions that have to have a sign, or
// be 0. For an average there are two, where the second is D_k gain, for all needed
// choices; the first, then, is needed of those that stay.
type side struct {
	expression
	needed, stays []bool // by choice
	target        []bool // by state; nil: none
	sign          int
	drift         *expression // nil: the gain is the same everywhere, or there is none
	bounds        *numbers    // that it proves
}

// side returns one that proves lower bounds if the sign is positive, upper ones
// if it is negative.
func (q *question) side(w *mdpio.Witness, needed, stays []bool, sign int) *side {
	n := q.rows.NumStates()
	value := fromVector(&w.Value, n, q.target)
	s := &side{expression: expression{rows: q.rows, value: value, costs: true}, needed: needed, stays: stays, target: q.target, sign: sign, bounds: value}
	switch {
	case q.factor != nil:
		s.factor, s.level = q.factor, value
	case stays != nil:
		s.bounds = fromVector(&w.Gain, n, nil)
		if s.level = s.bounds; len(w.Gain.High) > 1 {
			s.drift = &expression{rows: q.rows, value: s.bounds}
		}
	}
	return s
}

// proved returns the states where the inequalities prove the bounds, and the first
// choice, if any (else −1), whose inequality is not satisfied. Nothing is proved
// if the context ends.
//
// A failure voids all states from which it may be reached by the needed choices.
// From the others none of these leads there: they are a model of their own, whose
// inequalities all hold. States outside of the target without a needed choice fail
// too.
func (s *side) proved(ctx context.Context) (proved []bool, first int32) {
	n := s.NumStates()
	failed := make([]int32, n)
	parallel(n, func(i int32) {
		if failed[i] = -1; ctx.Err() == nil {
			failed[i] = s.failure(i)
		}
	})
	first = -1
	void := make([]bool, n)
	for i, k := range failed {
		if void[i] = k != -1; k >= 0 && first < 0 {
			first = k
		}
	}
	s.reach(void, s.needed)
	proved = make([]bool, n)
	for i, is := range void {
		proved[i] = !is && ctx.Err() == nil
	}
	return proved, first
}

// failure returns the first needed choice of a state whose inequality is not
// satisfied; −1 if there is none, −2 if no choice is needed.
func (s *side) failure(i int32) int32 {
	result := int32(-2)
	if s.target != nil && s.target[i] {
		return -1
	}
	for k := s.StateStart[i]; k < s.StateStart[i+1]; k++ {
		if s.needed[k] {
			if result = -1; !s.holds(k) {
				return k
			}
		}
	}
	return result
}

// holds reports whether the inequalities of choice k are satisfied.
func (s *side) holds(k int32) bool {
	if s.drift != nil {
		if sign, known := s.drift.sign(k); !known || sign*s.sign < 0 {
			return false
		}
	}
	if s.stays != nil && !s.stays[k] {
		return true
	}
	sign, known := s.expression.sign(k)
	return known && sign*s.sign >= 0
}

// parallel calls do for each of n states, which must not depend on the order.
func parallel(n int, do func(s int32)) {
	const block = 1 << 10
	var (
		taken atomic.Int64
		wait  sync.WaitGroup
	)
	for range min(runtime.GOMAXPROCS(0), n/block+1) {
		wait.Go(func() {
			for lo := int(taken.Add(block)) - block; lo < n; lo = int(taken.Add(block)) - block {
				for s := lo; s < min(lo+block, n); s++ {
					do(int32(s))
				}
			}
		})
	}
	wait.Wait()
}
