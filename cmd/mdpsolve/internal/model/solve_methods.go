package model

// Methods to look at: one picture of several, and the values of states after each iteration.

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
	"github.com/mdpsolve/mdpsolve/mdp/textbook"
)

const (
	methodsFlag = "methods"
	valuesOut   = "values-out"
	statesFlag  = "states"
)

// textbookText is for the help of solve.
const textbookText = `--values-out writes, for each iteration of a method as textbooks state it, the values and
the actions of --states. Without --method, that is policy-iteration: its first policy has
the first action of each state (for totals, the first towards the target), or is the one
that --start-from names. --method names another: value-iteration (discounted) or rvi
(average), which start from zeros. These two have columns with the textbook's bounds, too.
They end when the bounds differ by the tolerance times the greatest value or less. The solve,
which --plot draws, compares the bounds of each value with that value, and often takes more
iterations. The textbook's rvi is undamped where that converges: the column damping is 1.
If the best policies are periodic, damping is 0.9, as always in the solve: h becomes
h + 0.9 (T h - h). For a finite horizon, an iteration is a step from the end. The relative
values of a policy are its bias less that of state 0, as in mdpsolve evaluate.

--methods a,b,c lists the iterations and times of several methods, in csv, markdown and latex
in place of the states; --plot draws them in one picture. The answer is that of the first. For
policy-iteration, both pictures show the policies of --values-out: each with its value and,
for a single method, the number of states whose action the next policy changes. The solve
itself begins with a better policy; the line "textbook" of the answer counts the policies or
sweeps that are shown.`

func compareFlags() []cli.Flag {
	return ui.Group(ui.MethodGroup,
		ui.ValueFlag(methodsFlag, "compare the methods `A,B,…` and, with --plot, draw them in one picture", ""),
		ui.ValueFlag(valuesOut, "write the values of states after each iteration of --method to `FILE` (.csv)", ""),
		ui.ValueFlag(statesFlag, "the states `S` of --values-out, by number or name, as 0,3 or '(1,0),(2,0)' (default: the first 10)", ""),
	)
}

// comparison has the methods of --methods, and what each did.
type comparison struct {
	methods []ui.Method
	runs    []methodRun
	found   []*answer.Answer
}

// readComparison reads --methods; nil if it is not set. The first of them solves, as if --method named
// it.
func readComparison(a *ui.Arguments, first *ui.Method) *comparison {
	if !a.CLI.IsSet(methodsFlag) {
		return nil
	}
	switch {
	case a.CLI.IsSet("method"):
		a.Fault("method", "not valid with --%s, whose first method solves: use one of the two", methodsFlag)
	case a.CLI.IsSet(showFlag):
		a.Fault(showFlag, "not valid with --%s, which draws bounds: leave it out", methodsFlag)
	case a.CLI.IsSet("bounds-out"):
		a.Fault("bounds-out", "not valid with --%s: use --method", methodsFlag)
	case a.CLI.IsSet(propertyFlag):
		a.Fault(propertyFlag, "not valid with --%s: use --criterion", methodsFlag)
	}
	names := slices.DeleteFunc(methodNames(), func(name string) bool { return name == methodExact || name == ui.MethodAuto })
	c := &comparison{}
	for name := range strings.SplitSeq(a.CLI.String(methodsFlag), ",") {
		name = strings.TrimSpace(name)
		i := slices.Index(names, name)
		if i < 0 || slices.ContainsFunc(c.methods, func(m ui.Method) bool { return m.Name == name }) {
			a.Fault(methodsFlag, "%q is not valid, or given twice: use some of %s", name, wording.Alternatives(names))
		}
		m := *first
		m.Name, m.Settings.Method = name, ui.Methods[i]
		c.methods = append(c.methods, m)
	}
	*first = c.methods[0]
	return c
}

// solveAll solves by all methods.
func (c *comparison) solveAll(a *ui.Arguments, s *solution) error {
	if c == nil {
		return nil
	}
	for _, m := range c.methods {
		bounds := s.newConvergence()
		settings := settingsOf(a.CLI, m)
		settings.Record = bounds.Watch(func(mdp.Progress) error { return nil })
		m.Settings.Policy, m.Settings.Values = s.start.Policy, s.start.Values
		settings.Policy, settings.Values = s.start.Policy, s.start.Values
		found, err := limited(a.CLI, m, func() (*answer.Answer, error) { return answer.Solve(a.CLI.Context, s.Asked, settings) })
		if err != nil {
			return s.solveFault(m, err)
		}
		run := methodRun{Name: m.Name, Bounds: bounds}
		if m.Settings.Method == mdp.PolicyIteration {
			if run.Policies, err = policiesOf(a, s); err != nil {
				a.Warn("--%s: %s is not drawn: %s", methodsFlag, m.Name, plainError(err))
			}
		}
		c.runs, c.found = append(c.runs, run), append(c.found, found)
	}
	return nil
}

// policiesOf runs policy iteration as textbooks state it.
func policiesOf(a *ui.Arguments, s *solution) (policies []policyValue, err error) {
	t, err := newTextbook(s.asked)
	if err != nil {
		return nil, err
	}
	err = t.Run(a.CLI.Context, t.Methods()[0], s.start, func(at textbook.Iterate) error {
		policies = append(policies, policyValue{Iteration: at.Number, Seconds: at.Elapsed.Seconds(), Value: at.Values[0], Changes: at.Changes})
		return nil
	})
	if err == nil {
		s.tellTextbook(mdp.PolicyIteration, len(policies), 0)
	}
	return policies, textbookFault(err)
}

// newTextbook returns the methods as textbooks state them for a question.
func newTextbook(q asked) (*textbook.Method, error) {
	if q.Model.IsUncertain() {
		return nil, errors.New("not valid for a model with intervals")
	}
	table, err := q.Table()
	if err != nil {
		return nil, err
	}
	t, err := textbook.New(table, q.EngineCriterion())
	if err != nil {
		err = errors.New("not valid with the criterion " + q.Criterion)
	}
	return t, err
}

// textbookFault says which flag gives policy iteration another start, where it needs one.
func textbookFault(err error) error {
	if errors.Is(err, textbook.ErrImproper) {
		return fmt.Errorf("%w, with --start-from", err)
	}
	return err
}

// newConvergence returns what keeps the bounds of a solve.
func (s *solution) newConvergence() *convergence {
	return &convergence{apart: s.HasSteps()}
}

// panels draws the methods together. The optimum lies within the bounds of all of them.
func (c *comparison) panels(a *ui.Arguments, s *solution) []figure.Panel {
	given := given(a)
	if slices.ContainsFunc(c.runs, func(r methodRun) bool { return r.Policies != nil }) {
		given = s.startGiven(a)
	}
	within := mdp.Bounds{Lower: math.Inf(-1), Upper: math.Inf(1)}
	for _, found := range c.found {
		within.Lower, within.Upper = max(within.Lower, found.Result.Lower[0]), min(within.Upper, found.Result.Upper[0])
	}
	return panelsOf(given, c.runs, within)
}

// rows yields the methods. Of policy iteration they have the iterations that are drawn.
func (c *comparison) rows(yield func(ui.Record) bool) {
	for i, found := range c.found {
		r := found.Result
		iterations, seconds := r.Iterations, r.Seconds
		if n := len(c.runs[i].Policies); n > 0 {
			iterations, seconds = c.runs[i].Policies[n-1].Iteration, c.runs[i].Policies[n-1].Seconds
		}
		lower, upper := r.Lower[r.Initial], r.Upper[r.Initial]
		if !yield(ui.Record{
			{"method", ui.ShownLeft("method", c.methods[i].Name)},
			{"iterations", ui.Shown("iterations", iterations)},
			{"seconds", ui.Shown("seconds", seconds, ui.Digits(3))},
			{"status", ui.Shown("status", found.Status)},
			{"value", ui.Shown("value", orInfinite(r.Value), func(float64) string { return ui.Interval(lower, upper) })},
			{"lower", orInfinite(lower)},
			{"upper", orInfinite(upper)},
		}) {
			return
		}
	}
}

// print lists the methods.
func (c *comparison) print(s *ui.Screen) {
	if c == nil {
		return
	}
	s.Printf("\n")
	s.Records(slices.Collect(iter.Seq[ui.Record](c.rows)))
}

// convergencePanels draws how the bounds of a solve converge. For policy iteration, and for a method without
// bounds on its way, it draws the policies of policy iteration as textbooks state it. The error says why
// there are neither.
func (s *solution) convergencePanels(a *ui.Arguments) ([]figure.Panel, error) {
	optimum := mdp.Bounds{Lower: s.result.Lower[0], Upper: s.result.Upper[0]}
	if s.HasSteps() && s.bounds.Len() > 0 {
		return s.bounds.steps(given(a)), nil
	}
	hasBounds := s.bounds.Len() > 1
	if !hasBounds || s.result.Method == mdp.MethodWord(mdp.PolicyIteration.String()) {
		policies, err := policiesOf(a, s)
		if err == nil || !hasBounds {
			return panelsOf(s.startGiven(a), []methodRun{{Bounds: s.bounds, Policies: policies}}, optimum), err
		}
	}
	return panelsOf(given(a), []methodRun{{Bounds: s.bounds}}, optimum), nil
}

// startGiven returns the caption of a picture with the policies of policy iteration.
func (s *solution) startGiven(a *ui.Arguments) string {
	return given(a) + "; " + s.firstPolicy()
}

// firstPolicy says how policy iteration as textbooks state it begins.
func (s *solution) firstPolicy() string {
	if s.start.Policy != nil {
		return "the first policy is the one given"
	}
	if s.Criterion == question.Total {
		return "the first policy has the first action towards the target"
	}
	return "the first policy has the first action of each state"
}

// tellTextbook keeps for the text what a method as textbooks state it has done, where it is shown.
func (s *solution) tellTextbook(method mdp.Method, iterations int, damping float64) {
	s.textbook = mdp.MethodWord(method.String()) + ", " + wording.Count(iterations, "sweep")
	switch {
	case method == mdp.PolicyIteration:
		s.textbook = mdp.MethodWord(method.String()) + ", " + wording.Count(iterations, "policy") + ": " + s.firstPolicy()
	case damping == 1:
		s.textbook += ": undamped"
	case damping > 0:
		s.textbook += fmt.Sprintf(": damped by %v, as the best policies are periodic", damping)
	}
}

// iterations is the file of --values-out.
type iterations struct {
	*ui.OutFile
	wanted   []string // numbers or names; nil for the first few
	states   []int
	textbook *textbook.Method
	method   mdp.Method
}

// readIterations reads --values-out and --states; nil if there is no such file.
func readIterations(a *ui.Arguments) *iterations {
	out := a.OutFile(valuesOut, ".csv")
	a.OnlyWith(statesFlag, valuesOut+" FILE", out != nil)
	if out == nil {
		return nil
	}
	i := &iterations{OutFile: out}
	if a.CLI.IsSet(statesFlag) {
		i.wanted = splitList(a.CLI.String(statesFlag))
	}
	return i
}

// prepare refuses what cannot be written, before the question is solved.
func (i *iterations) prepare(a *ui.Arguments, s *solution, method ui.Method) {
	if i == nil {
		return
	}
	n := s.Model.NumStates()
	const few = 10
	if i.wanted != nil {
		i.states = i.find(a, s.Model)
	} else {
		for state := range min(n, few) {
			i.states = append(i.states, state)
		}
	}
	var err error
	if i.textbook, err = newTextbook(s.asked); err != nil {
		a.Fault(valuesOut, "%s", plainError(err))
	}
	methods, named := i.textbook.Methods(), []string(nil)
	for _, m := range methods {
		named = append(named, mdp.MethodWord(m.String()))
	}
	if i.method = method.Settings.Method; method.Name == ui.MethodAuto {
		i.method = methods[0]
	}
	if !slices.Contains(methods, i.method) {
		a.Fault("method", "%s is not valid with --%s: use %s", method.Name, valuesOut, wording.Alternatives(named))
	}
}

// splitList splits a list at its commas, but not inside parentheses, as in (1,0),(2,0).
func splitList(text string) (list []string) {
	depth, begin := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth <= 0:
			list, begin = append(list, strings.TrimSpace(text[begin:i])), i+1
		}
	}
	return append(list, strings.TrimSpace(text[begin:]))
}

// find returns the numbers of the states that --states names.
func (i *iterations) find(a *ui.Arguments, m *modelfile.Model) (states []int) {
	n := m.NumStates()
	for _, one := range i.wanted {
		numbers, err := number.ParseList(one, ui.MaxSteps)
		if err != nil {
			if states = append(states, slices.Index(m.StateNames, one)); states[len(states)-1] < 0 {
				a.Fault(statesFlag, "found no state %q: use numbers from 0 to %d or names, separated by commas", one, n-1)
			}
		}
		for _, x := range numbers {
			if x < 0 || x != math.Trunc(x) || x >= float64(n) {
				a.Fault(statesFlag, "%s is not valid: the model has states 0 to %d", ui.ExactText(x), n-1)
			}
			states = append(states, int(x))
		}
	}
	for k, state := range states {
		if slices.Contains(states[:k], state) {
			a.Fault(statesFlag, "%d is given twice: give it once", state)
		}
	}
	return states
}

// write runs the method as textbooks state it, and writes the values of states after each iteration.
func (i *iterations) write(a *ui.Arguments, s *solution, method ui.Method) error {
	if i == nil {
		return nil
	}
	var rows []ui.Record
	last, damping := 0, 0.0
	settings := s.start
	settings.Tolerance, settings.MaxIterations = method.Settings.Tolerance, method.Settings.MaxIterations
	err := i.textbook.Run(a.CLI.Context, i.method, settings, func(at textbook.Iterate) error {
		last, damping = at.Number, at.Damping
		for _, state := range i.states {
			row := ui.Record{{"iteration", at.Number}, {"seconds", at.Elapsed.Seconds()}, {"state", state}}
			if s.Model.StateNames != nil {
				row = append(row, ui.Field{Name: "name", Value: s.Model.StateNames[state]})
			}
			row = append(row, ui.Field{Name: "value", Value: orInfinite(at.Values[state])})
			if i.method != mdp.PolicyIteration {
				row = append(row,
					ui.Field{Name: "lower", Value: orInfinite(at.Values[state] + at.Least)},
					ui.Field{Name: "upper", Value: orInfinite(at.Values[state] + at.Greatest)})
			}
			if at.Damping > 0 {
				row = append(row, ui.Field{Name: "damping", Value: at.Damping})
			}
			if at.Relative != nil {
				row = append(row, ui.Field{Name: "relative_value", Value: at.Relative[state]})
			}
			action := any(nil)
			if at.Number > 0 || at.Changes >= 0 {
				action = s.action(state, at.Policy[state])
			}
			row = append(row, ui.Field{Name: "action", Value: action})
			if at.Changes >= 0 {
				row = append(row, ui.Field{Name: "changes", Value: at.Changes})
			}
			rows = append(rows, row)
		}
		if len(rows) > mostIterates {
			return errors.New("more than " + wording.Count(mostIterates, "row") + ": use fewer --states, or a larger --tolerance")
		}
		return nil
	})
	if err != nil {
		a.Fault(valuesOut, "%s", plainError(textbookFault(err)))
	}
	s.tellTextbook(i.method, last, damping)
	return i.Write(func(w io.Writer) error { return ui.WriteCSV(w, slices.Values(rows)) })
}

// mostIterates bounds the rows of --values-out.
const mostIterates = 5_000_000
