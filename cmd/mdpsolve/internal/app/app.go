// Package app puts the verbs together to the command mdpsolve.
package app

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/model"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/refresh"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/reproduce"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/robots"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/serve"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/static"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// Run executes the command line args (args[0] being the program's name) and
// returns the exit status. What a command prints on stdout is written at once
// at its end, so that a failure leaves nothing there.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) (status int) {
	defer func() {
		if fault := recover(); fault != nil { // Go's own status for a panic, 2, stands for bad input here
			fmt.Fprintf(stderr, "mdpsolve: internal failure: %v\n%s", fault, debug.Stack())
			status = ui.ExitFailure
		}
	}()
	app := newApp(stdout, stderr)
	err := app.RunContext(ctx, ui.FlagsFirst(app, helpLast(args)))
	if err != nil {
		fmt.Fprintf(stderr, "mdpsolve: %s\n", ui.OneLine(err.Error()))
	}
	return ui.ExitStatus(err)
}

// helpLast turns "help VERB…" into "VERB… --help".
func helpLast(args []string) []string {
	if len(args) < 2 || args[1] != "help" {
		return args
	}
	return slices.Concat(args[:1], args[2:], []string{"--help"})
}

func newApp(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:  "mdpsolve",
		Usage: "optimal decisions in the long run, with bounds on every answer",
		Description: `A web search engine sends robots out to fetch pages. Each active robot brings
pages to a queue with room for K of them, where they are indexed one by one.
Too few robots and the engine starves; too many and pages are lost.

Any other finite Markov decision process or Markov chain can be read from a file,
solved for several criteria, and its results checked.`,
		Version:                buildVersion(),
		Writer:                 stdout,
		ErrWriter:              stderr,
		HideHelpCommand:        true,
		UseShortOptionHandling: false,
		CustomAppHelpTemplate:  ui.AppHelp,
		Commands: []*cli.Command{
			static.Command(), robots.Command(reproduce.Command()), refresh.Command(),
			model.SolveCommand(), model.EvaluateCommand(), model.SimulateCommand(), model.CheckCommand(), model.ConvertCommand(), model.InfoCommand(),
			serve.Command(Run),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return ui.UnknownVerb(c, c.App.Commands)
			}
			return cli.ShowAppHelp(c)
		},
		OnUsageError:   ui.UsageFault,
		ExitErrHandler: func(*cli.Context, error) {}, // the default exits the process
	}
	for _, command := range app.Commands {
		ui.Prepare(command)
	}
	return app
}

func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
