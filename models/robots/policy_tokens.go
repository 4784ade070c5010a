package robots

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// jsonReader reads a policy token by token, so that faults have a place.
type jsonReader struct {
	text    []byte
	file    string
	decoder *json.Decoder
	before  int64 // offset before the last token
}

func newJSONReader(text []byte, file string) *jsonReader {
	r := &jsonReader{text: text, file: file, decoder: json.NewDecoder(bytes.NewReader(text))}
	r.decoder.UseNumber()
	return r
}

// end reads the end of the policy and of the text.
func (r *jsonReader) end() error {
	if err := r.expect('}', "the end of the object"); err != nil {
		return err
	}
	r.before = r.decoder.InputOffset()
	if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
		return r.fault("text found after the policy; nothing more is allowed")
	}
	return nil
}

// fault returns an error at the last token.
func (r *jsonReader) fault(format string, arguments ...any) error {
	at := int(r.before)
	for at < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[at]) >= 0 {
		at++
	}
	return r.faultAt(at, fmt.Sprintf(format, arguments...))
}

func (r *jsonReader) faultAt(offset int, text string) error {
	before := r.text[:min(offset, len(r.text))]
	return &FileError{
		File: r.file, Line: 1 + bytes.Count(before, []byte("\n")),
		Column: len(before) - bytes.LastIndexByte(before, '\n'), Text: text,
	}
}

// token returns the next token.
func (r *jsonReader) token() (json.Token, error) {
	r.before = r.decoder.InputOffset()
	token, err := r.decoder.Token()
	if err == nil {
		return token, nil
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, r.fault("%v; JSON is allowed", syntax)
	}
	return nil, r.faultAt(len(r.text), "the file ends in the middle of the policy")
}

// shown returns a token as faults show it: in one line, that is not too long.
func shown(token json.Token) string {
	if text, ok := token.(string); ok {
		return fmt.Sprintf("%.60q", text)
	}
	return fmt.Sprintf("%.60v", token)
}

// expect reads a delimiter.
func (r *jsonReader) expect(want json.Delim, what string) error {
	token, err := r.token()
	if err == nil && token != want {
		err = r.fault("%s found; %s is allowed", shown(token), what)
	}
	return err
}

func (r *jsonReader) key(name string) error {
	token, err := r.token()
	if err == nil && token != name {
		err = r.fault("%s found; the key %q is allowed", shown(token), name)
	}
	return err
}

func (r *jsonReader) scalar(key, want string) error {
	if err := r.key(key); err != nil {
		return err
	}
	token, err := r.token()
	if err == nil && fmt.Sprint(token) != want {
		err = r.fault("%s is %s; allowed is %s", key, shown(token), want)
	}
	return err
}
