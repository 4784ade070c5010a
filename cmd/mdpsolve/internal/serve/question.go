package serve

// A question to a verb: from the query to the arguments, and from what the verb prints
// to an answer.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// question is what a request asks a verb.
type question struct {
	Endpoint
	asked    []Flag
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
	flags       []Flag
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
		j.flags = append(j.flags, Flag{Name: q.Files, Value: place.names[0]})
	}
	if place.policy != "" {
		j.flags = append(j.flags, Flag{Name: "policy", Value: place.policy})
	}
	j.flags = append(j.flags, Flag{Name: "output", Value: q.output})
	if q.download != "" {
		j.product = j.newName()
		if name := q.Downloads[q.download]; name != "" {
			j.flags = append(j.flags, Flag{Name: name, Value: j.product})
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
	j.commandLine = CommandLine(q.Verb, shown, j.operands)
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
		if slices.Contains(files, f.Name) {
			f.Value = filepath.Join(j.place.folder, f.Value)
		}
		args = append(args, f.Argument())
	}
	args = append(args, "--log="+ui.FormatJSON)
	for _, operand := range j.operands {
		args = append(args, filepath.Join(j.place.folder, operand))
	}
	return args
}

// ask runs the verb. Lines about its progress go to progress, if that is not nil. What
// is said has the names under which files were sent.
func (s *server) ask(ctx context.Context, j *job, progress func(line []byte)) (Said, error) {
	const grace = 5 * time.Second // for verbs that keep to a time themselves
	ctx = ui.WithMemory(ui.InService(ctx), s.limits.memory)
	ctx, cancel := context.WithTimeout(ctx, s.limits.time+grace)
	defer cancel()
	said := Ask(ctx, s.run, j.arguments(), progress, s.limits.answer)
	said.Answer = j.place.withoutFolder(said.Answer)
	said.Failure = string(j.place.withoutFolder([]byte(said.Failure)))
	for i, warning := range said.Warnings {
		said.Warnings[i] = string(j.place.withoutFolder([]byte(warning)))
	}
	switch {
	case said.cut:
		return said, &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the answer has more than %d bytes: use mdpsolve without the page", s.limits.answer)}
	case said.Status == ui.ExitFailure:
		s.report.Printf("%s: %s", j.commandLine, said.messages)
		return said, &refusal{http.StatusInternalServerError, said.Failure}
	case said.Status == ui.ExitUsage && strings.Contains(said.Failure, " of memory"):
		return said, &refusal{http.StatusRequestEntityTooLarge, said.Failure}
	case said.Status == ui.ExitUsage:
		return said, badRequest(said.Failure)
	}
	if j.product != "" {
		var err error
		if said.Answer, err = os.ReadFile(filepath.Join(j.place.folder, j.product)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return said, err
		}
	}
	if len(said.Answer) == 0 {
		return said, &refusal{http.StatusUnprocessableEntity, said.Failure}
	}
	return said, nil
}

// limitTime makes sure that --time-limit is no more than the most; added says that there
// was none.
func limitTime(flags []Flag, most time.Duration) (limited []Flag, added bool) {
	limit := Flag{Name: "time-limit", Value: fmt.Sprint(most.Seconds())}
	limited = append(limited, flags...)
	for i, f := range limited {
		if f.Name != limit.Name {
			continue
		}
		if seconds, err := number.Parse(f.Value); err == nil && seconds > most.Seconds() {
			limited[i] = limit
		}
		return limited, false // what is no number is refused by the verb
	}
	return append(limited, limit), true
}

// withoutFolder removes the name of the folder from a text.
func (place *workplace) withoutFolder(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte(place.folder+string(filepath.Separator)), nil)
}
