package main

import (
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/models/static"
	"github.com/mdpsolve/mdpsolve/queue"
)

func staticCommand() *cli.Command {
	return &cli.Command{
		Name:      "static",
		Usage:     "the best fixed number of robots, or what a given number costs",
		UsageText: "mdpsolve static --lambda L --mu M --gamma G --buffer K [options]\n       mdpsolve static sweep …",
		Description: `N robots bring N·λ pages per unit of time to a queue with room for K, and pages
are indexed at rate μ. The cost per unit of time is γ·P(empty) + N·λ·P(full).

The indexing time has mean 1/μ and one of these laws: exponential, deterministic,
erlang:k, gamma:shape, uniform:a,b, hyperexponential:p1@m1,p2@m2,… (weights and
means), sample:FILE (times) or ph:FILE (a phase-type law: probabilities, then rates).

Examples:
  mdpsolve static --lambda 1/20 --mu 1 --gamma 1.4 --buffer 5
  mdpsolve static --lambda 1/20 --mu 1 --gamma 1.4 --buffer 5 --robots 15 -o json
  mdpsolve static --lambda 0.05 --mu 1 --gamma 2 --buffer 10 --service erlang:3`,
		Flags: append(staticFlags(),
			valueFlag("robots", "evaluate `N` robots (default: find the best number)", "")),
		Action:      runStatic,
		Subcommands: []*cli.Command{staticSweepCommand()},
	}
}

// staticFlags are those of static and static sweep.
func staticFlags() []cli.Flag {
	return []cli.Flag{
		lambdaFlag(), muFlag(), gammaFlag(), bufferFlag(),
		valueFlag("service", "`LAW` of the indexing time (see above)", "exponential"),
		valueFlag("cost", "charge lost pages by `WHAT`: "+static.LossRate.String()+" or "+static.LossProbability.String(),
			static.LossRate.String()),
		outputFlag(),
	}
}

func runStatic(c *cli.Context) error {
	a := &arguments{context: c}
	format := a.format()
	parameters := static.Parameters{
		ArrivalRate:      a.positive("lambda"),
		ServiceRate:      a.positive("mu"),
		StarvationWeight: a.positive("gamma"),
		Buffer:           a.whole("buffer", 2),
	}
	a.serviceAndCost(&parameters)
	var robots int
	if c.IsSet("robots") {
		robots = a.whole("robots", 1)
	}
	if a.err != nil {
		return a.err
	}
	best, err := parameters.Optimize()
	if err != nil {
		return inputFault(err)
	}
	result := best
	if robots > 0 {
		if result, err = parameters.Evaluate(robots); err != nil {
			return inputFault(err)
		}
	}
	answer := staticRecord(result)
	return document{
		json: answer,
		rows: []record{answer},
		text: func(s *screen) { printStatic(s, parameters, result, best) },
	}.write(c, format)
}

// serviceAndCost reads the flags that say which law and which cost.
func (a *arguments) serviceAndCost(p *static.Parameters) {
	cost, err := static.ParseCost(a.context.String("cost"))
	if err != nil {
		a.fault("cost", "%v", err)
	}
	p.Cost = cost
	text := a.context.String("service")
	if a.err != nil || text == "exponential" {
		return
	}
	open := func(name string) (io.ReadCloser, error) { return os.Open(name) }
	if p.Service, err = queue.ParseLaw(text, 1/p.ServiceRate, open); err != nil {
		a.fault("service", "%v", err)
	}
}

func staticRecord(r static.Result) record {
	return record{
		{"robots", r.Robots},
		{"cost", r.Cost},
		{"rho", r.Load},
		{"rho_optimal", r.OptimalLoad},
		{"starvation", r.Starvation},
		{"loss_rate", r.LossRate},
		{"loss_probability", r.LossProbability},
		{"gamma_critical", r.CriticalWeight},
	}
}

func printStatic(s *screen, p static.Parameters, r, best static.Result) {
	s.heading("A fixed number of robots")
	s.printf("  λ = %s   μ = %s   γ = %s   K = %d   service %s   cost %v\n\n",
		plainText(p.ArrivalRate), plainText(p.ServiceRate), plainText(p.StarvationWeight), p.Buffer, serviceName(p), p.Cost)
	verdict := "the best number"
	if r.Robots != best.Robots {
		verdict = "not the best: see below"
	}
	lines := [][2]string{
		{"robots", s.styled(bold, shortText(float64(r.Robots), 16)) + "  " + verdict},
		{"cost", s.styled(bold, plainText(r.Cost)) + "  per unit of time"},
		{"load ρ", plainText(r.Load) + "  (best ρ* = " + plainText(r.OptimalLoad) + ")"},
		{"starvation", "the queue is empty " + percentText(r.Starvation) + " of the time"},
		{"loss", percentText(r.LossProbability) + " of the pages are lost, " + plainText(r.LossRate) + " per unit of time"},
		{"critical γ", plainText(r.CriticalWeight) + "  (above it the best load is above 1)"},
	}
	for _, line := range lines {
		s.printf("  %-12s %s\n", line[0], line[1])
	}
	if r.Robots != best.Robots {
		s.printf("\n  The best number is %d robots, at cost %s: %s less.\n", best.Robots, plainText(best.Cost),
			percentText(1-best.Cost/r.Cost))
	}
}

func serviceName(p static.Parameters) string {
	if p.Service == nil {
		return "exponential"
	}
	return p.Service.String()
}
