package exact

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
)

// endless solves a model whose costs are minimised for the total of all steps. The states of end
// components without costs get one more choice, to stop: it leads to one more state, the target.
func (m *Model) endless(ctx context.Context, sense mdp.Sense) (*Answer, error) {
	all := m.rows()
	free, n := make([]bool, all.NumChoices()), int32(len(m.states))
	for s, choices := range m.states {
		for a, c := range choices {
			free[int(all.StateStart[s])+a] = c.cost.Sign() == 0
		}
	}
	ends := endcomponents.FindAllowed(all, free)
	stop := choice{columns: []int32{n}, weights: []*big.Int{big.NewInt(1)}, leave: big.NewInt(1), scale: big.NewInt(1), cost: new(big.Int)}
	stopping := &Model{unit: m.unit, rate: m.rate}
	for s, choices := range m.states {
		if ends.Of[s] != endcomponents.Outside {
			choices = append(slices.Clone(choices), stop)
		}
		stopping.states = append(stopping.states, choices)
	}
	stopping.states = append(stopping.states, []choice{{leave: new(big.Int), scale: big.NewInt(1), cost: new(big.Int)}})
	p := newPassage(stopping, one)
	p.fate[n] = ended
	negative, balanced, err := p.signs(ctx, true)
	if err != nil {
		return nil, err
	}
	for s, is := range negative {
		if is {
			p.fate[s] = endless
		}
	}
	p.excludeUnreachable()
	p.lead(negative)
	for s, is := range balanced {
		if is && p.fate[s] == unreaching {
			return nil, undefined(s)
		}
	}
	p.towards(p.of(ended))
	v, iterations, err := p.iterate(ctx)
	if err != nil {
		return nil, err
	}
	if s := p.goesRound(v); s >= 0 {
		return nil, undefined(s)
	}
	answer := &Answer{Values: v.oriented(sense).values(m.perStep())[:n], Policy: p.policy[:n], Iterations: iterations}
	if p.cycle != nil {
		answer.Cycle = &Cycle{Policy: p.cycle.Policy[:n], Values: p.cycle.Values[:n]}
	}
	sign := int8(1)
	if sense == mdp.Maximize {
		sign = -1
		if answer.Cycle != nil {
			for s, x := range answer.Cycle.Values {
				answer.Cycle.Values[s] = x.negative()
			}
		}
	}
	for s := range answer.Values {
		switch p.fate[s] {
		case unreaching:
			answer.Values[s] = Value{infinity: sign}
		case endless:
			answer.Values[s] = Value{infinity: -sign}
		case finite, ended:
		}
		if int(answer.Policy[s]) == len(m.states[s]) { // it stops
			first, end := all.Choices(s)
			answer.Policy[s] = int32(slices.Index(ends.Stays[first:end], true))
		}
	}
	return answer, nil
}

func undefined(s int) error {
	return fmt.Errorf("exact: %w: the total is not defined: from state %d a policy may go round for ever where rewards other than 0 have the mean 0", mdp.ErrUnsupported, s)
}

// goesRound returns a state of an end component in which costs other than 0 have the mean 0; −1
// for none. All choices of such a component attain the optimum v: otherwise the mean of c + P·v −
// v over it would be above 0.
func (p *passage) goesRound(v vector) int {
	attains := make([]bool, p.rows.NumChoices())
	for s, choices := range p.model.states {
		for a := range choices {
			k := int(p.rows.StateStart[s]) + a
			attains[k] = p.allowed[k] && p.fate[s] == finite && p.model.states[s][a].after(v, s, one).Sign() == 0
		}
	}
	ends := endcomponents.FindAllowed(p.rows, attains)
	for s, choices := range p.model.states {
		for a, c := range choices {
			if ends.Stays[int(p.rows.StateStart[s])+a] && c.cost.Sign() != 0 {
				return s
			}
		}
	}
	return -1
}
