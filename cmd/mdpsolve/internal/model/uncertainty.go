package model

// Models with intervals: --uncertainty, and what nature chooses, in a file.

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

const (
	uncertaintyFlag = "uncertainty"
	natureOut       = "nature-out"
)

// uncertaintyText is for the help of solve.
const uncertaintyText = `In a model with intervals, as in "to": [[STATE, [LOW, HIGH]], …], nature chooses the
probabilities, anew in every step: against you with --uncertainty worst, for you with
best. --nature-out writes the ordinary model in which its choice is fixed. The ends of
intervals, and rewards, are rounded to float64 first.`

// checkUncertainty refuses flags beside a question that are not valid for a model with
// intervals, or for one without.
func checkUncertainty(a *ui.Arguments, m *modelfile.Model) {
	isKnown := func() bool {
		return slices.ContainsFunc(a.Flags, func(f cli.Flag) bool { return f.Names()[0] == uncertaintyFlag })
	}
	switch {
	case m.ZeroWidth: // nature has no choice
	case !m.IsUncertain() && a.CLI.IsSet(natureOut):
		a.Fault(natureOut, "not valid here, because the model has no intervals: leave it out")
	case !m.IsUncertain():
	case !isKnown():
		a.Fail(ui.UsageErrorf("%s: the model has intervals, which are not valid for this verb: use an ordinary model, such as the one that solve --%s writes", modelOperand, natureOut))
	case a.CLI.String("method") == methodExact:
		a.Fault("method", "%s is not valid for a model with intervals: use auto or another", methodExact)
	case a.CLI.IsSet(natureOut) && a.CLI.String("criterion") == question.Finite:
		a.Fault(natureOut, "not valid with --criterion finite, where nature's choice depends on the step: leave it out")
	}
	if m.IsUncertain() {
		a.Refuse("not valid for a model with intervals: use an ordinary model, such as the one that solve --"+natureOut+" writes",
			constraintFlag, paretoFlag, maxRules, distributionFlag)
	}
}

// readNatureOut reads --nature-out; "" if it is not set.
func readNatureOut(a *ui.Arguments) string {
	path := a.CLI.String(natureOut)
	if a.CLI.IsSet(natureOut) {
		a.OnlyWith(natureOut, uncertaintyFlag, a.CLI.IsSet(uncertaintyFlag))
		_, err := modelfile.FormatOf(path)
		a.Fail(fileFault("--"+natureOut, path, err))
		a.CanWrite(natureOut, path)
	}
	return path
}

// writeNature writes the ordinary model in which nature's choice is fixed.
func (s *solution) writeNature(path string) error {
	if path == "" {
		return nil
	}
	m, err := s.Model, error(nil)
	if m.IsUncertain() {
		m, err = certificate.Nature(m, s.result)
	}
	if err == nil {
		err = modelfile.WriteFile(path, m)
	}
	if err != nil {
		return fmt.Errorf("--%s: %w", natureOut, err)
	}
	return nil
}
