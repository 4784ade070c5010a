// This file reads the states of DRN files, Storm's explicit format.

package modelfile

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/lines"
)

const (
	// unnamedReward is the name of a reward model that a file gives none.
	unnamedReward = "reward"

	// unnamedAction is how Storm marks an action without a name.
	unnamedAction = "__NOLABEL__"

	// comment begins a comment, which ends with the line.
	comment = "//"
)

// isDRN reports whether "@" begins the first line that is neither empty nor a comment. Comments that
// are longer than start count as DRN, too: no other format has them.
func isDRN(start []byte) bool {
	for line := range bytes.Lines(start) {
		if line = bytes.TrimLeft(line, " \t\r\n"); len(line) > 0 && !bytes.HasPrefix(line, []byte(comment)) {
			return line[0] == '@'
		}
	}
	return len(bytes.TrimSpace(start)) > 0
}

// ReadDRN reads a model in Storm's explicit format; name is what errors call
// the file. See the package documentation for what is read and what is refused.
func ReadDRN(r io.Reader, name string, options Options) (*Model, error) {
	d := newDRNReader(r, name, options)
	d.readHeader()
	if d.Err() == nil {
		h := d.header
		d.Stop(options.announce(Header{Kind: d.builder.model.Kind, Rational: h.rational, States: h.states, Choices: h.choices, Transitions: -1}))
	}
	d.readStates()
	if d.Err() != nil {
		return nil, exported(d.Err(), d.within)
	}
	return d.builder.finishRead(), nil
}

// drnReader reads a DRN file.
type drnReader struct {
	*lines.Reader
	builder *builder
	header  drnHeader

	within            part          // what is being read
	inState, inChoice bool          // what is open
	statePlace        filepos.Place // of the open state
	choicePlace       filepos.Place // of the open choice
	exitRate          float64       // of the open state, as the file has it
	exitTolerance     float64
	exitPlace         filepos.Place // 0 where the file has none

	variables []string // the names of variables; "" for one that has had none yet
}

func newDRNReader(r io.Reader, name string, options Options) *drnReader {
	d := &drnReader{Reader: lines.NewReader(r, name, comment), builder: newBuilder(r, options), within: outside}
	d.Comment = d.readValuation
	return d
}

// readValuation reads the values of the variables of a state, which Storm writes in a comment after
// its first line, such as "[x=3	& !full	& done]". Some versions leave out the name of a variable that
// is true; it is then taken from states where the variable is false. Other comments are ignored,
// and so are all variables unless every state has their values.
func (d *drnReader) readValuation(comment []byte) {
	m, s := d.builder.model, d.builder.state()
	inner, isList := bytes.CutPrefix(bytes.TrimSpace(comment), []byte("["))
	inner, isClosed := bytes.CutSuffix(inner, []byte("]"))
	if !isList || !isClosed || !d.inState || len(m.StateNames) != s || !utf8.Valid(inner) {
		return
	}
	parts := strings.Split(string(inner), "&")
	if s == 0 {
		d.variables = make([]string, len(parts))
	}
	if len(parts) != len(d.variables) {
		return
	}
	for i, part := range parts {
		name, value, hasValue := strings.Cut(strings.TrimSpace(part), "=")
		if !hasValue {
			value = strconv.FormatBool(!strings.HasPrefix(name, "!"))
			name = strings.TrimPrefix(name, "!")
		}
		if name != "" && d.variables[i] != "" && d.variables[i] != name {
			return
		}
		d.variables[i] = cmp.Or(d.variables[i], name)
		parts[i] = strings.TrimSpace(value)
	}
	m.StateNames = append(more(d.builder, m.StateNames), "("+strings.Join(parts, ",")+")")
}

// nameVariables names the variables if all states have their values. A variable that is true in all
// states, and so has its name in none, is named by its number.
func (d *drnReader) nameVariables() {
	m := d.builder.model
	if len(m.StateNames) == 0 || len(m.StateNames) < m.NumStates() {
		m.StateNames = nil
		return
	}
	for i, name := range d.variables {
		d.variables[i] = cmp.Or(name, fmt.Sprintf("_%d", i))
	}
	m.Variables = "(" + strings.Join(d.variables, ",") + ")"
}

func (d *drnReader) readStates() {
	for d.Next() {
		if c := d.Peek(); '0' <= c && c <= '9' {
			d.readTransition()
		} else {
			d.readHead()
		}
	}
	d.endState()
	if d.Err() != nil {
		return
	}
	d.nameVariables()
	d.within = outside
	if n := d.builder.state(); n != d.header.states {
		d.Fail(fmt.Sprintf("the end of the file after %d states", n),
			fmt.Sprintf("%d, the number in line %d", d.header.states, d.header.statesLine))
	}
	if k := d.builder.choice(); d.header.choices >= 0 && k != d.header.choices {
		d.FailAt(d.header.choicesAt, filepos.Fault(fmt.Sprintf("%d choices announced", d.header.choices),
			fmt.Sprintf("%d, the number that follows", k)))
	}
}

// readHead reads a line "state …" or "action …".
func (d *drnReader) readHead() {
	p := d.Place()
	switch word := d.Word(); {
	case string(word) == "state":
		d.readState(p)
		return
	case string(word) == "action" && d.inState:
		d.readAction(p)
		return
	}
	d.Back(p)
	switch {
	case d.inChoice:
		d.Unexpected(`"STATE : VALUE", "action" or "state"`)
	case d.inState:
		d.Unexpected(`"action" or "state"`)
	default:
		d.Unexpected(`"state"`)
	}
}

// readState reads "state ID !RATE [REWARDS] LABELS".
func (d *drnReader) readState(p filepos.Place) {
	d.endState()
	s := d.builder.state()
	if d.Err() != nil {
		return
	}
	d.within = outside
	if s >= d.header.states {
		d.Unexpected(fmt.Sprintf("the end of the file after %d states, the number in line %d", d.header.states, d.header.statesLine))
	}
	if d.Err() == nil {
		d.within = part{s, -1}
	}
	d.SkipSpace()
	at := d.Place()
	if id, ok := d.AcceptIndex(math.MaxInt32); !ok || int(id) != s {
		d.Back(at)
		d.Unexpected(fmt.Sprintf("%d, the number of the next state", s))
	}
	d.inState, d.statePlace, d.exitPlace = true, p, filepos.Place{}
	if d.SkipSpace(); d.Peek() == '!' {
		switch {
		case d.builder.intervals:
			d.Unexpected("no exit rate: the rates are intervals")
		case d.builder.model.Kind != CTMC:
			d.Unexpected(fmt.Sprintf("no exit rate: the model is of kind %v", d.builder.model.Kind))
		}
		d.Accept('!')
		d.exitPlace = d.Place()
		d.readExitRate()
	}
	d.readRewards(s, stateRewards)
	d.readLabels(int32(s))
}

// readExitRate reads an exit rate, and tells how far it may be from the sum of the rates.
func (d *drnReader) readExitRate() {
	text := d.Rest()
	d.exitRate = d.readValue('[').float
	d.exitTolerance = printedError(text[:len(text)-len(d.Rest())])
}

// printedError bounds the relative difference of an exit rate, printed with some digits, and the sum
// of rates printed with as many: the rounding of both. Fewer digits count as 6, as many as Storm
// prints. A fraction is exact.
func printedError(number []byte) float64 {
	if bytes.ContainsAny(number, "/$") {
		return SumTolerance
	}
	mantissa, _, _ := bytes.Cut(bytes.ToLower(number), []byte{'e'})
	digits := len(bytes.ReplaceAll(bytes.TrimLeft(mantissa, "0."), []byte{'.'}, nil))
	return max(SumTolerance, 2*5*math.Pow10(-max(digits, 6)))
}

// readAction reads "action NAME [REWARDS]".
func (d *drnReader) readAction(p filepos.Place) {
	d.endChoice()
	b := d.builder
	if d.Err() == nil {
		d.within.action = b.choice() - int(b.model.StateStart[b.state()])
	}
	d.FailAt(p, b.startChoice())
	d.inChoice, d.choicePlace = true, p
	d.SkipSpace()
	at, name := d.Place(), d.Rest()
	for i, c := range name {
		if c == '[' && (i == 0 || name[i-1] == ' ' || name[i-1] == '\t') {
			name = name[:i]
			break
		}
	}
	d.Skip(len(name))
	if name = bytes.TrimRight(name, " \t"); string(name) != unnamedAction {
		d.FailAt(at, b.nameAction(name))
	}
	d.readRewards(b.choice(), actionRewards)
	d.End()
}

// readRewards reads "[REWARD, …]", one for each reward model, where it comes
// next.
func (d *drnReader) readRewards(i int, list rewardList) {
	if !d.Accept('[') {
		return
	}
	m := d.builder.model
	if len(m.Rewards) == 0 { // one without a name
		m.Rewards = append(m.Rewards, RewardModel{Name: unnamedReward})
	}
	for r := range m.Rewards {
		if r > 0 && !d.Accept(',') {
			d.Unexpected(fmt.Sprintf("a list of rewards of length %d, with a comma between them", len(m.Rewards)))
		}
		d.builder.reward(list(&m.Rewards[r]), i, d.readReward(m.Rewards[r].Name))
	}
	if !d.Accept(']') {
		d.Unexpected(fmt.Sprintf(`"]" after %d rewards`, len(m.Rewards)))
	}
}

// readReward reads a number, or an interval, as Storm writes rewards beside intervals of
// probabilities.
func (d *drnReader) readReward(name string) value {
	if d.SkipSpace(); !d.builder.intervals || d.Peek() != '[' {
		return d.readValue(']')
	}
	low, high, _ := readInterval(d.Reader, &d.builder.numbers)
	d.builder.model.knowReward(name, low, high)
	return low
}

// readLabels reads names to the end of the line; those with spaces in quotes.
func (d *drnReader) readLabels(s int32) {
	for d.SkipSpace() {
		p := d.Place()
		var name []byte
		if d.Accept('"') {
			end := bytes.IndexByte(d.Rest(), '"')
			if end < 0 {
				d.FailAt(p, filepos.Fault("a quotation mark without its second", "a label in quotation marks"))
				return
			}
			name = d.Rest()[:end]
			d.Skip(end + 1)
		} else {
			name = d.Word()
		}
		d.FailAt(p, d.builder.label(name, s))
	}
}

// readTransition reads "STATE : VALUE" or "STATE : [LOW, HIGH]".
func (d *drnReader) readTransition() {
	if !d.inChoice {
		d.Unexpected(`"action" before a transition`)
		return
	}
	target := d.State(d.header.states)
	d.Expect(':')
	d.SkipSpace()
	p := d.Place()
	if d.builder.intervals && d.Peek() == '[' {
		low, high, _ := readInterval(d.Reader, &d.builder.numbers)
		d.FailAt(p, d.builder.interval(target, low, high))
	} else {
		d.FailAt(p, d.builder.transition(target, d.readValue(' ')))
	}
	d.End()
}

// readValue reads a number or the name of a placeholder, which stop ends too.
func (d *drnReader) readValue(stop byte) value {
	d.SkipSpace()
	if d.header.placeholders == nil || d.Peek() != '$' {
		return readNumber(d.Reader, &d.builder.numbers, stop)
	}
	p, name := d.Place(), d.WordBefore(stop)
	v, ok := d.header.placeholders[string(name)]
	if !ok {
		d.FailAt(p, filepos.Fault(quote(name), "a placeholder of the header"))
	}
	return v
}

// endChoice ends the open choice, if any.
func (d *drnReader) endChoice() {
	if d.inChoice && d.Err() == nil { // after a fault, numbers may be incomplete
		d.FailAt(d.choicePlace, d.builder.endChoice())
	}
	d.inChoice = false
}

// endState ends the open state, if any.
func (d *drnReader) endState() {
	d.endChoice()
	if !d.inState || d.Err() != nil {
		return
	}
	d.inState = false
	if b := d.builder; b.model.Kind == CTMC {
		if b.choice() == int(b.model.StateStart[b.state()]) { // absorbing, without a line "action"
			d.FailAt(d.statePlace, b.endChoice())
		}
		d.checkExitRate()
	}
	d.FailAt(d.statePlace, d.builder.endState())
}

// checkExitRate compares the exit rate that the file has with the sum of rates.
func (d *drnReader) checkExitRate() {
	if d.exitPlace == (filepos.Place{}) {
		return
	}
	d.within.action = -1
	m := d.builder.model
	d.FailAt(d.exitPlace, checkExitRate(d.exitRate, d.exitTolerance, m.Values.Float[m.RowStart[d.builder.choice()-1]:]))
}
