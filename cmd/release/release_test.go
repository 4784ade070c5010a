package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var packed = []file{{"b.txt", []byte("second"), false}, {"a/mdpsolve", []byte("first"), true}}

// Archives do not depend on the order in which files come, nor on the clock.
func TestArchivesDependOnTheirFilesAlone(t *testing.T) {
	at := time.Date(2026, 11, 22, 20, 0, 0, 0, time.UTC)
	for system, ending := range map[string]string{"linux": ".tar.gz", "darwin": ".tar.gz", "windows": ".zip"} {
		one, got, err := pack("folder", system, packed, at)
		require.NoError(t, err)
		assert.Equal(t, ending, got)
		other, _, err := pack("folder", system, []file{packed[1], packed[0]}, at)
		require.NoError(t, err)
		assert.Equal(t, one, other)
		later, _, err := pack("folder", system, packed, at.Add(time.Hour))
		require.NoError(t, err)
		assert.NotEqual(t, one, later)
	}
}

func TestArchivesHoldTheirFiles(t *testing.T) {
	at := time.Date(2026, 11, 22, 20, 0, 0, 0, time.UTC)
	archive, _, err := pack("folder", "linux", packed, at)
	require.NoError(t, err)
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	require.NoError(t, err)
	reader := tar.NewReader(unzipped)
	for _, want := range []file{packed[1], packed[0]} {
		header, err := reader.Next()
		require.NoError(t, err)
		content, err := io.ReadAll(reader)
		require.NoError(t, err)
		assert.Equal(t, "folder/"+want.name, header.Name)
		assert.Equal(t, want.content, content)
		assert.EqualValues(t, want.mode(), header.Mode)
		assert.True(t, at.Equal(header.ModTime))
	}

	archive, _, err = pack("folder", "windows", packed, at)
	require.NoError(t, err)
	zipped, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	require.NoError(t, err)
	require.Len(t, zipped.File, 2)
	assert.Equal(t, "folder/a/mdpsolve", zipped.File[0].Name)
	assert.True(t, at.Equal(zipped.File[0].Modified))
}

// The bill of materials names the version of uPlot that is there.
func TestVersionOfUPlot(t *testing.T) {
	text, err := os.ReadFile("../mdpsolve/internal/serve/assets/uPlot.iife.min.js")
	require.NoError(t, err)
	assert.Contains(t, string(text[:200]), "(v"+uPlot.Version+")")
}
