package mdpio

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// deadlockLabel is declared by every .lab file, holding somewhere or not.
const deadlockLabel = "deadlock"

// readStateNames reads a .sta file: "(x,y)", then lines "state:(0,1)".
func (p *prismReader) readStateNames() error {
	m, n := p.builder.model, p.builder.state()
	more, err := p.nextFilled(prismComment)
	if err != nil {
		return err
	}
	if !more {
		return p.unexpected("a list of variables such as (x,y)")
	}
	if m.Variables, err = p.readTuple(); err != nil {
		return err
	}
	for s := range n {
		if _, err := p.nextFilled(prismComment); err != nil {
			return err
		}
		start := p.at
		if id, ok := p.index(math.MaxInt32); !ok || int(id) != s || !p.accept(':') {
			p.at = start
			return p.unexpected(fmt.Sprintf("%d:(…), the values of the variables in that state,", s))
		}
		name, err := p.readTuple()
		if err != nil {
			return err
		}
		m.StateNames = append(m.StateNames, name)
	}
	return p.readEnd()
}

// readTuple reads the rest of the line, in round brackets.
func (p *prismReader) readTuple() (string, error) {
	p.skipSpace()
	text := bytes.TrimRight(p.rest(), " \t")
	if len(text) < 2 || text[0] != '(' || text[len(text)-1] != ')' {
		return "", p.unexpected("a list in round brackets")
	}
	if !utf8.Valid(text) {
		return "", p.fail(&fault{quote(text), "a text in UTF-8"})
	}
	return string(text), nil
}

// readEnd demands that only empty lines and comments are left.
func (p *prismReader) readEnd() error {
	if more, err := p.nextFilled(prismComment); err != nil || !more {
		return err
	}
	return p.unexpected("the end of the file")
}

// readLabels reads a .lab file: `0="init" 1="deadlock" …`, then lines
// "state: label …" with the numbers of labels.
func (p *prismReader) readLabels() error {
	names, err := p.readLabelNames()
	if err != nil {
		return err
	}
	last := -1
	for {
		more, err := p.nextFilled(prismComment)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := p.readLabelLine(names, &last); err != nil {
			return err
		}
	}
	for _, name := range names {
		if name == initialLabel {
			continue
		}
		if _, holds := p.builder.labels[name]; !holds && name != deadlockLabel {
			p.builder.labels[name] = new([]int32)
		}
	}
	return nil
}

// readLabelNames reads the first line, which names labels by number.
func (p *prismReader) readLabelNames() (map[int32]string, error) {
	const allowed = "labels such as 0=\"init\" 1=\"deadlock\""
	if _, err := p.nextFilled(prismComment); err != nil {
		return nil, err
	}
	names := make(map[int32]string)
	known := make(map[string]bool)
	for len(names) == 0 || p.skipSpace() {
		p.skipSpace()
		at := p.place()
		number, ok := p.index(math.MaxInt32 - 1)
		if !ok || !p.accept('=') || !p.accept('"') {
			return nil, p.unexpected(allowed)
		}
		end := bytes.IndexByte(p.rest(), '"')
		if end < 0 {
			return nil, p.unexpected(allowed)
		}
		name, f := p.builder.text(p.rest()[:end])
		if f != nil {
			return nil, p.fail(f)
		}
		p.at += end + 1
		if _, twice := names[number]; twice || known[name] {
			return nil, (&fault{fmt.Sprintf("label %d=%s for the second time", number, wording.Quote(name)), "each number and name once"}).at(p.file, at)
		}
		names[number], known[name] = name, true
	}
	return names, nil
}

// readLabelLine reads "state: label …".
func (p *prismReader) readLabelLine(names map[int32]string, last *int) error {
	at := p.place()
	n := p.builder.state()
	s, err := p.stateIndex(n)
	if err != nil {
		return err
	}
	if int(s) <= *last {
		return (&fault{fmt.Sprintf("state %d after state %d", s, *last), "a file in the order of states"}).at(p.file, at)
	}
	*last = int(s)
	if !p.accept(':') {
		return p.unexpected("\":\"")
	}
	for p.skipSpace() {
		at := p.place()
		const allowed = "the number of a label of the first line"
		number, ok := p.index(math.MaxInt32 - 1)
		if !ok {
			return p.unexpected(allowed)
		}
		name, ok := names[number]
		if !ok {
			return (&fault{strconv.Itoa(int(number)), allowed}).at(p.file, at)
		}
		if f := p.builder.label([]byte(name), s); f != nil {
			return f.at(p.file, at)
		}
	}
	return nil
}

// readReward reads the .srew and .trew files of a reward model, and reports
// whether there is any. number is "" or follows the base of their names.
func (p *prismReader) readReward(number string) (found bool, err error) {
	r := &rewardReader{prismReader: p, name: unnamedReward + number}
	state, err := p.read(number+".srew", r.readStateRewards)
	if err != nil {
		return false, err
	}
	transition, err := p.read(number+".trew", r.readTransitionRewards)
	if err != nil || !state && !transition {
		return false, err
	}
	if f := p.builder.addReward([]byte(r.name)); f != nil {
		return false, f.at(p.file, place{1, 1})
	}
	m := p.builder.model
	r.reward.Name = r.name
	r.reward.moveToActions(m)
	m.Rewards[len(m.Rewards)-1] = r.reward
	return true, nil
}

// rewardReader reads the files of one reward model.
type rewardReader struct {
	*prismReader
	name   string
	reward RewardModel
}

// readRewardHeader reads the comments above the numbers of a reward file, which
// name the reward model, and the line of counts; it returns the last of them.
func (r *rewardReader) readRewardHeader(counts int, allowed string) (lines int, err error) {
	for {
		more, err := r.next()
		if err != nil {
			return 0, err
		}
		if !more {
			return 0, r.unexpected(allowed)
		}
		if !r.skipSpace() {
			continue
		}
		if !r.accept('#') {
			break
		}
		if name, ok := rewardName(r.rest()); ok {
			text, f := r.builder.text(name)
			if f != nil {
				return 0, r.fail(f)
			}
			r.name = text
		}
	}
	start := r.at
	var last int32
	n := r.builder.state()
	for i := range counts {
		var ok bool
		if last, ok = r.index(math.MaxInt32 - 1); !ok {
			return 0, r.unexpected(allowed)
		}
		if i == 0 && int(last) != n {
			r.at = start
			return 0, r.unexpected(fmt.Sprintf("the number of states, %d,", n))
		}
	}
	return int(last), r.end()
}

// rewardName finds the name in a comment such as `Reward structure "energy"`.
func rewardName(comment []byte) ([]byte, bool) {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(comment), []byte("Reward structure"))
	if !ok {
		return nil, false
	}
	rest = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(rest), []byte{':'}))
	if len(rest) < 3 || rest[0] != '"' || rest[len(rest)-1] != '"' {
		return nil, false
	}
	return rest[1 : len(rest)-1], true
}

// readRewardLines reads the lines behind the header, as many as announced.
func (r *rewardReader) readRewardLines(announced int, parse func() error) error {
	lines := 0
	for {
		more, err := r.nextFilled(prismComment)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := parse(); err != nil {
			return err
		}
		lines++
	}
	if lines != announced {
		return r.fail(&fault{fmt.Sprintf("the end of the file after %d rewards", lines), fmt.Sprintf("the number announced, %d,", announced)})
	}
	return nil
}

// readStateRewards reads a .srew file: "states rewards", then "state reward".
func (r *rewardReader) readStateRewards() error {
	announced, err := r.readRewardHeader(2, "a line of two whole numbers: states, rewards")
	if err != nil {
		return err
	}
	n, last := r.builder.state(), int32(-1)
	return r.readRewardLines(announced, func() error {
		at := r.place()
		s, err := r.stateIndex(n)
		if err != nil {
			return err
		}
		if s <= last {
			return (&fault{fmt.Sprintf("state %d after state %d", s, last), "a file in the order of states"}).at(r.file, at)
		}
		last = s
		v, err := r.number(&r.builder.numbers, ' ')
		if err != nil {
			return err
		}
		r.reward.State.put(int(s), v)
		return r.end()
	})
}

// readTransitionRewards reads a .trew file: "states [choices] rewards", then
// lines "state [choice] target reward".
func (r *rewardReader) readTransitionRewards() error {
	m := r.builder.model
	counts, allowed := 2, "a line of two whole numbers: states, rewards"
	if m.Kind == MDP {
		counts, allowed = 3, "a line of three whole numbers: states, choices, rewards"
	}
	announced, err := r.readRewardHeader(counts, allowed)
	if err != nil {
		return err
	}
	last := -1 // transition
	return r.readRewardLines(announced, func() error {
		e, err := r.readPlaceOfReward(last + 1)
		if err != nil {
			return err
		}
		last = e
		v, err := r.number(&r.builder.numbers, ' ')
		if err != nil {
			return err
		}
		r.reward.Transition.put(e, v)
		return r.end()
	})
}

// readPlaceOfReward reads "state [choice] target" and returns the transition,
// which is to be number first or a later one.
func (r *rewardReader) readPlaceOfReward(first int) (int, error) {
	m, n := r.builder.model, r.builder.state()
	s, err := r.stateIndex(n)
	if err != nil {
		return 0, err
	}
	k := m.StateStart[s]
	if m.Kind == MDP {
		most := int(m.StateStart[s+1] - k - 1)
		choice, ok := r.index(most)
		if !ok {
			return 0, r.unexpected(fmt.Sprintf("a choice of 0 … %d", most))
		}
		k += choice
	}
	r.skipSpace()
	at := r.place()
	target, err := r.stateIndex(n)
	if err != nil {
		return 0, err
	}
	for e := max(first, int(m.RowStart[k])); e < int(m.RowStart[k+1]); e++ {
		if m.Columns[e] == target {
			return e, nil
		}
	}
	return 0, (&fault{
		fmt.Sprintf("state %d, to which no further transition of that choice leads", target),
		"a transition of the model, in the order of the .tra file,",
	}).at(r.file, at)
}

// moveToActions makes transition rewards that are the same throughout every
// choice rewards of the choice: the format has no other place for those.
func (r *RewardModel) moveToActions(m *Model) {
	r.Transition.complete(m.NumTransitions())
	if r.Transition.Len() == 0 {
		return
	}
	actions := Numbers{}
	for k := range m.NumChoices() {
		lo, hi := int(m.RowStart[k]), int(m.RowStart[k+1])
		if !r.Transition.isConstant(lo, hi) {
			return
		}
		if lo < hi {
			actions.put(k, r.Transition.value(lo))
		}
	}
	actions.complete(m.NumChoices())
	r.Action, r.Transition = actions, Numbers{}
}
