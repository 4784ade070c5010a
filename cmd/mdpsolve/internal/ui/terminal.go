package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// screen is where text for a person goes: as wide as the terminal, in colour
// where that is welcome.
type screen struct {
	out    *bytes.Buffer
	width  int
	colour bool
}

// widthElsewhere is the width of text that goes to no terminal.
const widthElsewhere = 110

// newScreen returns a screen that writes to out what is meant for target.
func newScreen(out *bytes.Buffer, target io.Writer) *screen {
	s := &screen{out: out, width: widthElsewhere}
	if file, ok := terminal(target); ok {
		s.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			s.width = width
		}
	}
	return s
}

// terminal reports whether a writer is a terminal.
func terminal(writer io.Writer) (*os.File, bool) {
	file, ok := writer.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

func (s *screen) printf(format string, args ...any) { fmt.Fprintf(s.out, format, args...) }

// Styles, as parameters of the terminal's sequence "select graphic rendition".
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

func (s *screen) styled(style, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

func (s *screen) heading(format string, args ...any) {
	s.printf("%s\n", s.styled(bold, fmt.Sprintf(format, args...)))
}

// wrapped prints text in lines that fit. The first begins with first, the
// others with as many spaces.
func (s *screen) wrapped(first, words string) {
	indent := strings.Repeat(" ", text.StringWidthWithoutEscSequences(first))
	line, begun := first, false
	for word := range strings.FieldsSeq(words) {
		if begun && text.StringWidthWithoutEscSequences(line+" "+word) > s.width {
			s.printf("%s\n", line)
			line, begun = indent, false
		}
		if begun {
			line += " "
		}
		line, begun = line+word, true
	}
	s.printf("%s\n", strings.TrimRight(line, " "))
}

// item prints what there is to say under a name.
func (s *screen) item(name, format string, args ...any) {
	s.wrapped(fmt.Sprintf("  %-11s ", name), fmt.Sprintf(format, args...))
}
