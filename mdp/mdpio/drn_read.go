// This file reads the states of DRN files, Storm's explicit format.

package mdpio

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
)

const (
	// unnamedReward is the name of a reward model that a file gives none.
	unnamedReward = "reward"

	// unnamedAction is how Storm marks an action without a name.
	unnamedAction = "__NOLABEL__"
)

// ReadDRN reads a model in Storm's explicit format; name is what errors call
// the file. See the package documentation for what is read and what is refused.
func ReadDRN(r io.Reader, name string, options Options) (*Model, error) {
	d := newDRNReader(r, name, options)
	d.readHeader()
	d.readStates()
	if d.err != nil {
		return nil, exported(d.err)
	}
	return d.builder.finish(), nil
}

// drnReader reads a DRN file.
type drnReader struct {
	*lineReader
	builder *builder
	header  drnHeader

	inState, inChoice bool          // what is open
	statePlace        filepos.Place // of the open state
	choicePlace       filepos.Place // of the open choice
	exitRate          float64       // of the open state, as the file has it
	exitPlace         filepos.Place // 0 where the file has none
}

func newDRNReader(r io.Reader, name string, options Options) *drnReader {
	return &drnReader{lineReader: newLineReader(r, name, "//"), builder: newBuilder(options)}
}

func (d *drnReader) readStates() {
	for d.next() {
		if c := d.text[d.at]; '0' <= c && c <= '9' {
			d.readTransition()
		} else {
			d.readHead()
		}
	}
	d.endState()
	if n := d.builder.state(); n != d.header.states {
		d.fail(fmt.Sprintf("the end of the file after %d states", n),
			fmt.Sprintf("%d, the number in line %d", d.header.states, d.header.statesLine))
	}
	if k := d.builder.choice(); d.header.choices >= 0 && k != d.header.choices {
		d.failAt(d.header.choicesAt, filepos.Fault(fmt.Sprintf("%d choices announced", d.header.choices),
			fmt.Sprintf("%d, the number that follows", k)))
	}
}

// readHead reads a line "state …" or "action …".
func (d *drnReader) readHead() {
	p := d.place()
	switch word := d.word(); {
	case string(word) == "state":
		d.readState(p)
		return
	case string(word) == "action" && d.inState:
		d.readAction(p)
		return
	}
	d.at = p.Column - 1
	switch {
	case d.inChoice:
		d.unexpected(`"STATE : VALUE", "action" or "state"`)
	case d.inState:
		d.unexpected(`"action" or "state"`)
	default:
		d.unexpected(`"state"`)
	}
}

// readState reads "state ID !RATE [REWARDS] LABELS".
func (d *drnReader) readState(p filepos.Place) {
	d.endState()
	s := d.builder.state()
	if s >= d.header.states {
		d.unexpected(fmt.Sprintf("the end of the file after %d states, the number in line %d", d.header.states, d.header.statesLine))
	}
	d.skipSpace()
	at := d.at
	if id, ok := d.acceptIndex(math.MaxInt32); !ok || int(id) != s {
		d.at = at
		d.unexpected(fmt.Sprintf("%d, the number of the next state", s))
	}
	d.inState, d.statePlace, d.exitPlace = true, p, filepos.Place{}
	if d.skipSpace() && d.text[d.at] == '!' {
		if d.builder.model.Kind != CTMC {
			d.unexpected(fmt.Sprintf("no exit rate: the model is of kind %v", d.builder.model.Kind))
		}
		d.accept('!')
		d.exitPlace = d.place()
		d.exitRate = d.number(&d.builder.numbers, '[').float
	}
	d.readRewards(s, stateRewards)
	d.readLabels(int32(s))
}

// readAction reads "action NAME [REWARDS]".
func (d *drnReader) readAction(p filepos.Place) {
	d.endChoice()
	b := d.builder
	d.failAt(p, b.startChoice())
	d.inChoice, d.choicePlace = true, p
	d.skipSpace()
	at, name := d.place(), d.rest()
	if bracket := bytes.LastIndexByte(name, '['); bracket >= 0 && bytes.HasSuffix(bytes.TrimRight(name, " \t"), []byte{']'}) {
		name = name[:bracket]
	}
	d.at += len(name)
	if name = bytes.TrimRight(name, " \t"); string(name) != unnamedAction {
		d.failAt(at, b.nameAction(name))
	}
	d.readRewards(b.choice(), actionRewards)
	d.end()
}

// readRewards reads "[REWARD, …]", one for each reward model, where it comes
// next.
func (d *drnReader) readRewards(i int, list rewardList) {
	if !d.accept('[') {
		return
	}
	m := d.builder.model
	if len(m.Rewards) == 0 && bytes.IndexByte(d.rest(), ',') < 0 { // one without a name
		m.Rewards = append(m.Rewards, RewardModel{Name: unnamedReward})
	}
	for r := range m.Rewards {
		if r > 0 && !d.accept(',') {
			d.unexpected(fmt.Sprintf("a list of %d rewards, with a comma between them", len(m.Rewards)))
		}
		v := d.number(&d.builder.numbers, ']')
		list(&m.Rewards[r]).put(i, v)
	}
	if !d.accept(']') {
		d.unexpected(fmt.Sprintf(`"]" after %d rewards`, len(m.Rewards)))
	}
}

// readLabels reads names to the end of the line; those with spaces in quotes.
func (d *drnReader) readLabels(s int32) {
	for d.skipSpace() {
		p := d.place()
		var name []byte
		if d.accept('"') {
			end := bytes.IndexByte(d.rest(), '"')
			if end < 0 {
				d.failAt(p, filepos.Fault("a quotation mark without its second", "a label in quotation marks"))
				return
			}
			name = d.rest()[:end]
			d.at += end + 1
		} else {
			name = d.word()
		}
		d.failAt(p, d.builder.label(name, s))
	}
}

// readTransition reads "STATE : VALUE".
func (d *drnReader) readTransition() {
	if !d.inChoice {
		d.unexpected(`"action" before a transition`)
		return
	}
	target := d.state(d.header.states)
	d.expect(':')
	d.skipSpace()
	p := d.place()
	d.failAt(p, d.builder.transition(target, d.readValue()))
	d.end()
}

// readValue reads a number or the name of a placeholder.
func (d *drnReader) readValue() value {
	if d.header.placeholders == nil || d.at == len(d.text) || d.text[d.at] != '$' {
		return d.number(&d.builder.numbers, ' ')
	}
	p, name := d.place(), d.word()
	v, ok := d.header.placeholders[string(name)]
	if !ok {
		d.failAt(p, filepos.Fault(quote(name), "a placeholder of the header"))
	}
	return v
}

// endChoice ends the open choice, if any.
func (d *drnReader) endChoice() {
	if d.inChoice {
		d.inChoice = false
		d.failAt(d.choicePlace, d.builder.endChoice())
	}
}

// endState ends the open state, if any.
func (d *drnReader) endState() {
	d.endChoice()
	if !d.inState || d.err != nil {
		return
	}
	d.inState = false
	if b := d.builder; b.model.Kind == CTMC {
		if b.choice() == int(b.model.StateStart[b.state()]) { // absorbing, without a line "action"
			d.failAt(d.statePlace, b.endChoice())
		}
		d.checkExitRate()
	}
	d.failAt(d.statePlace, d.builder.endState())
}

// checkExitRate compares the exit rate that the file has with the sum of rates.
func (d *drnReader) checkExitRate() {
	if d.exitPlace == (filepos.Place{}) {
		return
	}
	m := d.builder.model
	sum := floatSum(m.Values.Float[m.RowStart[d.builder.choice()-1]:]).Float()
	if !(math.Abs(d.exitRate-sum) <= SumTolerance*sum) {
		d.failAt(d.exitPlace, filepos.Fault(fmt.Sprintf("the exit rate %v", d.exitRate),
			fmt.Sprintf("%v, the sum of the rates that follow", sum)))
	}
}
