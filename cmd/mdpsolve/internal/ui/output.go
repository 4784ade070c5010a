package ui

// Answers as JSON, CSV, Markdown or text.

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

// The values of --output.
const (
	FormatText     = "text"
	FormatJSON     = "json"
	FormatCSV      = "csv"
	FormatMarkdown = "markdown"
)

var formats = []string{FormatText, FormatJSON, FormatCSV, FormatMarkdown}

// Document is the answer of a command in all formats.
type Document struct {
	JSON any      // for encoding/json
	Rows []Record // for CSV and markdown; all have the same names
	Text func(*Screen)

	isOne bool // Rows is one record; a table for LaTeX has a row for each of its fields
}

// Print prints a document on the standard output of the command, in its format. If that
// output is discarded, it formats nothing.
func (a *Arguments) Print(d Document) error {
	if a.CLI.App.Writer == io.Discard {
		return nil
	}
	var out bytes.Buffer
	switch a.Format {
	case FormatJSON:
		if err := writeJSON(&out, d.JSON); err != nil {
			return err
		}
	case FormatCSV:
		if err := writeCSV(&out, slices.Values(d.Rows), withDecimals(a.decimals, ExactText)); err != nil {
			return err
		}
	case FormatMarkdown:
		out.WriteString(markdown(d.Rows, a.decimals))
	case FormatLatex:
		rows := d.Rows
		if d.isOne {
			rows = rows[0].turned(a.decimals)
		}
		out.WriteString(latex(rows, a.decimals))
	default:
		screen := NewScreen(&out, a.CLI.App.Writer)
		screen.decimals = a.decimals
		d.Text(screen)
	}
	var err error
	a.progress.Aside(func() { _, err = a.CLI.App.Writer.Write(out.Bytes()) })
	return err
}

// PrintRecord prints a record.
func (a *Arguments) PrintRecord(r Record, text func(*Screen)) error {
	return a.Print(Document{JSON: r, Rows: []Record{r}, Text: text, isOne: true})
}

// PrintRecords prints a list of records.
func (a *Arguments) PrintRecords(rows []Record, text func(*Screen)) error {
	return a.Print(Document{JSON: rows, Rows: rows, Text: text})
}

// writeJSON writes a value with a line for each field of an object and for each object of a
// list, but not for those nested in them, and a line end.
func writeJSON(out *bytes.Buffer, value any) error {
	compact, err := compactJSON(value)
	if err != nil {
		return err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, compact, "", "\t"); err != nil {
		return err
	}
	isList := compact[0] == '['
	before := byte(0) // the first character of the line before
	for line := range bytes.Lines(indented.Bytes()) {
		text := bytes.Trim(line, "\t\n")
		first, depth := text[0], bytes.IndexByte(line, text[0])
		closes := first == ']' || first == '}'
		switch {
		case before == 0:
		case depth == 0,
			depth == 1 && !isList && (!closes || first == ']' && before == '}'),
			depth <= 2 && first == '{' && isList == (depth == 1):
			out.WriteString("\n" + strings.Repeat("  ", depth))
		case bytes.HasSuffix(out.Bytes(), []byte{','}) && (first == '"' || first == '{'):
			out.WriteByte(' ')
		}
		out.Write(text)
		before = first
	}
	out.WriteByte('\n')
	return nil
}

// compactJSON returns a value on one line.
func compactJSON(value any) ([]byte, error) {
	var compact bytes.Buffer
	encoder := json.NewEncoder(&compact)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return compact.Bytes(), err
}

// WriteCSV writes records below a line with their names.
func WriteCSV(out io.Writer, rows iter.Seq[Record]) error { return writeCSV(out, rows, ExactText) }

// WriteRows is [WriteCSV] on the standard output of the command, with the decimals of --digits.
func (a *Arguments) WriteRows(rows iter.Seq[Record]) error {
	out := bufio.NewWriter(a.CLI.App.Writer)
	if err := writeCSV(out, rows, withDecimals(a.decimals, ExactText)); err != nil {
		return err
	}
	return out.Flush()
}

// writeCSV is [WriteCSV] with numbers by the given function.
func writeCSV(out io.Writer, rows iter.Seq[Record], float func(float64) string) error {
	writer := csv.NewWriter(out)
	first := true
	for row := range rows {
		if first {
			if err := writer.Write(row.names()); err != nil {
				return err
			}
			first = false
		}
		if err := writer.Write(row.cells(float)); err != nil {
			return err
		}
	}
	writer.Flush()
	return writer.Error()
}

// markdown returns a table with a line for each record, or, for a single
// record, a line for each field.
func markdown(rows []Record, decimals *int) string {
	if len(rows) == 0 {
		return ""
	}
	t := table.NewWriter()
	if len(rows) == 1 {
		t.AppendHeader(table.Row{"", "value"})
		cells := rows[0].cells(withDecimals(decimals, PlainText))
		for i, name := range rows[0].names() {
			t.AppendRow(table.Row{strings.ReplaceAll(name, "_", " "), cells[i]})
		}
		return t.RenderMarkdown() + "\n"
	}
	for i, row := range rows {
		headings, cells := row.seen(decimals)
		if i == 0 {
			t.AppendHeader(tableRow(headings))
		}
		t.AppendRow(tableRow(cells))
	}
	return t.RenderMarkdown() + "\n"
}

func tableRow(cells []string) table.Row {
	row := make(table.Row, len(cells))
	for i, cell := range cells {
		row[i] = cell
	}
	return row
}

// PrintAside prints text on standard error.
func (a *Arguments) PrintAside(text func(*Screen)) error {
	var out bytes.Buffer
	text(NewScreen(&out, a.CLI.App.ErrWriter))
	var err error
	a.progress.Aside(func() { _, err = a.CLI.App.ErrWriter.Write(out.Bytes()) })
	return err
}
