// This file reads the schedulers that Storm exports.

package results

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// scheduler reads what Storm exports as JSON: a list of objects, with members
//
//	"s"  a state, by its number or by the values of its variables
//	"c"  a list of choices, each with its "index" among all choices of the model,
//	     its "prob", and perhaps "labels" and an "origin"; or "undefined"
//	"m"  a state of memory
//
// in alphabetical order.
type scheduler struct {
	*jsonscan.Scanner
	model  *mdpio.Model
	policy *policyBuilder
}

// scheduledChoice is what a scheduler says of a choice.
type scheduledChoice struct {
	at          filepos.Place
	index       int // −1: none
	probability *big.Rat
	labels      []string
}

// readScheduler reads a scheduler.
func readScheduler(r io.Reader, name string, m *mdpio.Model) (*mdpio.Policy, error) {
	j := &scheduler{jsonscan.New(r, name), m, &policyBuilder{model: m, file: name}}
	if err := j.Array("a list of states in square brackets", func(int) error { return j.readState() }); err != nil {
		return nil, err
	}
	end := j.Place()
	if err := j.End(); err != nil {
		return nil, err
	}
	return j.policy.policy(false, end)
}

func (j *scheduler) readState() error {
	at, state, choices := j.Place(), int32(-1), []scheduledChoice(nil) // −1: the choices tell
	err := j.Object("a state in curly brackets", func(member string) (err error) {
		switch member {
		case "s":
			state, err = j.readName(at)
		case "c":
			choices, err = j.readChoices()
		case "m":
			var memory int
			if memory, err = j.Int(math.MaxInt32, "the number of a state of memory"); err == nil && memory > 0 {
				err = j.Fail(fmt.Sprintf("memory state %d", memory), "a scheduler without memory")
			}
		default:
			_, _, err = j.Value()
		}
		return err
	})
	for _, choice := range choices {
		if err == nil {
			err = j.take(state, choice)
		}
	}
	return err
}

// readName reads a state, −1 for one that the model does not know by the values of
// its variables; at is where the object of the state begins.
func (j *scheduler) readName(at filepos.Place) (int32, error) {
	m := j.model
	if j.Peek() != '{' {
		s, err := j.Int(m.NumStates()-1, fmt.Sprintf("a state of 0 … %d", m.NumStates()-1))
		return int32(s), err
	}
	values := make(map[string]string)
	err := j.Object("", func(variable string) error {
		p := j.Place()
		kind, value, err := j.Value()
		if err == nil && kind == jsonscan.Nested {
			err = j.FailAt(p, "a list or an object", "the value of a variable")
		}
		values[variable] = string(value)
		return err
	})
	if err != nil || m.StateNames == nil || m.Variables == "" {
		return -1, err
	}
	var words []string
	for variable := range strings.SplitSeq(strings.Trim(m.Variables, "()"), ",") {
		words = append(words, values[strings.TrimSpace(variable)])
	}
	s, fault := j.policy.state("(" + strings.Join(words, ",") + ")")
	if fault != nil {
		return 0, j.FailAt(at, fault.Found, fault.Expected)
	}
	return s, nil
}

// readChoices reads what a state does.
func (j *scheduler) readChoices() (choices []scheduledChoice, err error) {
	const expected = `a list of choices, or "undefined"`
	if j.Peek() == '"' {
		text, err := j.Text(expected)
		if err == nil && string(text) != "undefined" {
			err = j.Fail(wording.Quote(string(text)), expected)
		}
		return nil, err
	}
	err = j.Array(expected, func(int) error {
		choice := scheduledChoice{at: j.Place(), index: -1}
		err := j.Object("a choice in curly brackets", func(member string) error { return j.readChoice(&choice, member) })
		if err == nil && choice.index < 0 {
			err = j.FailAt(choice.at, "a choice without its number", `"index", the number among all choices of the model`)
		}
		choices = append(choices, choice)
		return err
	})
	return choices, err
}

func (j *scheduler) readChoice(choice *scheduledChoice, member string) (err error) {
	switch member {
	case "index":
		last := j.model.NumChoices() - 1
		choice.index, err = j.Int(last, fmt.Sprintf("the number of a choice of the model, 0 … %d", last))
		return err
	case "prob":
		read := j.Number
		if j.Peek() == '"' {
			read = j.Text
		}
		text, err := read(number.Example)
		if err != nil {
			return err
		}
		p, fault := probability(string(text))
		if fault != nil {
			return j.Fail(fault.Found, fault.Expected)
		}
		choice.probability = p
		return nil
	case "labels":
		return j.Array("a list of labels", func(int) error {
			label, err := j.Text("a label")
			choice.labels = append(choice.labels, string(label))
			return err
		})
	}
	_, _, err = j.Value()
	return err
}

// take has a state take a choice, where what is said of both agrees with the
// model.
func (j *scheduler) take(state int32, choice scheduledChoice) error {
	m, k := j.model, int32(choice.index)
	owner, own := slices.BinarySearch(m.StateStart, k)
	if !own {
		owner--
	}
	s := int32(owner)
	name := m.ActionName(owner, choice.index)
	switch {
	case state >= 0 && state != s:
		return j.FailAt(choice.at, fmt.Sprintf("choice %d in state %d", k, state),
			fmt.Sprintf("one of its choices %d … %d (the model must have its choices in the order of Storm)", m.StateStart[state], m.StateStart[state+1]-1))
	case len(m.ActionNames) > 0 && m.ActionNames[k] != "" && len(choice.labels) == 1 && choice.labels[0] != name:
		return j.FailAt(choice.at, fmt.Sprintf("choice %d of state %d with the label %s", k, s, wording.Quote(choice.labels[0])),
			fmt.Sprintf("%s, as the model names it (it must have its choices in the order of Storm)", wording.Quote(name)))
	}
	j.policy.take(taken{s, k - m.StateStart[s], choice.probability, choice.at})
	return nil
}
