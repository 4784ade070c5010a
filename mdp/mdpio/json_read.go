package mdpio

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// jsonVersion is the "format" of JSON models.
const jsonVersion = "mdpsolve-model/1"

// ReadJSON reads a model in the JSON format of the package documentation; name
// is what errors call the file.
func ReadJSON(r io.Reader, name string, options Options) (*Model, error) {
	j := &jsonModel{jsonReader: newJSONReader(r, name), builder: newBuilder(options), far: farthest{state: -1}}
	if err := j.object("a model in curly brackets", j.readMember); err != nil {
		return nil, err
	}
	if err := j.end(); err != nil {
		return nil, err
	}
	n := j.builder.state()
	if n == 0 {
		return nil, (&fault{"a model without states", `a member "states" with at least one`}).at(name, place{1, 1})
	}
	if int(j.far.state) >= n {
		return nil, (&fault{fmt.Sprintf("state %d", j.far.state), fmt.Sprintf("a state of 0 … %d", n-1)}).at(name, j.far.place)
	}
	m := j.builder.finish()
	if m.StateNames != nil && len(m.StateNames) != n {
		return nil, (&fault{fmt.Sprintf("%d states with a name and %d without", len(m.StateNames), n-len(m.StateNames)), "all or none"}).
			at(name, place{1, 1})
	}
	return m, nil
}

type jsonModel struct {
	*jsonReader
	builder  *builder
	rational bool // whether the file calls its numbers exact
	far      farthest
	done     bool // whether the states have been read
}

// farthest is the state with the largest number that a file names so far, and
// where: how many states there are is known at the end.
type farthest struct {
	state int32
	place place
}

const allowedMember = `"format", "kind", "numbers", "initial", "labels", "reward_models", "state_variables" or, last, "states"`

// readMember reads a member of the model.
func (j *jsonModel) readMember(name string) error {
	if j.done {
		return j.fail(&fault{quote([]byte(name)) + ` after "states"`, `"states" as the last member`})
	}
	switch name {
	case "format":
		return j.readWord(jsonVersion)
	case "kind":
		const allowed = `"dtmc", "ctmc" or "mdp"`
		if err := j.text(allowed); err != nil {
			return err
		}
		if f := j.builder.kind(j.token); f != nil {
			return j.fail(f)
		}
		return nil
	case "numbers":
		err := j.readWord("double", "rational")
		j.rational = string(j.token) == "rational"
		return err
	case "initial":
		return j.readStateList(&j.builder.model.Initial)
	case "labels":
		return j.object("labels in curly brackets", j.readLabel)
	case "reward_models":
		return j.array("a list of names", func(int) error {
			if err := j.text("the name of a reward model"); err != nil {
				return err
			}
			if f := j.builder.addReward(j.token); f != nil {
				return j.fail(f)
			}
			return nil
		})
	case "state_variables":
		return j.readName(&j.builder.model.Variables)
	case "states":
		if j.builder.model.Kind == 0 {
			return j.fail(&fault{`"states" before a "kind"`, `"kind" above`})
		}
		j.done = true
		return j.array("a list of states", j.readState)
	}
	return j.fail(&fault{quote([]byte(name)), allowedMember})
}

// readWord reads one of some words.
func (j *jsonModel) readWord(words ...string) error {
	allowed := quotedList(words)
	if err := j.text(allowed); err != nil {
		return err
	}
	if !slices.Contains(words, string(j.token)) {
		return j.fail(&fault{quote(j.token), allowed})
	}
	return nil
}

// readName reads a text that is not empty.
func (j *jsonModel) readName(name *string) error {
	if err := j.text("a text"); err != nil {
		return err
	}
	text, f := j.builder.text(j.token)
	if f != nil {
		return j.fail(f)
	}
	*name = text
	return nil
}

// readIndex reads the number of a state, of which the largest is remembered.
func (j *jsonModel) readIndex() (int32, error) {
	s, err := j.index(math.MaxInt32-1, "the number of a state")
	if err == nil && s > j.far.state {
		j.far = farthest{s, j.place}
	}
	return s, err
}

// readStateList reads increasing numbers of states.
func (j *jsonModel) readStateList(states *[]int32) error {
	*states = []int32{}
	return j.array("a list of states", func(i int) error {
		s, err := j.readIndex()
		if err != nil {
			return err
		}
		if i > 0 && s <= (*states)[i-1] {
			return j.fail(&fault{fmt.Sprintf("state %d after state %d", s, (*states)[i-1]), "an increasing list"})
		}
		*states = append(*states, s)
		return nil
	})
}

func (j *jsonModel) readLabel(name string) error {
	if name == initialLabel || name == "" {
		return j.fail(&fault{"label " + quote([]byte(name)), `a name other than "init" (the member "initial" has those states)`})
	}
	states := new([]int32)
	j.builder.labels[name] = states
	return j.readStateList(states)
}

// readState reads {"name": …, "rewards": […], "actions": […]}.
func (j *jsonModel) readState(int) error {
	b := j.builder
	s := b.state()
	j.peek()
	p := j.here()
	err := j.object("a state in curly brackets", func(name string) error {
		switch name {
		case "name":
			if len(b.model.StateNames) < s {
				return j.fail(&fault{"a name, which states before do not have", "all or none"})
			}
			if err := j.text("the name of a state"); err != nil {
				return err
			}
			if len(j.token) == 0 {
				return j.fail(&fault{`""`, "a text"})
			}
			b.model.StateNames = append(b.model.StateNames, string(j.token))
			return nil
		case "rewards":
			return j.readRewards(s, func(r *RewardModel) *Numbers { return &r.State })
		case "actions":
			return j.array("a list of actions", j.readAction)
		}
		return j.fail(&fault{quote([]byte(name)), `"name", "rewards" or "actions"`})
	})
	if err != nil {
		return err
	}
	if f := b.endState(); f != nil {
		return f.at(j.file, p)
	}
	return nil
}

// readAction reads {"name": …, "rewards": […], "to": […]}.
func (j *jsonModel) readAction(i int) error {
	b := j.builder
	j.peek()
	p := j.here()
	if i > 0 && b.model.Kind != MDP {
		return (&fault{"a second action", fmt.Sprintf("one, in a %v,", b.model.Kind)}).at(j.file, p)
	}
	k := b.choice()
	err := j.object("an action in curly brackets", func(name string) error {
		switch name {
		case "name":
			if err := j.text("the name of an action"); err != nil {
				return err
			}
			if f := b.nameAction(j.token); f != nil {
				return j.fail(f)
			}
			return nil
		case "rewards":
			return j.readRewards(k, func(r *RewardModel) *Numbers { return &r.Action })
		case "to":
			return j.array("a list of transitions", func(int) error { return j.readTransition() })
		}
		return j.fail(&fault{quote([]byte(name)), `"name", "rewards" or "to"`})
	})
	if err != nil {
		return err
	}
	if f := b.endChoice(); f != nil {
		return f.at(j.file, p)
	}
	return nil
}

// readTransition reads [STATE, VALUE] or [STATE, VALUE, [REWARD, …]].
func (j *jsonModel) readTransition() error {
	b := j.builder
	const allowed = "[STATE, VALUE] or [STATE, VALUE, [REWARD, …]]"
	if !j.accept('[') {
		return j.unexpected(allowed)
	}
	target, err := j.readIndex()
	if err != nil {
		return err
	}
	if !j.accept(',') {
		return j.unexpected(allowed)
	}
	v, err := j.value(&b.numbers)
	if err != nil {
		return err
	}
	e := len(b.model.Columns)
	if f := b.transition(target, v); f != nil {
		return j.fail(f)
	}
	if j.accept(',') {
		if v.float == 0 {
			return j.unexpected("no reward of a transition of value 0")
		}
		if err := j.readRewards(e, func(r *RewardModel) *Numbers { return &r.Transition }); err != nil {
			return err
		}
	}
	if !j.accept(']') {
		return j.unexpected(allowed)
	}
	return nil
}

// readRewards reads a list of rewards, one for each reward model.
func (j *jsonModel) readRewards(i int, list func(*RewardModel) *Numbers) error {
	rewards := j.builder.model.Rewards
	read := 0
	j.peek()
	p := j.here()
	err := j.array("a list of rewards", func(r int) error {
		if r == len(rewards) {
			return j.unexpected(fmt.Sprintf("a list of %d rewards", len(rewards)))
		}
		v, err := j.value(&j.builder.numbers)
		if err != nil {
			return err
		}
		list(&rewards[r]).put(i, v)
		read++
		return nil
	})
	if err == nil && read < len(rewards) {
		err = (&fault{fmt.Sprintf("a list of %d rewards", read), fmt.Sprintf("a list of %d rewards", len(rewards))}).at(j.file, p)
	}
	return err
}
