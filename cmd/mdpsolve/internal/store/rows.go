package store

// Rows of the files that the verbs read.

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

func inputFlag(what string) cli.Flag {
	return ui.ValueFlag("input", "read "+what+" from `FILE`, or from standard input: -", "", "i")
}

// A row is a line of a file: texts by the names of columns, "" for none.
type row struct {
	file   string
	line   int
	values map[string]string
}

// id returns the ID of the page that the row is about.
func (r *row) id() (string, error) {
	for _, name := range []string{"id", "url"} {
		if id := r.values[name]; id != "" {
			return id, nil
		}
	}
	return "", r.faultf("there is no id: give one in the column id or url")
}

// faultf says what is wrong with a row.
func (r *row) faultf(format string, args ...any) error {
	return ui.UsageErrorf("%s:%d: %s", r.file, r.line, fmt.Sprintf(format, args...))
}

// together is the number of rows that share a write to the disk.
const together = 10_000

// readRows has take called with the rows of --input, many at a time: CSV below a line of
// names, or JSON lines.
func readRows(a *ui.Arguments, columns []string, take func([]row) error) error {
	name := a.Text("input", "a file, or - for standard input")
	in, shown := a.CLI.App.Reader, "standard input"
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			a.Fault("input", "%q is not valid: use a file that can be read (%v)", name, err)
		}
		defer func() { _ = file.Close() }()
		in, shown = file, name
	}
	buffered := bufio.NewReader(in)
	next := jsonRows(shown, buffered)
	if first, _ := buffered.Peek(1); !bytes.Equal(first, []byte("{")) {
		var err error
		if next, err = csvRows(shown, buffered, columns); err != nil {
			return err
		}
	}
	var rows []row
	for {
		r, err := next()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err == nil {
			rows = append(rows, r)
		}
		if err != nil || len(rows) == together {
			if fault := take(rows); fault != nil || err != nil {
				return fault
			}
			rows = rows[:0]
			if a.CLI.Err() != nil {
				return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted: all is done up to line %d of %s", r.line, shown))
			}
		}
	}
}

// csvRows returns what reads the next row of CSV.
func csvRows(file string, in io.Reader, columns []string) (func() (row, error), error) {
	reader := csv.NewReader(in)
	reader.ReuseRecord = true
	fault := func(err error) error {
		if parse, ok := errors.AsType[*csv.ParseError](err); ok {
			return ui.UsageErrorf("%s:%d:%d: %v", file, parse.Line, parse.Column, parse.Err)
		}
		return err
	}
	header, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, ui.UsageErrorf("%s is empty: give rows below a line of names: %s", file, strings.Join(columns, ", "))
	}
	if err != nil {
		return nil, fault(err)
	}
	names := slices.Clone(header)
	for i := range names {
		names[i] = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(names[i], "\ufeff")))
	}
	if !slices.Contains(names, "id") && !slices.Contains(names, "url") {
		return nil, ui.UsageErrorf("%s:1: there is no column id or url: begin with a line of names, of %s", file, strings.Join(columns, ", "))
	}
	return func() (row, error) {
		cells, err := reader.Read()
		line, _ := reader.FieldPos(0)
		r := row{file, line, make(map[string]string, len(cells))}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return r, err
			}
			return r, fault(err)
		}
		for i, cell := range cells {
			if strings.Contains(cell, "\n") {
				return r, r.faultf("a field goes on over the end of the line: there is a quote too many")
			}
			r.values[names[i]] = cell
		}
		return r, nil
	}, nil
}

// jsonRows returns what reads the next of JSON lines.
func jsonRows(file string, in *bufio.Reader) func() (row, error) {
	line := 0
	return func() (row, error) {
		for {
			text, err := in.ReadBytes('\n')
			line++
			r := row{file, line, map[string]string{}}
			if len(bytes.TrimSpace(text)) == 0 {
				if err != nil {
					return r, err
				}
				continue
			}
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber()
			var values map[string]any
			if err := decoder.Decode(&values); err != nil {
				return r, r.faultf("this is no JSON object: %v", err)
			}
			for name, value := range values {
				if value != nil {
					r.values[strings.ToLower(name)] = fmt.Sprint(value)
				}
			}
			return r, nil
		}
	}
}
