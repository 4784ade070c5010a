package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// console are the blocks of a guide that show a session: lines with a command,
// which begin with "$ ", each with what it prints behind it.
var console = regexp.MustCompile("(?s)```console\n(.*?)```")

// documents returns the README and the guides.
func documents(t *testing.T) []string {
	t.Helper()
	guides, err := filepath.Glob(filepath.Join(docsFolder, "*.md"))
	require.NoError(t, err)
	return append(guides, filepath.Join(docsFolder, "..", "README.md"))
}

// TestGuides runs the commands of the README and the guides and compares what they print
// with what these say they do. Run with -update, it writes that into them.
func TestGuides(t *testing.T) {
	commands := 0
	for _, guide := range documents(t) {
		t.Run(filepath.Base(guide), func(t *testing.T) {
			inFolderOf(t, guide)
			text, err := os.ReadFile(guide)
			require.NoError(t, err)
			for _, at := range example.FindAllSubmatchIndex(text, -1) {
				for _, session := range console.FindAll(text[:at[0]], -1) {
					assert.NotContains(t, string(session), " "+string(text[at[2]:at[3]]), "a file is shown before it is used")
				}
			}
			played := console.ReplaceAllStringFunc(string(text), func(block string) string {
				var session strings.Builder
				for line := range strings.Lines(block) {
					if command, is := strings.CutPrefix(strings.TrimSpace(line), "$ "); is {
						commands++
						session.WriteString("$ " + command + "\n" + play(t, command))
					}
				}
				return "```console\n" + session.String() + "```"
			})
			comparePictures(t, docsFolder)
			if *update && steady(played) != steady(string(text)) {
				require.NoError(t, os.WriteFile(guide, []byte(played), 0o644)) //nolint:gosec // read by everyone
				return
			}
			compareText(t, filepath.Base(guide), steady(string(text)), steady(played))
		})
	}
	require.Greater(t, commands, 60)
}

// rounding is what differs with the rounding of a processor, or with the code of the page
// that a report has in it.
var rounding = regexp.MustCompile(`± [0-9]\S*|report of [0-9]+ kB|("residual": )[0-9.e-]+|residual[ |]+[0-9.e-]+|optimal up to a relative error of [0-9.e-]+|optimal to all digits`)

// steady returns a text without what differs from run to run, or with the rounding of a
// processor.
func steady(text string) string { return rounding.ReplaceAllString(withoutTimes(text), "$1") }

// example is a file that a guide shows: its name on a line of its own, and its content.
var example = regexp.MustCompile("(?s)\n`([\\w.-]+)`:\n\n```\\w+\n(.*?)```\n")

// guideText returns a guide, and goes to a folder in which its commands run.
func guideText(t *testing.T, name string) string {
	t.Helper()
	guide := filepath.Join(docsFolder, name)
	content, err := os.ReadFile(guide)
	require.NoError(t, err)
	inFolderOf(t, guide)
	return string(content)
}

// inFolderOf works in a new folder with the files that stand beside a guide, and with
// those that it shows. Beside the README it has the folder of the guides alone.
func inFolderOf(t *testing.T, guide string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if filepath.Dir(guide) != docsFolder {
		require.NoError(t, os.CopyFS("docs", os.DirFS(docsFolder)))
		return
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(guide), "*"))
	require.NoError(t, err)
	for _, name := range files {
		if filepath.Ext(name) == ".svg" {
			continue
		}
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Base(name), content, 0o600))
		if name == guide {
			for _, file := range example.FindAllStringSubmatch(string(content), -1) {
				require.NoError(t, os.WriteFile(file[1], []byte(file[2]), 0o600))
			}
		}
	}
}

// comparePictures compares the plots that the commands of a guide have drawn with
// those that stand beside it. Run with -update, it writes those.
func comparePictures(t *testing.T, folder string) {
	t.Helper()
	pictures, err := filepath.Glob("*.svg")
	require.NoError(t, err)
	for _, name := range pictures {
		drawn, err := os.ReadFile(name)
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.WriteFile(filepath.Join(folder, name), drawn, 0o644)) //nolint:gosec // read by everyone
			continue
		}
		beside, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		compareText(t, name, string(beside), string(drawn))
	}
}

// play runs a command of a guide: mdpsolve with its arguments, or head -n. The output may
// go on through head -n or tail -n. What it prints as warnings comes first; a status other
// than 0 is shown as the shell has it.
func play(t *testing.T, command string) string {
	t.Helper()
	if of, is := strings.CutPrefix(command, "head -n "); is {
		lines, name, _ := strings.Cut(of, " ")
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		return part(t, "head -n "+lines, string(text))
	}
	command, filter, piped := strings.Cut(command, " | ")
	arguments, is := strings.CutPrefix(command, "mdpsolve ")
	require.True(t, is, "a guide runs %q; mdpsolve and head -n are allowed", command)
	status, stdout, stderr := execute(t, arguments)
	if stdout != "" && !strings.HasSuffix(stdout, "\n") {
		stdout += "\n"
	}
	switch {
	case piped:
		stdout = part(t, filter, stdout)
	case status != ui.ExitSolved:
		stderr += fmt.Sprintf("(exit status %d)\n", status)
	}
	return stderr + stdout
}

// part returns the lines of a text that head -n or tail -n would print.
func part(t *testing.T, filter, text string) string {
	t.Helper()
	words := strings.Fields(filter)
	require.Len(t, words, 3, "a guide has %q behind a pipe; head -n and tail -n are allowed", filter)
	n, err := strconv.Atoi(words[2])
	require.NoError(t, err)
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	n = min(n, len(lines))
	if words[0] == "tail" {
		lines = lines[len(lines)-n:]
	} else {
		lines = lines[:n]
	}
	return strings.TrimSuffix(strings.Join(lines, ""), "\n") + "\n"
}

var numeral = regexp.MustCompile(`\d+(\.\d+)?(e[-+]?\d+)?`)

// compareText wants the same text, with numbers that differ by no more than the tenth
// digit: other processors round the last ones otherwise.
func compareText(t *testing.T, name, want, got string) {
	t.Helper()
	if !assert.Equal(t, numeral.ReplaceAllString(want, "#"), numeral.ReplaceAllString(got, "#")) {
		return
	}
	wanted, found := numeral.FindAllString(want, -1), numeral.FindAllString(got, -1)
	for i := range wanted {
		x, err := strconv.ParseFloat(wanted[i], 64)
		require.NoError(t, err)
		y, err := strconv.ParseFloat(found[i], 64)
		require.NoError(t, err)
		assert.LessOrEqual(t, math.Abs(x-y), 2e-9*math.Abs(x), "number %d of %s: %s, not %s", i+1, name, found[i], wanted[i])
	}
}
