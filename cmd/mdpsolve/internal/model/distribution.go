package model

// The distribution of a total under a policy: evaluate --distribution.

import (
	"errors"
	"math/big"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/soon"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

const distributionFlag = "distribution"

// ofDistributions are the flags of a question that may stand beside --distribution.
var ofDistributions = []string{"criterion", "target", "horizon", "terminal", "minimize", "maximize", "reward", uncertaintyFlag}

func runDistribution(a *ui.Arguments) error {
	a.ReadDigits(false)
	of := readStated(a)
	q, x := of.question, a.Fractions(distributionFlag)
	a.OnlyWith(distributionFlag, "criterion total or finite", q.Criterion == question.Total || q.HasSteps())
	refused := []string{"method", "tolerance", "max-iterations", "time-limit", "out"}
	for _, flag := range questionFlags("") {
		if name := flag.Names()[0]; !slices.Contains(ofDistributions, name) {
			refused = append(refused, name)
		}
	}
	a.Refuse("not valid with --distribution: leave it out", refused...)
	slices.SortFunc(x, (*big.Rat).Cmp)
	f, ctx := readFollowed(a, of, true, true), a.CLI.Context
	warnInitial(a, f.Model, "")
	settings := settingsOf(a.CLI, ui.Method{Settings: mdp.Settings{Workers: a.Workers()}})
	d, err := soon.Do(ctx, ui.Patience, func() (*answer.Totals, error) { return answer.Distribution(ctx, f.Followed, x, settings) })
	if _, ok := errors.AsType[*question.Error](err); ok {
		return questionFault(err)
	}
	switch {
	case errors.Is(err, mdp.ErrTooLarge):
		return ui.UsageErrorf("--distribution: up to %s in units of %s, which divide all rewards, is too much: use a lower total, or rewards of fewer digits (%s)",
			number.Short(x[len(x)-1]), number.Short(d.Unit), plainError(err))
	case err != nil:
		return (&solution{asked: f.asked()}).solveFault(ui.Method{Name: ui.MethodAuto}, err)
	}
	var points, levels []ui.Record
	for _, p := range d.Points {
		points = append(points, slices.Concat(ui.Record{{"x", ui.Shown("x", p.X)}}, listed("at_most", p.AtMost), listed("above", p.Above), listed("excess", p.Excess)))
	}
	for _, level := range []float64{0.5, 0.9, 0.95, 0.99} {
		levels = append(levels, slices.Concat(ui.Record{{"level", ui.Shown("level", level)}}, listed("quantile", d.Quantile(level)), listed("cvar", d.CVaR(level))))
	}
	ends := ui.Field{Name: "target", Value: q.Target}
	if q.HasSteps() {
		ends = ui.Field{Name: "horizon", Value: q.Steps()}
	}
	all := slices.Concat(ui.Record{{"criterion", q.Criterion}, {"reward", f.Reward}, ends, {"initial", int(f.Model.Initial[0])}, f.policyField()},
		enclosed("mean", d.Mean), enclosed("never", d.Never), ui.Record{{"distribution", points}, {"quantiles", levels}})
	return a.Print(ui.Document{JSON: all, Rows: points, Text: func(s *ui.Screen) {
		f.asked().printHead(s, f.asked().title()+", its distribution")
		f.printPolicy(s)
		s.Item("mean", "%s from state %s", s.Styled(ui.Bold, digits(d.Mean)), f.Model.StateName(int(f.Model.Initial[0])))
		if d.Never.Upper > 0 {
			s.Item("never", "the target is not reached with probability %s", digits(d.Never))
		}
		for _, rows := range [][]ui.Record{points, levels} {
			s.Printf("\n")
			s.Records(rows)
		}
	}})
}

// listed is [enclosed] with a column of a table.
func listed(name string, b mdp.Bounds) ui.Record {
	return append(enclosed(name, b), ui.Field{Value: ui.Shown(strings.ReplaceAll(name, "_", " "), digits(b))})
}

// enclosed returns the fields of a number: the middle of its bounds, and the bounds.
func enclosed(name string, b mdp.Bounds) ui.Record {
	return ui.Record{{name, orInfinite(middle(b))}, {name + "_lower", orInfinite(b.Lower)}, {name + "_upper", orInfinite(b.Upper)}}
}

func middle(b mdp.Bounds) float64 {
	if b.Lower == b.Upper { // also if infinite
		return b.Lower
	}
	return b.Lower + (b.Upper-b.Lower)/2
}

// digits returns a number as text: a decimal if its bounds agree within 1e-10, and otherwise the
// bounds.
func digits(b mdp.Bounds) string {
	if mdp.Within(b.Lower, b.Upper, 0, 1e-10) {
		return ui.PlainText(middle(b))
	}
	return ui.Interval(b.Lower, b.Upper)
}
