package property

// Models that remember which path formulas have come true or failed, so that several of them are sets of
// states.

import (
	"math/big"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// event is a path formula without a time: φ U ψ or, if it is weak, φ W ψ.
type event struct {
	isWeak      bool
	left, right []bool // the states of φ and ψ
}

// The statuses of an event, which happens, fails, or has done neither yet.
const (
	open     = '?'
	happened = '+'
	failed   = '-'
)

// product is a model with a state for each state of another one and the statuses of some events.
type product struct {
	*modelfile.Model
	at    []int32  // by state of the other model, where its runs begin; −1 where none does
	of    []int32  // by state, the state of the other model
	holds [][]bool // by event, the states from which it is true if its status stays

	choices, transitions []int32 // where they come from; −1 for those of stops
}

// place is a state of a product.
type place struct {
	state    int32
	statuses string
}

// productOf returns the product for runs that begin in some states. The states of the product that
// stops marks (none if it is nil) have one more choice, which leads to the last state; that is never
// left.
func productOf(m *modelfile.Model, events []event, from []int32, stops []bool) *product {
	p := &product{
		Model: &modelfile.Model{Kind: m.Kind, ZeroWidth: m.ZeroWidth, StateStart: []int32{0}, RowStart: []int32{0}},
		at:    make([]int32, m.NumStates()), holds: make([][]bool, len(events)),
	}
	var places []place
	numbers := map[place]int32{}
	find := func(s int32, statuses string) int32 {
		now := []byte(statuses)
		for i, x := range events {
			switch {
			case now[i] == open && x.right[s]:
				now[i] = happened
			case now[i] == open && !x.left[s]:
				now[i] = failed
			}
		}
		at := place{s, string(now)}
		number, is := numbers[at]
		if !is {
			number = int32(len(places))
			places, numbers[at] = append(places, at), number
		}
		return number
	}
	for s := range p.at {
		p.at[s] = -1
	}
	for _, s := range from {
		p.at[s] = find(s, strings.Repeat(string(open), len(events)))
	}
	endChoice := func(from int32) {
		p.RowStart, p.choices = append(p.RowStart, int32(len(p.Columns))), append(p.choices, from)
		if from < 0 {
			p.ActionNames = append(p.ActionNames, "stop")
		} else if m.ActionNames != nil || stops != nil {
			p.ActionNames = append(p.ActionNames, m.ActionName(int(p.of[len(p.of)-1]), int(from)))
		}
	}
	stop := func(to int32) {
		p.Columns, p.transitions = append(p.Columns, to), append(p.transitions, -1)
		endChoice(-1)
	}
	for i := 0; i < len(places); i++ {
		x := places[i]
		p.of = append(p.of, x.state)
		for k := m.StateStart[x.state]; k < m.StateStart[x.state+1]; k++ {
			for t := m.RowStart[k]; t < m.RowStart[k+1]; t++ {
				p.Columns, p.transitions = append(p.Columns, find(m.Columns[t], x.statuses)), append(p.transitions, t)
			}
			endChoice(k)
		}
		if i < len(stops) && stops[i] {
			stop(int32(len(stops)))
		}
		p.StateStart = append(p.StateStart, int32(len(p.RowStart)-1))
		name := m.StateName(int(x.state))
		for j, event := range events {
			p.holds[j] = append(p.holds[j], x.statuses[j] == happened || event.isWeak && x.statuses[j] == open)
		}
		if strings.Trim(x.statuses, string(open)) != "" {
			name += " " + x.statuses
		}
		p.StateNames = append(p.StateNames, name)
	}
	if stops != nil {
		p.Kind = modelfile.MDP
		stop(int32(len(places)))
		p.StateStart, p.StateNames = append(p.StateStart, int32(len(p.RowStart)-1)), append(p.StateNames, "stopped")
	}
	for _, s := range m.Initial {
		p.Initial = append(p.Initial, p.at[s])
	}
	p.Values = picked(m.Values, p.transitions, one, m.IsExact())
	return p
}

// picked returns elements of a list; other stands for those with the number −1. An empty list consists
// of zeros and stays empty.
func picked(list modelfile.Numbers, from []int32, other *big.Rat, exact bool) (to modelfile.Numbers) {
	if list.Len() == 0 {
		return to
	}
	for _, i := range from {
		switch {
		case i < 0:
			put(&to, other, exact)
		case list.Exact != nil && exact:
			to.Float, to.Exact = append(to.Float, list.Float[i]), append(to.Exact, list.Exact[i])
		default:
			to.Float = append(to.Float, list.Float[i])
		}
	}
	return to
}

// reward returns a reward model of the other model as one of the product.
func (p *product) reward(r *modelfile.RewardModel, exact bool) modelfile.RewardModel {
	of := p.of
	if p.NumStates() > len(of) { // the last state
		of = append(slices.Clip(of), -1)
	}
	return modelfile.RewardModel{
		Name: r.Name, State: picked(r.State, of, zero, exact),
		Action: picked(r.Action, p.choices, zero, exact), Transition: picked(r.Transition, p.transitions, zero, exact),
	}
}
