package store

// What a killed writer leaves.

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRemoveUnfinished(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.csv", "a.csv.18ea865bea4a9b25.tmp", "a.csv.tmp", "ab.csv.18ea865bea4a9b25.tmp", "b.csv.1.tmp"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	var files []File
	for _, name := range []string{"a.csv", "b.csv", "nowhere/c.csv"} {
		file, err := Parse(filepath.Join(folder, name))
		require.NoError(t, err)
		files = append(files, file)
	}
	RemoveUnfinished(append(files, File{Bucket: "mem://", Key: "a.csv"})...)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	assert.Equal(t, []string{"a.csv", "a.csv.tmp", "ab.csv.18ea865bea4a9b25.tmp"}, left)
}
