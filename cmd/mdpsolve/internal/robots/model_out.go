// This file writes the model of robots as a model file, for other questions than those of robots solve.

package robots

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

const modelOut = "model-out"

// modelOutText is for the help of robots solve.
const modelOutText = `--model-out writes the decision process itself, for the verbs of model files: solve then
compares methods in one picture, draws values, writes the policy as rules, or answers by
another criterion. Steps are those of the uniformized process; but read averages "per
step" as per unit of time. The rewards are cost, starvation (1 with an empty queue) and
losses (pages per unit of time). An action says what to do at the next event: when a page
leaves, activate a robot or wait; when a robot delivers, send it out again or let it rest;
activate+rest decides both.`

// modelFlags are --model-out and, hidden, the flags of solve whose users are told to use it.
func modelFlags() []cli.Flag {
	flags := ui.Group(ui.OutputGroup, ui.ValueFlag(modelOut, "write the model to `FILE`, for solve, Python and other tools", ""))
	for _, name := range flagsOfSolve {
		flags = append(flags, &cli.StringFlag{Name: name, Hidden: true})
	}
	return flags
}

var flagsOfSolve = []string{"methods", "values-out", "show", "axes"}

// writeModel writes the file of --model-out, if there is one.
func (q question) writeModel(a *ui.Arguments) error {
	for _, name := range flagsOfSolve {
		if a.CLI.IsSet(name) {
			a.Fault(name, `not valid here: write the model with --%s FILE, and use "mdpsolve solve FILE --criterion average --minimize --reward cost --%s …"`, modelOut, name)
		}
	}
	if !a.CLI.IsSet(modelOut) {
		return nil
	}
	switch {
	case q.sufficient:
		a.Fault("robots", "%s is not valid with --%s: %s", ui.Automatic, modelOut, useNumber)
	case q.limit != nil:
		a.Fault(modelOut, "not valid with --%s: use --gamma, and --constraint of solve", q.limit.flag)
	case q.rates != nil:
		a.Fault(modelOut, "not valid with ranges of rates: use numbers")
	}
	path := a.CLI.String(modelOut)
	format, err := modelfile.FormatOf(path)
	if err != nil {
		a.Fault(modelOut, "%q is not valid: use a name that ends in %s", path, modelfile.Suffixes())
	}
	a.CanWrite(modelOut, path)
	m, err := modelOf(a.CLI.Context, q.parameters)
	a.Fail(inputFault(err))
	for _, lost := range format.Fit(m) {
		a.Warn("%s: %s", path, lost)
	}
	if err := modelfile.WriteFile(path, m); err != nil {
		return fmt.Errorf("--%s: %w", modelOut, err)
	}
	return nil
}

// choice is an action of a state, both by number.
type choice struct{ state, action int }

// modelOf returns the decision process as a model for files.
func modelOf(ctx context.Context, p robots.Parameters) (*modelfile.Model, error) {
	m, err := robots.NewModel(p)
	if err != nil {
		return nil, err
	}
	const most, each = 1_000_000, 1500.0 // states, and the bytes that one takes until it is written
	switch needed := each * float64(m.NumStates()); {
	case m.NumStates() > most:
		return nil, ui.UsageErrorf("--%s: %s are too many for a file: use up to %d", modelOut, wording.Count(m.NumStates(), "state"), most)
	case needed > ui.Memory(ctx):
		return nil, ui.UsageErrorf("--%s: %s take about %s of memory: use fewer robots or places", modelOut, wording.Count(m.NumStates(), "state"), ui.BytesText(needed))
	}
	problem := mdp.Problem[int, choice]{
		Actions: func(dst []choice, s int) []choice {
			for action := range m.NumActions(s) {
				dst = append(dst, choice{s, action})
			}
			return dst
		},
		Cost: func(s int, c choice) float64 {
			_, cost := m.AppendRow(nil, s, c.action)
			return cost
		},
		Next: func(dst []mdp.Outcome[int], s int, c choice) []mdp.Outcome[int] {
			row, _ := m.AppendRow(nil, s, c.action)
			for _, e := range row {
				dst = append(dst, mdp.Outcome[int]{State: int(e.State), Probability: e.Probability})
			}
			return dst
		},
		Rate: m.Rate(),
	}
	for s := range m.NumStates() {
		problem.Start = append(problem.Start, s)
	}
	compiled, err := problem.Compile(ctx)
	if err != nil {
		return nil, err
	}
	last, classes, variables := m.State(m.NumStates()-1), p.ClassList(), []string(nil)
	hasPhases := last.Phase > 0
	for c := range classes { // first, as on the axes of --plot
		variables = append(variables, "robots"+ofClass(classes, c))
	}
	if variables = append(variables, "queue"); hasPhases {
		variables = append(variables, "phase")
	}
	return modelfile.Of(compiled, modelfile.Names[int, choice]{
		Variables: "(" + strings.Join(variables, ",") + ")",
		State: func(s int) string {
			state := m.State(s)
			values := append(slices.Clone(state.Active), state.Queue)
			if hasPhases {
				values = append(values, state.Phase+1)
			}
			return "(" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(values)), ","), "[]") + ")"
		},
		Action: func(c choice) string { return actionName(m, classes, c) },
		Rewards: map[string]func(int, choice) float64{
			"starvation": func(s int, _ choice) float64 {
				if m.State(s).Queue == 0 {
					return 1
				}
				return 0
			},
			"losses": func(s int, _ choice) (rate float64) {
				state := m.State(s)
				for c, active := range state.Active {
					if state.Queue == last.Queue {
						rate += classes[c].ArrivalRate * float64(active)
					}
				}
				return rate
			},
		},
	})
}

// ofClass ends a name that each of several classes has.
func ofClass(classes []robots.Class, c int) string {
	if len(classes) == 1 {
		return ""
	}
	return fmt.Sprint(c + 1)
}

// actionName says what an action decides: to activate or wait only where the state leaves that open, and so for
// sending and resting.
func actionName(m *robots.Model, classes []robots.Class, c choice) string {
	var words []string
	d, departs, delivers := m.Decisions(c.state, c.action), false, robots.ClassSet(0)
	for action := range m.NumActions(c.state) {
		other := m.Decisions(c.state, action)
		departs = departs || other.Activate != d.Activate
		delivers |= other.Reactivate
	}
	switch {
	case d.Activate != robots.NoClass:
		words = append(words, "activate"+ofClass(classes, d.Activate))
	case departs:
		words = append(words, "wait")
	}
	for class := range classes {
		switch {
		case d.Reactivate.Has(class):
			words = append(words, "send"+ofClass(classes, class))
		case delivers.Has(class):
			words = append(words, "rest"+ofClass(classes, class))
		}
	}
	if words == nil { // there is nothing to decide
		return "wait"
	}
	return strings.Join(words, "+")
}
