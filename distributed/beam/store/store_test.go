package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Names are taken letter by letter where they are no patterns, and folders are no files.
func TestNames(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a[1]*.csv", "a1x.csv", "b.csv"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(folder, "c.csv"), 0o700))
	at := func(name string) File { return File(filepath.Join(folder, name)) }
	all := []File{at("a1x.csv"), at("a[1]*.csv"), at("b.csv")}
	for _, pattern := range []string{string(at("*.csv")), "file://" + string(at("*.csv"))} {
		found, err := Glob(t.Context(), pattern)
		require.NoError(t, err)
		assert.Equal(t, all, found)
	}
	_, err := Glob(t.Context(), "nosuch://bucket/*")
	require.ErrorContains(t, err, "nosuch://bucket/*")

	assert.False(t, at("a[1]*.csv").Gone(t.Context()))
	assert.True(t, at("a[1].csv").Gone(t.Context()))
	_, err = at("none.csv").Read(t.Context())
	require.ErrorContains(t, err, "none.csv")
	at("a[1]").RemoveAll(t.Context())
	found, err := Glob(t.Context(), string(at("*.csv")))
	require.NoError(t, err)
	assert.Equal(t, []File{at("a1x.csv"), at("b.csv")}, found)

	_, err = Parse(string(at("nowhere/x")))
	require.ErrorContains(t, err, "no folder")
	file, err := Parse("file://" + string(at("x")))
	require.NoError(t, err)
	assert.Equal(t, at("x"), file)
}
