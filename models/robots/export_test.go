package robots

import (
	"reflect"
	"slices"
)

// Internals that tests look at.

var LeastSufficient = leastSufficient

func (m *Model) EliminationWork() float64 { return m.eliminationWork() }

// ActionOf returns the action that takes decisions.
func (m *Model) ActionOf(index int, d Decisions) int {
	s := m.State(index)
	_, code, _ := m.layout.find(s)
	return m.action(s.Queue, s.Phase, code, d)
}

// AsVariant returns the model without the fast sweep of the plain process.
func (m *Model) AsVariant() *Model {
	variant, err := NewModel(m.parameters)
	if err != nil {
		panic(err)
	}
	variant.plain = nil
	return variant
}

// SameDecisions reports whether two policies are for states that are numbered
// alike and decide the same.
func (p *Policy) SameDecisions(other *Policy) bool {
	return reflect.DeepEqual(p.layout, other.layout) && slices.Equal(p.activate, other.activate) && slices.Equal(p.reactivate, other.reactivate)
}
