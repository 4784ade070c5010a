package mdpio

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// policyBuilder collects what a file says of a policy, in any order.
type policyBuilder struct {
	model *Model
	taken []taken
	names map[string]int32 // states by name; nil until it is needed, −1 for a name of several
}

// taken is an action that a file has a state take.
type taken struct {
	state, action int32
	probability   *big.Rat // nil: it is the only one
	at            place
}

// stateNamed returns the state of a number or a name.
func (b *policyBuilder) stateNamed(text string) (int32, *fault) {
	if s, err := strconv.ParseUint(text, 10, 31); err == nil && s < uint64(b.model.NumStates()) {
		return int32(s), nil
	}
	allowed := fmt.Sprintf("a state of 0 … %d", b.model.NumStates()-1)
	if b.model.StateNames != nil {
		allowed += ", or its name"
	}
	if b.names == nil {
		b.names = make(map[string]int32, len(b.model.StateNames))
		for s, name := range b.model.StateNames {
			if _, twice := b.names[name]; twice {
				b.names[name] = -1
				continue
			}
			b.names[name] = int32(s)
		}
	}
	s, known := b.names[text]
	switch {
	case !known:
		return 0, &fault{"state " + wording.Quote(text), allowed}
	case s < 0:
		return 0, &fault{"state " + wording.Quote(text) + ", a name that several states have", "the number of a state"}
	}
	return s, nil
}

// actionNamed returns the action of state s of a name or, where it has none of
// that name, of a number.
func (b *policyBuilder) actionNamed(s int32, text string) (int32, *fault) {
	m, found := b.model, int32(-1)
	first, last := m.StateStart[s], m.StateStart[s+1]
	for k := first; k < last && len(m.ActionNames) > 0; k++ {
		if m.ActionNames[k] != text {
			continue
		}
		if found >= 0 {
			return 0, &fault{
				fmt.Sprintf("action %s of state %d, a name that several of its actions have", wording.Quote(text), s),
				fmt.Sprintf("the number of an action, 0 … %d,", last-first-1),
			}
		}
		found = k - first
	}
	if found >= 0 {
		return found, nil
	}
	if a, err := strconv.ParseUint(text, 10, 31); err == nil && a < uint64(last-first) {
		return int32(a), nil
	}
	var names []string
	for k := first; k < last; k++ {
		names = append(names, m.ActionName(int(s), int(k)))
	}
	return 0, &fault{
		fmt.Sprintf("action %s of state %d", wording.Quote(text), s),
		fmt.Sprintf("one of %s, or its number,", quotedList(names)),
	}
}

// probability reads the share of an action; nil, without a fault, for 0.
func (b *policyBuilder) probability(text []byte) (*big.Rat, *fault) {
	numbers := numberReader{exact: true}
	v, f := numbers.read(text)
	switch {
	case f != nil:
		return nil, f
	case v.float < 0 || v.float > 1+sumTolerance:
		return nil, &fault{"probability " + quote(text), "a number from 0 to 1"}
	case v.exact.Sign() == 0:
		return nil, nil
	}
	return v.exact, nil
}

// policy returns the policy. needed says that every state with a choice has to
// have an action; end is the place where the file is over.
func (b *policyBuilder) policy(file string, needed bool, end place) (*Policy, error) {
	slices.SortStableFunc(b.taken, func(x, y taken) int {
		return cmp.Or(cmp.Compare(x.state, y.state), cmp.Compare(x.action, y.action))
	})
	n := b.model.NumStates()
	p := &Policy{Start: make([]int32, 1, n+1), Actions: make([]int32, 0, n)}
	probabilities := make([]*big.Rat, 0, len(b.taken))
	rest, random := b.taken, false
	for s := range int32(n) {
		count := 0
		for count < len(rest) && rest[count].state == s {
			count++
		}
		own := rest[:count]
		rest = rest[count:]
		if count == 0 {
			if actions := b.model.StateStart[s+1] - b.model.StateStart[s]; actions > 1 {
				if needed {
					return nil, (&fault{fmt.Sprintf("no action for state %d, which has %d,", s, actions), "a line for each state with a choice"}).at(file, end)
				}
				p.Missing = append(p.Missing, s)
			}
			own = []taken{{state: s, probability: one}}
		}
		shares, err := sharesOf(own, file)
		if err != nil {
			return nil, err
		}
		for i, t := range own {
			p.Actions = append(p.Actions, t.action)
			probabilities = append(probabilities, shares[i])
		}
		random = random || len(own) > 1
		if len(p.Actions) > math.MaxInt32 {
			return nil, tooMany("actions of a policy").at(file, end)
		}
		p.Start = append(p.Start, int32(len(p.Actions)))
	}
	if random {
		p.Probabilities = probabilities
	}
	return p, nil
}

// sharesOf returns the probabilities of the actions that a state takes, divided by
// their sum: decimals such as 0.333 333 333 3 are rounded.
func sharesOf(own []taken, file string) ([]*big.Rat, error) {
	shares, sum := make([]*big.Rat, len(own)), new(big.Rat)
	for i, t := range own {
		switch {
		case i > 0 && t.action == own[i-1].action:
			return nil, (&fault{fmt.Sprintf("action %d of state %d for the second time", t.action, t.state), "each action of a state once"}).at(file, t.at)
		case t.probability == nil && len(own) > 1:
			return nil, (&fault{
				fmt.Sprintf("state %d for the second time", t.state),
				"one action of each state, or each with its probability,",
			}).at(file, latest(own))
		case t.probability == nil:
			return []*big.Rat{one}, nil
		}
		shares[i] = t.probability
		sum.Add(sum, t.probability)
	}
	if total, _ := sum.Float64(); !(math.Abs(total-1) <= sumTolerance) {
		return nil, (&fault{fmt.Sprintf("state %d with probabilities that sum to %s", own[0].state, shortRat(sum)), "a sum of 1"}).at(file, own[0].at)
	}
	if sum.Cmp(one) != 0 {
		for i := range shares {
			shares[i] = new(big.Rat).Quo(shares[i], sum)
		}
	}
	return shares, nil
}

// latest returns the place that comes last in the file.
func latest(list []taken) place {
	return slices.MaxFunc(list, func(x, y taken) int {
		return cmp.Or(cmp.Compare(x.at.line, y.at.line), cmp.Compare(x.at.column, y.at.column))
	}).at
}
