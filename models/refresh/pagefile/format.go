package pagefile

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
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
	switch f {
	case AnyFormat:
		return "any format"
	case CSV:
		return "CSV"
	case JSONLines:
		return "JSON lines"
	case Parquet:
		return "Parquet"
	}
	return fmt.Sprintf("Format(%d)", int(f))
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
	switch c {
	case AnyCompression:
		return "any compression"
	case Uncompressed:
		return "uncompressed"
	case Gzip:
		return "gzip"
	case Zstandard:
		return "Zstandard"
	}
	return fmt.Sprintf("Compression(%d)", int(c))
}

// ByName returns what the end of the name of a file says: .csv, .jsonl, .ndjson,
// .json or .parquet, with or without .gz or .zst behind it. AnyFormat and
// Uncompressed stand for other ends.
func ByName(name string) (Format, Compression) {
	compression := Uncompressed
	base, found := cutSuffix(strings.ToLower(filepath.Base(name)), ".gz", ".gzip")
	if found {
		compression = Gzip
	} else if base, found = cutSuffix(base, ".zst", ".zstd"); found {
		compression = Zstandard
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

func cutSuffix(name string, suffixes ...string) (base string, found bool) {
	for _, suffix := range suffixes {
		if base, found := strings.CutSuffix(name, suffix); found {
			return base, true
		}
	}
	return name, false
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

const parquetMagic = "PAR1"

// formatOf recognises a format by the first bytes of a file.
func formatOf(head []byte) Format {
	switch {
	case bytes.HasPrefix(head, []byte(parquetMagic)):
		return Parquet
	case bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n"), []byte("{")):
		return JSONLines
	}
	return CSV
}

// byteOrderMark is what some programs begin UTF-8 texts with.
var byteOrderMark = []byte("\xef\xbb\xbf")
