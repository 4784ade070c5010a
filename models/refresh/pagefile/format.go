package pagefile

// This file names formats and compressions, and recognises those of a file.

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
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

// Compression is how a file is compressed as a whole. Of one that is read, its first bytes
// say so.
type Compression int

// The compressions.
const (
	Uncompressed Compression = iota
	Gzip
	Zstandard
)

// String returns the name of the compression.
func (c Compression) String() string {
	return nameOf(int(c), "Compression", "uncompressed", "gzip", "Zstandard")
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
	format, compression, _ := byName(name)
	return format, compression
}

// CheckName returns an error, which says what names are valid, if the end of the name of a
// file to be written is that of another format: rates.txt. That of rates, or rates.gz, says
// nothing, and stands for CSV.
func CheckName(name string) error {
	if format, _, end := byName(name); format == AnyFormat && end != "" {
		return fmt.Errorf("%s is not valid: use a name that ends in .csv, .jsonl or .parquet, with .gz or .zst behind it or without", wording.Quote(name))
	}
	return nil
}

// byName also returns the end of the name that is to say the format.
func byName(name string) (format Format, compression Compression, end string) {
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
	end = filepath.Ext(base)
	switch end {
	case ".csv":
		format = CSV
	case ".jsonl", ".ndjson", ".json":
		format = JSONLines
	case ".parquet":
		format = Parquet
	}
	return format, compression, end
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
	if bytes.HasPrefix(head, []byte(parquetMagic)) {
		return Parquet
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n")
	if len(head) > 0 && (head[0] == '{' || head[0] == '[') { // a list is refused as what it is
		return JSONLines
	}
	return CSV
}

// byteOrderMark is what some programs begin UTF-8 texts with.
var byteOrderMark = []byte("\xef\xbb\xbf")
