// Package app assembles the command mdpsolve from its verbs. Programs that run the verbs on
// many machines call [Run] too.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/commandline"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/frontier"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/model"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/refresh"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/report"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/reproduce"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/robots"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/serve"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/static"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/store"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Run executes the command line args (args[0] being the program's name) and
// returns the exit status. A command writes to stdout all at once at its end, so that a
// failure leaves nothing there.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) (status int) {
	if len(args) < 2 {
		fmt.Fprint(stderr, welcome)
		return ui.ExitUsage
	}
	err := answer(ctx, args, stdout, stderr)
	if err != nil {
		text := err.Error()
		if _, hasStack := errors.AsType[*crash](err); !hasStack {
			text = wording.Line(text)
		}
		fmt.Fprintf(stderr, "mdpsolve: %s\n", text)
	}
	return ui.ExitStatus(err)
}

// answer executes a command line, and returns why it did not succeed.
func answer(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	defer catch(&err)
	app := newApp(stdout, stderr, "")
	addOthers(app)
	if len(args) > 2 && args[1] == "frontier" && args[2] == "serve" {
		args = slices.Concat(args[:1], []string{"store"}, args[2:]) // its former name
	}
	if commandline.Complete(app, args) {
		return nil
	}
	return commandline.Run(ctx, app, args)
}

// crash is a panic, with its stack.
type crash struct {
	fault any
	stack []byte
}

func (c *crash) Error() string { return fmt.Sprintf("internal failure: %v\n%s", c.fault, c.stack) }

// welcome is printed if the command line has no words.
const welcome = `mdpsolve: no verb: try
  mdpsolve static --lambda 1/20 --mu 1 --gamma 1.4 --buffer 5
  mdpsolve robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4
"mdpsolve help" lists all verbs, "mdpsolve static -h" explains one.
`

// within is [answer] for a verb that another verb runs. It has no standard input, and knows only
// the verbs of [newApp].
func within(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	defer catch(&err)
	return runWithin(ctx, newApp(stdout, stderr, verbOf(args)), args)
}

func runWithin(ctx context.Context, app *cli.App, args []string) error {
	app.Reader = strings.NewReader("")
	return commandline.Run(ctx, app, args)
}

// verbOf returns the first word after the name of the program; "" for none.
func verbOf(args []string) string {
	if len(args) < 2 {
		return ""
	}
	return args[1]
}

// again returns a form of [within] for a worker: it declares a verb for the first question that needs
// it, and keeps the declaration for later ones.
func again() serve.Run {
	known := map[string][]*cli.Command{}
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
		defer catch(&err)
		verb := verbOf(args)
		app := bareApp(stdout, stderr)
		if app.Commands = known[verb]; app.Commands == nil {
			if app = newApp(stdout, stderr, verb); len(app.Commands) == 1 { // there is such a verb
				known[verb] = app.Commands
			}
		}
		return runWithin(ctx, app, args)
	}
}

// catch makes an error of a panic: Go's own status for one, 2, stands for bad input here.
func catch(err *error) {
	if fault := recover(); fault != nil {
		*err = &crash{fault, debug.Stack()}
	}
}

// newApp returns the program with the verbs that others can run: all, or the one that only names, if
// there is such a verb.
func newApp(stdout, stderr io.Writer, only string) *cli.App {
	app := bareApp(stdout, stderr)
	app.Commands = verbs(only)
	for _, command := range app.Commands {
		ui.Prepare(command)
	}
	return app
}

// bareApp returns the program without verbs.
func bareApp(stdout, stderr io.Writer) *cli.App {
	return &cli.App{
		Name:      "mdpsolve",
		Usage:     "optimal decisions under uncertainty, with bounds on every optimum",
		UsageText: "mdpsolve VERB [options]",
		Description: `A search engine sends robots out to fetch pages. Active robots deliver pages to a queue
with room for K pages, and an indexer takes the pages one by one. With too few robots
the indexer starves; with too many, pages are lost. mdpsolve finds the best rule for
switching robots on and off, how often to access each page, and a schedule of accesses.

mdpsolve also solves any finite Markov decision process or Markov chain from a file, and
checks results.

Examples:
  mdpsolve static --lambda 1/20 --mu 1 --gamma 1.4 --buffer 5
  mdpsolve robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4
  mdpsolve help robots solve`,
		Reader:    os.Stdin,
		Writer:    stdout,
		ErrWriter: stderr,
		Metadata:  map[string]any{}, // of a run
		Flags:     []cli.Flag{ui.SwitchFlag("version", "print the version, its commit and the version of Go", "v")},
		Action: func(c *cli.Context) error {
			_, err := fmt.Fprintln(c.App.Writer, readBuild())
			return err
		},
	}
}

// verbs returns the verbs that others can run: all, or the one that only names, if there is such a
// verb. To declare the others would take a worker longer than a small question.
func verbs(only string) (made []*cli.Command) {
	all := []struct {
		name string
		make func() *cli.Command
	}{
		{"static", static.Command},
		{"robots", func() *cli.Command { return robots.Command(reproduce.Command()) }},
		{"refresh", refresh.Command},
		{"store", func() *cli.Command { return store.Command(frontier.Command()) }},
		{"solve", model.SolveCommand},
		{"evaluate", model.EvaluateCommand},
		{"simulate", model.SimulateCommand},
		{"check", model.CheckCommand},
		{"convert", model.ConvertCommand},
		{"info", model.InfoCommand},
	}
	for _, verb := range all {
		if verb.name == only {
			return []*cli.Command{verb.make()}
		}
	}
	for _, verb := range all {
		made = append(made, verb.make())
	}
	return made
}

// addOthers adds the verbs that run others, and those about the program.
func addOthers(app *cli.App) {
	from := readBuild()
	services := []*cli.Command{serve.Command(within, app.Commands), serve.WorkerCommand(again()), report.Command(within, from.String(), app.Commands)}
	for _, command := range services {
		ui.Prepare(command)
	}
	app.Commands = slices.Concat(app.Commands, services, []*cli.Command{
		{
			Name: "version", Usage: "print the version, its commit and the version of Go", UsageText: "mdpsolve version",
			Description: "Examples:\n  mdpsolve version", Action: app.Action,
		},
		commandline.HelpCommand(), commandline.CompletionCommand(), commandline.ManCommand(from.version, from.date),
	})
}
