// Package model has the verbs for models from files.
package model

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// modelText is for the help of verbs that take a model.
const modelText = `MODEL is a file in the format of Storm (.drn), of PRISM (.tra, with the .sta, .lab,
.srew and .trew beside it) or in JSON (.json), the first and the last also as .gz.`

// modelOperand is the name of a model file among the operands.
const modelOperand = "MODEL"

func kindFlag() cli.Flag {
	return ui.ValueFlag("kind", "`KIND` of a .tra file that does not say it: dtmc or ctmc", "")
}

// readKind reads the kind that a model is said to have; 0 for what its file says.
func readKind(a *ui.Arguments) mdpio.Kind {
	if !a.CLI.IsSet("kind") {
		return 0
	}
	kind, err := mdpio.ParseKind(a.Choice("kind", "dtmc", "ctmc", "mdp"))
	if err != nil {
		return 0 // the fault has been noted
	}
	return kind
}

// readModel reads the model that the first operand names.
func readModel(a *ui.Arguments, exact bool) *mdpio.Model {
	operand, path := ui.Operands(a.CLI.Command)[0], a.CLI.Args().First()
	checkReadTwice(a, operand, path)
	header, err := mdpio.ReadHeader(path)
	if err == nil {
		err = countsOf(header).check(operand, path)
	}
	var model *mdpio.Model
	if err == nil {
		options := mdpio.Options{Exact: exact, Kind: readKind(a)}
		model, err = interruptible(a.CLI.Context, func() (*mdpio.Model, error) { return mdpio.ReadFile(path, options) })
	}
	if err != nil {
		a.Fail(fileFault(operand, path, err))
		return nil
	}
	return model
}

// checkReadTwice refuses pipes and the like: models are read more than once.
func checkReadTwice(a *ui.Arguments, operand, path string) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() { // an error comes again
		a.Fail(ui.UsageErrorf("%s: %q found, which can be read only once; a file on a disk is allowed", operand, path))
	}
}

// fileFault words what keeps a file from being read or written.
func fileFault(operand, path string, err error) error {
	if syntax, ok := errors.AsType[*mdpio.SyntaxError](err); ok {
		return ui.UsageErrorf("%s", syntax.Error())
	}
	var fault *fs.PathError
	switch {
	case ui.IsUsage(err):
		return err
	case errors.Is(err, context.Canceled):
		return ui.EndEarly(ui.ExitInterrupted, "interrupted while reading: there is no answer yet")
	case errors.Is(err, mdpio.ErrFormat):
		return ui.UsageErrorf("%s: %q found; a name that ends in .drn, .json, .drn.gz, .json.gz or .tra is allowed", operand, path)
	case errors.As(err, &fault):
		what := "read"
		if operand == outOperand {
			what = "written"
		}
		return ui.UsageErrorf("%s: %q found; a file that can be %s is allowed (%v)", operand, strings.TrimSuffix(fault.Path, wholefile.Suffix), what, fault.Err)
	}
	text := plainError(err)
	if errors.Is(err, mdpio.ErrRange) {
		text += " (solve --method exact)"
	}
	if !strings.Contains(text, path) {
		text = wording.Quote(path) + ": " + text
	}
	return ui.UsageErrorf("%s: %s", operand, text)
}

// plainError returns what an error of a package says, without the name of the
// package.
func plainError(err error) string {
	text := err.Error()
	for _, prefix := range []string{"mdpio: ", "mdp: ", "verify: ", "exact: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}

// interruptible does what knows no context. If the context ends before, what is
// under way is left to itself: the program is about to end.
func interruptible[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := work()
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// nameFault words what package mdpio says of a name.
func nameFault(a *ui.Arguments, flag string, err error) {
	if err != nil {
		a.Fault(flag, "%s", plainError(err))
	}
}
