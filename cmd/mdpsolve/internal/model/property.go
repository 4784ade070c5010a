package model

// Questions in the notation of PRISM: --property.

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
)

// propertyFlag is --property, which states a question in place of the flags of a question.
// constFlag is --const.
const propertyFlag, constFlag = "property", "const"

// propertyFlags returns the flags that state a question in the notation of PRISM.
func propertyFlags(usage string) []cli.Flag {
	return []cli.Flag{
		ui.ValueFlag(propertyFlag, usage+", in the notation of PRISM", ""),
		&cli.StringSliceFlag{Name: constFlag, Usage: "set constants of --property, as `NAME=NUMBER`; repeat for several"},
	}
}

// propertyText is for the help of solve.
const propertyText = `--property states the question in the notation of PRISM, in place of --criterion. The
operators are

  P [F a], P [a U b]  the probability to reach a, or b through states of a
  P [G a], P [a W b]  the probability that a always holds, or until b does
  P [a R b]           the probability that b holds until both do, or always
  F<=t, F>=t, U[s,t]  the same within t steps, or t units of time in a CTMC; from t on;
                      from s to t
  P [X a]             the probability of a after one step
  S [a], LRA [a]      the share of time in a in the long run
  R [F a], T [F a]    the expected reward, or time, until a; infinite if a may be missed
  R [C], R [C<=t]     the expected total of the rewards of all steps, or within t
  R [Cdiscount=b]     the same, weighted by b^t after t steps
  R [I=t]             the expected reward of the state at t
  R [S], R [LRA]      the long-run average reward
  E [F a], A [G a]    whether F a, G a, … holds on some path (E), or on all (A)
  filter(min, …, a)   the least value in states of a; also max, avg, sum, count, range,
                      forall, exists, first, state, argmin, argmax, print
  P [F a || F b]      the probability of F a if F b holds; also U, G, W, R, and in a chain
                      R [F a || F b]
  multi(P…, R…)       several objectives, as --constraint and --pareto have them: P and R [C];
                      P, S and R [S]; or R [C<=t] or R [F a] with one t or a. Without
                      min=? or max=?, does one policy meet all? Beside each state the
                      answer marks every P: + already true, - no longer possible, ? still open

Write Pmin=? or Pmax=? if the model has choices; Pmaxmin=? if it also has intervals, from
which nature chooses the least probability; R{"cost"}min=? for a reward model; and P>=0.9,
without min or max, to ask whether it holds for all policies: yes, no, or undecided by the
bounds. a and b are
labels in quotation marks ("init" and "deadlock", too) and expressions over the variables
of states, such as queue<=3 & !full, with operators such as P>=1 [F b] inside of them.
Operators are numbers, too, as in 1-P=? [F a].

The value is that of the first initial state; for other states, see --output csv. A threshold
must be met from all initial states. A file of properties may have names ("quick": P=? […];),
labels (label "idle" = queue=0;), formulas and constants (const int N; with --const N=5); all
of its properties are answered, or only NAME. For P, solve and check make another model, in
which states of a, and states that cannot reach a, are absorbing; the certificate proves
an average there. Times t in a CTMC (F<=t), and properties of several questions (which the answer
lists), have proved bounds but no certificate. LTL, automata, co-safe rewards and parameters are left to
Storm.`

// mostPropertyBytes bounds files of properties.
const mostPropertyBytes = 1 << 16

// readProperties reads the properties of --property. Its value is FILE, FILE:NAME or a property: a text
// that names no file, and that has a bracket or the like or can be read as a property. beside names
// those flags of a question that are valid with --property. faults are the errors of the properties of
// a file that cannot be read; all has the others.
func readProperties(a *ui.Arguments, beside ...string) (all []*property.Property, faults []error) {
	for _, flag := range questionFlags("") {
		if name := flag.Names()[0]; a.CLI.IsSet(name) && name != uncertaintyFlag && !slices.Contains(beside, name) {
			a.Fault(name, "not valid with --property, which states the whole question: use one of the two")
		}
	}
	given := a.Text(propertyFlag, "a property or the name of a file")
	if strings.TrimSpace(given) == "" {
		a.Fault(propertyFlag, "%q is not valid: use a property or the name of a file", given)
	}
	text, file, name := given, "--"+propertyFlag, ""
	_, err := os.Stat(given)
	isFile := err == nil || !strings.ContainsAny(given, "[(=<>?\"")
	if isFile && err != nil { // true and the name of a variable are properties
		_, fault := property.Parse(given, file)
		isFile = fault != nil
	}
	if isFile {
		file = given
		if at := strings.LastIndex(given, ":"); err != nil && at > 0 {
			file, name = given[:at], given[at+1:]
		}
		text = load(a, file, file, func() (string, error) { return readText(file) })
	}
	all, faults = property.ParseEach(text, file, a.CLI.StringSlice(constFlag)...)
	for i, fault := range faults {
		if faults[i] = ui.UsageErrorf("%s", fault.Error()); all == nil {
			a.Fail(faults[0])
		}
	}
	for _, p := range all {
		if p.Uncertainty = ""; a.CLI.IsSet(uncertaintyFlag) {
			p.Uncertainty = a.Choice(uncertaintyFlag)
		}
	}
	if name == "" {
		return all, faults
	}
	for _, p := range all {
		if p.Name == name {
			return []*property.Property{p}, nil
		}
	}
	a.Fail(cmp.Or(append(faults, nil)[0], ui.UsageErrorf("--%s: %q has no property %q: use the name of one", propertyFlag, file, name)))
	return nil, nil
}

// readProperty reads the only property of --property.
func readProperty(a *ui.Arguments, beside ...string) *property.Property {
	all, faults := readProperties(a, beside...)
	if faults != nil {
		a.Fail(faults[0])
	}
	if len(all) > 1 {
		a.Fault(propertyFlag, "there are %d properties: name one, as in FILE:NAME", len(all))
	}
	return all[0]
}

func readText(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > mostPropertyBytes) {
		return "", fmt.Errorf("no file of at most %d bytes: use fewer properties", mostPropertyBytes)
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// solveProperties answers several properties, each in a line. Those with faults keep no others from being
// answered.
func solveProperties(a *ui.Arguments, all []*property.Property, faults []error, m *modelfile.Model, method ui.Method) error {
	a.Refuse("not valid with several properties: name one, as in --property FILE:NAME", "out", "plot", "bounds-out", "start-from", policyOut, valuesOut, actionValues, stepValues)
	warnInitial(a, m, " (a single property has all, and a threshold is to be met from all)")
	var rows []ui.Record
	var infinite []*certificate.Result
	var end error
	for _, p := range all {
		s := &solution{}
		var err error
		if s.asked, err = ask(a, stated{property: p}, m); err == nil {
			err = s.solve(a.CLI, method)
		}
		if ui.IsUsage(err) {
			faults = append(faults, err)
			continue
		}
		if err != nil {
			return err
		}
		r := s.result
		end = cmp.Or(end, s.end())
		bounds := r.ValueBounds // within limits
		if bounds == nil {
			bounds = certificate.Floats{r.Lower[r.Initial], r.Upper[r.Initial]}
		}
		lower, upper := bounds[0], bounds[1]
		value := any(s.valueText(r.Initial, ui.Interval(lower, upper)))
		if a.CLI.IsSet("digits") {
			value = r.Value
		}
		rows = append(rows, ui.Record{
			{"name", ui.Shown("name", p.Name)},
			{"property", r.Property},
			{"", ui.Shown("property", p.Written())},
			{"", ui.Shown("value", value)},
			{"", ui.Shown("answer", cmp.Or(r.Answer, r.Status))},
			{"value", orInfinite(r.Value)},
			{"lower", orInfinite(lower)},
			{"upper", orInfinite(upper)},
			{"answer", r.Answer},
			{"status", r.Status},
			{"infinite", r.Infinite},
		})
		if r.Infinite != "" {
			infinite = append(infinite, r)
		}
	}
	for i, fault := range faults {
		if i == len(faults)-1 {
			end = fault
		} else {
			a.Warn("%v", fault)
		}
	}
	if rows == nil {
		return end
	}
	return cmp.Or(a.PrintRecords(rows, func(screen *ui.Screen) {
		screen.Heading("Properties of %s, from state %s", a.CLI.Args().First(), m.StateName(int(m.Initial[0])))
		screen.Records(rows)
		for _, r := range infinite {
			screen.Item("infinite", "%s: %s", r.Property, r.Infinite)
		}
	}), end)
}
