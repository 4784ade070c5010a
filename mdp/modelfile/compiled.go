// This file makes models of problems that a program declares over its own types.

package modelfile

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Names has what a file says of a compiled problem beside its numbers: names, labels and further
// rewards, as functions of the problem's own states S and actions A. The zero value is useful.
type Names[S comparable, A any] struct {
	// Cost names the reward model of the problem's costs; "" stands for "cost".
	Cost string

	// Rewards are further reward models: the expected reward of a step, or per unit of time
	// where the problem has a Rate.
	Rewards map[string]func(s S, a A) float64

	// Labels say in which states each label holds. "init" is the label of the initial states;
	// without it, state 0 is the initial one.
	Labels map[string]func(s S) bool

	// State lists the values of a state's variables, such as "(1,true)". If it is nil, these are
	// the fields of a struct or, for another type, the state itself. Variables lists their names,
	// such as "(goods,open)"; without State, "" stands for the names of the fields, or "(state)".
	State     func(s S) string
	Variables string

	// Action names an action; nil stands for fmt.Sprint. If no state has several actions,
	// actions have no names.
	Action func(a A) string
}

// Of returns a compiled problem as a model for a file. It is an MDP if a state has several actions,
// and otherwise a DTMC or, if the problem's Rate Λ is not 1, a CTMC with the rates p·Λ, rounded to
// float64.
//
// With several actions in continuous time, the steps of the MDP are those of the uniformized
// process, of mean length 1/Λ. Averages per step are then averages per unit of time of the compiled
// problem; totals, discounted and relative values are Λ times its own.
//
// An error says which name or number files cannot hold: see [Model.Validate].
func Of[S comparable, A any](c *mdp.Compiled[S, A], names Names[S, A]) (*Model, error) {
	n, rate := c.NumStates(), 1.0
	m := &Model{
		Kind: DTMC, StateStart: []int32{0}, RowStart: []int32{0}, Initial: []int32{0},
		StateNames: make([]string, n), Variables: names.Variables,
	}
	switch {
	case c.NumChoices() > n:
		m.Kind, m.ActionNames = MDP, make([]string, 0, c.NumChoices())
	case c.Rate() != 1:
		m.Kind, rate = CTMC, c.Rate()
	}
	costs := Numbers{}
	var row []mdp.Entry
	for s := range n {
		for a := range c.NumActions(s) {
			var cost float64
			row, cost = c.AppendRow(row[:0], s, a)
			costs.Float = append(costs.Float, cost)
			for _, e := range row {
				if m.Kind != CTMC || int(e.State) != s {
					m.Columns, m.Values.Float = append(m.Columns, e.State), append(m.Values.Float, e.Probability*rate)
				}
			}
			m.RowStart = append(m.RowStart, int32(len(m.Columns)))
			if m.Kind == MDP {
				m.ActionNames = append(m.ActionNames, names.action(c.Action(s, a), a))
			}
		}
		m.StateStart = append(m.StateStart, int32(len(costs.Float)))
		m.StateNames[s] = names.state(c.State(s))
	}
	if m.Variables == "" && names.State == nil {
		m.Variables = variables(reflect.TypeFor[S]())
	}
	if !slices.ContainsFunc(m.ActionNames, func(name string) bool { return name != "" }) {
		m.ActionNames = nil
	}
	m.earn("cost", costs)
	if names.Cost != "" {
		m.Rewards[0].Name = names.Cost
	}
	for _, name := range slices.Sorted(maps.Keys(names.Rewards)) {
		rewards := Numbers{}
		for s, k := range m.choices() {
			rewards.Float = append(rewards.Float, names.Rewards[name](c.State(s), c.Action(s, m.number(s, k))))
		}
		m.earn(name, rewards)
	}
	for name, holds := range names.Labels {
		states := []int32{}
		for s := range n {
			if holds(c.State(s)) {
				states = append(states, int32(s))
			}
		}
		if name == initialLabel {
			m.Initial = states
		} else {
			if m.Labels == nil {
				m.Labels = make(map[string][]int32)
			}
			m.Labels[name] = states
		}
	}
	return m, m.Validate()
}

// earn adds a reward model of rewards by choice. In a chain they become rewards of states, since in
// continuous time rewards of actions are earned at each jump.
func (m *Model) earn(name string, rewards Numbers) {
	r := RewardModel{Name: name, Action: rewards}
	if m.Kind != MDP {
		r.State, r.Action = r.Action, Numbers{}
	}
	m.Rewards = append(m.Rewards, r)
}

// action names action number a of a state; "" for a name that is this number.
func (n Names[S, A]) action(action A, a int) string {
	name := n.Action
	if name == nil {
		name = func(action A) string { return fmt.Sprint(action) }
	}
	if text := name(action); text != strconv.Itoa(a) {
		return text
	}
	return ""
}

// state names a state.
func (n Names[S, A]) state(s S) string {
	if n.State != nil {
		return n.State(s)
	}
	v := reflect.ValueOf(s)
	if v.Kind() != reflect.Struct {
		return "(" + fmt.Sprint(s) + ")"
	}
	var fields []string
	for _, field := range v.Fields() {
		fields = append(fields, fmt.Sprint(field))
	}
	return "(" + strings.Join(fields, ",") + ")"
}

// variables lists the fields of a struct.
func variables(state reflect.Type) string {
	if state.Kind() != reflect.Struct {
		return "(state)"
	}
	var fields []string
	for field := range state.Fields() {
		fields = append(fields, field.Name)
	}
	return "(" + strings.Join(fields, ",") + ")"
}
