// This file writes and reads policies as comma-separated values.

package robots

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// csvHeader is the line that names the columns.
const csvHeader = "event,queue,active,action"

// WriteCSV writes a policy for the plain process as comma-separated values, which
// [ReadPolicy] reads; of any other, and of one that leaves a decision to chance, there
// is an error. Lines that begin with # come
// first and hold format, version and parameters as name=value, then a line that
// names the columns
//
//	event,queue,active,action
//
// and one for each state: departures and then arrivals, by queue length and
// number of active robots, with the action 0 or 1.
func (p *Policy) WriteCSV(w io.Writer) error {
	if p.chance != nil {
		return errors.New("robots: a policy that leaves a decision to chance has no form as CSV: use JSON")
	}
	if !p.parameters.IsPlain() {
		return errors.New("robots: a policy for classes, phases or further costs has no form as CSV: use JSON")
	}
	out, parameters := fileWriter{bufio.NewWriter(w)}, p.parameters.unlisted()
	out.text("# format=", plainFormat, "\n# version=", strconv.Itoa(formatVersion), "\n")
	for _, field := range plainFields(&parameters) {
		out.text("# ", field.name, "=", field.String(), "\n")
	}
	out.text(csvHeader, "\n")
	for _, table := range decisionTables(true) {
		for row := table.firstRow; row < p.layout.rows(); row++ {
			for code := table.first(row); code < p.layout.mixes.count; code++ {
				out.text(csvState(table, row, code), strconv.Itoa(table.value(p.decisions(row, code))), "\n")
			}
		}
	}
	return out.Flush()
}

// csvState returns the line of a state without the action.
func csvState(table decisionTable, queue, active int) string {
	return table.name + "," + strconv.Itoa(queue) + "," + strconv.Itoa(active) + ","
}

// csvReader reads a policy line by line.
type csvReader struct {
	lines []string
	file  string
	at    int // lines read
}

// next returns what follows a prefix on the next line.
func (r *csvReader) next(prefix, expected string) (value string, err error) {
	r.at++
	if r.at > len(r.lines) {
		return "", r.fault(1, "the end of the file", expected)
	}
	line := strings.TrimSuffix(r.lines[r.at-1], "\r")
	value, found := strings.CutPrefix(line, prefix)
	if !found {
		return "", r.fault(1, wording.Quote(line), expected)
	}
	return value, nil
}

func (r *csvReader) fault(column int, found, expected string) error {
	return filepos.Fault(found, expected).At(r.file, filepos.Place{Line: r.at, Column: column})
}

// field reads a line of the head, and its column.
func (r *csvReader) field(name string) (value string, column int, err error) {
	prefix := "# " + name + "="
	value, err = r.next(prefix, fmt.Sprintf("%q with a value", prefix))
	return value, 1 + len(prefix), err
}

func readCSV(text []byte, file string) (*Policy, error) {
	r := &csvReader{lines: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), file: file}
	for _, constant := range [][2]string{{"format", plainFormat}, {"version", strconv.Itoa(formatVersion)}} {
		value, column, err := r.field(constant[0])
		if err != nil {
			return nil, err
		}
		if value != constant[1] {
			return nil, r.fault(column, wording.Quote(value), constant[1])
		}
	}
	builder, err := r.parameters(len(text))
	if err != nil {
		return nil, err
	}
	if rest, err := r.next(csvHeader, "the names of the columns, "+csvHeader); err != nil || rest != "" {
		return nil, cmp.Or(err, r.fault(1+len(csvHeader), wording.Quote(rest), "the end of the line"))
	}
	layout := builder.model.layout
	for _, table := range decisionTables(true) {
		for row := table.firstRow; row < layout.rows(); row++ {
			for code := table.first(row); code < layout.mixes.count; code++ {
				if err := r.decision(builder, table, row, code); err != nil {
					return nil, err
				}
			}
		}
	}
	if r.at < len(r.lines) {
		r.at++
		return nil, r.fault(1, wording.Quote(r.lines[r.at-1]), "the end of the file")
	}
	return builder.policy, nil
}

// parameters reads and checks the parameters of a file of some size in bytes.
func (r *csvReader) parameters(size int) (*policyBuilder, error) {
	var p Parameters
	begin := r.at
	for _, field := range plainFields(&p) {
		value, column, err := r.field(field.name)
		if err != nil {
			return nil, err
		}
		if expected := field.parse(value); expected != "" {
			return nil, r.fault(column, wording.Quote(value), expected)
		}
	}
	return newPolicyBuilder(p, r.file, size, func(name string) filepos.Place {
		line := slices.IndexFunc(plainFields(&p), func(f fileField) bool { return f.name == name })
		return filepos.Place{Line: begin + 1 + line, Column: len("# =") + len(name) + 1}
	})
}

func (r *csvReader) decision(builder *policyBuilder, table decisionTable, row, code int) error {
	prefix := csvState(table, row, code)
	action, err := r.next(prefix, "the state "+prefix+" with an action")
	if err != nil {
		return err
	}
	expected := "0 or 1"
	if action == "0" || action == "1" {
		expected = table.set(builder, row, code, int(action[0]-'0'))
	}
	if expected != "" {
		return r.fault(1+len(prefix), wording.Quote(action), expected)
	}
	return nil
}
