package model

// The verb convert.

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/soon"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
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
		Description: `IN and OUT are files whose names tell the format, also with .gz after it:

` + modelfile.FormatText() + `

JSON holds every model. If OUT cannot hold something, the verb warns of what is lost, or
refuses. If IN is -, the model is read from standard input, in any format of one file.

The values of --numbers are

  auto      keeps fractions and long decimals; other decimals become float64
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
	format, err := modelfile.FormatOf(out)
	a.Fail(fileFault(outOperand, out, err)) // before time is spent on reading
	numbers, digits := a.Choice("numbers"), &modelfile.Digits{}
	model := readNoting(a, numbers == numbersRational || numbers == ui.Automatic && saysRational(a, in), digits)
	if numbers == ui.Automatic && digits.Fractions && !model.IsExact() {
		model = readModel(a, true)
	}
	lost := append([]string{}, format.Fit(model)...)
	if !model.IsExact() && (digits.Fractions || digits.Rounded) {
		lost = append(lost, "numbers that float64 cannot hold are rounded (--numbers rational keeps them)")
	}
	if len(lost) > 0 && wholefile.Same(in, out) {
		return ui.UsageErrorf("%s: %q is %s, of which something would be lost: %s: use another name", outOperand, out, inOperand, lost[0])
	}
	if err := writing(c, func() error { return fileFault(outOperand, out, modelfile.WriteFile(out, model)) }); err != nil {
		return err
	}
	for _, what := range lost {
		a.Warn("%s: %s", out, what)
	}
	numbers = numbersDouble
	if model.IsExact() {
		numbers = numbersRational
	}
	return a.PrintRecord(ui.Record{
		{"in", in},
		{"out", out},
		{"kind", model.Kind.String()},
		{"states", model.NumStates()},
		{"choices", model.NumChoices()},
		{"transitions", model.NumTransitions()},
		{"numbers", numbers},
		{"lost", ui.OnlyJSON(lost)},
	}, func(s *ui.Screen) {
		s.Printf("%s: %v of %s, %s and %s, numbers as %s\n", out, model.Kind,
			wording.Count(model.NumStates(), "state"), wording.Count(model.NumChoices(), "choice"), wording.Count(model.NumTransitions(), "transition"),
			map[string]string{numbersDouble: "decimals", numbersRational: "fractions"}[numbers])
	})
}

// writing writes a file of an answer. After an interruption it lets write finish if that is
// soon, and otherwise leaves the file unchanged.
func writing(c *cli.Context, write func() error) error {
	ui.ProgressOf(c.Context).Phase("writing")
	_, err := soon.Do(c.Context, 2*ui.Patience, func() (struct{}, error) { return struct{}{}, write() })
	if errors.Is(err, context.Canceled) {
		return ui.EndEarly(ui.ExitInterrupted, "interrupted while writing: files are unchanged")
	}
	return err
}

// saysRational reports whether a file says that its numbers are exact ones.
func saysRational(a *ui.Arguments, path string) (rational bool) {
	checkReadTwice(a, inOperand, path)
	return load(a, inOperand, path, func() (bool, error) {
		_, _ = readFrom(a, path, modelfile.Options{Announced: func(h modelfile.Header) error { // the next reading reports errors
			rational = h.Rational
			return context.Canceled
		}})
		return rational, nil
	})
}
