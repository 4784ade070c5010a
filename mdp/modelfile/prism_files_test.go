package modelfile_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

func gzipped(t *testing.T, text string) *fstest.MapFile {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return &fstest.MapFile{Data: packed.Bytes()}
}

func text(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }

// Each of PRISM's files may be packed. Of two forms of one file, the one that is not packed counts.
func TestPackedPRISMFiles(t *testing.T) {
	const tra, lab = "2 3\n0 0 0.5\n0 1 0.5\n1 1 1\n", "0=\"init\" 1=\"deadlock\" 2=\"end\"\n0: 0\n1: 2\n"
	const srew = "# Reward structure \"cost\"\n2 1\n0 3\n"
	want, err := modelfile.ReadPRISM(fstest.MapFS{"m.tra": text(tra), "m.lab": text(lab), "m.srew": text(srew)}, "m", modelfile.Options{})
	require.NoError(t, err)
	for _, files := range []fstest.MapFS{
		{"m.tra": gzipped(t, tra), "m.lab.gz": gzipped(t, lab)},
		{"m.tra.gz": gzipped(t, tra), "m.lab.gz": gzipped(t, lab), "m.srew.gz": gzipped(t, srew)},
		{"m.tra": text(tra), "m.lab.gz": gzipped(t, lab), "m.srew": text(srew)},
		{"m.tra": text("\ufeff" + tra), "m.lab": text(lab), "m.lab.gz": gzipped(t, "?"), "m.srew": text(srew)},
	} {
		got, err := modelfile.ReadPRISM(files, "m", modelfile.Options{})
		if bytes.HasPrefix(files["m.lab.gz"].Data, []byte{0x1f}) && files["m.tra"] != nil && bytes.HasPrefix(files["m.tra"].Data, []byte{0x1f}) {
			require.Error(t, err, "a packed file under the name of one that is not")
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, plain(want), plain(got))
	}
	_, err = modelfile.ReadPRISM(fstest.MapFS{"m.tra.gz": text(tra)}, "m", modelfile.Options{})
	assert.ErrorContains(t, err, "modelfile: m.tra.gz: damaged gzip data")
	_, err = modelfile.ReadPRISM(fstest.MapFS{"m.tra.gz": gzipped(t, "2 x")}, "m", modelfile.Options{})
	assert.ErrorContains(t, err, `m.tra.gz:1:3: found "x"`)
}

// Rewards that may belong to another model, or are there twice, are not taken for the model's.
func TestRewardsOfAnotherPRISMModel(t *testing.T) {
	const tra, srew = "1 1\n0 0 1\n", "1 1\n0 3\n"
	read := func(names ...string) (*modelfile.Model, error) {
		files := fstest.MapFS{"m.tra": text(tra)}
		for _, name := range names {
			files[name] = text(srew)
		}
		return modelfile.ReadPRISM(files, "m", modelfile.Options{})
	}
	for rewards, names := range map[int][]string{
		0: nil, 1: {"m.srew"}, 2: {"m1.srew", "m2.srew"},
		-1: {"m.srew", "m1.tra", "m1.srew"}, // that of m1 is its own
	} {
		m, err := read(names...)
		require.NoError(t, err)
		assert.Len(t, m.Rewards, max(rewards, -rewards))
	}
	_, err := read("m.srew", "m1.srew")
	assert.EqualError(t, err, "modelfile: m1 has rewards, and so has m: remove the files of one of them")
	_, err = read("m1.srew", "m1.tra")
	assert.EqualError(t, err, "modelfile: the rewards of m1 may belong to m or to m1.tra: rename the files of one model")
	files := fstest.MapFS{
		"m.tra": text(tra), "m.srew": text("# Reward structure \"a\"\n" + srew), "m.trew": text("# Reward structure \"b\"\n1 0\n"),
	}
	_, err = modelfile.ReadPRISM(files, "m", modelfile.Options{})
	assert.EqualError(t, err, `m.trew:1:3: found reward model "b"; expected "a", the name above or in the .srew file`)
	_, err = modelfile.ReadPRISM(fstest.MapFS{"m.tra": text(tra), "m.lab": text("0=\"init\" 1=\"end\"\n0: 1\n")}, "m", modelfile.Options{})
	assert.EqualError(t, err, `m.lab:3:1: found no state with the label "init"; expected one at least, or a file without that label`)
}

// Storm prints rates, and their sums, with six digits.
func TestRoundedExitRates(t *testing.T) {
	const drn = "@type: CTMC\n@nr_states\n2\n@model\nstate 0 !RATE init\n\taction 0\n\t\t0 : 10\n\t\t1 : 0.00845\nstate 1 !0\n"
	for rate, isRight := range map[string]bool{
		"10.00845": true, "10.0084": true, "10.0085": true, "1.00084e1": true, "20016.9/2000": true,
		"10.0084500000001": true, "10.00840000": false, "10.008": false, "10.01": false, "10": false, "20017/2000": false, "10.008450001": true, "10.0084503": false,
	} {
		m, err := modelfile.ReadDRN(strings.NewReader(strings.Replace(drn, "RATE", rate, 1)), "m.drn", modelfile.Options{})
		if assert.Equal(t, isRight, err == nil, "%s %v", rate, err); isRight {
			assert.Equal(t, []float64{10.00845, 0}, m.ExitRates().Float, "the sum counts")
		} else {
			assert.ErrorContains(t, err, "expected 10.00845, the sum of the rates that follow")
		}
	}
}

// An entry of a DRN header that comes twice is not overwritten.
func TestDRNHeaderTwice(t *testing.T) {
	for text, want := range map[string]string{
		"@type: DTMC\n@type: CTMC\n":                          `m.drn:2:1: found "@type" for the second time; expected each entry once`,
		"@nr_states\n2\n@nr_states\n3\n":                      `m.drn:3:1: found "@nr_states" for the second time; expected each entry once`,
		"@placeholders\n$0 : 1\n$0 : 2\n@model\n":             `m.drn:3:1: found "$0" for the second time; expected each placeholder once`,
		"@type: Markov Automaton\n":                           `m.drn:1:8: found "Markov Automaton"; expected DTMC, CTMC or MDP`,
		"@value_type: double\n@value_type: double-interval\n": `m.drn:2:1: found "@value_type" for the second time; expected each entry once`,
	} {
		_, err := modelfile.ReadDRN(strings.NewReader(text), "m.drn", modelfile.Options{})
		assert.EqualError(t, err, want)
	}
}

// Storm writes rewards beside intervals of probabilities as intervals; placeholders stand for
// rewards, too. A model with wider ones is read without them.
func TestRewardsAsIntervals(t *testing.T) {
	const drn = "@type: DTMC\n@value_type: double-interval\n@placeholders\n$0 : 5/2\n@reward_models\na b\n@nr_states\n2\n@model\n" +
		"state 0 [[1, 1], $0] init\n\taction go on [[0, 0], [-2, -2]]\n\t\t0 : [0.4, 0.6]\n\t\t1 : [0.4, 0.6]\n" +
		"state 1 [[0, 0], FIRST] goal\n\taction 0 [0, 3]\n\t\t1 : [1, 1]\n"
	m, err := modelfile.ReadDRN(strings.NewReader(strings.Replace(drn, "FIRST", "[4, 4]", 1)), "m.drn", modelfile.Options{})
	require.NoError(t, err)
	assert.True(t, m.IsUncertain())
	assert.Equal(t, []string{"go on", ""}, m.ActionNames)
	assert.Equal(t, []modelfile.RewardModel{
		{Name: "a", State: modelfile.Numbers{Float: []float64{1, 0}}},
		{Name: "b", State: modelfile.Numbers{Float: []float64{2.5, 4}}, Action: modelfile.Numbers{Float: []float64{-2, 3}}},
	}, m.Rewards)

	wide, err := modelfile.ReadDRN(strings.NewReader(strings.Replace(drn, "FIRST", "[4, 5]", 1)), "m.drn", modelfile.Options{})
	require.NoError(t, err)
	require.NoError(t, wide.Validate())
	assert.Equal(t, m.Rewards[:1], wide.Rewards)
	for _, name := range []string{"", "b"} {
		_, err = wide.Reward(name)
		assert.EqualError(t, err, `modelfile: reward model "b" is not valid, as its rewards are intervals: use numbers`)
	}
	_, err = wide.Reward("a")
	assert.NoError(t, err)

	// The same in UMB: 24 bytes more for each second end.
	for _, isWide := range []bool{false, true} {
		f := membersOf(t, umb(t, m))
		const member = "annotations/rewards/b/states/values.bin"
		require.Len(t, f[member], 16)
		first, second := f[member][:8], f[member][8:]
		f[member] = bytes.Join([][]byte{first, first, second, second}, nil)
		if isWide {
			f[member][31]++ // the exponent
		}
		f["annotations/rewards/b/choices/values.bin"] = bytes.Join([][]byte{make([]byte, 16), make([]byte, 16)}, nil)
		index := f["index.json"]
		at := bytes.Index(index, []byte(`"b": {`))
		require.Positive(t, at)
		f["index.json"] = append(bytes.Clone(index[:at]), bytes.Replace(bytes.Replace(index[at:], []byte(`"double"`), []byte(`"double-interval"`), 1), []byte("64"), []byte("128"), 1)...)
		read, err := modelfile.ReadUMB(bytes.NewReader(packed(t, f)), "m.umb", modelfile.Options{})
		require.NoError(t, err)
		if isWide {
			assert.Equal(t, []string{"b"}, read.Unread)
			assert.Equal(t, m.Rewards[:1], read.Rewards)
			continue
		}
		r, err := read.Reward("b")
		require.NoError(t, err)
		assert.Equal(t, []float64{2.5, 4}, r.State.Float)
	}
}

// A state listed with 0 counts beside a distance, in whichever order an action says both, and
// is left out otherwise.
func TestStatesListedWithZero(t *testing.T) {
	read := func(action string) (*modelfile.Model, error) {
		return modelfile.ReadJSON(strings.NewReader(`{"kind": "mdp", "reward_models": ["r"], "states": [{"actions": [{`+action+`}]}, {"actions": [{"to": [[1, 1]]}]}]}`), "m.json", modelfile.Options{})
	}
	for _, action := range []string{`"distance": 0.5, "to": [[1, 0, [7]], [0, 1]]`, `"to": [[1, "0", [7]], [0, 1]], "distance": "1/2"`} {
		m, err := read(action)
		require.NoError(t, err)
		require.NoError(t, m.Validate())
		assert.Equal(t, []int32{1, 0, 1}, m.Columns)
		assert.Equal(t, []float64{0, 1, 1}, m.High.Float)
		assert.Equal(t, []float64{7, 0, 0}, m.Rewards[0].Transition.Float)
		assert.Equal(t, plain(m), plain(throughJSON(t, m, modelfile.Options{})))
	}
	m, err := read(`"to": [[1, 0], [0, 1]]`)
	require.NoError(t, err)
	assert.Equal(t, []int32{0, 1}, m.Columns)
	_, err = read(`"to": [[1, 0, [7]], [0, 1]]`)
	assert.EqualError(t, err, `m.json:1:80: state 0, action 0: found rewards of a transition of value 0; expected no rewards, or a distance`)
	_, err = read(`"distance": 0.5, "to": [[0, 0], [0, 1]]`)
	assert.ErrorContains(t, err, "found state 0 twice among those that the action leads to")
}
