// This file holds robots frontier.

package robots

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

func robotsFrontierCommand() *cli.Command {
	return &cli.Command{
		Name:      "frontier",
		Usage:     "the trade-off between starvation and loss, as γ varies",
		UsageText: "mdpsolve robots frontier --from A --to B --robots N --buffer K --lambda L --mu M [options]",
		Description: `Finds all policies that are optimal for some γ from A to B, each with its
range of γ. As γ grows, the queue is empty less often and more pages are lost. No policy, and
no mixture of policies, has both less starvation and less loss than one of these.

The variants of the model are those of mdpsolve robots solve. In JSON, other_costs is
the cost without that of starvation. If --steps is too small for all policies, gap is
the most that missing policies could save, as a share of the cost.

Examples:
  mdpsolve robots frontier --from 0.5 --to 5 --robots 16 --buffer 5 --lambda 0.1 --mu 1
  mdpsolve robots frontier --from 0.5 --to 5 --robots 16 --buffer 5 --lambda 0.1 --mu 1 --plot frontier.svg`,
		Flags: slices.Concat([]cli.Flag{
			ui.ValueFlag("from", "least value `A` of γ", ""),
			ui.ValueFlag("to", "greatest value `B` of γ", ""),
			ui.ValueFlag("steps", "find at most `n` policies, the most important ones first", "1000", "points"),
			ui.ValueFlag("robots", "`N` robots", ""),
			ui.BufferFlag(), ui.LambdaFlag(), ui.MuFlag(),
			ui.TableOutputFlag(), ui.DigitsFlag(),
		}, figure.Flags("the frontier"), variantFlags(), ui.MethodFlags(variantMethods...)),
		Action: ui.Action(runRobotsFrontier),
	}
}

func runRobotsFrontier(a *ui.Arguments) error {
	a.ReadDigits(true)
	c := a.CLI
	settings := robots.FrontierSettings{From: a.Positive("from"), To: a.Positive("to"), MaxPoints: a.Whole("steps", 2)}
	if !(settings.From < settings.To) {
		a.Fault("to", "%s is not valid: use a number above --from", c.String("to"))
	}
	var p robots.Parameters
	if readParameters(a, &p, true) {
		a.Fault("robots", "%s is not valid: use a whole number of 1 or more", ui.Automatic)
	}
	p.StarvationWeight = settings.From
	a.Fail(inputFault(p.Validate()))
	method := a.Method()
	picture := figure.Read(a, frontierPanelCount)
	a.Fail(fitMemory(c.Context, method, p, false))
	frontier, err := search(c.Context, method, func(ctx context.Context, solve mdp.Settings) (*robots.Frontier, error) {
		settings.Solve = solve
		return robots.NewFrontier(ctx, p, settings)
	})
	if isOverflow(err) {
		p.StarvationWeight = settings.To
		return overflowFault(p, "to")
	}
	if frontier == nil || err != nil && !ui.EndedEarly(err) {
		return withoutAnswer(method, p, err)
	}
	status := ui.EndStatus(err)
	fixed := fixedBeside(frontier, p)
	if err := picture.Save(func() []figure.Panel { return frontierPanels(given(a, 0, "gamma"), frontier, fixed) }); err != nil {
		return err
	}
	rows := frontierRows(frontier)
	if err := a.Print(ui.Document{
		JSON: ui.Record{
			{"status", status.String()},
			{"gap", frontier.Gap},
			{"solves", frontier.Solves},
			{"points", rows},
			{"static", fixedRows(fixed)},
		},
		Rows: rows,
		Text: func(s *ui.Screen) { printFrontier(s, p, settings, frontier, rows, status) },
	}); err != nil {
		return err
	}
	if err == nil {
		return nil
	}
	return ui.EndEarly(ui.ExitOf(status), fmt.Sprintf("%v: found %d of the policies, within %s of the optimal cost", status, len(frontier.Points), ui.PercentText(frontier.Gap)))
}

func frontierRows(frontier *robots.Frontier) []ui.Record {
	rows := make([]ui.Record, len(frontier.Points))
	for i, point := range frontier.Points {
		m, other := point.Measures, point.OtherCosts
		rows[i] = ui.Record{
			{"gamma_from", ui.Shown("γ from", point.From, ui.Digits(7))},
			{"gamma_to", ui.Shown("γ to", point.To, ui.Digits(7))},
			{"starvation", ui.Shown("starvation", m.Starvation, ui.PercentText)},
			{"loss_rate", ui.Shown("loss rate", m.LossRate, ui.Digits(6))},
			{"other_costs", other},
			{"gain_from", ui.Shown("cost from", point.From*m.Starvation+other, ui.Digits(7))},
			{"gain_to", ui.Shown("cost to", point.To*m.Starvation+other, ui.Digits(7))},
			{"", ui.Shown("N min", m.RobotsMin)}, // before the mean
			{"robots_mean", ui.Shown("N mean", m.RobotsMean, ui.Digits(5))},
			{"robots_min", m.RobotsMin},
			{"robots_max", ui.Shown("N max", m.RobotsMax)},
			{"robots_mean_by_class", m.RobotsMeanByClass},
			{"pages_mean", m.PagesMean},
			{"activation_rate", m.ActivationRate},
		}
	}
	return rows
}

// fixedBeside returns the fixed numbers of robots near a frontier, for comparison, or else the nearest
// on each side; none for several classes.
func fixedBeside(frontier *robots.Frontier, p robots.Parameters) []robots.StaticMix {
	const room = 1.6
	if len(p.ClassList()) > 1 {
		return nil
	}
	var fixed, nearest []robots.StaticMix
	first, last := frontier.Points[0].Measures, frontier.Points[len(frontier.Points)-1].Measures
	for n := 1; n <= p.ClassList()[0].Robots; n++ {
		mix, err := p.EvaluateStatic(n)
		if err != nil {
			break
		}
		if mix.LossRate > room*last.LossRate {
			nearest = append(nearest, mix)
			break // more robots lose more
		}
		if mix.Starvation <= room*first.Starvation {
			fixed = append(fixed, mix)
		} else {
			nearest = []robots.StaticMix{mix}
		}
	}
	if fixed == nil {
		return nearest
	}
	return fixed
}

func fixedRows(fixed []robots.StaticMix) []ui.Record {
	rows := make([]ui.Record, len(fixed))
	for i, mix := range fixed {
		rows[i] = ui.Record{{"robots", mix.Robots[0]}, {"starvation", mix.Starvation}, {"loss_rate", mix.LossRate}}
	}
	return rows
}

func printFrontier(s *ui.Screen, p robots.Parameters, settings robots.FrontierSettings, frontier *robots.Frontier, rows []ui.Record, status mdp.Status) {
	s.Heading("Starvation against loss as γ varies")
	printClasses(s, p, fmt.Sprintf("   γ = %s … %s", ui.PlainText(settings.From), ui.PlainText(settings.To)))
	printService(s, p)
	s.Printf("\n")
	policies := s.Styled(ui.Bold, fmt.Sprint(len(frontier.Points)))
	switch {
	case status != mdp.Converged:
		s.Item("policies", "%s", policies)
		s.Item("", "%s; no policy saves more than %s at any γ",
			s.Styled(ui.StatusStyle(status), ui.StatusWords(status)), ui.PercentText(frontier.Gap))
	case frontier.Gap > 0:
		s.Item("policies", "%s", policies)
		s.Item("", "no other policy saves more than %s at any γ", ui.PercentText(frontier.Gap))
	default:
		s.Item("policies", "%s, all that are optimal for some γ in the range", policies)
	}
	s.Printf("\n")
	s.Records(rows)
}
