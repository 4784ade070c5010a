// This file collects the parts of a model as a reader reads them.

package modelfile

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// builder collects the parts of a model as a reader reads them. Arrays grow with
// what a file holds, never with what it announces.
type builder struct {
	model   *Model
	asked   Kind // of the options
	divide  bool // probabilities by their sum
	numbers numberReader
	names   map[string]string // texts, so that equal names share memory
	rewards map[string]bool   // names of reward models
	zeros   int               // transitions of value 0 of the present choice

	intervals bool           // the file says that values are intervals
	share     func() float64 // how much of the text has been read; nil where that is not known
}

// newBuilder returns a builder for a model that is read from r.
func newBuilder(r io.Reader, options Options) *builder {
	b := &builder{
		model:   &Model{StateStart: []int32{0}, RowStart: []int32{0}, Labels: make(map[string][]int32)},
		asked:   options.Kind,
		divide:  options.Normalize,
		numbers: numberReader{exact: options.Exact, digits: options.Digits},
		names:   make(map[string]string),
		rewards: make(map[string]bool),
	}
	b.setShare(r)
	return b
}

// setShare lets the builder ask a text how much of it has been read, if the text can tell.
func (b *builder) setShare(r io.Reader) {
	if file, ok := r.(interface{ Share() float64 }); ok {
		b.share = file.Share
	}
}

// manyElements is the length from which on lists grow to what the rest of a file needs.
const manyElements = 1 << 20

// more returns a list, with room for one more element. A long list gets room for as many as the
// rest of the text will have if it is like what was read. Memory that remains unused is never
// touched, so that the system does not provide it.
func more[T any](b *builder, list []T) []T {
	length := len(list)
	if length < cap(list) || length < manyElements || b.share == nil {
		return list
	}
	factor := 1.25
	if share := b.share(); share > 0 {
		factor = max(factor, min(1.05/share, 64))
	}
	grown := make([]T, length, int(factor*float64(length)))
	copy(grown, list)
	return grown
}

// kind sets the kind of the model, which a file names: DTMC, CTMC, MDP, or one of the further kinds
// of the format.
func (b *builder) kind(name []byte, further ...Kind) *filepos.Error {
	kind, err := ParseKind(string(name))
	kinds := append([]Kind{DTMC, CTMC, MDP}, further...)
	switch {
	case err != nil, !slices.Contains(kinds, kind):
		var names []string
		for _, k := range kinds {
			names = append(names, k.String())
		}
		return filepos.Fault(quote(name), wording.Alternatives(names))
	case b.asked != 0 && kind != b.asked:
		return filepos.Fault(quote(name), fmt.Sprintf("%v, as was asked for", b.asked))
	}
	b.model.Kind = kind
	return nil
}

// state returns the number of the state whose choices are being added.
func (b *builder) state() int { return len(b.model.StateStart) - 1 }

// choice returns the number of the choice whose transitions are being added.
func (b *builder) choice() int { return len(b.model.RowStart) - 1 }

// tooMany is the fault of models beyond the range of int32.
func tooMany(what string) *filepos.Error {
	return filepos.Fault(fmt.Sprintf("more than %d %s", math.MaxInt32-1, what), "a smaller model")
}

// startChoice says why the present state may not have one more choice.
func (b *builder) startChoice() *filepos.Error {
	if !b.model.Kind.HasChoices() && b.model.Kind != 0 && b.choice() > int(b.model.StateStart[b.state()]) {
		return secondAction(b.model.Kind)
	}
	return nil
}

// secondAction is the fault of a choice in a Markov chain.
func secondAction(kind Kind) *filepos.Error {
	expected := fmt.Sprintf("one: the model is of kind %v", kind)
	if kind == CTMC {
		expected += " (CTMDP is for rates with choices)"
	}
	return filepos.Fault("a second action", expected)
}

// endState ends the choices of a state.
func (b *builder) endState() *filepos.Error {
	m := b.model
	if b.choice() == int(m.StateStart[b.state()]) {
		return filepos.Fault("no action", "at least one")
	}
	m.StateStart = append(more(b, m.StateStart), int32(b.choice()))
	return nil
}

// transition adds a transition to a state, which the caller has checked.
func (b *builder) transition(column int32, v value) *filepos.Error {
	m := b.model
	switch {
	case v.float < 0:
		return filepos.Fault(strconv.FormatFloat(v.float, 'g', -1, 64), "a number from 0 up")
	case len(m.Columns) >= math.MaxInt32-1:
		return tooMany("transitions")
	case v.float == 0:
		b.zeros++
	}
	m.Columns = append(more(b, m.Columns), column)
	m.Values.Float = more(b, m.Values.Float)
	m.Values.add(v)
	if m.IsUncertain() {
		m.High.add(v)
	}
	return nil
}

// dropZeros leaves out the transitions of value 0 of the present choice. If the choice has a
// distance they stay, because they say where probability may go.
func (b *builder) dropZeros() {
	m, to := b.model, int(b.model.RowStart[b.choice()])
	if b.zeros == 0 || m.Distance.Len() > b.choice() {
		b.zeros = 0
		return
	}
	for e := to; e < len(m.Columns); e++ {
		if m.high(e).float == 0 {
			continue
		}
		m.Columns[to] = m.Columns[e]
		m.Values.set(to, m.Values.value(e))
		m.High.set(to, m.High.value(e))
		for i := range m.Rewards {
			if r := &m.Rewards[i].Transition; e < r.Len() {
				r.set(to, r.value(e))
			}
		}
		to++
	}
	m.Columns, b.zeros = m.Columns[:to], 0
	m.Values.cut(to)
	m.High.cut(to)
	for i := range m.Rewards {
		m.Rewards[i].Transition.cut(to)
	}
}

// endChoice ends the transitions of a choice and checks them.
func (b *builder) endChoice() *filepos.Error {
	m := b.model
	if b.choice() >= math.MaxInt32-1 {
		return tooMany("choices")
	}
	b.dropZeros()
	m.RowStart = append(more(b, m.RowStart), int32(len(m.Columns)))
	return b.checkChoice(b.choice() - 1)
}

// checkChoice checks the transitions of a choice, after dividing probabilities if the
// options say so.
func (b *builder) checkChoice(k int) *filepos.Error {
	m := b.model
	if lo, hi := m.row(k); b.divide && (m.Kind == DTMC || m.Kind == MDP) && m.areKnown(lo, hi) {
		m.Values.normalize(lo, hi)
		if m.IsUncertain() {
			m.High.normalize(lo, hi)
		}
	}
	return m.checkChoice(k, b.divide)
}

// selfLoop makes the present state one that stays where it is.
func (b *builder) selfLoop() *filepos.Error {
	v := value{float: 1}
	if b.numbers.exact {
		v.exact = one
	}
	return cmp.Or(b.transition(int32(b.state()), v), b.endChoice(), b.endState())
}

// nameAction names the choice that is being added.
func (b *builder) nameAction(name []byte) *filepos.Error {
	number := b.choice() - int(b.model.StateStart[b.state()])
	if len(name) == 0 || string(name) == strconv.Itoa(number) {
		return nil
	}
	text, f := b.text(name)
	if f == nil {
		for len(b.model.ActionNames) < b.choice() {
			b.model.ActionNames = append(b.model.ActionNames, "")
		}
		b.model.ActionNames = append(b.model.ActionNames, text)
	}
	return f
}

// text returns a name as a string.
func (b *builder) text(name []byte) (string, *filepos.Error) {
	if text, ok := b.names[string(name)]; ok {
		return text, nil
	}
	if len(name) == 0 || !utf8.Valid(name) {
		return "", filepos.Fault(quote(name), "a name in UTF-8")
	}
	text := string(name)
	b.names[text] = text
	return text, nil
}

// label notes that a label holds at a state; states come in order.
func (b *builder) label(name []byte, s int32) *filepos.Error {
	if string(name) == initialLabel {
		b.model.Initial = withState(b.model.Initial, s)
		return nil
	}
	text, fault := b.text(name)
	if fault == nil {
		b.model.Labels[text] = withState(b.model.Labels[text], s)
	}
	return fault
}

// withState appends a state, once where a file names it twice in a row.
func withState(states []int32, s int32) []int32 {
	if n := len(states); n > 0 && states[n-1] == s {
		return states
	}
	return append(states, s)
}

// addReward adds a reward model.
func (b *builder) addReward(name []byte) *filepos.Error {
	text, f := b.text(name)
	if f != nil {
		return f
	}
	if b.rewards[text] {
		return filepos.Fault("reward model "+quote(name)+" for the second time", "a name that no other has")
	}
	b.rewards[text] = true
	b.model.Rewards = append(b.model.Rewards, RewardModel{Name: text})
	return nil
}

// finish completes lists that were left short, and returns the model.
func (b *builder) finish() *Model {
	m := b.model
	if b.numbers.exact && m.Values.Exact == nil {
		m.Values.Exact = []*big.Rat{}
	}
	if m.Distance.Len() > 0 {
		m.Distance.complete(m.NumChoices())
		m.beUncertain()
	}
	for i := range m.Rewards {
		r := &m.Rewards[i]
		r.State.complete(m.NumStates())
		r.Action.complete(m.NumChoices())
		r.Transition.complete(m.NumTransitions())
	}
	for len(m.ActionNames) > 0 && len(m.ActionNames) < m.NumChoices() {
		m.ActionNames = append(m.ActionNames, "")
	}
	if len(m.Initial) == 0 {
		m.Initial = []int32{0}
	}
	if len(m.Labels) == 0 {
		m.Labels = nil
	}
	return m
}

// reward sets reward i of a list, which is beyond those that were set before.
func (b *builder) reward(list *Numbers, i int, v value) {
	list.Float = more(b, list.Float)
	list.put(i, v)
}

// complete lengthens a list that is not empty, by zeros.
func (n *Numbers) complete(length int) {
	if len(n.Float) > 0 {
		n.fill(length)
	}
}
