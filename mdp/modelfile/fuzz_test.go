package modelfile_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

func seed(f *testing.F, path string) string {
	f.Helper()
	text, err := os.ReadFile(path)
	require.NoError(f, err)
	return string(text)
}

// checkRead holds what every reader promises: a model in order, or an error
// with its place on one line. It reports whether there is a model.
func checkRead(t *testing.T, m *modelfile.Model, err error) bool {
	t.Helper()
	if err != nil {
		require.Nil(t, m)
		assertPlace(t, err)
		return false
	}
	require.NoError(t, m.Validate())
	arrays, err := m.TableArrays("")
	if err == nil {
		require.Len(t, arrays.Costs, m.NumChoices())
	}
	return true
}

// checkAgain writes and reads once more: unless a name of the file has no place
// in the format, the same must come back.
func checkAgain(t *testing.T, m *modelfile.Model, write func(io.Writer, *modelfile.Model) error, read func(io.Reader) (*modelfile.Model, error)) {
	t.Helper()
	var text bytes.Buffer
	if err := write(&text, m); err != nil {
		require.Zero(t, text.Len())
		return
	}
	again, err := read(bytes.NewReader(text.Bytes()))
	require.NoError(t, err, text.String())
	require.Equal(t, plain(m), plain(again))
}

func FuzzReadDRN(f *testing.F) {
	for _, path := range []string{"testdata/die.drn", "testdata/queue.drn"} {
		f.Add(seed(f, path), true)
		f.Add(seed(f, path), false)
	}
	f.Add(drnStart+"state 0 [0, 1e-3] init \"a b\"\n\taction go [1, 2]\n\t\t0 : 1/3\n\t\t1 : 2/3\n\taction 1\n\t\t0 : 1\nstate 1\n\taction __NOLABEL__\n\t\t1 : 1\n", true)
	f.Add("@type: CTMC\n@placeholders\n$0 : 1/3\n@nr_states\n2000000000\n@model\nstate 0 !0\n//comment\nstate 1 [1]\n\taction 0\n\t\t0 : $0\n", false)
	f.Fuzz(func(t *testing.T, text string, exact bool) {
		options := modelfile.Options{Exact: exact}
		read := func(r io.Reader) (*modelfile.Model, error) { return modelfile.ReadDRN(r, "m.drn", options) }
		m, err := read(strings.NewReader(text))
		if checkRead(t, m, err) {
			checkAgain(t, m, modelfile.WriteDRN, read)
		}
	})
}

func FuzzReadJSON(f *testing.F) {
	f.Add(seed(f, "testdata/toymaker.json"), true)
	f.Add(`{"format": "mdpsolve-model/1", "kind": "ctmc", "numbers": "rational", "initial": [1], "labels": {"\u00fc\n": [0, 1]},`+
		`"reward_models": ["a", "b"], "state_variables": "(x)", "states": [{"name": "(0)", "rewards": [1, "2/3"], "actions": [{"name": "x", "rewards": [0, -1e3], "to": [[1, "1/3", [1, 2]]]}]},`+
		`{"name": "(1)", "actions": [{}]}]}`, false)
	f.Fuzz(func(t *testing.T, text string, exact bool) {
		options := modelfile.Options{Exact: exact}
		read := func(r io.Reader) (*modelfile.Model, error) { return modelfile.ReadJSON(r, "m.json", options) }
		m, err := read(strings.NewReader(text))
		if checkRead(t, m, err) {
			checkAgain(t, m, modelfile.WriteJSON, read)
		}
	})
}

func FuzzReadPRISM(f *testing.F) {
	f.Add("2 3 4\n0 0 0 0.5 go\n0 0 1 0.5 go\n0 1 1 1\n1 0 1 1\n", "(x,y)\n0:(0,1)\n1:(0,2)\n", "0=\"init\" 1=\"deadlock\" 2=\"a b\"\n0: 0 2\n1: 1\n",
		"# Reward structure \"r\"\n# State rewards\n2 1\n0 1.5\n", "2 3 2\n0 0 0 1\n0 0 1 2\n", byte(0), false)
	f.Add("3 3\n0 1 1/3\n0 2 2/3\n2 1 1\n", "(x)\n", "0=\"init\"\n", "3 0\n", "# Reward structure: \"s\"\n3 1\n2 1 4\n", byte(1), true)
	f.Add("3 2\n0 1 5\n2 2 0\n", "", "0=\"init\"\n", "", "3 0\n", byte(2), true)
	f.Fuzz(func(t *testing.T, tra, sta, lab, srew, trew string, kind byte, exact bool) {
		options := modelfile.Options{Exact: exact, Kind: modelfile.Kind(kind % 4)}
		files := fstest.MapFS{}
		for suffix, text := range map[string]string{".tra": tra, ".sta": sta, ".lab": lab, ".srew": srew, ".trew": trew} {
			if text != "" || suffix == ".tra" {
				files["m"+suffix] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		m, err := modelfile.ReadPRISM(files, "m", options)
		if !checkRead(t, m, err) {
			return
		}
		again := folder{fstest.MapFS{}}
		if err := modelfile.WritePRISM(again.create, m); err != nil {
			require.Empty(t, again.files)
			return
		}
		options.Kind = m.Kind
		got, err := modelfile.ReadPRISM(again.files, "model", options)
		require.NoError(t, err)
		require.Equal(t, plain(m), plain(got))
	})
}

func FuzzReadBytes(f *testing.F) {
	random := rand.New(rand.NewPCG(39, 6))
	for range 4 {
		f.Add(inMemory(f, withMatrices(f, random, plainModel(random))))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := modelfile.ReadBytes(data, "m", modelfile.Options{})
		if bytes.HasPrefix(data, []byte("mdpsolve-arrays/1\n")) { // other texts have fuzz tests of their own
			checkRead(t, m, err)
		}
	})
}

func FuzzReadUMB(f *testing.F) {
	for _, path := range []string{"testdata/die.drn", "testdata/queue.drn", "testdata/toymaker.json"} {
		for _, exact := range []bool{false, true} {
			m, err := modelfile.ReadFile(path, modelfile.Options{Exact: exact})
			require.NoError(f, err)
			f.Add(umb(f, m), exact)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, exact bool) {
		options := modelfile.Options{Exact: exact}
		read := func(r io.Reader) (*modelfile.Model, error) { return modelfile.ReadUMB(r, "m.umb", options) }
		m, err := read(bytes.NewReader(data))
		if err != nil && bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
			return // gzip data has no places
		}
		if checkRead(t, m, err) {
			checkAgain(t, m, modelfile.WriteUMB, read)
		}
	})
}
