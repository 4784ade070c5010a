package serve

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	asked "github.com/mdpsolve/mdpsolve/mdp/question"
)

// A shell reads back the words that were written.
func TestCommandLine(t *testing.T) {
	for _, value := range []string{"1/10", "it's", `a"b`, "$HOME", "`x`", "a b", "λ", "-1", "!x", "~", "{a,b}", `\`, "a\nb", "*", "'λ\\'", "#", "x;y"} {
		line := CommandLine("robots solve", []Flag{{Name: "minimize"}, {Name: "target", Value: value}}, []string{"m.drn"})
		assert.Equal(t, -1, strings.IndexFunc(line, func(r rune) bool { return r < ' ' || r > '~' }), line)
		out, err := exec.CommandContext(t.Context(), "bash", "-c", `mdpsolve() { printf '%s\0' "$@"; }; `+line).Output()
		require.NoError(t, err, line)
		want := []string{"robots", "solve", "--minimize", "--target", value, "m.drn", ""}
		if value[0] == '-' {
			want = []string{"robots", "solve", "--minimize", "--target=" + value, "m.drn", ""}
		}
		assert.Equal(t, want, strings.Split(string(out), "\x00"), line)
	}
}

func TestTimeLimit(t *testing.T) {
	for text, want := range map[string]string{"": "30", "5": "5", "1/2": "1/2", "31": "30", "1e99": "30", "x": "x"} {
		var flags []Flag
		if text != "" {
			flags = []Flag{{Name: "time-limit", Value: text}}
		}
		limited, added := limitTime(flags, 30*time.Second)
		assert.Equal(t, []Flag{{Name: "time-limit", Value: want}}, limited)
		assert.Equal(t, text == "", added)
	}
}

// Several lines may come at once.
func TestHeard(t *testing.T) {
	var seen []string
	h := &heard{progress: func(line []byte) { seen = append(seen, string(line)) }}
	for _, text := range []string{"{\"phase\": \"a\"}\n", "{\"warning\": \"w\"}\n", "mdpsolve: left out: row\nmdpsolve: left out: other\n"} {
		_, err := h.Write([]byte(text))
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"{\"phase\": \"a\"}\n"}, seen)
	assert.Equal(t, []string{"w", "left out: row", "left out: other"}, h.warnings)
	for i := range 100 {
		_, _ = fmt.Fprintf(h, "mdpsolve: left out: row %d\n", i)
	}
	assert.Len(t, h.warnings, 20)
}

func TestPlainNames(t *testing.T) {
	for name, want := range map[string]bool{
		"a.drn": true, "λ x.json": true, "": false, ".": false, "..": false, ".a": false, "-a": false, "a/b": false, `a\b`: false, "a:b": false,
		"a\x00": false, strings.Repeat("a", 201): false,
	} {
		assert.Equal(t, want, isPlainName(name), name)
	}
}

func TestHeaderText(t *testing.T) {
	assert.Equal(t, `"a\u03bb\u0022\ud83d\ude00\u000a"`, headerText("aλ\"😀\n"))
}

// The page names every format of model files, every criterion and every method.
func TestPageNames(t *testing.T) {
	page, err := Asset("model.js")
	require.NoError(t, err)
	var names []string
	for _, f := range modelfile.Formats() {
		names = append(names, append(f.Beside, f.Name)...)
	}
	for _, criterion := range asked.Criteria {
		names = append(names, fmt.Sprintf("[%q, ", criterion))
	}
	for _, m := range ui.Methods {
		names = append(names, strconv.Quote(mdp.MethodWord(m.String())))
	}
	for _, name := range names {
		if !strings.Contains(string(page), name) {
			t.Errorf("model.js does not name %s", name)
		}
	}
}

// A file of another format than JSON is the model: a result beside it is in JSON.
func TestModelOf(t *testing.T) {
	for model, names := range map[string][]string{"r.json": {"p.csv", "r.json"}, "m.drn.gz": {"r.json", "m.drn.gz"}, "m.tra": {"m.lab", "m.tra"}} {
		got, err := modelOf(names)
		require.NoError(t, err)
		assert.Equal(t, model, got)
	}
	_, err := modelOf([]string{"a.csv", "b.csv"})
	assert.ErrorContains(t, err, "none of the files is a model")
}
