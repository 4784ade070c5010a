package robots

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

func policyOutFlag() cli.Flag {
	return ui.ValueFlag("policy-out", "save the policy to `FILE`, whose name ends in .json or .csv", "")
}

const policyOutAllowed = "a file that can be written, with a name that ends in .json or .csv,"

// policyOut returns nil where the policy is not to be saved.
func policyOut(a *ui.Arguments) *ui.ResultFile {
	return a.ResultFile("policy-out", policyOutAllowed, ".json", ".csv")
}

// savedPolicy is a policy that can be saved: always as JSON, and one of the plain
// model also as CSV.
type savedPolicy interface{ WriteJSON(w io.Writer) error }

func savePolicy(f *ui.ResultFile, policy savedPolicy) error {
	return f.Write(func(w io.Writer) error {
		if plain, ok := policy.(*robots.Policy); ok && isCSV(f.File.Name()) {
			return plain.WriteCSV(w)
		}
		return policy.WriteJSON(w)
	})
}

func isCSV(name string) bool { return strings.EqualFold(filepath.Ext(name), ".csv") }

// isPlain reports whether a fleet is one of the plain model, by its flags a
// variant or not.
func isPlain(f robots.Fleet) bool {
	return len(f.Classes) == 1 && f.Service == nil && f.HoldingCost == 0 && f.RobotCost == 0 && f.ActivationCost == 0
}

// toSave returns a policy in the form in which it is saved.
func toSave(policy *robots.FleetPolicy) savedPolicy {
	if isPlain(policy.Fleet()) {
		if plain, ok := policy.Policy(); ok {
			return plain
		}
	}
	return policy
}

// readPolicy reads a policy that robots solve has saved.
func readPolicy(a *ui.Arguments, name string) *robots.FleetPolicy {
	file, err := os.Open(name)
	if err != nil {
		a.Fault("policy", "%q found; optimal, static:N or a file that can be read is allowed (%v)", name, err)
	}
	defer func() { _ = file.Close() }() // nothing was written that closing could lose
	policy, err := robots.ReadFleetPolicy(file, name)
	if _, ok := errors.AsType[*robots.FileError](err); ok {
		err = ui.UsageErrorf("%v", err) // begins with file:line:column
	} else if err != nil {
		err = ui.UsageErrorf("--policy: %v", err)
	}
	a.Fail(err)
	return policy
}
