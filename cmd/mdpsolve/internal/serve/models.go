package serve

// The verbs for models below /api/. Their keys, uploads and downloads follow from their flags.

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// modelOperands are the names of a model file as the first operand of a verb. Over HTTP, the parts
// named file are that operand.
var modelOperands = []string{"MODEL", "IN"}

// operandOut is the operand for the file that convert writes.
const operandOut = "OUT"

// notAsked are flags of verbs for models that are not keys: over HTTP, the server decides on the
// format, the progress and the processors.
var notAsked = []string{"output", "quiet", "log", "workers", "bounds-out"}

// products are, by flag or operand, the names under which a file that it writes can be downloaded.
var products = map[string][]string{
	operandOut:   modelsNamed("model"),
	"out":        {"result.json"},
	"plot":       {"svg", "png", "pdf"},
	"values-out": {"values.csv"},
	"policy-out": {"policy.json", "policy.csv", "policy.txt"},
	"nature-out": modelsNamed("nature"),
}

// modelsNamed returns a file name for each format of models that takes a single file.
func modelsNamed(name string) (names []string) {
	for _, f := range modelfile.Formats() {
		if len(f.Beside) == 0 {
			names = append(names, name+f.Suffix)
		}
	}
	return names
}

// ofModel returns the endpoint of a verb for models. Each flag of the verb is a key, unless its
// value is the name of a file: then the file is uploaded or downloaded. Hidden flags are keys, too,
// since the verb says why it refuses them.
func ofModel(verb *cli.Command) Endpoint {
	operands := strings.Fields(verb.ArgsUsage)
	e := Endpoint{Name: verb.Name, Verb: verb.Name, Files: operands[0], Downloads: map[string]string{}}
	addFile := func(name string) {
		names, isWritten := products[name]
		if !isWritten {
			e.Uploads = append(e.Uploads, name)
		}
		for _, product := range names {
			if e.Downloads[product] = name; name == operandOut {
				e.Downloads[product] = ""
			}
		}
	}
	for _, operand := range operands[1:] {
		addFile(operand)
	}
	for _, flag := range verb.Flags {
		switch name := flag.Names()[0]; {
		case slices.Contains(notAsked, name):
		case namesFile(flag):
			addFile(name)
		default:
			e.Keys = append(e.Keys, name)
			e.timed = e.timed || name == "time-limit"
			if name == "distribution" {
				e.untimed = name
			}
		}
	}
	return e
}

// namesFile reports whether the value of a flag is the name of a file. In help pages such a value
// is called FILE or RESULT.
func namesFile(flag cli.Flag) bool {
	declared, isDeclared := flag.(cli.DocGenerationFlag)
	if !isDeclared {
		return true // not known, so it must not be a key
	}
	_, after, _ := strings.Cut(declared.GetUsage(), "`")
	word, _, _ := strings.Cut(after, "`")
	return slices.Contains([]string{"FILE", "RESULT"}, word)
}

// partOf is the name of the part of a form with the file of a flag or an operand.
func partOf(name string) string { return strings.ToLower(name) }
