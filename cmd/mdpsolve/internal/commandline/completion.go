package commandline

// Completion in shells: the scripts, and the words that they ask for.

import (
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// CompletionCommand is the verb completion. Its scripts ask the program itself for words,
// so that they fit whatever version is there.
func CompletionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "completion of verbs, flags and their values in a shell",
		UsageText: "mdpsolve completion bash|zsh|fish",
		ArgsUsage: "SHELL [WORD…]",
		HideHelp:  true,
		Description: `Writes a script to standard output, by which a shell completes verbs, flags, the
values of flags that have a choice, and the names of files:

  bash  source <(mdpsolve completion bash), in ~/.bashrc
  zsh   source <(mdpsolve completion zsh), in ~/.zshrc behind compinit
  fish  mdpsolve completion fish | source, in ~/.config/fish/config.fish

The script asks mdpsolve completion SHELL -- WORD… what the last word may be.

Examples:
  mdpsolve completion bash
  mdpsolve completion fish`,
		Action: func(c *cli.Context) error {
			script, known := scripts[c.Args().First()]
			if !known {
				return ui.UsageErrorf("completion: %q is not valid: use bash, zsh or fish", c.Args().First())
			}
			if words := c.Args().Tail(); len(words) > 0 {
				script = ""
				for _, found := range complete(program(c.App), words) {
					script += found.word + "\t" + found.usage + "\n"
				}
			}
			_, err := io.WriteString(c.App.Writer, script)
			return err
		},
	}
}

// candidate is a word that may stand where the cursor is.
type candidate struct{ word, usage string }

// anyFile stands for the names of files, which shells know.
var anyFile = []candidate{{"/", "files"}}

// complete returns what the last of the words behind the program's name may be.
func complete(root verb, words []string) []candidate {
	words = joinEquals(words)
	last := words[len(words)-1]
	at, rest := root.follow(words[:len(words)-1])
	if at.Name == "help" || at.Name == "man" {
		at, _ = root.follow(rest)
		return beginning(last, verbCandidates(at))
	}
	if name, value, found := strings.Cut(last, "="); found && isFlag(name) {
		return prefixed(name+"=", at.values(nameOf(name), value))
	}
	if flag := at.openFlag(rest); flag != nil {
		return at.values(flag.Names()[0], last)
	}
	if at.Action == nil && len(rest) > 0 {
		return nil
	}
	var found []candidate
	if !isFlag(last) && last != "-" {
		if found = verbCandidates(at); len(rest) > 0 {
			found = nil
		}
		if len(ui.Operands(at.Command)) > 0 {
			if at.Name == "completion" {
				return beginning(last, []candidate{{"bash", ""}, {"zsh", ""}, {"fish", ""}})
			}
			return anyFile
		}
	}
	if len(found) == 0 || last != "" {
		found = append(found, at.flagCandidates(rest)...)
	}
	return beginning(last, found)
}

// joinEquals undoes what bash does to --name=value: three words.
func joinEquals(words []string) []string {
	var joined []string
	for i, word := range words {
		last := len(joined) - 1
		switch {
		case word == "=" && last >= 0 && isFlag(joined[last]):
			joined[last] += "="
		case i > 0 && words[i-1] == "=" && last >= 0 && strings.HasSuffix(joined[last], "="):
			joined[last] += word
		default:
			joined = append(joined, word)
		}
	}
	return joined
}

// openFlag returns the flag whose value is to come behind the words; nil for none.
func (v verb) openFlag(words []string) cli.Flag {
	var open cli.Flag
	for _, word := range words {
		if open != nil || !isFlag(word) || strings.Contains(word, "=") {
			open = nil
			continue
		}
		if open = v.flag(nameOf(word)); open != nil && !takesValue(open) {
			open = nil
		}
	}
	return open
}

// values returns what the value of a flag may be.
func (v verb) values(name, begun string) []candidate {
	flag := v.flag(name)
	if flag == nil {
		return nil
	}
	var found []candidate
	for _, choice := range choices(flag) {
		found = append(found, candidate{choice, ""})
	}
	if value, _ := placeholder(flag); found == nil && value == "FILE" {
		return anyFile
	}
	return beginning(begun, found)
}

func verbCandidates(at verb) []candidate {
	var found []candidate
	for _, below := range at.verbs() {
		found = append(found, candidate{below.Name, below.Usage})
	}
	return found
}

// flagCandidates returns the flags that may still be given.
func (v verb) flagCandidates(given []string) []candidate {
	var found []candidate
	for _, flag := range v.Flags {
		isGiven := slices.ContainsFunc(given, func(word string) bool {
			name, _, _ := strings.Cut(word, "=")
			return isFlag(word) && slices.Contains(flag.Names(), nameOf(name))
		})
		if !isGiven || isRepeated(flag) {
			_, usage := placeholder(flag)
			found = append(found, candidate{"--" + flag.Names()[0], usage})
		}
	}
	return append(found, candidate{"--help", "how this is used"})
}

// beginning returns the candidates that go on from what has been typed.
func beginning(typed string, all []candidate) []candidate {
	return slices.DeleteFunc(all, func(c candidate) bool { return !strings.HasPrefix(c.word, typed) })
}

func prefixed(prefix string, all []candidate) []candidate {
	found := slices.Clone(all)
	for i := range found {
		if found[i] != anyFile[0] {
			found[i].word = prefix + found[i].word
		}
	}
	return found
}

// scripts are what shells read. A line "/" in the answer of the program stands for files.
var scripts = map[string]string{
	"bash": `# Completion of mdpsolve in bash.
_mdpsolve() {
	local IFS=$'\n' word line current=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=()
	while IFS= read -r line; do
		word=${line%%$'\t'*}
		if [[ $word == / ]]; then
			[[ $current == = ]] && current=
			compopt -o filenames 2>/dev/null
			while IFS= read -r word; do
				COMPREPLY+=("$word")
			done < <(compgen -f -- "$current")
			return
		fi
		if [[ $word == *=* ]]; then # bash completes what stands behind "="
			word=${word#*=}
		fi
		COMPREPLY+=("$word")
	done < <("${COMP_WORDS[0]}" completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _mdpsolve mdpsolve
`,
	"zsh": `#compdef mdpsolve
# Completion of mdpsolve in zsh.
_mdpsolve() {
	local line
	local -a described
	while IFS= read -r line; do
		if [[ ${line%%$'\t'*} == / ]]; then
			compset -P '*='
			_files
			return
		fi
		described+=("${${${line%$'\t'}//:/\\:}/$'\t'/:}")
	done < <("${words[1]}" completion zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null)
	_describe 'mdpsolve' described
}
if [[ $funcstack[1] == _mdpsolve ]]; then
	_mdpsolve "$@"
else
	compdef _mdpsolve mdpsolve
fi
`,
	"fish": `# Completion of mdpsolve in fish.
function __mdpsolve_words
	set -l words (commandline -opc) (commandline -ct)
	set -l answer ($words[1] completion fish -- $words[2..] 2>/dev/null)
	if string match -q -- '/'\t'*' $answer[1]
		set -l begun (commandline -ct)
		set -l flag (string match -r -- '^-.*=' $begun; or echo)
		for file in (__fish_complete_path (string replace -r -- '^-.*=' '' $begun))
			echo $flag$file
		end
		return
	end
	string join \n -- $answer
end
complete -c mdpsolve -f -a '(__mdpsolve_words)'
`,
}
