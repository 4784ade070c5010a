package slotfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFilesThatCannotBe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s.csv")
	_, err := Resume(name, 0)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Create(filepath.Join(name, "s.csv"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Resume(filepath.Dir(name), 0)
	require.Error(t, err)
}

// What cannot be compared with a schedule, and cut off, is not gone on with.
func TestOnlyRegularFilesAreResumed(t *testing.T) {
	file, err := Resume(os.DevNull, 0)
	require.ErrorContains(t, err, os.DevNull+" is not a regular file")
	assert.Nil(t, file)
}

// A file that has been left anywhere, by any program, is never changed but at its
// end, and only where it is as it would have been.
func FuzzResume(f *testing.F) {
	const whole = "slot,id\n1,a\n2,b\n3,\"c\n4,d\"\n"
	f.Add([]byte("slot,id\n1,a\n2,b\n3,"), int64(8), 3)
	f.Add([]byte(whole), int64(0), 1)
	f.Add([]byte("17,a\n"), int64(2), 100)
	f.Fuzz(func(t *testing.T, data []byte, size int64, piece int) {
		name := filepath.Join(t.TempDir(), "schedule.csv")
		require.NoError(t, os.WriteFile(name, data, 0o600))
		file, err := Resume(name, size)
		if err != nil {
			require.True(t, size < 0 || size > int64(len(data)))
			return
		}
		rest := []byte(whole)[min(int(size), len(whole)):]
		piece = max(1, piece)
		for len(rest) > 0 && err == nil {
			n := min(piece, len(rest))
			_, err = file.Write(rest[:n])
			rest = rest[n:]
		}
		require.NoError(t, file.Close())
		left, readErr := os.ReadFile(name)
		require.NoError(t, readErr)
		require.True(t, bytes.HasPrefix(left, data), "nothing is lost")
		if err == nil && len(left) > len(data) {
			require.True(t, bytes.HasSuffix([]byte(whole), left[size:]))
		}
		require.Equal(t, err != nil, errors.Is(err, ErrOtherContent))
	})
}
