package ui

// Text for people: widths, styles, items and tables.

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// Screen takes text for people: as wide as the terminal, in colour if the terminal shows
// colours and the user allows them.
type Screen struct {
	out      *bytes.Buffer
	Width    int
	Colour   bool
	decimals *int // of numbers in tables; nil for as many as they need
}

// widthElsewhere is the width of text that does not go to a terminal.
const widthElsewhere = 110

// NewScreen returns a screen that writes text for target to out.
func NewScreen(out *bytes.Buffer, target io.Writer) *Screen {
	_, isTerminal := terminal(target)
	return &Screen{
		out: out, Width: widthOf(target, widthElsewhere),
		Colour: isTerminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
	}
}

// widthOf returns the width of a terminal in columns, or otherwise if it is unknown.
func widthOf(writer io.Writer, otherwise int) int {
	if file, ok := terminal(writer); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return otherwise
}

// terminal returns a writer as a file, and whether it is a terminal.
func terminal(writer io.Writer) (*os.File, bool) {
	file, ok := writer.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// Printf prints text as it is.
func (s *Screen) Printf(format string, args ...any) { fmt.Fprintf(s.out, format, args...) }

// Styles, as parameters of the terminal's sequence "select graphic rendition".
const (
	Bold   = "1"
	Faint  = "2"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"
)

// Styled returns text in a style, if the screen shows styles.
func (s *Screen) Styled(style, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// Heading prints a heading.
func (s *Screen) Heading(format string, args ...any) {
	s.Printf("%s\n", s.Styled(Bold, fmt.Sprintf(format, args...)))
}

// Wrapped prints text in lines that fit. The first begins with first, the others with as
// many spaces.
func (s *Screen) Wrapped(first, words string) {
	indent := strings.Repeat(" ", text.StringWidthWithoutEscSequences(first))
	line, begun := first, false
	for word := range strings.FieldsSeq(words) {
		if begun && text.StringWidthWithoutEscSequences(line+" "+word) > s.Width {
			s.Printf("%s\n", line)
			line, begun = indent, false
		}
		if begun {
			line += " "
		}
		line, begun = line+word, true
	}
	s.Printf("%s\n", strings.TrimRight(line, " "))
}

// Item prints a name and a text.
func (s *Screen) Item(name, format string, args ...any) {
	s.Wrapped(fmt.Sprintf("  %-11s ", name), fmt.Sprintf(format, args...))
}

// Table prints a table without frames, with numbers on the right.
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
