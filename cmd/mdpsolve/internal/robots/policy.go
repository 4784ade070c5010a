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

func savePolicy(f *ui.ResultFile, policy *robots.Policy) error {
	return f.Write(func(w io.Writer) error {
		if isCSV(f.File.Name()) {
			return policy.WriteCSV(w)
		}
		return policy.WriteJSON(w)
	})
}

func isCSV(name string) bool { return strings.EqualFold(filepath.Ext(name), ".csv") }

// readPolicy reads a policy that robots solve has saved.
func readPolicy(a *ui.Arguments, name string) *robots.Policy {
	file, err := os.Open(name)
	if err != nil {
		a.Fault("policy", "%q found; optimal, static:N or a file that can be read is allowed (%v)", name, err)
	}
	defer func() { _ = file.Close() }() // nothing was written that closing could lose
	policy, err := robots.ReadPolicy(file, name)
	if _, ok := errors.AsType[*robots.FileError](err); ok {
		err = ui.UsageErrorf("%v", err) // begins with file:line:column
	} else if err != nil {
		err = ui.UsageErrorf("--policy: %v", err)
	}
	a.Fail(err)
	return policy
}
