package modelfile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// withMatrices hands a model over as matrices, into which its choices are divided at random. Rewards
// of branches are those of the model.
func withMatrices(t testing.TB, random *rand.Rand, m *modelfile.Model) []member {
	t.Helper()
	var list []member
	var index map[string]any
	for _, member := range members(t, umb(t, m)) {
		switch {
		case member.name == "index.json":
			require.NoError(t, json.Unmarshal(member.data, &index))
		case strings.HasPrefix(member.name, "choice-to-") || strings.HasPrefix(member.name, "branch-") || strings.Contains(member.name, "/branches/"):
		default:
			list = append(list, member)
		}
	}
	count, isStrided := 1+random.IntN(min(3, m.NumChoices())), random.IntN(2) == 0
	parts := make([][]int, count)
	for k := range m.NumChoices() {
		i := k % count
		if !isStrided {
			i = random.IntN(count)
		}
		parts[i] = append(parts[i], k)
	}
	var described []any
	for i, choices := range parts {
		var targets []int32
		var values []float64
		starts := []int32{0}
		rewards := make([][]float64, len(m.Rewards))
		for _, k := range choices {
			for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
				targets, values = append(targets, m.Columns[e]), append(values, m.Values.Float[e])
				for r := range rewards {
					if own := m.Rewards[r].Transition; own.Len() > 0 {
						rewards[r] = append(rewards[r], own.Float[e])
					}
				}
			}
			starts = append(starts, int32(len(targets)))
		}
		bytes := 4 + 4*random.IntN(2)
		whole := func(numbers []int32) []byte {
			if bytes == 4 {
				return little(numbers...)
			}
			var wide []int64
			for _, x := range numbers {
				wide = append(wide, int64(x))
			}
			return little(wide...)
		}
		first, folder := i, fmt.Sprintf("matrices/%d/", i)
		if !isStrided {
			first = -1
			var listed []int32
			for _, k := range choices {
				listed = append(listed, int32(k))
			}
			list = append(list, member{folder + "choices.bin", whole(listed)})
		}
		list = append(list, member{folder + "starts.bin", whole(starts)}, member{folder + "targets.bin", whole(targets)}, member{folder + "probabilities.bin", little(values...)})
		for r, numbers := range rewards {
			if m.Rewards[r].Transition.Len() == 0 {
				continue
			}
			list = append(list, member{folder + "rewards/" + annotationOf(t, index, m.Rewards[r].Name) + ".bin", little(numbers...)})
		}
		described = append(described, map[string]any{"rows": len(choices), "entries": len(targets), "first": first, "step": count, "bytes": bytes})
	}
	index["matrices"] = described
	text, err := json.Marshal(index)
	require.NoError(t, err)
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return append([]member{{"index.json", text}}, list...)
}

// inMemory is a model in the form for memory. Half of them have their members where processors expect numbers.
func inMemory(t testing.TB, list []member) []byte {
	t.Helper()
	var index bytes.Buffer
	require.NoError(t, json.Compact(&index, list[0].data))
	head, members := "mdpsolve-arrays/1\n"+index.String(), []byte{}
	lines := "\n"
	for _, member := range list[1:] {
		lines += fmt.Sprintf("%s %d\n", member.name, len(member.data))
		members = append(members, member.data...)
		members = append(members, make([]byte, -len(member.data)&7)...)
	}
	if index.Len()%2 == 0 {
		head += strings.Repeat(" ", -(len(head)+len(lines)+1)&7)
	}
	return append([]byte(head+lines+"\n"), members...)
}

// The only matrix of a model stays where it is in memory if its numbers are where processors expect them.
func TestMatrixStaysInMemory(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 6))
	stays := 0
	for range 100 {
		m := plainModel(random)
		m.Rewards = nil
		list := withMatrices(t, random, m)
		data := inMemory(t, list)
		got, err := modelfile.ReadBytes(data, "m", modelfile.Options{})
		require.NoError(t, err)
		want := slices.Clone(got.Values.Float)
		clear(data)
		if !slices.Equal(want, got.Values.Float) {
			stays++
			assert.Zero(t, slices.Max(got.Values.Float))
		}
	}
	assert.Greater(t, stays, 5)
	assert.Less(t, stays, 50)
}

// annotationOf finds the name in the index of a reward model.
func annotationOf(t testing.TB, index map[string]any, name string) string {
	t.Helper()
	for id, a := range index["annotations"].(map[string]any)["rewards"].(map[string]any) {
		if alias, is := a.(map[string]any)["alias"].(string); id == name || is && alias == name {
			return id
		}
	}
	require.Fail(t, "no annotation", name)
	return ""
}

// plainModel makes a model of probabilities in float64, some with rewards of transitions.
func plainModel(random *rand.Rand) *modelfile.Model {
	for {
		m := randomModel(random, false)
		if m.Kind == modelfile.CTMC {
			continue
		}
		for i := range m.Rewards {
			for range m.Columns {
				m.Rewards[i].Transition.Float = append(m.Rewards[i].Transition.Float, 1+random.NormFloat64())
			}
		}
		return m
	}
}

// A model in memory equals the one in a file, whether it is handed over as matrices or as the members of the
// file.
func TestMatrices(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 2))
	const path = "m"
	for trial := range 300 {
		m := plainModel(random)
		want, err := modelfile.ReadUMB(bytes.NewReader(umb(t, m)), path, modelfile.Options{})
		require.NoError(t, err)
		data := inMemory(t, withMatrices(t, random, m))
		if trial%5 == 0 {
			data = inMemory(t, members(t, umb(t, m)))
		}
		for _, options := range []modelfile.Options{{}, {Exact: true, KeepFloats: true}} {
			got, err := modelfile.ReadBytes(data, path, options)
			require.NoError(t, err, "trial %d", trial)
			assert.Equal(t, options.KeepFloats, got.HasAllDigits())
			if !options.KeepFloats {
				slices.SortFunc(got.Rewards, func(a, b modelfile.RewardModel) int { return strings.Compare(a.Name, b.Name) })
				slices.SortFunc(want.Rewards, func(a, b modelfile.RewardModel) int { return strings.Compare(a.Name, b.Name) })
				require.Equal(t, plain(want), plain(got), "trial %d", trial)
			}
		}
		exactly, err := modelfile.ReadBytes(data, path, modelfile.Options{Exact: true})
		require.NoError(t, err, "trial %d", trial)
		require.NoError(t, exactly.Validate())
		assert.Equal(t, want.Values.Float, exactly.Values.Float)
	}
	// Other texts are told by their first bytes.
	m := plainModel(random)
	got, err := modelfile.ReadBytes(umb(t, m), path, modelfile.Options{})
	require.NoError(t, err)
	assert.Equal(t, m.Columns, got.Columns)
	// Files have no matrices.
	_, err = modelfile.ReadUMB(bytes.NewReader(archive(t, withMatrices(t, random, plainModel(random)))), "m.umb", modelfile.Options{})
	require.ErrorContains(t, err, "matrices in a file")
}

// The table of a model that was read from matrices is that of the same model in a file.
func TestTablesOfMatrices(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 5))
	for trial := range 300 {
		m := plainModel(random)
		if trial%3 == 0 { // rows that NewTable divides by their sums
			m.Values.Float[random.IntN(len(m.Columns))] *= 1 + 1e-10
		}
		for i := range m.Rewards {
			if random.IntN(2) == 0 {
				m.Rewards[i].State, m.Rewards[i].Transition = modelfile.Numbers{}, modelfile.Numbers{}
			}
		}
		reference, err := modelfile.ReadUMB(bytes.NewReader(umb(t, m)), "m.umb", modelfile.Options{})
		require.NoError(t, err)
		read, err := modelfile.ReadBytes(inMemory(t, withMatrices(t, random, m)), "m", modelfile.Options{})
		require.NoError(t, err)
		for _, reward := range m.Rewards {
			want, err := reference.Table(reward.Name)
			require.NoError(t, err)
			got, err := read.Table(reward.Name)
			require.NoError(t, err)
			for s := range want.NumStates() {
				for a := range want.NumActions(s) {
					row, cost := want.AppendRow(nil, s, a)
					other, own := got.AppendRow(nil, s, a)
					require.Equal(t, row, other, "trial %d", trial)
					require.Equal(t, cost, own, "trial %d", trial)
				}
			}
		}
	}
}

// Files with faults in them are read from a disk as from a stream, or refused with the same words.
// Matrices with faults are valid models, or refused.
func TestFaultsInPlainFiles(t *testing.T) {
	trials := 1000
	if *long {
		trials = 20_000
	}
	random := rand.New(rand.NewPCG(39, 3))
	path := filepath.Join(t.TempDir(), "m.umb")
	read := 0
	for trial := range trials {
		m := plainModel(random)
		if random.IntN(2) == 0 {
			m.Rewards = nil
		}
		original, hasMatrices := umb(t, m), trial%2 == 1
		if hasMatrices {
			data := inMemory(t, withMatrices(t, random, m))
			for range random.IntN(4) {
				data[random.IntN(len(data))] ^= 1 << random.IntN(8)
			}
			got, err := modelfile.ReadBytes(data[:len(data)-random.IntN(2)*random.IntN(len(data))], path, modelfile.Options{})
			if err == nil {
				read++
				require.NoError(t, got.Validate(), "trial %d", trial)
			}
			continue
		}
		data := mutated(t, random, original)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		got, err := modelfile.ReadFile(path, modelfile.Options{})
		if err == nil {
			read++
			require.NoError(t, got.Validate(), "trial %d", trial)
		}
		want, fault := modelfile.ReadUMB(bytes.NewReader(data), path, modelfile.Options{})
		if fault != nil {
			require.EqualError(t, err, fault.Error(), "trial %d", trial)
			continue
		}
		require.NoError(t, err, "trial %d", trial)
		require.Equal(t, plain(want), plain(got), "trial %d", trial)
	}
	assert.Greater(t, read, trials/20)
	assert.Less(t, read, trials*19/20)
}

// A file that is truncated while it is read is refused.
func TestUMBIsTruncatedBeneath(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 4))
	path := filepath.Join(t.TempDir(), "m.umb")
	for range 20 {
		require.NoError(t, os.WriteFile(path, umb(t, plainModel(random)), 0o600))
		_, err := modelfile.ReadFile(path, modelfile.Options{Announced: func(modelfile.Header) error {
			return os.Truncate(path, 3<<9)
		}})
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "\n")
	}
}
