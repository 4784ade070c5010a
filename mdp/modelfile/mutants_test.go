package modelfile_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// files are the files of a model, or the members of a UMB file, by name.
type files map[string][]byte

// mutantFormat is a format whose files are mutated: originals, how they are read, and what in
// them says of which kind the model is.
type mutantFormat struct {
	name      string
	originals []files
	read      func(f files) (*modelfile.Model, error)
	says      func(f files) string
	binary    bool
}

// Originals for mutants, as a DTMC, an MDP, a CTMC and with intervals.
var mutantModels = map[string]string{
	"dtmc": `{"kind": "dtmc", "labels": {"goal": [3], "none": []}, "reward_models": ["cost", "time"], "states": [
		{"rewards": [1, 2], "actions": [{"to": [[1, 0.5], [2, 0.25], [3, 0.25]]}]},
		{"rewards": [2, 1], "actions": [{"name": "go", "to": [[0, 0.125], [3, 0.875]]}]},
		{"rewards": [0, 1], "actions": [{"to": [[2, 0.9], [0, 0.1]]}]},
		{"actions": [{"rewards": [3, 0], "to": [[0, 1]]}]}]}`,
	"mdp": `{"kind": "mdp", "labels": {"goal": [2]}, "reward_models": ["cost"], "state_variables": "(x)", "states": [
		{"name": "(0)", "rewards": [1], "actions": [{"name": "a", "to": [[1, 0.5], [2, 0.5]]}, {"name": "b", "rewards": [4], "to": [[2, 1]]}]},
		{"name": "(1)", "rewards": [3], "actions": [{"name": "a", "to": [[0, 0.75], [1, 0.25]]}, {"name": "c", "rewards": [1], "to": [[1, 0.1], [2, 0.9]]}]},
		{"name": "(2)", "actions": [{"name": "a", "to": [[0, 0.3], [1, 0.7]]}]}]}`,
	"ctmc": `{"kind": "ctmc", "labels": {"full": [2]}, "reward_models": ["length"], "states": [
		{"actions": [{"to": [[1, 2.5]]}]},
		{"rewards": [1], "actions": [{"to": [[0, 3], [2, 2.5]]}]},
		{"rewards": [2], "actions": [{"rewards": [0.5], "to": [[1, 6]]}]}]}`,
	"imdp": `{"kind": "mdp", "labels": {"worn": [2]}, "reward_models": ["cost"], "states": [
		{"actions": [{"name": "run", "to": [[0, [0.5, 0.7]], [1, [0.2, 0.4]], [2, [0.1, 0.2]]]}]},
		{"rewards": [1], "actions": [{"name": "run", "to": [[1, [0.4, 0.8]], [2, [0.2, 0.6]]]}, {"name": "repair", "rewards": [3], "to": [[0, 1]]}]},
		{"rewards": [4], "actions": [{"name": "repair", "rewards": [3], "to": [[0, [0.9, 1]], [2, [0.05, 0.1]]]}]}]}`,
	"idtmc": `{"kind": "dtmc", "labels": {"end": [1]}, "reward_models": ["cost"], "states": [
		{"rewards": [1], "actions": [{"to": [[0, [0.25, 0.5]], [1, [0.5, 0.75]]]}]},
		{"rewards": [2], "actions": [{"to": [[0, [0.1, 0.2]], [1, [0.8, 0.9]]]}]}]}`,
}

// mutantFormats returns the formats with their originals.
func mutantFormats(t *testing.T) []mutantFormat {
	model := func(name string) *modelfile.Model {
		m, err := modelfile.ReadJSON(strings.NewReader(mutantModels[name]), name, modelfile.Options{})
		require.NoError(t, err)
		return m
	}
	// PRISM's files, with the comment that names the kind and without.
	prism := func(name string, kinds ...string) mutantFormat {
		f := mutantFormat{name: "PRISM " + name, says: func(f files) string {
			said := fmt.Sprintf("%q", regexp.MustCompile(`#[ \t]*Transitions.*`).FindAllString(string(f["m.tra"]), -1))
			for line := range strings.Lines(string(f["m.tra"])) {
				if words := strings.Fields(line); len(words) > 0 && words[0][0] != '#' {
					return fmt.Sprintf("%s %d", said, len(words))
				}
			}
			return said
		}}
		options := modelfile.Options{}
		f.read = func(f files) (*modelfile.Model, error) {
			folder := fstest.MapFS{}
			for name, text := range f {
				folder[name] = &fstest.MapFile{Data: text}
			}
			return modelfile.ReadPRISM(folder, "m", options)
		}
		for _, kind := range kinds {
			written := folder{fstest.MapFS{}}
			require.NoError(t, modelfile.WritePRISM(written.create, model(kind)))
			with, without := files{}, files{}
			for name, file := range written.files {
				name = strings.Replace(name, "model", "m", 1)
				with[name], without[name] = file.Data, file.Data
			}
			_, without["m.tra"], _ = bytes.Cut(with["m.tra"], []byte{'\n'})
			if f.originals = append(f.originals, with); kind != "ctmc" {
				f.originals = append(f.originals, without)
			}
		}
		return f
	}
	one := func(write func(io.Writer, *modelfile.Model) error) (originals []files) {
		for _, kind := range slices.Sorted(maps.Keys(mutantModels)) {
			var text bytes.Buffer
			require.NoError(t, write(&text, model(kind)))
			originals = append(originals, files{"m": text.Bytes()})
		}
		return originals
	}
	var unpacked []files
	for _, kind := range []string{"dtmc", "mdp", "ctmc", "imdp", "idtmc"} {
		var text bytes.Buffer
		require.NoError(t, modelfile.WriteUMB(&text, model(kind)))
		unpacked = append(unpacked, membersOf(t, text.Bytes()))
	}
	matches := func(patterns ...string) func(f files) string {
		return func(f files) (said string) {
			for _, pattern := range patterns {
				said += fmt.Sprintf("%q ", regexp.MustCompile(pattern).FindAllString(string(f["m"]), -1))
			}
			return said
		}
	}
	return []mutantFormat{
		prism("dtmc", "dtmc"), prism("mdp", "mdp"), prism("ctmc", "ctmc"), prism("intervals", "imdp", "idtmc"),
		{
			name: "DRN", originals: one(modelfile.WriteDRN), says: matches(`@type:?\s*\S+`, `@value_type:?\s*\S+`),
			read: func(f files) (*modelfile.Model, error) {
				return modelfile.ReadDRN(bytes.NewReader(f["m"]), "m.drn", modelfile.Options{})
			},
		},
		{ // in JSON an interval says itself that it is one
			name: "JSON", originals: one(modelfile.WriteJSON), says: matches(`"kind"\s*:\s*"[^"]*"`, `\[[^]\[]*,\s*\[`),
			read: func(f files) (*modelfile.Model, error) {
				return modelfile.ReadJSON(bytes.NewReader(f["m"]), "m.json", modelfile.Options{})
			},
		},
		{
			name: "UMB", originals: unpacked, binary: true,
			says: func(f files) string {
				var index struct {
					System map[string]any `json:"transition-system"`
				}
				_ = json.Unmarshal(f["index.json"], &index) // what it says, if it says something
				return fmt.Sprint(index.System["time"], index.System["#players"], index.System["branch-probability-type"])
			},
			read: func(f files) (*modelfile.Model, error) {
				return modelfile.ReadUMB(bytes.NewReader(packed(t, f)), "m.umb", modelfile.Options{})
			},
		},
	}
}

func membersOf(t *testing.T, umb []byte) files {
	members := files{}
	for r := tar.NewReader(bytes.NewReader(umb)); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return members
		}
		require.NoError(t, err)
		members[header.Name], err = io.ReadAll(r)
		require.NoError(t, err)
	}
}

// packed makes a UMB file of members, the index first.
func packed(t *testing.T, members files) []byte {
	var text bytes.Buffer
	w := tar.NewWriter(&text)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(members)), func(name string) bool { return name == "index.json" })
	for _, name := range append([]string{"index.json"}, names...) {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Size: int64(len(members[name])), Mode: 0o644}))
		_, err := w.Write(members[name])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return text.Bytes()
}

// mutate returns files that differ in one of them, which longer ones are likely to be.
func mutate(random *rand.Rand, original files, isBinary bool) files {
	f := maps.Clone(original)
	names, total := slices.Sorted(maps.Keys(f)), 0
	for _, name := range names {
		total += len(f[name])
	}
	name := ""
	for at := random.IntN(total); at >= 0; names = names[1:] {
		name = names[0]
		at -= len(f[name])
	}
	text := slices.Clone(f[name])
	if isBinary && name != "index.json" {
		at := random.IntN(len(text))
		word, way := at/8*8, random.IntN(8)
		switch {
		case way < 4:
			text[at] ^= 1 << random.IntN(8)
		case way < 6 || word+8 > len(text):
			text[at] = byte(random.IntN(256))
		case way == 6:
			binary.LittleEndian.PutUint64(text[word:], uint64(random.IntN(6)))
		default:
			binary.LittleEndian.PutUint64(text[word:], math.Float64bits(float64(random.IntN(5))/4))
		}
		f[name] = text
		return f
	}
	f[name] = mutateText(random, text)
	return f
}

var mutantWord = regexp.MustCompile(`[A-Za-z0-9_.+-]+`)

func mutateText(random *rand.Rand, text []byte) []byte {
	const letters = `0123456789.,:;-+e/"[](){}#@! abDCTMPIOSdtmcp` + "\n\t"
	at := random.IntN(len(text))
	words := mutantWord.FindAllIndex(text, -1)
	word := words[random.IntN(len(words))]
	put := func(from, to int, by []byte) []byte { return slices.Concat(text[:from], by, text[to:]) }
	rows := bytes.SplitAfter(text, []byte{'\n'})
	row := random.IntN(len(rows))
	switch random.IntN(11) {
	case 0: // a byte
		return put(at, at+1, []byte{letters[random.IntN(len(letters))]})
	case 1:
		return put(at, at+1, nil)
	case 2:
		return put(at, at, []byte{letters[random.IntN(len(letters))]})
	case 3, 4: // a digit of a number
		for i := range text {
			if j := (at + i) % len(text); '0' <= text[j] && text[j] <= '9' {
				return put(j, j+1, []byte{'0' + byte(random.IntN(10))})
			}
		}
		return text
	case 5: // a word
		other := words[random.IntN(len(words))]
		return put(word[0], word[1], text[other[0]:other[1]])
	case 6:
		return put(word[0], word[1], nil)
	case 7: // a line
		return bytes.Join(slices.Delete(slices.Clone(rows), row, row+1), nil)
	case 8:
		return bytes.Join(slices.Insert(slices.Clone(rows), row, rows[random.IntN(len(rows))]), nil)
	case 9:
		other := random.IntN(len(rows))
		rows[row], rows[other] = rows[other], rows[row]
		return bytes.Join(rows, nil)
	}
	return text[:at]
}

// kindOf is what a model is: its kind, and whether the file has intervals.
func kindOf(m *modelfile.Model) string {
	return fmt.Sprintf("%v, intervals %t", m.Kind, m.IsUncertain() || m.ZeroWidth)
}

// averageOf is the least long-run average of the first reward model in state 0, against
// nature where there is one; NaN for none.
func averageOf(m *modelfile.Model) float64 {
	if len(m.Rewards) == 0 || m.NumStates() > 100 {
		return math.NaN()
	}
	name, settings := m.Rewards[0].Name, mdp.Settings{MaxIterations: 1000}
	if m.IsUncertain() {
		u, err := m.Uncertain(name)
		if err != nil {
			return math.NaN()
		}
		r, err := mdp.Solve(context.Background(), u.With(mdp.Robust), mdp.LongRunAverage{}, settings)
		if err != nil {
			return math.NaN()
		}
		return r.Optimum(0)
	}
	table, err := m.Table(name)
	if err != nil {
		return math.NaN()
	}
	r, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, settings)
	if err != nil {
		return math.NaN()
	}
	return r.Optimum(0)
}

// A mutant is an error or a model of the kind that its file states, in the same words as the
// original: no fault makes a reader take it for another kind without a word. Where the words
// differ, the mutant states another kind. Answers of mutants differ as the numbers in them do.
func TestMutants(t *testing.T) {
	trials := 400
	if *long {
		trials = 20_000
	}
	const seed = 20261128
	for _, format := range mutantFormats(t) {
		t.Run(format.name, func(t *testing.T) {
			var kinds, says []string
			var values []float64
			for _, original := range format.originals {
				m, err := format.read(original)
				require.NoError(t, err)
				value := averageOf(m)
				require.False(t, math.IsNaN(value))
				kinds, says, values = append(kinds, kindOf(m)), append(says, format.says(original)), append(values, value)
			}
			counts := make(map[string]int)
			for i := range trials {
				random := rand.New(rand.NewPCG(seed, uint64(i)))
				which := random.IntN(len(format.originals))
				f := mutate(random, format.originals[which], format.binary)
				m, err := format.read(f)
				if err != nil {
					require.NotEmpty(t, err.Error())
					require.NotContains(t, err.Error(), "\n")
					counts["refused"]++
					continue
				}
				require.NoError(t, m.Validate(), "mutant %d", i)
				if kind := kindOf(m); kind != kinds[which] {
					counts["another kind, as it states"]++
					assert.NotEqual(t, says[which], format.says(f), "mutant %d of seed %d: %s was read as %s:\n%s", i, seed, kinds[which], kind, f)
					continue
				}
				switch value := averageOf(m); {
				case math.IsNaN(value):
					counts["same kind, no answer"]++
				case math.Abs(value-values[which]) <= 1e-9*math.Abs(values[which]):
					counts["same kind, same answer"]++
				default:
					counts["same kind, another answer"]++
				}
			}
			assert.Positive(t, counts["refused"])
			assert.Positive(t, counts["same kind, same answer"])
			assert.Positive(t, counts["same kind, another answer"])
			t.Logf("%d mutants: %v", trials, counts)
		})
	}
}

// One digit of one probability that is another makes an error in every format: the sum of the
// row is off, and no format reads it as rates.
func TestMutantsOfAProbability(t *testing.T) {
	probability := regexp.MustCompile(`0\.[0-9]+`)
	tried := 0
	for _, format := range mutantFormats(t) {
		for _, original := range format.originals {
			m, err := format.read(original)
			require.NoError(t, err)
			if m.Kind == modelfile.CTMC || m.IsUncertain() || format.binary {
				continue
			}
			for name, text := range original {
				if strings.HasSuffix(name, "rew") {
					continue
				}
				for _, place := range probability.FindAllIndex(text, -1) {
					for at := place[0] + 2; at < place[1]; at++ {
						for digit := byte('0'); digit <= '9'; digit++ {
							if digit == text[at] {
								continue
							}
							f := maps.Clone(original)
							f[name] = slices.Concat(text[:at], []byte{digit}, text[at+1:])
							if _, err := strconv.ParseFloat(string(f[name][place[0]:place[1]]), 64); err != nil {
								continue
							}
							tried++
							_, err := format.read(f)
							require.ErrorContains(t, err, "found probabilities that sum to ", "%s", f[name])
						}
					}
				}
			}
		}
	}
	assert.Greater(t, tried, 500)
}
