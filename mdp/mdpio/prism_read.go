package mdpio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

const (
	prismComment = "#"

	// maxGaps is how many states may be without transitions beyond as many as
	// there are transitions: nothing else in the file vouches for them.
	maxGaps = 1024
)

// ReadPRISM reads a model in PRISM's explicit format from the files of a folder
// whose names begin with base: base.tra, which there must be, and base.sta,
// base.lab, base.srew and base.trew, where they are. Where there are several
// reward models, their files are base1.srew, base1.trew, base2.srew and so on.
func ReadPRISM(folder fs.FS, base string, options Options) (*Model, error) {
	p := &prismReader{folder: folder, base: base, builder: newBuilder(options)}
	p.builder.model.Kind = options.Kind
	if found, err := p.read(".tra", p.readTransitions); err != nil {
		return nil, err
	} else if !found {
		return nil, missing(base + ".tra")
	}
	if _, err := p.read(".sta", p.readStateNames); err != nil {
		return nil, err
	}
	if _, err := p.read(".lab", p.readLabels); err != nil {
		return nil, err
	}
	for i := 0; ; i++ {
		number := ""
		if i > 0 {
			number = strconv.Itoa(i)
		}
		found, err := p.readReward(number)
		if err != nil {
			return nil, err
		}
		if !found && i > 0 {
			return p.builder.finish(), nil
		}
	}
}

// missing is the error of a file that is not there.
func missing(file string) error {
	return fmt.Errorf("mdpio: %w", &fs.PathError{Op: "open", Path: file, Err: fs.ErrNotExist})
}

type prismReader struct {
	*lineReader
	folder  fs.FS
	base    string
	builder *builder
}

// read opens the file of a suffix, reads it, and reports whether there is one.
func (p *prismReader) read(suffix string, parse func() error) (found bool, err error) {
	file, err := p.folder.Open(p.base + suffix)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("mdpio: %w", err)
	}
	defer func() {
		if closing := file.Close(); err == nil && closing != nil {
			err = fmt.Errorf("mdpio: %w", closing)
		}
	}()
	p.lineReader = newLineReader(io.Reader(file), p.base+suffix)
	return true, parse()
}

// traReader is what is known while a .tra file is read.
type traReader struct {
	states, choices, transitions int // announced; choices −1 in a Markov chain
	lines                        int // read
	written                      int // choices read
	gaps                         int // states without transitions
	open                         bool
	place                        place  // of the first transition of the open choice
	action                       string // of the open choice
	mixed                        bool   // whether its transitions have different actions
	stochastic                   bool   // whether all choices so far sum to 1
}

// readTransitions reads a .tra file.
func (p *prismReader) readTransitions() error {
	t := &traReader{stochastic: true}
	if err := p.readTraHeader(t); err != nil {
		return err
	}
	for {
		more, err := p.nextFilled(prismComment)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := p.readTransition(t); err != nil {
			return err
		}
	}
	if err := p.endTraState(t, t.states); err != nil {
		return err
	}
	if t.lines != t.transitions || t.choices >= 0 && t.written != t.choices {
		found := fmt.Sprintf("the end of the file after %d transitions", t.lines)
		allowed := fmt.Sprintf("the number of line 1, %d,", t.transitions)
		if t.choices >= 0 {
			found += fmt.Sprintf(" in %d choices", t.written)
			allowed = fmt.Sprintf("what the first line announces, %d in %d,", t.transitions, t.choices)
		}
		return p.fail(&fault{found, allowed})
	}
	m := p.builder.model
	if m.Kind == 0 {
		if m.Kind = CTMC; t.stochastic {
			m.Kind = DTMC
		}
	}
	return nil
}

// readTraHeader reads "states transitions" or "states choices transitions".
func (p *prismReader) readTraHeader(t *traReader) error {
	const allowed = "a line of two or three whole numbers: states, choices (of an MDP), transitions"
	numbers, err := p.readCounts(allowed)
	if err != nil {
		return err
	}
	kind := &p.builder.model.Kind
	switch {
	case len(numbers) == 3 && (*kind == 0 || *kind == MDP):
		t.states, t.choices, t.transitions, *kind = numbers[0], numbers[1], numbers[2], MDP
	case len(numbers) == 2 && *kind != MDP:
		t.states, t.choices, t.transitions = numbers[0], -1, numbers[1]
	case *kind == MDP:
		p.at = 0
		return p.fail(&fault{"a first line of 2 numbers", "one of 3, in an MDP as was asked for,"})
	default:
		p.at = 0
		return p.fail(&fault{"a first line of 3 numbers", fmt.Sprintf("one of 2, in a %v as was asked for,", *kind)})
	}
	if t.states == 0 {
		p.at = 0
		return p.fail(&fault{"a model of 0 states", "at least 1 state"})
	}
	return nil
}

// readCounts reads the first line that is not a comment, of whole numbers.
func (p *prismReader) readCounts(allowed string) ([]int, error) {
	if _, err := p.nextFilled(prismComment); err != nil {
		return nil, err
	}
	var numbers []int
	for len(numbers) < 2 || len(numbers) < 3 && p.skipSpace() {
		n, ok := p.index(math.MaxInt32 - 1)
		if !ok {
			return nil, p.unexpected(allowed)
		}
		numbers = append(numbers, int(n))
	}
	return numbers, p.end()
}

// readTransition reads "state [choice] target value [action]".
func (p *prismReader) readTransition(t *traReader) error {
	b := p.builder
	first := p.place()
	state, err := p.stateIndex(t.states)
	if err != nil {
		return err
	}
	if int(state) < b.state() {
		return (&fault{fmt.Sprintf("state %d after state %d", state, b.state()), "a file in the order of states"}).at(p.file, first)
	}
	if int(state) > b.state() {
		if err := p.endTraState(t, int(state)); err != nil {
			return err
		}
	}
	number := b.choice() - int(b.model.StateStart[b.state()])
	if t.choices >= 0 {
		p.skipSpace()
		second := p.place()
		choice, ok := p.index(math.MaxInt32 - 1)
		if !ok {
			return p.unexpected("the number of a choice")
		}
		switch {
		case t.open && int(choice) == number+1:
			if err := p.endTraChoice(t); err != nil {
				return err
			}
		case int(choice) != number:
			return (&fault{
				fmt.Sprintf("choice %d of state %d", choice, state),
				fmt.Sprintf("choice %d, or one more after a transition of it,", number),
			}).at(p.file, second)
		}
	}
	if !t.open {
		t.open, t.place, t.mixed = true, first, false
		t.written++
	}
	return p.readTarget(t)
}

// readTarget reads the "target value [action]" of a transition.
func (p *prismReader) readTarget(t *traReader) error {
	b := p.builder
	target, err := p.stateIndex(t.states)
	if err != nil {
		return err
	}
	p.skipSpace()
	at := p.place()
	v, err := p.number(&b.numbers, ' ')
	if err != nil {
		return err
	}
	if f := b.transition(target, v); f != nil {
		return f.at(p.file, at)
	}
	t.lines++
	p.skipSpace()
	at = p.place()
	action := ""
	if word := p.word(); len(word) > 0 {
		var f *fault
		if action, f = b.text(word); f != nil {
			return f.at(p.file, at)
		}
	}
	switch {
	case t.place.line == p.line:
		t.action = action
	case action != t.action && t.choices >= 0:
		return (&fault{"action " + wording.Quote(action) + " in a choice of action " + wording.Quote(t.action), "one action in a choice"}).at(p.file, at)
	case action != t.action:
		t.mixed = true
	}
	return p.end()
}

// endTraChoice ends the open choice.
func (p *prismReader) endTraChoice(t *traReader) error {
	b := p.builder
	t.open = false
	if !t.mixed {
		if f := b.nameAction([]byte(t.action)); f != nil {
			return f.at(p.file, t.place)
		}
	}
	if f := b.endChoice(); f != nil {
		return f.at(p.file, t.place)
	}
	lo, hi := b.model.RowStart[b.choice()-1], b.model.RowStart[b.choice()]
	t.stochastic = t.stochastic && b.model.Values.sumToOne(int(lo), int(hi))
	return nil
}

// endTraState ends the open state and gives those before the next one, which
// have no transitions, one to themselves, as PRISM does.
func (p *prismReader) endTraState(t *traReader, next int) error {
	b := p.builder
	if t.open {
		if err := p.endTraChoice(t); err != nil {
			return err
		}
		if f := b.endState(); f != nil {
			return f.at(p.file, t.place)
		}
	}
	if t.gaps += next - b.state(); t.gaps > t.lines+maxGaps {
		return p.fail(&fault{
			fmt.Sprintf("%d states without transitions beside %d transitions", t.gaps, t.lines),
			"fewer (a transition to the state itself stands for doing nothing)",
		})
	}
	for b.state() < next {
		if f := b.selfLoop(); f != nil {
			return p.fail(f)
		}
	}
	return nil
}
