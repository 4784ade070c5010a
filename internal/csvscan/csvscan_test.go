package csvscan_test

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/csvscan"
)

func ExampleScanner() {
	s := csvscan.New(',', []byte("id,note\na,\"one, two\"\n\nb,5\" long\nc,\n"), 1)
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
	// 2:3: "one, two"
	// 4:4: found a quote inside a field without quotes; expected "…" around the field, and "" for a quote in it
	// 5:1: "c"
	// 5:3: ""
}

func ExampleRecognise() {
	fmt.Printf("%c\n", csvscan.Recognise([]byte("url;note, if any\n"), func(names []string) bool { return slices.Contains(names, "url") }))
	// Output: ;
}

// rows reads a text: nil stands for a row with a fault.
func rows(text string) (rows [][]string, faults []string) {
	s := csvscan.New(',', []byte(text), 1)
	for s.Next() {
		if s.Fault != nil {
			rows, faults = append(rows, nil), append(faults, fmt.Sprintf("%d:%d: %s", s.Fault.Line, s.Fault.Column, s.Fault.Found))
			continue
		}
		var row []string
		for _, field := range s.Fields {
			row = append(row, string(field.Text))
		}
		rows = append(rows, row)
	}
	return rows, faults
}

// Rows of random characters are those of encoding/csv, or both find a fault.
func TestRowsAreThoseOfTheStandardLibrary(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 0))
	faults := 0
	for range 20_000 {
		line := []byte{"ab,\""[r.IntN(4)]} // not blank
		for range r.IntN(12) {
			line = append(line, "ab,,\"\""[r.IntN(6)])
		}
		text := string(line) + []string{"", "\n", "\r\n"}[r.IntN(3)]
		got, fault := rows(text)
		want, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			require.NotEmpty(t, fault, "%q, seed %d", text, seed)
			faults++
			continue
		}
		require.Empty(t, fault, "%q, seed %d", text, seed)
		require.Equal(t, want, got, "%q, seed %d", text, seed)
	}
	assert.Greater(t, faults, 1000)
}

// A quote that is not closed where it should be is a fault at its own place, and takes no
// other row with it.
func TestStrayQuotes(t *testing.T) {
	const open, after = "a quote that none closes on its line", "a field that goes on after its quotes"
	for text, want := range map[string]string{
		"a,1\n\"b,1\nc,1\n":                            "2:1: " + open,
		"\"a\",\"1\"\n\"b,\"1\"\n\"c\",\"1\"\n":        "2:1: " + after,
		"\"a\",\"1\"\n\"b\",\"1\n\"c\",\"1\"\n":        "2:5: " + open,
		"\"a\",\"1\"\nb\"b,\"1\n\"c\",\"1\"\n":         "2:2: a quote inside a field without quotes",
		"\"a\",\"1\"\n\"b\"b,\"1\"\r\n\"c\",\"1\"\r\n": "2:1: " + after,
		"a,1\nb,\"1\"\"\nc,1":                          "2:3: " + open,
	} {
		got, faults := rows(text)
		assert.Equal(t, []string{want}, faults, "%q", text)
		assert.Equal(t, [][]string{{"a", "1"}, nil, {"c", "1"}}, got, "%q", text)
	}
}

func TestColumns(t *testing.T) {
	s := csvscan.New(';', []byte("a;b\n\"c;d\"\ne;f;g\n"), 7)
	s.Columns = 2
	var found []string
	for s.Next() {
		if s.Fault != nil {
			found = append(found, s.Fault.Error())
		}
	}
	assert.Equal(t, []string{
		":8:6: found a row of one column; expected 2, as in the header",
		":9:6: found a row of 3 columns; expected 2, as in the header",
	}, found)
}
