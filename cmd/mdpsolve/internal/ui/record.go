package ui

// Records: named values that are an object in JSON, a line in CSV and Markdown, and a line of
// a table in text. A column is declared once, by one field.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Field is a named value of a record: a float64, int, string, bool, []int, []float64, [][]int,
// [Record], []Record, []string, json.Number, mdp.Status, or nil for an unknown value. A value
// made by [Shown] is also a column of tables for people; if the field has no name, it is such
// a column only. A value made by [OnlyJSON] is in JSON only.
type Field = struct {
	Name  string
	Value any
}

// Record is a list of named values in the order of printing.
type Record []Field

// shown is the value of a field that is a column of tables for people.
type shown struct {
	value   any
	heading string
	text    func(float64) string
	left    bool // it is aligned to the left
	given   bool // it is a parameter, which --digits leaves as it was given
}

// Shown returns a value of a field that is also in tables for people, in the column with a
// heading. text writes a number, by default with 10 digits.
func Shown(heading string, value any, text ...func(float64) string) any {
	return shown{value: value, heading: heading, text: append(text, PlainText)[0]}
}

// Given is [Shown] for parameters: --digits does not change them.
func Given(heading string, value any) any {
	return shown{value: value, heading: heading, text: PlainText, given: true}
}

// ShownLeft is [Shown] for texts that are aligned to the left.
func ShownLeft(heading, text string) any { return shown{value: text, heading: heading, left: true} }

// cell returns the value in a table for people.
func (s shown) cell(decimals *int) string {
	if s.given {
		decimals = nil
	}
	return cellText(s.value, withDecimals(decimals, s.text))
}

// onlyJSON is the value of a field that is in JSON only.
type onlyJSON struct{ value any }

// OnlyJSON returns a value of a field for JSON only.
func OnlyJSON(value any) any { return onlyJSON{value} }

// plain returns the value of a field itself.
func plain(value any) any {
	switch of := value.(type) {
	case shown:
		return of.value
	case onlyJSON:
		return plain(of.value)
	}
	return value
}

// When returns the fields if the condition holds, and none if not.
func When(holds bool, fields Record) Record {
	if !holds {
		return nil
	}
	return fields
}

// MarshalJSON implements [json.Marshaler].
func (r Record) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	for _, f := range r {
		if f.Name == "" {
			continue
		}
		value := plain(f.Value)
		switch x := value.(type) {
		case float64:
			if math.IsNaN(x) || math.IsInf(x, 0) {
				value = nil // JSON has no such numbers
			}
		case mdp.Status:
			value = x.String()
		}
		out.WriteByte("{,"[min(out.Len(), 1)])
		out.WriteString(strconv.Quote(f.Name) + ":")
		if err := encoder.Encode(value); err != nil {
			return nil, err
		}
		out.Truncate(out.Len() - 1) // the line end
	}
	if out.Len() == 0 {
		out.WriteByte('{')
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// columns returns the fields for CSV and Markdown. Those of a record in a field are columns such as
// "chance.queue".
func (r Record) columns() (all Record) {
	for _, f := range r {
		_, hidden := f.Value.(onlyJSON)
		inner, nested := f.Value.(Record)
		switch {
		case hidden || f.Name == "":
		case nested:
			for _, field := range inner.columns() {
				all = append(all, Field{f.Name + "." + field.Name, field.Value})
			}
		default:
			all = append(all, f)
		}
	}
	return all
}

func (r Record) names() []string {
	var names []string
	for _, f := range r.columns() {
		names = append(names, f.Name)
	}
	return names
}

// cells returns the values as text, numbers by the given function.
func (r Record) cells(float func(float64) string) []string {
	var cells []string
	for _, f := range r.columns() {
		cells = append(cells, cellText(plain(f.Value), float))
	}
	return cells
}

// cellText returns a value as text, numbers by the given function.
func cellText(value any, float func(float64) string) string {
	switch value := value.(type) {
	case nil:
		return ""
	case float64:
		return cell(value, float)
	case []float64:
		return joined(value, func(x float64) string { return cell(x, float) })
	case []int:
		return joined(value, strconv.Itoa)
	}
	return fmt.Sprint(value)
}

func cell(x float64, float func(float64) string) string {
	if math.IsNaN(x) {
		return ""
	}
	return float(x)
}

func joined[T any](values []T, text func(T) string) string {
	words := make([]string, len(values))
	for i, value := range values {
		words[i] = text(value)
	}
	return strings.Join(words, " ")
}

// Records prints the [Shown] fields of records as a table. A status that is not converged
// stands out.
func (s *Screen) Records(rows []Record) {
	if len(rows) == 0 {
		return
	}
	t := table.NewWriter()
	t.SuppressTrailingSpaces()
	for i, row := range rows {
		var header, cells table.Row
		var configs []table.ColumnConfig
		for _, f := range row {
			column, is := f.Value.(shown)
			if !is {
				continue
			}
			words := column.cell(s.decimals)
			if status, is := column.value.(mdp.Status); is && status != mdp.Converged {
				words = s.Styled(StatusStyle(status), words)
			}
			header, cells = append(header, column.heading), append(cells, words)
			config := table.ColumnConfig{Number: len(header), VAlignHeader: text.VAlignBottom}
			if column.left {
				config.Align, config.AlignHeader = text.AlignLeft, text.AlignLeft
			}
			configs = append(configs, config)
		}
		if i == 0 {
			t.AppendHeader(header)
			t.SetColumnConfigs(configs)
		}
		t.AppendRow(cells)
	}
	s.Table(t)
}
