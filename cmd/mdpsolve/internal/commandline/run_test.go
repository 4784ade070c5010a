package commandline

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// run is what a verb is run with.
type run struct {
	verb     string
	flags    map[string]string
	operands []string
}

// String writes what was given: the verb, its flags by their names, and its operands.
func (r run) String() string {
	words := []string{r.verb}
	for _, name := range slices.Sorted(maps.Keys(r.flags)) {
		words = append(words, name+"="+r.flags[name])
	}
	return strings.Join(append(words, r.operands...), " ")
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
			&cli.StringFlag{Name: "former", Hidden: true},
		}
	}
	app := &cli.App{
		Name: "mdpsolve", Action: action, Writer: new(strings.Builder),
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

// runLine runs a command line, and returns how the verb was run, or the first line of a help page.
func runLine(line string) (string, error) {
	var found run
	app := newProgram(&found)
	err := Run(context.Background(), app, append([]string{"mdpsolve"}, strings.Fields(line)...))
	if page := app.Writer.(*strings.Builder).String(); page != "" {
		first, _, _ := strings.Cut(page, "\n")
		if strings.Contains(page, "\nMore: ") {
			first = "short " + first
		}
		return first, err
	}
	return found.String(), err
}

func TestRun(t *testing.T) {
	for line, want := range map[string]string{
		"static --plot a.svg":         "static plot=a.svg",
		"static -plot=a.svg -s":       "static plot=a.svg strict=true",
		"static sweep --output=json":  "sweep output=json",
		"check M --plot a R":          "check plot=a M R",
		"check --many 1 M --many=2 R": "check many=1,2 M R",
		"check -s -- --plot -R":       "check strict=true --plot -R",
		"check - R -s=false":          "check strict=false - R",
		"static --plot -1":            "static plot=-1",
		"static --former 1":           "static former=1",
		"check -- M --help":           "check M --help",
		"robots solve --help":         "mdpsolve robots solve: policies",
		"robots -h":                   "short mdpsolve robots: a group",
		"check M R --plot --help":     "mdpsolve check: answers",
		"--help":                      "mdpsolve: ",
		"help":                        "mdpsolve: ",
		"help robots solve":           "mdpsolve robots solve: policies",
		"help man":                    "mdpsolve man: print the manual page of a verb as roff",
	} {
		got, err := runLine(line)
		require.NoError(t, err, line)
		assert.Equal(t, strings.TrimSpace(want), strings.TrimSpace(got), line)
	}
	for line, want := range map[string]string{
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
		_, err := runLine(line)
		require.ErrorContains(t, err, want, line)
		assert.True(t, ui.IsUsage(err), line)
		assert.NotContains(t, err.Error(), "\n")
	}
}

// TestFindsAll makes command lines at random, in which flags and operands come in any order.
// The verb is run with all that was given.
func TestFindsAll(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	flags := [][]string{{"--plot", "-x"}, {"--plot=a=b"}, {"-output", "json"}, {"--many", "1"}, {"--many=2"}, {"-s"}, {"--strict=false"}}
	for range 2000 {
		words, want := []string{"check"}, run{verb: "check", flags: map[string]string{}}
		parts := [][]string{{"M"}, {"-"}}
		for _, f := range flags {
			if random.IntN(2) == 0 {
				parts = append(parts, f)
			}
		}
		random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		isTwice := false
		for _, part := range parts {
			words = append(words, part...)
			name, value, _ := strings.Cut(strings.TrimLeft(strings.Join(part, "="), "-"), "=")
			switch {
			case len(part) == 1 && !isFlag(part[0]):
				want.operands = append(want.operands, part[0])
				continue
			case name == "s":
				name, value = "strict", "true"
			case name == "many" && want.flags[name] != "":
				value = want.flags[name] + "," + value
			}
			_, has := want.flags[name]
			isTwice = isTwice || has && name != "many"
			want.flags[name] = value
		}
		got, err := runLine(strings.Join(words, " "))
		if isTwice {
			require.ErrorContains(t, err, "given twice", "%v", words)
			continue
		}
		require.NoError(t, err, "%v", words)
		assert.Equal(t, want.String(), got, "%v", words)
	}
}
