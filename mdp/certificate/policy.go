// This file makes policies of what files say of them, in any order.

package certificate

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// policyBuilder collects what a file says of a policy.
type policyBuilder struct {
	model *modelfile.Model
	list  []taken
	names map[string]int32 // states by name; nil until it is needed, −1 for a name of several
	// valued has states by the values of their variables, in the same way.
	valued map[string]int32
	open   map[int32]bool // states that are said to have no action
}

// taken is an action that a file gives to a state.
type taken struct {
	state, action int32
	probability   *big.Rat // nil: it is the only one
}

// fault is the error of something in a file that is not what was expected.
func fault(found, expected string) error { return fmt.Errorf("found %s; expected %s", found, expected) }

// digits says what a text of digits stands for: other texts are names.
type digits int

const (
	eitherDigits digits = iota // a number or, where there is none, a name
	numberDigits
	nameDigits
)

// hasNumeralStates reports whether a text may be the name of one state and the number of
// another.
func hasNumeralStates(m *modelfile.Model) bool {
	for s, name := range m.StateNames {
		if i := numeral(name, m.NumStates()); i >= 0 && int(i) != s {
			return true
		}
	}
	return false
}

// hasNumeralActions says the same of the actions of a state.
func hasNumeralActions(m *modelfile.Model) bool {
	for s := range m.NumStates() {
		first, last := m.StateStart[s], m.StateStart[s+1]
		for k := first; k < last && m.ActionNames != nil; k++ {
			if i := numeral(m.ActionNames[k], int(last-first)); i >= 0 && i != k-first {
				return true
			}
		}
	}
	return false
}

// numeral returns the number below a limit that a text of digits is, and −1 for other texts.
func numeral(text string, limit int) int32 {
	i, err := strconv.ParseUint(text, 10, 31)
	if err != nil || i >= uint64(limit) {
		return -1
	}
	return int32(i)
}

// state returns the state of a number or a name.
func (b *policyBuilder) state(text string, as digits) (int32, error) {
	expected := fmt.Sprintf("a state of 0 … %d", b.model.NumStates()-1)
	if b.model.StateNames != nil {
		expected += ", or its name"
	}
	if s := numeral(text, b.model.NumStates()); s >= 0 && as != nameDigits {
		return s, nil
	}
	if numeral(text, math.MaxInt32) >= 0 && as == numberDigits {
		return 0, fault("state "+wording.Quote(text), expected)
	}
	if b.names == nil {
		b.names = b.statesBy(func(s int) string { return strings.TrimSpace(b.model.StateNames[s]) })
	}
	s, known := b.names[text]
	switch {
	case !known:
		return 0, fault("state "+wording.Quote(text), expected)
	case s < 0:
		return 0, fault("state "+wording.Quote(text)+", a name that several states have", "the number of a state")
	}
	return s, nil
}

// statesBy returns the states that have names by their names, −1 for that of several.
func (b *policyBuilder) statesBy(name func(s int) string) map[string]int32 {
	states := make(map[string]int32, len(b.model.StateNames))
	for s := range b.model.StateNames {
		key, state := name(s), int32(s)
		if _, twice := states[key]; twice {
			state = -1
		}
		states[key] = state
	}
	return states
}

// valuation returns the state in which the variables have some values, −1 if several
// states have these.
func (b *policyBuilder) valuation(values []string) (int32, error) {
	if b.valued == nil {
		_, valuesOf := b.model.Valuations()
		b.valued = b.statesBy(func(s int) string { return strings.Join(valuesOf(s), ",") })
	}
	s, known := b.valued[strings.Join(values, ",")]
	if !known {
		return 0, fault("state "+wording.Quote("("+strings.Join(values, ",")+")"), "the values of "+wording.Short(b.model.Variables)+" in a state of the model")
	}
	return s, nil
}

// action returns the action of state s of a number or a name.
func (b *policyBuilder) action(s int32, text string, as digits) (int32, error) {
	m := b.model
	first, last := m.StateStart[s], m.StateStart[s+1]
	if a := numeral(text, int(last-first)); a >= 0 && as != nameDigits {
		return a, nil
	}
	found, isName := int32(-1), as != numberDigits || numeral(text, math.MaxInt32) < 0
	for k := first; k < last && isName; k++ {
		if strings.TrimSpace(m.ActionName(int(s), int(k))) != text {
			continue
		}
		if found >= 0 {
			return 0, fault(fmt.Sprintf("action %s of state %d, a name that several of its actions have", wording.Quote(text), s),
				fmt.Sprintf("the number of an action, 0 … %d", last-first-1))
		}
		found = k - first
	}
	if found >= 0 {
		return found, nil
	}
	var names []string
	for k := first; k < last; k++ {
		names = append(names, m.ActionName(int(s), int(k)))
	}
	return 0, fault(fmt.Sprintf("action %s of state %d", wording.Quote(text), s), fmt.Sprintf("one of %s, or its number", wording.List(names)))
}

// probability reads the share of an action.
func probability(text string) (*big.Rat, error) {
	exact, float, err := number.ParseExact(text)
	switch {
	case err != nil:
		return nil, err
	case float < 0 || float > 1+modelfile.SumTolerance:
		return nil, fault("probability "+wording.Quote(text), "a number from 0 to 1")
	}
	return exact, nil
}

// take gives a state an action, unless its probability is 0.
func (b *policyBuilder) take(t taken) {
	if t.probability == nil || t.probability.Sign() > 0 {
		b.list = append(b.list, t)
	}
}

// leaveOpen notes that a state has no action, because the action does not matter there.
func (b *policyBuilder) leaveOpen(s int32) {
	if b.open == nil {
		b.open = make(map[int32]bool)
	}
	b.open[s] = true
}

// policy returns the policy, and the states with a choice for which it has no action. needed says
// that each of these has to be left open.
func (b *policyBuilder) policy(needed bool) (p mdp.Policy, missing []int32, err error) {
	slices.SortStableFunc(b.list, func(x, y taken) int {
		return cmp.Or(cmp.Compare(x.state, y.state), cmp.Compare(x.action, y.action))
	})
	n := b.model.NumStates()
	p = mdp.Policy{Start: make([]int32, 1, n+1), Actions: make([]int32, 0, n)}
	probabilities := make([]*big.Rat, 0, len(b.list))
	rest, random := b.list, false
	for s := range int32(n) {
		count := 0
		for count < len(rest) && rest[count].state == s {
			count++
		}
		own := rest[:count]
		rest = rest[count:]
		if count == 0 {
			if actions := b.model.StateStart[s+1] - b.model.StateStart[s]; actions > 1 {
				if needed && !b.open[s] {
					return p, nil, fault(fmt.Sprintf("no action for state %d, which has %d", s, actions), "a line for each state with a choice")
				}
				missing = append(missing, s)
			}
			own = []taken{{state: s}}
		}
		shares, err := sharesOf(own)
		if err != nil {
			return p, nil, err
		}
		for _, t := range own {
			p.Actions = append(p.Actions, t.action)
		}
		probabilities = append(probabilities, shares...)
		random = random || len(own) > 1
		if len(p.Actions) > math.MaxInt32 {
			return p, nil, fault(fmt.Sprintf("more than %d actions of a policy", math.MaxInt32), "a smaller one")
		}
		p.Start = append(p.Start, int32(len(p.Actions)))
	}
	if random {
		p.Probabilities = probabilities
	}
	return p, missing, nil
}

// sharesOf returns the probabilities of the actions that a state takes, divided by
// their sum: decimals such as 0.333 333 333 3 are rounded.
func sharesOf(own []taken) (shares []*big.Rat, err error) {
	if len(own) == 1 && own[0].probability == nil {
		return []*big.Rat{one}, nil
	}
	sum := new(big.Rat)
	for i, t := range own {
		switch {
		case i > 0 && t.action == own[i-1].action:
			return nil, fault(fmt.Sprintf("action %d of state %d for the second time", t.action, t.state), "each action of a state once")
		case t.probability == nil:
			return nil, fault(fmt.Sprintf("state %d for the second time", t.state), "one action of each state, or each with its probability")
		}
		sum.Add(sum, t.probability)
	}
	if !(math.Abs(number.Nearest(sum)-1) <= modelfile.SumTolerance) {
		return nil, fault(fmt.Sprintf("state %d with probabilities that sum to %s", own[0].state, number.Short(sum)), "a sum of 1")
	}
	for _, t := range own {
		shares = append(shares, new(big.Rat).Quo(t.probability, sum))
	}
	return shares, nil
}
