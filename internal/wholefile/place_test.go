//go:build unix

package wholefile

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func content(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// Writing to a link replaces its target, or creates it, and the link stays. Relative links
// lead from their own folder, as for the kernel.
func TestLinksStay(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.MkdirAll(in("a/b"), 0o700))
	require.NoError(t, os.Symlink("a/b", in("linked")))
	require.NoError(t, os.Symlink("../file", in("a/b/up"))) // a/file, whatever leads to a/b
	require.NoError(t, os.Symlink("linked/up", in("twice")))
	require.NoError(t, os.Symlink(in("a/file"), in("absolute")))
	for _, link := range []string{"twice", "absolute", "linked/up"} {
		for _, text := range []string{"new", "replaced"} {
			require.NoError(t, Check(in(link)))
			require.NoError(t, WriteDurably(in(link), 0o600, []byte(text)))
			assert.Equal(t, text, content(t, in("a/file")))
			info, err := os.Lstat(in(link))
			require.NoError(t, err)
			assert.Equal(t, fs.ModeSymlink, info.Mode().Type(), link)
		}
		require.NoError(t, os.Remove(in("a/file")))
	}
	require.NoError(t, os.Symlink("round", in("round")))
	require.ErrorIs(t, WriteDurably(in("round"), 0o600, nil), syscall.ELOOP)
	require.ErrorIs(t, Check(in("round")), syscall.ELOOP)
	left, err := filepath.Glob(in("*/*.partial"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// Two programs can write a file at once, and do not write to what others have left,
// wherever it leads.
func TestTwoAtOnce(t *testing.T) {
	folder := t.TempDir()
	name, others := filepath.Join(folder, "file"), filepath.Join(folder, "others")
	require.NoError(t, os.WriteFile(others, []byte("others"), 0o600))
	require.NoError(t, os.Symlink("others", name+Suffix))
	require.NoError(t, os.Mkdir(name+".2"+Suffix, 0o700))
	first, err := Create(name, 0o600)
	require.NoError(t, err)
	second, err := Create(name, 0o600)
	require.NoError(t, err)
	aborted, err := Create(name, 0o600)
	require.NoError(t, err)
	for _, part := range []string{"whole ", "file"} {
		for _, file := range []*File{first, second, aborted} {
			_, err := file.WriteString(part)
			require.NoError(t, err)
		}
	}
	_, err = second.WriteString(", the second")
	require.NoError(t, err)
	require.NoError(t, first.Commit())
	assert.Equal(t, "whole file", content(t, name))
	require.NoError(t, second.Commit())
	aborted.Abort()
	assert.Equal(t, "whole file, the second", content(t, name))
	assert.Equal(t, "others", content(t, others))
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 4, "nothing of theirs: %v", left)
}

// One file has many names, even before it exists.
func TestSame(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return folder + "/" + name }
	require.NoError(t, os.MkdirAll(in("a/b"), 0o700))
	require.NoError(t, os.Symlink("a", in("linked")))
	require.NoError(t, os.Symlink("a/file", in("file")))
	require.NoError(t, os.Symlink("round", in("round")))
	t.Chdir(in("a"))
	for range 2 {
		for _, name := range []string{"file", "./file", in("a/b/../file"), in("linked/file"), in("linked/b/../file"), in("file")} {
			assert.True(t, Same(name, "file"), name)
			assert.True(t, Same("file", name), name)
		}
		for _, name := range []string{"other", "b/file", "none/file", in("round"), ".", "file/file", ""} {
			assert.False(t, Same(name, "file"), name)
			assert.False(t, Same("file", name), name)
		}
		require.NoError(t, os.WriteFile("file", nil, 0o600))
		require.NoError(t, os.WriteFile("other", nil, 0o600))
	}
	require.NoError(t, os.Link("file", "hard"))
	assert.True(t, Same("hard", "file"))
}

func TestPermissionsStay(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	for _, mode := range []fs.FileMode{0o600, 0o666, 0o751} { // users' masks leave no 0o666
		require.NoError(t, os.WriteFile(name, nil, 0o600))
		require.NoError(t, os.Chmod(name, mode))
		require.NoError(t, Write(name, 0o644, func(file *File) error {
			info, err := file.Stat()
			require.NoError(t, err)
			assert.Equal(t, mode, info.Mode().Perm(), "before there is anything to see")
			return nil
		}))
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode())
	}
}

func TestPipesAndDevicesAreWrittenTo(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, end := range []func(*File) error{(*File).Commit, func(f *File) error { f.Abort(); return nil }} {
		require.NoError(t, Check(pipe)) // without waiting for a reader
		text := make(chan string)
		go func() {
			file, err := os.Open(pipe)
			if err != nil {
				text <- err.Error()
				return
			}
			all, _ := io.ReadAll(file) // what there is counts
			_ = file.Close()           // before there is another reader
			text <- string(all)
		}()
		file, err := Create(pipe, 0o600)
		require.NoError(t, err)
		_, err = file.WriteString("through")
		require.NoError(t, err)
		require.NoError(t, file.Sync())
		require.NoError(t, end(file))
		assert.Equal(t, "through", <-text)
		info, err := os.Lstat(pipe)
		require.NoError(t, err)
		assert.Equal(t, fs.ModeNamedPipe, info.Mode().Type())
	}
	require.NoError(t, Check(os.DevNull))
	require.NoError(t, WriteDurably(os.DevNull, 0o600, []byte("gone")))
	info, err := os.Stat(os.DevNull)
	require.NoError(t, err)
	assert.Equal(t, fs.ModeCharDevice, info.Mode()&fs.ModeCharDevice)
	if _, err := os.Stat("/dev/full"); err == nil {
		require.ErrorIs(t, WriteDurably("/dev/full", 0o600, []byte("much")), syscall.ENOSPC)
	}
}

// Standard output may be a file: earlier and later writes to it stay.
func TestStandardOutputByName(t *testing.T) {
	name := filepath.Join(t.TempDir(), "redirected")
	file, err := os.Create(name)
	require.NoError(t, err)
	before := os.Stdout
	os.Stdout = file
	defer func() { os.Stdout = before }()
	_, err = file.WriteString("before, ")
	require.NoError(t, err)
	require.NoError(t, WriteDurably(name, 0o600, []byte("rows, ")))
	aborted, err := Create(name, 0o600)
	require.NoError(t, err)
	aborted.Abort()
	_, err = file.WriteString("after")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	assert.Equal(t, "before, rows, after", content(t, name))
}

func TestCheck(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "file")
	require.NoError(t, Check(name))
	assert.NoFileExists(t, name)
	assert.NoFileExists(t, name+Suffix)
	require.NoError(t, os.WriteFile(name, []byte("old"), 0o600))
	require.NoError(t, os.WriteFile(name+".partial", []byte("of somebody"), 0o600))
	require.NoError(t, Check(name))
	assert.Equal(t, "old", content(t, name))
	assert.Equal(t, "of somebody", content(t, name+".partial"))
	left, err := filepath.Glob(filepath.Join(folder, "*.*.*"))
	require.NoError(t, err)
	assert.Empty(t, left)
	require.EqualError(t, Check(folder), "a folder")
	require.ErrorIs(t, Check(filepath.Join(folder, "none", "file")), fs.ErrNotExist)
	require.ErrorIs(t, Check(filepath.Join(name, "file")), syscall.ENOTDIR)
	_, err = Create(folder, 0o600)
	require.ErrorIs(t, err, syscall.EISDIR)
}

// TestMain lets the program of the tests be one that writes and never ends.
func TestMain(m *testing.M) {
	if name := os.Getenv("MDPSOLVE_TEST_WRITES"); name != "" {
		file, err := Create(name, 0o600)
		if err == nil {
			_, err = file.WriteString("half")
		}
		fmt.Println(err) // now it is there
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

// writer starts a program that has written half of a file when writer returns.
func writer(t *testing.T, name string) (kill func()) {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), executable)
	command.Env = append(os.Environ(), "MDPSOLVE_TEST_WRITES="+name)
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "<nil>\n", line)
	return func() {
		require.NoError(t, command.Process.Kill())
		require.ErrorContains(t, command.Wait(), "killed")
	}
}

// What killed programs have left of a file is removed by the next that writes it; what others
// are writing at that time is not, nor are files of other names.
func TestLeftByKilledPrograms(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "file")
	others := []string{"file.2" + Suffix + ".gz", "file.x" + Suffix, "file2" + Suffix, "file." + Suffix, ".file" + Suffix}
	for _, other := range others {
		require.NoError(t, os.WriteFile(filepath.Join(folder, other), nil, 0o600))
	}
	files := func() []string {
		all, err := os.ReadDir(folder)
		require.NoError(t, err)
		names := []string{}
		for _, entry := range all {
			if !slices.Contains(others, entry.Name()) {
				names = append(names, entry.Name())
			}
		}
		return names
	}
	first, second, third := writer(t, name), writer(t, name), writer(t, name)
	assert.Equal(t, []string{"file.2" + Suffix, "file.3" + Suffix, "file" + Suffix}, files())
	second()
	first()
	require.NoError(t, WriteDurably(name, 0o600, []byte("whole")))
	assert.Equal(t, []string{"file", "file.3" + Suffix}, files(), "that of the program that goes on")
	third()
	require.NoError(t, Write(name, 0o600, func(*File) error {
		assert.Equal(t, []string{"file", "file" + Suffix}, files())
		return nil
	}))
	assert.Equal(t, []string{"file"}, files())
	assert.Empty(t, content(t, name))
	all, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, all, 1+len(others))
}

// Many programs that write a file at once get in nobody's way.
func TestManyAtOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			text := strings.Repeat(string(rune('a'+i)), 1000)
			for range 40 {
				assert.NoError(t, Write(name, 0o600, func(file *File) error {
					_, err := file.WriteString(text)
					return err
				}))
				got, err := os.ReadFile(name)
				assert.NoError(t, err)
				assert.Equal(t, strings.Repeat(string(got[:1]), 1000), string(got))
			}
		})
	}
	all.Wait()
	left, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	assert.Len(t, left, 1, "%v", left)
}

// A program that ends leaves nothing of files that are not complete, and completes none.
func TestDiscard(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(name, []byte("old"), 0o600))
	file, err := Create(name, 0o600)
	require.NoError(t, err)
	defer func() { open.files = map[*File]bool{} }()
	Discard()
	_, err = file.WriteString("new")
	require.NoError(t, err)
	require.Error(t, file.Commit())
	require.Error(t, WriteDurably(name, 0o600, []byte("new")))
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 1)
	assert.Equal(t, "old", content(t, name))
}
