package mdpio

import (
	"bytes"
	"fmt"
	"math"
)

// drnHeader is what a DRN file says before its states.
type drnHeader struct {
	rational   bool
	rewards    [][]byte
	states     int // announced
	choices    int // announced; −1 where it is not
	choicesAt  place
	values     map[string]value // placeholders
	statesLine int
}

// readHeader reads up to the line "@model".
func (r *drnReader) readHeader() error {
	h := &r.header
	h.choices, h.states = -1, -1
	var err error
	for pending := false; ; { // whether the present line has not been looked at yet
		if !pending {
			more, err := r.nextFilled(drnComment)
			if err != nil {
				return err
			}
			if !more {
				return r.unexpected("a line \"@model\"")
			}
		}
		p := r.place()
		name, _, _ := bytes.Cut(r.word(), []byte{':'})
		key := string(name)
		r.at = p.column - 1 + len(name)
		r.accept(':')
		if key == "@model" {
			if err := r.end(); err != nil {
				return err
			}
			return r.checkHeader()
		}
		if key == "@placeholders" {
			pending, err = r.readPlaceholders()
		} else {
			pending, err = r.readEntry(key, p)
		}
		if err != nil {
			return err
		}
	}
}

const allowedEntry = "@type, @value_type, @parameters, @placeholders, @reward_models, @nr_states, @nr_choices or @model"

// readEntry reads the value of an entry, which stands behind its name or on the
// next line, and reports whether that line is another entry instead.
func (r *drnReader) readEntry(key string, p place) (pending bool, err error) {
	h := &r.header
	if !r.skipSpace() {
		more, err := r.next()
		if err != nil || !more {
			return false, err // the end of the file is told by readHeader
		}
		if pending = r.skipSpace() && r.text[r.at] == '@'; pending {
			if key == "@parameters" || key == "@reward_models" {
				return true, nil
			}
			return true, r.unexpected("the value of " + key)
		}
	}
	switch key {
	case "@type":
		return false, r.readKind()
	case "@value_type":
		switch at := r.at; string(r.word()) {
		case "double":
		case "rational":
			h.rational = true
		default:
			r.at = at
			return false, r.unexpected("double or rational")
		}
		return false, r.end()
	case "@parameters":
		if r.skipSpace() {
			return false, r.unexpected("a model without parameters, and so an empty line,")
		}
		return false, nil
	case "@reward_models":
		for r.skipSpace() {
			h.rewards = append(h.rewards, bytes.Clone(r.word()))
		}
		return false, nil
	case "@nr_states":
		return false, r.readCount(&h.states, &h.statesLine)
	case "@nr_choices":
		h.choicesAt = r.place()
		return false, r.readCount(&h.choices, &h.choicesAt.line)
	}
	return false, (&fault{quote([]byte(key)), allowedEntry}).at(r.file, p)
}

func (r *drnReader) readKind() error {
	p := r.place()
	if f := r.builder.kind(r.word()); f != nil {
		return f.at(r.file, p)
	}
	return r.end()
}

func (r *drnReader) readCount(count, line *int) error {
	n, ok := r.index(math.MaxInt32 - 1)
	if !ok {
		return r.unexpected(fmt.Sprintf("a whole number up to %d", math.MaxInt32-1))
	}
	*count, *line = int(n), r.line
	return r.end()
}

// readPlaceholders reads lines "$name : value" up to the next entry.
func (r *drnReader) readPlaceholders() (pending bool, err error) {
	if err := r.end(); err != nil {
		return false, err
	}
	r.header.values = make(map[string]value)
	for {
		if more, err := r.nextFilled(drnComment); err != nil || !more {
			return false, err
		}
		if r.text[r.at] == '@' {
			return true, nil
		}
		name := string(bytes.TrimSuffix(r.word(), []byte{':'}))
		if name == "" || name[0] != '$' {
			r.at = 0
			return false, r.unexpected("a line such as \"$0 : 1/3\", or @model")
		}
		r.accept(':')
		v, err := r.number(&r.builder.numbers, ' ')
		if err != nil {
			return false, err
		}
		if err := r.end(); err != nil {
			return false, err
		}
		r.header.values[name] = v
	}
}

// checkHeader demands what states cannot be read without.
func (r *drnReader) checkHeader() error {
	h := &r.header
	switch {
	case r.builder.model.Kind == 0:
		return r.fail(&fault{"a header without @type", "@type: DTMC, CTMC or MDP"})
	case h.states <= 0:
		return r.fail(&fault{"a header without a positive @nr_states", "a line @nr_states with the number of states on the next"})
	}
	for _, name := range h.rewards {
		if f := r.builder.addReward(name); f != nil {
			return r.fail(f)
		}
	}
	return nil
}
