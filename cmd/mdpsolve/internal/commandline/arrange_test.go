package commandline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// run is what the parser of package cli has found.
type run struct {
	verb     string
	flags    map[string]string
	operands []string
}

// newProgram returns a program that writes down how it is run.
func newProgram(found *run) *cli.App {
	action := func(c *cli.Context) error {
		*found = run{c.Command.Name, map[string]string{}, c.Args().Slice()}
		for _, name := range c.LocalFlagNames() {
			found.flags[name] = fmt.Sprint(c.Value(name))
		}
		if many := c.StringSlice("many"); len(many) > 0 {
			found.flags["many"] = strings.Join(many, ",")
		}
		return nil
	}
	flags := func() []cli.Flag {
		return []cli.Flag{
			ui.ValueFlag("plot", "draw to `FILE`", ""),
			ui.NewChoiceFlag("output", "print `FORMAT`", "text", "text", "json"),
			&cli.StringSliceFlag{Name: "many", Usage: "`N`, repeated"},
			ui.SwitchFlag("strict", "refuse", "s"),
		}
	}
	app := &cli.App{
		Name: "mdpsolve", HideHelp: true, HideVersion: true, Action: action, ExitErrHandler: func(*cli.Context, error) {},
		Commands: []*cli.Command{
			{Name: "static", Usage: "numbers", Flags: flags(), Action: action, Subcommands: []*cli.Command{
				{Name: "sweep", Usage: "many numbers", Flags: flags(), Action: action},
			}},
			{Name: "robots", Usage: "a group", Subcommands: []*cli.Command{
				{Name: "solve", Usage: "policies", Flags: flags(), Action: action},
			}},
			{Name: "check", Usage: "answers", ArgsUsage: "MODEL RESULT", UsageText: "mdpsolve check MODEL RESULT", Flags: flags(), Action: action},
		},
	}
	for _, command := range app.Commands {
		ui.Prepare(command)
	}
	app.Commands = append(app.Commands, HelpCommand(), CompletionCommand(), ManCommand("v1", "2026-01-31"))
	return app
}

func arranged(line string) (string, error) {
	args, err := Arrange(newProgram(new(run)), append([]string{"mdpsolve"}, strings.Fields(line)...))
	return strings.Join(args, " "), err
}

func TestArrange(t *testing.T) {
	for line, want := range map[string]string{
		"static --plot a.svg":         "mdpsolve static --plot a.svg",
		"static -plot=a.svg -s":       "mdpsolve static --plot a.svg --strict",
		"static sweep --output=json":  "mdpsolve static sweep --output json",
		"check M --plot a R":          "mdpsolve check --plot a -- M R",
		"check --many 1 M --many=2 R": "mdpsolve check --many 1 --many 2 -- M R",
		"check -s -- --plot -R":       "mdpsolve check --strict -- --plot -R",
		"check - R":                   "mdpsolve check -- - R",
		"static --plot -1":            "mdpsolve static --plot -1",
		"robots solve --help":         "mdpsolve help robots solve",
		"robots -h":                   "mdpsolve help --short robots",
		"check M R --plot --help":     "mdpsolve help check",
		"--help":                      "mdpsolve help",
		"help":                        "mdpsolve help",
		"help robots solve":           "mdpsolve help -- robots solve",
		"help man":                    "mdpsolve help -- man",
	} {
		got, err := arranged(line)
		require.NoError(t, err, line)
		assert.Equal(t, want, got, line)
	}
	for line, want := range map[string]string{
		"check -- M --help":      "", // operands
		"static --plot --output": "--plot: no value",
		"static --plot":          "--plot: no value: write --plot ",
		"static -s --strict":     "--strict: given twice",
		"static -s=maybe":        `--strict: "maybe"`,
		"check M":                "RESULT missing",
		"check M R S":            `"S"`,
		"robots --plot a solve":  `put this flag after "solve"`,
		"robots rest --plot a":   `"rest" is not a verb`,
		"robots":                 "no verb: use solve",
		"--":                     "no verb",
	} {
		_, err := arranged(line)
		if want == "" {
			require.NoError(t, err, line)
			continue
		}
		require.ErrorContains(t, err, want, line)
		assert.True(t, ui.IsUsage(err), line)
		assert.NotContains(t, err.Error(), "\n")
	}
}

// TestParserFindsAll makes command lines at random. What is not refused the parser of
// package cli reads without a fault of its own, and finds all that was given.
func TestParserFindsAll(t *testing.T) {
	words := []string{
		"static", "sweep", "robots", "solve", "check", "--plot", "--plot=b", "-plot", "--output", "json", "--many", "--many=1",
		"-s", "--strict=false", "--strict", "M", "R", "-", "--", "-1", "--wrong", "a=b",
	}
	random := rand.New(rand.NewPCG(3, 4))
	accepted := 0
	for range 50_000 {
		line := []string{"mdpsolve", words[random.IntN(5)]}
		for range random.IntN(7) {
			line = append(line, words[random.IntN(len(words))])
		}
		var found run
		app := newProgram(&found)
		args, err := Arrange(app, line)
		if err != nil {
			require.True(t, ui.IsUsage(err), "%v", line)
			continue
		}
		accepted++
		require.NoError(t, app.Run(args), "%v: %v", line, args)
		given := 0
		for _, word := range line {
			if strings.Contains(word, "plot") {
				given++
			}
		}
		if _, has := found.flags["plot"]; !has && !slices.Contains(line, "--") && given > 0 {
			t.Fatalf("%v: --plot is lost", line)
		}
		if found.verb == "check" {
			require.Len(t, found.operands, 2, "%v", line)
		} else {
			require.Empty(t, found.operands, "%v", line)
		}
	}
	assert.Greater(t, accepted, 2000)
}
