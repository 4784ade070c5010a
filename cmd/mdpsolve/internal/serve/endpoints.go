package serve

// The verbs below /api/, with their flags.

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// Endpoint is a verb that can be asked over HTTP.
type Endpoint struct {
	Name      string            // of the path below /api/
	Verb      string            // its words
	Keys      []string          // its flags; none names a file of this computer
	Files     string            // the flag or operand for uploaded files; "" if there are none
	Policy    bool              // a file uploaded as policy is that of --policy
	Downloads map[string]string // the flag for each file that the verb writes; "" for an operand
	timed     bool              // it has --time-limit
}

// modelOperand is the operand of verbs on models.
const modelOperand = "MODEL"

var (
	queueKeys    = []string{"buffer", "lambda", "mu", "gamma"}
	variantKeys  = []string{"class", "service", "holding-cost", "robot-cost", "activation-cost"}
	methodKeys   = []string{"method", "tolerance", "max-iterations", "time-limit"}
	questionKeys = []string{"criterion", "discount", "rate", "target", "horizon", "minimize", "maximize", "reward", "uncertainty", "kind"}
	pictures     = map[string]string{"svg": "plot", "png": "plot", "pdf": "plot"}
	results      = map[string]string{"result.json": "out"}
)

// PictureKeys are flags of pictures.
var PictureKeys = []string{"size"}

// Endpoints are all verbs below /api/.
var Endpoints = []Endpoint{
	{
		Name: "robots", Verb: "robots solve", timed: true,
		Keys:      slices.Concat([]string{"robots"}, queueKeys, []string{"max-loss", "max-starvation", "distribution"}, PictureKeys, variantKeys, methodKeys),
		Downloads: map[string]string{"svg": "plot", "png": "plot", "pdf": "plot", "policy.json": "policy-out"},
	},
	{
		Name: "robots/sweep", Verb: "robots sweep", timed: true, Downloads: pictures,
		Keys: slices.Concat([]string{"over", "from", "to", "steps", "robots"}, queueKeys, PictureKeys, variantKeys, methodKeys),
	},
	{
		Name: "robots/frontier", Verb: "robots frontier", timed: true, Downloads: pictures,
		Keys: slices.Concat([]string{"from", "to", "steps", "robots", "buffer", "lambda", "mu"}, PictureKeys, variantKeys, methodKeys),
	},
	{
		Name: "static", Verb: "static",
		Keys: slices.Concat(queueKeys, []string{"robots", "service", "cost"}),
	},
	{
		Name: "static/sweep", Verb: "static sweep", Downloads: pictures,
		Keys: slices.Concat([]string{"over", "from", "to", "steps"}, queueKeys, []string{"service", "cost"}, PictureKeys),
	},
	{
		Name: "solve", Verb: "solve", timed: true, Files: modelOperand,
		Keys: slices.Concat(questionKeys, methodKeys), Downloads: results,
	},
	{
		Name: "evaluate", Verb: "evaluate", timed: true, Files: modelOperand, Policy: true,
		Keys: slices.Concat(questionKeys, methodKeys), Downloads: results,
	},
	{
		Name: "info", Verb: "info", Files: modelOperand, Keys: []string{"kind"},
	},
	{
		Name: "convert", Verb: "convert", Files: modelOperand, Keys: []string{"kind", "numbers"},
		Downloads: models(),
	},
	{
		Name: "refresh/estimate", Verb: "refresh estimate", Files: "input",
		Keys:      []string{"unit", "prior", "confidence", "strict", "allow-left-out"},
		Downloads: map[string]string{"pages.csv": "out"},
	},
	{
		Name: "refresh/rates", Verb: "refresh rates", Files: "input",
		Keys:      []string{"bandwidth", "unit", "objective", "host-cap", "strict", "allow-left-out", "access-time", "access-mean"},
		Downloads: map[string]string{"rates.csv": "out"},
	},
}

// models are the files of one model in each format of one file.
func models() map[string]string {
	files := map[string]string{}
	for _, f := range modelfile.Formats() {
		if len(f.Beside) == 0 {
			files["model"+f.Suffix] = ""
		}
	}
	return files
}

// greatest bounds numbers on which the time of an answer depends, for verbs that cannot be
// cancelled. For a general law, that time grows with the square.
func greatest(key string, query url.Values) float64 {
	isBuffer := key == "buffer" || (key == "from" || key == "to") && query.Get("over") == "buffer"
	switch law := query.Get("service"); {
	case key == "steps":
		return 10_000
	case !isBuffer:
		return math.Inf(1)
	case law == "" || law == "exponential":
		return 100_000
	}
	return 1000
}

// laws are flags for laws of times, some of which are read from a file.
var laws = []string{"service", "access-time"}

func (e Endpoint) method() string {
	if e.Files == "" {
		return http.MethodGet
	}
	return http.MethodPost
}

// keysBesides are the keys of a query that are not flags.
var keysBesides = []string{"output", "download"}

// flags returns the flags that a query stands for.
func (e Endpoint) flags(query url.Values) ([]Flag, error) {
	for key, values := range query {
		switch {
		case slices.Contains(keysBesides, key):
		case !slices.Contains(e.Keys, key):
			return nil, badRequest("%s: unknown key: use %s", wording.Quote(key), ui.Enumerate(e.Keys))
		case slices.Contains(laws, key) && slices.ContainsFunc(values, readsFile):
			return nil, badRequest("--%s: %s names a file of the server: use the command line", key, wording.Quote(values[0]))
		case slices.ContainsFunc(values, func(value string) bool { return exceeds(value, greatest(key, query)) }):
			return nil, badRequest("--%s: %s is too large here: use up to %v, or the command line", key, wording.Short(values[0]), greatest(key, query))
		}
	}
	var flags []Flag
	for _, key := range e.Keys { // in a fixed order: a query has none
		for _, value := range query[key] {
			flags = append(flags, Flag{key, value})
		}
	}
	return flags, nil
}

// exceeds reports whether a number in the value of a flag is beyond a bound. The verb
// refuses anything but numbers.
func exceeds(text string, most float64) bool {
	return slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ':' }), func(word string) bool {
		x, err := number.Parse(word)
		return err == nil && x > most
	})
}

// readsFile reports whether a law is read from a file.
func readsFile(law string) bool {
	kind, _, _ := strings.Cut(law, ":")
	return kind == "sample" || kind == "ph"
}

// Flag is a flag of a command line; a switch may have no value.
type Flag struct{ Name, Value string }

// argument returns the flag as one word: its value may begin with a hyphen.
func (f Flag) argument() string {
	if f.Value == "" {
		return "--" + f.Name
	}
	return "--" + f.Name + "=" + f.Value
}
