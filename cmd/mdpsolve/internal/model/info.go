package model

// The verb info: the command, and its answer for programs.

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
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
  weakly-communicating  the same, except for states that no policy returns to
  multichain            the best long-run average may depend on the state

` + modelText + `

Examples:
  mdpsolve info paths.drn
  mdpsolve info twoservers.tra --kind ctmc -o json`,
		Flags:  []cli.Flag{kindFlag(), normalizeFlag(), ui.OutputFlag()},
		Action: ui.Action(runInfo),
	}
}

// description is what info reports about a model.
type description struct {
	File           string       `json:"file"`
	Kind           string       `json:"kind"`
	States         int          `json:"states"`
	Choices        int          `json:"choices"`
	Transitions    int          `json:"transitions"`
	Intervals      int          `json:"intervals,omitempty"` // transitions whose values are not known
	Initial        []int32      `json:"initial" table:"-"`
	Labels         []labelled   `json:"labels" table:"-"`
	Rewards        []rewardKind `json:"reward_models" table:"-"`
	Classification string       `json:"classification"`
	Aperiodic      bool         `json:"aperiodic"`
	Rate           *float64     `json:"uniformization_rate,omitempty"` // in continuous time
	Period         *int         `json:"period,omitempty"`              // of other models
	Components     int          `json:"components"`
	EndComponents  int          `json:"end_components"`
	ActionsMin     int          `json:"actions_min"`
	ActionsMean    float64      `json:"actions_mean"`
	ActionsMax     int          `json:"actions_max"`
	RowMin         int          `json:"row_min"`
	RowMean        float64      `json:"row_mean"`
	RowMax         int          `json:"row_max"`
	TableBytes     int64        `json:"table_bytes"`
}

// labelled is how many states a label holds at.
type labelled struct {
	Label  string `json:"label"`
	States int    `json:"states"`
}

// rewardKind is how many rewards of a reward model are not 0.
type rewardKind struct {
	Name        string `json:"name"`
	States      int    `json:"state_rewards"`
	Actions     int    `json:"action_rewards"`
	Transitions int    `json:"transition_rewards"`
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
	d := &description{
		Labels: []labelled{}, Rewards: []rewardKind{}, // not null in JSON
		File: path, Kind: m.Kind.String(), States: m.NumStates(), Choices: m.NumChoices(), Transitions: m.NumTransitions(), Initial: m.Initial,
		Classification: structure.Classification, Aperiodic: isAperiodic(m.Kind, structure),
		Components: structure.Components, EndComponents: structure.EndComponents,
		TableBytes: mdp.TableBytes(table.NumStates(), table.NumChoices(), table.NumTransitions()),
	}
	d.ActionsMin, d.ActionsMean, d.ActionsMax = extentOf(m.StateStart)
	d.RowMin, d.RowMean, d.RowMax = extentOf(m.RowStart)
	for _, name := range slices.Sorted(maps.Keys(m.Labels)) {
		d.Labels = append(d.Labels, labelled{name, len(m.Labels[name])})
	}
	for _, r := range m.Rewards {
		d.Rewards = append(d.Rewards, rewardKind{r.Name, nonzero(r.State), nonzero(r.Action), nonzero(r.Transition)})
	}
	d.Intervals = m.NumUncertain()
	if m.Kind.IsContinuous() {
		if rate := table.Rate(); d.Intervals == 0 {
			d.Rate = &rate
		}
	} else {
		d.Period = &structure.Period
	}
	return a.PrintResult(d, func(s *ui.Screen) { printInfo(s, d, m, structure) })
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
	return ui.Soon(ctx, 0, func() (mdp.Structure, error) { return mdp.Analyze(table), nil })
}

// isAperiodic says whether every maximal end component is aperiodic. In continuous time
// all are.
func isAperiodic(kind modelfile.Kind, structure mdp.Structure) bool {
	return kind.IsContinuous() || structure.Period == 1
}

// extentOf returns the least, mean and greatest length of lists that are stored one
// after the other. starts holds the start of each, and the end of the last.
func extentOf(starts []int32) (least int, mean float64, greatest int) {
	n := len(starts) - 1
	least = math.MaxInt
	for i := range n {
		length := int(starts[i+1] - starts[i])
		least, greatest = min(least, length), max(greatest, length)
	}
	return least, float64(starts[n]) / float64(n), greatest
}

// nonzero returns how many of the numbers are not 0.
func nonzero(numbers modelfile.Numbers) int {
	count := 0
	for _, x := range numbers.Float {
		if x != 0 {
			count++
		}
	}
	return count
}
