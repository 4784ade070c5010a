package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"io"
	"iter"
	"os"

	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// plainOut returns the file of a flag for what is written row by row, or "" for
// none.
func (a *arguments) plainOut(flag, what string) string {
	name := a.outName(flag)
	if kind, compression := pagefile.ByName(name); kind == pagefile.Parquet || compression != pagefile.Uncompressed {
		a.fault(flag, "%q found; a plain file, which ends in .csv or .jsonl, is allowed for %s", name, what)
	}
	return name
}

// A recordTable is records that all have the same names.
type recordTable struct {
	names   []string
	records iter.Seq[record]
}

// write writes records row by row.
func (t recordTable) write(out io.Writer, format pagefile.Format) error {
	buffered := bufio.NewWriter(out)
	if format == pagefile.JSONLines {
		var line bytes.Buffer
		for r := range t.records {
			line.Reset()
			writeJSON(&line, r, "")
			line.WriteByte('\n')
			if _, err := buffered.Write(line.Bytes()); err != nil {
				return err
			}
		}
		return buffered.Flush()
	}
	rows := csv.NewWriter(buffered)
	err := rows.Write(t.names)
	for r := range t.records {
		if err == nil {
			err = rows.Write(r.cells(exactText))
		}
	}
	rows.Flush()
	return cmp.Or(err, rows.Error(), buffered.Flush()) // often the same one three times
}

// save writes records to a file, which appears when it is complete.
func (t recordTable) save(name string) error {
	kind, _ := pagefile.ByName(name)
	return wholefile.Write(name, 0o666, func(file *os.File) error { return t.write(file, kind) }) // users' own masks apply
}
