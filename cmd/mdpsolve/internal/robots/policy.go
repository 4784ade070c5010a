// This file reads and writes the files of policies.

package robots

import (
	"os"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

func policyOutFlag() cli.Flag {
	return ui.Group(ui.OutputGroup, ui.ValueFlag("policy-out", "save the policy to `FILE`, which ends in .json", ""))[0]
}

// readPolicy reads a policy saved by robots solve.
func readPolicy(a *ui.Arguments, name string) *robots.Policy {
	file, err := os.Open(name)
	if err != nil {
		a.Fault("policy", "%q is not valid: use optimal, adaptive, static:N or a file (%v)", name, err)
	}
	defer func() { _ = file.Close() }() // nothing was written that closing could lose
	policy, err := robots.ReadPolicy(file, name)
	if err != nil {
		a.Fail(ui.UsageErrorf("%v", err)) // begins with the name of the file
	}
	return policy
}
