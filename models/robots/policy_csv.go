package robots

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// csvHeader is the line that names the columns.
const csvHeader = "event,queue,active,action"

// WriteCSV writes the policy as comma-separated values, which [ReadPolicy]
// reads. Lines that begin with # come first and hold format, version and
// parameters as name=value, then a line that names the columns
//
//	event,queue,active,action
//
// and one for each state: departures and then arrivals, by queue length and
// number of active robots, with the action 0 or 1.
func (p *Policy) WriteCSV(w io.Writer) error {
	out := writing{bufio.NewWriter(w)}
	out.text("# format=", policyFormat, "\n# version=", strconv.Itoa(policyVersion), "\n")
	parameters := p.parameters
	for _, field := range policyFields(&parameters) {
		out.text("# ", field.name, "=", field.String(), "\n")
	}
	out.text(csvHeader, "\n")
	for _, e := range []Event{Departure, Arrival} {
		for q := firstQueue(e); q <= parameters.Buffer; q++ {
			parameters.choiceStates(e, q, func(s State) { out.text(csvState(s), action(p.Activates(s)), "\n") })
		}
	}
	return out.Flush()
}

// csvState returns the line of a state without the action.
func csvState(s State) string {
	return s.Event.String() + "," + strconv.Itoa(s.Queue) + "," + strconv.Itoa(s.Active) + ","
}

// csvReader reads a policy line by line.
type csvReader struct {
	lines []string
	file  string
	size  int // of the file, in bytes
	at    int // lines read
}

func (r *csvReader) fault(column int, format string, arguments ...any) error {
	return &FileError{File: r.file, Line: r.at, Column: column, Text: fmt.Sprintf(format, arguments...)}
}

// next returns the next line, and an empty one at the end.
func (r *csvReader) next() string {
	r.at++
	if r.at > len(r.lines) {
		return ""
	}
	return strings.TrimSuffix(r.lines[r.at-1], "\r")
}

// named returns the value of the next line, which is to be "# name=value".
func (r *csvReader) named(name string) (value string, column int, err error) {
	prefix := "# " + name + "="
	line := r.next()
	value, found := strings.CutPrefix(line, prefix)
	if !found {
		return "", 0, r.fault(1, "%q found; %q with a value is allowed", line, prefix)
	}
	return value, 1 + len(prefix), nil
}

func (r *csvReader) constant(name, want string) error {
	value, column, err := r.named(name)
	if err == nil && value != want {
		err = r.fault(column, "%s is %q; allowed is %s", name, value, want)
	}
	return err
}

func readPolicyCSV(text []byte, file string) (*Policy, error) {
	r := &csvReader{lines: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), file: file, size: len(text)}
	if err := r.constant("format", policyFormat); err != nil {
		return nil, err
	}
	if err := r.constant("version", strconv.Itoa(policyVersion)); err != nil {
		return nil, err
	}
	policy, err := r.parameters()
	if err != nil {
		return nil, err
	}
	if line := r.next(); line != csvHeader {
		return nil, r.fault(1, "%q found; the names of the columns, %s, are allowed", line, csvHeader)
	}
	p := policy.parameters
	for _, e := range []Event{Departure, Arrival} {
		for q := firstQueue(e); q <= p.Buffer; q++ {
			p.choiceStates(e, q, func(s State) {
				if err == nil {
					err = r.decision(policy, s)
				}
			})
			if err != nil {
				return nil, err
			}
		}
	}
	if r.at < len(r.lines) {
		return nil, r.fault(1, "%q found after the last state; nothing more is allowed", r.next())
	}
	return policy, nil
}

func (r *csvReader) parameters() (*Policy, error) {
	var p Parameters
	begin := r.at
	for _, field := range policyFields(&p) {
		value, column, err := r.named(field.name)
		if err != nil {
			return nil, err
		}
		if !field.parse(value) {
			return nil, r.fault(column, "%s is %q; %s is allowed", field.name, value, field.allowed())
		}
	}
	policy, err := newUnfilledPolicy(p, r.size)
	if parameter, ok := errors.AsType[*ParameterError](err); ok {
		r.at = begin
		for _, field := range policyFields(&p) {
			r.at++
			if name := fieldNames[parameter.Field]; field.name == name {
				return nil, r.fault(len("# =")+len(name)+1, "%s is %v; allowed is %s", name, parameter.Value, parameter.Allowed)
			}
		}
	}
	if err != nil {
		return nil, r.fault(1, "%v", err)
	}
	return policy, nil
}

func (r *csvReader) decision(policy *Policy, s State) error {
	prefix := csvState(s)
	line := r.next()
	value, found := strings.CutPrefix(line, prefix)
	switch {
	case r.at > len(r.lines):
		return r.fault(1, "the file ends before the state %s; it must hold every state", strings.TrimSuffix(prefix, ","))
	case !found:
		return r.fault(1, "%q found; the state %s with an action is allowed", line, strings.TrimSuffix(prefix, ","))
	case value != "0" && value != "1":
		return r.fault(1+len(prefix), "action %q found; 0 or 1 is allowed", value)
	}
	if err := policy.decide(s, value == "1"); err != nil {
		return r.fault(1+len(prefix), "%v", err)
	}
	return nil
}
