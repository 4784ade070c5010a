package mdpio

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
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
	*jsonReader
	policy *policyBuilder
}

// scheduled is one object of the list.
type scheduled struct {
	at      place
	state   int32 // −1: the choices tell
	choices []scheduledChoice
}

type scheduledChoice struct {
	at          place
	index       int32 // −1: none
	probability *big.Rat
	isNever     bool // its probability is 0
	labels      []string
}

// readScheduler reads a scheduler.
func readScheduler(r io.Reader, name string, m *Model) (*Policy, error) {
	j := &scheduler{jsonReader: newJSONReader(r, name), policy: &policyBuilder{model: m}}
	if err := j.array("a list of states in square brackets", func(int) error { return j.readState() }); err != nil {
		return nil, err
	}
	end := j.here()
	if err := j.end(); err != nil {
		return nil, err
	}
	return j.policy.policy(name, false, end)
}

func (j *scheduler) readState() error {
	j.peek()
	o := scheduled{at: j.here(), state: -1}
	err := j.object("a state in curly brackets", func(member string) error {
		switch member {
		case "s":
			return j.readName(&o)
		case "c":
			return j.readChoices(&o)
		case "m":
			memory, err := j.index(math.MaxInt32, "the number of a state of memory")
			if err == nil && memory > 0 {
				return j.fail(&fault{fmt.Sprintf("memory state %d", memory), "a scheduler without memory"})
			}
			return err
		}
		return j.skip()
	})
	if err != nil {
		return err
	}
	for _, choice := range o.choices {
		if err := j.take(&o, choice); err != nil {
			return err
		}
	}
	return nil
}

// readName reads the state, which the model may not know by the values of its
// variables.
func (j *scheduler) readName(o *scheduled) error {
	m := j.policy.model
	if j.peek() != '{' {
		s, err := j.index(m.NumStates()-1, fmt.Sprintf("a state of 0 … %d", m.NumStates()-1))
		o.state = s
		return err
	}
	values := make(map[string]string)
	err := j.object("the values of variables", func(variable string) error {
		if c := j.peek(); c == '{' || c == '[' {
			return j.unexpected("the value of a variable")
		}
		err := j.skip() // leaves its text in token
		values[variable] = string(j.token)
		return err
	})
	if err != nil || m.StateNames == nil || m.Variables == "" {
		return err
	}
	var words []string
	for variable := range strings.SplitSeq(strings.Trim(m.Variables, "()"), ",") {
		words = append(words, values[strings.TrimSpace(variable)])
	}
	s, f := j.policy.stateNamed("(" + strings.Join(words, ",") + ")")
	if f != nil {
		return f.at(j.file, o.at)
	}
	o.state = s
	return nil
}

// readChoices reads what the state does.
func (j *scheduler) readChoices(o *scheduled) error {
	if j.peek() == '"' {
		if err := j.text("a list of choices"); err != nil {
			return err
		}
		if string(j.token) != "undefined" {
			return j.fail(&fault{quote(j.token), `a list of choices, or "undefined",`})
		}
		return nil
	}
	return j.array("a list of choices", func(int) error {
		j.peek()
		choice := scheduledChoice{at: j.here(), index: -1}
		err := j.object("a choice in curly brackets", func(member string) error { return j.readChoice(&choice, member) })
		if err == nil && choice.index < 0 {
			err = (&fault{"a choice without its number", `"index", the number among all choices of the model,`}).at(j.file, choice.at)
		}
		o.choices = append(o.choices, choice)
		return err
	})
}

func (j *scheduler) readChoice(choice *scheduledChoice, member string) error {
	switch member {
	case "index":
		last := j.policy.model.NumChoices() - 1
		k, err := j.index(last, fmt.Sprintf("the number of a choice of the model, 0 … %d,", last))
		choice.index = k
		return err
	case "prob":
		var err error
		if j.peek() == '"' {
			err = j.text(allowedNumber)
		} else {
			err = j.number(allowedNumber)
		}
		if err != nil {
			return err
		}
		p, f := j.policy.probability(j.token)
		if f != nil {
			return j.fail(f)
		}
		choice.probability, choice.isNever = p, p == nil
		return nil
	case "labels":
		return j.array("a list of labels", func(int) error {
			err := j.text("a label")
			choice.labels = append(choice.labels, string(j.token))
			return err
		})
	}
	return j.skip()
}

// take has a state take a choice, where what is said of both agrees with the
// model.
func (j *scheduler) take(o *scheduled, choice scheduledChoice) error {
	m := j.policy.model
	owner, own := slices.BinarySearch(m.StateStart, choice.index)
	if !own {
		owner--
	}
	s := int32(owner)
	if o.state >= 0 && o.state != s {
		return (&fault{
			fmt.Sprintf("choice %d in state %d", choice.index, o.state),
			fmt.Sprintf("one of its choices %d … %d (the model must have its choices in the order of Storm)", m.StateStart[o.state], m.StateStart[o.state+1]-1),
		}).at(j.file, choice.at)
	}
	if m.hasActionName(int(choice.index)) && len(choice.labels) == 1 && choice.labels[0] != m.ActionNames[choice.index] {
		return (&fault{
			fmt.Sprintf("choice %d of state %d with the label %s", choice.index, s, wording.Quote(choice.labels[0])),
			fmt.Sprintf("%s, as the model names it (it must have its choices in the order of Storm)", wording.Quote(m.ActionNames[choice.index])),
		}).at(j.file, choice.at)
	}
	if !choice.isNever {
		j.policy.taken = append(j.policy.taken, taken{s, choice.index - m.StateStart[s], choice.probability, choice.at})
	}
	return nil
}
