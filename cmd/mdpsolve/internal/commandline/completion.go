package commandline

// Completion in shells. Their scripts run the command line so far with one more flag; the
// shell offers the lines printed, or file names if there are none.

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Scripts pass the word being typed only if it begins a flag; shells choose among the
// candidates.
//
//go:embed completion.bash completion.zsh completion.fish
var scripts embed.FS

var shells = []string{"bash", "zsh", "fish"}

// completionFlag ends a command line that a shell wants completed.
const completionFlag = "--generate-bash-completion"

// CompletionCommand is the verb completion.
func CompletionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "complete verbs, flags and values in a shell",
		UsageText: "mdpsolve completion bash|zsh|fish",
		ArgsUsage: "SHELL",
		Description: `Prints a script for a shell, which then completes verbs, flags, their values and file
names:

  bash  source <(mdpsolve completion bash), in ~/.bashrc
  zsh   source <(mdpsolve completion zsh), in ~/.zshrc after compinit
  fish  mdpsolve completion fish | source, in ~/.config/fish/config.fish

Examples:
  mdpsolve completion bash
  mdpsolve completion fish`,
		Action: func(c *cli.Context) error {
			shell := c.Args().First()
			if !slices.Contains(shells, shell) {
				return ui.UsageErrorf("completion: %q is not valid: use %s", shell, wording.Alternatives(shells))
			}
			script, err := scripts.ReadFile("completion." + shell)
			if err == nil {
				_, err = c.App.Writer.Write(script)
			}
			return err
		},
	}
}

// Complete prints the candidates for the next word of a command line, if that ends with
// completionFlag.
func Complete(app *cli.App, args []string) (asked bool) {
	words := args[1:]
	if len(words) == 0 || words[len(words)-1] != completionFlag {
		return false
	}
	for _, word := range candidates(program(app), words[:len(words)-1]) {
		fmt.Fprintln(app.Writer, word)
	}
	return true
}

// candidates returns what may follow words, or replace the last one if that begins a flag:
// a word, or a word, a tab and its meaning.
func candidates(root verb, words []string) []string {
	at, rest := root.follow(words)
	last := ""
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	flag := at.flag(last)
	switch {
	case flag != nil && takesValue(flag):
		if choice, is := flag.(*ui.ChoiceFlag); is {
			return choice.Choices
		}
		return nil
	case strings.HasPrefix(last, "-"):
		var found []string
		for _, flag := range append(slices.Clone(at.Flags), helpFlag) {
			if visible, ok := flag.(cli.VisibleFlag); ok && !visible.IsVisible() {
				continue
			}
			_, usage := placeholder(flag)
			found = append(found, "--"+flag.Names()[0]+"	"+usage)
		}
		return slices.DeleteFunc(found, func(line string) bool { return !strings.HasPrefix(line, last) })
	case at.Name == "help" || at.Name == "man":
		at, _ = root.follow(rest)
		return at.described()
	case at.Name == "completion":
		return shells
	case len(rest) > 0:
		return nil
	}
	return at.described()
}

// described returns the names of the verbs below v with what they do.
func (v verb) described() []string {
	var lines []string
	for _, below := range v.verbs() {
		lines = append(lines, below.Name+"\t"+below.Usage)
	}
	return lines
}
