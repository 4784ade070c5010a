package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

func policyOutFlag() cli.Flag {
	return valueFlag("policy-out", "save the policy to `FILE`, whose name ends in .json or .csv", "")
}

const policyOutAllowed = "a file that can be written, with a name that ends in .json or .csv,"

// policyOut returns nil where the policy is not to be saved.
func (a *arguments) policyOut() *resultFile {
	return a.resultFile("policy-out", policyOutAllowed, ".json", ".csv")
}

func (f *resultFile) savePolicy(policy *robots.Policy) error {
	return f.write(func(w io.Writer) error {
		if strings.EqualFold(filepath.Ext(f.file.Name()), ".csv") {
			return policy.WriteCSV(w)
		}
		return policy.WriteJSON(w)
	})
}

// readPolicy reads a policy that robots solve has saved.
func (a *arguments) readPolicy(name string) *robots.Policy {
	file, err := os.Open(name)
	if err != nil {
		a.fault("policy", "%q found; optimal, static:N or a file that can be read is allowed (%v)", name, err)
		return nil
	}
	defer func() { _ = file.Close() }() // nothing was written that closing could lose
	policy, err := robots.ReadPolicy(file, name)
	if _, ok := errors.AsType[*robots.FileError](err); ok {
		err = usageErrorf("%v", err) // begins with file:line:column
	} else if err != nil {
		err = usageErrorf("--policy: %v", err)
	}
	if a.err == nil {
		a.err = err
	}
	return policy
}
