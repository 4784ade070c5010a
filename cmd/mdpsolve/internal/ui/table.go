package ui

import (
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Table prints a table without frames, with numbers to the right.
func (s *Screen) Table(t table.Writer) {
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	style.Box.PaddingLeft, style.Box.PaddingRight = "  ", ""
	style.Format.Header = text.FormatDefault // not upper case
	style.Format.HeaderAlign, style.Format.RowAlign = text.AlignRight, text.AlignRight
	t.SetStyle(style)
	s.Printf("%s\n", t.Render())
}
