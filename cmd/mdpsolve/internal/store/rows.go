package store

// Rows of the files that the verbs read, one by one as they come.

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/csvscan"
	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

func inputFlag(what string) cli.Flag {
	return ui.ValueFlag("input", "read "+what+" from `FILE`, or from standard input: -", "", "i")
}

// inputText is for the help of verbs with inputFlag.
const inputText = `The file is CSV, set apart by commas, semicolons or tabs below a line of names, or JSON
lines; in UTF-8, or UTF-16 with a byte order mark; plain, or packed by gzip or
Zstandard. Names of columns may be in any case, and other columns are passed over. A row
that cannot be used ends the verb, with its place; what it has done before stays, and
may be done again. Rows that come through a pipe are on disk a second later.`

// A row is a line of a file.
type row struct {
	file    string
	line    int
	columns []string // that the verb reads
	cells   []cell   // of these columns
}

// A cell is what stands in a column of a row.
type cell struct {
	text   string // "" for nothing
	column int    // place in the line, in bytes from 1; 0 for no such cell
}

// cell returns that of a column.
func (r *row) cell(name string) cell { return r.cells[slices.Index(r.columns, name)] }

// text returns what stands in a column, "" for nothing.
func (r *row) text(name string) string { return r.cell(name).text }

// id returns the ID of the page that the row is about.
func (r *row) id() (string, error) {
	for _, name := range []string{"id", "url"} {
		id := r.text(name)
		if !utf8.ValidString(id) {
			return "", r.faultf(name, "%s %q is not valid: use UTF-8 (the file may be in Latin-1 or Windows-1252)", name, id)
		}
		if id != "" {
			return id, nil
		}
	}
	return "", r.faultf("id", "there is no id: give one in the column id or url")
}

// faultf says what is wrong with a column of a row.
func (r *row) faultf(name, format string, args ...any) error {
	return ui.UsageErrorf("%s:%d:%d: %s", r.file, r.line, max(r.cell(name).column, 1), fmt.Sprintf(format, args...))
}

// together is the number of rows that share a write to the disk. Where fewer have come
// within longestWait, as from a crawler that is at work, they are written.
const (
	together    = 10_000
	longestWait = time.Second
)

// readRows has write called with what parse makes of the rows of --input, many at a time.
// Rows before a fault are written where they came through a pipe, which nobody can read
// again; of a file no more than what has been written before.
func readRows[T any](a *ui.Arguments, columns []string, parse func(*row) (T, error), write func([]T) error) error {
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
	var rows []T
	line, last := 0, 0 // of the last row, and up to which all is done
	wait := time.NewTimer(longestWait)
	for {
		var fault error
		interrupted, end := false, false
		select {
		case <-a.CLI.Done():
			interrupted = true
		case <-wait.C:
		case answer := <-read:
			if end = errors.Is(answer.err, io.EOF); end {
				break
			}
			var parsed T
			if fault = answer.err; fault == nil {
				parsed, fault = parse(&answer.row)
			}
			if fault != nil {
				break
			}
			if rows = append(rows, parsed); len(rows) == 1 {
				wait.Reset(longestWait)
			}
			if line = answer.row.line; len(rows) < together {
				continue
			}
		}
		if fault == nil || name == "-" {
			err := write(rows)
			if err == nil {
				last = line
			}
			fault = cmp.Or(err, fault)
		}
		switch {
		case fault != nil && last > 0:
			return fmt.Errorf("%w (all is done up to line %d)", fault, last)
		case fault != nil || end:
			return fault
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
	reader := &rowReader{file: shown, in: bufio.NewReader(in), columns: slices.Insert(slices.Clone(columns), 1, "url")}
	err = reader.begin()
	for err == nil {
		r := row{file: shown, columns: reader.columns, cells: make([]cell, len(reader.columns))}
		if err = reader.next(&r); err == nil && !take(r) {
			break
		}
	}
	if fault, ok := errors.AsType[*filepos.Error](err); ok {
		fault.File = shown
		return ui.UsageErrorf("%v", fault)
	}
	return err
}

func unreadable(file string, err error) error {
	return ui.UsageErrorf("--input: %q is not valid: use a file that can be read (%v)", file, err)
}

// A rowReader reads the rows of a file.
type rowReader struct {
	file    string
	in      *bufio.Reader
	columns []string
	line    int // the last that has been read

	dialect csvscan.Dialect
	fields  []int // of CSV: the index in columns of each field, −1 for none; nil for JSON lines
}

// begin looks at what the file begins with. Nothing at all is a list of no rows in JSON
// lines, but no CSV, which has a line of names.
func (r *rowReader) begin() error {
	const mark, magic = "\ufeff", "PAR1"
	if begin, _ := r.in.Peek(len(mark)); string(begin) == mark {
		_, _ = r.in.Discard(len(mark))
	}
	if begin, _ := r.in.Peek(len(magic)); string(begin) == magic {
		return ui.UsageErrorf("%s is a Parquet file: give CSV or JSON lines", r.file)
	}
	expected := "a line of names of columns, set apart by commas, semicolons or tabs, of " + strings.Join(r.columns, ", ")
	head, err := r.nextRow()
	if format, _ := pagefile.ByName(r.file); errors.Is(err, io.EOF) && format == pagefile.CSV {
		return faultAt(1, 1, "an empty file", expected)
	}
	if err != nil {
		return err
	}
	if bytes.HasPrefix(bytes.TrimLeft(head, " \t"), []byte("{")) {
		r.line--
		r.in = bufio.NewReader(io.MultiReader(bytes.NewReader(head), r.in))
		return nil
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return faultAt(r.line, 1, "bytes that are no text in UTF-8", "UTF-8, or UTF-16 with a byte order mark")
	}
	if head[0] == '[' {
		return faultAt(r.line, 1, "a list of JSON", "JSON lines, an object on each, or CSV")
	}
	if bytes.IndexByte(bytes.TrimSpace(head), '\r') >= 0 {
		return faultAt(r.line, 1, `lines that end in "\r" alone`, `"\n" or "\r\n" behind each`)
	}
	fault := errNoID
	r.dialect = csvscan.Recognise(head, pagefile.FieldLines, func(names []string) bool {
		r.fields, fault = r.choose(names)
		return fault == nil || errors.Is(fault, errTwice)
	})
	if fault != nil {
		return faultAt(r.line, 1, fault.Error(), expected)
	}
	return nil
}

var (
	errNoID  = errors.New("no column id or url")
	errTwice = errors.New("twice")
)

// choose finds the columns among the names that a file has for its own.
func (r *rowReader) choose(names []string) (fields []int, err error) {
	fields = slices.Repeat([]int{-1}, len(names))
	for i, column := range r.columns {
		at, best, twice := -1, 0, false
		for field, name := range names {
			switch rank := rankOf(column, name); {
			case rank == 0:
			case best == 0 || rank < best:
				at, best, twice = field, rank, false
			case rank == best:
				twice = true
			}
		}
		if twice {
			return nil, fmt.Errorf("column %q %w", names[at], errTwice)
		}
		if at >= 0 {
			fields[at] = i
		}
	}
	if !slices.Contains(fields, 0) && !slices.Contains(fields, 1) {
		return nil, errNoID
	}
	return fields, nil
}

// rankOf says how well a name goes with a column: 1 for the same, 2 in another case, 0 if
// it is another name.
func rankOf(column, name string) int {
	switch {
	case column == name:
		return 1
	case strings.EqualFold(column, name):
		return 2
	}
	return 0
}

// next fills in the next row. It returns io.EOF where there is none.
func (r *rowReader) next(to *row) error {
	text, err := r.nextRow()
	if err != nil {
		return err
	}
	to.line = r.line
	if r.fields == nil {
		return r.readObject(text, to)
	}
	for r.dialect.Cut(text) == 0 { // a field in quotes goes on
		if text, err = r.nextLine(text); err != nil {
			break
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return r.readCSV(text, to)
}

// nextRow returns the next line that is not blank.
func (r *rowReader) nextRow() (text []byte, err error) {
	for len(bytes.TrimSpace(text)) == 0 {
		if text, err = r.nextLine(text[:0]); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// nextLine appends the next line, with its end, to a text. It returns io.EOF where there
// is none.
func (r *rowReader) nextLine(text []byte) ([]byte, error) {
	const most = 16 << 20 // bytes of a row
	before := len(text)
	for {
		part, err := r.in.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case len(text) > most:
			return text, faultAt(r.line+1, 1, fmt.Sprintf("a row of more than %d bytes", most), "a shorter one")
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil, errors.Is(err, io.EOF) && len(text) > before:
			r.line++
			return text, nil
		case errors.Is(err, io.EOF):
			return text, err
		default:
			return text, unreadable(r.file, err)
		}
	}
}

func faultAt(line, column int, found, expected string) error {
	return filepos.Fault(found, expected).At("", filepos.Place{Line: line, Column: column})
}

// readCSV reads a row of CSV.
func (r *rowReader) readCSV(text []byte, to *row) error {
	s := csvscan.New(r.dialect, text, to.line)
	columns, long := 0, 0 // column of the first field of several lines
	for more := true; more; columns++ {
		column := s.Column()
		content, end, another, fault := s.Field()
		if bytes.IndexByte(content, '\n') >= 0 && long == 0 {
			long = column
		}
		if more = another; long > 0 && (fault != nil || !more && columns+1 != len(r.fields)) && s.Lost() == nil {
			return csvscan.TakenIn(to.line, long)
		}
		if fault != nil {
			return fault
		}
		if !more && columns+1 != len(r.fields) {
			return faultAt(to.line, end, fmt.Sprintf("a row of %s", ui.Count(columns+1, "column")), fmt.Sprintf("%d, as in the first line", len(r.fields)))
		}
		if columns >= len(r.fields) || r.fields[columns] < 0 {
			continue
		}
		if bytes.IndexByte(content, '\n') >= 0 { // no ID or number is as long: a quote takes rows in
			return faultAt(to.line, column, "a field that goes on over the end of the line", `a quote at the end of the field, or "" for a quote in it`)
		}
		to.set(r.fields[columns], content, column)
	}
	return nil
}

// readObject reads a line of JSON lines.
func (r *rowReader) readObject(line []byte, to *row) error {
	var s jsonscan.Scanner
	s.Line(bytes.TrimRight(line, "\r\n"), to.line)
	if !s.Accept('{') {
		return s.Unexpected(`an object, such as {"id": "https://a.example/"}`)
	}
	ranks := make([]int, len(r.columns)) // of the names that cells have been taken from
	for i := 0; ; i++ {
		name, more, err := s.Member(i)
		if err != nil {
			return err
		}
		if !more {
			return s.End()
		}
		field, rank := -1, 0
		for i, column := range r.columns {
			if own := rankOf(column, string(name)); own > 0 {
				field, rank = i, own
			}
		}
		if field >= 0 && rank == ranks[field] {
			return s.Fail(fmt.Sprintf("%q for the second time", name), "each name once")
		}
		kind, value, err := s.Value()
		switch {
		case err != nil:
			return err
		case field < 0 || ranks[field] != 0 && ranks[field] < rank:
			continue
		case kind == jsonscan.Nested:
			return s.Fail("a list or an object", "a text or a number in "+r.columns[field])
		case kind == jsonscan.Null:
			value = nil
		}
		ranks[field] = rank
		to.set(field, value, s.Token().Column)
	}
}

// set fills in a cell, the blanks around all but IDs left out.
func (r *row) set(field int, content []byte, column int) {
	text := string(content)
	if r.columns[field] != "id" && r.columns[field] != "url" {
		text = strings.Trim(text, " ")
	}
	r.cells[field] = cell{text, column}
}
