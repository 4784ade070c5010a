package mdpio

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

const (
	drnComment = "//"

	// unnamedReward is the name of a reward model that a file gives none.
	unnamedReward = "reward"
)

// ReadDRN reads a model in Storm's explicit format; name is what errors call
// the file. See the package documentation for what is read and what is refused.
func ReadDRN(r io.Reader, name string, options Options) (*Model, error) {
	d := &drnReader{lineReader: newLineReader(r, name), builder: newBuilder(options)}
	if err := d.readHeader(); err != nil {
		return nil, err
	}
	if err := d.readStates(); err != nil {
		return nil, err
	}
	return d.builder.finish(), nil
}

type drnReader struct {
	*lineReader
	builder *builder
	header  drnHeader

	inState, inChoice bool    // what is open
	statePlace        place   // of the open state
	choicePlace       place   // of the open choice
	exitRate          float64 // of the open state, as the file has it
	exitPlace         place   // 0 where the file has none
}

func (d *drnReader) readStates() error {
	for {
		more, err := d.nextFilled(drnComment)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if c := d.text[d.at]; '0' <= c && c <= '9' {
			err = d.readTransition()
		} else {
			err = d.readHead()
		}
		if err != nil {
			return err
		}
	}
	if err := d.endState(); err != nil {
		return err
	}
	if n := d.builder.state(); n != d.header.states {
		return d.fail(&fault{
			fmt.Sprintf("the end of the file after %d states", n),
			fmt.Sprintf("the number of line %d, %d,", d.header.statesLine, d.header.states),
		})
	}
	if k := d.builder.choice(); d.header.choices >= 0 && k != d.header.choices {
		return (&fault{fmt.Sprintf("%d choices announced", d.header.choices), fmt.Sprintf("the number that follows, %d,", k)}).
			at(d.file, d.header.choicesAt)
	}
	return nil
}

// readHead reads a line "state …" or "action …".
func (d *drnReader) readHead() error {
	p := d.place()
	switch word := d.word(); {
	case string(word) == "state":
		return d.readState(p)
	case string(word) == "action" && d.inState:
		return d.readAction(p)
	}
	d.at = p.column - 1
	switch {
	case d.inChoice:
		return d.unexpected("\"STATE : VALUE\", \"action\" or \"state\"")
	case d.inState:
		return d.unexpected("\"action\" or \"state\"")
	}
	return d.unexpected("\"state\"")
}

// readState reads "state ID !RATE [REWARDS] LABELS".
func (d *drnReader) readState(p place) error {
	if err := d.endState(); err != nil {
		return err
	}
	s := d.builder.state()
	d.skipSpace()
	if s >= d.header.states {
		return d.unexpected(fmt.Sprintf("the end of the file after the %d states that line %d announces,", d.header.states, d.header.statesLine))
	}
	at := d.at
	if id, ok := d.index(math.MaxInt32); !ok || int(id) != s {
		d.at = at
		return d.unexpected(fmt.Sprintf("the number of the next state, %d,", s))
	}
	d.inState, d.statePlace, d.exitPlace = true, p, place{}
	if d.skipSpace() && d.text[d.at] == '!' {
		if d.builder.model.Kind != CTMC {
			return d.unexpected(fmt.Sprintf("a state without exit rate, as in every %v,", d.builder.model.Kind))
		}
		d.at++
		d.exitPlace = d.place()
		v, err := d.number(&d.builder.numbers, '[')
		if err != nil {
			return err
		}
		d.exitRate = v.float
	}
	if err := d.readRewards(s, func(r *RewardModel) *Numbers { return &r.State }); err != nil {
		return err
	}
	return d.readLabels(int32(s))
}

// readAction reads "action NAME [REWARDS]".
func (d *drnReader) readAction(p place) error {
	if err := d.endChoice(); err != nil {
		return err
	}
	if d.builder.model.Kind != MDP && d.builder.choice() > int(d.builder.model.StateStart[d.builder.state()]) {
		return (&fault{"a second action", fmt.Sprintf("one, in a %v,", d.builder.model.Kind)}).at(d.file, p)
	}
	d.inChoice, d.choicePlace = true, p
	d.skipSpace()
	name := d.rest()
	if bracket := bytes.LastIndexByte(name, '['); bracket >= 0 && bytes.HasSuffix(bytes.TrimRight(name, " \t"), []byte{']'}) {
		name = name[:bracket]
	}
	start := d.at
	d.at += len(name)
	if name = bytes.TrimRight(name, " \t"); string(name) != "__NOLABEL__" { // so Storm marks actions without name
		if f := d.builder.nameAction(name); f != nil {
			d.at = start
			return d.fail(f)
		}
	}
	if err := d.readRewards(d.builder.choice(), func(r *RewardModel) *Numbers { return &r.Action }); err != nil {
		return err
	}
	return d.end()
}

// readRewards reads "[REWARD, …]", one for each reward model, where it comes
// next.
func (d *drnReader) readRewards(i int, list func(*RewardModel) *Numbers) error {
	if !d.accept('[') {
		return nil
	}
	m := d.builder.model
	if len(m.Rewards) == 0 && bytes.IndexByte(d.rest(), ',') < 0 { // one without a name
		m.Rewards = append(m.Rewards, RewardModel{Name: unnamedReward})
	}
	for r := range m.Rewards {
		if r > 0 && !d.accept(',') {
			return d.unexpected(fmt.Sprintf("a list of %d rewards, with a comma between them,", len(m.Rewards)))
		}
		v, err := d.number(&d.builder.numbers, ']')
		if err != nil {
			return err
		}
		list(&m.Rewards[r]).put(i, v)
	}
	if !d.accept(']') {
		return d.unexpected(fmt.Sprintf("\"]\" after %d rewards", len(m.Rewards)))
	}
	return nil
}

// readLabels reads names to the end of the line; those with spaces in quotes.
func (d *drnReader) readLabels(s int32) error {
	for d.skipSpace() {
		p := d.place()
		name := d.rest()
		if name[0] == '"' {
			name = name[1:]
			end := bytes.IndexByte(name, '"')
			if end < 0 {
				return d.fail(&fault{"a quotation mark without its second", "a label in quotation marks"})
			}
			name = name[:end]
			d.at += end + 2
		} else {
			name = d.word()
		}
		if f := d.builder.label(name, s); f != nil {
			return f.at(d.file, p)
		}
	}
	return nil
}

// readTransition reads "STATE : VALUE".
func (d *drnReader) readTransition() error {
	if !d.inChoice {
		return d.unexpected("\"action\" before a transition")
	}
	target, err := d.stateIndex(d.header.states)
	if err != nil {
		return err
	}
	if !d.accept(':') {
		return d.unexpected("\":\"")
	}
	d.skipSpace()
	p := d.place()
	v, err := d.readValue()
	if err != nil {
		return err
	}
	if f := d.builder.transition(target, v); f != nil {
		return f.at(d.file, p)
	}
	return d.end()
}

// readValue reads a number or the name of a placeholder.
func (d *drnReader) readValue() (value, error) {
	if d.header.values == nil || d.at == len(d.text) || d.text[d.at] != '$' {
		return d.number(&d.builder.numbers, ' ')
	}
	p := d.place()
	name := d.word()
	v, ok := d.header.values[string(name)]
	if !ok {
		return value{}, (&fault{quote(name), "a placeholder of the header"}).at(d.file, p)
	}
	return v, nil
}

// endChoice ends the open choice, if any.
func (d *drnReader) endChoice() error {
	if !d.inChoice {
		return nil
	}
	d.inChoice = false
	if f := d.builder.endChoice(); f != nil {
		return f.at(d.file, d.choicePlace)
	}
	return nil
}

// endState ends the open state, if any.
func (d *drnReader) endState() error {
	if err := d.endChoice(); err != nil || !d.inState {
		return err
	}
	b := d.builder
	d.inState = false
	if d.builder.model.Kind == CTMC {
		if b.choice() == int(b.model.StateStart[b.state()]) { // absorbing, without a line "action"
			if f := b.endChoice(); f != nil {
				return f.at(d.file, d.statePlace)
			}
		}
		if err := d.checkExitRate(); err != nil {
			return err
		}
	}
	if f := b.endState(); f != nil {
		return f.at(d.file, d.statePlace)
	}
	return nil
}

// checkExitRate compares the exit rate that the file has with the sum of rates.
func (d *drnReader) checkExitRate() error {
	if d.exitPlace == (place{}) {
		return nil
	}
	b := d.builder
	sum := floatSum(b.model.Values.Float[b.model.RowStart[b.choice()-1]:]).Float()
	if !(math.Abs(d.exitRate-sum) <= sumTolerance*sum) {
		return (&fault{fmt.Sprintf("the exit rate %v", d.exitRate), fmt.Sprintf("the sum of the rates that follow, %v,", sum)}).
			at(d.file, d.exitPlace)
	}
	return nil
}
