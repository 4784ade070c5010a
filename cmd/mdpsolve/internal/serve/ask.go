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

// Said is what a verb has said.
type Said struct {
	Status   int    // of its exit
	Answer   []byte // on standard output
	Failure  string // why it did not succeed
	Warnings []string
	messages []byte // on standard error, but for progress and warnings
	cut      bool   // the answer was longer than it may be
}

// Ask runs a command line, whose flags are to have --log json. Lines about its progress
// go to progress, if that is not nil. An answer of more than most bytes is a failure.
func Ask(ctx context.Context, run Run, args []string, progress func(line []byte), most int) Said {
	stdout := &bounded{most: most}
	stderr := &lines{progress: progress}
	status := run(ctx, args, stdout, stderr)
	said := Said{Status: status, Answer: stdout.Bytes(), Warnings: stderr.warnings, messages: stderr.kept, cut: stdout.full}
	for line := range strings.Lines(string(stderr.kept)) {
		if text, own := strings.CutPrefix(line, "mdpsolve: "); own {
			said.Failure = strings.TrimSpace(text) // the last one ends it
		}
	}
	return said
}

// bounded keeps what is written, up to a number of bytes.
type bounded struct {
	bytes.Buffer
	most int
	full bool
}

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		b.full = true
		return 0, io.ErrShortWrite
	}
	return b.Buffer.Write(p)
}

// lines reads what a verb says on standard error: lines of JSON about its progress,
// warnings, and why it failed.
type lines struct {
	progress func(line []byte) // nil: nobody is to know
	mutex    sync.Mutex
	begun    []byte // a line without its end
	warnings []string
	kept     []byte // all other lines
}

// mostKept bounds the messages of a verb.
const mostKept = 64 << 10

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
	if line[0] != '{' {
		l.keep(line)
		return
	}
	var said struct{ Warning string }
	if json.Unmarshal(line, &said) == nil && said.Warning != "" {
		l.warn(said.Warning)
	} else if l.progress != nil {
		l.progress(line)
	}
}

func (l *lines) keep(line []byte) {
	if len(l.kept)+len(line) > mostKept {
		return
	}
	l.kept = append(l.kept, line...)
	const leftOut = "mdpsolve: left out: "
	if row, is := strings.CutPrefix(string(line), leftOut); is {
		l.warn("left out: " + strings.TrimSpace(row))
	}
}

// mostWarnings bounds the warnings of an answer: its headers have them.
const mostWarnings = 20

func (l *lines) warn(text string) {
	if len(l.warnings) < mostWarnings {
		l.warnings = append(l.warnings, text)
	}
}
