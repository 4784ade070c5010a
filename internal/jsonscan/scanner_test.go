package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
)

// forms returns scanners of the same text: one of a line, and documents that are
// read in one piece and byte by byte.
func forms(text string) map[string]*jsonscan.Scanner {
	line := &jsonscan.Scanner{}
	line.Line([]byte(text), 1)
	return map[string]*jsonscan.Scanner{
		"line":     line,
		"document": jsonscan.New(strings.NewReader(text), ""),
		"bytes":    jsonscan.New(iotest.OneByteReader(strings.NewReader(text)), ""),
	}
}

func TestTexts(t *testing.T) {
	for text, want := range map[string]string{
		`""`:                                     "",
		`"plain"`:                                "plain",
		`  "behind space"`:                       "behind space",
		`"ρ = λ/µ"`:                              "ρ = λ/µ",
		`"\"\\\/\b\f\n\r\t"`:                     "\"\\/\b\f\n\r\t",
		`"\u0041\u03c1\ud83e\udd16 end"`:         "Aρ🤖 end",
		"\"\\n\uFFFD \\ufffd \\uFFFD\"":          "\n\uFFFD \uFFFD \uFFFD", // the replacement character itself
		`"` + strings.Repeat("ab", 400000) + `"`: strings.Repeat("ab", 400000),
	} {
		for form, s := range forms(text) {
			got, err := s.Text("a text")
			require.NoError(t, err, form)
			assert.Equal(t, want, string(got), form)
			require.NoError(t, s.End(), form)
		}
		if len(text) < 100 {
			var again string
			require.NoError(t, json.Unmarshal(jsonscan.AppendText(nil, want), &again))
			assert.Equal(t, want, again)
		}
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		``:                        `:1:1: found an empty file; expected a value`,
		`[1,`:                     `:1:4: found the end of the file; expected a value`,
		`[1 2]`:                   `:1:4: found "2"; expected "," or "]"`,
		"[1,\n  \n  tru]":         `:3:3: found "tru"; expected a value`,
		`{"a" 1}`:                 `:1:6: found "1"; expected ":"`,
		`{"a":1 "b":2}`:           `:1:8: found a text; expected "," or "}"`,
		`{"a":1,}`:                `:1:8: found "}"; expected the name of a member in quotation marks`,
		`{"a":1, "a":2}`:          `:1:9: found "a" for the second time; expected each member once`,
		`{a:1}`:                   `:1:2: found "a"; expected the name of a member in quotation marks`,
		`[01]`:                    `:1:2: found "01"; expected a value`,
		`[1e]`:                    `:1:2: found "1e"; expected a value`,
		`[.5]`:                    `:1:2: found ".5"; expected a value`,
		`["a]`:                    `:1:5: found the end of the file; expected a quotation mark at the end of a text`,
		"[\"a\tb\"]":              `:1:4: found a control character in a text; expected \n, \t or \u001f`,
		`["a\x"]`:                 `:1:2: found "a\\x"; expected a text whose backslashes begin one of \" \\ \/ \b \f \n \r \t \u0000 … \uffff`,
		`["\ud800\u0041"]`:        `:1:2: found "\\ud800\\u0041"; expected a text whose backslashes begin one of \" \\ \/ \b \f \n \r \t \u0000 … \uffff`,
		`["\udc00"]`:              `:1:2: found "\\udc00"; expected a text whose backslashes begin one of \" \\ \/ \b \f \n \r \t \u0000 … \uffff`,
		`["a\"]`:                  `:1:7: found the end of the file; expected a quotation mark at the end of a text`,
		`["a\`:                    `:1:5: found the end of the file; expected a quotation mark at the end of a text`,
		"[\"\xff\"]":              `:1:2: found "\xff"; expected a text in UTF-8`,
		`1 2`:                     `:1:3: found "2"; expected the end of the file`,
		strings.Repeat("[", 1001): `:1:1001: found a value that is nested too deep; expected a depth of at most 1000`,
	} {
		for form, s := range forms(text) {
			_, err := s.Value()
			if err == nil {
				err = s.End()
			}
			require.ErrorAs(t, err, new(*filepos.Error), text)
			if form == "line" {
				err = errors.New(strings.NewReplacer("1:1: found the end of the line", "1:1: found an empty file", "the end of the line", "the end of the file").Replace(err.Error()))
			}
			assert.EqualError(t, err, want, "%s %s", form, text)
		}
	}
}

// The scanner checks values that it skips, at any depth.
func TestDecodeOfWhatIsPassedOver(t *testing.T) {
	var list []struct {
		A int `json:"a"`
	}
	require.NoError(t, jsonscan.Decode(strings.NewReader(`[{"a": 1, "Other": {"b": ["c", true]}}]`), "f", false, &list))
	assert.Equal(t, 1, list[0].A)
	for text, want := range map[string]string{
		`[{"a": 1, "b": {"c": 1, "c": 2}}]`: `f:1:25: found "c" for the second time; expected each member once`,
		`[{"a": 1, "b": [1, null]}]`:        `f:1:20: found null; expected a value, or no such member`,
		strings.Repeat("[", 100_000):        `f:1:1001: found a value that is nested too deep; expected a depth of at most 1000`,
		`{"a": 1}`:                          `f: found object; expected a list`,
	} {
		require.EqualError(t, jsonscan.Decode(strings.NewReader(text), "f", false, &list), want)
	}
	broken := errors.New("broken")
	require.ErrorIs(t, jsonscan.Decode(iotest.ErrReader(broken), "f", true, &list), broken)
}

func TestReaderFails(t *testing.T) {
	broken := errors.New("broken")
	s := jsonscan.New(io.MultiReader(strings.NewReader("[1,\n2"), iotest.ErrReader(broken)), "a.json")
	_, err := s.Value()
	require.ErrorIs(t, err, broken)
	assert.ErrorContains(t, err, "a.json: reading line 2")
	s = jsonscan.New(iotest.ErrReader(broken), "a.json")
	require.ErrorIs(t, s.End(), broken)
}

func TestWords(t *testing.T) {
	s := jsonscan.New(strings.NewReader(`[7, 8, -1]`), "a.json")
	require.True(t, s.Accept('['))
	n, err := s.Int(7, "a number up to 7")
	require.NoError(t, err)
	assert.Equal(t, 7, n)
	require.True(t, s.Accept(','))
	_, err = s.Int(7, "a number up to 7")
	require.EqualError(t, err, `a.json:1:5: found "8"; expected a number up to 7`)
	require.True(t, s.Accept(','))
	_, err = s.Int(7, "a number up to 7")
	require.EqualError(t, err, `a.json:1:8: found "-1"; expected a number up to 7`)
}

// duplicates reports whether an object in a valid text has a member twice.
func duplicates(t *testing.T, text []byte) bool {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // 1e400 is a number of JSON, but none of float64
	var value func() bool
	value = func() bool {
		token, err := decoder.Token()
		require.NoError(t, err)
		twice, known := false, map[json.Token]bool{}
		if delimiter, ok := token.(json.Delim); ok {
			for decoder.More() {
				if delimiter == '{' {
					name, err := decoder.Token()
					require.NoError(t, err)
					twice = twice || known[name]
					known[name] = true
				}
				twice = value() || twice
			}
			_, err := decoder.Token()
			require.NoError(t, err)
		}
		return twice
	}
	return value()
}

// FuzzValue compares the scanner with encoding/json, which also accepts texts that are not
// UTF-8, halves of surrogate pairs and repeated members.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{
		`{"a": [1, -2.5e-3, "x\n\u03c1", true, null, {"b": {}}], "c": []}`, `[[[]]]`, `"\ud83e\udd16"`, `1e5`, `{"a":1,"a":2}`,
		"\"\xff\"", "[1,\r\n\t2]", `{"a":}`, `-`, `"\u12`, `01`, `[}`, `1e400`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for form, s := range forms(string(text)) {
			_, err := s.Value()
			if err == nil {
				err = s.End()
			}
			if err != nil {
				assert.NotContains(t, err.Error(), "\n")
			}
			valid := json.Valid(text)
			if err == nil {
				require.True(t, valid, form)
				require.True(t, utf8.Valid(text), form)
				require.False(t, duplicates(t, text), form)
			} else if valid && utf8.Valid(text) && !bytes.Contains(text, []byte(`\u`)) && bytes.Count(text, []byte("[")) < 1000 {
				require.True(t, duplicates(t, text), "%s: %v", form, err)
			}
		}
	})
}
