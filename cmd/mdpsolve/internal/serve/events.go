package serve

// Answers as a stream of events: how far a solve is, and what it comes to.

import (
	"bytes"
	"context"
	"net/http"
	"time"
)

const eventStream = "text/event-stream"

// stream asks a verb, and tells its progress. A reader who leaves, or takes no events
// for some time, ends the solve.
func (s *server) stream(ctx context.Context, w http.ResponseWriter, j *job) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.Header().Set("Content-Type", eventStream)
	control := http.NewResponseController(w)
	gone := false
	event := func(name string, data []byte) {
		if gone {
			return
		}
		_ = control.SetWriteDeadline(time.Now().Add(writePatience)) // a connection that has none is gone
		var text bytes.Buffer
		text.WriteString("event: " + name + "\n")
		for line := range bytes.Lines(bytes.ReplaceAll(data, []byte{'\r'}, []byte{'\n'})) { // either ends a line of a stream
			text.WriteString("data: ")
			text.Write(bytes.TrimRight(line, "\n"))
			text.WriteByte('\n')
		}
		text.WriteByte('\n')
		if _, err := w.Write(text.Bytes()); err != nil || control.Flush() != nil {
			gone = true
			cancel()
		}
	}
	said, err := s.ask(ctx, j, func(line []byte) { event("progress", line) })
	if err != nil {
		event("error", errorJSON(refusalOf(err)))
		return
	}
	event("result", said.Answer)
}
