// This file reads PRISM's rewards of states (.srew) and transitions (.trew).

package modelfile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// readReward reads the .srew and .trew files of a reward model, and reports
// whether there is any. number is "" or follows the base of their names.
func (p *prismReader) readReward(number string) (found bool, err error) {
	r := &rewardReader{prismReader: p, reward: RewardModel{Name: unnamedReward + number}}
	state, err := p.read(number+".srew", r.readStateRewards)
	if err != nil {
		return false, err
	}
	transition, err := p.read(number+".trew", r.readTransitionRewards)
	if err != nil || !state && !transition {
		return false, err
	}
	if fault := p.builder.addReward([]byte(r.reward.Name)); fault != nil {
		p.FailAt(filepos.Place{Line: 1, Column: 1}, fault) // of the last file
		return false, p.Err()
	}
	m := p.builder.model
	r.reward.moveToActions(m)
	m.Rewards[len(m.Rewards)-1] = r.reward
	return true, nil
}

// rewardReader reads the files of one reward model.
type rewardReader struct {
	*prismReader
	reward RewardModel
	named  bool // by a comment
}

// readHeader reads the comments above the numbers of a reward file, which name the
// reward model, and the line of counts; it returns the last of them.
func (r *rewardReader) readHeader(section string, counts int, expected string) (lines int) {
	r.readComments(section, func(comment string) {
		name, ok := rewardName(comment)
		if !ok {
			return
		}
		text, fault := r.builder.text([]byte(name))
		if r.FailAt(r.Place(), fault); r.named && text != r.reward.Name {
			r.Fail("reward model "+wording.Quote(text), wording.Quote(r.reward.Name)+", the name above or in the .srew file")
		}
		r.reward.Name, r.named = text, true
	})
	at, n := r.Place(), r.builder.state()
	for i := range counts {
		count := int(r.Index(maxCount, expected))
		if i == 0 && count != n {
			r.FailAt(at, filepos.Fault(strconv.Quote(strconv.Itoa(count)), fmt.Sprintf("%d, the number of states", n)))
		}
		lines = count
	}
	r.End()
	return lines
}

// rewardMark begins the comment that names a reward model.
const rewardMark = "Reward structure"

// rewardName finds the name in a comment such as `Reward structure "energy"`.
func rewardName(comment string) (string, bool) {
	rest, ok := strings.CutPrefix(comment, rewardMark)
	if !ok {
		return "", false
	}
	rest = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), ":"))
	if len(rest) < 3 || rest[0] != '"' || rest[len(rest)-1] != '"' {
		return "", false
	}
	return rest[1 : len(rest)-1], true
}

// readLines reads the announced number of lines after the header: a place, whose number in
// a list parse finds, and a reward.
func (r *rewardReader) readLines(announced int, numbers *Numbers, parse func() int) {
	lines := 0
	for ; r.Next(); lines++ {
		i := parse()
		v := readNumber(r.Reader, &r.builder.numbers, ' ')
		if r.End(); r.Err() == nil {
			numbers.put(i, v)
		}
	}
	if lines != announced {
		r.Fail(fmt.Sprintf("the end of the file after %d rewards", lines), fmt.Sprintf("%d, the number announced", announced))
	}
}

// readStateRewards reads a .srew file: "states rewards", then "state reward".
func (r *rewardReader) readStateRewards() {
	announced := r.readHeader(stateRewardsSection, 2, "a line of two whole numbers: states, rewards")
	last := int32(-1)
	r.readLines(announced, &r.reward.State, func() int {
		last = r.StateAfter(last, r.builder.state())
		return int(last)
	})
}

// readTransitionRewards reads a .trew file: "states [choices] rewards", then
// lines "state [choice] target reward".
func (r *rewardReader) readTransitionRewards() {
	counts, expected := 2, "a line of two whole numbers: states, rewards"
	if r.builder.model.Kind == MDP {
		counts, expected = 3, "a line of three whole numbers: states, choices, rewards"
	}
	announced := r.readHeader(transitionRewardsSection, counts, expected)
	last := -1 // transition
	r.readLines(announced, &r.reward.Transition, func() int {
		last = r.readTransition(last + 1)
		return last
	})
}

// readTransition reads "state [choice] target" and returns the number of the
// transition, which is to be first or a greater one.
func (r *rewardReader) readTransition(first int) int {
	m, n := r.builder.model, r.builder.state()
	s := r.State(n)
	k := m.StateStart[s]
	if m.Kind == MDP {
		most := int(m.StateStart[s+1] - k - 1)
		choice, ok := r.AcceptIndex(most)
		if !ok {
			r.Unexpected(fmt.Sprintf("a choice of 0 … %d", most))
		}
		k += choice
	}
	r.SkipSpace()
	at := r.Place()
	target := r.State(n)
	for e := max(first, int(m.RowStart[k])); e < int(m.RowStart[k+1]); e++ {
		if m.Columns[e] == target {
			return e
		}
	}
	r.FailAt(at, filepos.Fault(
		fmt.Sprintf("state %d, to which no further transition of that choice leads", target),
		"a transition of the model, in the order of the .tra file"))
	return first
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
		lo, hi := m.row(k)
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
