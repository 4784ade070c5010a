package model

// Limits on other rewards: --constraint.

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

const constraintFlag = "constraint"

// constraintText is for the help of solve.
const constraintText = `--constraint limits the value of a reward model, from the initial state and by the same
criterion, as in 'loss<=1/100' or 'output>=5'. It may be repeated. The answer is the best
of all policies. It may leave decisions to chance, or be a mixture: one of several policies
is drawn at the start and followed to the end. The multiplier of a limit says by how much
the value improves, at first, for each unit by which you ease the limit.`

// readConstraints reads the limits.
func readConstraints(a *ui.Arguments) (all []question.Constraint) {
	for _, given := range a.CLI.StringSlice(constraintFlag) {
		at := max(strings.LastIndex(given, "<="), strings.LastIndex(given, ">="))
		if at < 0 || strings.TrimSpace(given[:at]) == "" {
			a.Fault(constraintFlag, "%q is not valid: use NAME<=NUMBER or NAME>=NUMBER", given)
		}
		bound, _, err := number.ParseExact(strings.TrimSpace(given[at+2:]))
		if err != nil {
			a.Fault(constraintFlag, "%q: %v", given, err)
		}
		all = append(all, question.Constraint{Reward: strings.TrimSpace(given[:at]), Sense: given[at : at+2], Bound: bound})
	}
	return all
}

// sumsFlag returns the flag by which a question is about several rewards, "" for any other question.
func sumsFlag(a *ui.Arguments) string {
	for _, flag := range []string{paretoFlag, constraintFlag} {
		if a.CLI.IsSet(flag) {
			return flag
		}
	}
	return ""
}

// refuseBesideSums refuses the flags that are not valid in a question about several rewards.
func refuseBesideSums(a *ui.Arguments, r *request) {
	flag := r.sums
	if flag == "" {
		return
	}
	if r.property != nil && flag != propertyFlag {
		a.Fault(propertyFlag, "not valid with --%s: leave it out", flag)
	}
	a.Refuse("not valid with --"+flag+", whose search begins with weights of the rewards, not with a policy", "start-from")
	refused := []string{"bounds-out", actionValues, stepValues, methodsFlag, valuesOut, statesFlag}
	if r.isTradeOff {
		refused = append(refused, constraintFlag, "out", showFlag)
	}
	a.Refuse("not valid with --"+flag+": leave it out", refused...)
	switch {
	case r.method.Name == methodExact:
		a.Fault(flag, "not valid with --method exact")
	case !r.isTradeOff && a.CLI.IsSet("plot") && a.CLI.IsSet(showFlag) && a.CLI.String(showFlag) == showBounds:
		a.Fault("plot", "not valid with --%s, whose search has no bounds to draw: use --%s %s", flag, showFlag, showPolicy)
	}
}

// infeasible returns the error that no policy meets all limits. It says which bound a single
// limit can have.
func infeasible(limits []question.Constraint, fault *mdp.InfeasibleError) error {
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

func limitText(x question.Constraint) string { return x.Reward + x.Sense + number.Short(x.Bound) }

// mixed returns the model that the policies of a mixture are for. With a finite horizon that is the
// model given, for which they have a part in each step.
func (s *solution) mixed() *modelfile.Model {
	if s.Given.HasSteps() {
		return s.given
	}
	return s.Model
}

// mixtureRows yields a row for each choice with a probability above 0, with the columns that
// files of policies have. component is the number of a policy in the mixture.
func (s *solution) mixtureRows(yield func(ui.Record) bool) {
	m, steps := s.mixed(), 1
	if s.Given.HasSteps() {
		steps = s.Given.Steps()
	}
	for j, c := range s.result.Mixture {
		for at := range steps * m.NumStates() {
			step, state := at/m.NumStates(), at%m.NumStates()
			for k := int(m.StateStart[state]); k < int(m.StateStart[state+1]); k++ {
				row := ui.Record{{"component", j + 1}, {"weight", c.Weight}, {"state", state}}
				if s.Given.HasSteps() {
					row = append(row, ui.Field{"step", step + 1})
				}
				if m.StateNames != nil {
					row = append(row, ui.Field{"name", m.StateNames[state]})
				}
				row = append(row, ui.Record{
					{"policy", k - int(m.StateStart[state])}, {"action", m.ActionName(state, k)}, {"probability", c.Probabilities[step*m.NumChoices()+k]},
				}...)
				if c.Probabilities[step*m.NumChoices()+k] > 0 && !yield(row) {
					return
				}
			}
		}
	}
}

func (s *solution) printMixture(screen *ui.Screen) {
	r := s.result
	s.printHead(screen, s.title()+", within limits")
	screen.Item("value", "%s%s from state %s", screen.Styled(ui.Bold, ui.ValueText(r.Value, r.ValueBounds[0], r.ValueBounds[1])), s.unit(), s.mixed().StateName(r.Initial))
	screen.Item("", "%s", screen.Styled(ui.StatusStyle(s.status), ui.StatusWords(s.status)))
	for _, x := range r.Constraints {
		screen.Item("limit", "%s: it is %s, and the multiplier %s", limitText(x), ui.PlainText(x.Value), ui.PlainText(x.Multiplier))
	}
	method := r.Method
	switch {
	case s.Given.HasSteps():
		method = "backward induction"
	case r.Iterations > 0:
		method += ", " + wording.Count(r.Iterations, "iteration") + ","
	}
	screen.Item("method", "%s for weighted sums of the rewards, %s s", method, ui.ShortText(r.Seconds, 3))
	for j, c := range r.Mixture {
		if len(r.Mixture) > 1 {
			screen.Item("mixture", "at the start, with probability %s, follow policy %d for ever", ui.PlainText(c.Weight), j+1)
		}
	}
	t, rows := table.NewWriter(), 0
	add := func(row ui.Record) {
		if rows++; rows <= maxRows {
			cells, last := table.Row{row[0].Value, s.mixed().StateName(row[2].Value.(int))}, row[len(row)-2:]
			if s.Given.HasSteps() {
				cells = append(cells, row[3].Value)
			}
			t.AppendRow(append(cells, wording.Short(last[0].Value.(string)), ui.PercentText(last[1].Value.(float64))))
		}
	}
	header := table.Row{"policy", "state"}
	if s.Given.HasSteps() {
		header = append(header, "step")
	}
	t.AppendHeader(append(header, "action", "probability"))
	for _, isChance := range []bool{true, false} {
		for row := range s.mixtureRows {
			if probability := row[len(row)-1].Value.(float64); (probability < 1) == isChance {
				add(row)
			}
		}
		if isChance && rows > 0 {
			screen.Item("chance", "the list begins with the decisions that are left to chance")
		}
	}
	screen.Printf("\n")
	screen.Table(t)
	if rows > maxRows {
		screen.Printf("  … and %s: --output csv or json prints all\n", wording.Count(rows-maxRows, "more row"))
	}
}

// choosingFlags are flags of solve that choose among policies. Verbs for a given policy declare
// them, hidden, so that refuseChoosing can say why they are not valid there.
func choosingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: constraintFlag, Hidden: true},
		&cli.StringFlag{Name: paretoFlag, Hidden: true},
	}
}

// refuseChoosing refuses the flags that choose among policies.
func refuseChoosing(a *ui.Arguments) {
	a.Refuse("not valid for a given policy: ask for the value of each reward, with --reward NAME", constraintFlag, paretoFlag)
}

// sumFlags are the flags of solve for questions about several rewards.
func sumFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: constraintFlag, Usage: "keep another reward model within a limit, `NAME<=NUMBER` or NAME>=NUMBER; repeat for several"},
		ui.ValueFlag(paretoFlag, "find the trade-off with the reward model `NAME`", ""),
	}
}
