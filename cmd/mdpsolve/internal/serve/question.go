package serve

// A question to a verb: from the query to the arguments, and from what the verb prints
// to an answer.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// question is what a request asks a verb.
type question struct {
	Endpoint
	asked    []flag
	output   string // format of the answer
	download string // the file that is wanted in its place, by its name or its ending; "" for none
}

// newQuestion reads a query.
func newQuestion(e Endpoint, query url.Values) (question, error) {
	q := question{Endpoint: e, output: ui.FormatJSON}
	var err error
	if q.asked, err = e.flags(query); err != nil {
		return q, badRequest(err.Error())
	}
	if query.Has("output") {
		if q.output = query.Get("output"); q.output != ui.FormatJSON && q.output != ui.FormatCSV {
			return q, badRequest(fmt.Sprintf("--output: %s is not valid here: use json or csv", wording.Quote(q.output)))
		}
	}
	q.download = query.Get("download")
	if _, known := e.Downloads[q.download]; !known && (q.download != "" || e.Verb == "convert") {
		return q, badRequest(fmt.Sprintf("download: %s is not valid: use %s", wording.Quote(q.download), ui.Enumerate(slices.Sorted(maps.Keys(e.Downloads)))))
	}
	return q, nil
}

// job is a question with the files that it is about.
type job struct {
	question
	place       *workplace
	flags       []flag
	operands    []string
	product     string // the file that the verb is to write; "" for none
	limitAdded  bool   // --time-limit is not the reader's
	commandLine string // that gives the same answer
}

// job looks up the files of a question.
func (s *server) job(q question, place *workplace) (*job, error) {
	j := &job{question: q, place: place, flags: slices.Clone(q.asked)}
	switch {
	case q.Files == modelOperand:
		model, err := place.model()
		if err != nil {
			return nil, err
		}
		j.operands = []string{model}
	case q.Files != "" && len(place.names) > 1:
		return nil, badRequest("more than one file: send one")
	case q.Files != "":
		j.flags = append(j.flags, flag{name: q.Files, value: place.names[0]})
	}
	if place.policy != "" {
		j.flags = append(j.flags, flag{name: "policy", value: place.policy})
	}
	j.flags = append(j.flags, flag{name: "output", value: q.output})
	if q.download != "" {
		j.product = j.newName()
		if name := q.Downloads[q.download]; name != "" {
			j.flags = append(j.flags, flag{name: name, value: j.product})
		} else {
			j.operands = append(j.operands, j.product)
		}
	}
	if q.timed {
		j.flags, j.limitAdded = limitTime(j.flags, s.limits.time)
	}
	shown := j.flags
	if j.limitAdded { // it makes no difference, or the answer's status says so
		shown = shown[:len(shown)-1]
	}
	j.commandLine = commandLine(q.Verb, shown, j.operands)
	return j, nil
}

// newName names the file that a download writes, which is none of those that came.
func (j *job) newName() string {
	name := j.download
	if !strings.Contains(name, ".") {
		name = strings.ReplaceAll(j.Name, "/", "-") + "." + name
	}
	for j.place.has(name) {
		name = "new-" + name
	}
	return name
}

// arguments returns the command line with the full names of files, for a program.
func (j *job) arguments() []string {
	args := append([]string{"mdpsolve"}, strings.Fields(j.Verb)...)
	files := []string{j.Files, "policy", j.Downloads[j.download]}
	for _, f := range j.flags {
		if slices.Contains(files, f.name) {
			f.value = filepath.Join(j.place.folder, f.value)
		}
		args = append(args, f.argument())
	}
	args = append(args, "--log="+ui.FormatJSON)
	for _, operand := range j.operands {
		args = append(args, filepath.Join(j.place.folder, operand))
	}
	return args
}

// answered is what a verb has answered.
type answered struct {
	status   int    // of its exit
	body     []byte // what it printed, or the file that was wanted
	failure  string // why it did not succeed
	warnings []string
}

// ask runs the verb. Lines about its progress go to progress, if that is not nil.
func (s *server) ask(ctx context.Context, j *job, progress func(line []byte)) (answered, error) {
	const grace = 5 * time.Second // for verbs that keep to a time themselves
	ctx, cancel := context.WithTimeout(ui.InService(ctx), s.limits.time+grace)
	defer cancel()
	stdout := &bounded{most: s.limits.answer}
	stderr := &lines{progress: progress}
	var a answered
	a.status = s.run(ctx, j.arguments(), stdout, stderr)
	a.failure, a.warnings = stderr.messages(j.place)
	switch {
	case stdout.full:
		return a, &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the answer has more than %d bytes: use mdpsolve without the page", stdout.most)}
	case a.status == ui.ExitFailure:
		s.report.Printf("%s: %s", j.commandLine, stderr.kept)
		return a, &refusal{http.StatusInternalServerError, a.failure}
	case a.status == ui.ExitUsage:
		return a, badRequest(a.failure)
	}
	a.body = j.place.withoutFolder(stdout.Bytes())
	if j.product != "" {
		var err error
		if a.body, err = os.ReadFile(filepath.Join(j.place.folder, j.product)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return a, err
		}
	}
	if len(a.body) == 0 {
		return a, &refusal{http.StatusUnprocessableEntity, a.failure}
	}
	return a, nil
}

// limitTime makes sure that --time-limit is no more than the most; added says that there
// was none.
func limitTime(flags []flag, most time.Duration) (limited []flag, added bool) {
	limit := flag{name: "time-limit", value: fmt.Sprint(most.Seconds())}
	limited = append(limited, flags...)
	for i, f := range limited {
		if f.name != limit.name {
			continue
		}
		if seconds, err := number.Parse(f.value); err == nil && seconds > most.Seconds() {
			limited[i] = limit
		}
		return limited, false // what is no number is refused by the verb
	}
	return append(limited, limit), true
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

// messages returns why a verb has failed, "" if it does not say, and its warnings. Files
// have the names under which they were sent.
func (l *lines) messages(place *workplace) (failure string, warnings []string) {
	for line := range strings.Lines(string(l.kept)) {
		if text, own := strings.CutPrefix(line, "mdpsolve: "); own {
			failure = string(place.withoutFolder([]byte(strings.TrimSpace(text)))) // the last one ends it
		}
	}
	for _, warning := range l.warnings {
		warnings = append(warnings, string(place.withoutFolder([]byte(warning))))
	}
	return failure, warnings
}

// withoutFolder removes the name of the folder from a text.
func (place *workplace) withoutFolder(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte(place.folder+string(filepath.Separator)), nil)
}
