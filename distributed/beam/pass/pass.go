// Package pass runs a function on every element of a job, as one Beam pipeline, and gathers
// what the function replies.
package pass

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/mdpsolve/mdpsolve/distributed/beam/store"
)

// A Function is what a pass does with each element. Workers, which may be other processes,
// find it by its name; its arguments and replies cross machines by package gob.
//
// It may be called again for an element that was done already, on another machine and at the
// same time, and is to do and reply the same each time.
type Function[Spec, Element, Reply any] struct{ name string }

// functions are those of [New], by name, on encoded values.
var functions = map[string]func(ctx context.Context, spec, element []byte) ([]byte, error){}

// New declares a function. It is called where variables of a package are declared, so that
// workers know the function, too; names are unique.
func New[Spec, Element, Reply any](name string, do func(context.Context, Spec, Element) (Reply, error)) Function[Spec, Element, Reply] {
	if functions[name] != nil {
		panic("pass: two functions are named " + name)
	}
	functions[name] = func(ctx context.Context, spec, element []byte) ([]byte, error) {
		var s Spec
		var e Element
		if err := errors.Join(decode(spec, &s), decode(element, &e)); err != nil {
			return nil, err
		}
		reply, err := do(ctx, s, e)
		if err != nil {
			return nil, err
		}
		return encode(reply)
	}
	return Function[Spec, Element, Reply]{name}
}

func encode(value any) ([]byte, error) {
	var data bytes.Buffer
	err := gob.NewEncoder(&data).Encode(value)
	return data.Bytes(), err
}

func decode(data []byte, value any) error { return gob.NewDecoder(bytes.NewReader(data)).Decode(value) }

// A FinalError is an error that another try would end with, too, such as bad input. Runners do
// not try it again.
type FinalError struct {
	Status int // exit status of a command that ends with it
	Text   string
}

// Error returns the text.
func (f *FinalError) Error() string { return f.Text }

// Run calls the function for all elements, on the runner that Beam's flags name, and returns
// the replies in their order. Replies pass through a file whose name begins with that of
// scratch, which workers and this process have to reach alike; it is gone when Run returns.
//
// Where elements have failed, the error is that of one of them. A pipeline that ends without
// all replies, such as one that was cancelled, is an error.
func (f Function[Spec, Element, Reply]) Run(ctx context.Context, scratch store.File, spec Spec, elements []Element) ([]Reply, error) {
	if len(elements) == 0 {
		return nil, nil // for which Beam has no pipeline
	}
	fn := &Fn{Name: f.name, Run: rand.Text()}
	var err error
	if fn.Spec, err = encode(spec); err != nil {
		return nil, err
	}
	items := make([][]byte, len(elements))
	for i, element := range elements {
		data, err := encode(element)
		if err != nil {
			return nil, err
		}
		if items[i], err = encode(item{i, data}); err != nil {
			return nil, err
		}
	}
	file := scratch + store.File("replies-"+fn.Run)
	defer func() { _ = file.Remove(context.WithoutCancel(ctx)) }() // it may never have been written
	err = fn.pipeline(ctx, items, file)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, failure(err.Error(), file)
	}
	return gather[Reply](ctx, file, len(elements))
}

// pipeline runs the pipeline, which writes the answers to a file, one a line.
func (fn *Fn) pipeline(ctx context.Context, items [][]byte, file store.File) error {
	p, root := beam.NewPipelineWithRoot()
	lanes := 1
	if *runners.Runner == "" || *runners.Runner == "prism" {
		lanes = runtime.GOMAXPROCS(0) // prism hands the elements of a transform to one goroutine
	}
	var answers []beam.PCollection
	for lane := range min(lanes, len(items)) {
		var own [][]byte
		for i := lane; i < len(items); i += lanes {
			own = append(own, items[i])
		}
		answers = append(answers, beam.ParDo(root, fn, beam.Reshuffle(root, beam.CreateList(root, own))))
	}
	textio.Write(root, string(file), beam.Flatten(root, answers...))
	defer fn.end()
	return beamx.Run(ctx, p)
}

// item is an element of the pipeline.
type item struct {
	Number  int
	Element []byte
}

// answer is a line of the file of answers.
type answer struct {
	Number int
	Reply  []byte
	Fault  *FinalError
}

// Fn is the one function that pipelines consist of.
type Fn struct {
	Name string
	Run  string // that asks
	Spec []byte
}

func init() {
	register.DoFn2x2[context.Context, []byte, string, error](&Fn{})
}

// busy bounds how many elements a process works on at a time, and with it the memory.
var busy = make(chan struct{}, runtime.GOMAXPROCS(0))

// A pipeline that fails may end while this process still works on elements. They must
// not write files after the files of the run have been removed.
var (
	atWork sync.RWMutex // read by each element
	ended  sync.Map     // runs that are over
)

// end waits until nobody in this process works for the run, and lets nobody begin.
func (fn *Fn) end() {
	atWork.Lock()
	ended.Store(fn.Run, true)
	atWork.Unlock()
}

// ProcessElement calls the function for an element, and returns the answer as a line. The
// runner tries again what fails.
func (fn *Fn) ProcessElement(ctx context.Context, text []byte) (line string, err error) {
	busy <- struct{}{}
	defer func() { <-busy }()
	atWork.RLock()
	defer atWork.RUnlock()
	if _, over := ended.Load(fn.Run); over {
		return "", errors.New("the pipeline has ended")
	}
	var it item
	if err := decode(text, &it); err != nil {
		return "", err
	}
	a := answer{Number: it.Number}
	a.Reply, err = functions[fn.Name](ctx, fn.Spec, it.Element)
	if err != nil && !errors.As(err, &a.Fault) {
		return "", errors.New(failBegin + err.Error() + failEnd)
	}
	data, err := json.Marshal(a)
	return string(data), err
}

// gather reads the answers.
func gather[Reply any](ctx context.Context, file store.File, n int) ([]Reply, error) {
	replies, found := make([]Reply, n), make([]bool, n)
	data, err := file.Read(ctx)
	if err != nil && !file.Gone(ctx) {
		return nil, err
	}
	for line := range bytes.Lines(data) {
		var a answer
		if err := json.Unmarshal(line, &a); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if a.Fault != nil {
			return nil, a.Fault
		}
		if err := decode(a.Reply, &replies[a.Number]); err != nil {
			return nil, err
		}
		found[a.Number] = true
	}
	if i := slices.Index(found, false); i >= 0 {
		return nil, fmt.Errorf("the pipeline ended without an answer for part %d of %d: it was cancelled, or a worker does not reach %v", i+1, n, file)
	}
	return replies, nil
}

// Runners add words of their own to the error of a function. Its text stands between these two.
const failBegin, failEnd = "the function failed: ", " (end of failure)"

// failure returns what a function has said in a text of Beam; or the text, which has a line
// for each cause, as one line, with the file that the pipeline was to write.
func failure(text string, file store.File) error {
	const first, last = 100, 300 // the cause comes last
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "caused by:", "")), " ")
	if _, rest, found := strings.Cut(text, failBegin); found {
		said, _, _ := strings.Cut(rest, failEnd)
		return errors.New(said)
	}
	if len(text) > first+last {
		text = text[:first] + " … " + text[len(text)-last:]
	}
	return fmt.Errorf("the pipeline for %v failed: %s", file, text)
}
