package pagefile

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// A FileError is something in a file that cannot be used.
type FileError struct {
	File    string
	Line    int64 // from 1; in Parquet files the row
	Column  int   // from 1, in bytes; in Parquet files the number of the column
	Found   string
	Allowed string
}

// Error returns file:line:column, what was found and what is allowed, on one
// line.
func (f *FileError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s found; allowed is %s", f.File, f.Line, f.Column, f.Found, f.Allowed)
}

// faultAt returns a fault without the name of its file, which is put in where
// it is reported.
func faultAt(line int64, column int, found, allowed string) *FileError {
	return &FileError{Line: line, Column: column, Found: found, Allowed: allowed}
}

// quoted returns a piece of a file for a message: short, and on one line.
func quoted(text []byte) string {
	const limit = 60
	if len(text) <= limit {
		return strconv.Quote(string(text))
	}
	end := limit
	for end > limit-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return strconv.Quote(string(text[:end])) + "…"
}

// KeptFaults is the number of faults that a [Report] keeps.
const KeptFaults = 20

// A Report says how much of a file could be used.
type Report struct {
	Rows     int64        // that can be used
	Unusable int64        // rows left out
	Faults   []*FileError // the first KeptFaults of these
}

// Options say how to read a file. The zero value finds out the format, works on
// one goroutine and leaves out rows that cannot be used.
type Options struct {
	// Format and Compression of the file, where they are not to be found out.
	Format      Format
	Compression Compression
	// Strict makes the first row that cannot be used an error, a *FileError.
	Strict bool
	// Workers is the number of goroutines that take blocks of the file apart; the
	// result does not depend on it. 0 is 1.
	Workers int
	// Hosts asks [ReadPages] for the host of each page.
	Hosts bool
	// OnFault, if not nil, is called for each row left out, in the order of the
	// file, but for ids seen before: these are found, and reported, at the end.
	OnFault func(*FileError)

	blockSize int // of texts, 0 for the constant: for tests of what is cut in two
}

// reporter takes the faults of one file.
type reporter struct {
	file    string
	options Options
	report  Report
}

// reject counts a row that cannot be used; when reading strictly it returns the
// fault as an error.
func (r *reporter) reject(fault *FileError) error {
	fault.File = r.file
	if r.options.Strict {
		return fault
	}
	r.report.Unusable++
	if len(r.report.Faults) < KeptFaults {
		r.report.Faults = append(r.report.Faults, fault)
	}
	if r.options.OnFault != nil {
		r.options.OnFault(fault)
	}
	return nil
}

// named puts the name of the file into an error.
func (r *reporter) named(err error) error {
	var fault *FileError
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &fault):
		fault.File = r.file
		return fault
	}
	return fmt.Errorf("%s: %w", r.file, err)
}
