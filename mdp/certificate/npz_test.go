package certificate_test

import (
	"archive/zip"
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// Results come back from arrays as they were. What NumPy makes of the files is tested in
// python/tests.
func TestArrays(t *testing.T) {
	floats := someResult()
	floats.Exact = nil
	floats.Certificate.Upper.Value.Exact = nil
	floats.Certificate.Scale = nil
	for name, r := range map[string]*certificate.Result{
		"all":           someResult(),
		"floats":        floats,
		"question only": {Question: question.Question{Criterion: "average", Sense: "minimize"}},
		"values":        {Question: question.Question{Criterion: "average", Sense: "minimize"}, Values: []float64{3, 4}, Value: 3},
		"steps":         {Question: question.Question{Criterion: "finite", Sense: "minimize", Horizon: new(2), Terminal: "end", Discount: new(0.5)}, Policy: []int32{1, 0, 2}, Policies: [][]int32{{1, 0, 2}, {0, 1, 0}}},
	} {
		path := filepath.Join(t.TempDir(), "r.npz")
		require.NoError(t, certificate.WriteFile(path, r), name)
		got, err := certificate.ReadFile(path)
		require.NoError(t, err, name)
		assert.Equal(t, r, got, name)
		answer, err := certificate.ReadAnswerFile(path, nil)
		require.NoError(t, err, name)
		assert.Equal(t, r, answer.Result, name)
	}
	many := &certificate.Result{Question: question.Question{Criterion: "average", Sense: "minimize"}, Values: make([]float64, 200_001), Policy: make([]int32, 200_001)}
	for s := range many.Values {
		many.Values[s], many.Policy[s] = rand.NormFloat64(), rand.Int32() //nolint:gosec // not for secrets
	}
	many.Value = many.Values[0]
	path := filepath.Join(t.TempDir(), "r.npz")
	require.NoError(t, certificate.WriteFile(path, many))
	got, err := certificate.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, many, got)
}

// Files that are damaged are refused by their name, or read as valid results.
func TestArraysHostile(t *testing.T) {
	seed := rand.Uint64() //nolint:gosec // not for secrets
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // not for secrets
	path := filepath.Join(t.TempDir(), "r.npz")
	require.NoError(t, certificate.WriteFile(path, someResult()))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	refused := 0
	for range 1000 {
		text := bytes.Clone(whole)
		for range 1 + random.IntN(3) {
			text[random.IntN(len(text))] = byte(random.Uint32())
		}
		if random.IntN(8) == 0 {
			text = text[:random.IntN(len(text))]
		}
		require.NoError(t, os.Remove(path)) // new files are written faster
		require.NoError(t, os.WriteFile(path, text, 0o600))
		r, err := certificate.ReadFile(path)
		if err == nil {
			require.NoError(t, r.Validate())
			continue
		}
		refused++
		require.Nil(t, r)
		require.ErrorContains(t, err, path)
	}
	assert.Greater(t, refused, 300)
}

// Each fault of a file of arrays is named with its member.
func TestArraysFaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.npz")
	require.NoError(t, certificate.WriteFile(path, someResult()))
	archive, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, archive.Close()) }()
	changed := filepath.Join(t.TempDir(), "changed.npz")
	for _, c := range []struct {
		name   string
		change func(w *zip.Writer, member *zip.File) error
		want   string
	}{
		{"compressed", func(w *zip.Writer, member *zip.File) error {
			return rewrite(w, member, &zip.FileHeader{Name: member.Name, Method: zip.Deflate}, nil)
		}, "found compressed data"},
		{"no rest", func(w *zip.Writer, member *zip.File) error {
			if member.Name == "result.json" {
				return nil
			}
			return w.Copy(member)
		}, "no member result.json"},
		{"twice", func(w *zip.Writer, member *zip.File) error {
			if err := w.Copy(member); err != nil {
				return err
			}
			return w.Copy(member)
		}, "unknown or repeated"},
		{"unknown", func(w *zip.Writer, member *zip.File) error {
			return rewrite(w, member, &zip.FileHeader{Name: "x" + member.Name}, nil)
		}, "no member result.json"},
		{"name of several lines", func(w *zip.Writer, member *zip.File) error {
			if err := w.Copy(member); err != nil || member.Name != "result.json" {
				return err
			}
			_, err := w.Create("a\n\xff")
			return err
		}, `"a\n\xff": found`},
		{"other type", func(w *zip.Writer, member *zip.File) error {
			return rewrite(w, member, &zip.FileHeader{Name: member.Name}, func(text []byte) []byte {
				return bytes.Replace(text, []byte("<f8"), []byte("<i8"), 1)
			})
		}, "npy: found another kind of array; expected one dimension of type <f8"},
		{"no JSON", func(w *zip.Writer, member *zip.File) error {
			return rewrite(w, member, &zip.FileHeader{Name: member.Name}, func(text []byte) []byte {
				return bytes.Replace(text, []byte(`"sense":`), []byte(`"sense",`), 1)
			})
		}, "result.json:"},
		{"short", func(w *zip.Writer, member *zip.File) error {
			return rewrite(w, member, &zip.FileHeader{Name: member.Name}, func(text []byte) []byte { return text[:len(text)-3] })
		}, "found another kind of array"},
	} {
		file, err := os.Create(changed) //nolint:gosec // of the test
		require.NoError(t, err)
		w := zip.NewWriter(file)
		for _, member := range archive.File {
			if c.name == "short" && member.Name == "result.json" {
				require.NoError(t, w.Copy(member))
				continue
			}
			require.NoError(t, c.change(w, member))
		}
		require.NoError(t, w.Close())
		require.NoError(t, file.Close())
		_, err = certificate.ReadFile(changed)
		require.ErrorContains(t, err, changed, c.name)
		require.ErrorContains(t, err, c.want, c.name)
	}
	_, err = certificate.ReadFile(filepath.Join(t.TempDir(), "none.npz"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// rewrite copies a member with another header and, where change is given, another content.
func rewrite(w *zip.Writer, member *zip.File, header *zip.FileHeader, change func([]byte) []byte) error {
	content, err := member.Open()
	if err != nil {
		return err
	}
	text, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	if change != nil {
		text = change(text)
	}
	out, err := w.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}
