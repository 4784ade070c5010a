// This file writes policies to files, and reads them.

package robots

import (
	"bytes"
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

const (
	policyFormat   = "robots-fleet-policy"
	policyVersion  = 1
	exponentialLaw = "exponential"
	maxPolicyFile  = 1 << 30 // bytes
)

// policyHead are the members that say what a file is.
type policyHead struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// policyFile are the members of a policy.
type policyFile struct {
	policyHead
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

// chanceFile are the members of a randomised decision.
type chanceFile struct {
	Queue       int     `json:"queue"`
	Phase       int     `json:"phase"`
	Active      []int   `json:"active"`
	Table       string  `json:"table"`
	Action      int     `json:"action"`
	Probability float64 `json:"probability"`
}

// The tables of decisions in a file: a list for each row of states, with a decision for
// each mix.
const (
	activateTable   = "activate"
	reactivateTable = "reactivate"
)

// firstMix returns the first mix of a row: the empty queue has none without robots.
func firstMix(row int) int {
	if row == 0 {
		return 1
	}
	return 0
}

// activationValue is a decision at departures as files have it; its inverse adds NoClass.
func activationValue(d Decisions) int { return d.Activate - NoClass }

// numberLists matches lists of numbers, which files have on one line.
var numberLists = regexp.MustCompile(`\[[^][{}"]*\]`)

// WriteJSON writes the policy with its parameters as a JSON object, which
// [ReadPolicy] reads. Its members are
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
//	chance               only with a randomised decision: queue, phase (from
//	                     0), active (a list by class), table (activate or reactivate),
//	                     action (in place of the one in the table) and
//	                     probability
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
func (p *Policy) file() (*policyFile, error) {
	q := p.parameters
	f := &policyFile{
		policyHead: policyHead{policyFormat, policyVersion},
		Buffer:     q.Buffer, Mu: q.ServiceRate, Gamma: q.StarvationWeight,
		HoldingCost: q.HoldingCost, RobotCost: q.RobotCost, ActivationCost: q.ActivationCost, Service: exponentialLaw,
	}
	for row := range p.layout.rows() {
		var activate, reactivate []int
		for code := firstMix(row); code < p.layout.mixes.count; code++ {
			d := p.decisions(row, code)
			activate, reactivate = append(activate, activationValue(d)), append(reactivate, int(d.Reactivate))
		}
		f.Activate, f.Reactivate = append(f.Activate, activate), append(f.Reactivate, reactivate)
	}
	if c := p.chance; c != nil {
		f.Chance = &chanceFile{c.State.Queue, c.State.Phase, c.State.Active, activateTable, activationValue(c.Decisions), c.Probability}
		if c.Event == Arrival {
			f.Chance.Table, f.Chance.Action = reactivateTable, int(c.Decisions.Reactivate)
		}
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

// ReadPolicy reads a policy written by [Policy.WriteJSON]. It checks format and version, the
// parameters, and the decisions with an effect; other decisions are ignored. Errors begin
// with file, the name of the text, and with the place of the fault. The rates of a law of
// phase type may differ from the written ones by rounding.
func ReadPolicy(r io.Reader, file string) (*Policy, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPolicyFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(text) > maxPolicyFile {
		return nil, fmt.Errorf("%s: a policy of more than %d bytes is not valid", file, maxPolicyFile)
	}
	var head policyHead
	if err := jsonscan.Decode(bytes.NewReader(text), file, false, &head); err != nil {
		return nil, err
	}
	placed := func(err error) error {
		if fault, ok := errors.AsType[*memberError](err); ok {
			return filepos.Fault(fault.found, fault.expected).At(file, jsonscan.PlaceOf(text, fault.path...))
		}
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := head.check(); err != nil {
		return nil, placed(err)
	}
	var f policyFile
	if err := jsonscan.Decode(bytes.NewReader(text), file, true, &f); err != nil {
		return nil, err
	}
	policy, err := f.policy()
	if err != nil {
		return nil, placed(err)
	}
	return policy, nil
}

// memberError is a fault in a member of a file, at a path.
type memberError struct {
	path            []any // names of members, indices of elements
	found, expected string
}

func (f *memberError) Error() string { return filepos.Fault(f.found, f.expected).What() }

func (h policyHead) check() error {
	switch {
	case h.Format != policyFormat:
		return &memberError{[]any{"format"}, wording.Quote(h.Format), policyFormat}
	case h.Version != policyVersion:
		return &memberError{[]any{"version"}, strconv.Itoa(h.Version), "version " + strconv.Itoa(policyVersion)}
	}
	return nil
}

// parameters returns those of the process, valid ones.
func (f *policyFile) parameters() (Parameters, error) {
	p := Parameters{
		Buffer: f.Buffer, ServiceRate: f.Mu, StarvationWeight: f.Gamma,
		HoldingCost: f.HoldingCost, RobotCost: f.RobotCost, ActivationCost: f.ActivationCost, Classes: []Class{},
	}
	if len(f.Lambda) != len(f.Robots) {
		return p, &memberError{[]any{"lambda"}, fmt.Sprintf("%d rates", len(f.Lambda)), fmt.Sprintf("%d, one for each class", len(f.Robots))}
	}
	for i, robots := range f.Robots {
		p.Classes = append(p.Classes, Class{robots, f.Lambda[i]})
	}
	if f.Service != exponentialLaw {
		law, err := queue.NewPhaseType(f.Service, f.Start, f.Generator, f.Mean)
		if err != nil {
			return p, &memberError{[]any{"generator"}, fmt.Sprintf("a law that is not valid: %v", err), ""}
		}
		p.Service = law
	}
	if len(p.Classes) == 1 && p.IsPlain() {
		p.Robots, p.ArrivalRate, p.Classes = p.Classes[0].Robots, p.Classes[0].ArrivalRate, nil
	}
	err := p.Validate()
	if fault, ok := errors.AsType[*ParameterError](err); ok {
		name := memberName(fault.Field)
		return p, &memberError{[]any{name}, fmt.Sprintf("%s %v", name, fault.Value), fault.Allowed}
	}
	return p, err
}

// policy returns the policy of the members.
func (f *policyFile) policy() (*Policy, error) {
	p, err := f.parameters()
	if err != nil {
		return nil, err
	}
	service, err := phases.Of(p.Service, p.ServiceRate)
	if err != nil {
		return nil, err
	}
	// Shapes come before a model is made whose size no table confirms.
	if err := checkShape(activateTable, f.Activate, p, service.Count()); err != nil {
		return nil, err
	}
	if err := checkShape(reactivateTable, f.Reactivate, p, service.Count()); err != nil {
		return nil, err
	}
	m, err := NewModel(p)
	if err != nil {
		return nil, err
	}
	policy, all := newPolicy(m), 1<<len(m.classes)-1
	for index := range m.NumStates() {
		row, code := m.layout.split(index)
		at := code - firstMix(row)
		activate, reactivate := f.Activate[row][at], f.Reactivate[row][at]
		wrong, value, expected := activateTable, activate, policy.put(m, row, code, Decisions{activate + NoClass, ClassSet(reactivate)})
		if expected != "" {
			expected += " (classes count from 1, and 0 is none)"
		} else if reactivate < 0 || reactivate > all {
			wrong, value, expected = reactivateTable, reactivate, fmt.Sprintf("a sum of 2^(i−1) over classes i, at most %d", all)
		}
		if expected != "" {
			return nil, &memberError{[]any{wrong, row, at}, fmt.Sprintf("%d at %+v", value, m.State(index)), expected}
		}
	}
	if f.Chance == nil {
		return policy, nil
	}
	return f.Chance.add(policy)
}

// checkShape checks the lengths of the lists of a table.
func checkShape(name string, table [][]int, p Parameters, phases int) error {
	mixes := 1.0
	for _, class := range p.ClassList() {
		mixes *= float64(class.Robots) + 1
	}
	if rows := 1 + float64(p.Buffer)*float64(phases); float64(len(table)) != rows {
		return &memberError{[]any{name}, fmt.Sprintf("%d lists", len(table)), fmt.Sprintf("%.0f lists", rows)}
	}
	for row, list := range table {
		if decisions := mixes - float64(firstMix(row)); float64(len(list)) != decisions {
			return &memberError{[]any{name, row}, fmt.Sprintf("a list of %d", len(list)), fmt.Sprintf("%.0f decisions", decisions)}
		}
	}
	return nil
}

// add returns the policy with its randomised decision.
func (c *chanceFile) add(policy *Policy) (*Policy, error) {
	chance := Chance{State: State{c.Queue, c.Phase, c.Active}, Probability: c.Probability}
	switch {
	case c.Table == activateTable:
		chance.Event, chance.Decisions.Activate = Departure, c.Action+NoClass
	case c.Table == reactivateTable && c.Action >= 0 && c.Action < 1<<MaxClasses:
		chance.Event, chance.Decisions.Reactivate = Arrival, ClassSet(c.Action)
	default:
		return nil, &memberError{
			[]any{"chance"},
			fmt.Sprintf("the action %d of the table %s", c.Action, wording.Quote(c.Table)),
			"one of " + activateTable + " or " + reactivateTable,
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
