//go:build unix

package main

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// A full disk is the user's to mend, and said in one line.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no device that is full")
	}
	refreshFolder(t)
	writeFile(t, "history.csv", "id,time,changed\na,0,0\na,1,1\n")
	for _, kind := range append(fileKinds(), "") {
		require.NoError(t, os.Symlink("/dev/full", "full"+kind))
	}
	lines := []string{
		"refresh rates --input urls.csv --bandwidth 5 --host-cap 1 --hosts-out full.csv",
	}
	for _, kind := range append(fileKinds(), "") {
		lines = append(lines,
			"refresh rates --input pages.csv --bandwidth 5 --out full"+kind,
			"refresh estimate --input history.csv --out full"+kind,
			"refresh schedule --input rates.csv --length 100000 --out full"+kind)
	}
	for _, line := range lines {
		status, stdout, stderr := execute(t, line)
		assert.Equal(t, ui.ExitUsage, status, line)
		assert.Empty(t, stdout, line)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), line)
		words := strings.Fields(line)
		assert.Contains(t, stderr, "mdpsolve: "+words[len(words)-2]+": "+words[len(words)-1]+" cannot be written: no space left on device\n", line)
	}
}

// A link stays one, and the file behind it keeps its permissions.
func TestOutThroughLinks(t *testing.T) {
	refreshFolder(t)
	require.NoError(t, os.Mkdir("data", 0o700))
	for _, line := range []string{
		"refresh rates --input pages.csv --bandwidth 5 --out",
		"refresh estimate --input history.csv --out",
		"refresh schedule --input rates.csv --length 10 --out",
	} {
		mustRun(t, line+" plain.csv")
		writeFile(t, "data/file", "old")
		require.NoError(t, os.Chmod("data/file", 0o640))
		require.NoError(t, os.Symlink("data/file", "link.csv"))
		mustRun(t, line+" link.csv")
		assert.Equal(t, readFile(t, "plain.csv"), readFile(t, "data/file"), line)
		link, err := os.Lstat("link.csv")
		require.NoError(t, err)
		assert.Equal(t, fs.ModeSymlink, link.Mode().Type(), line)
		file, err := os.Stat("data/file")
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o640), file.Mode(), line)
		require.NoError(t, os.Remove("link.csv"))
	}
}

// Two answers do not go to one file, not even to one that is yet to be created.
func TestOneFileOfTwoNames(t *testing.T) {
	refreshFolder(t)
	require.NoError(t, os.Symlink(".", "here"))
	require.NoError(t, os.Symlink("new", "link"))
	for _, names := range [][2]string{{"new", "here/new"}, {"link", "here/new"}, {"here/link", "new"}} {
		line := "refresh rates --input urls.csv --bandwidth 5 --host-cap 1 --out " + names[0] + " --hosts-out " + names[1]
		status, _, stderr := execute(t, line)
		assert.Equal(t, ui.ExitUsage, status, line)
		assert.Contains(t, stderr, `"`+names[0]+`" is also the file of --`, line)
		assert.NoFileExists(t, "new", line)
	}
}
