// This file reads the transitions of PRISM's explicit files, and the files beside
// them.

package modelfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/gzfile"
	"github.com/mdpsolve/mdpsolve/internal/lines"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

const (
	// maxGaps bounds the memory that a short file can ask for: there may be as
	// many states without transitions as there are transitions, and so many more.
	maxGaps = 1024

	// maxCount is the greatest number of states, choices or transitions.
	maxCount = math.MaxInt32 - 1
)

// ReadPRISM reads a model in PRISM's explicit format from the files of a folder
// whose names begin with base: base.tra, which there must be, and base.sta,
// base.lab, base.srew and base.trew, where they are. Where there are several
// reward models, their files are base1.srew, base1.trew, base2.srew and so on.
func ReadPRISM(folder fs.FS, base string, options Options) (*Model, error) {
	p := newPRISMReader(folder, base, options)
	if err := p.readAll(); err != nil {
		return nil, exported(err, p.within)
	}
	return p.builder.finish(), nil
}

// prismReader reads the files of a model, one after another.
type prismReader struct {
	*lines.Reader // of the present file

	folder  fs.FS
	base    string
	options Options
	builder *builder
	within  part // what is being read of the transitions
}

func newPRISMReader(folder fs.FS, base string, options Options) *prismReader {
	p := &prismReader{folder: folder, base: base, options: options, builder: newBuilder(nil, options)}
	p.builder.model.Kind = options.Kind
	return p
}

func (p *prismReader) readAll() error {
	found, err := p.read(traSuffix, p.readTra)
	switch {
	case err != nil:
		return err
	case !found:
		return fmt.Errorf("modelfile: %w", &fs.PathError{Op: "open", Path: p.base + traSuffix, Err: fs.ErrNotExist})
	}
	if _, err := p.read(".sta", p.readStateNames); err != nil {
		return err
	}
	if _, err := p.read(".lab", p.readLabels); err != nil {
		return err
	}
	for i := 0; ; i++ {
		number := ""
		if i > 0 {
			number = strconv.Itoa(i)
		}
		if found, err := p.readReward(number); err != nil || !found && i > 0 {
			return err
		}
	}
}

// read opens the file of a suffix, reads it, and reports whether there is one.
func (p *prismReader) read(suffix string, parse func()) (found bool, err error) {
	file, err := p.folder.Open(p.base + suffix)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("modelfile: %w", err)
	}
	defer func() {
		if closing := file.Close(); err == nil && closing != nil {
			err = fmt.Errorf("modelfile: %w", closing)
		}
	}()
	p.builder.share = func() float64 { return gzfile.Share(file) }
	unchanged := gzfile.Watch(file, p.base+suffix)
	p.Reader, p.within = lines.NewReader(file, p.base+suffix, "#"), outside
	parse()
	if err := unchanged(); err != nil {
		return true, fmt.Errorf("modelfile: %w", err)
	}
	return true, p.Err()
}

// traReader is the state of reading a .tra file.
type traReader struct {
	*prismReader
	states, choices, transitions int // announced; choices −1 in a Markov chain

	lines      int // read
	written    int // choices read
	gaps       int // states without transitions
	open       bool
	first      filepos.Place // of the first transition of the open choice
	action     string        // of the open choice
	mixed      bool          // whether its transitions have different actions
	stochastic bool          // whether all choices so far sum to 1
}

// readTra reads the .tra file.
func (p *prismReader) readTra() {
	t := &traReader{prismReader: p, stochastic: true}
	t.readHeader()
	if t.Err() == nil {
		t.Stop(p.options.announce(Header{Kind: p.builder.model.Kind, States: t.states, Choices: t.choices, Transitions: t.transitions}))
	}
	for t.Next() {
		t.readTransition()
	}
	t.endState(t.states)
	if t.Err() != nil {
		return
	}
	t.within = outside
	if t.lines != t.transitions || t.choices >= 0 && t.written != t.choices {
		found := fmt.Sprintf("the end of the file after %d transitions", t.lines)
		expected := fmt.Sprintf("%d, the number in line 1", t.transitions)
		if t.choices >= 0 {
			found += fmt.Sprintf(" in %d choices", t.written)
			expected = fmt.Sprintf("%d in %d, the numbers in the first line", t.transitions, t.choices)
		}
		t.Fail(found, expected)
	}
	if m := p.builder.model; m.Kind == 0 {
		if m.Kind = CTMC; t.stochastic {
			m.Kind = DTMC
		}
	}
}

// readHeader reads "states transitions" or "states choices transitions".
func (t *traReader) readHeader() {
	t.Next()
	p := filepos.Place{Line: t.Place().Line, Column: 1}
	var numbers []int
	for len(numbers) < 2 || len(numbers) < 3 && t.SkipSpace() {
		n := t.Index(maxCount, "a line of two or three whole numbers: states, choices (of an MDP), transitions")
		numbers = append(numbers, int(n))
	}
	t.End()
	kind := &t.builder.model.Kind
	t.states, t.choices, t.transitions = numbers[0], -1, numbers[len(numbers)-1]
	switch {
	case len(numbers) == 3 && (*kind == 0 || *kind == MDP):
		t.choices, *kind = numbers[1], MDP
	case len(numbers) == 3:
		t.FailAt(p, filepos.Fault("a first line of 3 numbers", fmt.Sprintf("one of 2, of a %v, as was asked for", *kind)))
	case *kind == MDP:
		t.FailAt(p, filepos.Fault("a first line of 2 numbers", "one of 3, of an MDP, as was asked for"))
	}
	if t.states == 0 {
		t.FailAt(p, filepos.Fault("a model of 0 states", "at least 1 state"))
	}
}

// readTransition reads "state [choice] target value [action]".
func (t *traReader) readTransition() {
	b, place, before := t.builder, t.Place(), t.within
	t.within = outside
	state := int(t.State(t.states))
	switch present := b.state(); {
	case t.Err() != nil:
		return
	case state < present:
		t.FailAt(place, lines.OutOfOrder(int32(state), int32(present)))
	case state > present:
		t.within = before
		t.endState(state)
	default:
		t.within = before
	}
	if t.choices >= 0 {
		t.readChoice(state)
	}
	if t.Err() != nil {
		return
	}
	t.within = part{state, b.choice() - int(b.model.StateStart[state])}
	if !t.open {
		t.open, t.first, t.mixed = true, place, false
		t.written++
	}
	t.readTarget()
}

// readChoice reads the number of a choice, which is that of the present one or the
// next.
func (t *traReader) readChoice(state int) {
	t.SkipSpace()
	place := t.Place()
	number := t.builder.choice() - int(t.builder.model.StateStart[t.builder.state()])
	choice := int(t.Index(maxCount, "the number of a choice"))
	switch {
	case t.open && choice == number+1:
		t.endChoice()
	case choice != number:
		t.FailAt(place, filepos.Fault(fmt.Sprintf("choice %d of state %d", choice, state),
			fmt.Sprintf("choice %d, or one more after a transition of it", number)))
	}
}

// readTarget reads the "target value [action]" of a transition.
func (t *traReader) readTarget() {
	b := t.builder
	target := t.State(t.states)
	t.SkipSpace()
	place := t.Place()
	if t.Accept('[') {
		t.FailAt(place, filepos.Fault("an interval", "a number: PRISM's files have no intervals, but JSON, DRN and UMB have"))
	}
	t.FailAt(place, b.transition(target, readNumber(t.Reader, &b.numbers, ' ')))
	t.lines++
	t.SkipSpace()
	place = t.Place()
	action := ""
	if word := t.Word(); len(word) > 0 {
		var fault *filepos.Error
		action, fault = b.text(word)
		t.FailAt(place, fault)
	}
	switch {
	case t.first.Line == place.Line:
		t.action = action
	case action != t.action && t.choices >= 0:
		t.FailAt(place, filepos.Fault("action "+wording.Quote(action)+" in a choice of action "+wording.Quote(t.action), "one action in a choice"))
	case action != t.action:
		t.mixed = true
	}
	t.End()
}

// endChoice ends the open choice.
func (t *traReader) endChoice() {
	b := t.builder
	t.open = false
	if !t.mixed {
		t.FailAt(t.first, b.nameAction([]byte(t.action)))
	}
	t.FailAt(t.first, b.endChoice())
	lo, hi := b.model.RowStart[b.choice()-1], b.model.RowStart[b.choice()]
	t.stochastic = t.stochastic && b.model.Values.sumToOne(int(lo), int(hi))
}

// endState ends the open state and gives those before the next one, which have no
// transitions, one to themselves, as PRISM does.
func (t *traReader) endState(next int) {
	b := t.builder
	if t.open {
		t.endChoice()
		t.FailAt(t.first, b.endState())
	}
	if t.gaps += next - b.state(); t.gaps > t.lines+maxGaps {
		t.Fail(fmt.Sprintf("%d states without transitions beside %d transitions", t.gaps, t.lines),
			"fewer (a transition to the state itself stands for doing nothing)")
	}
	for t.Err() == nil && b.state() < next {
		t.FailAt(t.Place(), b.selfLoop())
	}
}
