package model

// The verb evaluate.

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// EvaluateCommand is the verb evaluate.
func EvaluateCommand() *cli.Command {
	return &cli.Command{
		Name:  "evaluate",
		Usage: "the value of a given policy from each state, with bounds",
		UsageText: "mdpsolve evaluate MODEL [--policy FILE] --criterion " + strings.Join(question.Criteria, "|") + " [options]\n" +
			"mdpsolve evaluate MODEL [--policy FILE] --property PROPERTY|FILE:NAME [options]",
		ArgsUsage: modelOperand,
		Description: policyFilesText + `

The answer has the form of that of mdpsolve solve, with proved bounds for the numbers as
MODEL and FILE have them. With --criterion finite, a single policy is used in every step. To
check the file of --out, use mdpsolve check, with --policy FILE if the policy is
randomised.

--distribution prints, for each X, the probability that the total from the initial state
is at most X, the probability that it is above, and the mean excess over X; then some
quantiles and the conditional value at risk (CVaR), the mean of the worst cases. The
total ends at a target, and its rewards are then 0 or more, or after a finite horizon. In a
CTMC, it is the time until the target. Give X as ` + ui.ListText + `.

--plot draws what the policy is worth or, with --show, its actions, or where it is, as
mdpsolve help solve explains.

` + modelText + `

Examples:
  mdpsolve evaluate taxicab.json --policy policy.csv --criterion average
  mdpsolve evaluate taxicab.json --policy policy.csv --criterion discounted --discount 9/10 -o json
  mdpsolve evaluate taxicab.json --policy policy.csv --criterion average --plot policy.svg --show policy,value
  mdpsolve evaluate paths.drn --policy scheduler.json --criterion total --target goal --out value.json
  mdpsolve evaluate paths.drn --policy scheduler.json --property 'P=? [F "goal"]'
  mdpsolve evaluate paths.drn --policy scheduler.json --criterion total --target goal --distribution 0:20:1`,
		Flags: slices.Concat([]cli.Flag{policyFlag("evaluate the policy in `FILE`")}, questionFlags("the policy seeks"), propertyFlags("the value of `PROPERTY`, or of FILE:NAME"), []cli.Flag{
			kindFlag(), normalizeFlag(),
			ui.ValueFlag("out", "write the result with its certificate to `FILE` (.json, .json.gz or, for NumPy, .npz)", ""),
			ui.ValueFlag(distributionFlag, "print the distribution of the total at `X`, a number or several (see below)", ""),
			ui.TableOutputFlag(), ui.DigitsFlag(),
		}, figure.Flags("what --show says"), viewFlags(showsOfOne), choosingFlags(), methodFlags(", as in mdpsolve help solve")),
		Action: ui.Action(runEvaluate),
	}
}

func runEvaluate(a *ui.Arguments) error {
	refuseChoosing(a)
	if a.CLI.IsSet(distributionFlag) {
		if a.CLI.IsSet(propertyFlag) {
			a.Fault(propertyFlag, "not valid with --%s: use --criterion", distributionFlag)
		}
		return runDistribution(a)
	}
	r := readRequest(a, true)
	f := readFollowed(a, r.stated, r.method.Name == methodExact, false)
	return (&solution{asked: f.asked(), of: f}).finish(r)
}
