package main

// Commands that the README and the guides mention.

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
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
	"pages.csv": "id,change_rate,unit\nhttps://a.example/,1,day\nhttps://b.example/,2,day\n",
	"rates.csv": "id,rate,unit\nhttps://a.example/,5,day\nhttps://b.example/,7,day\n",
	"log.csv": "url,time,changed\nhttps://a.example/,2026-01-30T00:00:00Z,\nhttps://b.example/,2026-01-30T00:00:00Z,\n" +
		"https://a.example/,2026-01-31T01:00:00Z,1\nhttps://b.example/,2026-01-31T02:00:00Z,0\n",
}

// TestCommandsInDocumentation runs the commands that the README and the guides mention,
// in the folder of the document, and compares the pictures that they draw with those that
// stand in docs. Of a verb that is named alone, or with a flag alone, it looks at the help.
func TestCommandsInDocumentation(t *testing.T) {
	mentioned := 0
	for _, document := range documents(t) {
		t.Run(filepath.Base(document), func(t *testing.T) {
			text, err := os.ReadFile(document)
			require.NoError(t, err)
			inFolderOf(t, document)
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
	assert.GreaterOrEqual(t, mentioned, 30)
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

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the places of a document that a link may lead to.
func anchors(text string) (names []string) {
	for _, found := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		names = append(names, strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(found[1]), ""), " ", "-"))
	}
	return names
}

// What the README and the guides lead to is there, headings included. Each picture in docs
// is shown by a document, and docs/figures.md or that document has the command by which it
// is drawn.
func TestLinksInDocumentation(t *testing.T) {
	figures, err := os.ReadFile(filepath.Join(docsFolder, "figures.md"))
	require.NoError(t, err)
	shown := map[string]bool{}
	for _, document := range documents(t) {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(string(text), ""), -1) {
			target, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := document
			if target != "" {
				path = filepath.Join(filepath.Dir(document), target)
			}
			_, err := os.Stat(path)
			assert.NoError(t, err, "%s leads to it", document)
			if anchor != "" {
				linked, err := os.ReadFile(path)
				require.NoError(t, err)
				assert.Contains(t, anchors(string(linked)), anchor, "%s leads to %s", document, found[1])
			}
			if name := filepath.Base(target); filepath.Ext(name) == ".svg" {
				shown[name] = true
				assert.Contains(t, string(text)+string(figures), "--plot "+name, document)
			}
		}
	}
	pictures, err := filepath.Glob(filepath.Join(docsFolder, "*.svg"))
	require.NoError(t, err)
	for _, name := range pictures {
		assert.True(t, shown[filepath.Base(name)], "no document shows %s", name)
	}
}

// clumsy are phrases that this project does without: CONTRIBUTING.md has better ones. A "_"
// stands for spaces, and for the end of a line in a comment.
var clumsy = regexp.MustCompile("(?i)" + strings.ReplaceAll(
	`set_apart_by|left_in_peace|not_looked_at|the_one_who_asks|for_who_knows|what_is_known_of|wh(at|ich)ever_it_be`+
		`|a_dot_behind_it|it_is_said|lowest_that_is_to_be_had`, "_", `(\s|//|[#*])+`))

// No text is clumsy: documents, help, messages, page, comments. The changelog tells history,
// and generated code repeats what its source says.
func TestWordsArePlain(t *testing.T) {
	root := filepath.Dir(docsFolder)
	command := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	command.Dir = root
	listed, err := command.Output()
	if err != nil {
		t.Skip("not a git checkout")
	}
	files := strings.Split(strings.TrimRight(string(listed), "\x00"), "\x00")
	require.Greater(t, len(files), 500)
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(root, name))
		if errors.Is(err, fs.ErrNotExist) { // deleted, and not committed yet
			continue
		}
		require.NoError(t, err)
		if name == "CHANGELOG.md" || bytes.ContainsRune(text, 0) || bytes.Contains(text, []byte("\n// Code generated by")) {
			continue
		}
		for _, at := range clumsy.FindAllIndex(text, -1) {
			assert.Fail(t, "clumsy", "%s:%d: %q", name, 1+bytes.Count(text[:at[0]], []byte("\n")), text[at[0]:at[1]])
		}
	}
}

// The README is read in five minutes, and the guides in an hour.
func TestDocumentationIsShort(t *testing.T) {
	words, pages := 0, 0
	for _, document := range documents(t) {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		switch n := len(strings.Fields(string(text))); {
		case filepath.Base(document) == "scorecard.md": // a program writes it
		case filepath.Dir(document) == docsFolder:
			words, pages = words+n, pages+1
		case filepath.Base(document) == "README.md":
			assert.LessOrEqual(t, n, 900, "words of the README")
		}
	}
	assert.Equal(t, 12, pages, "pages in docs")
	assert.LessOrEqual(t, words, 20000, "words in docs")
}

var readmeProgram = regexp.MustCompile("(?s)```go\n(package main.*?)```.*?```text\n(module .*?)```.*?```text\n(.*?)```")

// TestProgramInReadme runs the program of the README as a reader does, in a folder beside
// this module.
func TestProgramInReadme(t *testing.T) {
	root := filepath.Dir(docsFolder)
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	found := readmeProgram.FindStringSubmatch(string(text))
	require.NotNil(t, found, "the README has a program, its go.mod and what it prints")
	t.Chdir(t.TempDir())
	require.NoError(t, os.Symlink(root, "mdpsolve"))
	require.NoError(t, os.Mkdir("machine", 0o755)) //nolint:gosec // as a reader makes it
	writeFile(t, "machine/main.go", found[1])
	writeFile(t, "machine/go.mod", found[2])
	command := exec.CommandContext(t.Context(), "go", "run", "-mod=mod", ".")
	command.Dir = "machine"
	command.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOSUMDB=off", "GOFLAGS=")
	var stderr strings.Builder
	command.Stderr = &stderr
	stdout, err := command.Output()
	require.NoError(t, err, stderr.String())
	assert.Equal(t, found[3], string(stdout))
}
