package serve

// What a verb prints, taken apart.

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
)

// Run executes a command line and returns its exit status. It must be safe to run
// several at once.
type Run func(ctx context.Context, args []string, stdout, stderr io.Writer) int

// Said is what a verb has said.
type Said struct {
	Status   int    // of its exit
	Answer   []byte // on standard output
	Failure  string // why it did not succeed
	Warnings []string
}

// Ask runs a verb with flags and operands, for an answer as JSON unless a flag says
// otherwise. Lines about its progress go to progress, if that is not nil.
func Ask(ctx context.Context, run Run, verb string, flags []Flag, operands []string, progress func(line []byte)) Said {
	args := append([]string{"mdpsolve"}, strings.Fields(verb)...)
	for _, f := range append(flags, Flag{Name: "log", Value: "json"}) {
		args = append(args, f.argument())
	}
	var stdout bytes.Buffer
	stderr := &lines{progress: progress}
	status := run(ctx, append(args, operands...), &stdout, stderr)
	return Said{Status: status, Answer: stdout.Bytes(), Failure: stderr.failure, Warnings: stderr.warnings}
}

// lines reads what a verb says on standard error: lines of JSON about its progress,
// warnings, and last why it failed.
type lines struct {
	progress func(line []byte) // nil: nobody is to know
	mutex    sync.Mutex
	begun    []byte // a line without its end
	warnings []string
	failure  string
}

// Write implements [io.Writer].
func (l *lines) Write(p []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.begun = append(l.begun, p...)
	for {
		end := bytes.IndexByte(l.begun, '\n')
		if end < 0 {
			return len(p), nil
		}
		l.read(l.begun[:end+1])
		l.begun = l.begun[end+1:]
	}
}

func (l *lines) read(line []byte) {
	var said struct{ Warning string }
	text, own := strings.CutPrefix(strings.TrimSpace(string(line)), "mdpsolve: ")
	switch {
	case own && strings.HasPrefix(text, "left out: "):
		l.warn(text)
	case own:
		l.failure = text
	case line[0] != '{' || json.Unmarshal(line, &said) != nil:
		l.failure += "\n" + text // as the stack of a failure of the program
	case said.Warning != "":
		l.warn(said.Warning)
	case l.progress != nil:
		l.progress(line)
	}
}

func (l *lines) warn(text string) {
	const most = 20 // the headers of an answer have them
	if len(l.warnings) < most {
		l.warnings = append(l.warnings, text)
	}
}
