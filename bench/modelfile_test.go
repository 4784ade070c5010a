package bench

import (
	"bytes"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// fileModel returns a random model: n states, 4 actions, 10 successors each
// (that of the garnet benchmarks), one cost by action.
func fileModel(n int) *modelfile.Model {
	const actions, successors = 4, 10
	random := rand.New(rand.NewPCG(1, 2))
	m := &modelfile.Model{Kind: modelfile.MDP, StateStart: []int32{0}, RowStart: []int32{0}, Initial: []int32{0}}
	costs := modelfile.Numbers{}
	weights := make([]float64, successors)
	for range n {
		for range actions {
			first, sum := len(m.Columns), 0.0
			for len(m.Columns) < first+successors {
				if j := random.Int32N(int32(n)); !slices.Contains(m.Columns[first:], j) {
					m.Columns = append(m.Columns, j)
				}
			}
			slices.Sort(m.Columns[first:])
			for i := range weights {
				weights[i] = random.ExpFloat64()
				sum += weights[i]
			}
			for _, w := range weights {
				m.Values.Float = append(m.Values.Float, w/sum)
			}
			m.RowStart = append(m.RowStart, int32(len(m.Columns)))
			costs.Float = append(costs.Float, random.Float64())
		}
		m.StateStart = append(m.StateStart, int32(len(m.RowStart)-1))
	}
	m.Rewards = []modelfile.RewardModel{{Name: "c", Action: costs}}
	return m
}

// keptFile is a file whose text is kept in memory.
type keptFile struct {
	bytes.Buffer
	keep func([]byte)
}

func (f *keptFile) Close() error {
	f.keep(f.Bytes())
	return nil
}

// BenchmarkFiles measures reading and writing of 4·10^5 transitions in each
// format; the throughput is that of the text, uncompressed.
func BenchmarkFiles(b *testing.B) {
	model := fileModel(10_000)
	var drn, json bytes.Buffer
	require.NoError(b, modelfile.WriteDRN(&drn, model))
	require.NoError(b, modelfile.WriteJSON(&json, model))
	packed := filepath.Join(b.TempDir(), "m.drn.gz")
	require.NoError(b, modelfile.WriteFile(packed, model))
	prism, size := fstest.MapFS{}, 0
	require.NoError(b, modelfile.WritePRISM(func(suffix string) (io.WriteCloser, error) {
		return &keptFile{keep: func(text []byte) {
			prism["m"+suffix] = &fstest.MapFile{Data: text}
			size += len(text)
		}}, nil
	}, model))

	for _, format := range []struct {
		name  string
		bytes int
		read  func() (*modelfile.Model, error)
	}{
		{"drn", drn.Len(), func() (*modelfile.Model, error) {
			return modelfile.ReadDRN(bytes.NewReader(drn.Bytes()), "m.drn", modelfile.Options{})
		}},
		{"drn.gz", drn.Len(), func() (*modelfile.Model, error) { return modelfile.ReadFile(packed, modelfile.Options{}) }},
		{"prism", size, func() (*modelfile.Model, error) { return modelfile.ReadPRISM(prism, "m", modelfile.Options{}) }},
		{"json", json.Len(), func() (*modelfile.Model, error) {
			return modelfile.ReadJSON(bytes.NewReader(json.Bytes()), "m.json", modelfile.Options{})
		}},
	} {
		b.Run("read="+format.name, func(b *testing.B) {
			b.SetBytes(int64(format.bytes))
			for b.Loop() {
				got, err := format.read()
				if err != nil || got.NumTransitions() != model.NumTransitions() {
					b.Fatal(err)
				}
			}
		})
	}
	for _, format := range []struct {
		name  string
		bytes int
		write func(io.Writer, *modelfile.Model) error
	}{
		{"drn", drn.Len(), modelfile.WriteDRN},
		{"json", json.Len(), modelfile.WriteJSON},
	} {
		b.Run("write="+format.name, func(b *testing.B) {
			b.SetBytes(int64(format.bytes))
			for b.Loop() {
				require.NoError(b, format.write(io.Discard, model))
			}
		})
	}
}

// BenchmarkLargeFile streams a DRN file of some 100 MB, generated while it is
// read, and reports how much memory reading took besides the model.
func BenchmarkLargeFile(b *testing.B) {
	if testing.Short() {
		b.Skip("reads 100 MB")
	}
	model := fileModel(100_000)
	for b.Loop() {
		read, write := io.Pipe()
		go func() {
			_ = write.CloseWithError(modelfile.WriteDRN(write, model))
		}()
		counter := &counted{r: read}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := modelfile.ReadDRN(counter, "large.drn", modelfile.Options{})
		require.NoError(b, err)
		runtime.ReadMemStats(&after)
		b.SetBytes(counter.n)
		held := float64(12*got.NumTransitions() + 12*got.NumChoices() + 4*got.NumStates())
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/held, "allocated/model")
	}
}

// counted counts the bytes that are read.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
