// This file writes policies to files, and reads them.

package robots

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
	"github.com/mdpsolve/mdpsolve/internal/wording"
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

// formatHead are the members that say what a file is.
type formatHead struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// plainFile are the members of a policy for the plain process.
type plainFile struct {
	formatHead
	Robots    int         `json:"robots"`
	Buffer    int         `json:"buffer"`
	Lambda    float64     `json:"lambda"`
	Mu        float64     `json:"mu"`
	Gamma     float64     `json:"gamma"`
	Departure [][]int     `json:"departure"`
	Arrival   [][]int     `json:"arrival"`
	Chance    *chanceFile `json:"chance,omitempty"`
}

// variantFile are the members of any other policy.
type variantFile struct {
	formatHead
	Robots         []int       `json:"robots"`
	Lambda         []float64   `json:"lambda"`
	Buffer         int         `json:"buffer"`
	Mu             float64     `json:"mu"`
	Gamma          float64     `json:"gamma"`
	HoldingCost    float64     `json:"holding_cost"`
	RobotCost      float64     `json:"robot_cost"`
	ActivationCost float64     `json:"activation_cost"`
	Service        string      `json:"service"`
	Mean           float64     `json:"mean,omitempty"`
	Start          []float64   `json:"start,omitempty"`
	Generator      [][]float64 `json:"generator,omitempty"`
	Activate       [][]int     `json:"activate"`
	Reactivate     [][]int     `json:"reactivate"`
	Chance         *chanceFile `json:"chance,omitempty"`
}

// chanceFile are the members of a decision that is left to chance.
type chanceFile struct {
	Queue       int     `json:"queue"`
	Phase       int     `json:"phase"`
	Active      []int   `json:"active"`
	Table       string  `json:"table"`
	Action      int     `json:"action"`
	Probability float64 `json:"probability"`
}

// decisionTable is a table of decisions in a file: a list for each row of states, with a
// decision for each mix.
type decisionTable struct {
	name     string
	firstRow int // that it has
	firstMix int // in all rows but that of the empty queue, which has no mix 0
	rows     [][]int
}

// first returns the first mix of a row.
func (t decisionTable) first(row int) int {
	if row == 0 {
		return 1
	}
	return t.firstMix
}

// at returns a decision, 0 where the table leaves it out.
func (t decisionTable) at(row, code int) int {
	if row < t.firstRow || code < t.first(row) {
		return 0
	}
	return t.rows[row-t.firstRow][code-t.first(row)]
}

// plainTables are those of the plain process, without departures from an empty queue and
// arrivals without active robots.
func plainTables(departure, arrival [][]int) [2]decisionTable {
	return [2]decisionTable{{Departure.String(), 1, 0, departure}, {Arrival.String(), 0, 1, arrival}}
}

func variantTables(activate, reactivate [][]int) [2]decisionTable {
	return [2]decisionTable{{"activate", 0, 0, activate}, {"reactivate", 0, 0, reactivate}}
}

// rowsOf returns the rows of a table of the policy.
func (p *Policy) rowsOf(t decisionTable, value func(d Decisions) int) [][]int {
	rows := make([][]int, p.layout.rows()-t.firstRow)
	for i := range rows {
		row := i + t.firstRow
		for code := t.first(row); code < p.layout.mixes.count; code++ {
			rows[i] = append(rows[i], value(p.decisions(row, code)))
		}
	}
	return rows
}

func activationValue(d Decisions) int { return d.Activate - NoClass }

func reactivationValue(d Decisions) int { return int(d.Reactivate) }

// numberLists are lists of nothing but numbers, which files have in a line each.
var numberLists = regexp.MustCompile(`\[[^][{}"]*\]`)

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
	file, err := p.file()
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return fmt.Errorf("robots: %w", err)
	}
	text = numberLists.ReplaceAllFunc(text, func(list []byte) []byte {
		words := bytes.Fields(list[1 : len(list)-1])
		return slices.Concat([]byte("["), bytes.Join(words, []byte(" ")), []byte("]"))
	})
	_, err = w.Write(append(text, '\n'))
	return err
}

// file returns the members of the policy's file.
func (p *Policy) file() (any, error) {
	q := p.parameters
	if q.IsPlain() {
		class, t := q.ClassList()[0], plainTables(nil, nil)
		return plainFile{
			formatHead{plainFormat, formatVersion},
			class.Robots, q.Buffer, class.ArrivalRate, q.ServiceRate, q.StarvationWeight,
			p.rowsOf(t[Departure], activationValue), p.rowsOf(t[Arrival], reactivationValue), p.chanceFile(t),
		}, nil
	}
	t := variantTables(nil, nil)
	f := variantFile{
		formatHead: formatHead{variantFormat, formatVersion},
		Buffer:     q.Buffer, Mu: q.ServiceRate, Gamma: q.StarvationWeight,
		HoldingCost: q.HoldingCost, RobotCost: q.RobotCost, ActivationCost: q.ActivationCost, Service: exponentialLaw,
		Activate: p.rowsOf(t[Departure], activationValue), Reactivate: p.rowsOf(t[Arrival], reactivationValue), Chance: p.chanceFile(t),
	}
	for _, class := range q.ClassList() {
		f.Robots, f.Lambda = append(f.Robots, class.Robots), append(f.Lambda, class.ArrivalRate)
	}
	if phases.IsExponential(q.Service) {
		return f, nil
	}
	law, err := queue.PhaseTypeOf(q.Service)
	if err != nil {
		return nil, fmt.Errorf("robots: Service: %w", err)
	}
	f.Service, f.Mean = strings.TrimPrefix(law.String(), "ph:"), law.Mean()
	f.Start, f.Generator = law.Start(), law.Generator()
	return f, nil
}

func (p *Policy) chanceFile(tables [2]decisionTable) *chanceFile {
	c := p.chance
	if c == nil {
		return nil
	}
	action := activationValue(c.Decisions)
	if c.Event == Arrival {
		action = reactivationValue(c.Decisions)
	}
	return &chanceFile{c.State.Queue, c.State.Phase, c.State.Active, tables[c.Event].name, action, c.Probability}
}

// csvHead are the names of the first lines of a policy as CSV, and csvColumns those of
// the columns below.
var (
	csvHead    = []string{"format", "version", "robots", "buffer", "lambda", "mu", "gamma"}
	csvColumns = []string{"event", "queue", "active", "action"}
)

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
	members, err := p.file()
	f, plain := members.(plainFile)
	if err != nil || !plain {
		return errors.New("robots: a policy for classes, phases or further costs has no form as CSV: use JSON")
	}
	out := csv.NewWriter(w)
	for i, value := range []any{f.Format, f.Version, f.Robots, f.Buffer, f.Lambda, f.Mu, f.Gamma} {
		_ = out.Write([]string{fmt.Sprintf("# %s=%v", csvHead[i], value)}) // Error has what goes wrong
	}
	_ = out.Write(csvColumns)
	for _, t := range plainTables(f.Departure, f.Arrival) {
		for i, row := range t.rows {
			queue := i + t.firstRow
			for j, action := range row {
				_ = out.Write([]string{t.name, strconv.Itoa(queue), strconv.Itoa(j + t.firstMix), strconv.Itoa(action)})
			}
		}
	}
	out.Flush()
	return out.Error()
}

// ReadPolicy reads a policy that [Policy.WriteJSON] or [Policy.WriteCSV] has
// written; which of them is seen from the text. Format and version, parameters and the
// decisions that have an effect are checked; decisions without effect are ignored. Errors
// begin with file, the name that the text goes by, and where something in it is wrong
// with its place. Rates of a law of phase type may differ from those written by rounding.
func ReadPolicy(r io.Reader, file string) (*Policy, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPolicyFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", file, err)
	}
	if len(text) > maxPolicyFile {
		return nil, fmt.Errorf("%s is larger than %d bytes, the most that a policy may be", file, maxPolicyFile)
	}
	if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		return readJSON(text, file)
	}
	return readCSV(text, file)
}

// memberError is what is wrong with a member of a file: path leads to it.
type memberError struct {
	path            []any // names of members, indices of elements
	found, expected string
}

func (f *memberError) Error() string { return filepos.Fault(f.found, f.expected).What() }

// placed gives an error of a file's members its place.
func placed(err error, file string, place func(path []any) filepos.Place) error {
	if fault, ok := errors.AsType[*memberError](err); ok {
		return filepos.Fault(fault.found, fault.expected).At(file, place(fault.path))
	}
	return fmt.Errorf("%s: %w", file, err)
}

func readJSON(text []byte, file string) (*Policy, error) {
	var head formatHead
	if err := jsonscan.Decode(bytes.NewReader(text), file, false, &head); err != nil {
		return nil, err
	}
	policy, err := head.read(text, file)
	if err != nil && !strings.HasPrefix(err.Error(), file+":") { // those of Decode are placed
		err = placed(err, file, func(path []any) filepos.Place { return jsonscan.PlaceOf(text, path...) })
	}
	return policy, err
}

// read reads the members of a file with that head.
func (h formatHead) read(text []byte, file string) (*Policy, error) {
	if h.Format != plainFormat && h.Format != variantFormat {
		return nil, &memberError{[]any{"format"}, wording.Quote(h.Format), plainFormat + " or " + variantFormat}
	}
	if h.Version != formatVersion {
		return nil, &memberError{[]any{"version"}, strconv.Itoa(h.Version), "version " + strconv.Itoa(formatVersion)}
	}
	if h.Format == plainFormat {
		var f plainFile
		if err := jsonscan.Decode(bytes.NewReader(text), file, true, &f); err != nil {
			return nil, err
		}
		return f.policy()
	}
	var f variantFile
	if err := jsonscan.Decode(bytes.NewReader(text), file, true, &f); err != nil {
		return nil, err
	}
	return f.policy()
}

func (f *plainFile) policy() (*Policy, error) {
	p := Parameters{Robots: f.Robots, Buffer: f.Buffer, ArrivalRate: f.Lambda, ServiceRate: f.Mu, StarvationWeight: f.Gamma}
	return readTables(p, plainTables(f.Departure, f.Arrival), f.Chance)
}

func (f *variantFile) policy() (*Policy, error) {
	p := Parameters{
		Buffer: f.Buffer, ServiceRate: f.Mu, StarvationWeight: f.Gamma,
		HoldingCost: f.HoldingCost, RobotCost: f.RobotCost, ActivationCost: f.ActivationCost, Classes: []Class{},
	}
	if len(f.Lambda) != len(f.Robots) {
		return nil, &memberError{[]any{"lambda"}, fmt.Sprintf("%d rates", len(f.Lambda)), fmt.Sprintf("%d, one for each class", len(f.Robots))}
	}
	for i, robots := range f.Robots {
		p.Classes = append(p.Classes, Class{robots, f.Lambda[i]})
	}
	if f.Service != exponentialLaw {
		law, err := queue.NewPhaseType(f.Service, f.Start, f.Generator, f.Mean)
		if err != nil {
			return nil, &memberError{[]any{"generator"}, fmt.Sprintf("a law that is not valid: %v", err), ""}
		}
		p.Service = law
	}
	if len(p.Classes) == 1 && p.IsPlain() {
		p.Robots, p.ArrivalRate, p.Classes = p.Classes[0].Robots, p.Classes[0].ArrivalRate, nil
	}
	return readTables(p, variantTables(f.Activate, f.Reactivate), f.Chance)
}

// readTables returns the policy of the two tables of a file.
func readTables(p Parameters, tables [2]decisionTable, chance *chanceFile) (*Policy, error) {
	err := p.Validate()
	if fault, ok := errors.AsType[*ParameterError](err); ok {
		name := memberName(fault.Field)
		return nil, &memberError{[]any{name}, fmt.Sprintf("%s %v", name, fault.Value), fault.Allowed}
	}
	service, err := phases.Of(p.Service, p.ServiceRate)
	if err != nil {
		return nil, err
	}
	for _, t := range tables { // before a model is made whose size no table confirms
		if err := t.checkShape(p, service.Count()); err != nil {
			return nil, err
		}
	}
	m, err := NewModel(p)
	if err != nil {
		return nil, err
	}
	policy, all := newPolicy(m), 1<<len(m.classes)-1
	for index := range m.NumStates() {
		row, code := m.layout.split(index)
		activate, reactivate := tables[Departure].at(row, code), tables[Arrival].at(row, code)
		wrong, value, expected := tables[Departure], activate, policy.put(m, row, code, Decisions{activate + NoClass, ClassSet(reactivate)})
		if expected != "" {
			expected += " (classes count from 1, and 0 is none)"
		} else if reactivate < 0 || reactivate > all {
			wrong, value, expected = tables[Arrival], reactivate, fmt.Sprintf("a sum of 2^(i−1) over classes i, at most %d", all)
		}
		if expected != "" {
			state := m.State(index)
			return nil, &memberError{[]any{wrong.name, row - wrong.firstRow, code - wrong.first(row)}, fmt.Sprintf("%d at %+v", value, state), expected}
		}
	}
	if chance == nil {
		return policy, nil
	}
	return chance.add(policy, tables)
}

// checkShape checks the lengths of the lists of a table.
func (t decisionTable) checkShape(p Parameters, phases int) error {
	mixes := 1.0
	for _, class := range p.ClassList() {
		mixes *= float64(class.Robots) + 1
	}
	if rows := 1 + float64(p.Buffer)*float64(phases) - float64(t.firstRow); float64(len(t.rows)) != rows {
		return &memberError{[]any{t.name}, fmt.Sprintf("%d lists", len(t.rows)), fmt.Sprintf("%.0f lists", rows)}
	}
	for i, row := range t.rows {
		if decisions := mixes - float64(t.first(i+t.firstRow)); float64(len(row)) != decisions {
			return &memberError{[]any{t.name, i}, fmt.Sprintf("a list of %d", len(row)), fmt.Sprintf("%.0f decisions", decisions)}
		}
	}
	return nil
}

// add returns the policy with the decision that it leaves to chance.
func (c *chanceFile) add(policy *Policy, tables [2]decisionTable) (*Policy, error) {
	chance := Chance{State: State{c.Queue, c.Phase, c.Active}, Probability: c.Probability}
	switch {
	case c.Table == tables[Departure].name:
		chance.Event, chance.Decisions.Activate = Departure, c.Action+NoClass
	case c.Table == tables[Arrival].name && c.Action >= 0 && c.Action < 1<<MaxClasses:
		chance.Event, chance.Decisions.Reactivate = Arrival, ClassSet(c.Action)
	default:
		return nil, &memberError{
			[]any{"chance"},
			fmt.Sprintf("the action %d of the table %s", c.Action, wording.Quote(c.Table)),
			"one of " + tables[Departure].name + " or " + tables[Arrival].name,
		}
	}
	found, err := policy.WithChance(chance)
	if err != nil {
		return nil, &memberError{[]any{"chance"}, err.Error(), "a decision of the policy's process"}
	}
	return found, nil
}

// memberName returns the name in files of a field of [Parameters].
func memberName(field string) string {
	if _, of, found := strings.Cut(field, "."); found { // of a class
		field = of
	}
	switch field {
	case "ArrivalRate":
		return "lambda"
	case "ServiceRate":
		return "mu"
	case "StarvationWeight":
		return "gamma"
	case "HoldingCost", "RobotCost", "ActivationCost":
		return strings.ToLower(strings.TrimSuffix(field, "Cost")) + "_cost"
	case "Buffer", "Service":
		return strings.ToLower(field)
	}
	return "robots"
}

func readCSV(text []byte, file string) (*Policy, error) {
	f := plainFile{}
	in := csv.NewReader(bytes.NewReader(text))
	in.FieldsPerRecord = -1
	read := func() ([]string, error) {
		row, err := in.Read()
		if fault, ok := errors.AsType[*csv.ParseError](err); ok {
			err = filepos.Fault(fault.Err.Error(), "").At(file, filepos.Place{Line: fault.Line, Column: fault.Column})
		}
		return row, err
	}
	next := func(expected string, begin ...string) ([]string, error) {
		row, err := read()
		switch {
		case errors.Is(err, io.EOF):
			line := 1 + bytes.Count(text, []byte("\n"))
			return nil, filepos.Fault("the end of the file", expected).At(file, filepos.Place{Line: line, Column: 1})
		case err != nil:
			return nil, err
		}
		line, _ := in.FieldPos(0)
		if len(row) < len(begin) || !slices.Equal(row[:len(begin)], begin) {
			return nil, filepos.Fault(wording.Quote(strings.Join(row, ",")), expected).At(file, filepos.Place{Line: line, Column: 1})
		}
		return row[len(begin):], nil
	}
	for i, to := range []any{&f.Format, &f.Version, &f.Robots, &f.Buffer, &f.Lambda, &f.Mu, &f.Gamma} {
		prefix := "# " + csvHead[i] + "="
		row, err := next(strconv.Quote(prefix) + " with a value")
		if err != nil {
			return nil, err
		}
		value, found := strings.CutPrefix(strings.Join(row, ","), prefix)
		place := filepos.Place{Line: i + 1, Column: 1}
		if !found {
			return nil, filepos.Fault(wording.Quote(row[0]), strconv.Quote(prefix)+" with a value").At(file, place)
		}
		place.Column += len(prefix)
		expected := parseHead(value, to)
		if to == &f.Version && f.Version != formatVersion {
			expected = strconv.Itoa(formatVersion)
		}
		if expected != "" {
			return nil, filepos.Fault(wording.Quote(value), expected).At(file, place)
		}
	}
	if _, err := next("the names of the columns, "+strings.Join(csvColumns, ","), csvColumns...); err != nil {
		return nil, err
	}
	tables := plainTables(nil, nil)
	for i := range tables {
		t := &tables[i]
		for queue := t.firstRow; queue <= f.Buffer; queue++ {
			var actions []int
			for active := t.firstMix; active <= f.Robots; active++ {
				state := []string{t.name, strconv.Itoa(queue), strconv.Itoa(active)}
				expected := "the state " + strings.Join(state, ",") + ", with an action 0 or 1"
				row, err := next(expected, state...)
				if err != nil {
					return nil, err
				}
				if len(row) != 1 || row[0] != "0" && row[0] != "1" {
					line, _ := in.FieldPos(0)
					return nil, filepos.Fault(wording.Quote(strings.Join(row, ",")), expected).At(file, filepos.Place{Line: line, Column: len(strings.Join(state, ",")) + 2})
				}
				actions = append(actions, int(row[0][0]-'0'))
			}
			t.rows = append(t.rows, actions)
		}
	}
	switch row, err := read(); {
	case err == nil:
		line, column := in.FieldPos(0)
		return nil, filepos.Fault(wording.Quote(strings.Join(row, ",")), "the end of the file").At(file, filepos.Place{Line: line, Column: column})
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	f.Departure, f.Arrival = tables[Departure].rows, tables[Arrival].rows
	policy, err := f.policy()
	if err != nil {
		err = placed(err, file, func(path []any) filepos.Place { // only parameters are left to be wrong
			name, _ := path[0].(string)
			return filepos.Place{Line: 1 + slices.Index(csvHead, name), Column: len("# =") + len(name) + 1}
		})
	}
	return policy, err
}

// parseHead sets a value of the head, and returns what is expected in place of a text that
// is none.
func parseHead(text string, to any) (expected string) {
	var err error
	switch to := to.(type) {
	case *string: // the format
		if *to = text; text != plainFormat {
			return plainFormat
		}
	case *int:
		if *to, err = strconv.Atoi(text); err != nil {
			return "a whole number"
		}
	case *float64:
		if *to, err = strconv.ParseFloat(text, 64); err != nil {
			return "a number that float64 holds"
		}
	}
	return ""
}
