package ui

// Answers as JSON, CSV, Markdown or text.

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
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

// Field is a named value of a record: a float64, int, string, bool, []int,
// []float64, [][]int, record, []record, []string, json.Number, or nil for what
// is not known.
type Field = struct {
	Name  string
	Value any
}

// Record is what is known of one thing, in the order in which it is printed.
type Record []Field

// Document is what a command has to say, in all formats.
type Document struct {
	JSON any      // record or []record
	Rows []Record // for CSV and markdown; all have the same names
	Text func(*Screen)
}

// Print prints a document on the standard output of the command, in its format.
func (a *Arguments) Print(d Document) error {
	var out bytes.Buffer
	switch a.Format {
	case FormatJSON:
		writeJSON(&out, d.JSON, "\n")
		out.WriteByte('\n')
	case FormatCSV:
		if err := WriteCSV(&out, slices.Values(d.Rows)); err != nil {
			return err
		}
	case FormatMarkdown:
		out.WriteString(markdown(d.Rows))
	default:
		d.Text(NewScreen(&out, a.CLI.App.Writer))
	}
	var err error
	a.progress.Aside(func() { _, err = a.CLI.App.Writer.Write(out.Bytes()) })
	return err
}

// PrintRecord prints a record. Fields whose names are given are in JSON alone.
func (a *Arguments) PrintRecord(r Record, text func(*Screen), onlyJSON ...string) error {
	return a.Print(Document{JSON: r, Rows: []Record{r.Without(onlyJSON...)}, Text: text})
}

// PrintRecords prints a list of records.
func (a *Arguments) PrintRecords(rows []Record, text func(*Screen)) error {
	return a.Print(Document{JSON: rows, Rows: rows, Text: text})
}

// writeJSON writes the fields of the outermost record, and records of a list,
// one to a line.
func writeJSON(out *bytes.Buffer, value any, newline string) {
	switch value := value.(type) {
	case Record:
		inner := newline + "  "
		if newline == "" {
			inner = ""
		}
		out.WriteByte('{')
		for i, f := range value {
			separate(out, i, inner)
			out.WriteString(strconv.Quote(f.Name) + ": ")
			switch f.Value.(type) {
			case []Record:
				writeJSON(out, f.Value, inner)
			default:
				writeJSON(out, f.Value, "")
			}
		}
		out.WriteString(newline + "}")
	case []Record:
		out.WriteByte('[')
		for i, r := range value {
			separate(out, i, newline+"  ")
			writeJSON(out, r, "")
		}
		if len(value) > 0 {
			out.WriteString(newline)
		}
		out.WriteByte(']')
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			out.WriteString("null")
			return
		}
		writeScalar(out, value)
	default:
		writeScalar(out, value)
	}
}

func separate(out *bytes.Buffer, i int, inner string) {
	switch {
	case i > 0 && inner == "":
		out.WriteString(", ")
	case i > 0:
		out.WriteByte(',')
	}
	out.WriteString(inner)
}

func writeScalar(out *bytes.Buffer, value any) {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("main: %T cannot be printed: %v", value, err)) // not one of the types of field
	}
	out.Truncate(out.Len() - 1) // the line end
}

// WriteCSV writes records below a line with their names.
func WriteCSV(out io.Writer, rows iter.Seq[Record]) error {
	writer := csv.NewWriter(out)
	first := true
	for row := range rows {
		if first {
			if err := writer.Write(row.names()); err != nil {
				return err
			}
			first = false
		}
		if err := writer.Write(row.cells(ExactText)); err != nil {
			return err
		}
	}
	writer.Flush()
	return writer.Error()
}

// markdown returns a table with a line for each record, or, for a single
// record, a line for each field.
func markdown(rows []Record) string {
	if len(rows) == 0 {
		return ""
	}
	t := table.NewWriter()
	if len(rows) == 1 {
		t.AppendHeader(table.Row{"", "value"})
		cells := rows[0].cells(PlainText)
		for i, name := range rows[0].names() {
			t.AppendRow(table.Row{name, cells[i]})
		}
		return t.RenderMarkdown() + "\n"
	}
	t.AppendHeader(tableRow(rows[0].names()))
	for _, row := range rows {
		t.AppendRow(tableRow(row.cells(PlainText)))
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

func (r Record) names() []string {
	names := make([]string, len(r))
	for i, f := range r {
		names[i] = f.Name
	}
	return names
}

// Without returns the record without some fields.
func (r Record) Without(names ...string) Record {
	return slices.DeleteFunc(slices.Clone(r), func(f Field) bool { return slices.Contains(names, f.Name) })
}

// cells returns the values as text, numbers by the given function.
func (r Record) cells(float func(float64) string) []string {
	cells := make([]string, len(r))
	for i, f := range r {
		switch value := f.Value.(type) {
		case nil:
		case float64:
			if !math.IsNaN(value) {
				cells[i] = float(value)
			}
		case []float64:
			words := make([]string, len(value))
			for j, x := range value {
				words[j] = float(x)
			}
			cells[i] = strings.Join(words, " ")
		case []int:
			words := make([]string, len(value))
			for j, n := range value {
				words[j] = strconv.Itoa(n)
			}
			cells[i] = strings.Join(words, " ")
		default:
			cells[i] = fmt.Sprint(value)
		}
	}
	return cells
}

// PrintAside prints text on standard error.
func (a *Arguments) PrintAside(text func(*Screen)) error {
	var out bytes.Buffer
	text(NewScreen(&out, a.CLI.App.ErrWriter))
	var err error
	a.progress.Aside(func() { _, err = a.CLI.App.ErrWriter.Write(out.Bytes()) })
	return err
}
