package model

// The verb info: the command, and its answer for programs.

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/soon"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// InfoCommand is the verb info.
func InfoCommand() *cli.Command {
	return &cli.Command{
		Name:      "info",
		Usage:     "what a model file holds, and what kind of process it is",
		UsageText: "mdpsolve info MODEL [options]",
		ArgsUsage: modelOperand,
		Description: `Prints the numbers of states, choices and transitions; the labels, for solve --target;
the reward models, for solve --reward; and the structure. A choice is an action in a
state. The structure is the first of these that is known to be true:

  unichain              every policy has one closed class
  communicating         some policy leads from any state to any other
  weakly-communicating  the same, except states that all policies leave for good
  multichain            the best long-run average may depend on the state

` + modelText + `

Examples:
  mdpsolve info paths.drn
  mdpsolve info twoservers.tra --kind ctmc -o json`,
		Flags:  []cli.Flag{kindFlag(), normalizeFlag(), ui.OutputFlag()},
		Action: ui.Action(runInfo),
	}
}

func runInfo(a *ui.Arguments) error {
	path, m := a.CLI.Args().First(), readModel(a, false)
	table, err := m.Table(anyReward(m))
	if m.IsUncertain() {
		table, err = m.GraphTable()
	}
	if err != nil {
		return fileFault(modelOperand, path, err)
	}
	structure, err := structureOf(a.CLI.Context, table)
	if err != nil {
		return fileFault(modelOperand, path, err)
	}
	d := &description{Model: m, file: path, structure: structure, actions: extentOf(m.StateStart), rows: extentOf(m.RowStart)}
	d.bytes = mdp.TableBytes(table.NumStates(), table.NumChoices(), table.NumTransitions())
	d.rate = table.Rate()
	return a.PrintRecord(d.record(), func(s *ui.Screen) { printInfo(s, d) })
}

// description is what info finds out about a model.
type description struct {
	*modelfile.Model
	file          string
	structure     mdp.Structure
	actions, rows extent  // actions of a state, transitions of a choice
	rate          float64 // see isUniformized
	bytes         int64
}

// isUniformized reports whether the model has a uniformization rate: whether it is in continuous
// time, without intervals.
func (d *description) isUniformized() bool { return d.Kind.IsContinuous() && d.NumUncertain() == 0 }

func (d *description) record() ui.Record {
	intervals, structure := d.NumUncertain(), d.structure
	return slices.Concat(
		ui.Record{
			{"file", d.file},
			{"kind", d.Kind.String()},
			{"states", d.NumStates()},
			{"choices", d.NumChoices()},
			{"transitions", d.NumTransitions()},
		},
		ui.When(intervals > 0, ui.Record{{"intervals", intervals}}),
		ui.Record{
			{"initial", ui.OnlyJSON(d.Initial)},
			{"labels", ui.OnlyJSON(d.labels())},
			{"reward_models", ui.OnlyJSON(d.rewards())},
			{"classification", structure.Classification},
			{"aperiodic", isAperiodic(d.Kind, structure)},
		},
		ui.When(d.isUniformized(), ui.Record{{"uniformization_rate", d.rate}}),
		ui.When(!d.Kind.IsContinuous(), ui.Record{{"period", structure.Period}}),
		ui.Record{
			{"components", structure.Components},
			{"end_components", structure.EndComponents},
			{"actions_min", d.actions.least},
			{"actions_mean", d.actions.mean},
			{"actions_max", d.actions.greatest},
			{"row_min", d.rows.least},
			{"row_mean", d.rows.mean},
			{"row_max", d.rows.greatest},
			{"table_bytes", int(d.bytes)},
		},
	)
}

// labels says at how many states each label holds.
func (d *description) labels() []ui.Record {
	rows := []ui.Record{} // not null in JSON
	for _, name := range slices.Sorted(maps.Keys(d.Labels)) {
		rows = append(rows, ui.Record{
			{"", ui.ShownLeft("label", wording.Short(name))},
			{"label", name},
			{"states", ui.Shown("states", len(d.Labels[name]))},
		})
	}
	return rows
}

// rewards says how many rewards of each reward model are not 0.
func (d *description) rewards() []ui.Record {
	rows := []ui.Record{}
	for _, r := range d.Rewards {
		states, actions, transitions := r.State.CountNonzero(), r.Action.CountNonzero(), r.Transition.CountNonzero()
		var parts []string
		for i, number := range []int{states, actions, transitions} {
			if number > 0 {
				parts = append(parts, wording.Count(number, []string{"state", "choice", "transition"}[i]))
			}
		}
		rows = append(rows, ui.Record{
			{"", ui.ShownLeft("reward model", wording.Short(r.Name))},
			{"", ui.Shown("rewards", "of "+strings.Join(parts, " and "))},
			{"name", r.Name},
			{"state_rewards", states},
			{"action_rewards", actions},
			{"transition_rewards", transitions},
		})
	}
	return rows
}

// anyReward returns the name of the first reward model, "" if there is none. It serves
// where the structure of the model matters and its rewards do not.
func anyReward(m *modelfile.Model) string {
	if len(m.Rewards) == 0 {
		return ""
	}
	return m.Rewards[0].Name
}

func structureOf(ctx context.Context, table *mdp.Table) (mdp.Structure, error) {
	ui.ProgressOf(ctx).Phase("classifying")
	return soon.Do(ctx, 0, func() (mdp.Structure, error) { return mdp.Analyze(table), nil })
}

// isAperiodic says whether every maximal end component is aperiodic. In continuous time
// all are.
func isAperiodic(kind modelfile.Kind, structure mdp.Structure) bool {
	return kind.IsContinuous() || structure.Period == 1
}

// extent is the least, the greatest and the mean length of some lists.
type extent struct {
	least, greatest int
	mean            float64
}

// extentOf returns the extent of lists that are stored one after the other. starts holds the
// start of each, and the end of the last.
func extentOf(starts []int32) extent {
	n := len(starts) - 1
	of := extent{least: math.MaxInt, mean: float64(starts[n]) / float64(n)}
	for i := range n {
		length := int(starts[i+1] - starts[i])
		of.least, of.greatest = min(of.least, length), max(of.greatest, length)
	}
	return of
}
