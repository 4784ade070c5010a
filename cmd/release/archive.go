package main

// Archives that depend on their files alone: sorted, with one time and one owner.

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// A file of an archive.
type file struct {
	name       string
	content    []byte
	executable bool
}

func (f file) mode() fs.FileMode {
	if f.executable {
		return 0o755
	}
	return 0o644
}

// pack returns an archive of files in a folder, .zip for Windows and .tar.gz elsewhere.
func pack(folder, system string, files []file, at time.Time) (archive []byte, ending string, err error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	var packed bytes.Buffer
	if system == "windows" {
		err = packZip(&packed, folder, files, at)
		return packed.Bytes(), ".zip", err
	}
	err = packTar(&packed, folder, files, at)
	return packed.Bytes(), ".tar.gz", err
}

func packTar(packed *bytes.Buffer, folder string, files []file, at time.Time) error {
	zipped, err := gzip.NewWriterLevel(packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(zipped)
	for _, f := range files {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: folder + "/" + f.name, Size: int64(len(f.content)),
			Mode: int64(f.mode()), ModTime: at, Format: tar.FormatUSTAR,
		}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		if _, err := w.Write(f.content); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return zipped.Close()
}

func packZip(packed *bytes.Buffer, folder string, files []file, at time.Time) error {
	w := zip.NewWriter(packed)
	for _, f := range files {
		header := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(f.mode())
		entry, err := w.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.content); err != nil {
			return err
		}
	}
	return w.Close()
}
