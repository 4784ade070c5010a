package csvscan_test

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/csvscan"
)

func ExampleScanner() {
	s := csvscan.New(csvscan.Dialect{Delimiter: ',', Lines: 10}, []byte("id,note\na,\"two\nlines\"\nb,5\" long\nc,\n"), 1)
	for s.Next() {
		if s.Fault != nil {
			fmt.Printf("%d:%d: %s\n", s.Fault.Line, s.Fault.Column, s.Fault.What())
			continue
		}
		for _, field := range s.Fields {
			fmt.Printf("%d:%d: %q\n", s.Line, field.Column, field.Text)
		}
	}
	// Output:
	// 1:1: "id"
	// 1:4: "note"
	// 2:1: "a"
	// 2:3: "two\nlines"
	// 4:4: found a quote inside a field without quotes; expected "…" around the field, and "" for a quote in it
	// 5:1: "c"
	// 5:3: ""
}

func ExampleRecognise() {
	d := csvscan.Recognise([]byte("url;note, if any\n"), 10, func(names []string) bool { return slices.Contains(names, "url") })
	fmt.Printf("%c\n", d.Delimiter)
	// Output: ;
}

// rows reads a text piece by piece, as Cut has them where bytes come one by one.
func rows(t *testing.T, text string) (rows [][]string, lost string) {
	t.Helper()
	d := csvscan.Dialect{Delimiter: ',', Lines: 4}
	data, line := "", 1
	for i := range len(text) {
		data += text[i : i+1]
		whole := d.Cut([]byte(data))
		if i == len(text)-1 {
			whole = len(data)
		}
		s := csvscan.New(d, []byte(data[:whole]), line)
		for s.Next() {
			if s.Lost {
				return rows, fmt.Sprintf("%d:%d: %s", s.Fault.Line, s.Fault.Column, s.Fault.Found)
			}
			var row []string
			for _, field := range s.Fields {
				if s.Fault == nil {
					row = append(row, string(field.Text))
				}
			}
			rows = append(rows, row)
		}
		_, line = s.Rest()
		data = data[whole:]
	}
	return rows, ""
}

// Rows are those of encoding/csv, wherever a text is cut.
func TestRowsAreThoseOfTheStandardLibrary(t *testing.T) {
	const text = "a,b\n\"1\n2\",\"x \"\"y\"\", z\"\r\n,\"\"\n\"\n,\n\",\"\"\"\"\r\nlast,one"
	want, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	got, lost := rows(t, text)
	assert.Empty(t, lost)
	assert.Equal(t, want, got)
}

// A quote that is not closed where it should be is the end, at its own place, and takes no
// row with it in silence.
func TestStrayQuotes(t *testing.T) {
	const onAnother = "a quote whose next one, on another line, does not end a field"
	for text, want := range map[string]string{
		"a,1\n\"b,1\nc,1\n":                            "2:1: a quote without an end",
		"a,1\n\"b,1\nc,1\nd,1\ne,1\nf,1\n":             "2:1: a quote that none closes within 4 lines",
		"\"a\",\"1\"\n\"b,\"1\"\n\"c\",\"1\"\n":        "", // its row alone
		"\"a\",\"1\"\n\"b,1\n\"c\",\"1\"\n":            "2:1: " + onAnother,
		"\"a\",\"1\"\n\"b\",\"1\n\"c\",\"1\"\n":        "2:5: " + onAnother,
		"\"a\",\"1\"\nb\"b,\"1\n\"c\",\"1\"\n":         "2:5: " + onAnother, // in a row with another fault
		"\"a\",\"1\"\n\"b\"b,\"1\"\r\n\"c\",\"1\"\r\n": "",
	} {
		got, lost := rows(t, text)
		assert.Equal(t, want, lost, "%q", text)
		if want != "" {
			assert.Len(t, got, 1, "%q", text)
		} else {
			assert.Len(t, got, 3, "%q", text)
			assert.Nil(t, got[1])
			assert.Equal(t, []string{"c", "1"}, got[2])
		}
	}
}
