// Package store names, lists, reads and writes the files of a job by the file systems of
// Beam: those of this machine, of S3 and of Google Cloud Storage.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"   // gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // paths
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"    // s3://

	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// A File is the name of a file: an absolute path, or a URL such as s3://bucket/pages.csv.
type File string

// Parse reads the name of a file. It returns an error if the folder of the file does not
// exist, or if the scheme is unknown.
func Parse(name string) (File, error) {
	if f := File(name); !f.local() {
		_, err := f.system()
		return f, err
	}
	whole, err := filepath.Abs(strings.TrimPrefix(name, "file://"))
	if err != nil {
		return "", err
	}
	if folder, err := os.Stat(filepath.Dir(whole)); err != nil || !folder.IsDir() {
		return "", fmt.Errorf("%s: no folder %s: make it, or use another", name, filepath.Dir(whole))
	}
	return File(whole), nil
}

// local says whether the file is one of this machine, or of a file system that all share.
func (f File) local() bool {
	scheme, _, found := strings.Cut(string(f), "://")
	return !found || scheme == "file"
}

// systems are the file systems that this process has used, by scheme. They have connections
// and credentials, which files share.
var systems = struct {
	sync.Mutex
	of map[string]filesystem.Interface
}{of: map[string]filesystem.Interface{}}

// system returns the file system of the file.
func (f File) system() (system filesystem.Interface, err error) {
	scheme, _, _ := strings.Cut(string(f), "://")
	if f.local() {
		scheme = ""
	}
	systems.Lock()
	defer systems.Unlock()
	if system, found := systems.of[scheme]; found {
		return system, nil
	}
	defer func() {
		if fault := recover(); fault != nil { // so Beam says what is wrong with credentials
			err = fmt.Errorf("%s: %v", f, fault)
		}
	}()
	if system, err = filesystem.New(context.Background(), string(f)); err != nil {
		return nil, fmt.Errorf("%s: %w", f, err)
	}
	systems.of[scheme] = system
	return system, nil
}

// Glob returns the files whose names match a pattern of package path, in the order of
// their names.
func Glob(ctx context.Context, pattern string) ([]File, error) {
	f := File(pattern)
	if f.local() {
		whole, err := filepath.Abs(strings.TrimPrefix(pattern, "file://"))
		if err != nil {
			return nil, err
		}
		f = File(whole)
	}
	names, err := with(f, func(s filesystem.Interface) ([]string, error) { return s.List(ctx, string(f)) })
	if err != nil {
		return nil, err
	}
	var files []File
	for _, name := range names {
		if info, err := os.Stat(name); f.local() && err == nil && info.IsDir() {
			continue
		}
		files = append(files, File(name))
	}
	slices.Sort(files)
	return files, nil
}

// with does something by the file system of a file. Its error names the file.
func with[T any](f File, do func(filesystem.Interface) (T, error)) (result T, err error) {
	system, err := f.system()
	if err != nil {
		return result, err
	}
	if result, err = do(system); err != nil && !strings.Contains(err.Error(), string(f)) {
		err = fmt.Errorf("%s: %w", f, err)
	}
	return result, err
}

// quote makes patterns match what they say, letter by letter.
var quote = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// Gone says whether the file is not there, as far as one can see.
func (f File) Gone(ctx context.Context) bool {
	found, err := Glob(ctx, quote.Replace(string(f)))
	return err == nil && len(found) == 0
}

// RemoveAll removes the files whose names begin like that of the file.
func (f File) RemoveAll(ctx context.Context) {
	files, _ := Glob(ctx, quote.Replace(string(f))+"*") // what cannot be listed is left
	for _, file := range files {
		_ = file.Remove(ctx) // another may have been faster
	}
}

// Open opens the file for package pagefile. The caller calls done when it has been read.
func (f File) Open(ctx context.Context) (source pagefile.Source, done func(), err error) {
	if f.local() {
		return pagefile.Source{Name: string(f)}, func() {}, nil
	}
	reader, err := with(f, func(s filesystem.Interface) (io.ReadCloser, error) { return s.OpenRead(ctx, string(f)) })
	if err != nil {
		return source, nil, err
	}
	return pagefile.Source{Name: string(f), Reader: reader}, func() { _ = reader.Close() }, nil
}

// Read returns the whole file.
func (f File) Read(ctx context.Context) ([]byte, error) {
	return with(f, func(s filesystem.Interface) ([]byte, error) { return filesystem.Read(ctx, s, string(f)) })
}

// WriteBy makes the file of what write writes. Others may see a part of it before that is
// done, or after it has failed.
func (f File) WriteBy(ctx context.Context, write func(io.Writer) error) error {
	_, err := with(f, func(s filesystem.Interface) (none struct{}, err error) {
		w, err := s.OpenWrite(ctx, string(f))
		if err != nil {
			return none, err
		}
		return none, errors.Join(write(w), w.Close())
	})
	return err
}

// Move gives the file another name.
func (f File) Move(ctx context.Context, to File) error {
	_, err := with(to, func(s filesystem.Interface) (none struct{}, err error) {
		return none, filesystem.Rename(ctx, s, string(f), string(to))
	})
	return err
}

// Remove removes the file.
func (f File) Remove(ctx context.Context) error {
	_, err := with(f, func(s filesystem.Interface) (none struct{}, err error) {
		if remover, can := s.(filesystem.Remover); can {
			err = remover.Remove(ctx, string(f))
		}
		return none, err
	})
	return err
}
