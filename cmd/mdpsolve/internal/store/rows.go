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
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
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
		id := r.values[name]
		if !utf8.ValidString(id) {
			return "", r.faultf("%s %q is not valid: use UTF-8", name, id)
		}
		if id != "" {
			return id, nil
		}
	}
	return "", r.faultf("there is no id: give one in the column id or url")
}

// faultf says what is wrong with a row.
func (r *row) faultf(format string, args ...any) error {
	return ui.UsageErrorf("%s:%d: %s", r.file, r.line, fmt.Sprintf(format, args...))
}

// together is the number of rows that share a write to the disk. Where fewer have come
// and then none for longestSilence, as from a crawler that is at work, they are written.
const (
	together       = 10_000
	longestSilence = time.Second
)

// readRows has take called with the rows of --input, many at a time: CSV below a line of
// names, or JSON lines.
func readRows(a *ui.Arguments, columns []string, take func([]row) error) error {
	name := a.Text("input", "a file, or - for standard input")
	source, shown := pagefile.Source{Name: name}, name
	if name == "-" {
		shown = "standard input"
		source = pagefile.Source{Name: shown, Reader: a.CLI.App.Reader}
	}
	read, enough := make(chan answer, together), make(chan struct{})
	defer close(enough)
	go func() { // which may wait for its input for long
		send := func(answer answer) bool {
			select {
			case read <- answer:
				return true
			case <-enough:
				return false
			}
		}
		if err := eachRow(source, shown, columns, func(r row) bool { return send(answer{row: r}) }); err != nil {
			send(answer{err: err})
		}
	}()
	var rows []row
	last := 0
	for {
		var silent <-chan time.Time
		if len(rows) > 0 {
			silent = time.After(longestSilence)
		}
		interrupted, end := false, false
		select {
		case <-a.CLI.Done():
			interrupted = true
		case <-silent:
		case answer := <-read:
			if end = errors.Is(answer.err, io.EOF); end {
				break
			}
			if answer.err != nil {
				return answer.err
			}
			if rows = append(rows, answer.row); len(rows) < together {
				continue
			}
		}
		if err := take(rows); err != nil || end {
			return err
		}
		if len(rows) > 0 {
			last = rows[len(rows)-1].line
		}
		rows = rows[:0]
		if interrupted && last == 0 {
			return ui.EndEarly(ui.ExitInterrupted, "interrupted: the store is as it was")
		}
		if interrupted {
			return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted: all is done up to line %d of %s", last, shown))
		}
	}
}

// An answer is the next row, or why there is none.
type answer struct {
	row row
	err error
}

// eachRow calls take with the rows of a file until that returns false. It returns io.EOF
// after the last row.
func eachRow(source pagefile.Source, shown string, columns []string, take func(row) bool) error {
	in, done, err := source.Text()
	if err != nil {
		return unreadable(shown, err)
	}
	defer done()
	next, err := rowsOf(shown, bufio.NewReader(in), columns)
	for err == nil {
		var r row
		if r, err = next(); err == nil && !take(r) {
			break
		}
	}
	return err
}

// rowsOf returns what reads the next row of CSV or JSON lines.
func rowsOf(file string, in *bufio.Reader, columns []string) (func() (row, error), error) {
	const mark, magic = "\ufeff", "PAR1"
	if begin, _ := in.Peek(len(mark)); string(begin) == mark {
		_, _ = in.Discard(len(mark))
	}
	if begin, _ := in.Peek(len(magic)); string(begin) == magic {
		return nil, ui.UsageErrorf("%s is a Parquet file: give CSV or JSON lines", file)
	}
	var head []byte // up to the end of the first line that is not blank
	for len(bytes.TrimSpace(head)) == 0 {
		line, err := in.ReadBytes('\n')
		head = append(head, line...)
		switch {
		case err == nil:
		case !errors.Is(err, io.EOF):
			return nil, unreadable(file, err)
		case len(bytes.TrimSpace(head)) == 0:
			return nil, ui.UsageErrorf("%s is empty: give rows below a line of names: %s", file, strings.Join(columns, ", "))
		}
	}
	all := io.MultiReader(bytes.NewReader(head), in)
	if bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) {
		return jsonRows(file, bufio.NewReader(all), columns), nil
	}
	for _, delimiter := range ",;\t" {
		reader := csv.NewReader(bytes.NewReader(head))
		reader.Comma = delimiter
		names, _ := reader.Read()
		for i := range names {
			names[i] = strings.ToLower(strings.TrimSpace(names[i]))
		}
		if slices.Contains(names, "id") || slices.Contains(names, "url") {
			reader = csv.NewReader(all)
			reader.Comma, reader.ReuseRecord = delimiter, true
			if _, err := reader.Read(); err != nil {
				return nil, csvFault(file, err, len(names), len(names))
			}
			return csvRows(file, reader, names), nil
		}
	}
	return nil, ui.UsageErrorf("%s:%d: there is no column id or url: begin with a line of names, of %s",
		file, bytes.Count(bytes.TrimRight(head, "\n"), []byte("\n"))+1, strings.Join(columns, ", "))
}

func unreadable(file string, err error) error {
	return ui.UsageErrorf("--input: %q is not valid: use a file that can be read (%v)", file, err)
}

// csvRows returns what reads the next row of CSV, of columns with names.
func csvRows(file string, reader *csv.Reader, names []string) func() (row, error) {
	return func() (row, error) {
		cells, err := reader.Read()
		if err != nil {
			return row{}, csvFault(file, err, len(cells), len(names))
		}
		line, _ := reader.FieldPos(0)
		r := row{file, line, make(map[string]string, len(cells))}
		for i, cell := range cells {
			if strings.Contains(cell, "\n") {
				return r, r.faultf("a field goes on over the end of the line: there is a quote too many")
			}
			r.values[names[i]] = cell
		}
		return r, nil
	}
}

// csvFault says what is wrong with a row of CSV. io.EOF, which is not, stays as it is.
func csvFault(file string, err error, cells, columns int) error {
	parse, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case errors.Is(err, io.EOF):
		return err
	case !ok:
		return unreadable(file, err)
	case errors.Is(err, csv.ErrFieldCount):
		return ui.UsageErrorf("%s:%d: a row of %s: give %d, as in the first line", file, parse.Line, ui.Count(cells, "column"), columns)
	case errors.Is(err, csv.ErrBareQuote):
		return ui.UsageErrorf("%s:%d:%d: a quote inside a field: put the field in quotes, and write the quote twice", file, parse.Line, parse.Column)
	}
	return ui.UsageErrorf("%s:%d:%d: a quote that does not end its field, or is missing there: write a quote twice inside a field in quotes", file, parse.Line, parse.Column)
}

// jsonRows returns what reads the next of JSON lines.
func jsonRows(file string, in *bufio.Reader, columns []string) func() (row, error) {
	line := 0
	return func() (row, error) {
		for {
			text, err := in.ReadBytes('\n')
			line++
			r := row{file, line, map[string]string{}}
			if err != nil && !errors.Is(err, io.EOF) {
				return r, unreadable(file, err)
			}
			if len(bytes.TrimSpace(text)) == 0 {
				if err != nil {
					return r, err
				}
				continue
			}
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber()
			var values map[string]any
			switch err := decoder.Decode(&values); {
			case errors.As(err, new(*json.UnmarshalTypeError)), err == nil && values == nil:
				return r, r.faultf(`this is no JSON object: give one, such as {"id": "https://a.example/"}`)
			case err != nil:
				return r, r.faultf("this is no JSON object: %v", err)
			}
			if decoder.More() {
				return r, r.faultf("there is more than a JSON object: give each a line of its own")
			}
			for name, value := range values {
				switch value.(type) {
				case nil:
				case string, bool, json.Number:
					r.values[strings.ToLower(name)] = fmt.Sprint(value)
				default:
					if name = strings.ToLower(name); slices.Contains(columns, name) || name == "url" {
						return r, r.faultf("%s is a list or an object: use a text or a number", name)
					}
				}
			}
			return r, nil
		}
	}
}
