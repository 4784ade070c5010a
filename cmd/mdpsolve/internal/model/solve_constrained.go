package model

// Limits on other rewards: --constraint.

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
)

const constraintFlag = "constraint"

// constraintText is for the help of solve.
const constraintText = `--constraint limits the average, discounted or total value of a reward model, from the
initial state and by the same criterion, as in 'loss<=1/100' or 'output>=5'. It may be
repeated. The answer is the best of all policies, which may leave decisions to chance,
or a mixture: one of several policies is drawn at the start and followed for ever. The
multiplier of a limit is its price: what easing it by one unit improves at first.`

// constrained is an answer within limits.
type constrained struct {
	asked
	constraints []certificate.Constraint
	result      *certificate.Result
	status      mdp.Status
}

// readConstraints reads the limits.
func readConstraints(a *ui.Arguments) []certificate.Constraint {
	var all []certificate.Constraint
	for _, given := range a.CLI.StringSlice(constraintFlag) {
		at := max(strings.LastIndex(given, "<="), strings.LastIndex(given, ">="))
		if at <= 0 {
			a.Fault(constraintFlag, "%q is not valid: use NAME<=NUMBER or NAME>=NUMBER", given)
		}
		bound, _, err := number.ParseExact(strings.TrimSpace(given[at+2:]))
		if err != nil {
			a.Fault(constraintFlag, "%q: %v", given, err)
		}
		all = append(all, certificate.Constraint{Reward: strings.TrimSpace(given[:at]), Sense: given[at : at+2], Bound: bound})
	}
	refuseForSums(a, constraintFlag, "plot")
	return all
}

// refuseForSums refuses flags that cannot be combined with one about several rewards.
func refuseForSums(a *ui.Arguments, flag string, more ...string) {
	for _, other := range append(more, propertyFlag, "start-from", policyOut, "bounds-out") {
		if a.CLI.IsSet(other) {
			a.Fault(other, "not valid with --%s: leave it out", flag)
		}
	}
	if a.CLI.String("criterion") == criterionFinite || a.CLI.String("method") == methodExact {
		a.Fault(flag, "not valid with --criterion finite or --method exact: use another")
	}
}

// tableOf returns the table of a model, and the costs of further rewards in it.
func (q asked) tableOf(names ...string) (table *mdp.Table, costs [][]float64, err error) {
	for _, name := range append([]string{q.question.reward}, names...) {
		arrays, err := q.model.TableArrays(name)
		if err != nil {
			return nil, nil, fileFault(modelOperand, q.path, err)
		}
		if costs = append(costs, arrays.Costs); table == nil {
			if table, err = mdp.NewTable(arrays); err != nil {
				return nil, nil, fileFault(modelOperand, q.path, err)
			}
		}
	}
	return table, costs[1:], nil
}

// readSum reads the model again, exactly, if rewards of opposite sign meet in one of several.
func readSum(a *ui.Arguments, flag string, q *asked, names ...string) {
	for _, name := range names {
		if _, err := q.model.Reward(name); err != nil || name == "" {
			a.Fault(flag, "%s", plainError(err))
		}
	}
	mixes := func(name string) bool { return mixesSigns(q.model, name) }
	if !q.model.IsExact() && slices.ContainsFunc(append(names, q.question.reward), mixes) {
		q.model = readModel(a, true)
	}
}

func (s *constrained) solve(a *ui.Arguments, m ui.Method) error {
	var names []string
	var limits []mdp.Constraint
	for _, x := range s.constraints {
		names = append(names, x.Reward)
		limits = append(limits, mdp.Constraint{Bound: x.Bound, AtLeast: x.Sense == ">="})
	}
	readSum(a, constraintFlag, &s.asked, names...)
	table, costs, err := s.tableOf(names...)
	if err != nil {
		return err
	}
	for i := range limits {
		limits[i].Costs = costs[i]
	}
	r := s.question.result(s.model)
	progress := ui.ProgressOf(a.CLI.Context)
	progress.Phase("solving")
	m.Settings.Record = progress.Solving(false, m.Settings.Tolerance)
	found, err := mdp.SolveConstrained(a.CLI.Context, mdp.Rounded{Table: table}, s.question.of(), r.Initial, limits, m.Settings)
	if fault, ok := errors.AsType[*mdp.InfeasibleError](err); ok {
		return s.infeasible(fault)
	}
	if found == nil {
		return (&solution{asked: s.asked}).solveFault(m, err)
	}
	s.status, s.result = found.Status, r
	r.Constraints = s.constraints
	r.KeepConstrained(found, table.Rate())
	r.Status, r.Method, r.Choice = found.Status.String(), ui.MethodName(found.Method), found.Reason
	r.Iterations, r.Seconds, r.Tolerance = found.Iterations, found.Elapsed.Seconds(), &m.Settings.Tolerance
	return nil
}

// infeasible words that no policy meets all limits, and why.
func (s *constrained) infeasible(fault *mdp.InfeasibleError) error {
	var terms, given []string
	var last certificate.Constraint
	price, allowed := 0.0, 0.0
	for i, x := range s.constraints {
		if fault.Prices[i] == 0 {
			continue
		}
		bound, _ := x.Bound.Float64()
		last, price = x, fault.Prices[i]*map[string]float64{"<=": 1, ">=": -1}[x.Sense]
		given, terms, allowed = append(given, x.Reward+x.Sense+number.Short(x.Bound)), append(terms, ui.PlainText(price)+"·"+x.Reward), allowed+price*bound
	}
	if len(given) == 1 {
		return ui.UsageErrorf("--%s: %s: no policy keeps to it: the %s value of %s is %s, proved: use a bound on its other side", constraintFlag, given[0],
			map[string]string{"<=": "least", ">=": "greatest"}[last.Sense], wording.Quote(last.Reward), ui.ShortText(fault.Least/price, 12))
	}
	return ui.UsageErrorf("--%s: no policy keeps to %s together: every one has %s ≥ %s, proved, and they allow %s: ease one of them",
		constraintFlag, strings.Join(given, " and "), strings.Join(terms, " + "), ui.ShortText(fault.Least, 12), ui.ShortText(allowed, 12))
}

// deliver writes the result to a file, if one is named, and prints it.
func (s *constrained) deliver(a *ui.Arguments, out string) error {
	r := s.result
	if out != "" {
		if err := certificate.WriteFile(out, r); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if a.Format == ui.FormatJSON {
		if err := certificate.Write(a.CLI.App.Writer, r); err != nil {
			return err
		}
	} else if err := a.Print(ui.Document{Rows: s.rows(), Text: s.print}); err != nil {
		return err
	}
	return ui.EndOfMeasure(fmt.Sprintf("value of state %d", r.Initial), s.status, r.ValueBounds[0], r.ValueBounds[1])
}

// decisions yields what a policy of the mixture does in a state: actions and probabilities.
func (s *constrained) decisions(c *certificate.Component, state int) (names []string, shares []float64) {
	name := func(action int32) string { return s.model.ActionName(state, int(s.model.StateStart[state]+action)) }
	names, shares = []string{name(c.Policy[state])}, []float64{1}
	for _, x := range c.Chances {
		if int(x.State) == state {
			names, shares = append(names, name(x.Action)), append(shares, x.Probability)
			shares[0] -= x.Probability
		}
	}
	return names, shares
}

func (s *constrained) rows() []ui.Record {
	var rows []ui.Record
	for j := range s.result.Mixture {
		c := &s.result.Mixture[j]
		for state := range c.Policy {
			names, shares := s.decisions(c, state)
			for i, name := range names {
				rows = append(rows, ui.Record{{"policy", j}, {"weight", c.Weight}, {"state", state}, {"action", name}, {"probability", shares[i]}})
			}
		}
	}
	return rows
}

func (s *constrained) print(screen *ui.Screen) {
	r := s.result
	s.printHead(screen, s.title()+", within limits")
	screen.Item("value", "%s%s from state %s", screen.Styled(ui.Bold, ui.ValueText(r.Value, r.ValueBounds[0], r.ValueBounds[1])), s.unit(), stateName(s.model, r.Initial))
	screen.Item("", "%s", screen.Styled(ui.StatusStyle(s.status), ui.StatusWords(s.status)))
	for _, x := range r.Constraints {
		word := map[string]string{"<=": "at most", ">=": "at least"}[x.Sense]
		screen.Item("limit", "%s %s %s: it is %s, and the multiplier %s", wording.Quote(x.Reward), word, number.Short(x.Bound), ui.PlainText(x.Value), ui.PlainText(x.Multiplier))
	}
	screen.Item("method", "%s, %s, %s s", r.Method, ui.Count(r.Iterations, "iteration"), ui.ShortText(r.Seconds, 3))
	header := table.Row{"state"}
	for j, c := range r.Mixture {
		heading := "action"
		if len(r.Mixture) > 1 {
			heading = fmt.Sprintf("policy %d", j+1)
			screen.Item(map[bool]string{true: "mixture", false: ""}[j == 0], "at the start, with probability %s, follow policy %d for ever", ui.PlainText(c.Weight), j+1)
		}
		header = append(header, heading)
	}
	screen.Printf("\n")
	t := table.NewWriter()
	shown := min(s.model.NumStates(), maxRows)
	for state := range shown {
		row := table.Row{stateName(s.model, state)}
		for j := range r.Mixture {
			names, shares := s.decisions(&r.Mixture[j], state)
			for i := range names {
				if names[i] = text.Snip(names[i], maxText, "…"); len(names) > 1 {
					names[i] += " " + ui.PercentText(shares[i])
				}
			}
			row = append(row, strings.Join(names, ", "))
		}
		t.AppendRow(row)
	}
	t.AppendHeader(header)
	screen.Table(t)
	if more := s.model.NumStates() - shown; more > 0 {
		screen.Printf("  … and %s: --output csv or json prints all\n", ui.Count(more, "more state"))
	}
}

// sumFlags are those about several rewards.
func sumFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: constraintFlag, Usage: "keep another reward model within a limit, `NAME<=NUMBER` or NAME>=NUMBER; repeat for several"},
		ui.ValueFlag(paretoFlag, "find the trade-off with the reward model `NAME`", ""),
	}
}
