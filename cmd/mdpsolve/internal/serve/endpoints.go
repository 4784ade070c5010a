package serve

// The verbs below /api/, with their flags.

import (
	"math"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Endpoint is a verb that can be asked over HTTP.
type Endpoint struct {
	Name      string            // of the path below /api/
	Verb      string            // its words
	Keys      []string          // its flags; none names a file of this computer
	Files     string            // the flag or operand for uploaded files; "" if there are none
	Uploads   []string          // flags and operands for one uploaded file each: see partOf
	Downloads map[string]string // the flag for each file that the verb writes; "" for an operand
	timed     bool              // it has --time-limit
	untimed   string            // a key with which the server must not add --time-limit; "" for none
}

var (
	queueKeys   = []string{"buffer", "lambda", "mu", "gamma"}
	variantKeys = []string{"class", "service", "holding-cost", "robot-cost", "activation-cost"}
	methodKeys  = []string{"method", "tolerance", "max-iterations", "time-limit"}
	pictures    = map[string]string{"svg": "plot", "png": "plot", "pdf": "plot"}
)

// PictureKeys are flags of pictures.
var PictureKeys = []string{"size", "dpi", "panels"}

// listed are the verbs below /api/ whose flags are chosen one by one.
var listed = []Endpoint{
	{
		Name: "robots", Verb: "robots solve", timed: true,
		Keys:      slices.Concat([]string{"robots"}, queueKeys, []string{"max-loss", "max-starvation", "distribution", "digits"}, PictureKeys, variantKeys, methodKeys),
		Downloads: map[string]string{"svg": "plot", "png": "plot", "pdf": "plot", "policy.json": "policy-out", "model.json": "model-out"},
	},
	{
		Name: "robots/sweep", Verb: "robots sweep", timed: true, Downloads: pictures,
		Keys: slices.Concat([]string{"over", "from", "to", "steps", "robots", "digits"}, queueKeys, PictureKeys, variantKeys, methodKeys),
	},
	{
		Name: "robots/frontier", Verb: "robots frontier", timed: true, Downloads: pictures,
		Keys: slices.Concat([]string{"from", "to", "steps", "robots", "buffer", "lambda", "mu", "digits"}, PictureKeys, variantKeys, methodKeys),
	},
	{
		Name: "static", Verb: "static",
		Keys: slices.Concat(queueKeys, []string{"robots", "service", "cost", "digits"}),
	},
	{
		Name: "static/sweep", Verb: "static sweep", Downloads: pictures,
		Keys: slices.Concat([]string{"over", "from", "to", "steps"}, queueKeys, []string{"service", "cost", "digits"}, PictureKeys),
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
	{
		Name: "refresh/review", Verb: "refresh review", Files: "input", Uploads: []string{"plan", "pages", "last-fetch"},
		Keys:      slices.Concat([]string{"unit", "from", "until", "confidence", "strict", "allow-left-out"}, PictureKeys),
		Downloads: map[string]string{"groups.csv": "out", "svg": "plot", "png": "plot", "pdf": "plot"},
	},
}

// Endpoints returns all verbs below /api/: those of the list above, and all for models.
func Endpoints(verbs []*cli.Command) []Endpoint {
	all := slices.Clone(listed)
	for _, verb := range verbs {
		if operand, _, _ := strings.Cut(verb.ArgsUsage, " "); slices.Contains(modelOperands, operand) {
			all = append(all, ofModel(verb))
		}
	}
	return all
}

// greatest bounds numbers on which the time of an answer depends, for verbs that cannot be
// cancelled. For a general law, that time grows with the square of the buffer.
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
			return nil, badRequest("%s: unknown key: use %s", wording.Quote(key), wording.Alternatives(e.Keys))
		case slices.ContainsFunc(values, func(value string) bool { return readsFile(key, value) }):
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

// readsFile reports whether the value of a key names a file, as laws and properties may.
func readsFile(key, value string) bool {
	switch key {
	case "service", "access-time":
		kind, _, _ := strings.Cut(value, ":")
		return kind == "sample" || kind == "ph"
	case "property":
		_, err := os.Stat(value)
		return err == nil || !strings.ContainsAny(value, `[(=<>?"`)
	}
	return false
}

// Flag is a flag of a command line; a switch may have no value.
type Flag struct{ Name, Value string }

// argument returns the flag and its value as one word, since the value may begin with a hyphen.
func (f Flag) argument() string {
	if f.Value == "" {
		return "--" + f.Name
	}
	return "--" + f.Name + "=" + f.Value
}
