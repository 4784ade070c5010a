// Package report has the verb report: an answer of the page as one file to mail or print.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/serve"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
)

// kinds are the reports. Each shows the answer of a verb and takes its flags.
var kinds = []struct {
	name, verb, usage, description, example string
	others                                  []string // flags beside those of the page
	answer                                  func(*report)
}{
	{
		"robots", "robots solve", "robots switched on and off, beside fixed numbers",
		`Shows the optimal policy with its cost, the share of time in each state, the best
fixed number of robots, and both costs as γ and the number of robots vary; with a limit in
place of γ, the policy within it and its measures.`,
		`report robots --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --out queue.html`,
		[]string{"workers"},
		(*report).robots,
	},
	{
		"refresh", "refresh rates", "the best access rates for a list of pages",
		`Shows the best rates of the first 1000 pages, and the freshness that the best rates
achieve with this bandwidth and with others.`,
		`report refresh --input pages.csv --bandwidth 12/day --unit day --out pages.html`,
		[]string{"input", "host-caps", "workers"},
		(*report).refresh,
	},
	{
		"review", "refresh review", "promised against measured freshness, from a plan and the log of its day",
		`Shows what a plan had promised, what its day came to, and why, for classes of change rates
and for hosts.`,
		`report review --plan rates.csv --pages pages.csv --input visits.csv --unit day --out review.html`,
		[]string{"input", "plan", "pages", "last-fetch", "workers"},
		func(r *report) { r.answers["refresh/review"] = r.ask("refresh review", r.given) },
	},
	{
		"model", "solve", "a model from a file, and its best policy",
		`Shows the model, its best policy, and the values of the first 1000 states with their
bounds. Small models are drawn.`,
		`report model taxicab.json --criterion average --maximize --out taxicab.html`,
		[]string{"workers"},
		(*report).model,
	},
}

// Command is the verb report. It gets its answers from run, and its flags from verbs.
func Command(run serve.Run, version string, verbs []*cli.Command) *cli.Command {
	command := &cli.Command{
		Name:      "report",
		Usage:     "an answer as one file to mail or print",
		UsageText: "mdpsolve report robots|refresh|review|model … --out FILE.html",
		Description: `Writes the pictures and tables of an answer to one HTML file.

Examples:
  mdpsolve report robots --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --out queue.html`,
	}
	for _, kind := range kinds {
		verb := find(verbs, kind.verb)
		options := strings.ReplaceAll(verb.ArgsUsage+" … --out FILE.html", "  ", " ")
		command.Subcommands = append(command.Subcommands, &cli.Command{
			Name:      kind.name,
			Usage:     kind.usage,
			UsageText: "mdpsolve report " + kind.name + " " + strings.TrimSpace(options),
			ArgsUsage: verb.ArgsUsage,
			Description: kind.description + `

The file needs no network. The flags are those of mdpsolve ` + kind.verb + `.

Examples:
  mdpsolve ` + kind.example,
			Flags: append(flagsOf(verb, append(keysOf(kind.verb, verbs), kind.others...)),
				ui.ValueFlag("out", "write the report to `FILE`, which ends in .html", "")),
			Action: ui.Action(func(a *ui.Arguments) error {
				r := &report{run: run, Arguments: a, kind: kind.name, version: version, answers: map[string]any{}}
				return r.make(kind.answer)
			}),
		})
	}
	return command
}

// find returns the verb with a name of one or more words.
func find(verbs []*cli.Command, words string) *cli.Command {
	first, rest, more := strings.Cut(words, " ")
	verb := verbs[slices.IndexFunc(verbs, func(c *cli.Command) bool { return c.Name == first })]
	if more {
		return find(verb.Subcommands, rest)
	}
	return verb
}

// keysOf returns the flags of a verb over HTTP, without those of pictures and those with which the answer has
// another form.
func keysOf(verb string, verbs []*cli.Command) []string {
	all := serve.Endpoints(verbs)
	keys := all[slices.IndexFunc(all, func(e serve.Endpoint) bool { return e.Verb == verb })].Keys
	others := append([]string{"digits", "distribution", "property", "constraint", "pareto", "max-rules", "action-values", "step-values", "show", "axes", "methods", "states", "const"}, serve.PictureKeys...)
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return slices.Contains(others, key) })
}

func flagsOf(verb *cli.Command, names []string) []cli.Flag {
	var flags []cli.Flag
	for _, flag := range verb.Flags {
		if slices.Contains(names, flag.Names()[0]) {
			flags = append(flags, flag)
		}
	}
	return flags
}

// report is a report in the making.
type report struct {
	*ui.Arguments
	run     serve.Run
	kind    string
	version string
	given   []serve.Flag // flags of the verb
	answers map[string]any
	end     error // of a verb that ended early; nil if none did
}

// make runs the verbs and writes the report.
func (r *report) make(answer func(*report)) error {
	c := r.CLI
	r.Text("out", "a file whose name ends in .html")
	out := r.OutFile("out", ".html")
	reads := c.Args().Slice()
	for _, flag := range r.Flags {
		name := flag.Names()[0]
		if !c.IsSet(name) || slices.Contains([]string{"out", "quiet", "log"}, name) {
			continue
		}
		for _, value := range valuesOf(c, flag) {
			r.given = append(r.given, serve.Flag{Name: name, Value: value})
			_, file, _ := strings.Cut(value, ":") // of a law
			reads = append(reads, value, file)
		}
	}
	for _, name := range reads {
		if name != "" && wholefile.Same(out.Name, name) {
			r.Fault("out", "%q is also an input: use another name", out.Name)
		}
	}
	answer(r)
	page, err := document(map[string]any{
		"kind":    r.kind,
		"version": r.version,
		"command": serve.CommandLine("report "+r.kind, append(slices.Clone(r.given), serve.Flag{Name: "out", Value: out.Name}), c.Args().Slice()),
		"answers": r.answers,
	})
	if err != nil {
		return err
	}
	if err := out.Write(func(w io.Writer) error {
		_, err := w.Write(page)
		return err
	}); err != nil {
		return err
	}
	fmt.Fprintf(c.App.Writer, "%s: report written, %d kB; open it in a browser\n", out.Name, (len(page)+999)/1000)
	return r.end
}

// valuesOf returns the values of a flag.
func valuesOf(c *cli.Context, flag cli.Flag) []string {
	name := flag.Names()[0]
	switch flag.(type) {
	case *cli.StringSliceFlag:
		return c.StringSlice(name)
	case *cli.BoolFlag:
		return []string{map[bool]string{false: "false"}[c.Bool(name)]}
	}
	return []string{c.String(name)}
}

// ask runs a verb. The answer of a verb that ended early counts. Bad input ends the report,
// and so does an interruption before the first answer; after that, ask returns nil.
func (r *report) ask(verb string, flags []serve.Flag, operands ...string) json.RawMessage {
	c := r.CLI
	if c.Err() != nil && len(r.answers) > 0 {
		return nil
	}
	flags = append(slices.Clone(flags), serve.Flag{Name: "output", Value: ui.FormatJSON})
	if c.Bool("quiet") {
		flags = append(flags, serve.Flag{Name: "quiet"})
	}
	stderr := c.App.ErrWriter
	if len(r.answers) > 0 { // warnings about files were given before
		stderr = io.Discard
	}
	answer, err := serve.Ask(c.Context, r.run, verb, flags, operands, stderr)
	switch {
	case ui.IsUsage(err): // the error names the help of the verb that was asked
		r.Fail(ui.UsageErrorf("%s", strings.ReplaceAll(err.Error(), `"mdpsolve `+verb+" -h", `"mdpsolve report `+r.kind+" -h")))
	case r.end == nil:
		r.end = err
	}
	if len(answer) == 0 {
		if len(r.answers) == 0 {
			r.Fail(r.end) // the report would be empty
		}
		return nil
	}
	return answer
}

// with returns the flags given; others replace those of the same names.
func (r *report) with(others ...serve.Flag) []serve.Flag {
	return append(r.without(func(f serve.Flag) bool {
		return slices.ContainsFunc(others, func(o serve.Flag) bool { return o.Name == f.Name })
	}), others...)
}

// without returns the flags given without some of them.
func (r *report) without(drop func(serve.Flag) bool) []serve.Flag {
	return slices.DeleteFunc(slices.Clone(r.given), drop)
}

// fields reads an answer.
func fields(answer json.RawMessage) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(answer, &all); err != nil {
		panic("report: " + err.Error()) // verbs answer with a record
	}
	return all
}

// number returns a number of an answer; 0 if it is unknown.
func number(field json.RawMessage) float64 {
	var x float64
	_ = json.Unmarshal(field, &x) // anything else stays 0
	return x
}

// inFolder calls do with a temporary folder.
func (r *report) inFolder(do func(folder string)) {
	folder, err := os.MkdirTemp("", "mdpsolve-report-")
	r.Fail(err)
	defer func() { _ = os.RemoveAll(folder) }() // the system removes it later
	do(folder)
}

// picture draws the answer of a verb. The report has no picture if the verb refuses to draw
// one, such as that of an answer not known in all states.
func (r *report) picture(verb string, operands []string, more ...serve.Flag) {
	r.inFolder(func(folder string) {
		name := filepath.Join(folder, "picture.svg")
		flags := slices.Concat(r.given, more, []serve.Flag{{Name: "plot", Value: name}, {Name: "output", Value: ui.FormatJSON}})
		if _, err := serve.Ask(r.CLI.Context, r.run, verb, flags, operands, io.Discard); ui.IsUsage(err) {
			return
		}
		if text, err := os.ReadFile(name); err == nil {
			r.answers["picture"] = string(text)
		}
	})
}
