// Package store names, lists, reads and writes the files of a job, in file systems and
// object stores alike.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob" // file://
	_ "gocloud.dev/blob/gcsblob"  // gs://
	_ "gocloud.dev/blob/memblob"  // mem://
	_ "gocloud.dev/blob/s3blob"   // s3://

	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// A File is a file of a file system or an object of a store. It is plain data, which a
// pipeline may carry to its workers.
type File struct {
	Bucket string // URL that gocloud.dev/blob opens
	Key    string // name in the bucket
}

// Parse reads the name of a file: a path, or a URL such as s3://bucket/pages.csv. What
// stands behind a question mark in a URL is for the bucket, as in ?region=eu-west-1.
func Parse(name string) (File, error) {
	if !strings.Contains(name, "://") {
		whole, err := filepath.Abs(name)
		if err != nil {
			return File{}, err
		}
		return fileAt(filepath.ToSlash(whole), url.Values{}), nil
	}
	rest, query, _ := strings.Cut(name, "?")
	scheme, rest, _ := strings.Cut(rest, "://")
	values, err := url.ParseQuery(query)
	if err != nil {
		return File{}, err
	}
	if scheme == "file" {
		return fileAt(rest, values), nil
	}
	bucket, key, _ := strings.Cut(rest, "/")
	if key == "" {
		return File{}, errors.New("no name of an object")
	}
	f := File{Bucket: scheme + "://" + bucket, Key: key}
	if query != "" {
		f.Bucket += "?" + query
	}
	return f, nil
}

// fileAt returns the file at a path.
func fileAt(whole string, values url.Values) File {
	folder, name := path.Split(whole)
	values.Set("metadata", "skip")   // no files beside files
	values.Set("no_tmp_dir", "true") // a file system of its own may not be renamed to
	return File{Bucket: "file://" + (&url.URL{Path: folder}).EscapedPath() + "?" + values.Encode(), Key: name}
}

// String returns the name of the file as a user writes it.
func (f File) String() string {
	if file, ok := f.local(); ok {
		return file
	}
	bucket, _, _ := strings.Cut(f.Bucket, "?")
	return bucket + "/" + f.Key
}

// local returns the path of a file of the file system.
func (f File) local() (name string, ok bool) {
	u, err := url.Parse(f.Bucket)
	if err != nil || u.Scheme != "file" {
		return "", false
	}
	return filepath.FromSlash(path.Join(u.Path, f.Key)), true
}

// With returns the file of the same bucket whose name has something added to it.
func (f File) With(suffix string) File {
	f.Key += suffix
	return f
}

// buckets are those that have been opened in this process.
var buckets sync.Map // of *blob.Bucket by URL

// bucket opens the bucket of a file, once.
func (f File) bucket(ctx context.Context) (*blob.Bucket, error) {
	if open, ok := buckets.Load(f.Bucket); ok {
		return open.(*blob.Bucket), nil
	}
	opened, err := blob.OpenBucket(ctx, f.Bucket)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", f, err)
	}
	first, loaded := buckets.LoadOrStore(f.Bucket, opened)
	if loaded {
		_ = opened.Close() // nobody has used it
	}
	return first.(*blob.Bucket), nil
}

// Glob returns the files whose names match a pattern of package path, in the order of
// their names.
func Glob(ctx context.Context, pattern string) ([]File, error) {
	f, err := Parse(pattern)
	if err != nil {
		return nil, err
	}
	if _, err := path.Match(f.Key, ""); err != nil {
		return nil, err
	}
	bucket, err := f.bucket(ctx)
	if err != nil {
		return nil, err
	}
	var found []File
	list := bucket.List(&blob.ListOptions{Prefix: f.Key[:strings.IndexAny(f.Key+"*", `*?[\`)]})
	for {
		object, err := list.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			slices.SortFunc(found, func(a, b File) int { return strings.Compare(a.Key, b.Key) })
			return found, nil
		case err != nil:
			return nil, fmt.Errorf("%v: %w", f, err)
		}
		if ok, _ := path.Match(f.Key, object.Key); ok && !object.IsDir {
			found = append(found, File{f.Bucket, object.Key})
		}
	}
}

// Reach opens the bucket of a file: a folder that is not there is an error, and so is a
// scheme that is not known.
func (f File) Reach(ctx context.Context) error {
	_, err := f.bucket(ctx)
	return err
}

// Open opens the file for package pagefile. The caller calls done when it has been read.
func (f File) Open(ctx context.Context) (source pagefile.Source, done func(), err error) {
	if name, ok := f.local(); ok {
		return pagefile.Source{Name: name}, func() {}, nil
	}
	bucket, err := f.bucket(ctx)
	if err != nil {
		return source, nil, err
	}
	reader, err := bucket.NewReader(ctx, f.Key, nil)
	if err != nil {
		return source, nil, fmt.Errorf("%v: %w", f, err)
	}
	return pagefile.Source{Name: f.String(), Reader: reader}, func() { _ = reader.Close() }, nil
}

// Version returns a text that changes when the file is written anew.
func (f File) Version(ctx context.Context) (string, error) {
	if name, ok := f.local(); ok {
		info, err := os.Stat(name)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d bytes of %d", info.Size(), info.ModTime().UnixNano()), nil
	}
	bucket, err := f.bucket(ctx)
	if err != nil {
		return "", err
	}
	a, err := bucket.Attributes(ctx, f.Key)
	if err != nil {
		return "", fmt.Errorf("%v: %w", f, err)
	}
	return fmt.Sprintf("%d bytes of %d, %s", a.Size, a.ModTime.UnixNano(), a.ETag), nil
}

// Fetch returns the path of the file, or of a copy of it in a folder of the file system.
func (f File) Fetch(ctx context.Context, folder string) (string, error) {
	if name, ok := f.local(); ok {
		return name, nil
	}
	data, err := f.Read(ctx)
	if err != nil {
		return "", err
	}
	name := filepath.Join(folder, path.Base(f.Key))
	return name, os.WriteFile(name, data, 0o600)
}

// Read returns the whole file.
func (f File) Read(ctx context.Context) ([]byte, error) {
	bucket, err := f.bucket(ctx)
	if err != nil {
		return nil, err
	}
	data, err := bucket.ReadAll(ctx, f.Key)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", f, err)
	}
	return data, nil
}

// Write makes the file of what write writes. It appears when it is whole: another that
// writes the same file at the same time replaces it, or is replaced.
func (f File) Write(ctx context.Context, write func(io.Writer) error) error {
	bucket, err := f.bucket(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := bucket.NewWriter(ctx, f.Key, nil)
	if err != nil {
		return fmt.Errorf("%v: %w", f, err)
	}
	if err := write(w); err != nil {
		cancel() // so that Close leaves nothing
		_ = w.Close()
		return fmt.Errorf("%v: %w", f, err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("%v: %w", f, err)
	}
	return nil
}

// Move gives the file another name in its bucket.
func (f File) Move(ctx context.Context, to File) error {
	if from, ok := f.local(); ok {
		name, _ := to.local()
		return os.Rename(from, name)
	}
	bucket, err := f.bucket(ctx)
	if err != nil {
		return err
	}
	if err := bucket.Copy(ctx, to.Key, f.Key, nil); err != nil {
		return fmt.Errorf("%v: %w", to, err)
	}
	return f.Remove(ctx)
}

// Remove removes the file.
func (f File) Remove(ctx context.Context) error {
	bucket, err := f.bucket(ctx)
	if err != nil {
		return err
	}
	if err := bucket.Delete(ctx, f.Key); err != nil {
		return fmt.Errorf("%v: %w", f, err)
	}
	return nil
}

// RemoveUnfinished removes what killed writers of the files have left in file systems:
// [File.Write] begins with a file such as pages.csv.18ea865bea4a9b25.tmp, which gets its name
// when it is whole. In object stores they leave nothing.
func RemoveUnfinished(files ...File) {
	ours := map[string]bool{}
	folders := map[string]bool{}
	for _, f := range files {
		if name, ok := f.local(); ok {
			ours[name], folders[filepath.Dir(name)] = true, true
		}
	}
	for folder := range folders {
		entries, _ := os.ReadDir(folder) // what cannot be listed is left
		for _, entry := range entries {
			name := filepath.Join(folder, entry.Name())
			begun, unfinished := strings.CutSuffix(name, ".tmp")
			if unfinished && ours[strings.TrimSuffix(begun, filepath.Ext(begun))] {
				_ = os.Remove(name) // another may have been faster
			}
		}
	}
}

// WriteAll makes the file of data.
func (f File) WriteAll(ctx context.Context, data []byte) error {
	return f.Write(ctx, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
