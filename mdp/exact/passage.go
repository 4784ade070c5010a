package exact

import (
	"context"
	"math/big"
	"slices"
)

// fate is what becomes of a state in a stochastic shortest path problem.
type fate int8

const (
	finite     fate = iota // its value is a number
	ended                  // it is in the target
	unreaching             // no policy reaches the target with probability 1
	endless                // the best is to stay away from the target
)

// passage is a stochastic shortest path problem, or a discounted one, which needs no
// target.
type passage struct {
	model    *Model // whose costs are minimised
	discount *big.Rat
	fate     []fate
	allowed  [][]bool // by state and action: it leads to states that may be gone to
	policy   []int32
	cycle    *Cycle // that makes values endless; nil for none
}

func newPassage(m *Model, discount *big.Rat) *passage {
	p := &passage{model: m, discount: discount, fate: make([]fate, len(m.states)), allowed: make([][]bool, len(m.states)), policy: make([]int32, len(m.states))}
	for s, choices := range m.states {
		p.allowed[s] = make([]bool, len(choices))
		for a := range choices {
			p.allowed[s][a] = true
		}
	}
	return p
}

func (p *passage) isAllowed(s, a int) bool { return p.allowed[s][a] }

// attract returns the states from which a state of a fate can be reached through
// finite ones, by choices that are permitted: with probability 1 where these do
// not lead out of the states that are returned. Where policy is not nil it is set
// to choices that come closer.
func (p *passage) attract(to fate, policy []int32, permitted func(s, a int) bool) []bool {
	reached := make([]bool, len(p.fate))
	for s, f := range p.fate {
		reached[s] = f == to
	}
	for again := true; again; {
		again = false
		for s, choices := range p.model.states {
			if reached[s] || p.fate[s] != finite {
				continue
			}
			for a, c := range choices {
				if permitted(s, a) && slices.ContainsFunc(c.columns, func(j int32) bool { return reached[j] }) {
					reached[s], again = true, true
					if policy != nil {
						policy[s] = int32(a)
					}
					break
				}
			}
		}
	}
	return reached
}

// excludeUnreachable finds the states from which no policy reaches the target
// with probability 1, and takes back the choices that may lead there: again and
// again those that cannot reach it at all, by the choices that are left.
func (p *passage) excludeUnreachable() {
	for again := true; again; {
		again = false
		for s, reached := range p.attract(ended, nil, p.isAllowed) {
			if p.fate[s] == finite && !reached {
				p.fate[s], again = unreaching, true
			}
		}
		p.forbid(unreaching)
	}
}

// forbid takes back the choices that may lead to a state of a fate.
func (p *passage) forbid(to fate) {
	for s, choices := range p.model.states {
		for a, c := range choices {
			if p.allowed[s][a] && slices.ContainsFunc(c.columns, func(j int32) bool { return p.fate[j] == to }) {
				p.allowed[s][a] = false
			}
		}
	}
}

// excludeAvoidable finds the states from which some policy may not reach the
// target: those that can reach a set in which one can stay for ever.
func (p *passage) excludeAvoidable() {
	stays := make([]bool, len(p.fate))
	for s, f := range p.fate {
		stays[s] = f == finite
	}
	for again := true; again; {
		again = false
		for s, choices := range p.model.states {
			if !stays[s] {
				continue
			}
			a := slices.IndexFunc(choices, func(c choice) bool {
				return !slices.ContainsFunc(c.columns, func(j int32) bool { return !stays[j] })
			})
			if a < 0 {
				stays[s], again = false, true
			} else {
				p.policy[s] = int32(a)
			}
		}
	}
	p.spread(stays)
}

// spread gives the fate endless to the states of a set and to those that can
// reach it.
func (p *passage) spread(set []bool) {
	for s, in := range set {
		if in {
			p.fate[s] = endless
		}
	}
	for s, reached := range p.attract(endless, p.policy, p.isAllowed) {
		if reached {
			p.fate[s] = endless
		}
	}
}

// excludeNegative finds the states from which a cycle of negative cost can be
// reached: one in an end component whose least gain is negative. The target can
// be reached from everywhere, so that one may leave after any number of rounds.
func (p *passage) excludeNegative(ctx context.Context) error {
	stays := make([][]bool, len(p.fate))
	for s, allowed := range p.allowed {
		stays[s] = slices.Clone(allowed)
		if p.fate[s] != finite {
			clear(stays[s])
		}
	}
	component := p.model.endComponents(stays)
	suspect := map[int32]bool{} // components with a negative cost
	for s, choices := range p.model.states {
		for a, c := range choices {
			if stays[s][a] && c.cost.Sign() < 0 {
				suspect[component[s]] = true
			}
		}
	}
	if len(suspect) == 0 {
		return nil
	}
	part := p.model.part(stays, func(s int) bool { return suspect[component[s]] })
	g, h, policy, _, err := part.model.leastAverage(ctx)
	if err != nil {
		return err
	}
	negative := make([]bool, len(p.fate))
	for i, s := range part.states {
		if g.numerators[i].Sign() < 0 {
			negative[s] = true
			p.policy[s] = part.actions[i][policy[i]]
		}
	}
	if slices.Contains(negative, true) {
		p.cycle = &Cycle{Policy: slices.Clone(p.policy), Values: make([]Value, len(p.fate))}
		for i, x := range h.values(part.model.perStep()) {
			if s := part.states[i]; negative[s] {
				p.cycle.Values[s] = x
			}
		}
	}
	p.spread(negative)
	return nil
}
