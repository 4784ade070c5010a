package model

// The trade-off between two rewards: --pareto.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

const paretoFlag = "pareto"

// paretoText is for the help of solve.
const paretoText = `--pareto NAME finds the trade-off between --reward and the reward model
NAME. NAME is minimised or maximised like --reward, or as NAME:min or NAME:max says. The answer
lists all policies that are best for some weight w of NAME beside --reward, each with its range
of w. Mixtures of neighbours in this list are the whole front: no policy is better in both
rewards. gap is the most that unlisted policies could save, as a share of the
weighted sum of absolute values.`

// readOther reads the other reward of the trade-off.
func readOther(a *ui.Arguments, q asked) property.Objective {
	other, maximize := a.CLI.String(paretoFlag), q.IsMaximized()
	if other == "" {
		a.Fault(paretoFlag, "missing: give the name of a reward model")
	}
	if _, err := q.Model.Reward(other); err != nil {
		if name, sense, ok := strings.Cut(other, ":"); ok && name != "" && (sense == "min" || sense == "max") {
			other, maximize = name, sense == "max"
		}
	}
	if _, err := q.Model.Reward(other); err != nil {
		a.Fault(paretoFlag, "%s", plainError(err))
	}
	if other == q.Reward {
		a.Fault(paretoFlag, "%q is --reward itself: name another reward model", other)
	}
	return property.Objective{Reward: other, Maximize: maximize}
}

// askTradeOff asks about a model, as [ask] does, for two rewards, and returns the second.
func askTradeOff(a *ui.Arguments, of stated, m *modelfile.Model) (q asked, other property.Objective, err error) {
	put := func(m *modelfile.Model) (err error) {
		if of.property == nil {
			if q, err = ask(a, of, m); err == nil {
				other = readOther(a, q)
			}
			return err
		}
		found, all, err := question.OfObjectives(of.property, m)
		if err == nil {
			q, other = asked{path: a.CLI.Args().First(), Asked: found, given: m}, all[1]
		}
		return questionFault(err)
	}
	if err = put(m); err == nil && q.NeedsDigits(other.Reward) {
		err = put(readModel(a, true))
	}
	return q, other, err
}

// runPareto finds the trade-off and prints it.
func runPareto(a *ui.Arguments, q asked, second property.Objective, m ui.Method, picture *figure.File) error {
	other, maximize := second.Reward, second.Maximize
	warnInitial(a, q.Model, "")
	settings := settingsOf(a.CLI, m)
	settings.Record = ui.ProgressOf(a.CLI.Context).Solving(false, m.Settings.Tolerance)
	front, end := limited(a.CLI, m, func() (*mdp.Front, error) { return answer.TradeOff(a.CLI.Context, q.Asked, other, maximize, settings) })
	if front == nil || end != nil && !ui.EndedEarly(end) {
		return (&solution{asked: q}).solveFault(m, end)
	}
	status := ui.EndStatus(end)
	var rows, points []ui.Record
	line, dots := figure.Curve{Kind: figure.Line, Name: "mixtures of two", Look: 1}, figure.Curve{Kind: figure.Dots, Name: "policies", Look: 1}
	for _, p := range front.Points {
		weight := func(x float64) string { return ui.ShortText(x, 7) }
		row := ui.Record{
			{"value", ui.Shown(q.Reward, p.Value)},
			{"other", ui.Shown(other, p.Other)},
			{"weight_from", ui.Shown("weight from", p.From, weight)},
			{"weight_to", ui.Shown("weight to", p.To, weight)},
		}
		rows, points = append(rows, row), append(points, append(slices.Clone(row), q.policyOf(p)))
		dots.Points = append(dots.Points, figure.XY{X: p.Value, Y: p.Other})
	}
	curves := []figure.Curve{dots}
	if len(dots.Points) > 1 {
		line.Points = dots.Points
		curves = append(curves, line)
	}
	if err := picture.Save(func() []figure.Panel {
		return []figure.Panel{{
			Title: "Trade-off between " + wording.Quote(q.Reward) + " and " + wording.Quote(other), Given: given(a),
			X: figure.Axis{Label: q.Reward}, Y: figure.Axis{Label: other}, Curves: curves,
		}}
	}); err != nil {
		return err
	}
	if err := a.Print(ui.Document{
		JSON: ui.Record{
			{"criterion", q.Criterion},
			{"sense", q.Sense},
			{"reward", q.Reward},
			{"other", other},
			{"other_sense", mdp.Sense(map[bool]int{true: 1}[maximize]).String()},
			{"status", status.String()},
			{"gap", front.Gap},
			{"solves", front.Solves},
			{"points", points},
		},
		Rows: rows,
		Text: func(s *ui.Screen) { q.printFront(s, front, rows, other, status) },
	}); err != nil || end == nil {
		return err
	}
	return ui.EndEarly(ui.ExitOf(status), fmt.Sprintf("%v: found %s of the trade-off", status, wording.Count(len(front.Points), "point")))
}

// policyOf returns the policy of a point, or those of each step of a finite horizon.
func (q asked) policyOf(p mdp.FrontPoint) ui.Field {
	if !q.HasSteps() {
		return ui.Field{Name: "policy", Value: p.Policy}
	}
	steps := [][]int32{}
	for step := range q.Steps() {
		steps = append(steps, p.Policy[step*q.Model.NumStates():(step+1)*q.Model.NumStates()])
	}
	return ui.Field{Name: "policies", Value: steps}
}

func (q asked) printFront(s *ui.Screen, front *mdp.Front, rows []ui.Record, other string, status mdp.Status) {
	q.printHead(s, q.title()+", against "+wording.Quote(other))
	s.Item("policies", "%s", s.Styled(ui.Bold, fmt.Sprint(len(front.Points))))
	s.Item("", "%s; no other policy saves more than %s for any weight", s.Styled(ui.StatusStyle(status), ui.StatusWords(status)), ui.PercentText(front.Gap))
	s.Printf("\n")
	s.Records(rows)
}
