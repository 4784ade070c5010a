package model

// The verb convert.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// ConvertCommand is the verb convert.
func ConvertCommand() *cli.Command {
	return &cli.Command{
		Name:      "convert",
		Usage:     "a model file in another format",
		UsageText: "mdpsolve convert IN OUT [options]",
		ArgsUsage: inOperand + " " + outOperand,
		Description: `IN and OUT are files in JSON (.json), in the format of Storm (.drn), in UMB (.umb),
all also with .gz, or in the format of PRISM (.tra, with the .sta, .lab, .srew and .trew
beside it). The ends of their names say which. UMB is the binary format of PRISM, Storm
and Modest. JSON and UMB hold all that the other formats do. A warning says what OUT
cannot hold. If IN is -, the model is read from standard input, in any format but PRISM's.

The values of --numbers are

  auto      keeps fractions, and all bits of decimals
  double    rounds fractions to float64
  rational  turns decimals into fractions

Examples:
  mdpsolve convert twoservers.tra twoservers.json.gz --kind ctmc
  mdpsolve convert paths.drn paths.umb --numbers double`,
		Flags: []cli.Flag{
			kindFlag(), normalizeFlag(),
			ui.NewChoiceFlag("numbers", "write `NUMBERS`", ui.Automatic, numberKinds...),
			ui.OutputFlag(),
		},
		Action: ui.Action(runConvert),
	}
}

const (
	inOperand  = "IN"
	outOperand = "OUT"
)

// The values of --numbers.
const (
	numbersDouble   = "double"
	numbersRational = "rational"
)

var numberKinds = []string{ui.Automatic, numbersDouble, numbersRational}

func runConvert(a *ui.Arguments) error {
	c := a.CLI
	in, out := c.Args().Get(0), c.Args().Get(1)
	exact := wantsExactNumbers(a, in)
	checkModelName(a, out)
	model := readModel(a, exact)
	lost := losses(model, out)
	if err := writing(c, func() error { return fileFault(outOperand, out, modelfile.WriteFile(out, model)) }); err != nil {
		return err
	}
	for _, what := range lost {
		a.Warn("%s: %s", out, what)
	}
	numbers := numbersDouble
	if exact {
		numbers = numbersRational
	}
	return a.PrintResult(converted{
		in, out, model.Kind.String(), model.NumStates(), model.NumChoices(), model.NumTransitions(), numbers, lost,
	}, func(s *ui.Screen) {
		s.Printf("%s: %v of %s, %s and %s, numbers as %s\n", out, model.Kind,
			ui.Count(model.NumStates(), "state"), ui.Count(model.NumChoices(), "choice"), ui.Count(model.NumTransitions(), "transition"),
			map[string]string{numbersDouble: "decimals", numbersRational: "fractions"}[numbers])
	})
}

// writing writes a file of an answer. After an interruption it lets write finish if that is
// soon, and otherwise leaves the file unchanged.
func writing(c *cli.Context, write func() error) error {
	ui.ProgressOf(c.Context).Phase("writing")
	_, err := ui.Soon(c.Context, 2*ui.Patience, func() (struct{}, error) { return struct{}{}, write() })
	if errors.Is(err, context.Canceled) {
		return ui.EndEarly(ui.ExitInterrupted, "interrupted while writing: files are unchanged")
	}
	return err
}

// converted is the answer of convert.
type converted struct {
	In          string   `json:"in"`
	Out         string   `json:"out"`
	Kind        string   `json:"kind"`
	States      int      `json:"states"`
	Choices     int      `json:"choices"`
	Transitions int      `json:"transitions"`
	Numbers     string   `json:"numbers"`
	Lost        []string `json:"lost" table:"-"`
}

// wantsExactNumbers says whether the numbers of a file are to be kept exactly.
func wantsExactNumbers(a *ui.Arguments, path string) bool {
	switch a.Choice("numbers") {
	case numbersRational:
		return true
	case numbersDouble:
		return false
	}
	checkReadTwice(a, inOperand, path)
	if path == standardInput {
		rational := false
		_, _ = readFrom(a, path, modelfile.Options{Announced: func(h modelfile.Header) error { // errors come again
			rational = h.Rational
			return context.Canceled
		}})
		return rational
	}
	return load(a, inOperand, path, func() (bool, error) { return modelfile.HasFractions(path) })
}

// checkModelName checks the name of the file to write, before a long reading is in vain.
func checkModelName(a *ui.Arguments, path string) {
	a.Fail(fileFault(outOperand, path, modelfile.CheckName(path)))
}

// losses makes a model fit for the format of a file, and says what of it the
// format cannot hold.
func losses(m *modelfile.Model, path string) []string {
	lost := []string{}
	toDRN := strings.HasSuffix(strings.TrimSuffix(path, ".gz"), ".drn")
	toPRISM := strings.HasSuffix(path, ".tra")
	if !toDRN && !toPRISM {
		return lost
	}
	fold := false
	for i := range m.Rewards {
		r := &m.Rewards[i]
		if r.Transition.Len() > 0 && (toDRN || r.Action.Len() > 0) {
			fold = true
			lost = append(lost, fmt.Sprintf("reward model %s: its rewards of transitions are lost, but for their expectation, a reward of actions", wording.Quote(r.Name)))
		}
	}
	if fold {
		m.FoldTransitionRewards()
	}
	if toPRISM {
		if m.Kind == modelfile.CTMC && !slices.ContainsFunc(m.ExitRates().Float, func(x float64) bool { return math.Abs(x-1) > 1e-9 }) {
			lost = append(lost, "all exit rates are 1, and it is read as a DTMC but for --kind ctmc")
		}
		return lost
	}
	if m.StateNames != nil {
		lost = append(lost, "the names of states are lost")
	}
	empty := 0
	for _, states := range m.Labels {
		if len(states) == 0 {
			empty++
		}
	}
	if empty > 0 {
		lost = append(lost, fmt.Sprintf("%s that hold nowhere are lost", ui.Count(empty, "label")))
	}
	return lost
}
