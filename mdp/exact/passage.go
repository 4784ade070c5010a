package exact

import (
	"context"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// fate is the kind of value that a state has in a stochastic shortest path problem.
type fate int8

const (
	finite     fate = iota // its value is a number
	ended                  // it is in the target
	unreaching             // no policy reaches the target with probability 1
	endless                // it is best to stay away from the target
)

// passage is a stochastic shortest path problem, or a discounted one, which needs no
// target.
type passage struct {
	model    *Model // whose costs are minimised
	discount *big.Rat
	fate     []fate
	rows     *rows.Rows
	allowed  []bool // by choice
	policy   []int32
	cycle    *Cycle // that makes values endless; nil for none
}

func newPassage(m *Model, discount *big.Rat) *passage {
	n, r := len(m.states), m.rows()
	return &passage{
		model: m, discount: discount, fate: make([]fate, n), policy: make([]int32, n),
		rows: r, allowed: slices.Repeat([]bool{true}, r.NumChoices()),
	}
}

func (p *passage) isAllowed(s, a int) bool { return p.allowed[int(p.rows.StateStart[s])+a] }

// of returns the states of a fate.
func (p *passage) of(f fate) []bool {
	states := make([]bool, len(p.fate))
	for s, own := range p.fate {
		states[s] = own == f
	}
	return states
}

// towards returns the states from which allowed choices lead to a set through finite
// states, and sets the policy to choices that come closer.
func (p *passage) towards(set []bool) []bool {
	reached, allowed := slices.Clone(set), slices.Clone(p.allowed)
	for s, f := range p.fate {
		for k, end := p.rows.Choices(s); k < end; k++ {
			allowed[k] = allowed[k] && f == finite
		}
	}
	endcomponents.NewPredecessors(p.rows).Towards(reached, allowed, p.policy)
	return reached
}

// excludeUnreachable finds the states from which no policy reaches the target, or states of
// endless value, with probability 1, and forbids the choices that may lead there.
func (p *passage) excludeUnreachable() {
	wanted := make([]bool, len(p.fate))
	for s, f := range p.fate {
		wanted[s] = f == ended || f == endless
	}
	sure, _ := endcomponents.NewPredecessors(p.rows).SurelyReaching(wanted, p.allowed)
	for s, is := range sure {
		if !is {
			p.fate[s] = unreaching
		}
	}
}

// excludeAvoidable finds the states from which some policy may not reach the target.
func (p *passage) excludeAvoidable() {
	for s, is := range endcomponents.NewPredecessors(p.rows).MayAvoid(p.of(ended), p.policy) {
		if is {
			p.fate[s] = endless
		}
	}
}

// excludeNegative finds the states from which a cycle of negative cost can be
// reached. The target can be reached from everywhere, so that the cycle can be left after any
// number of rounds.
func (p *passage) excludeNegative(ctx context.Context) error {
	negative, _, err := p.signs(ctx, false)
	if err == nil {
		p.lead(negative)
	}
	return err
}

// lead gives the fate endless to the states from which choices lead to negative end components.
func (p *passage) lead(negative []bool) {
	if !slices.Contains(negative, true) {
		return
	}
	for s, reaches := range p.towards(negative) {
		if reaches {
			p.fate[s] = endless
		}
	}
}

// signs returns the states of end components whose least gain is negative, and those where it is
// 0 though a cost is negative. It sets the policy that attains negative gains, and the cycle that
// proves them. With positive, the cycle also proves the positive gains of components with a
// negative cost.
func (p *passage) signs(ctx context.Context, positive bool) (negative, balanced []bool, err error) {
	negative, balanced = make([]bool, len(p.fate)), make([]bool, len(p.fate))
	stays := slices.Clone(p.allowed)
	for s, f := range p.fate {
		for k, end := p.rows.Choices(s); k < end; k++ {
			stays[k] = stays[k] && f == finite
		}
	}
	ends := endcomponents.FindAllowed(p.rows, stays)
	suspect := make([]bool, ends.Count) // components with a negative cost
	for s, choices := range p.model.states {
		for a, c := range choices {
			if stays[int(p.rows.StateStart[s])+a] && c.cost.Sign() < 0 {
				suspect[ends.Of[s]] = true
			}
		}
	}
	if !slices.Contains(suspect, true) {
		return negative, balanced, nil
	}
	isSuspect := func(s int) bool { return ends.Of[s] != endcomponents.Outside && suspect[ends.Of[s]] }
	inside, actions := p.within(stays, isSuspect)
	g, h, policy, _, err := inside.leastAverage(ctx)
	if err != nil {
		return nil, nil, err
	}
	values := h.values(p.model.perStep())
	cycle := &Cycle{Policy: slices.Clone(p.policy), Values: make([]Value, len(p.fate))}
	for s, x := range g.numerators {
		sign := x.Sign()
		if !isSuspect(s) {
			continue
		}
		if negative[s], balanced[s] = sign < 0, sign == 0; sign < 0 || sign > 0 && positive {
			cycle.Policy[s], cycle.Values[s] = actions[s][policy[s]], values[s]
			p.cycle = cycle
		}
		if sign < 0 {
			p.policy[s] = cycle.Policy[s]
		}
	}
	return negative, balanced, nil
}

// within returns a model of the kept choices of the states for which in is true, with
// their actions. Other states stay where they are, at no cost.
func (p *passage) within(kept []bool, in func(s int) bool) (m *Model, actions [][]int32) {
	m, actions = &Model{unit: p.model.unit, rate: p.model.rate}, make([][]int32, len(p.fate))
	for s, choices := range p.model.states {
		var own []choice
		for a, c := range choices {
			if kept[int(p.rows.StateStart[s])+a] && in(s) {
				own, actions[s] = append(own, c), append(actions[s], int32(a))
			}
		}
		if own == nil {
			own = []choice{{leave: new(big.Int), scale: big.NewInt(1), cost: new(big.Int)}}
		}
		m.states = append(m.states, own)
	}
	return m, actions
}
