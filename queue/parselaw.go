package queue

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/mdpsolve/mdpsolve/internal/lines"
	"github.com/mdpsolve/mdpsolve/internal/number"
)

// lawText holds the arguments of a law that is parsed.
type lawText struct {
	argument string // the text after the colon
	mean     float64
	open     func(name string) (io.ReadCloser, error)
}

// ParseLaw reads a service law from text, in one of the forms that [LawText] lists, such
// as "erlang:3", and scales it to the given mean.
//
// Numbers are decimals or fractions (17/15). A file is opened by the function
// open, which may be nil where files are not allowed. It holds numbers separated
// by spaces, tabs, commas or line ends; # starts a comment that ends with the
// line. The numbers of a sample are times. In a phase-type file the first line with
// numbers is α, and each further one is a row of T.
//
// An error is one line that says what is not valid and what to use instead. An error in a
// file begins with file:line:column, or with the file if there is no place.
func ParseLaw(text string, mean float64, open func(name string) (io.ReadCloser, error)) (Law, error) {
	if err := checkMean(mean); err != nil {
		return nil, err
	}
	if strings.ContainsFunc(text, unicode.IsControl) { // a line end in a file name, say
		return nil, fmt.Errorf("%q is not valid: use a law without control characters", text)
	}
	name, argument, hasArgument := strings.Cut(text, ":")
	for _, form := range lawForms {
		if name != "" && (name == form.name || name == form.alias) && hasArgument == (form.argument != "") {
			return form.parse(lawText{argument, mean, open})
		}
	}
	return nil, fmt.Errorf("%q is not valid: use %s", text, lawSyntax())
}

func parsePositive(text string) (float64, error) {
	value, err := number.Parse(text)
	if err != nil {
		return 0, err
	}
	if value <= 0 {
		return 0, fmt.Errorf("%q is not valid: use a number above 0", text)
	}
	return value, nil
}

// rows returns the numbers of the file that the argument names, line by line.
func (t lawText) rows() ([][]lines.Cell, error) {
	if t.argument == "" {
		return nil, fmt.Errorf("no file name: use sample:FILE or ph:FILE")
	}
	if t.open == nil {
		return nil, fmt.Errorf("file %q is not valid here: use a law without a file", t.argument)
	}
	file, err := t.open(t.argument)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", t.argument, err)
	}
	defer func() { _ = file.Close() }() // only read, so closing loses nothing
	return lines.Numbers(file, t.argument)
}
