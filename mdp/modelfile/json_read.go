// This file reads models in JSON.

package modelfile

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
	"github.com/mdpsolve/mdpsolve/internal/lines"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// jsonKinds are the kinds of JSON models.
const jsonKinds = `"dtmc", "ctmc", "mdp", "ctmdp" or "smdp"`

// jsonVersion is the "format" of JSON models.
const jsonVersion = "mdpsolve-model/1"

// ReadJSON reads a model in the JSON format of the package documentation; name
// is what errors call the file.
func ReadJSON(r io.Reader, name string, options Options) (*Model, error) {
	j := newJSONModel(r, name, options)
	if err := j.read(); err != nil {
		return nil, exported(err, j.within)
	}
	return j.builder.model, nil
}

// jsonModel reads a model.
type jsonModel struct {
	*jsonscan.Scanner
	builder  *builder
	options  Options
	rational bool // whether the file calls its numbers exact
	done     bool // whether the states have been read, or are being read
	named    bool // whether the reward models have been named

	// The length and the place of the first list of rewards, if that comes before the names of
	// reward models; −1 if not. All other lists need this length.
	listed   int
	listedAt filepos.Place

	within part // what is being read

	rewarded filepos.Place // of rewards of a transition of value 0 in the present action; 0 for none

	// The state with the largest number that the file names so far, and where: how
	// many states there are is known at the end.
	farthest       int32
	farthestAt     filepos.Place
	farthestWithin part
}

func newJSONModel(r io.Reader, name string, options Options) *jsonModel {
	return &jsonModel{Scanner: jsonscan.New(r, name), builder: newBuilder(r, options), options: options, within: outside, farthest: -1, listed: -1}
}

func (j *jsonModel) read() error {
	if err := j.Object("a model in curly brackets", j.readMember); err != nil {
		return err
	}
	if err := j.End(); err != nil {
		return err
	}
	m, n := j.builder.finishRead(), j.builder.state()
	start := filepos.Place{Line: 1, Column: 1}
	switch named := len(m.StateNames); {
	case n == 0:
		return j.FailAt(start, "a model without states", `a member "states" with at least one`)
	case m.Kind == 0:
		return j.FailAt(start, `a model without "kind"`, `a member "kind": `+jsonKinds)
	case !j.named && len(m.Rewards) > 0:
		return j.FailAt(j.listedAt, `rewards without "reward_models"`, fmt.Sprintf(`a member "reward_models" with a name for each (%d)`, len(m.Rewards)))
	case int(j.farthest) >= n:
		j.within = j.farthestWithin
		return j.FailAt(j.farthestAt, fmt.Sprintf("state %d", j.farthest), lines.StateOf(n))
	case named > 0 && named != n:
		return j.FailAt(start, fmt.Sprintf("%d states with a name and %d without", named, n-named), "all or none")
	}
	return nil
}

// fault returns a fault of the last value, nil for none.
func (j *jsonModel) fault(f *filepos.Error) error { return j.faultAt(j.Token(), f) }

// faultAt returns a fault in another place, nil for none.
func (j *jsonModel) faultAt(p filepos.Place, f *filepos.Error) error {
	if f == nil {
		return nil
	}
	return j.FailAt(p, f.Found, f.Expected)
}

// readMember reads a member of the model.
func (j *jsonModel) readMember(name string) error {
	m := j.builder.model
	switch name {
	case "format":
		_, err := j.readWord(jsonVersion)
		return err
	case "kind":
		kind, err := j.Text(jsonKinds)
		if err != nil {
			return err
		}
		if fault := j.builder.kind(kind, CTMDP, SMDP); fault == nil && j.done && m.Kind == SMDP {
			return j.Fail(`"kind": "smdp" after "states"`, `"kind" before "states"`)
		} else if fault != nil || !j.done {
			return j.fault(fault)
		}
		return j.checkChoices()
	case "numbers":
		if j.done {
			return j.Fail(`"numbers" after "states"`, `"numbers" before "states"`)
		}
		word, err := j.readWord("double", "rational")
		j.rational = word == "rational"
		return err
	case "initial":
		if err := j.readStateList(&m.Initial); err != nil || len(m.Initial) > 0 {
			return err
		}
		return j.Fail("no initial state", `one at least, or no member "initial"`)
	case "labels":
		return j.Object("labels in curly brackets", j.readLabel)
	case "reward_models":
		return j.readRewardModels()
	case "state_variables":
		return j.readName(&m.Variables)
	case "states":
		j.done = true
		if err := j.options.announce(Header{Kind: m.Kind, Rational: j.rational, States: -1, Choices: -1, Transitions: -1}); err != nil {
			return err
		}
		return j.Array("a list of states", j.readState)
	}
	return j.unknown(name, "format", "kind", "numbers", "initial", "labels", "reward_models", "state_variables", "states")
}

// unknown refuses a member, and suggests one that there is.
func (j *jsonModel) unknown(name string, members ...string) error {
	if near := wording.Nearest(name, members); near != "" {
		return j.Fail("unknown member "+quote([]byte(name))+`: did you mean "`+near+`"?`, "")
	}
	return j.Fail("unknown member "+quote([]byte(name)), "one of "+wording.List(members))
}

// checkChoices checks all choices, of a model whose kind follows its states.
func (j *jsonModel) checkChoices() error {
	m := j.builder.model
	for s, k := range m.choices() {
		j.within = part{s, m.number(s, k)}
		if !m.Kind.HasChoices() && j.within.action > 0 {
			return j.fault(secondAction(m.Kind))
		}
		if fault := j.builder.checkChoice(k); fault != nil {
			return j.fault(fault)
		}
	}
	j.within = outside
	return nil
}

// readRewardModels reads the names of reward models, which may follow the rewards.
func (j *jsonModel) readRewardModels() error {
	m := j.builder.model
	unnamed := m.Rewards
	m.Rewards, j.named = nil, true
	err := j.Array("a list of names", func(int) error {
		name, err := j.Text("the name of a reward model")
		if err != nil {
			return err
		}
		return j.fault(j.builder.addReward(name))
	})
	if err != nil || j.listed < 0 {
		return err
	}
	if len(m.Rewards) != j.listed {
		return j.Fail(fmt.Sprintf("a list of %d", len(m.Rewards)), fmt.Sprintf("%d, the length of the lists of rewards", j.listed))
	}
	for i, r := range unnamed {
		r.Name = m.Rewards[i].Name
		m.Rewards[i] = r
	}
	return nil
}

// readWord reads one of some words.
func (j *jsonModel) readWord(words ...string) (string, error) {
	expected := wording.List(words)
	word, err := j.Text(expected)
	if err == nil && !slices.Contains(words, string(word)) {
		err = j.Fail(quote(word), expected)
	}
	return string(word), err
}

// readName reads a text that is not empty.
func (j *jsonModel) readName(name *string) error {
	text, err := j.Text("a text")
	if err == nil && len(text) == 0 {
		err = j.Fail(`""`, "a text")
	}
	*name = string(text)
	return err
}

// readIndex reads the number of a state, of which the largest is remembered.
func (j *jsonModel) readIndex() (int32, error) {
	n, err := j.Int(math.MaxInt32-1, "the number of a state, from 0")
	if s := int32(n); err == nil && s > j.farthest {
		j.farthest, j.farthestAt, j.farthestWithin = s, j.Token(), j.within
	}
	return int32(n), err
}

// readStateList reads increasing numbers of states.
func (j *jsonModel) readStateList(states *[]int32) error {
	*states = []int32{}
	return j.Array("a list of states", func(i int) error {
		s, err := j.readIndex()
		if err == nil && i > 0 && s <= (*states)[i-1] {
			err = j.Fail(fmt.Sprintf("state %d after state %d", s, (*states)[i-1]), "an increasing list")
		}
		*states = append(*states, s)
		return err
	})
}

func (j *jsonModel) readLabel(name string) error {
	if name == initialLabel || name == "" {
		return j.Fail("label "+quote([]byte(name)), `a name other than "init" (the member "initial" has those states)`)
	}
	var states []int32
	err := j.readStateList(&states)
	j.builder.model.Labels[name] = states
	return err
}

// readState reads {"name": …, "rewards": […], "actions": […]}.
func (j *jsonModel) readState(int) error {
	b := j.builder
	s, place := b.state(), j.Place()
	j.within = part{s, -1}
	err := j.Object("a state in curly brackets", func(name string) error {
		switch name {
		case "name":
			if len(b.model.StateNames) < s {
				return j.Fail("a name, which states before do not have", "all or none")
			}
			b.model.StateNames = append(b.model.StateNames, "")
			return j.readName(&b.model.StateNames[s])
		case "rewards":
			return j.readRewards(s, stateRewards)
		case "actions":
			return j.Array("a list of actions", func(int) error { return j.readAction() })
		}
		return j.unknown(name, "name", "rewards", "actions")
	})
	if err != nil {
		return err
	}
	if err := j.faultAt(place, b.endState()); err != nil {
		return err
	}
	j.within = outside
	return nil
}

// readAction reads {"name": …, "rewards": […], "reward_rates": […], "distance": …,
// "duration": …, "to": […]}.
func (j *jsonModel) readAction() error {
	b := j.builder
	k, place := b.choice(), j.Place()
	j.within.action = k - int(b.model.StateStart[b.state()])
	if err := j.faultAt(place, b.startChoice()); err != nil {
		return err
	}
	j.rewarded = filepos.Place{}
	var rates []value
	var duration value
	err := j.Object("an action in curly brackets", func(name string) error {
		switch name {
		case "name":
			name, err := j.Text("the name of an action")
			if err != nil {
				return err
			}
			return j.fault(b.nameAction(name))
		case "rewards":
			return j.readRewards(k, actionRewards)
		case "reward_rates":
			if !b.model.Kind.IsContinuous() {
				return j.wrongKind(name, `"ctmdp", "smdp" or "ctmc"`)
			}
			rates = nil
			return j.readRewardList(func(_ int, v value) { rates = append(rates, v) })
		case "duration":
			if b.model.Kind != SMDP {
				return j.wrongKind(name, `"smdp"`)
			}
			var err error
			duration, err = j.readValue()
			if err == nil && !(duration.float > 0) {
				err = j.Fail("a duration of "+strconv.FormatFloat(duration.float, 'g', -1, 64), "a positive number")
			}
			return err
		case "distance":
			d, err := j.readValue()
			return cmp.Or(err, j.fault(b.distance(d)))
		case "to":
			return j.Array("a list of transitions", func(int) error { return j.readTransition() })
		}
		return j.unknown(name, "name", "rewards", "reward_rates", "duration", "distance", "to")
	})
	if err != nil {
		return err
	}
	if b.model.Kind == SMDP {
		if duration.float == 0 {
			return j.FailAt(place, `an action without "duration"`, `its mean sojourn time (rates in place of probabilities are of kind "ctmdp")`)
		}
		if err := j.faultAt(place, b.over(duration)); err != nil {
			return err
		}
	}
	if err := j.faultAt(place, b.earnAtRates(rates)); err != nil {
		return err
	}
	if j.rewarded != (filepos.Place{}) && b.model.Distance.Len() <= k {
		return j.FailAt(j.rewarded, "rewards of a transition of value 0", "no rewards, or a distance")
	}
	if err := j.faultAt(place, b.endChoice()); err != nil {
		return err
	}
	j.within.action = -1
	return nil
}

// wrongKind refuses a member that models of other kinds have.
func (j *jsonModel) wrongKind(member, kinds string) error {
	found := strconv.Quote(member) + ` in a model whose "kind" is not known yet`
	if kind := j.builder.model.Kind; kind != 0 {
		found = fmt.Sprintf("%q in a model of kind %v", member, kind)
	}
	return j.Fail(found, `"kind": `+kinds+` before "states"`)
}

// readTransition reads [STATE, VALUE] or [STATE, VALUE, [REWARD, …]].
func (j *jsonModel) readTransition() error {
	e := len(j.builder.model.Columns)
	const expected = "[STATE, VALUE] or [STATE, VALUE, [REWARD, …]], where VALUE is a number or an interval [LOW, HIGH]"
	if !j.Accept('[') {
		return j.Unexpected(expected)
	}
	target, err := j.readIndex()
	if err != nil {
		return err
	}
	if !j.Accept(',') {
		return j.Unexpected(expected)
	}
	high, err := j.readTransitionValue(target)
	if err != nil {
		return err
	}
	if j.Accept(',') {
		if high.float == 0 {
			j.rewarded = j.Place()
		}
		if err := j.readRewards(e, transitionRewards); err != nil {
			return err
		}
	}
	if !j.Accept(']') {
		return j.Unexpected(expected)
	}
	return nil
}

// readTransitionValue reads a number or an interval, adds the transition, and returns the
// greatest value that it may have.
func (j *jsonModel) readTransitionValue(target int32) (high value, err error) {
	place, isInterval := j.Place(), j.Accept('[')
	low, err := j.readValue()
	if err != nil || !isInterval {
		return low, cmp.Or(err, j.fault(j.builder.transition(target, low)))
	}
	if !j.Accept(',') {
		return low, j.Unexpected("an interval [LOW, HIGH]")
	}
	if high, err = j.readValue(); err == nil && !j.Accept(']') {
		err = j.Unexpected("an interval [LOW, HIGH]")
	}
	return high, cmp.Or(err, j.faultAt(place, j.builder.interval(target, low, high)))
}

// readRewards reads a list of rewards, one for each reward model.
func (j *jsonModel) readRewards(i int, list rewardList) error {
	return j.readRewardList(func(r int, v value) { j.builder.reward(list(&j.builder.model.Rewards[r]), i, v) })
}

// readRewardList reads a list of rewards and uses each.
func (j *jsonModel) readRewardList(use func(r int, v value)) error {
	m := j.builder.model
	read, place := 0, j.Place()
	isFirst := !j.named && j.listed < 0
	err := j.Array("a list of rewards", func(r int) error {
		if isFirst {
			m.Rewards = append(m.Rewards, RewardModel{})
		}
		if r == len(m.Rewards) {
			return j.Unexpected(fmt.Sprintf("a list of rewards of length %d", len(m.Rewards)))
		}
		v, err := j.readValue()
		if err != nil {
			return err
		}
		use(r, v)
		read++
		return nil
	})
	if isFirst {
		j.listed, j.listedAt = read, place
	}
	if err == nil && read < len(m.Rewards) {
		err = j.FailAt(place, fmt.Sprintf("a list of rewards of length %d", read), fmt.Sprintf("a list of rewards of length %d", len(m.Rewards)))
	}
	return err
}

// readValue reads a number, also one in quotation marks ("1/3").
func (j *jsonModel) readValue() (value, error) {
	read := j.Number
	if j.Peek() == '"' {
		read = j.Text
	}
	word, err := read(numberExample)
	if err != nil {
		return value{}, err
	}
	v, fault := j.builder.numbers.read(word)
	return v, j.fault(fault)
}
