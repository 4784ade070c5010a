package serve

// Answers over HTTP: statuses, headers, bodies.

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// refusal is an error with its status in HTTP.
type refusal struct {
	status int
	text   string
}

func (e *refusal) Error() string { return e.text }

func badRequest(text string) error { return &refusal{http.StatusBadRequest, text} }

func missing(r *http.Request) error {
	return &refusal{http.StatusNotFound, fmt.Sprintf("there is no %s here: docs/api.md lists what there is", wording.Quote(r.URL.Path))}
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, err error) {
	why := refusalOf(err)
	h := w.Header()
	if why.status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	h.Set("Content-Type", contentTypes[".json"])
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(why.status)
	_, _ = w.Write(errorJSON(why)) // whoever has left needs no answer
}

// refusalOf returns what an error is to a client: those of the program are not shown.
func refusalOf(err error) *refusal {
	if why, ok := errors.AsType[*refusal](err); ok {
		return why
	}
	return &refusal{http.StatusInternalServerError, "internal failure"}
}

func errorJSON(why *refusal) []byte {
	body, err := json.Marshal(map[string]string{"error": why.text})
	if err != nil {
		panic("serve: " + err.Error()) // a text can be written
	}
	return body
}

// answer asks a verb what a request asks.
func (s *server) answer(w http.ResponseWriter, r *http.Request, e Endpoint) {
	query, err := queryOf(r)
	if err != nil {
		refuse(w, err)
		return
	}
	q, err := newQuestion(e, query)
	if err != nil {
		refuse(w, err)
		return
	}
	place, err := s.openWorkplace(w, r, e)
	if err != nil {
		w.Header().Set("Connection", "close") // the rest of the body is not read
		refuse(w, err)
		return
	}
	defer s.close(place)
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Time{}); err != nil { // the request is read
		refuse(w, err)
		return
	}
	j, err := s.job(q, place)
	if err != nil {
		refuse(w, err)
		return
	}
	ctx, leave, ok := s.gate.enter(r.Context())
	if !ok {
		refuse(w, &refusal{http.StatusServiceUnavailable, "too many questions at a time: ask again"})
		return
	}
	defer leave()
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept, Accept-Encoding")
	h.Set("X-Command-Line", j.commandLine)
	if strings.Contains(r.Header.Get("Accept"), eventStream) {
		s.stream(ctx, w, j)
		return
	}
	said, err := s.ask(ctx, j, nil)
	_ = control.SetWriteDeadline(time.Now().Add(writePatience)) // a connection that has none is gone
	if err != nil {
		refuse(w, err)
		return
	}
	h.Set("X-Exit-Status", strconv.Itoa(said.Status))
	for _, warning := range said.Warnings {
		h.Add("X-Warning", headerText(warning))
	}
	h.Set("Content-Type", contentTypes["."+q.output])
	if j.product != "" {
		h.Set("Content-Disposition", `attachment; filename="`+j.product+`"`)
		h.Set("Content-Type", contentTypes[path.Ext(j.product)])
	}
	send(w, r, said.Answer, nil)
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

// queryOf reads the query of a request.
func queryOf(r *http.Request) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badRequest("the query is not valid: use key=value&key=value, with %XX for other characters")
	}
	return query, nil
}

// send writes a body, packed where the client takes that; packed may be given.
func send(w http.ResponseWriter, r *http.Request, body, packed []byte) {
	const small = 1400 // fits into a packet
	h := w.Header()
	if len(body) > small && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		if packed == nil {
			packed = pack(body)
		}
		if len(packed) < len(body) {
			h.Set("Content-Encoding", "gzip")
			body = packed
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // whoever has left needs no answer
}

func pack(body []byte) []byte {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, _ = writer.Write(body) // into memory
	_ = writer.Close()
	return packed.Bytes()
}
