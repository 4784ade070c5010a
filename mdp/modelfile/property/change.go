package property

// Changed models: with states that are absorbing, or with other choices.

import (
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// change makes a question of a property about a model.
type change struct {
	from        *modelfile.Model
	property    *Property
	sense       mdp.Sense
	left, right []bool // where the operands hold
}

// ones returns 1 for some states and 0 for others.
func (c *change) ones(states []bool) modelfile.Numbers {
	list := modelfile.Numbers{Float: make([]float64, len(states))}
	if c.from.IsExact() {
		list.Exact = slices.Repeat([]*big.Rat{zero}, len(states))
	}
	for s, is := range states {
		if is {
			list.Float[s] = 1
			if list.Exact != nil {
				list.Exact[s] = one
			}
		}
	}
	return list
}

// absorbing returns the model in which some states are never left.
func (c *change) absorbing(states []bool) *modelfile.Model {
	b := c.newModel()
	for s, is := range states {
		if is {
			b.leadTo(s)
		} else {
			for _, k := range c.choices(s) {
				b.copyChoice(k)
			}
		}
		b.endState()
	}
	return b.model
}

// jumps returns the chain of the jumps of a CTMC; any other model is that itself.
func jumps(m *modelfile.Model) *modelfile.Model {
	if m.Kind != modelfile.CTMC {
		return m
	}
	b := (&change{from: m}).newModel()
	b.model.Kind = modelfile.DTMC
	for s := range m.NumStates() {
		k := m.StateStart[s]
		lo, hi := m.RowStart[k], m.RowStart[k+1]
		if lo == hi {
			b.leadTo(s)
		} else {
			sum := new(big.Rat)
			for e := lo; e < hi; e++ {
				sum.Add(sum, rational(m.Values, int(e)))
			}
			for e := lo; e < hi; e++ {
				b.add(m.Columns[e], new(big.Rat).Quo(rational(m.Values, int(e)), sum))
			}
			b.endChoice()
		}
		b.endState()
	}
	return b.model
}

// rational returns a number exactly.
func rational(list modelfile.Numbers, i int) *big.Rat {
	if list.Exact != nil {
		return list.Exact[i]
	}
	return new(big.Rat).SetFloat64(list.Float[i])
}

// newModel begins a model with the states of another, to which choices are to be added.
func (c *change) newModel() *building {
	m := c.from
	b := &building{from: m, model: &modelfile.Model{
		Kind: m.Kind, Initial: m.Initial, Variables: m.Variables, StateNames: m.StateNames, StateStart: []int32{0}, RowStart: []int32{0},
	}}
	if m.IsExact() {
		b.model.Values.Exact = []*big.Rat{}
	}
	return b
}

// building is a model in progress.
type building struct {
	from, model *modelfile.Model
	expected    *modelfile.Numbers // rewards of the choices of from; nil where nobody asks
	earned      modelfile.Numbers  // and of those of the model
}

// copyChoice adds choice k.
func (b *building) copyChoice(k int32) {
	from, to := b.from, b.model
	lo, hi := from.RowStart[k], from.RowStart[k+1]
	to.Columns = append(to.Columns, from.Columns[lo:hi]...)
	to.Values.Float = append(to.Values.Float, from.Values.Float[lo:hi]...)
	if from.IsExact() {
		to.Values.Exact = append(to.Values.Exact, from.Values.Exact[lo:hi]...)
	}
	b.endChoice()
	if b.expected != nil {
		b.earn(b.expected.Float[k], rational(*b.expected, int(k)))
	}
	if from.ActionNames != nil {
		to.ActionNames = append(to.ActionNames, from.ActionNames[k])
	}
}

// earn sets the reward of the choice that was added.
func (b *building) earn(x float64, exactly *big.Rat) {
	b.earned.Float = append(b.earned.Float, x)
	if b.from.IsExact() {
		b.earned.Exact = append(b.earned.Exact, exactly)
	}
}

// leadTo adds a choice that leads to one state.
func (b *building) leadTo(s int) {
	if b.model.Kind != modelfile.CTMC {
		b.add(int32(s), one)
	}
	b.endChoice()
	if b.expected != nil {
		b.earn(0, zero)
	}
	if b.from.ActionNames != nil {
		b.model.ActionNames = append(b.model.ActionNames, "")
	}
}

func (b *building) add(to int32, p *big.Rat) {
	m := b.model
	x, _ := p.Float64()
	m.Columns, m.Values.Float = append(m.Columns, to), append(m.Values.Float, x)
	if b.from.IsExact() {
		m.Values.Exact = append(m.Values.Exact, p)
	}
}

func (b *building) endChoice() {
	b.model.RowStart = append(b.model.RowStart, int32(len(b.model.Columns)))
}

func (b *building) endState() {
	b.model.StateStart = append(b.model.StateStart, int32(len(b.model.RowStart)-1))
}
