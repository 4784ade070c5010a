// This file reads what a DRN file says before its states.

package mdpio

import (
	"bytes"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
)

// drnHeader is what a DRN file says before its states.
type drnHeader struct {
	rational     bool
	states       int // announced
	statesLine   int
	choices      int // announced; −1 where it is not
	choicesAt    filepos.Place
	placeholders map[string]value
}

// readHeader reads up to the line "@model".
func (d *drnReader) readHeader() {
	d.header.choices = -1
	for more := d.next(); d.err == nil; {
		if !more {
			d.unexpected(`a line "@model"`)
			return
		}
		p := d.place()
		name, _, _ := bytes.Cut(d.word(), []byte{':'})
		key := string(name)
		d.at = p.Column - 1 + len(key)
		d.accept(':')
		switch key {
		case "@model":
			d.end()
			d.checkHeader()
			return
		case "@placeholders":
			more = d.readPlaceholders()
			continue
		}
		if !d.skipSpace() { // the value stands on the next line, or there is none
			if more = d.nextLine(); !more {
				continue
			}
			if d.skipSpace() && d.text[d.at] == '@' {
				if key != "@parameters" && key != "@reward_models" {
					d.unexpected("the value of " + key)
				}
				continue
			}
		}
		d.readEntry(key, p)
		more = d.next()
	}
}

// readEntry reads the value of an entry.
func (d *drnReader) readEntry(key string, p filepos.Place) {
	h := &d.header
	at := d.place()
	switch key {
	case "@type":
		d.failAt(at, d.builder.kind(d.word()))
	case "@value_type":
		switch word := d.word(); string(word) {
		case "double":
		case "rational":
			h.rational = true
		default:
			d.failAt(at, filepos.Fault(quote(word), "double or rational"))
		}
	case "@parameters":
		if d.skipSpace() {
			d.unexpected("an empty line: a model without parameters")
		}
	case "@reward_models":
		for d.skipSpace() {
			at := d.place()
			d.failAt(at, d.builder.addReward(d.word()))
		}
	case "@nr_states":
		h.states, h.statesLine = d.readCount(), at.Line
	case "@nr_choices":
		h.choices, h.choicesAt = d.readCount(), at
	default:
		d.failAt(p, filepos.Fault(quote([]byte(key)),
			"@type, @value_type, @parameters, @placeholders, @reward_models, @nr_states, @nr_choices or @model"))
	}
	d.end()
}

func (d *drnReader) readCount() int {
	return int(d.index(math.MaxInt32-1, fmt.Sprintf("a whole number up to %d", math.MaxInt32-1)))
}

// readPlaceholders reads lines "$name : value" up to the next entry, and reports
// whether there is one.
func (d *drnReader) readPlaceholders() bool {
	d.end()
	d.header.placeholders = make(map[string]value)
	for d.next() {
		if d.text[d.at] == '@' {
			return true
		}
		p := d.place()
		name := string(bytes.TrimSuffix(d.word(), []byte{':'}))
		if name == "" || name[0] != '$' {
			d.failAt(p, filepos.Fault(quote([]byte(name)), `a line such as "$0 : 1/3", or @model`))
		}
		d.accept(':')
		d.header.placeholders[name] = d.number(&d.builder.numbers, ' ')
		d.end()
	}
	return false
}

// checkHeader expects what states cannot be read without.
func (d *drnReader) checkHeader() {
	switch {
	case d.builder.model.Kind == 0:
		d.fail("a header without @type", "@type: DTMC, CTMC or MDP")
	case d.header.states <= 0:
		d.fail("a header without a positive @nr_states", "a line @nr_states with the number of states on the next")
	}
}
