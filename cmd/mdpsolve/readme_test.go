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

// readerFiles are files that a reader has, whom a document tells what to do with them.
var readerFiles = map[string]string{
	"model.drn": "@type: DTMC\n@parameters\n@reward_models\nprofit\n@nr_states\n1\n@model\nstate 0 [2] init\n\taction on\n\t\t0 : 1\n",
	"pages.csv": "id,change_rate\nhttps://a.example/,1\nhttps://b.example/,2\n",
}

// TestCommandsInDocumentation runs the commands that the README and the guides mention,
// in the folder of the document, and compares the pictures that they draw with those that
// stand in docs. Of a verb that is named alone, or with a flag alone, it looks at the help.
func TestCommandsInDocumentation(t *testing.T) {
	documents, err := filepath.Glob(filepath.Join(docsFolder, "*.md"))
	require.NoError(t, err)
	mentioned := 0
	for _, document := range append(documents, filepath.Join(docsFolder, "..", "README.md")) {
		t.Run(filepath.Base(document), func(t *testing.T) {
			text, err := os.ReadFile(document)
			require.NoError(t, err)
			if filepath.Dir(document) == docsFolder {
				inFolderOf(t, document)
			} else {
				t.Chdir(t.TempDir())
				require.NoError(t, os.CopyFS("docs", os.DirFS(docsFolder)))
			}
			for name, content := range readerFiles {
				if _, err := os.Stat(name); os.IsNotExist(err) {
					writeFile(t, name, content)
				}
			}
			for _, command := range commandsOf(string(text)) {
				mentioned++
				runMentioned(t, command)
			}
			comparePictures(t, docsFolder)
		})
	}
	assert.GreaterOrEqual(t, mentioned, 35)
}

func runMentioned(t *testing.T, command string) {
	t.Helper()
	words := strings.Fields(command)[1:]
	flag := ""
	if last := words[len(words)-1]; strings.HasPrefix(last, "--") && !strings.Contains(command, ".") {
		words, flag = words[:len(words)-1], last
	}
	if !strings.Contains(strings.Join(words, " "), "-") && !strings.Contains(command, ".") {
		words = append(words, "--help")
	}
	status, stdout, stderr := execute(t, strings.Join(words, " "))
	assert.Zero(t, status, "%s: %s", command, stderr)
	assert.NotEmpty(t, stdout+stderr, command)
	assert.Contains(t, stdout, flag, command)
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// What the README and the guides lead to is there, and each picture in docs is shown by
// a document that has the command by which it is drawn.
func TestLinksInDocumentation(t *testing.T) {
	documents, err := filepath.Glob(filepath.Join(docsFolder, "*.md"))
	require.NoError(t, err)
	shown := map[string]bool{}
	for _, document := range append(documents, filepath.Join(docsFolder, "..", "README.md")) {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(string(text), ""), -1) {
			target, _, _ := strings.Cut(found[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			_, err := os.Stat(filepath.Join(filepath.Dir(document), target))
			assert.NoError(t, err, "%s leads to it", document)
			if name := filepath.Base(target); filepath.Ext(name) == ".svg" {
				shown[name] = true
				assert.Contains(t, string(text), "--plot "+name, document)
			}
		}
	}
	pictures, err := filepath.Glob(filepath.Join(docsFolder, "*.svg"))
	require.NoError(t, err)
	for _, name := range pictures {
		assert.True(t, shown[filepath.Base(name)], "no document shows %s", name)
	}
}
