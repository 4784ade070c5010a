// This file reads PRISM's names of states (.sta) and labels (.lab).

package mdpio

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// deadlockLabel is declared by every .lab file, holding somewhere or not.
const deadlockLabel = "deadlock"

// readStateNames reads a .sta file: "(x,y)", then lines "state:(0,1)".
func (p *prismReader) readStateNames() {
	m, n := p.builder.model, p.builder.state()
	if !p.next() {
		p.unexpected("a list of variables such as (x,y)")
	}
	m.Variables = p.readTuple()
	for s := 0; s < n && p.err == nil; s++ {
		p.next()
		start := p.at
		if id, ok := p.acceptIndex(math.MaxInt32); !ok || int(id) != s || !p.accept(':') {
			p.at = start
			p.unexpected(fmt.Sprintf("%d:(…), the values of the variables in that state", s))
		}
		m.StateNames = append(m.StateNames, p.readTuple())
	}
	if p.next() {
		p.unexpected("the end of the file")
	}
}

// readTuple reads the rest of the line, in round brackets.
func (p *prismReader) readTuple() string {
	p.skipSpace()
	text := bytes.TrimRight(p.rest(), " \t")
	switch {
	case len(text) < 2 || text[0] != '(' || text[len(text)-1] != ')':
		p.unexpected("a list in round brackets")
	case !utf8.Valid(text):
		p.fail(quote(text), "a text in UTF-8")
	}
	return string(text)
}

// readLabels reads a .lab file: `0="init" 1="deadlock" …`, then lines
// "state: label …" with the numbers of labels.
func (p *prismReader) readLabels() {
	names := p.readLabelNames()
	last := int32(-1)
	for p.next() {
		last = p.stateAfter(last, p.builder.state())
		p.expect(':')
		for p.skipSpace() {
			const expected = "the number of a label of the first line"
			at := p.place()
			number := p.index(maxCount, expected)
			name, ok := names[number]
			if !ok {
				p.failAt(at, filepos.Fault(strconv.Itoa(int(number)), expected))
				break
			}
			p.failAt(at, p.builder.label([]byte(name), last))
		}
	}
	labels := p.builder.model.Labels
	for _, name := range names { // also those that hold nowhere
		if labels[name] == nil && name != deadlockLabel && name != initialLabel {
			labels[name] = []int32{}
		}
	}
}

// readLabelNames reads the first line, which names labels by number.
func (p *prismReader) readLabelNames() map[int32]string {
	const expected = `labels such as 0="init" 1="deadlock"`
	p.next()
	names, known := make(map[int32]string), make(map[string]bool)
	for len(names) == 0 && p.err == nil || p.skipSpace() {
		p.skipSpace()
		at := p.place()
		number, ok := p.acceptIndex(maxCount)
		if !ok || !p.accept('=') || !p.accept('"') || bytes.IndexByte(p.rest(), '"') < 0 {
			p.unexpected(expected)
			break
		}
		end := bytes.IndexByte(p.rest(), '"')
		name, fault := p.builder.text(p.rest()[:end])
		p.failAt(p.place(), fault)
		p.at += end + 1
		if _, twice := names[number]; twice || known[name] {
			p.failAt(at, filepos.Fault(fmt.Sprintf("label %d=%s for the second time", number, wording.Quote(name)), "each number and name once"))
		}
		names[number], known[name] = name, true
	}
	return names
}
