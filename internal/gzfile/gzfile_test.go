package gzfile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/gzfile"
)

func text(r io.Reader) (string, error) {
	content, err := io.ReadAll(r)
	return string(content), err
}

func ExampleRead() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, "model.drn.gz")
	if err := gzfile.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "@type: MDP\n")
		return err
	}); err != nil {
		fmt.Println(err)
		return
	}
	content, err := gzfile.Read(path, text)
	fmt.Printf("%q %v\n", content, err)
	// Output: "@type: MDP\n" <nil>
}

func TestFaults(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.txt", "a.txt.gz"} {
		path := filepath.Join(folder, name)
		broken := errors.New("broken")
		require.ErrorIs(t, gzfile.Write(path, func(io.Writer) error { return broken }), broken)
		assert.NoFileExists(t, path)
		_, err := gzfile.Read(path, text)
		require.ErrorIs(t, err, os.ErrNotExist)
		require.NoError(t, gzfile.Write(path, func(w io.Writer) error {
			_, err := io.WriteString(w, "\ufeff"+strings.Repeat("text ", 100_000))
			return err
		}))
		_, err = gzfile.Read(path, func(io.Reader) (string, error) { return "", broken }) // ends without reading on
		require.ErrorIs(t, err, broken)
		content, err := gzfile.Read(path, text)
		require.NoError(t, err)
		assert.Len(t, content, 500_000)
	}
	packed, err := os.ReadFile(filepath.Join(folder, "a.txt.gz"))
	require.NoError(t, err)
	for _, content := range [][]byte{packed[:len(packed)/2], []byte("no gzip"), nil} {
		path := filepath.Join(folder, "b.gz")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		_, err := gzfile.Read(path, text)
		require.ErrorContains(t, err, "damaged gzip data")
	}
}
