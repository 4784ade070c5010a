// Package model has the verbs for models from files.
package model

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/soon"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// modelText is for the help of verbs that take a model.
var modelText = `MODEL is a file whose name tells the format, also with .gz after it:

` + modelfile.FormatText() + `

If MODEL is -, it is read from standard input, in any format of one file.`

// modelOperand is the name of a model file among the operands.
const modelOperand = "MODEL"

func kindFlag() cli.Flag {
	return ui.NewChoiceFlag("kind", "`KIND` of the model if a .tra file does not say", "", "dtmc", "ctmc", "mdp")
}

// readKind reads --kind; 0 if it is not set, so that the file says the kind.
func readKind(a *ui.Arguments) modelfile.Kind {
	if !a.CLI.IsSet("kind") {
		return 0
	}
	kind, _ := modelfile.ParseKind(a.Choice("kind"))
	return kind
}

// readModel reads the model that the first operand names.
func readModel(a *ui.Arguments, exact bool) *modelfile.Model {
	return readWith(a, modelfile.Options{Exact: exact})
}

// readQuickly is [readModel]. isOne says that the model is for a single question that does not lead to others.
// The model may then keep numbers as float64 if all numbers of the file are float64.
func readQuickly(a *ui.Arguments, exact, isOne bool) *modelfile.Model {
	return readWith(a, modelfile.Options{Exact: exact, KeepFloats: isOne})
}

// readNoting is [readModel]. In digits it notes what float64 cannot hold.
func readNoting(a *ui.Arguments, exact bool, digits *modelfile.Digits) *modelfile.Model {
	return readWith(a, modelfile.Options{Exact: exact, Digits: digits})
}

// readWith is [readModel] with options, to which it adds those that flags set.
func readWith(a *ui.Arguments, options modelfile.Options) *modelfile.Model {
	operand, path := ui.Operands(a.CLI.Command)[0], a.CLI.Args().First()
	checkReadTwice(a, operand, path)
	options.Normalize, options.Kind = a.CLI.Bool("normalize"), readKind(a)
	options.Exact = options.Exact || options.Normalize && isSmall(a, path)
	options.Announced = func(h modelfile.Header) error { return countsOf(h).check(a.CLI.Context, operand, path) }
	ui.LimitGarbage()
	model := load(a, operand, path, func() (*modelfile.Model, error) { return readFrom(a, path, options) })
	// The header may have had no counts, or smaller ones.
	a.Fail(counts{model.NumStates(), model.NumChoices(), model.NumTransitions()}.check(a.CLI.Context, operand, path))
	return model
}

// readFrom reads a model from a file, from memory or from standard input.
func readFrom(a *ui.Arguments, path string, options modelfile.Options) (*modelfile.Model, error) {
	if data, is := ui.HandoverOf(a.CLI.Context).Of(path); is {
		return modelfile.ReadBytes(data, path, options)
	}
	if path != standardInput {
		return modelfile.ReadFile(path, options)
	}
	text, err := standardText(a)
	if err != nil {
		return nil, err
	}
	return modelfile.Read(bytes.NewReader(text), "standard input", options)
}

// standardInput is the operand for standard input.
const standardInput = "-"

// standardText returns the text of standard input, which is kept since models are read more
// than once.
func standardText(a *ui.Arguments) ([]byte, error) {
	if text, is := a.CLI.App.Metadata[standardInput].([]byte); is {
		return text, nil
	}
	text, err := io.ReadAll(a.CLI.App.Reader)
	if err == nil {
		a.CLI.App.Metadata[standardInput] = text
	}
	return text, err
}

// normalizeFlag is --normalize, of verbs that read a model.
func normalizeFlag() cli.Flag {
	return ui.SwitchFlag("normalize", "divide the probabilities of a choice by their sum, if that is within 1e-6 of 1")
}

// checkReadTwice refuses files that cannot be read twice, such as pipes: models are read more than
// once.
func checkReadTwice(a *ui.Arguments, operand, path string) {
	if _, is := ui.HandoverOf(a.CLI.Context).Of(path); is {
		return
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() { // reading the file reports an error
		a.Fail(ui.UsageErrorf("%s: %q can be read only once: use a file, or - for standard input", operand, path))
	}
}

// load reads the file of an operand or a flag, and can be interrupted.
func load[T any](a *ui.Arguments, operand, path string, read func() (T, error)) T {
	ui.ProgressOf(a.CLI.Context).Phase("reading")
	result, err := soon.Do(a.CLI.Context, 0, read)
	a.Fail(fileFault(operand, path, err))
	return result
}

// fileFault returns the error for a file that cannot be read or written; nil for no error.
func fileFault(operand, path string, err error) error {
	var syntax *modelfile.SyntaxError
	var fault *fs.PathError
	switch {
	case err == nil || ui.IsUsage(err):
		return err
	case errors.As(err, &syntax):
		if _, fault := certificate.ReadFile(path); fault == nil && operand == modelOperand {
			return ui.UsageErrorf("%s: %q is a result: give the model first", operand, path)
		}
		return ui.UsageErrorf("%s", strings.NewReplacer("Options.Normalize", "--normalize", "Options.Kind CTMC", "--kind ctmc").Replace(syntax.Error()))
	case errors.Is(err, context.Canceled):
		return ui.EndEarly(ui.ExitInterrupted, "interrupted while reading: no answer yet")
	case errors.Is(err, modelfile.ErrFormat):
		allowed := modelfile.Suffixes()
		if operand == resultOperand || operand == "--policy" {
			allowed = ".json, .csv, .json.gz, .csv.gz or .npz"
		}
		return ui.UsageErrorf("%s: %q is not valid: use a name that ends in %s", operand, path, allowed)
	case errors.As(err, &fault):
		if operand == outOperand {
			return ui.UsageErrorf("%s: %s cannot be written: %s", operand, wording.Short(path), ui.PathFault(err, "folder"))
		}
		return ui.ReadFault(&fs.PathError{Path: path, Err: fault.Err})
	}
	text := plainError(err)
	if errors.Is(err, modelfile.ErrRange) {
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
	for _, prefix := range []string{"modelfile: ", "mdp: ", "certificate: ", "answer: ", "question: ", "exact: ", "textbook: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}

// exactBytes is the size of files up to which the numbers of a model are kept
// exactly: fractions take some ten times the memory. Beyond it answers are about the
// numbers rounded to float64.
const exactBytes = 16 << 20

// isSmall reports whether the numbers of a model are to be kept exactly.
func isSmall(a *ui.Arguments, path string) bool { return isNoLarger(a, path, exactBytes) }

// tinyBytes is the size of files up to which the numbers of a model are kept exactly for every
// method: so a solve that does not converge can fall back on fractions.
const tinyBytes = 1 << 18

func isTiny(a *ui.Arguments, path string) bool { return isNoLarger(a, path, tinyBytes) }

// isNoLarger reports whether a file has at most so many bytes, an eighth of them if it
// is compressed.
func isNoLarger(a *ui.Arguments, path string, bytes int64) bool {
	if data, is := ui.HandoverOf(a.CLI.Context).Of(path); is {
		return int64(len(data)) <= bytes
	}
	if path == standardInput {
		text, err := standardText(a)
		return err == nil && int64(len(text)) <= bytes // reading the model reports an error
	}
	if strings.HasSuffix(path, ".gz") {
		bytes /= 8
	}
	info, err := os.Stat(path)
	return err == nil && info.Size() <= bytes // reading the model reports an error
}
