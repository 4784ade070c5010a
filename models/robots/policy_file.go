// This file says what is in policy files, and writes them as JSON.

package robots

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
	"github.com/mdpsolve/mdpsolve/queue"
)

// The forms of policy files: of the plain process, and of its variants.
const (
	plainFormat    = "robots-policy"
	variantFormat  = "robots-fleet-policy"
	formatVersion  = 1
	exponentialLaw = "exponential"
	maxPolicyFile  = 1 << 30 // bytes
)

// FileError is a fault of a policy file with its place.
type FileError struct {
	File         string // as it was named to the reader
	Line, Column int    // from 1; columns count bytes
	Found        string // what stands there
	Expected     string // what may stand there; "" where Found says all
}

// Error returns "file:line:column: found …; expected …".
func (e *FileError) Error() string { return (*filepos.Error)(e).Error() }

// ReadPolicy reads a policy that [Policy.WriteJSON] or [Policy.WriteCSV] has
// written; which of them is seen from the text. Everything is checked: format and
// version, parameters, the number of decisions and their values. Errors are a
// [*FileError] with the place, file being the name that it goes by, or those of the
// reader and of [NewModel]. Rates of a law of phase type may differ from those
// written by rounding.
func ReadPolicy(r io.Reader, file string) (*Policy, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPolicyFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", file, err)
	}
	if len(text) > maxPolicyFile {
		return nil, fmt.Errorf("%s is larger than %d bytes, the most that a policy may be", file, maxPolicyFile)
	}
	read := readCSV
	if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		read = readJSON
	}
	policy, err := read(text, file)
	if fault, ok := errors.AsType[*filepos.Error](err); ok {
		err = (*FileError)(fault)
	}
	return policy, err
}

// fileField is a parameter that is a number, under the name that it has in files.
type fileField struct {
	name, field string
	whole       *int
	real        *float64
}

// plainFields returns the parameters of the plain process in the order of files.
func plainFields(p *Parameters) []fileField {
	return []fileField{
		{name: "robots", field: "Robots", whole: &p.Robots},
		{name: "buffer", field: "Buffer", whole: &p.Buffer},
		{name: "lambda", field: "ArrivalRate", real: &p.ArrivalRate},
		{name: "mu", field: "ServiceRate", real: &p.ServiceRate},
		{name: "gamma", field: "StarvationWeight", real: &p.StarvationWeight},
	}
}

// variantFields returns the parameters of a variant that come after the lists of
// its classes.
func variantFields(p *Parameters) []fileField {
	return []fileField{
		{name: "buffer", field: "Buffer", whole: &p.Buffer},
		{name: "mu", field: "ServiceRate", real: &p.ServiceRate},
		{name: "gamma", field: "StarvationWeight", real: &p.StarvationWeight},
		{name: "holding_cost", field: "HoldingCost", real: &p.HoldingCost},
		{name: "robot_cost", field: "RobotCost", real: &p.RobotCost},
		{name: "activation_cost", field: "ActivationCost", real: &p.ActivationCost},
	}
}

// fileName returns the name in files of a field of [Parameters].
func fileName(field string) string {
	var p Parameters
	for _, f := range append(plainFields(&p), variantFields(&p)...) {
		if f.field == field || strings.HasSuffix(field, "."+f.field) {
			return f.name
		}
	}
	if field == "Service" {
		return "service"
	}
	return "robots"
}

func (f fileField) String() string {
	if f.whole != nil {
		return strconv.Itoa(*f.whole)
	}
	return decimal(*f.real)
}

// parse sets the field from a text, and returns what is expected in place of one
// that is no number of its kind.
func (f fileField) parse(text string) (expected string) {
	if f.whole == nil {
		value, err := strconv.ParseFloat(text, 64)
		if *f.real = value; err != nil {
			return "a number that float64 holds"
		}
		return ""
	}
	value, err := strconv.Atoi(text)
	if *f.whole = value; err != nil || value > math.MaxInt32 {
		return "a whole number"
	}
	return ""
}

// decisionTable is a table of decisions in a file.
type decisionTable struct {
	name     string
	firstRow int
	first    func(row int) (code int)
	value    func(d Decisions) int

	// set takes a value from a file, or says what is expected in its place.
	set func(b *policyBuilder, row, code, value int) (expected string)
}

// decisionTables returns the tables of a file. That of the plain process leaves
// out departures from an empty queue and arrivals without active robots.
func decisionTables(plain bool) [2]decisionTable {
	all := func(row int) int {
		if row == 0 {
			return 1
		}
		return 0
	}
	tables := [2]decisionTable{
		{"activate", 0, all, func(d Decisions) int { return d.Activate - NoClass }, (*policyBuilder).setActivation},
		{"reactivate", 0, all, func(d Decisions) int { return int(d.Reactivate) }, (*policyBuilder).setReactivation},
	}
	if plain {
		tables[0].name, tables[0].firstRow = Departure.String(), 1
		tables[1].name, tables[1].first = Arrival.String(), func(int) int { return 1 }
	}
	return tables
}

// policyBuilder makes a policy of the decisions of a file.
type policyBuilder struct {
	model  *Model
	policy *Policy
}

// newPolicyBuilder checks the parameters of a file of some size, which cannot hold
// more decisions than it has bytes, and makes room for the decisions. place returns
// where the file has a parameter.
func newPolicyBuilder(p Parameters, file string, size int, place func(name string) filepos.Place) (*policyBuilder, error) {
	if states := p.countStates(1); states > float64(size) {
		found := fmt.Sprintf("a policy for %.3g states in a file of %d bytes", states, size)
		return nil, filepos.Fault(found, "smaller parameters").At(file, place("buffer"))
	}
	m, err := NewModel(p)
	if parameter, ok := errors.AsType[*ParameterError](err); ok {
		name := fileName(parameter.Field)
		return nil, filepos.Fault(fmt.Sprintf("%s %v", name, parameter.Value), parameter.Allowed).At(file, place(name))
	}
	if err != nil {
		return nil, err
	}
	return &policyBuilder{m, newPolicy(m)}, nil
}

// setActivation takes a class, from 1, or 0 for none.
func (b *policyBuilder) setActivation(row, code, class int) (expected string) {
	m := b.model
	queue, phase := m.layout.place(row)
	d := Decisions{Activate: class + NoClass}
	free := m.departureOptions(queue, phase, code) > 1
	if queue == 0 || m.service.Exits[phase] == 0 {
		if class != 0 {
			return "0, as no departure comes next"
		}
	} else if free || code == 0 { // else no robot is idle, and the class is not looked at
		if expected := m.expectedActivation(queue, code, d.Activate); expected != "" {
			return expected + " (classes count from 1, and 0 is none)"
		}
	}
	if !free {
		d.Activate = NoClass
	}
	b.policy.set(row, code, m.decide(queue, phase, code, m.action(queue, phase, code, d)))
	return ""
}

func (b *policyBuilder) setReactivation(row, code, classes int) (expected string) {
	allowed := ClassSet(0)
	for c := range b.model.classes {
		if b.model.layout.mixes.active(code, c) > 0 {
			allowed = allowed.With(c)
		}
	}
	if classes&^int(allowed) != 0 {
		return fmt.Sprintf("a sum of 2^(i−1) over classes i with active robots, at most %d", allowed)
	}
	d := b.policy.decisions(row, code)
	d.Reactivate = ClassSet(classes)
	b.policy.set(row, code, d)
	return ""
}

// WriteJSON writes the policy with its parameters as a JSON object, which
// [ReadPolicy] reads. Of the plain process it has the members
//
//	format, version      "robots-policy" and 1
//	robots, buffer       N and K
//	lambda, mu, gamma    λ, μ and γ
//	departure            a list for each q = 1 … K with the action (1 activates
//	                     a robot) at a departure, for each r = 0 … N
//	arrival              a list for each q = 0 … K with the action (1 reactivates
//	                     the robot) at an arrival, for each r = 1 … N
//	chance               only where a decision is left to chance: queue, phase (from
//	                     0), active (a list by class), table (departure or arrival),
//	                     action (what is done in place of the one in the table) and
//	                     probability
//
// and of all others
//
//	format, version      "robots-fleet-policy" and 1
//	robots, lambda       lists of N_i and λ_i, by class
//	buffer, mu, gamma    K, μ and γ
//	holding_cost, robot_cost, activation_cost
//	service              the name of the law: exponential, or that of the next
//	mean, start, generator
//	                     of a law of phase type: its mean, α and the rows of T;
//	                     missing where services are exponential
//	activate             a list for each row of states with the class that a
//	                     departure activates, from 1, or 0 for none, for each mix
//	reactivate           likewise with the classes of which a robot that delivers
//	                     is sent out again: the sum of 2^(i−1) over these classes i
//	chance               as above; the table is activate or reactivate
//
// The rows are the empty queue, and then each phase that a service may be in for
// each queue length 1 … K; the mixes (r_1, r_2, …) of active robots are in order
// of r_1 + (N_1+1)·(r_2 + (N_2+1)·(r_3 + …)), without that of none in the first
// row. A decision without effect is 0.
func (p *Policy) WriteJSON(w io.Writer) error {
	out, plain := fileWriter{bufio.NewWriter(w)}, p.parameters.IsPlain()
	format, parameters := variantFormat, p.parameters
	if plain {
		format = plainFormat
	}
	out.text("{\n  \"format\": ", strconv.Quote(format), ",\n  \"version\": ", strconv.Itoa(formatVersion))
	if plain {
		parameters = parameters.unlisted()
		for _, field := range plainFields(&parameters) {
			out.field(field.name, field.String())
		}
	} else if err := out.variant(parameters); err != nil {
		return err
	}
	for _, table := range decisionTables(plain) {
		out.decisions(p, table)
	}
	if p.chance != nil {
		out.chance(*p.chance, decisionTables(plain))
	}
	out.text("\n}\n")
	return out.Flush()
}

// unlisted returns the parameters of one class without a list.
func (p Parameters) unlisted() Parameters {
	class := p.ClassList()[0]
	p.Robots, p.ArrivalRate, p.Classes = class.Robots, class.ArrivalRate, nil
	return p
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// fileWriter writes parts of a policy file. Flush returns the first error.
type fileWriter struct {
	*bufio.Writer
}

func (w fileWriter) text(parts ...string) {
	for _, part := range parts {
		_, _ = w.WriteString(part) // Flush returns the error
	}
}

func (w fileWriter) field(name, value string) { w.text(",\n  ", strconv.Quote(name), ": ", value) }

// variant writes the parameters of a variant of the plain process.
func (w fileWriter) variant(p Parameters) error {
	w.field("robots", list(p.ClassList(), func(c Class) string { return strconv.Itoa(c.Robots) }))
	w.field("lambda", list(p.ClassList(), func(c Class) string { return decimal(c.ArrivalRate) }))
	for _, field := range variantFields(&p) {
		w.field(field.name, field.String())
	}
	if phases.IsExponential(p.Service) {
		w.field("service", strconv.Quote(exponentialLaw))
		return nil
	}
	law, err := queue.PhaseTypeOf(p.Service)
	if err != nil {
		return fmt.Errorf("robots: Service: %w", err)
	}
	w.field("service", strconv.Quote(strings.TrimPrefix(law.String(), "ph:")))
	w.field("mean", decimal(law.Mean()))
	w.field("start", list(law.Start(), decimal))
	rows := make([]string, law.Phases())
	for i, row := range law.Generator() {
		rows[i] = "\n    " + list(row, decimal)
	}
	w.field("generator", "["+strings.Join(rows, ",")+"\n  ]")
	return nil
}

func list[T any](elements []T, text func(T) string) string {
	texts := make([]string, len(elements))
	for i, x := range elements {
		texts[i] = text(x)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// decisions writes a table, a row in a line.
func (w fileWriter) decisions(p *Policy, table decisionTable) {
	w.field(table.name, "[")
	between := "\n    ["
	for row := table.firstRow; row < p.layout.rows(); row++ {
		for code := table.first(row); code < p.layout.mixes.count; code++ {
			w.text(between, strconv.Itoa(table.value(p.decisions(row, code))))
			between = ", "
		}
		between = "],\n    ["
	}
	w.text("]\n  ]")
}

func (w fileWriter) chance(c Chance, tables [2]decisionTable) {
	table := tables[c.Event]
	w.field("chance", fmt.Sprintf(`{"queue": %d, "phase": %d, "active": %s, "table": %q, "action": %d, "probability": %s}`,
		c.State.Queue, c.State.Phase, list(c.State.Active, strconv.Itoa), table.name, table.value(c.Decisions), decimal(c.Probability)))
}
