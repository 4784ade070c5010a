package main

// Commands that the README and the guides mention.

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	fenced = regexp.MustCompile("(?s)```(\\w*)\n(.*?)\n```")
	inline = regexp.MustCompile("`(mdpsolve [^`]+)`")
)

// commandsOf returns the command lines in a text but for those of its sessions, which
// TestGuides runs: in blocks without a language, and in the middle of sentences.
func commandsOf(text string) []string {
	var commands []string
	for _, block := range fenced.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(block[2]) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), "  #")
			line = strings.Replace(line, "go run ./cmd/mdpsolve ", "mdpsolve ", 1)
			if block[1] == "" && strings.HasPrefix(line, "mdpsolve ") {
				commands = append(commands, strings.TrimSpace(line))
			}
		}
	}
	for _, command := range inline.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		commands = append(commands, command[1])
	}
	return commands
}

// TestCommandsInDocumentation runs the commands that the README and the guides mention,
// with files of the names that stand there. Of a verb that is named alone, or with a flag
// alone, it looks at the help.
func TestCommandsInDocumentation(t *testing.T) {
	documents, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	var commands []string
	for _, document := range append(documents, "../../README.md") {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		commands = append(commands, commandsOf(string(text))...)
	}
	require.GreaterOrEqual(t, len(commands), 25)
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"model.drn": "@type: MDP\n@reward_models\nprofit\n@nr_states\n2\n@model\nstate 0 [2] init\n\taction on\n\t\t0 : 0.5\n\t\t1 : 0.5\n" +
			"\taction off\n\t\t1 : 1\nstate 1 [0] goal\n\taction on\n\t\t1 : 1\n",
		"policy.csv":     "state,action\n0,on\n",
		"scheduler.json": `[{"c": [{"index": 1, "prob": 1}], "s": 0}]`,
		"pages.csv":      "id,change_rate\nhttps://a.example/,1\nhttps://b.example/,2\n",
		"history.csv":    refreshFiles["history.csv"],
	} {
		writeFile(t, name, text)
	}
	for _, command := range commands {
		words := strings.Fields(command)[1:]
		mentioned := ""
		if last := words[len(words)-1]; strings.HasPrefix(last, "--") && !strings.Contains(command, ".") {
			words, mentioned = words[:len(words)-1], last
		}
		if !strings.Contains(strings.Join(words, " "), "-") && !strings.Contains(command, ".") {
			words = append(words, "--help")
		}
		status, stdout, stderr := execute(t, strings.Join(words, " "))
		assert.Zero(t, status, "%s: %s", command, stderr)
		assert.NotEmpty(t, stdout+stderr, command)
		assert.Contains(t, stdout, mentioned, command)
	}
}
