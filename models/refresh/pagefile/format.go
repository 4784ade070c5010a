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
type Format string

// The formats.
const (
	// AnyFormat: the name of the file says which, or else its first bytes; for
	// output, CSV if the name does not tell.
	AnyFormat Format = ""
	CSV       Format = "CSV"
	JSONLines Format = "JSON lines"
	Parquet   Format = "Parquet"
)

// compression is how a file is compressed as a whole. Of one that is read, its first bytes
// say so.
type compression string

// The compressions.
const (
	uncompressed compression = ""
	gzipped      compression = "gzip"
	zstandard    compression = "Zstandard"
)

// ByName returns what the end of the name of a file says: .csv, .jsonl, .ndjson,
// .json or .parquet, with or without .gz or .zst after it. AnyFormat stands for other ends.
func ByName(name string) Format {
	format, _, _ := byName(name)
	return format
}

// CheckName returns an error, which says what names are valid, if the end of the name of a
// file to be written is that of another format: rates.txt. A name without such an end, such
// as rates or rates.gz, stands for CSV.
func CheckName(name string) error {
	if format, _, end := byName(name); format == AnyFormat && end != "" {
		return fmt.Errorf("%s is not valid: use a name that ends in .csv, .jsonl or .parquet, with or without .gz or .zst after it", wording.Quote(name))
	}
	return nil
}

// byName also returns the end of the name that is to say the format.
func byName(name string) (format Format, compressed compression, end string) {
	base := strings.ToLower(filepath.Base(name))
	switch filepath.Ext(base) {
	case ".gz", ".gzip":
		compressed = gzipped
	case ".zst", ".zstd":
		compressed = zstandard
	}
	if compressed != uncompressed {
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
	return format, compressed, end
}

// compressionOf recognises a compression by the first bytes of a file.
func compressionOf(head []byte) compression {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzipped
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return zstandard
	}
	return uncompressed
}

// formatOf recognises a format by the first bytes of a file.
func formatOf(head []byte) Format {
	if bytes.HasPrefix(head, []byte(parquetMagic)) {
		return Parquet
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n")
	if len(head) > 0 && (head[0] == '{' || head[0] == '[') { // a JSON list counts too, so that the error names it
		return JSONLines
	}
	return CSV
}

// byteOrderMark is what some programs begin UTF-8 texts with.
var byteOrderMark = []byte("\xef\xbb\xbf")
