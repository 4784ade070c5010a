package pagefile

// This file names formats and compressions, and recognises those of a file.

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mdpsolve/mdpsolve/models/refresh/internal/parquetcheck"
)

// Format is what a file holds its rows in.
type Format int

// The formats.
const (
	// AnyFormat: the name of the file says which, or else its first bytes; for
	// output, CSV where the name does not tell.
	AnyFormat Format = iota
	CSV
	JSONLines
	Parquet
)

// String returns the name of the format, as in "JSON lines".
func (f Format) String() string {
	return nameOf(int(f), "Format", "any format", "CSV", "JSON lines", "Parquet")
}

// Compression is how a file is compressed as a whole.
type Compression int

// The compressions.
const (
	// AnyCompression: the first bytes of the file say which; for output, its name.
	AnyCompression Compression = iota
	Uncompressed
	Gzip
	Zstandard
)

// String returns the name of the compression.
func (c Compression) String() string {
	return nameOf(int(c), "Compression", "any compression", "uncompressed", "gzip", "Zstandard")
}

// nameOf returns one of the names, or the number of a value without one.
func nameOf(value int, kind string, names ...string) string {
	if value >= 0 && value < len(names) {
		return names[value]
	}
	return fmt.Sprintf("%s(%d)", kind, value)
}

// ByName returns what the end of the name of a file says: .csv, .jsonl, .ndjson,
// .json or .parquet, with or without .gz or .zst behind it. AnyFormat and
// Uncompressed stand for other ends.
func ByName(name string) (Format, Compression) {
	compression := Uncompressed
	base := strings.ToLower(filepath.Base(name))
	switch filepath.Ext(base) {
	case ".gz", ".gzip":
		compression = Gzip
	case ".zst", ".zstd":
		compression = Zstandard
	}
	if compression != Uncompressed {
		base = strings.TrimSuffix(base, filepath.Ext(base))
	}
	switch filepath.Ext(base) {
	case ".csv":
		return CSV, compression
	case ".jsonl", ".ndjson", ".json":
		return JSONLines, compression
	case ".parquet":
		return Parquet, compression
	}
	return AnyFormat, compression
}

// compressionOf recognises a compression by the first bytes of a file.
func compressionOf(head []byte) Compression {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return Gzip
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return Zstandard
	}
	return Uncompressed
}

// formatOf recognises a format by the first bytes of a file.
func formatOf(head []byte) Format {
	switch {
	case bytes.HasPrefix(head, []byte(parquetcheck.Magic)):
		return Parquet
	case bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n"), []byte("{")):
		return JSONLines
	}
	return CSV
}

// byteOrderMark is what some programs begin UTF-8 texts with.
var byteOrderMark = []byte("\xef\xbb\xbf")
