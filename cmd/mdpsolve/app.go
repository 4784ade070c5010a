package main

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// run executes the command line args (args[0] being the program's name) and
// returns the exit status. What a command prints on stdout is written at once
// at its end, so that a failure leaves nothing there.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (status int) {
	defer func() {
		if fault := recover(); fault != nil { // Go's own status for a panic, 2, stands for bad input here
			fmt.Fprintf(stderr, "mdpsolve: internal failure: %v\n%s", fault, debug.Stack())
			status = exitFailure
		}
	}()
	app := newApp(stdout, stderr)
	err := app.RunContext(ctx, flagsFirst(app, helpLast(args)))
	if err != nil {
		fmt.Fprintf(stderr, "mdpsolve: %s\n", oneLine(err.Error()))
	}
	return exitStatus(err)
}

// helpLast turns "help VERB…" into "VERB… --help".
func helpLast(args []string) []string {
	if len(args) < 2 || args[1] != "help" {
		return args
	}
	return slices.Concat(args[:1], args[2:], []string{"--help"})
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\n", " ")), " ")
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
		CustomAppHelpTemplate:  appHelp,
		Commands: []*cli.Command{
			staticCommand(), robotsCommand(), refreshCommand(),
			solveCommand(), evaluateCommand(), simulateCommand(), checkCommand(), convertCommand(), infoCommand(),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return unknownVerb(c, c.App.Commands)
			}
			return cli.ShowAppHelp(c)
		},
		OnUsageError:   usageFault,
		ExitErrHandler: func(*cli.Context, error) {}, // the default exits the process
	}
	for _, command := range app.Commands {
		prepare(command)
	}
	return app
}

func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// prepare sets what all commands have in common.
func prepare(command *cli.Command) {
	command.OnUsageError = usageFault
	command.HideHelpCommand = true
	command.CustomHelpTemplate = commandHelp
	action := command.Action
	command.Action = func(c *cli.Context) error {
		if err := checkPlaces(c); err != nil {
			return err
		}
		if action == nil {
			return unknownVerb(c, c.Command.Subcommands)
		}
		if err := checkOperands(c); err != nil {
			return err
		}
		return action(c)
	}
	for _, sub := range command.Subcommands {
		prepare(sub)
	}
}

// checkPlaces refuses flags that stand before the last verb, which would be
// read as flags of a command that does not run.
func checkPlaces(c *cli.Context) error {
	for _, ancestor := range c.Lineage()[1:] {
		if ancestor.Command == nil || ancestor.NumFlags() == 0 {
			continue
		}
		return usageErrorf("--%s: found before %q; flags are allowed after it",
			ancestor.LocalFlagNames()[0], c.Command.Name)
	}
	return nil
}

func unknownVerb(c *cli.Context, verbs []*cli.Command) error {
	var names []string
	for _, verb := range verbs {
		names = append(names, verb.Name)
	}
	name := commandName(c)
	if !c.Args().Present() {
		return usageErrorf("%s no verb found; %s is allowed", name, enumerate(names))
	}
	return usageErrorf("%s unknown verb %q found; %s is allowed", name, c.Args().First(), enumerate(names))
}

// commandName returns the verbs that lead to a command, as the beginning of a
// message.
func commandName(c *cli.Context) string {
	name := strings.TrimPrefix(strings.TrimPrefix(c.Command.HelpName, c.App.Name), " ")
	if name == "" {
		return ""
	}
	return name + ":"
}

// usageFault words what the flag parser says like all other errors.
func usageFault(c *cli.Context, err error, _ bool) error {
	text := err.Error()
	if name, found := strings.CutPrefix(text, "flag provided but not defined: -"); found {
		var names []string
		if c.Command != nil {
			for _, flag := range c.Command.VisibleFlags() {
				names = append(names, "--"+flag.Names()[0])
			}
		}
		return usageErrorf("--%s: unknown flag found; %s is allowed", strings.TrimLeft(name, "-"), enumerate(names))
	}
	if name, found := strings.CutPrefix(text, "flag needs an argument: -"); found {
		return usageErrorf("--%s: no value found; one is needed", strings.TrimLeft(name, "-"))
	}
	if value, found := strings.CutPrefix(text, "invalid boolean value "); found {
		if value, name, found := strings.Cut(value, " for -"); found {
			name, _, _ = strings.Cut(name, ":")
			return usageErrorf("--%s: %s found; true or false is allowed", strings.TrimLeft(name, "-"), value)
		}
	}
	return usageErrorf("%s", text)
}

// enumerate returns "a, b or c".
func enumerate(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
