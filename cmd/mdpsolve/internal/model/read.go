package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

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
	return valueFlag("kind", "`KIND` of a .tra file that does not say it: dtmc or ctmc", "")
}

// kind reads the kind that a model is said to have; 0 for what its file says.
func (a *arguments) kind() mdpio.Kind {
	if !a.context.IsSet("kind") {
		return 0
	}
	kind, err := mdpio.ParseKind(a.choice("kind", "dtmc", "ctmc", "mdp"))
	if err != nil {
		return 0 // the fault has been noted
	}
	return kind
}

// model reads the model that the first operand names.
func (a *arguments) model(exact bool) *mdpio.Model {
	if a.err != nil {
		return nil
	}
	operand, path := operands(a.context.Command)[0], a.context.Args().First()
	if a.canReadAgain(operand, path); a.err != nil {
		return nil
	}
	header, err := mdpio.ReadHeader(path)
	if err == nil {
		err = countsOf(header).check(operand, path)
	}
	var model *mdpio.Model
	if err == nil {
		options := mdpio.Options{Exact: exact, Kind: a.kind()}
		model, err = interruptible(a.context.Context, func() (*mdpio.Model, error) { return mdpio.ReadFile(path, options) })
	}
	if err != nil {
		a.err = fileFault(operand, path, err)
		return nil
	}
	return model
}

// canReadAgain refuses pipes and the like: models are read more than once.
func (a *arguments) canReadAgain(operand, path string) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() { // an error comes again
		a.err = usageErrorf("%s: %q found, which can be read only once; a file on a disk is allowed", operand, path)
	}
}

// fileFault words what keeps a file from being read or written.
func fileFault(operand, path string, err error) error {
	if syntax, ok := errors.AsType[*mdpio.SyntaxError](err); ok {
		return usageErrorf("%s", syntax.Error())
	}
	var fault *fs.PathError
	switch {
	case isUsage(err):
		return err
	case errors.Is(err, context.Canceled):
		return endEarly(exitInterrupted, "interrupted while reading: there is no answer yet")
	case errors.Is(err, mdpio.ErrFormat):
		return usageErrorf("%s: %q found; a name that ends in .drn, .json, .drn.gz, .json.gz or .tra is allowed", operand, path)
	case errors.As(err, &fault):
		what := "read"
		if operand == outOperand {
			what = "written"
		}
		return usageErrorf("%s: %q found; a file that can be %s is allowed (%v)", operand, strings.TrimSuffix(fault.Path, wholefile.Suffix), what, fault.Err)
	}
	text := plainError(err)
	if errors.Is(err, mdpio.ErrRange) {
		text += " (solve --method exact)"
	}
	if !strings.Contains(text, path) {
		text = wording.Quote(path) + ": " + text
	}
	return usageErrorf("%s: %s", operand, text)
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
func (a *arguments) nameFault(flag string, err error) {
	if err != nil {
		a.fault(flag, "%s", plainError(err))
	}
}
