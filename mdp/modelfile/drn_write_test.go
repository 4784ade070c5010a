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

// Storm writes the values of variables in comments. Some versions leave out the name of one that is
// true, which other states have.
func TestVariablesInComments(t *testing.T) {
	text := "@type: DTMC\n@parameters\n\n@reward_models\n\n@nr_states\n2\n@model\nstate 0 init\n//[x=-1\t& \t& z]\n\taction 0\n\t\t1 : 1\nstate 1\n// no values\n//[x=2\t& !y\t& z]\n\taction 0\n\t\t1 : 1\n"
	read := func(text string) *modelfile.Model {
		m, err := modelfile.ReadDRN(strings.NewReader(text), "m.drn", modelfile.Options{})
		require.NoError(t, err)
		return m
	}
	m := read(text)
	assert.Equal(t, "(x,y,z)", m.Variables)
	assert.Equal(t, []string{"(-1,true,true)", "(2,false,true)"}, m.StateNames)
	var written strings.Builder
	require.NoError(t, modelfile.WriteDRN(&written, m))
	assert.Contains(t, written.String(), "state 0 init\n//[x=-1\t& y\t& z]\n")
	assert.Equal(t, m, read(written.String()))
	for _, without := range []string{
		strings.Replace(text, "//[x=2\t& !y\t& z]\n", "", 1), strings.Replace(text, "x=2", "w=2", 1), strings.Replace(text, "x=2\t&", "", 1),
	} {
		assert.Nil(t, read(without).StateNames, without)
	}
}
