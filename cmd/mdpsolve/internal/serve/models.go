package serve

// The verbs for models below /api/: what their flags say that may be asked.

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// modelOperands are the first operands of verbs for models, in whose place the parts named file
// are uploaded.
var modelOperands = []string{"MODEL", "IN"}

// operandOut is the operand for the file that convert writes.
const operandOut = "OUT"

// notAsked are flags of verbs for models that play no role over HTTP, where the server has the
// format, the progress and the processors in its hands.
var notAsked = []string{"output", "quiet", "log", "workers", "bounds-out"}

// products are the names of the files that a flag or an operand writes, each for download.
var products = map[string][]string{
	operandOut:   modelsNamed("model"),
	"out":        {"result.json"},
	"plot":       {"svg", "png", "pdf"},
	"policy-out": {"policy.json", "policy.csv", "policy.txt"},
	"nature-out": modelsNamed("nature"),
}

// modelsNamed returns the names of one model in each format of one file.
func modelsNamed(name string) (names []string) {
	for _, f := range modelfile.Formats() {
		if len(f.Beside) == 0 {
			names = append(names, name+f.Suffix)
		}
	}
	return names
}

// ofModel returns the endpoint of a verb for models. A flag that the verb declares is a key; or,
// if its value is the name of a file, one for uploads or downloads. Hidden flags, which the verb
// refuses with a reason, are keys, too.
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

// namesFile reports whether the value of a flag is the name of a file: then its word in help
// pages is one of these.
func namesFile(flag cli.Flag) bool {
	declared, isDeclared := flag.(cli.DocGenerationFlag)
	if !isDeclared {
		return true // nobody knows
	}
	_, after, _ := strings.Cut(declared.GetUsage(), "`")
	word, _, _ := strings.Cut(after, "`")
	return slices.Contains([]string{"FILE", "RESULT"}, word)
}

// partOf is the name of the part of a form with the file of a flag or an operand.
func partOf(name string) string { return strings.ToLower(name) }
