package main

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
	"github.com/urfave/cli/v2"
)

const (
	formatText     = "text"
	formatJSON     = "json"
	formatCSV      = "csv"
	formatMarkdown = "markdown"
)

var formats = []string{formatText, formatJSON, formatCSV, formatMarkdown}

// field is a named value of a record: a float64, int, string, bool, []int,
// []float64, [][]int, record, []record, []string, json.Number, or nil for what
// is not known.
type field struct {
	name  string
	value any
}

// record is what is known of one thing, in the order in which it is printed.
type record []field

// document is what a command has to say, in all formats.
type document struct {
	json any      // record or []record
	rows []record // for CSV and markdown; all have the same names
	text func(*screen)
}

// write prints the document on the standard output of the command.
func (d document) write(c *cli.Context, format string) error {
	var out bytes.Buffer
	switch format {
	case formatJSON:
		writeJSON(&out, d.json, "\n")
		out.WriteByte('\n')
	case formatCSV:
		if err := writeCSV(&out, slices.Values(d.rows)); err != nil {
			return err
		}
	case formatMarkdown:
		out.WriteString(markdown(d.rows))
	default:
		d.text(newScreen(&out, c.App.Writer))
	}
	_, err := c.App.Writer.Write(out.Bytes())
	return err
}

// writeJSON writes the fields of the outermost record, and records of a list,
// one to a line.
func writeJSON(out *bytes.Buffer, value any, newline string) {
	switch value := value.(type) {
	case record:
		inner := newline + "  "
		if newline == "" {
			inner = ""
		}
		out.WriteByte('{')
		for i, f := range value {
			separate(out, i, inner)
			out.WriteString(strconv.Quote(f.name) + ": ")
			switch f.value.(type) {
			case []record:
				writeJSON(out, f.value, inner)
			default:
				writeJSON(out, f.value, "")
			}
		}
		out.WriteString(newline + "}")
	case []record:
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

func writeCSV(out io.Writer, rows iter.Seq[record]) error {
	writer := csv.NewWriter(out)
	first := true
	for row := range rows {
		if first {
			if err := writer.Write(row.names()); err != nil {
				return err
			}
			first = false
		}
		if err := writer.Write(row.cells(exactText)); err != nil {
			return err
		}
	}
	writer.Flush()
	return writer.Error()
}

// markdown returns a table with a line for each record, or, for a single
// record, a line for each field.
func markdown(rows []record) string {
	if len(rows) == 0 {
		return ""
	}
	t := table.NewWriter()
	if len(rows) == 1 {
		t.AppendHeader(table.Row{"", "value"})
		cells := rows[0].cells(plainText)
		for i, name := range rows[0].names() {
			t.AppendRow(table.Row{name, cells[i]})
		}
		return t.RenderMarkdown() + "\n"
	}
	t.AppendHeader(tableRow(rows[0].names()))
	for _, row := range rows {
		t.AppendRow(tableRow(row.cells(plainText)))
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

func (r record) names() []string {
	names := make([]string, len(r))
	for i, f := range r {
		names[i] = f.name
	}
	return names
}

// without returns the record without a field.
func (r record) without(name string) record {
	return slices.DeleteFunc(slices.Clone(r), func(f field) bool { return f.name == name })
}

// cells returns the values as text, numbers by the given function.
func (r record) cells(float func(float64) string) []string {
	cells := make([]string, len(r))
	for i, f := range r {
		switch value := f.value.(type) {
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

// writeAside prints the text of a document on standard error.
func (d document) writeAside(c *cli.Context) error {
	var out bytes.Buffer
	d.text(newScreen(&out, c.App.ErrWriter))
	_, err := c.App.ErrWriter.Write(out.Bytes())
	return err
}
