package model

// Models with intervals: --uncertainty, and what nature chooses, in a file.

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
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

// checkUncertainty looks whether a question, and the flags beside it, fit a model that has
// intervals or none.
func (q question) checkUncertainty(a *ui.Arguments, m *modelfile.Model) {
	isKnown := slices.ContainsFunc(a.CLI.Command.Flags, func(f cli.Flag) bool { return f.Names()[0] == uncertaintyFlag })
	switch {
	case m.ZeroWidth: // nature has no choice
	case !m.IsUncertain():
		for _, flag := range []string{uncertaintyFlag, natureOut} {
			if a.CLI.IsSet(flag) {
				a.Fault(flag, "not valid here, because the model has no intervals: leave it out")
			}
		}
	case !isKnown:
		a.Fail(ui.UsageErrorf("%s: the model has intervals, and this verb is for ordinary models, such as that of nature's choice, which solve --%s writes", modelOperand, natureOut))
	case q.uncertainty == "":
		a.Fail(ui.UsageErrorf("the model has intervals: give --%s worst or --%s best", uncertaintyFlag, uncertaintyFlag))
	case !q.hasSense:
		a.Fail(ui.UsageErrorf("the model has intervals: give --minimize or --maximize, so that worst and best have a meaning"))
	case q.criterion == criterionTotal && q.target == "":
		a.Fault("target", "missing: a total in a model with intervals needs the label of the states where it ends")
	case a.CLI.String("method") == methodExact:
		a.Fault("method", "%s is not valid for a model with intervals: use auto or another", methodExact)
	case a.CLI.IsSet(natureOut) && q.criterion == criterionFinite:
		a.Fault(natureOut, "not valid with --criterion finite, where nature's choice depends on the step: leave it out")
	}
	for _, flag := range []string{constraintFlag, paretoFlag, maxRules, distributionFlag} {
		if m.IsUncertain() && a.CLI.IsSet(flag) {
			a.Fault(flag, "not valid for a model with intervals, only for ordinary ones, such as that of nature's choice, which solve --%s writes", natureOut)
		}
	}
}

// readNatureOut reads the file for what nature chooses; "" for none.
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
	m, err := s.model, error(nil)
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

// solveUncertain finds the best answer that there is for a model with intervals.
func (s *solution) solveUncertain(c *cli.Context, m ui.Method) error {
	model, err := s.model.Uncertain(s.question.reward)
	if err == nil && s.structure.Classification == "" {
		var graph *mdp.Table
		if graph, err = s.model.GraphTable(); err == nil {
			s.structure, err = structureOf(c.Context, graph)
		}
	}
	if err != nil {
		return fileFault(modelOperand, s.path, err)
	}
	s.rate = model.Rate()
	nature, settings := mdp.Worst, s.watched(c, m)
	if s.question.uncertainty == mdp.Best.String() {
		nature = mdp.Best
	}
	result, err := mdp.SolveUncertain(c.Context, model, nature, s.noted(), settings)
	switch {
	case errors.Is(err, mdp.ErrUnsupported) && m.Name == ui.MethodAuto:
		return ui.UsageErrorf("%s: %q: %s", modelOperand, s.path, plainError(err))
	case result == nil:
		return s.solveFault(m, err)
	}
	s.keep(result.Result, m.Settings.Tolerance)
	return nil
}
