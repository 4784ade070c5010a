package leftover

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A folder of a process that was killed goes when the next is made; that of one that
// lives stays.
func TestFolderOfKilledProcess(t *testing.T) {
	const variable, prefix = "LEFTOVER_TEST_FOLDER", "leftover-test-"
	if os.Getenv(variable) != "" { // the process that is killed
		name, _, err := Folder(prefix)
		require.NoError(t, err)
		_, _ = os.Stdout.WriteString(name + "\n")
		select {}
	}
	if runtime.GOOS == "windows" {
		t.Skip("the lock of a killed process may outlive it there for a while")
	}
	t.Setenv("TMPDIR", t.TempDir())
	command := exec.Command(os.Args[0], "-test.run=^TestFolderOfKilledProcess$")
	command.Env = append(os.Environ(), variable+"=1")
	said, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	lines := bufio.NewScanner(said)
	require.True(t, lines.Scan())
	theirs := lines.Text()

	ours, remove, err := Folder(prefix)
	require.NoError(t, err)
	assert.DirExists(t, theirs, "its process lives")
	require.NoError(t, os.WriteFile(filepath.Join(theirs, "file"), nil, 0o600))
	require.NoError(t, command.Process.Kill())
	_ = command.Wait() // it was killed
	third, removeThird, err := Folder(prefix)
	require.NoError(t, err)
	assert.NoDirExists(t, theirs)
	assert.DirExists(t, ours)
	for folder, remove := range map[string]func(){ours: remove, third: removeThird} {
		remove()
		assert.NoDirExists(t, folder)
	}
}

// Join finds the folder of another, or makes one, and what has been left goes then.
func TestJoin(t *testing.T) {
	const prefix = "leftover-join-"
	t.Setenv("TMPDIR", t.TempDir())
	left := filepath.Join(os.TempDir(), prefix+"left")
	require.NoError(t, os.Mkdir(left, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(left, holder), nil, 0o600))

	folder, remove, err := Folder(prefix)
	require.NoError(t, err)
	assert.NoDirExists(t, left)
	found, err := Join(filepath.Base(folder), prefix)
	require.NoError(t, err)
	assert.Equal(t, folder, found)

	made, err := Join(prefix+"made", prefix)
	require.NoError(t, err)
	_, removeOther, err := Folder(prefix)
	require.NoError(t, err)
	assert.DirExists(t, made, "this process lives")
	removeOther()
	remove()
	assert.NoDirExists(t, folder)
	again, err := Join(filepath.Base(folder), prefix)
	require.NoError(t, err)
	assert.Equal(t, folder, again)
	assert.FileExists(t, filepath.Join(folder, holder))

	_, err = Join(filepath.Join("no", "folder"), prefix)
	assert.Error(t, err)
}

// What is no regular file, or is held, is not removed.
func TestRemove(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	name := filepath.Join(t.TempDir(), "file")
	file, err := os.Create(name)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	held, ok := Hold(file)
	require.True(t, ok)
	assert.False(t, Remove(name))
	_, again := Hold(file)
	assert.False(t, again)
	require.NoError(t, held.Close())
	require.NoError(t, os.Symlink(name, name+".link"))
	assert.False(t, Remove(name+".link"))
	assert.False(t, Remove(filepath.Dir(name)))
	assert.True(t, Remove(name))
	assert.False(t, Remove(name))
	_, gone := Hold(file)
	assert.False(t, gone)
}
