package modelfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// What Fit says of each format, its files show: a model comes back from the format as it was unless
// something is said to be lost, and without any change of its expected rewards.
func TestFormatsLoseWhatTheListSays(t *testing.T) {
	const (
		text = `{"kind": "mdp", %s "reward_models": ["cost"], "states": [
			{%s "rewards": [2], "actions": [{"name": "go", %s "to": [[0, 0.5%s], [1, 0.5]]}, {"name": "wait", "to": [[0, 1]]}]},
			{%[2]s "actions": [{"name": "stay", "to": [[1, 1]]}]}]}`
		transition, action = ", [3]", `"rewards": [1],`
	)
	for _, test := range []struct{ labels, name, action, transition string }{
		{"", "", "", ""},
		{`"labels": {"goal": [1]},`, "", action, ""},
		{`"labels": {"nowhere": []},`, "", "", ""},
		{"", `"name": "(1)",`, "", ""},
		{"", "", "", transition},
		{"", "", action, transition},
	} {
		said := fmt.Sprintf(text, test.labels, test.name, test.action, test.transition)
		for _, f := range modelfile.Formats() {
			m, err := modelfile.Read(strings.NewReader(said), "test", modelfile.Options{})
			require.NoError(t, err)
			before, err := m.ExpectedRewards("cost")
			require.NoError(t, err)
			lost := f.Fit(m)
			path := filepath.Join(t.TempDir(), "m"+f.Suffix)
			require.NoError(t, modelfile.WriteFile(path, m))
			again, err := modelfile.ReadFile(path, modelfile.Options{})
			require.NoError(t, err)
			after, err := again.ExpectedRewards("cost")
			require.NoError(t, err)
			assert.Equal(t, before, after, f.Name)

			m, err = modelfile.Read(strings.NewReader(said), "test", modelfile.Options{})
			require.NoError(t, err)
			if m.StateNames != nil {
				m.Variables = again.Variables // PRISM gives them a name
			}
			assert.Equal(t, len(lost) == 0, assert.ObjectsAreEqual(plain(m), plain(again)), "%s of %s: %v", f.Name, said, lost)
		}
	}
}

// docs/models.md has a row for each format.
func TestDocumentedFormats(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "models.md"))
	require.NoError(t, err)
	for _, f := range modelfile.Formats() {
		row := fmt.Sprintf("| %#q | %s |", f.Suffix, f.Meaning)
		assert.Contains(t, string(guide), row)
	}
}
