package modelfile_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"flag"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

var long = flag.Bool("long", false, "read 20,000 files of each format with faults")

// umb writes a model to memory.
func umb(t testing.TB, m *modelfile.Model) []byte {
	t.Helper()
	var data bytes.Buffer
	require.NoError(t, modelfile.WriteUMB(&data, m))
	return data.Bytes()
}

// member is a member of a UMB file, made by hand.
type member struct {
	name string
	data []byte
}

// archive makes a tar file.
func archive(t testing.TB, members []member) []byte {
	t.Helper()
	var data bytes.Buffer
	w := tar.NewWriter(&data)
	for _, m := range members {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: m.name, Size: int64(len(m.data)), Mode: 0o600}))
		_, err := w.Write(m.data)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return data.Bytes()
}

// members takes a tar file apart.
func members(t testing.TB, data []byte) []member {
	t.Helper()
	var list []member
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		list = append(list, member{header.Name, content})
	}
}

// little writes numbers, the least byte first.
func little[T any](numbers ...T) []byte {
	data, err := binary.Append(nil, binary.LittleEndian, numbers)
	if err != nil {
		panic(err)
	}
	return data
}

func zipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return packed.Bytes()
}

const ferryIndex = `{"format-version": 1, "format-revision": 3, "unknown": [1],
"transition-system": {"time": "discrete", "#players": 1, "#states": 3, "#initial-states": 1, "#choices": 4,
  "#choice-actions": 2, "#branches": 8, "#branch-actions": 0, "#observations": 0, "branch-probability-type": {"type": "double"}},
"annotations": {"aps": {"g_6f": {"alias": "goal", "applies-to": ["states"], "type": {"type": "bool"}},
    "none": {"applies-to": ["states"], "type": {"type": "bool"}}},
  "rewards": {"b": {"alias": "fare", "applies-to": ["choices", "states", "branches"], "type": {"type": "double", "size": 64}},
    "a": {"applies-to": ["choices"], "type": {"type": "rational", "size": 256}}, "zero": {"applies-to": ["choices"], "type": {"type": "double"}}},
  "else": {"x": {"applies-to": ["choices"], "type": {"type": "int"}}}},
"valuations": {"states": {"unique": true, "#strings": 2, "classes": [{"variables": [{"name": "x", "type": {"type": "uint", "size": 3}, "offset": -4},
  {"name": "ok", "type": {"type": "bool", "size": 1}}, {"padding": 2}, {"name": "y", "type": {"type": "int", "size": 9}, "is-optional": true},
  {"name": "where", "type": {"type": "string", "size": 64}}]}]}}}`

// ferry is a UMB file with all that a model may have, written by hand: a branch of
// probability 0, two to the same state, members in any order, some left out.
func ferry() []member {
	var states []byte
	for _, s := range []struct{ x, ok, present, y, text uint64 }{{0, 1, 1, 1<<9 - 1, 1}, {7, 0, 0, 5, 0}, {4, 1, 1, 255, 1}} {
		states = append(append(states, little(uint16(s.x|s.ok<<3|s.present<<6|s.y<<7))...), little(s.text)...)
	}
	return []member{
		{"index.json", []byte(ferryIndex)},
		{"annotations/rewards/b/branches/values.bin", little(0, 0, 7.5, 9, 0, 2, 2, 0)},
		{"branch-to-probability.bin", little(0.5, 0.25, 0.25, 0, 1, 0.5, 0.5, 1)},
		{"branch-to-target.bin", little[uint64](2, 0, 1, 0, 1, 1, 1, 2)},
		{"choice-to-branches.bin", little[uint64](0, 3, 5, 7, 8)},
		{"valuations/states/valuations.bin", states},
		{"valuations/states/strings.bin", []byte("\u00e4b")},
		{"valuations/states/string-mapping.bin", little[uint64](0, 2, 3)},
		{"some/thing/else.bin", []byte("...")},
		{"annotations/rewards/b/states/values.bin", little(0.5, 0, math.Copysign(0, -1))},
		{"annotations/rewards/b/choices/values.bin", little[float64](1, 2, 3, 4)},
		{"annotations/rewards/a/choices/values.bin", little[int64](-1, -1, 3, 0, 0, 0, 1, 0, 5, 0, 1, 0, 2, 0, 14, 0)},
		{"annotations/aps/g_6f/states/values.bin", little[uint64](4 | 1<<10)},
		{"./state-is-initial.bin", little[uint64](2)},
		{"state-to-choices.bin", little[uint64](0, 2, 3, 4)},
		{"actions/choices/values.bin", little[uint32](0, 1, 0, 0)},
		{"actions/choices/string-mapping.bin", little[uint64](0, 2, 3)},
		{"actions/choices/strings.bin", []byte("go1")},
	}
}

func TestReadUMB(t *testing.T) {
	data := archive(t, ferry())
	for _, exact := range []bool{false, true} {
		for _, data := range [][]byte{data, zipped(t, data)} {
			announced := modelfile.Header{}
			m, err := modelfile.Read(bytes.NewReader(data), "m.umb", modelfile.Options{Exact: exact, Announced: func(h modelfile.Header) error {
				announced = h
				return nil
			}})
			require.NoError(t, err)
			require.NoError(t, m.Validate())
			assert.Equal(t, modelfile.Header{Kind: modelfile.MDP, States: 3, Choices: 4, Transitions: 8}, announced)
			assert.Equal(t, modelfile.MDP, m.Kind)
			assert.Equal(t, []int32{0, 2, 3, 4}, m.StateStart)
			assert.Equal(t, []int32{0, 3, 4, 5, 6}, m.RowStart)
			assert.Equal(t, []int32{2, 0, 1, 1, 1, 2}, m.Columns)
			assert.Equal(t, []float64{0.5, 0.25, 0.25, 1, 1, 1}, m.Values.Float)
			assert.Equal(t, []int32{1}, m.Initial)
			assert.Equal(t, map[string][]int32{"goal": {2}, "none": {}}, m.Labels)
			assert.Equal(t, []string{"go", "", "go", "go"}, m.ActionNames)
			assert.Equal(t, "(x,ok,y,where)", m.Variables)
			assert.Equal(t, []string{"(-4,true,-1,b)", "(3,false,none,\u00e4)", "(0,true,255,b)"}, m.StateNames)
			assert.Equal(t, []float64{-4, 3, 0}, m.WholeValues(0))
			assert.Equal(t, []float64{1, 0, 1}, m.WholeValues(1))
			for variable := 2; variable < 5; variable++ { // one that is optional, a text, none
				assert.Nil(t, m.WholeValues(variable))
			}
			require.Len(t, m.Rewards, 3)
			assert.Equal(t, modelfile.RewardModel{Name: "zero"}, m.Rewards[0])
			assert.Equal(t, "fare", m.Rewards[1].Name)
			assert.Equal(t, []float64{0.5, 0, 0}, m.Rewards[1].State.Float)
			assert.Equal(t, []float64{1, 2, 3, 4}, m.Rewards[1].Action.Float)
			assert.Equal(t, []float64{0, 0, 7.5, 0, 2, 0}, m.Rewards[1].Transition.Float)
			assert.Equal(t, []float64{-1. / 3, 0, 5, 1. / 7}, m.Rewards[2].Action.Float)
			if exact {
				assert.Equal(t, "-1/3", m.Rewards[2].Action.Exact[0].String())
			}
			assert.Equal(t, plain(m), plain(throughUMB(t, m, modelfile.Options{Exact: exact})))
		}
	}
}

// Rates are probabilities times exit rates, and come back to the bit: those of float64 by
// sums of two products.
func TestRatesInUMB(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		n := 2 + random.IntN(40)
		m := &modelfile.Model{Kind: modelfile.CTMC, StateStart: []int32{0, 1}, RowStart: []int32{0, int32(n)}, Initial: []int32{0}}
		for j := range n {
			m.Columns = append(m.Columns, int32(j))
			m.Values.Float = append(m.Values.Float, math.Ldexp(1+random.Float64(), random.IntN(80)-40))
			if j > 0 { // absorbing
				m.StateStart, m.RowStart = append(m.StateStart, int32(j+1)), append(m.RowStart, int32(n))
			}
		}
		assert.Equal(t, plain(m), plain(throughUMB(t, m, modelfile.Options{})))
	}
	far := &modelfile.Model{
		Kind: modelfile.CTMC, StateStart: []int32{0, 1, 2}, RowStart: []int32{0, 2, 2}, Columns: []int32{0, 1}, Initial: []int32{0},
		Values: modelfile.Numbers{Float: []float64{1e-200, 1e200}},
	}
	require.ErrorContains(t, modelfile.WriteUMB(io.Discard, far), "state 0: rate 1e-200 of 1e+200 has no probability in float64")
}

// Names of states come back whatever they are.
func TestStateNamesInUMB(t *testing.T) {
	for _, test := range []struct{ variables, first, second string }{
		{"(x,y)", "(0,true)", "(-9223372036854775808,false)"},
		{"(x,y)", "(0,true)", "(7,no)"},
		{"(x,y)", "(01,-0)", "(,)"},
		{"(x)", "(a)", "(b)"},
		{"(x)", "(1)", "(true)"},
		{"(x,)", "(1,2)", "(1,3)"},
		{"(x,y)", "(1)", "(1,2)"},
		{"x", "here", "there"},
		{"", "(1)", "\u00fc"},
	} {
		m := readFile(t, "testdata/toymaker.json", modelfile.Options{})
		m.Variables, m.StateNames = test.variables, []string{test.first, test.second}
		assert.Equal(t, plain(m), plain(throughUMB(t, m, modelfile.Options{})), test)
	}
}

func TestUMBErrors(t *testing.T) {
	replace := func(name string, data []byte) func([]member) []member {
		return func(list []member) []member {
			for i := range list {
				if list[i].name == name {
					list[i].data = data
				}
			}
			return list
		}
	}
	index := func(old, with string) func([]member) []member {
		require.Contains(t, ferryIndex, old)
		return replace("index.json", []byte(strings.Replace(ferryIndex, old, with, 1)))
	}
	without := func(name string) func([]member) []member {
		return func(list []member) []member {
			var rest []member
			for _, m := range list {
				if m.name != name {
					rest = append(rest, m)
				}
			}
			return rest
		}
	}
	for _, test := range []struct {
		change func([]member) []member
		want   string
	}{
		{func([]member) []member { return nil }, `m.umb: index.json: found the end of what is readable; expected a whole tar file, index.json first`},
		{without("index.json"), `m.umb: annotations/rewards/b/branches/values.bin: found a first member of this name; expected index.json before all others`},
		{index(`"format-version": 1`, `"format-version": 2`), `m.umb: index.json: found format-version 2; expected 1 at most`},
		{index(`{"format`, `{format`), `m.umb: index.json: 2: found "invalid character 'f' looking for beginning of object key string"; expected an index in JSON, as UMB has it`},
		{index(`"#states": 3`, `"#states": -3`), `m.umb: index.json: 130: found "json: cannot unmarshal number -3 into Go struct field umbSystem.transition-system.#states of type uint64"; expected an index in JSON, as UMB has it`},
		{index(`"#states": 3`, `"#states": 30000000000`), `m.umb: index.json: found more than 2147483646 states; expected a smaller model`},
		{index(`"#states": 3`, `"#states": 5`), `m.umb: index.json: found 5 states with 4 choices; expected a state at least, and a choice in each, in a DTMC or CTMC only one`},
		{index(`"#players": 1`, `"#players": 0`), `m.umb: index.json: found 3 states with 4 choices; expected a state at least, and a choice in each, in a DTMC or CTMC only one`},
		{index(`"#players": 1`, `"#players": 2`), `m.umb: index.json: found "game"; expected DTMC, CTMC, MDP or CTMDP`},
		{index(`"discrete"`, `"urgent-stochastic"`), `m.umb: index.json: found "MA"; expected DTMC, CTMC, MDP or CTMDP`},
		{index(`"#observations": 0`, `"#observations": 1`), `m.umb: index.json: found "POMDP"; expected DTMC, CTMC, MDP or CTMDP`},
		{index(`{"type": "double"}}`, `{"type": "double-interval"}}`), `m.umb: branch-to-probability.bin: found 64 bytes; expected 128, by the counts in index.json`},
		{index(`, "branch-probability-type": {"type": "double"}`, ``), `m.umb: index.json: found "MDP without probabilities"; expected DTMC, CTMC, MDP or CTMDP`},
		{index(`"size": 256`, `"size": 192`), `m.umb: index.json: found annotation "a" of group rewards of type "rational" with 192 bits; expected "double" of 64 bits or "rational" of a multiple of 128`},
		{index(`"alias": "fare"`, `"alias": "a"`), `m.umb: index.json: found annotation "b" of group rewards with the name "a"; expected a name that no other has`},
		{index(`"#strings": 2, "classes": [`, `"#strings": 2, "classes": [{}, `), `m.umb: index.json: found 2 classes of valuations of states; expected one`},
		{index(`"padding": 2`, `"padding": 3`), `m.umb: index.json: found valuations of 81 bits; expected a multiple of 8, for which there is padding`},
		{index(`"#initial-states": 1`, `"#initial-states": 2`), `m.umb: index.json: found 2 initial states; expected 1, as in state-is-initial.bin`},
		{index(`"alias": "goal"`, `"alias": "init"`), `m.umb: index.json: found a label "init"; expected one that holds at the initial states`},
		{index(`"bool"}},`, `"`+strings.Repeat("x", 1000)+`"}},`), `m.umb: index.json: found annotation "g_6f" of group aps of type "` + strings.Repeat("x", 30) + "…" + strings.Repeat("x", 29) + `" for ["states"]; expected "bool" for "states"`},
		{without("branch-to-target.bin"), `m.umb: branch-to-target.bin: found no such member; expected one of 64 bytes`},
		{without("state-to-choices.bin"), `m.umb: state-to-choices.bin: found no such member; expected one of 32 bytes`},
		{func(list []member) []member { return append(list, list[2]) }, `m.umb: branch-to-probability.bin: found a member for the second time; expected each once`},
		{replace("branch-to-target.bin", little[uint64](2, 0, 1, 0, 1, 1, 1)), `m.umb: branch-to-target.bin: found 56 bytes; expected 64, by the counts in index.json`},
		{replace("branch-to-target.bin", little[uint64](2, 0, 1, 0, 1, 3, 1, 2)), `m.umb: branch-to-target.bin: 5: found 3; expected a number of 0 … 2`},
		{replace("choice-to-branches.bin", little[uint64](0, 3, 2, 7, 8)), `m.umb: choice-to-branches.bin: 2: found 2; expected a number of 3 … 8`},
		{replace("choice-to-branches.bin", little[uint64](0, 3, 5, 7, 7)), `m.umb: choice-to-branches.bin: 4: found 7; expected a number of 8 … 8`},
		{replace("choice-to-branches.bin", little[uint64](1, 3, 5, 7, 8)), `m.umb: choice-to-branches.bin: 0: found 1; expected a number of 0 … 0`},
		{replace("state-to-choices.bin", little[uint64](0, 2, 2, 4)), `m.umb: state-to-choices.bin: 2: found 2; expected a number of 3 … 4`},
		{replace("branch-to-probability.bin", little(0.5, 0.25, 0.25, 0, 1, 0.5, 0.4, 1)), `m.umb: branch-to-probability.bin: 5: state 1, action 0: found probabilities that sum to 0.9; expected a sum of 1, within 1e-9`},
		{func(list []member) []member { // all that the first action leads to has probability 0
			list = replace("branch-to-target.bin", little[uint64](0, 1, 2, 0, 1, 1, 1, 2))(list)
			return replace("branch-to-probability.bin", little[float64](0, 0, 0, 0, 1, 0.5, 0.5, 1))(list)
		}, `m.umb: branch-to-probability.bin: 0: state 0, action 0: found no transitions; expected one that leads somewhere (to its own state, if it does nothing)`},
		{replace("branch-to-probability.bin", little(0.5, 0.25, 0.25, 0, 1, 0.5, 0.5, math.NaN())), `m.umb: branch-to-probability.bin: 7: found NaN; expected a finite number`},
		{replace("branch-to-probability.bin", little(0.5, 0.25, 0.25, 0, 1, -0.5, 1.5, 1)), `m.umb: branch-to-probability.bin: 5: found -0.5; expected a number from 0 up`},
		{replace("annotations/rewards/b/branches/values.bin", little(0, 0, 7.5, 9, 0, 2, 3, 0)), `m.umb: branch-to-probability.bin: 5: state 1, action 0: found two branches to state 1 with different rewards; expected one`},
		{replace("annotations/rewards/a/choices/values.bin", little[int64](-1, -1, 0, 0, 0, 0, 1, 0, 5, 0, 1, 0, 2, 0, 14, 0)), `m.umb: annotations/rewards/a/choices/values.bin: 0: found a fraction with denominator 0; expected a positive one`},
		{replace("actions/choices/values.bin", little[uint32](0, 1, 2, 0)), `m.umb: actions/choices/values.bin: 2: found 2; expected a number of 0 … 1`},
		{replace("actions/choices/strings.bin", []byte("go")), `m.umb: actions/choices/strings.bin: found 2 bytes; expected 3, by string-mapping.bin`},
		{replace("actions/choices/strings.bin", []byte("g\xff1")), `m.umb: actions/choices/strings.bin: found "g\xff"; expected a name in UTF-8`},
		{without("valuations/states/string-mapping.bin"), `m.umb: valuations/states/valuations.bin: 0: found 2; expected a number of 1 … 0`},
	} {
		_, err := modelfile.ReadUMB(bytes.NewReader(archive(t, test.change(ferry()))), "m.umb", modelfile.Options{})
		assert.EqualError(t, err, test.want)
		assertPlace(t, err)
	}
	_, err := modelfile.ReadUMB(strings.NewReader("\xfd7zXZ\x00..."), "m.umb", modelfile.Options{})
	require.EqualError(t, err, "m.umb: index.json: found data packed by xz; expected data packed by gzip, or not packed: use unxz")
	_, err = modelfile.ReadUMB(bytes.NewReader(archive(t, ferry())), "m.umb", modelfile.Options{Kind: modelfile.DTMC})
	require.EqualError(t, err, `m.umb: index.json: found "MDP"; expected DTMC, as was asked for`)
	var large bytes.Buffer
	require.NoError(t, tar.NewWriter(&large).WriteHeader(&tar.Header{Name: "index.json", Size: 1 << 30}))
	_, err = modelfile.ReadUMB(&large, "m.umb", modelfile.Options{})
	require.EqualError(t, err, "m.umb: index.json: found 1073741824 bytes; expected 67108864 at most")
	packed := zipped(t, archive(t, ferry()))
	packed[len(packed)-5] ^= 1
	_, err = modelfile.ReadUMB(bytes.NewReader(packed), "m.umb", modelfile.Options{})
	require.ErrorContains(t, err, "damaged gzip data")
}

// The exit rate of a CTMC is the sum of its rates.
func TestExitRatesInUMB(t *testing.T) {
	m := readFile(t, "testdata/queue.drn", modelfile.Options{})
	list := members(t, umb(t, m))
	for i := range list {
		switch list[i].name {
		case "state-to-exit-rate.bin":
			list[i].data = little[float64](1, 3, 4, 3)
		case "branch-to-probability.bin":
			list[i].data = little(1, 2./3, 1./3, 0.5, 0.25, 2./3, 1./3)
		}
	}
	_, err := modelfile.ReadUMB(bytes.NewReader(archive(t, list)), "m.umb", modelfile.Options{})
	require.EqualError(t, err, "m.umb: branch-to-probability.bin: 3: state 2, action 0: found the exit rate 4; expected 3, the sum of the rates that follow")
}

// sizeLimit bounds what reading a small file may allocate, whatever it announces.
const sizeLimit = 16 << 20

// TestUMBFaults changes files: what is read is a model that is written and read alike, and
// all else is an error with its place.
func TestUMBFaults(t *testing.T) {
	trials := 1000
	if *long {
		trials = 20_000
	}
	random := rand.New(rand.NewPCG(11, 27))
	files := [][]byte{archive(t, ferry())}
	for i := 0; len(files) < 24; i++ {
		files = append(files, umb(t, randomModel(rand.New(rand.NewPCG(20240601, uint64(i))), i%3 == 0)))
	}
	refused, read := 0, 0
	for trial := range trials {
		data := mutated(t, random, files[random.IntN(len(files))])
		packed := random.IntN(4) == 0
		if packed {
			if data = zipped(t, data); random.IntN(2) == 0 {
				data[random.IntN(len(data))] ^= 1 << random.IntN(8)
			}
		}
		options := modelfile.Options{Exact: trial%2 == 0}
		again := func(r io.Reader) (*modelfile.Model, error) { return modelfile.ReadUMB(r, "m.umb", options) }
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := again(bytes.NewReader(data))
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(sizeLimit), "trial %d", trial)
		switch {
		case err != nil && packed && strings.Contains(err.Error(), "damaged gzip data"):
			refused++
		case checkRead(t, m, err):
			checkAgain(t, m, modelfile.WriteUMB, again)
			read++
		default:
			refused++
		}
	}
	t.Logf("%d files refused, %d read", refused, read)
	assert.Positive(t, read)
	assert.Greater(t, refused, read)
}

var digits = regexp.MustCompile(`[0-9]+`)

// mutated returns a file with one or several faults.
func mutated(t *testing.T, random *rand.Rand, data []byte) []byte {
	t.Helper()
	list := members(t, data)
	some := func() *member { return &list[random.IntN(len(list))] }
	for range 1 + random.IntN(2) {
		switch random.IntN(7) {
		case 0: // the names or the data of two members
			if a, b := some(), some(); random.IntN(2) == 0 {
				a.name, b.name = b.name, a.name
			} else {
				*a, *b = *b, *a
			}
		case 1: // a number of the index
			if i := strings.Index(list[0].name, "index"); i == 0 {
				places := digits.FindAllIndex(list[0].data, -1)
				place := places[random.IntN(len(places))]
				number := strconv.FormatUint([]uint64{0, 1, 2, 3, 64, 1 << 20, 1<<31 - 3, 1 << 40, math.MaxUint64}[random.IntN(9)], 10)
				list[0].data = []byte(string(list[0].data[:place[0]]) + number + string(list[0].data[place[1]:]))
			}
		case 2: // bits of a member
			if m := some(); len(m.data) > 0 {
				m.data[random.IntN(len(m.data))] ^= 1 << random.IntN(8)
			}
		case 3: // the length of a member
			if m := some(); random.IntN(2) == 0 {
				m.data = m.data[:random.IntN(len(m.data)+1)]
			} else {
				m.data = append(m.data, make([]byte, 8)...)
			}
		case 4: // no member, or one twice
			if i := random.IntN(len(list)); random.IntN(2) == 0 {
				list = append(list, list[i])
			} else if len(list) > 1 {
				list = append(list[:i:i], list[i+1:]...)
			}
		case 5: // eight bytes of a member
			if m := some(); len(m.data) >= 8 {
				copy(m.data[random.IntN(len(m.data)/8)*8:], little([]uint64{0, 1, 1 << 31, 1 << 63, 0x7ff0000000000000, 0x3ff0000000000000}[random.IntN(6)]))
			}
		case 6: // the file
			data := archive(t, list)
			if random.IntN(2) == 0 {
				return data[:random.IntN(len(data))]
			}
			data[random.IntN(len(data))] ^= 1 << random.IntN(8)
			return data
		}
	}
	return archive(t, list)
}

// Sparse files have sizes without data.
func TestSparseUMB(t *testing.T) {
	list := members(t, archive(t, ferry()))
	var data bytes.Buffer
	w := tar.NewWriter(&data)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "index.json", Size: int64(len(list[0].data)), Mode: 0o600}))
	_, err := w.Write(list[0].data)
	require.NoError(t, err)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "branch-to-target.bin", Typeflag: tar.TypeSymlink, Linkname: "else", Mode: 0o600}))
	require.NoError(t, w.Close())
	_, err = modelfile.ReadUMB(&data, "m.umb", modelfile.Options{})
	require.EqualError(t, err, "m.umb: branch-to-target.bin: found a sparse file, a link or the like; expected a plain file")
}

// acceptance is what other readers of UMB say of the files *.umb in a folder, compared with
// Storm's own model of *.drn. It writes *.back for each.
const acceptance = `
import glob, sys, umbi, stormpy
V = lambda e: float(e.value() if callable(type(e).value) else e.value)
for path in sorted(glob.glob(sys.argv[1] + "/*.umb")):
    ats = umbi.ats.read(path)
    m = stormpy.build_model_from_umb(path)
    exact = "Rational" in type(m).__name__
    r = (stormpy.build_model_from_drn[stormpy.Rational] if exact else stormpy.build_model_from_drn)(path[:-4] + ".drn")
    assert type(m) == type(r), (path, type(m), type(r))
    assert (m.nr_states, m.nr_choices) == (r.nr_states, r.nr_choices) == (ats.num_states, ats.num_choices), path
    for i in range(m.nr_choices):
        a, b = [[(e.column, V(e)) for e in x.transition_matrix.get_row(i) if V(e) > 0] for x in (m, r)]
        assert [j for j, _ in a] == [j for j, _ in b] and all(abs(x - y) <= 1e-15 * y for (_, x), (_, y) in zip(a, b)), (path, i, a, b)
    assert set(m.reward_models) == set(r.reward_models)
    for name, x in m.reward_models.items():
        y = r.reward_models[name]
        for has, values in (("has_state_rewards", "state_rewards"), ("has_state_action_rewards", "state_action_rewards")):
            a, b = [list(map(float, getattr(z, values))) if getattr(z, has) else [] for z in (x, y)]
            assert all(abs(x - y) <= 1e-15 * abs(y) for x, y in zip(a, b)) and (len(a) == len(b) or not any(a + b)), (path, name, a, b)
    for label in r.labeling.get_labels():
        assert list(m.labeling.get_states(label)) == list(r.labeling.get_states(label)), (path, label)
    if not exact: # Storm does not write fractions
        stormpy.io.export_to_umb(m, path[:-4] + ".storm.back")
    umbi.umb.write(umbi.umb.read(path, strict=True), path[:-4] + ".umbi.back") # umbi.ats loses reward models but the last
`

// TestOthersReadUMB has umbi and Storm read what is written here, and reads what they write.
// UMB_PYTHON is a Python that has the packages umbi and stormpy.
func TestOthersReadUMB(t *testing.T) {
	python := os.Getenv("UMB_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import umbi, stormpy").Run(); err != nil {
		t.Skip("umbi and stormpy are not installed")
	}
	folder := t.TempDir()
	models := map[string]*modelfile.Model{}
	for i := range 60 {
		m := randomModel(rand.New(rand.NewPCG(3, uint64(i))), i%2 == 1)
		delete(m.Labels, "deadlock") // Storm makes one of its own
		m.ActionNames = nil
		path := filepath.Join(folder, strconv.Itoa(i))
		models[path] = m
		require.NoError(t, modelfile.WriteFile(path+".umb", m))
		require.NoError(t, modelfile.WriteFile(path+".drn", m))
	}
	output, err := exec.Command(python, "-c", acceptance, folder).CombinedOutput()
	require.NoError(t, err, string(output))
	for path, m := range models {
		for _, tool := range []string{".storm.back", ".umbi.back"} {
			absorbing := len(slices.Compact(slices.Clone(m.RowStart))) < len(m.RowStart) // Storm writes 0/0
			if tool == ".storm.back" && (m.IsExact() || absorbing) {
				continue
			}
			file, err := os.Open(path + tool)
			require.NoError(t, err)
			got, err := modelfile.ReadUMB(file, path+tool, modelfile.Options{Exact: m.IsExact()})
			require.NoError(t, file.Close())
			require.NoError(t, err)
			assert.Equal(t, []any{m.Kind, m.StateStart, m.RowStart}, []any{got.Kind, got.StateStart, got.RowStart}, path+tool)
			want, of := sortedRows(m), sortedRows(got)
			for e := range want { // Storm sorts rows
				assert.Equal(t, want[e].to, of[e].to, path+tool)
				assert.InEpsilon(t, want[e].value, of[e].value, 1e-15, path+tool)
			}
			for i := range m.Rewards {
				r, err := got.Reward(m.Rewards[i].Name)
				require.NoError(t, err)
				assert.Equal(t, plain(&modelfile.Model{Rewards: m.Rewards[i : i+1]}), plain(&modelfile.Model{Rewards: []modelfile.RewardModel{*r}}), path+tool)
			}
			for name, states := range m.Labels {
				assert.Equal(t, states, got.Labels[name])
			}
		}
	}
}

type transition struct {
	to    int32
	value float64
}

// sortedRows lists the transitions of a model, each choice by state.
func sortedRows(m *modelfile.Model) []transition {
	var list []transition
	for k := range m.NumChoices() {
		row := len(list)
		for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
			list = append(list, transition{m.Columns[e], m.Values.Float[e]})
		}
		slices.SortFunc(list[row:], func(a, b transition) int { return int(a.to - b.to) })
	}
	return list
}
