// This file reads the schedulers that Storm exports.

package certificate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// scheduled is what a scheduler says of a state. Other members are ignored.
type scheduled struct {
	State   json.RawMessage   `json:"s"` // by its number or by the values of its variables
	Choices *scheduledChoices `json:"c"`
	Memory  int               `json:"m"`
}

// scheduledChoices are those that a state takes; none where the file has "undefined".
type scheduledChoices []struct {
	Index  *int     `json:"index"` // among all choices of the model
	Prob   *share   `json:"prob"`
	Labels []string `json:"labels"`
}

// UnmarshalJSON reads a list or "undefined".
func (c *scheduledChoices) UnmarshalJSON(text []byte) error {
	if string(text) == `"undefined"` {
		return nil
	}
	type list scheduledChoices // without this method
	return json.Unmarshal(text, (*list)(c))
}

// share is a probability: a number, or a text such as "1/4".
type share struct{ *big.Rat }

// UnmarshalJSON reads a probability.
func (p *share) UnmarshalJSON(text []byte) (err error) {
	p.Rat, err = probability(strings.Trim(string(text), `"`))
	return err
}

// readScheduler reads a scheduler: a list with an entry for each state. It also returns the states for
// which the scheduler has no action.
func readScheduler(r io.Reader, name string, m *modelfile.Model) (*mdp.Policy, []int32, error) {
	var list []scheduled
	if err := jsonscan.Decode(r, name, false, &list); err != nil {
		return nil, nil, err
	}
	b := &policyBuilder{model: m}
	for i, of := range list {
		if err := b.schedule(of); err != nil {
			return nil, nil, fmt.Errorf("%s: entry %d: %w", name, i+1, err)
		}
	}
	p, missing, err := b.policy(false)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return &p, missing, nil
}

// schedule gives a state the actions of an entry of a scheduler, or says why the entry does not agree
// with the model.
func (b *policyBuilder) schedule(of scheduled) error {
	if of.Choices == nil {
		return errors.New(`found no member "c"; expected the choices of a scheduler`)
	}
	if of.Memory != 0 {
		return fmt.Errorf("found memory state %d; expected a scheduler without memory", of.Memory)
	}
	state, err := b.scheduledState(of.State)
	if err != nil {
		return err
	}
	m := b.model
	byValues := state >= 0 && of.State[0] == '{'
	for _, choice := range *of.Choices {
		t := taken{}
		if choice.Prob != nil {
			t.probability = choice.Prob.Rat
		}
		if byValues && len(m.ActionNames) > 0 && len(choice.Labels) == 1 {
			if t.action, err = b.action(state, choice.Labels[0], nameDigits); err == nil { // in any order of choices
				t.state = state
				b.take(t)
				continue
			}
		}
		if choice.Index == nil || *choice.Index < 0 || *choice.Index >= m.NumChoices() {
			return fmt.Errorf(`found a choice without a valid number; expected "index", the number of a choice of the model, 0 … %d`, m.NumChoices()-1)
		}
		k := int32(*choice.Index)
		owner, own := slices.BinarySearch(m.StateStart, k)
		if !own {
			owner--
		}
		name := m.ActionName(owner, int(k))
		switch {
		case state >= 0 && int(state) != owner:
			return fmt.Errorf("found choice %d in state %d; expected one of its choices %d … %d (the model must have its choices in the order of Storm)",
				k, state, m.StateStart[state], m.StateStart[state+1]-1)
		case len(m.ActionNames) > 0 && m.ActionNames[k] != "" && len(choice.Labels) == 1 && choice.Labels[0] != name:
			return fmt.Errorf("found choice %d of state %d with the label %s; expected %s, as the model names it (it must have its choices in the order of Storm)",
				k, owner, wording.Quote(choice.Labels[0]), wording.Quote(name))
		}
		t.state, t.action = int32(owner), k-m.StateStart[owner]
		b.take(t)
	}
	return nil
}

// scheduledState returns the state of an entry, by its number or by the values of its variables. It
// returns −1 if the model does not tell the state by these values: then the choices tell.
func (b *policyBuilder) scheduledState(text json.RawMessage) (int32, error) {
	switch {
	case len(text) == 0:
		return -1, nil
	case text[0] != '{':
		return b.state(string(text), numberDigits)
	}
	names, _ := b.model.Valuations()
	var values map[string]json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil || names == nil {
		return -1, err
	}
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = string(values[name])
		if strings.HasPrefix(words[i], `"`) {
			_ = json.Unmarshal(values[name], &words[i]) // a text, which has been read before
		}
	}
	return b.valuation(words)
}
