package wholefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatWasThereStaysUntilAllIsWritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	holds := func(want string) {
		t.Helper()
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
	}
	require.NoError(t, WriteDurably(name, 0o600, []byte("old")))
	holds("old")
	info, err := os.Stat(name)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())

	fault := errors.New("fault")
	require.ErrorIs(t, Write(name, 0o600, func(file *File) error {
		_, err := file.WriteString("half")
		require.NoError(t, err)
		return fault
	}), fault)
	holds("old")
	assert.NoFileExists(t, name+Suffix)

	require.NoError(t, Write(name, 0o600, func(file *File) error {
		holds("old")
		_, err := file.WriteString("new")
		return err
	}))
	holds("new")
	assert.NoFileExists(t, name+Suffix)

	var path *os.PathError
	require.ErrorAs(t, WriteDurably(filepath.Join(name, "below"), 0o600, nil), &path, "no folder")
}
