// This file reads the transitions of PRISM's explicit files, and the files beside
// them.

package modelfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/gzfile"
	"github.com/mdpsolve/mdpsolve/internal/lines"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

const (
	// maxGaps bounds the memory that a short file can ask for: the number of states without
	// transitions may exceed that of transitions by this much.
	maxGaps = 1024

	// maxCount is the greatest number of states, choices or transitions.
	maxCount = math.MaxInt32 - 1
)

// ReadPRISM reads a model in PRISM's explicit format from the files of a folder
// whose names begin with base: base.tra, which there must be, and base.sta,
// base.lab, base.srew and base.trew, where they are. Where there are several
// reward models, their files are base1.srew, base1.trew, base2.srew and so on. Each may be
// packed, as base.lab.gz; where both forms exist, the one that is not packed is read.
func ReadPRISM(folder fs.FS, base string, options Options) (*Model, error) {
	return readPRISM(folder, base, "", options)
}

// readPRISM reads a model. Of a file that exists both plain and compressed it reads the one whose
// name ends in packed, which is ".gz" or "".
func readPRISM(folder fs.FS, base, packed string, options Options) (*Model, error) {
	p := newPRISMReader(folder, base, options)
	p.packed = packed
	if err := p.readAll(); err != nil {
		return nil, exported(err, p.within)
	}
	return p.builder.finishRead(), nil
}

// prismReader reads the files of a model, one after another.
type prismReader struct {
	*lines.Reader // of the present file

	folder  fs.FS
	base    string
	packed  string // ".gz" if packed files come first
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
	first := p.find("1.srew") + p.find("1.trew")
	other := p.find("1" + traSuffix)
	found, err = p.readReward("")
	switch {
	case err != nil || first == "" || found && other != "": // which has rewards of its own
		return err
	case found:
		return fmt.Errorf("modelfile: %[1]s1 has rewards, and so has %[1]s: remove the files of one of them", p.base)
	case other != "":
		return fmt.Errorf("modelfile: the rewards of %[1]s1 may belong to %[1]s or to %[2]s: rename the files of one model", p.base, other)
	}
	for i := 1; found || i == 1; i++ {
		if found, err = p.readReward(strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

// find returns the name of the file of a suffix, packed or not, "" for none.
func (p *prismReader) find(suffix string) string {
	for _, packed := range []string{p.packed, "", gzfile.Suffix} {
		name := p.base + suffix + packed
		if _, err := fs.Stat(p.folder, name); !errors.Is(err, fs.ErrNotExist) { // other errors come again
			return name
		}
	}
	return ""
}

// read reads the file of a suffix, and reports whether there is one.
func (p *prismReader) read(suffix string, parse func()) (found bool, err error) {
	name := p.find(suffix)
	if name == "" {
		return false, nil
	}
	file, err := p.folder.Open(name)
	if err != nil {
		return false, fmt.Errorf("modelfile: %w", err)
	}
	var fault error
	_, err = gzfile.From(file, name, func(text io.Reader) (nothing struct{}, _ error) {
		p.builder.setShare(text)
		p.Reader, p.within = lines.NewReader(text, name, "#"), outside
		parse()
		fault = p.Err()
		return nothing, fault
	})
	if err != nil && fault == nil {
		err = fmt.Errorf("modelfile: %w", err)
	}
	return true, err
}

// Sections are what the comments above PRISM's files call their contents.
const (
	transitionsSection       = "Transitions"
	statesSection            = "States"
	labelsSection            = "Labels"
	stateRewardsSection      = "State rewards"
	transitionRewardsSection = "Transition rewards"
)

// readComments reads the comments above the first line, and goes to its first word. A
// comment that calls the contents other than they should be is a fault; use gets the others.
func (p *prismReader) readComments(section string, use func(comment string)) {
	for more := true; more; {
		if more = p.NextLine(); !more || !p.SkipSpace() {
			continue
		}
		if !p.Accept('#') {
			return
		}
		p.SkipSpace()
		comment := strings.TrimRight(string(p.Rest()), " \t")
		for _, other := range []string{transitionsSection, statesSection, labelsSection, stateRewardsSection, transitionRewardsSection, "Observations"} {
			name, _, _ := strings.Cut(comment, "(")
			if strings.TrimSpace(name) == other && other != section {
				p.Fail(wording.Quote(comment), wording.Quote(section)+", or another file")
			}
		}
		if use != nil {
			use(comment)
		}
	}
}

// traReader is the state of reading a .tra file.
type traReader struct {
	*prismReader
	states, choices, transitions int // announced; choices −1 in a Markov chain

	named   string // the kind, as a comment names it
	guessed bool   // the kind is a guess: nothing says it

	lines   int // read
	written int // choices read
	gaps    int // states without transitions
	open    bool
	first   filepos.Place // of the first transition of the open choice
	action  string        // of the open choice
	mixed   bool          // whether its transitions have different actions
}

// readTra reads the .tra file.
func (p *prismReader) readTra() {
	t := &traReader{prismReader: p}
	t.readHeader()
	kind := &p.builder.model.Kind
	if t.Err() == nil {
		t.Stop(p.options.announce(Header{Kind: *kind, States: t.states, Choices: t.choices, Transitions: t.transitions}))
	}
	if t.guessed = *kind == 0; t.guessed {
		*kind = DTMC
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
}

// intervalMark begins PRISM's names of kinds with intervals: IDTMC, IMDP.
const intervalMark = "I"

// readKind reads a comment such as "Transitions (DTMC)", which PRISM writes.
func (t *traReader) readKind(comment string) {
	rest, ok := strings.CutPrefix(comment, transitionsSection)
	name, opened := strings.CutPrefix(strings.TrimSpace(rest), "(")
	if !ok || !opened {
		return
	}
	name = strings.ToUpper(strings.TrimSpace(strings.TrimSuffix(name, ")")))
	plain := strings.TrimPrefix(name, intervalMark)
	if kind, err := ParseKind(plain); err != nil || kind > MDP || name != plain && kind == CTMC {
		t.Fail(wording.Quote(name), "DTMC, CTMC, MDP, IDTMC or IMDP")
	} else if t.named != "" && t.named != name {
		t.Fail(wording.Quote(name), t.named+", as a line above says")
	}
	t.builder.intervals = name != plain
	if t.named = name; t.Err() == nil {
		t.FailAt(t.Place(), t.builder.kind([]byte(plain)))
	}
}

// readHeader reads the comments, then "states transitions" or "states choices transitions".
func (t *traReader) readHeader() {
	t.readComments(transitionsSection, t.readKind)
	p := filepos.Place{Line: t.Place().Line, Column: 1}
	var numbers []int
	for len(numbers) < 2 || len(numbers) < 4 && t.SkipSpace() {
		n := t.Index(maxCount, "a line of two or three whole numbers: states, choices (of an MDP), transitions")
		numbers = append(numbers, int(n))
	}
	t.End()
	kind, asked := &t.builder.model.Kind, "as was asked for"
	if t.named != "" {
		asked = "as a comment says"
	}
	t.states, t.choices, t.transitions = numbers[0], -1, numbers[len(numbers)-1]
	switch {
	case len(numbers) == 4:
		t.FailAt(p, filepos.Fault("a first line of 4 numbers, of a partially observable model (POMDP)", "2 or 3, of a DTMC, a CTMC or an MDP"))
	case len(numbers) == 3 && (*kind == 0 || *kind == MDP):
		t.choices, *kind = numbers[1], MDP
	case len(numbers) == 3:
		t.FailAt(p, filepos.Fault("a first line of 3 numbers", fmt.Sprintf("one of 2, of a %v, %s", *kind, asked)))
	case *kind == MDP:
		t.FailAt(p, filepos.Fault("a first line of 2 numbers", "one of 3, of an MDP, "+asked))
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
	if next, _, _ := bytes.Cut(bytes.TrimLeft(t.Rest(), " \t"), []byte{' '}); bytes.IndexByte(next, ':') >= 0 {
		t.Unexpected("one transition in a line: PRISM writes that without -exportrows")
		return
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

// readTarget reads the "target value [action]" or "target [low,high] [action]" of a transition.
func (t *traReader) readTarget() {
	b := t.builder
	target := t.State(t.states)
	t.SkipSpace()
	place := t.Place()
	if c := t.Peek(); t.choices >= 0 && (c == 0 || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || c == '_') && t.Err() == nil {
		t.FailAt(place, filepos.Fault("no probability, as in a labelled transition system (LTS)", "a number, or an interval such as [0.2,0.3]"))
	}
	low, high, isInterval := readInterval(t.Reader, &b.numbers)
	switch {
	case !isInterval:
		t.FailAt(place, b.transition(target, readNumber(t.Reader, &b.numbers, ' ')))
	case t.named != "" && !b.intervals:
		t.FailAt(place, filepos.Fault("an interval", fmt.Sprintf("a number, as the comment says %s and not %s%[1]s", t.named, intervalMark)))
	default:
		t.FailAt(place, b.interval(target, low, high))
	}
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
	if t.Err() != nil { // numbers may be incomplete
		return
	}
	if !t.mixed {
		t.FailAt(t.first, b.nameAction([]byte(t.action)))
	}
	fault := b.endChoice()
	if m := b.model; fault != nil && t.guessed {
		if m.Kind = CTMC; m.checkChoice(b.choice()-1, b.divide) == nil { // nothing else is wrong
			fault.Expected += ", or for rates Options.Kind CTMC (or a first line \"# Transitions (CTMC)\")"
		}
	}
	t.FailAt(t.first, fault)
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
