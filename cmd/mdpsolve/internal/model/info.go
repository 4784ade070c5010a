package model

// The verb info: the command, and its answer as a record.

import (
	"context"
	"maps"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// InfoCommand is the verb info.
func InfoCommand() *cli.Command {
	return &cli.Command{
		Name:      "info",
		Usage:     "what a model file holds, and what kind of process it is",
		UsageText: "mdpsolve info MODEL [options]",
		ArgsUsage: modelOperand,
		Description: `States, choices (actions of all states together) and transitions; labels, which
solve --target takes, and reward models, which solve --reward takes; and the
structure, which decides what may be asked: unichain (every policy has one closed
class), communicating (some policy leads from any state to any other),
weakly-communicating (likewise, but for states that no policy comes back to) or
multichain (the best long-run average may depend on the state).

` + modelText + `

Examples:
  mdpsolve info paths.drn
  mdpsolve info twoservers.tra --kind ctmc -o json`,
		Flags:  []cli.Flag{kindFlag(), ui.OutputFlag()},
		Action: ui.Action(runInfo),
	}
}

// description is what info reports about a model.
type description struct {
	path      string
	model     *mdpio.Model
	table     *mdp.Table
	structure mdp.Structure
	actions   extent // the number of actions of a state
	rows      extent // the number of transitions of a choice
}

// extent is the range of a count.
type extent struct {
	least, greatest int
	mean            float64
}

func runInfo(a *ui.Arguments) error {
	c := a.CLI
	model := readModel(a, false)
	d := &description{path: c.Args().First(), model: model}
	var err error
	if d.table, err = model.Table(anyReward(model)); err != nil {
		return fileFault(modelOperand, d.path, err)
	}
	if d.structure, err = structureOf(c.Context, d.table); err != nil {
		return fileFault(modelOperand, d.path, err)
	}
	d.actions, d.rows = extentOf(model.StateStart), extentOf(model.RowStart)
	return a.PrintRecord(d.record(), func(s *ui.Screen) { printInfo(s, d) }, "labels", "reward_models", "initial")
}

// anyReward returns the name of the first reward model, "" if there is none. It serves
// where the structure of the model matters and its rewards do not.
func anyReward(m *mdpio.Model) string {
	if len(m.Rewards) == 0 {
		return ""
	}
	return m.Rewards[0].Name
}

func structureOf(ctx context.Context, table *mdp.Table) (mdp.Structure, error) {
	ui.ProgressOf(ctx).Phase("classifying")
	return ui.Soon(ctx, 0, func() (mdp.Structure, error) { return mdp.Analyze(table), nil })
}

// isAperiodic says whether every maximal end component is aperiodic. In continuous time
// all are.
func isAperiodic(kind mdpio.Kind, structure mdp.Structure) bool {
	return kind == mdpio.CTMC || structure.Period == 1
}

// extentOf returns the least, mean and greatest length of lists that are stored one
// after the other. starts holds the start of each, and the end of the last.
func extentOf(starts []int32) extent {
	n := len(starts) - 1
	e := extent{least: int(starts[1] - starts[0]), mean: float64(starts[n]) / float64(n)}
	for i := range n {
		length := int(starts[i+1] - starts[i])
		e.least, e.greatest = min(e.least, length), max(e.greatest, length)
	}
	return e
}

func (d *description) record() ui.Record {
	m := d.model
	var labels, rewards []ui.Record
	for _, name := range slices.Sorted(maps.Keys(m.Labels)) {
		labels = append(labels, ui.Record{{"label", name}, {"states", len(m.Labels[name])}})
	}
	for i := range m.Rewards {
		r := &m.Rewards[i]
		rewards = append(rewards, ui.Record{
			{"name", r.Name},
			{"state_rewards", nonzero(r.State)},
			{"action_rewards", nonzero(r.Action)},
			{"transition_rewards", nonzero(r.Transition)},
		})
	}
	initial := make([]int, len(m.Initial))
	for i, s := range m.Initial {
		initial[i] = int(s)
	}
	answer := ui.Record{
		{"file", d.path},
		{"kind", m.Kind.String()},
		{"states", m.NumStates()},
		{"choices", m.NumChoices()},
		{"transitions", m.NumTransitions()},
		{"initial", initial},
		{"labels", labels},
		{"reward_models", rewards},
		{"classification", d.structure.Classification},
		{"aperiodic", isAperiodic(m.Kind, d.structure)},
	}
	if m.Kind == mdpio.CTMC {
		answer = append(answer, ui.Field{"uniformization_rate", d.table.Rate()})
	} else {
		answer = append(answer, ui.Field{"period", d.structure.Period})
	}
	return append(answer, ui.Record{
		{"components", d.structure.Components},
		{"end_components", d.structure.EndComponents},
		{"actions_min", d.actions.least},
		{"actions_mean", d.actions.mean},
		{"actions_max", d.actions.greatest},
		{"row_min", d.rows.least},
		{"row_mean", d.rows.mean},
		{"row_max", d.rows.greatest},
		{"table_bytes", int(d.tableBytes())},
	}...)
}

func (d *description) tableBytes() int64 {
	return mdp.TableBytes(d.table.NumStates(), d.table.NumChoices(), d.table.NumTransitions())
}

// nonzero returns how many of the numbers are not 0.
func nonzero(numbers mdpio.Numbers) int {
	count := 0
	for _, x := range numbers.Float {
		if x != 0 {
			count++
		}
	}
	return count
}
