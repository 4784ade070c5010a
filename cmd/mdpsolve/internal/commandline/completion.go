package commandline

// Completion in shells. Their scripts run the command line so far with a flag behind it;
// what that prints may come next, or names of files where it prints nothing.

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// completionFlag ends a command line of which a shell asks how it may go on.
const completionFlag = "--generate-bash-completion"

// CompletionCommand is the verb completion.
func CompletionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "completion of verbs, flags and their values in a shell",
		UsageText: "mdpsolve completion bash|zsh|fish",
		ArgsUsage: "SHELL",
		HideHelp:  true,
		Description: `Writes a script to standard output, by which a shell completes verbs, flags, the
values of flags that have a choice, and the names of files:

  bash  source <(mdpsolve completion bash), in ~/.bashrc
  zsh   source <(mdpsolve completion zsh), in ~/.zshrc behind compinit
  fish  mdpsolve completion fish | source, in ~/.config/fish/config.fish

Examples:
  mdpsolve completion bash
  mdpsolve completion fish`,
		Action: func(c *cli.Context) error {
			script, known := scripts[c.Args().First()]
			if !known {
				return ui.UsageErrorf("completion: %q is not valid: use bash, zsh or fish", c.Args().First())
			}
			_, err := io.WriteString(c.App.Writer, script)
			return err
		},
	}
}

// Complete prints what may stand behind the words of a command line, if that is what it
// asks for.
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

// candidates returns what may stand behind words, or in place of the last one where that
// is the beginning of a flag: a word, or a word, a tab and what it means.
func candidates(root verb, words []string) []string {
	at, rest := root.follow(words)
	last := ""
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	flag := at.flag(nameOf(last))
	switch {
	case strings.HasPrefix(last, "-") && flag != nil && takesValue(flag):
		return choices(flag)
	case strings.HasPrefix(last, "-"):
		var found []string
		for _, flag := range append(slices.Clone(at.Flags), helpFlag) {
			_, usage := placeholder(flag)
			found = append(found, "--"+flag.Names()[0]+"\t"+usage)
		}
		return slices.DeleteFunc(found, func(line string) bool { return !strings.HasPrefix(line, last) })
	case at.Name == "help" || at.Name == "man":
		at, _ = root.follow(rest)
		return at.described()
	case at.Name == "completion":
		return slices.Sorted(maps.Keys(scripts))
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

// scripts are what shells read. The word that is being typed is handed over only where it
// is a flag; shells choose among the words that come back.
var scripts = map[string]string{
	"bash": `# Completion of mdpsolve in bash.
_mdpsolve() {
	local current=${COMP_WORDS[COMP_CWORD]} word count=$COMP_CWORD
	[[ $current == -* ]] && ((count++))
	COMPREPLY=()
	while IFS= read -r word; do
		word=${word%%$'\t'*}
		[[ $word == "$current"* ]] && COMPREPLY+=("$word")
	done < <("${COMP_WORDS[0]}" "${COMP_WORDS[@]:1:count-1}" ` + completionFlag + ` 2>/dev/null)
}
complete -o bashdefault -o default -F _mdpsolve mdpsolve
`,
	"zsh": `#compdef mdpsolve
# Completion of mdpsolve in zsh.
_mdpsolve() {
	local line
	local -a typed found
	typed=("${(@)words[1,CURRENT-1]}")
	[[ ${words[CURRENT]} == -* ]] && typed+=("${words[CURRENT]}")
	while IFS= read -r line; do
		found+=("${${line//:/\\:}/$'\t'/:}")
	done < <("${typed[@]}" ` + completionFlag + ` 2>/dev/null)
	if ((${#found})); then
		_describe 'mdpsolve' found
	else
		_files
	fi
}
if [[ $funcstack[1] == _mdpsolve ]]; then
	_mdpsolve "$@"
else
	compdef _mdpsolve mdpsolve
fi
`,
	"fish": `# Completion of mdpsolve in fish.
function __mdpsolve_words
	set -l typed (commandline -opc)
	set -l current (commandline -ct)
	string match -q -- '-*' $current; and set -a typed $current
	set -l found ($typed ` + completionFlag + ` 2>/dev/null)
	if set -q found[1]
		string join \n -- $found
	else
		__fish_complete_path $current
	end
end
complete -c mdpsolve -f -a '(__mdpsolve_words)'
`,
}
