package serve

// Answers over HTTP: statuses, headers, bodies, and streams of events.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// refusal is an error with its status in HTTP.
type refusal struct {
	status int
	text   string
}

func (e *refusal) Error() string { return e.text }

func badRequest(format string, args ...any) error {
	return &refusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func missing(r *http.Request) error {
	return &refusal{http.StatusNotFound, fmt.Sprintf("%s not found: see docs/server.md", wording.Quote(r.URL.Path))}
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, err error) {
	status, body := faultOf(err)
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.Header().Set("Content-Type", contentTypes[".json"])
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // a client that has left needs no answer
}

// faultOf returns an error for the client; failures of the program are hidden.
func faultOf(err error) (status int, body []byte) {
	why, ok := errors.AsType[*refusal](err)
	if !ok {
		why = &refusal{http.StatusInternalServerError, "internal failure"}
	}
	body, err = json.Marshal(map[string]string{"error": wording.Line(why.text)})
	if err != nil {
		panic("serve: " + err.Error()) // a string always has a form in JSON
	}
	return why.status, body
}

// answer answers a request by running its verb.
func (s *server) answer(w http.ResponseWriter, r *http.Request, e Endpoint) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	folder, err := os.MkdirTemp(s.folder, "")
	if err != nil {
		refuse(w, err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }() // serve removes the folder that contains it
	r.Body = http.MaxBytesReader(w, r.Body, s.limits.upload)
	q, err := s.read(r, e, folder)
	if err != nil {
		refuse(w, err)
		return
	}
	ctx, end, err := s.turns.begin(r.Context(), s.limits.moment)
	if err != nil {
		refuse(w, err)
		return
	}
	defer end()
	h.Set("X-Command-Line", q.commandLine)
	if strings.Contains(r.Header.Get("Accept"), eventStream) {
		s.stream(ctx, w, q)
		return
	}
	var told heard
	answer, file, ended, err := s.ask(ctx, q, &told)
	if err != nil {
		refuse(w, err)
		return
	}
	h.Set("X-Exit-Status", strconv.Itoa(ui.ExitStatus(ended)))
	for _, warning := range told.warnings {
		h.Add("X-Warning", headerText(warning))
	}
	h.Set("Content-Type", contentTypes["."+q.output])
	if q.product != "" {
		h.Set("Content-Disposition", `attachment; filename="`+q.product+`"`)
		h.Set("Content-Type", cmp.Or(contentTypes[path.Ext(q.product)], "application/octet-stream"))
		answer = file
	}
	_, _ = w.Write(answer) // a client that has left needs no answer
}

const eventStream = "text/event-stream"

// stream runs a verb and sends its progress and, before the answer, the file to download. If the client
// leaves, the solve ends.
func (s *server) stream(ctx context.Context, w http.ResponseWriter, q *request) {
	w.Header().Set("Content-Type", eventStream)
	control := http.NewResponseController(w)
	event := func(name string, data []byte) {
		var text bytes.Buffer
		text.WriteString("event: " + name + "\n")
		for line := range bytes.Lines(bytes.ReplaceAll(data, []byte{'\r'}, []byte{'\n'})) { // either ends a line of a stream
			fmt.Fprintf(&text, "data: %s\n", bytes.TrimRight(line, "\n"))
		}
		text.WriteByte('\n')
		_, _ = w.Write(text.Bytes()) // where the client has left, ctx ends
		_ = control.Flush()
	}
	answer, file, _, err := s.ask(ctx, q, &heard{progress: func(line []byte) { event("progress", line) }})
	if err != nil {
		_, fault := faultOf(err)
		event("error", fault)
		return
	}
	if file != nil {
		event("file", append(file, '\n')) // each line of an event is ended
	}
	event("result", answer)
}

// headerText writes a text as a string of JSON in ASCII, for a header.
func headerText(text string) string {
	out := []byte{'"'}
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit < ' ' || unit > '~' || unit == '"' || unit == '\\' {
			out = fmt.Appendf(out, `\u%04x`, unit)
			continue
		}
		out = append(out, byte(unit))
	}
	return string(append(out, '"'))
}
