// This file reads PRISM's names of states (.sta) and labels (.lab).

package modelfile

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// deadlockLabel is the label that every .lab file declares, even if no state has it.
const deadlockLabel = "deadlock"

// readStateNames reads a .sta file: "(x,y)", then lines "state:(0,1)".
func (p *prismReader) readStateNames() {
	m, n := p.builder.model, p.builder.state()
	p.readComments(statesSection, nil)
	m.Variables = p.readTuple()
	for s := 0; s < n && p.Err() == nil; s++ {
		p.Next()
		start := p.Place()
		if id, ok := p.AcceptIndex(math.MaxInt32); !ok || int(id) != s || !p.Accept(':') {
			p.Back(start)
			p.Unexpected(fmt.Sprintf("%d:(…), the values of the variables in that state", s))
		}
		m.StateNames = append(m.StateNames, p.readTuple())
	}
	if p.Next() {
		p.Unexpected("the end of the file")
	}
}

// readTuple reads the rest of the line, in round brackets.
func (p *prismReader) readTuple() string {
	p.SkipSpace()
	text := bytes.TrimRight(p.Rest(), " \t")
	switch {
	case len(text) < 2 || text[0] != '(' || text[len(text)-1] != ')':
		p.Unexpected("a list in round brackets such as (x,y)")
	case !utf8.Valid(text):
		p.Fail(quote(text), "a text in UTF-8")
	}
	return string(text)
}

// readLabels reads a .lab file: `0="init" 1="deadlock" …`, then lines
// "state: label …" with the numbers of labels.
func (p *prismReader) readLabels() {
	names := p.readLabelNames()
	last := int32(-1)
	for p.Next() {
		last = p.StateAfter(last, p.builder.state())
		p.Expect(':')
		for p.SkipSpace() {
			const expected = "the number of a label of the first line"
			at := p.Place()
			number := p.Index(maxCount, expected)
			name, ok := names[number]
			if !ok {
				p.FailAt(at, filepos.Fault(strconv.Itoa(int(number)), expected))
				break
			}
			p.FailAt(at, p.builder.label([]byte(name), last))
		}
	}
	labels := p.builder.model.Labels
	for _, name := range names { // also those that no state has
		if name == initialLabel && p.builder.model.Initial == nil {
			p.Fail("no state with the label "+wording.Quote(initialLabel), "one at least, or a file without that label")
		}
		if labels[name] == nil && name != deadlockLabel && name != initialLabel {
			labels[name] = []int32{}
		}
	}
}

// readLabelNames reads the first line, which names labels by number.
func (p *prismReader) readLabelNames() map[int32]string {
	const expected = `labels such as 0="init" 1="deadlock"`
	p.readComments(labelsSection, nil)
	names, known := make(map[int32]string), make(map[string]bool)
	for len(names) == 0 && p.Err() == nil || p.SkipSpace() {
		p.SkipSpace()
		at := p.Place()
		number, ok := p.AcceptIndex(maxCount)
		if !ok || !p.Accept('=') || !p.Accept('"') || bytes.IndexByte(p.Rest(), '"') < 0 {
			p.Unexpected(expected)
			break
		}
		end := bytes.IndexByte(p.Rest(), '"')
		name, fault := p.builder.text(p.Rest()[:end])
		p.FailAt(p.Place(), fault)
		p.Skip(end + 1)
		if _, twice := names[number]; twice || known[name] {
			p.FailAt(at, filepos.Fault(fmt.Sprintf("label %d=%s for the second time", number, wording.Quote(name)), "each number and name once"))
		}
		names[number], known[name] = name, true
	}
	return names
}
