package modelfile_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// Lists of a long file grow to what the file needs, and hold what it says.
func TestLongFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("writes and reads five files of a million transitions")
	}
	const n = 180_000
	m := &modelfile.Model{Kind: modelfile.MDP, StateStart: []int32{0}, RowStart: []int32{0}, Initial: []int32{0}}
	rewards := modelfile.Numbers{}
	for s := range n {
		for range 3 {
			m.Columns = append(m.Columns, int32(s), int32(n+s+1)%n)
			m.Values.Float = append(m.Values.Float, 0.25, 0.75)
			m.RowStart = append(m.RowStart, int32(len(m.Columns)))
			rewards.Float = append(rewards.Float, float64(1+s%7))
		}
		m.StateStart = append(m.StateStart, int32(len(m.RowStart)-1))
	}
	m.Rewards = []modelfile.RewardModel{{Name: "c", Action: rewards}}
	var names []string
	for _, f := range modelfile.Formats() {
		if f.Name != "JSON" && len(f.Fit(m)) == 0 { // JSON is not meant for models of this size
			names = append(names, "m"+f.Suffix, "m"+f.Suffix+".gz")
		}
	}
	for _, name := range names {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, modelfile.WriteFile(path, m))
		got, err := modelfile.ReadFile(path, modelfile.Options{})
		require.NoError(t, err, name)
		require.True(t, slices.Equal(m.StateStart, got.StateStart) && slices.Equal(m.RowStart, got.RowStart), name)
		require.True(t, slices.Equal(m.Columns, got.Columns) && slices.Equal(m.Values.Float, got.Values.Float), name)
		require.True(t, slices.Equal(m.Rewards[0].Action.Float, got.Rewards[0].Action.Float), name)
		for _, room := range []float64{float64(cap(got.Columns)) / float64(len(got.Columns)), float64(cap(got.Rewards[0].Action.Float)) / float64(3*n)} {
			require.Less(t, room, 1.3, name)
		}
	}
}
