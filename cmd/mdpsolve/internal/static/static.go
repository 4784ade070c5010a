// Package static has the verbs for fixed numbers of robots.
package static

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/soon"
	"github.com/mdpsolve/mdpsolve/models/static"
	"github.com/mdpsolve/mdpsolve/queue"
)

// Command is the verb static, with static sweep below it.
func Command() *cli.Command {
	return &cli.Command{
		Name:      "static",
		Usage:     "the best fixed number of robots, or the cost of a given number",
		UsageText: "mdpsolve static --lambda L --mu M --gamma G --buffer K [options]\n       mdpsolve static sweep …",
		Description: `N robots deliver N·λ pages per unit of time to a queue with room for K pages. The pages
are indexed at rate μ. The cost per unit of time is γ·P(empty) + N·λ·P(full). With
--cost loss-probability it is γ·P(empty) + P(full).

The laws of the indexing time, all scaled to the mean 1/μ:

` + queue.LawText() + `

Examples:
  mdpsolve static --lambda 1/20 --mu 1 --gamma 1.4 --buffer 5
  mdpsolve static --lambda 1/20 --mu 1 --gamma 1.4 --buffer 5 --robots 15 -o json
  mdpsolve static --lambda 0.05 --mu 1 --gamma 2 --buffer 10 --service erlang:3`,
		Flags: append(staticFlags("as listed below"),
			ui.ValueFlag("robots", "evaluate `N` robots (default: find the best number)", "")),
		Action:      ui.Action(runStatic),
		Subcommands: []*cli.Command{sweepCommand()},
	}
}

// staticFlags are those of static and static sweep; laws says which --service takes.
func staticFlags(laws string) []cli.Flag {
	return []cli.Flag{
		ui.LambdaFlag(), ui.MuFlag(), ui.GammaFlag(), ui.BufferFlag(),
		ui.ServiceFlag(laws),
		ui.NewChoiceFlag("cost", "charge lost pages by `WHAT`", static.LossRate.String(),
			static.LossRate.String(), static.LossProbability.String()),
		ui.TableOutputFlag(), ui.DigitsFlag(),
	}
}

func runStatic(a *ui.Arguments) error {
	a.ReadDigits(true)
	parameters := static.Parameters{
		ArrivalRate:      a.Positive("lambda"),
		ServiceRate:      a.Positive("mu"),
		StarvationWeight: a.Positive("gamma"),
		Buffer:           a.Whole("buffer", 2),
	}
	readServiceAndCost(a, &parameters)
	robots := 0
	if a.CLI.IsSet("robots") {
		robots = a.Whole("robots", 1)
	}
	ui.ProgressOf(a.CLI.Context).Phase("solving")
	best, err := soon.Do(a.CLI.Context, 0, parameters.Optimize)
	a.Fail(fault(err))
	result := best
	if robots > 0 {
		result, err = parameters.Evaluate(robots)
		a.Fail(inputFault(err))
	}
	return a.PrintRecord(record(result), func(s *ui.Screen) { printStatic(s, parameters, result, best) })
}

// fault returns the error for bad parameters, or for an interruption, since a general law of
// services with a large buffer takes long.
func fault(err error) error {
	if errors.Is(err, context.Canceled) {
		return ui.EndEarly(ui.ExitInterrupted, "interrupted: no answer yet")
	}
	return inputFault(err)
}

// readServiceAndCost reads the flags that say which law and which cost.
func readServiceAndCost(a *ui.Arguments, p *static.Parameters) {
	if a.Choice("cost") == static.LossProbability.String() {
		p.Cost = static.LossProbability
	}
	p.Service = a.Service(p.ServiceRate)
}

// record returns the answer for a number of robots; the shown fields are columns of sweeps.
func record(r static.Result) ui.Record {
	return ui.Record{
		{"robots", ui.Shown("N", r.Robots)},
		{"cost", ui.Shown("cost", r.Cost, ui.Digits(8))},
		{"rho", ui.Shown("ρ", r.Load, ui.Digits(8))},
		{"rho_optimal", ui.Shown("ρ*", r.OptimalLoad, ui.Digits(8))},
		{"starvation", ui.Shown("starvation", r.Starvation, ui.PercentText)},
		{"loss_rate", ui.Shown("loss rate", r.LossRate, ui.Digits(6))},
		{"loss_probability", r.LossProbability},
		{"gamma_critical", r.CriticalWeight},
	}
}

func printStatic(s *ui.Screen, p static.Parameters, r, best static.Result) {
	s.Heading("A fixed number of robots")
	s.Printf("  λ = %s   μ = %s   γ = %s   K = %d   service %s   cost %v\n\n",
		ui.PlainText(p.ArrivalRate), ui.PlainText(p.ServiceRate), ui.PlainText(p.StarvationWeight), p.Buffer, ui.LawWords(p.Service), p.Cost)
	verdict := "the best number"
	if r.Robots != best.Robots {
		verdict = "not the best: see below"
	}
	lines := [][2]string{
		{"robots", s.Styled(ui.Bold, ui.ShortText(float64(r.Robots), 16)) + "  " + verdict},
		{"cost", s.Styled(ui.Bold, s.Plain(r.Cost)) + "  per unit of time"},
		{"load ρ", s.Plain(r.Load) + "  (best ρ* = " + s.Plain(r.OptimalLoad) + ")"},
		{"starvation", "the queue is empty " + s.Percent(r.Starvation) + " of the time"},
		{"loss", s.Percent(r.LossProbability) + " of the pages are lost, " + s.Plain(r.LossRate) + " per unit of time"},
		{"critical γ", s.Plain(r.CriticalWeight) + "  (above it the best load is above 1)"},
	}
	for _, line := range lines {
		s.Printf("  %-12s %s\n", line[0], line[1])
	}
	if r.Robots != best.Robots {
		s.Printf("\n  The best number is %d, at cost %s: %s less.\n", best.Robots, s.Plain(best.Cost),
			s.Percent(1-best.Cost/r.Cost))
	}
}

// inputFault turns errors about parameters into bad usage; other errors are returned unchanged.
func inputFault(err error) error {
	if fault, ok := errors.AsType[*static.ParameterError](err); ok {
		return ui.ParameterFault(fault.Field, fault.Value, fault.Allowed)
	}
	return err
}
