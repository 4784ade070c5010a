package serve

// The verb worker: answers for a program that started it, over pipes.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// WorkerCommand is the verb worker; run gives the answers of verbs.
func WorkerCommand(run Run) *cli.Command {
	return &cli.Command{
		Name:      "worker",
		Usage:     "answer questions of a program, one a line on standard input",
		UsageText: "mdpsolve worker",
		Description: `Reads questions in JSON from standard input, one a line, answers each with a line of JSON
on standard output, and ends when its input does. So a program that asks often pays for
the start of the command once. A question is a command line:

  {"arguments": ["info", "model.json", "--output=json"]}

docs/server.md has the form of questions and answers, and an example in Python.

The line cancel, or an interruption, ends the running question, whose answer is the best
one so far. The environment variable GOMEMLIMIT limits memory.

Examples:
  mdpsolve worker < questions.jsonl`,
		Action: ui.Action(func(a *ui.Arguments) error {
			ui.ProgressOf(a.CLI.Context).Stop() // questions have none
			w := &worker{run: run, out: a.CLI.App.Writer, errors: a.CLI.App.ErrWriter}
			return w.work(ui.Unwatched(ui.InService(context.WithoutCancel(a.CLI.Context), math.MaxInt64)), a.CLI.App.Reader)
		}),
	}
}

// worker answers questions one after the other.
type worker struct {
	run    Run
	out    io.Writer
	errors io.Writer // for failures of the program
	given  mapping
	file   bytes.Buffer // the file that the last question asked for; the next one uses its memory

	mutex  sync.Mutex
	cancel context.CancelFunc // of the running question; nil if none runs
}

// question is a line of standard input.
type question struct {
	Arguments []string `json:"arguments"` // of a command line, without the name of the program
	Folder    string   `json:"folder"`    // where the question finds files; "" for the folder of the worker

	Given   given  `json:"given"`   // a file in memory
	Returns string `json:"returns"` // the name of a file .npz that is not written, but follows the line of the answer
	To      string `json:"to"`      // where that file goes if it is large, such as memory; "" for behind the line

	// Bytes says that each character of the texts above stands for one byte, as is needed for names
	// of files that are not in UTF-8.
	Bytes bool `json:"bytes"`
}

// given is a file that stands for the file of a name among the arguments.
type given struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// reply is a line of standard output.
type reply struct {
	Status   int             `json:"status"`             // the exit status of the command
	Answer   json.RawMessage `json:"answer,omitempty"`   // of --output json
	Text     string          `json:"text,omitempty"`     // what else a verb prints
	Error    string          `json:"error,omitempty"`    // why the status is not 0
	Warnings []string        `json:"warnings,omitempty"` // that the command prints on standard error
	Bytes    int             `json:"bytes,omitempty"`    // of the file that the question asks for, which follows the line
	Stored   int             `json:"stored,omitempty"`   // of that file, if it is where the question wants it
}

// work answers the questions of in until it ends, or until a signal to end comes.
func (w *worker) work(ctx context.Context, in io.Reader) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	lines, ended := make(chan []byte), make(chan error, 1)
	over, terminated := make(chan struct{}), make(chan struct{})
	defer close(over)
	parent := os.Getppid()
	go func() {
		ended <- w.read(in, lines)
		for os.Getppid() == parent {
			select {
			case <-over:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
		w.interrupt() // nobody waits for the running question
	}()
	go func() {
		for {
			select {
			case <-over:
				return
			case s := <-signals:
				if w.interrupt(); s == syscall.SIGTERM {
					close(terminated)
					return
				}
			}
		}
	}()
	ui.LimitGarbage()
	// The first questions find memory that the system has provided already.
	touch(make([]byte, 8<<20))
	runtime.GC()
	allocated := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(allocated)
	collected := allocated[0].Value.Uint64()
	const idle, much = time.Second, 4 << 20
	for {
		// The lists of a large question go back to the system when no other follows.
		rest := time.AfterFunc(idle, debug.FreeOSMemory)
		select {
		case line := <-lines:
			rest.Stop()
			if err := w.answer(ctx, line); err != nil {
				return err
			}
			metrics.Read(allocated)
			if now := allocated[0].Value.Uint64(); now > collected+much {
				collected = now
				go runtime.GC() // while the program reads; the next question finds the same memory again
			}
		case err := <-ended:
			rest.Stop()
			return err
		case <-terminated:
			rest.Stop()
			return nil
		}
	}
}

// touch writes to each page of memory.
func touch(memory []byte) {
	for i := 0; i < len(memory); i += 1 << 12 {
		memory[i] = 1
	}
}

// read sends the lines of in that are questions.
func (w *worker) read(in io.Reader, questions chan<- []byte) error {
	for text := bufio.NewReader(in); ; {
		line, err := text.ReadBytes('\n')
		switch word := bytes.TrimSpace(line); {
		case string(word) == "cancel":
			w.interrupt()
		case len(word) > 0:
			questions <- word
			runtime.Gosched() // this thread goes on with the question, and another waits for the next line
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// interrupt ends the running question.
func (w *worker) interrupt() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.cancel != nil {
		w.cancel()
	}
}

// few is how many bytes a pipe takes at once.
const few = 1 << 16

// lineBytes is the least length of a line that a file follows: the Python package reads so many bytes first, and
// then the file without copying it again.
const lineBytes = 64

// answer answers one question.
func (w *worker) answer(ctx context.Context, line []byte) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mutex.Lock()
	w.cancel = cancel
	w.mutex.Unlock()
	reply, content := w.ask(ctx, line)
	text, err := json.Marshal(reply)
	if err != nil {
		return err
	}
	w.mutex.Lock()
	w.cancel = nil
	w.mutex.Unlock()
	if len(content) > 0 {
		text = append(text, bytes.Repeat([]byte{' '}, max(0, lineBytes-1-len(text)))...)
	}
	text = append(text, '\n')
	if len(content) < few {
		text, content = append(text, content...), nil
	}
	_, err = w.out.Write(text)
	if err == nil && len(content) > 0 {
		_, err = w.out.Write(content)
	}
	if w.file.Cap() > kept {
		w.file = bytes.Buffer{}
	}
	return err
}

// kept is the size in bytes up to which the memory of a file is kept for the next one.
const kept = 1 << 22

// ask runs the command line of a question. content is the file that the question asks for, until the next
// call.
func (w *worker) ask(ctx context.Context, line []byte) (answer reply, content []byte) {
	var q question
	if err := jsonscan.Decode(bytes.NewReader(line), "question", true, &q); err != nil {
		return refused(wording.Line(err.Error()) + ": use {\"arguments\": [WORD, …], \"folder\": FOLDER}")
	}
	if err := q.decode(); err != nil {
		return refused(err.Error())
	}
	switch {
	case len(q.Arguments) == 0 || slices.Contains([]string{"worker", "help", "version"}, q.Arguments[0]):
		return refused("arguments: use a verb other than worker, help and version, and its flags; or --help or --version")
	case q.Returns != "" && !strings.HasSuffix(q.Returns, ".npz"):
		return refused(fmt.Sprintf("returns: %s is not valid: use a name that ends in .npz", wording.Quote(q.Returns)))
	}
	leave, err := enter(q.Folder)
	if err != nil {
		return refused(fmt.Sprintf("folder: %s: %s", wording.Short(q.Folder), ui.PathFault(err, "folder")))
	}
	defer leave()
	w.file.Reset()
	files := &ui.Handover{Given: q.Given.Name, Returned: q.Returns, Content: &w.file}
	if q.Given.Name != "" {
		if files.Data, err = w.given.open(q.Given.Path); err != nil {
			return refused(fmt.Sprintf("given: %s: %s", wording.Short(q.Given.Path), ui.PathFault(err, "file")))
		}
	}
	var told heard
	var printed bytes.Buffer
	var stdout io.Writer = &printed
	if q.Returns != "" {
		stdout = io.Discard
	}
	args := append([]string{"mdpsolve"}, q.Arguments...)
	if isVerb := !strings.HasPrefix(args[1], "-"); isVerb && !slices.ContainsFunc(args, func(word string) bool { return strings.HasPrefix(word, "--quiet") || strings.HasPrefix(word, "--log") }) {
		args = slices.Insert(args, len(args), "--log=json")
	}
	err = w.run(ui.WithHandover(ctx, files), args, stdout, &told)
	content = files.Content.Bytes()
	r := reply{Status: ui.ExitStatus(err), Warnings: told.warnings}
	if q.To != "" && len(content) >= few && w.given.overwrite(q.To, content) == nil {
		r.Stored, content = len(content), nil
	}
	r.Bytes = len(content)
	if err != nil {
		r.Error = wording.Line(err.Error())
		if r.Status == ui.ExitFailure {
			fmt.Fprintln(w.errors, "mdpsolve: "+err.Error()) // with a stack
			r.Error, _, _ = strings.Cut(err.Error(), "\n")
		}
	}
	if json.Valid(printed.Bytes()) {
		r.Answer = printed.Bytes()
	} else {
		r.Text = printed.String()
	}
	return r, content
}

// overwrite writes a file over the start of that of a path, which keeps its length if it is longer.
func overwrite(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(content, 0) // the file may share its place with that of the program
	return errors.Join(err, file.Close())
}

// refused answers a question that is not valid.
func refused(why string) (reply, []byte) { return reply{Status: ui.ExitUsage, Error: why}, nil }

// decode makes texts of characters that stand for bytes.
func (q *question) decode() (err error) {
	if !q.Bytes {
		return nil
	}
	ofBytes := func(text string) (string, error) {
		var raw []byte
		for _, character := range text {
			if character > math.MaxUint8 {
				return "", fmt.Errorf("bytes: %q is no byte: use characters up to U+00FF", character)
			}
			raw = append(raw, byte(character))
		}
		return string(raw), nil
	}
	if q.Folder, err = ofBytes(q.Folder); err != nil {
		return err
	}
	for i, word := range q.Arguments {
		if q.Arguments[i], err = ofBytes(word); err != nil {
			return err
		}
	}
	return nil
}

// enter changes to a folder; leave goes back, so that the folder can be removed.
func enter(folder string) (leave func(), err error) {
	if folder == "" {
		return func() {}, nil
	}
	before, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return func() { _ = os.Chdir(before) }, os.Chdir(folder)
}
