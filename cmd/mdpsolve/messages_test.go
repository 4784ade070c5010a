package main

// Messages, whatever files and flags hold.

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// assertShort fails unless each line of standard error has at most 300 characters, all of
// which can be printed.
func assertShort(t *testing.T, line string) {
	t.Helper()
	status, _, stderr := execute(t, line)
	assert.NotEqual(t, 1, status, "%.100s: %.300s", line, stderr)
	for text := range strings.Lines(stderr) {
		text = strings.TrimSuffix(text, "\n")
		assert.LessOrEqual(t, utf8.RuneCountInString(text), 300, "%.100s: %.400s", line, text)
		assert.Equal(t, -1, strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }), "%.100s: %q", line, text)
	}
}

// Every flag of every verb that needs no server, with long values, and files of long names.
func TestMessagesAreShort(t *testing.T) {
	modelFolder(t)
	long := strings.Repeat("y", 3000)
	hostile := []string{"x\x1b[31m\a\u202e" + long, strings.Repeat("a b", 300), strings.Repeat("9", 2000), "/tmp/" + strings.Repeat("p/", 400) + "q.json"}
	flags := regexp.MustCompile(`--[a-z][a-z-]+`)
	for _, verb := range []string{
		"static", "static sweep", "robots solve", "robots table", "robots frontier", "robots sweep", "robots simulate", "refresh rates", "refresh schedule",
		"refresh estimate", "refresh evaluate", "store set", "store due", "solve", "evaluate", "simulate", "check", "convert", "info", "report model",
	} {
		seen := map[string]bool{}
		for _, flag := range flags.FindAllString(mustPrint(t, "help "+verb), -1) {
			if !seen[flag] {
				assertShort(t, verb+" "+flag+" '"+hostile[len(seen)%len(hostile)]+"'")
			}
			seen[flag] = true
		}
		for _, value := range hostile {
			assertShort(t, verb+" '"+value+"'")
			assertShort(t, verb+" --"+value)
		}
	}
	states := []any{map[string]any{"name": hostile[0], "rewards": []int{1}, "actions": []any{
		map[string]any{"name": long, "to": [][]int{{0, 1}}}, map[string]any{"name": long + "1", "to": [][]int{{0, 1}}},
	}}}
	text, err := json.Marshal(map[string]any{"kind": "mdp", "labels": map[string][]int{long: {}}, "reward_models": []string{hostile[0]}, "states": states})
	require.NoError(t, err)
	for name, text := range map[string]string{
		"long.json": string(text), "bad.json": `{"kind": "` + long + `"}`, "bad.drn": hostile[0] + "\n", "bad.tra": hostile[2] + "\n", "bad.umb": hostile[0],
		"bad.csv": hostile[0] + "\n", "sum.json": `{"kind": "dtmc", "states": [{"actions": [{"to": [[0, 0.` + strings.Repeat("1", 2000) + `]]}]}]}`,
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		assertShort(t, "info "+name)
		for _, question := range []string{" --criterion average --minimize --reward nothing", " --criterion total --target nothing --minimize", ` --property 'Pmax=? [F "` + long + `"]'`} {
			assertShort(t, "solve "+name+question)
		}
		assertShort(t, "evaluate paths.drn --criterion average --policy "+name)
		assertShort(t, "check paths.drn "+name)
		assertShort(t, "solve paths.drn --property "+name)
		assertShort(t, "refresh rates --bandwidth 1 --input "+name)
	}
}
