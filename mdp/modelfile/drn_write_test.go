package modelfile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// A line of a DRN file that begins with "@" ends the list of reward models.
func TestRewardNamesInDRN(t *testing.T) {
	for name, fits := range map[string]bool{"x": true, "x@": true, "xy": true, "@": false, "@x": false, "x y": false, "x\ty": false, "x\ny": false} {
		m := readFile(t, "testdata/toymaker.json", modelfile.Options{})
		require.Len(t, m.Rewards, 1)
		m.Rewards[0] = modelfile.RewardModel{Name: name, State: m.Rewards[0].State, Action: m.Rewards[0].Action}
		var text strings.Builder
		err := modelfile.WriteDRN(&text, m)
		if !fits {
			require.ErrorContains(t, err, "has a name with spaces, or one that begins with \"@\"", name)
			assert.Empty(t, text.String(), name)
			continue
		}
		require.NoError(t, err, name)
		read, err := modelfile.ReadDRN(strings.NewReader(text.String()), "m.drn", modelfile.Options{})
		require.NoError(t, err, name)
		assert.Equal(t, m.Rewards, read.Rewards, name)
	}
}
