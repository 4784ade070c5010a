// This file reads what a DRN file says before its states.

package modelfile

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// ofIntervals ends the names of value types whose values are intervals, here and in UMB.
const ofIntervals = "-interval"

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
	seen := make(map[string]bool)
	for more := d.Next(); d.Err() == nil; {
		if !more {
			d.Unexpected(`a line "@model"`)
			return
		}
		p := d.Place()
		name, _, _ := bytes.Cut(d.Word(), []byte{':'})
		key := string(name)
		d.Back(filepos.Place{Line: p.Line, Column: p.Column + len(key)})
		if seen[key] {
			d.FailAt(p, filepos.Fault(wording.Quote(key)+" for the second time", "each entry once"))
		}
		seen[key] = true
		d.Accept(':')
		switch key {
		case "@model":
			d.End()
			d.checkHeader()
			return
		case "@placeholders":
			more = d.readPlaceholders()
			continue
		}
		if !d.SkipSpace() { // the value stands on the next line, or there is none
			if more = d.NextLine(); !more {
				continue
			}
			if d.SkipSpace(); d.Peek() == '@' {
				if key != "@parameters" && key != "@reward_models" {
					d.Unexpected("the value of " + key)
				}
				continue
			}
		}
		d.readEntry(key, p)
		more = d.Next()
	}
}

// readEntry reads the value of an entry.
func (d *drnReader) readEntry(key string, p filepos.Place) {
	h := &d.header
	at := d.Place()
	switch key {
	case "@type":
		name := bytes.TrimRight(d.Rest(), " \t") // some have two words
		d.FailAt(at, d.builder.kind(name))
		d.Skip(len(name))
	case "@value_type":
		numbers, ofIntervals := strings.CutSuffix(string(d.Word()), ofIntervals)
		d.builder.intervals, h.rational = ofIntervals, numbers == "rational"
		if numbers != "double" && !h.rational {
			d.FailAt(at, filepos.Fault(quote([]byte(numbers)), "double, rational, double-interval or rational-interval"))
		}
	case "@parameters":
		if d.SkipSpace() {
			d.Unexpected("an empty line: a model without parameters")
		}
	case "@reward_models":
		for d.SkipSpace() {
			at := d.Place()
			d.FailAt(at, d.builder.addReward(d.Word()))
		}
	case "@nr_states":
		h.states, h.statesLine = d.readCount(), at.Line
	case "@nr_choices":
		h.choices, h.choicesAt = d.readCount(), at
	default:
		d.FailAt(p, filepos.Fault(quote([]byte(key)),
			"@type, @value_type, @parameters, @placeholders, @reward_models, @nr_states, @nr_choices or @model"))
	}
	d.End()
}

func (d *drnReader) readCount() int {
	return int(d.Index(math.MaxInt32-1, fmt.Sprintf("a whole number up to %d", math.MaxInt32-1)))
}

// readPlaceholders reads lines "$name : value" up to the next entry, and reports
// whether there is one.
func (d *drnReader) readPlaceholders() bool {
	d.End()
	d.header.placeholders = make(map[string]value)
	for d.Next() {
		if d.Peek() == '@' {
			return true
		}
		p := d.Place()
		name := string(bytes.TrimSuffix(d.Word(), []byte{':'}))
		if name == "" || name[0] != '$' {
			d.FailAt(p, filepos.Fault(quote([]byte(name)), `a line such as "$0 : 1/3", or @model`))
		}
		d.Accept(':')
		if _, twice := d.header.placeholders[name]; twice {
			d.FailAt(p, filepos.Fault(wording.Quote(name)+" for the second time", "each placeholder once"))
		}
		d.header.placeholders[name] = readNumber(d.Reader, &d.builder.numbers, ' ')
		d.End()
	}
	return false
}

// checkHeader expects what states cannot be read without.
func (d *drnReader) checkHeader() {
	switch {
	case d.builder.model.Kind == 0:
		d.Fail("a header without @type", "@type: DTMC, CTMC or MDP")
	case d.header.states <= 0:
		d.Fail("a header without a positive @nr_states", "a line @nr_states with the number of states on the next")
	}
}
