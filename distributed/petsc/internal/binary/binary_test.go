package binary

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The bytes of the vector (1, −2), from the documentation of VecLoad: an identity, the
// length, the numbers, each with its highest byte first.
const oneMinusTwo = "\x00\x12\x7b\x4e\x00\x00\x00\x02\x3f\xf0\x00\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x00"

func TestVectors(t *testing.T) {
	name := filepath.Join(t.TempDir(), "v.bin")
	file, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, WriteVectorHeader(file, 2))
	require.NoError(t, WriteVectorPart(file, 1, []float64{-2})) // parts in any order
	require.NoError(t, WriteVectorPart(file, 0, []float64{1}))
	require.NoError(t, file.Close())
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, oneMinusTwo, string(text))

	is, err := IsVector(name)
	require.NoError(t, err)
	assert.True(t, is)
	x, err := ReadVectorPart(name, 2, 1, 2)
	require.NoError(t, err)
	assert.Equal(t, []float64{-2}, x)
}

func TestVectorsThatAreNone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "v.bin")
	_, err := IsVector(name)
	require.ErrorIs(t, err, os.ErrNotExist)
	for text, want := range map[string]string{
		oneMinusTwo[:20]:                   "ends before number 1 of 2",
		oneMinusTwo[:6]:                    "no vector of PETSc",
		"":                                 "no vector of PETSc",
		"\x00\x12\x7b\x4e\x00\x00\x00\x03": "a vector of 3 numbers is not valid: use one of 2",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		_, err := ReadVectorPart(name, 2, 0, 2)
		assert.ErrorContains(t, err, want)
	}
	require.NoError(t, os.WriteFile(name, []byte("\x00\x00\x00\x00"+oneMinusTwo), 0o600))
	_, err = IsVector(name)
	require.ErrorContains(t, err, "64-bit indices")
	for _, text := range []string{"", "1", "1 2 3 4\n"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		is, err := IsVector(name)
		require.NoError(t, err)
		assert.False(t, is, "%q", text)
	}
}

// The bytes of a matrix of two rows, the second empty, from the documentation of MatLoad.
func TestMatrix(t *testing.T) {
	var out bytes.Buffer
	m := Matrix{Rows: 2, Columns: 3, Each: func(row func([]int32, []float64) error) error {
		if err := row([]int32{0, 2}, []float64{1, -2}); err != nil {
			return err
		}
		return row(nil, nil)
	}}
	require.NoError(t, m.Write(&out))
	assert.Equal(t, "\x00\x12\x7b\x50\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x02"+ // 2×3 with 2 entries
		"\x00\x00\x00\x02\x00\x00\x00\x00"+ // lengths
		"\x00\x00\x00\x00\x00\x00\x00\x02"+ // columns
		"\x3f\xf0\x00\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x00", out.String())
}
