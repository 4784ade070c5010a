package robots

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// The form of policy files.
const (
	policyFormat  = "robots-policy"
	policyVersion = 1
	maxPolicyFile = 1 << 30 // bytes
)

// FileError is a fault of a policy file with its place.
type FileError struct {
	File         string // as it was named to the reader
	Line, Column int    // from 1; columns count bytes
	Text         string // what was found and what is allowed
}

// Error returns "file:line:column: what was found and what is allowed".
func (e *FileError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
}

// ReadPolicy reads a policy that [Policy.WriteJSON] or [Policy.WriteCSV] has
// written; which of them is seen from the text. Everything is checked: format
// and version, parameters, the number of decisions and their values. Errors are
// a [*FileError] with the place, file being the name that it goes by, or that of
// the reader.
func ReadPolicy(r io.Reader, file string) (*Policy, error) {
	text, err := policyText(r, file)
	if err != nil {
		return nil, err
	}
	return parsePolicy(text, file)
}

// policyText reads a whole file.
func policyText(r io.Reader, file string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPolicyFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", file, err)
	}
	if len(text) > maxPolicyFile {
		return nil, fmt.Errorf("%s: more than %d bytes found; a policy of at most so many is allowed", file, maxPolicyFile)
	}
	return text, nil
}

func parsePolicy(text []byte, file string) (*Policy, error) {
	if first := bytes.TrimLeft(text, " \t\r\n"); len(first) > 0 && first[0] == '{' {
		return readPolicyJSON(text, file)
	}
	return readPolicyCSV(text, file)
}

// newUnfilledPolicy returns a policy of valid parameters with no decision made.
// A file of some size cannot hold more decisions than it has bytes.
func newUnfilledPolicy(p Parameters, size int) (*Policy, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if p.Robots > size || p.Buffer > size/p.Robots {
		return nil, fmt.Errorf("a policy for %d robots and a buffer of %d does not fit in the %d bytes of the file; smaller numbers are allowed",
			p.Robots, p.Buffer, size)
	}
	return NewPolicy(p, func(State) bool { return false })
}

// policyField is one of the parameters in a file.
type policyField struct {
	name  string
	whole *int
	real  *float64
}

// policyFields returns the parameters under the names that they have in files.
func policyFields(p *Parameters) []policyField {
	return []policyField{
		{name: "robots", whole: &p.Robots},
		{name: "buffer", whole: &p.Buffer},
		{name: "lambda", real: &p.ArrivalRate},
		{name: "mu", real: &p.ServiceRate},
		{name: "gamma", real: &p.StarvationWeight},
	}
}

// fieldNames are the Go names of policyFields.
var fieldNames = map[string]string{
	"Robots": "robots", "Buffer": "buffer", "ArrivalRate": "lambda", "ServiceRate": "mu", "StarvationWeight": "gamma",
}

func (f policyField) String() string {
	if f.whole != nil {
		return strconv.Itoa(*f.whole)
	}
	return strconv.FormatFloat(*f.real, 'g', -1, 64)
}

// parse sets the field from text; false where it is no number of its kind.
func (f policyField) parse(text string) bool {
	var err error
	if f.whole != nil {
		*f.whole, err = strconv.Atoi(text)
	} else {
		*f.real, err = strconv.ParseFloat(text, 64)
	}
	return err == nil
}

func (f policyField) allowed() string {
	if f.whole != nil {
		return "a whole number"
	}
	return "a number"
}

// choiceStates calls use for every state with an event that is decided, in the
// order of files: by event, queue length and number of active robots.
func (p Parameters) choiceStates(e Event, queue int, use func(State)) {
	for r := range p.Robots + 1 {
		if s := (State{queue, r, e}); p.valid(s) {
			use(s)
		}
	}
}

// writing collects the first error of a writer.
type writing struct {
	*bufio.Writer
}

func (w writing) text(parts ...string) {
	for _, part := range parts {
		_, _ = w.WriteString(part) // Flush returns the error
	}
}
