package model

// Limits on other rewards: --constraint.

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
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

// readConstraints reads the limits.
func readConstraints(a *ui.Arguments) (all []certificate.Constraint) {
	for _, given := range a.CLI.StringSlice(constraintFlag) {
		at := max(strings.LastIndex(given, "<="), strings.LastIndex(given, ">="))
		if at < 0 || strings.TrimSpace(given[:at]) == "" {
			a.Fault(constraintFlag, "%q is not valid: use NAME<=NUMBER or NAME>=NUMBER", given)
		}
		bound, _, err := number.ParseExact(strings.TrimSpace(given[at+2:]))
		if err != nil {
			a.Fault(constraintFlag, "%q: %v", given, err)
		}
		all = append(all, certificate.Constraint{Reward: strings.TrimSpace(given[:at]), Sense: given[at : at+2], Bound: bound})
	}
	return all
}

// runSums answers a question about several rewards.
func runSums(a *ui.Arguments, q question, m ui.Method) error {
	flag, refused := constraintFlag, []string{"plot", propertyFlag, "start-from", policyOut, maxRules, "bounds-out"}
	if a.CLI.IsSet(paretoFlag) {
		flag, refused = paretoFlag, append(refused[1:], constraintFlag, "out")
	}
	for _, other := range refused {
		if a.CLI.IsSet(other) {
			a.Fault(other, "not valid with --%s: leave it out", flag)
		}
	}
	if q.criterion == criterionFinite || m.Name == methodExact {
		a.Fault(flag, "not valid with --criterion finite or --method exact")
	}
	picture := figure.Read(a, 1)
	limits, out, path := readConstraints(a), resultName(a, "out"), a.CLI.Args().First()
	model := readModel(a, isTiny(a, path))
	checkQuestion(a, &q, model)
	if flag == paretoFlag {
		return runPareto(a, asked{path, model, q}, m, picture)
	}
	s := &solution{asked: asked{path, model, q}}
	if err := s.solveWithin(a, m, limits); err != nil {
		return err
	}
	return s.deliver(a, out)
}

// readSums returns the table of a model, and the costs of further rewards in it. It reads the
// model again, exactly, if rewards of opposite sign meet in a choice.
func readSums(a *ui.Arguments, flag string, q *asked, names ...string) (table *mdp.Table, costs [][]float64) {
	for _, name := range names {
		if _, err := q.model.Reward(name); err != nil {
			a.Fault(flag, "%s", plainError(err))
		}
	}
	names = append([]string{q.question.reward}, names...)
	if !q.model.IsExact() && slices.ContainsFunc(names, func(name string) bool { return mixesSigns(q.model, name) }) {
		q.model = readModel(a, true)
	}
	for _, name := range names {
		arrays, err := q.model.TableArraysAt(name, q.question.rate)
		if costs = append(costs, arrays.Costs); err == nil && table == nil {
			table, err = mdp.NewTable(arrays)
		}
		if err != nil {
			a.Fail(fileFault(modelOperand, q.path, err))
		}
	}
	return table, costs[1:]
}

// solveWithin finds the best answer within limits.
func (s *solution) solveWithin(a *ui.Arguments, m ui.Method, given []certificate.Constraint) error {
	var names []string
	var limits []mdp.Constraint
	for _, x := range given {
		names = append(names, x.Reward)
		limits = append(limits, mdp.Constraint{Bound: x.Bound, AtLeast: x.Sense == ">="})
	}
	table, costs := readSums(a, constraintFlag, &s.asked, names...)
	for i := range limits {
		limits[i].Costs = costs[i]
	}
	r := s.question.result(s.model)
	progress := ui.ProgressOf(a.CLI.Context)
	progress.Phase("solving")
	m.Settings.Record = progress.Solving(false, m.Settings.Tolerance)
	found, err := soon(a.CLI, m, func() (*mdp.Constrained, error) {
		return mdp.SolveConstrained(a.CLI.Context, mdp.Rounded{Table: table}, s.question.of(s.model), r.Initial, limits, m.Settings)
	})
	if fault, ok := errors.AsType[*mdp.InfeasibleError](err); ok {
		return infeasible(given, fault)
	}
	if found == nil {
		return s.solveFault(m, err)
	}
	s.status, s.result = found.Status, r
	r.Constraints = given
	r.KeepConstrained(found, table.Rate())
	r.Status, r.Method, r.Choice = found.Status.String(), ui.MethodName(found.Method), found.Reason
	r.Iterations, r.Seconds, r.Tolerance = found.Iterations, found.Elapsed.Seconds(), &m.Settings.Tolerance
	return nil
}

// infeasible words that no policy meets all limits.
func infeasible(limits []certificate.Constraint, fault *mdp.InfeasibleError) error {
	var given []string
	why := ""
	for i, x := range limits {
		if price := fault.Prices[i]; price != 0 {
			given = append(given, limitText(x))
			if why = ": the least value is %s: use that or more"; x.Sense == ">=" {
				why, price = ": the greatest value is %s: use that or less", -price
			}
			why = fmt.Sprintf(why, ui.ShortText(fault.Least/price+0, 12))
		}
	}
	if len(given) > 1 {
		why = " together: ease one of them"
	}
	return ui.UsageErrorf("--%s: no policy keeps to %s%s", constraintFlag, strings.Join(given, " and "), why)
}

func limitText(x certificate.Constraint) string { return x.Reward + x.Sense + number.Short(x.Bound) }

// mixtureRows yields a row for each choice that is taken, in the columns of policies. component
// is the number of a policy in the mixture.
func (s *solution) mixtureRows(yield func(ui.Record) bool) {
	m := s.model
	for j, c := range s.result.Mixture {
		for state := range m.NumStates() {
			for k := int(m.StateStart[state]); k < int(m.StateStart[state+1]); k++ {
				row := ui.Record{{"component", j + 1}, {"weight", c.Weight}, {"state", state}}
				if m.StateNames != nil {
					row = append(row, ui.Field{"name", m.StateNames[state]})
				}
				row = append(row, ui.Record{
					{"policy", k - int(m.StateStart[state])}, {"action", m.ActionName(state, k)}, {"probability", c.Probabilities[k]},
				}...)
				if c.Probabilities[k] > 0 && !yield(row) {
					return
				}
			}
		}
	}
}

func (s *solution) printMixture(screen *ui.Screen) {
	r := s.result
	s.printHead(screen, s.title()+", within limits")
	screen.Item("value", "%s%s from state %s", screen.Styled(ui.Bold, ui.ValueText(r.Value, r.ValueBounds[0], r.ValueBounds[1])), s.unit(), stateName(s.model, r.Initial))
	screen.Item("", "%s", screen.Styled(ui.StatusStyle(s.status), ui.StatusWords(s.status)))
	for _, x := range r.Constraints {
		screen.Item("limit", "%s: it is %s, and the multiplier %s", limitText(x), ui.PlainText(x.Value), ui.PlainText(x.Multiplier))
	}
	screen.Item("method", "%s, %s, %s s", r.Method, ui.Count(r.Iterations, "iteration"), ui.ShortText(r.Seconds, 3))
	for j, c := range r.Mixture {
		if len(r.Mixture) > 1 {
			screen.Item("mixture", "at the start, with probability %s, follow policy %d for ever", ui.PlainText(c.Weight), j+1)
		}
	}
	screen.Printf("\n")
	t, rows := table.NewWriter(), 0
	t.AppendHeader(table.Row{"policy", "state", "action", "probability"})
	for row := range s.mixtureRows {
		if rows++; rows <= maxRows {
			state, last := row[2].Value.(int), row[len(row)-2:]
			t.AppendRow(table.Row{row[0].Value, stateName(s.model, state), wording.Short(last[0].Value.(string)), ui.PercentText(last[1].Value.(float64))})
		}
	}
	screen.Table(t)
	if rows > maxRows {
		screen.Printf("  … and %s: --output csv or json prints all\n", ui.Count(rows-maxRows, "more row"))
	}
}

// sumFlags are those about several rewards.
func sumFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: constraintFlag, Usage: "keep another reward model within a limit, `NAME<=NUMBER` or NAME>=NUMBER; repeat for several"},
		ui.ValueFlag(paretoFlag, "find the trade-off with the reward model `NAME`", ""),
	}
}
