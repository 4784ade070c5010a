// Package pass runs a function on every element of a job, as one Beam pipeline, and gathers
// what the function replies.
package pass

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/sourcegraph/conc/pool"

	"github.com/mdpsolve/mdpsolve/distributed/beam/store"
)

// A Function is what a pass does with each element. Workers, which may be other processes,
// find it by its name; what it is given and what it replies crosses machines as JSON.
//
// It may be called again for an element that was done already, on another machine and at the
// same time, and is to do and reply the same each time.
type Function[Spec, Element, Reply any] struct{ name string }

// functions are those of [New], by name, on text.
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
		if err := errors.Join(json.Unmarshal(spec, &s), json.Unmarshal(element, &e)); err != nil {
			return nil, err
		}
		reply, err := do(ctx, s, e)
		if err != nil {
			return nil, err
		}
		return json.Marshal(reply)
	}
	return Function[Spec, Element, Reply]{name}
}

// A FinalError is an error that another try would end with, too, such as bad input. Runners do
// not try it again.
type FinalError struct {
	Status int // exit status of a command that ends with it
	Text   string
}

// Error returns the text.
func (f *FinalError) Error() string { return f.Text }

// Run calls the function for all elements, on the runner that Beam's flags name, and returns
// the replies in their order. Replies pass through files whose names begin with that of
// scratch, which workers and this process have to reach alike; they are gone when Run returns,
// but for those that a worker elsewhere writes after a pipeline has failed.
//
// Where an element has failed, the error is that of the first one which did, or a [FinalError].
// A pipeline that ends without all replies, such as one that was cancelled, is an error.
func (f Function[Spec, Element, Reply]) Run(ctx context.Context, scratch store.File, spec Spec, elements []Element) ([]Reply, error) {
	if len(elements) == 0 {
		return nil, nil // for which Beam has no pipeline
	}
	fn := &Fn{Name: f.name, Run: rand.Text(), Scratch: scratch.With("." + f.name)}
	var err error
	if fn.Spec, err = json.Marshal(spec); err != nil {
		return nil, err
	}
	items := make([][]byte, len(elements))
	for i, element := range elements {
		data, err := json.Marshal(element)
		if err != nil {
			return nil, err
		}
		if items[i], err = json.Marshal(item{i, data}); err != nil {
			return nil, err
		}
	}
	defer fn.clean(context.WithoutCancel(ctx), len(elements))
	return gather[Reply](ctx, fn, len(elements), fn.pipeline(ctx, items))
}

// pipeline runs the pipeline.
func (fn *Fn) pipeline(ctx context.Context, items [][]byte) error {
	p, root := beam.NewPipelineWithRoot()
	lanes := 1
	if *runners.Runner == "" || *runners.Runner == "prism" {
		lanes = runtime.GOMAXPROCS(0) // prism hands the elements of a transform to one goroutine
	}
	for lane := range min(lanes, len(items)) {
		var own [][]byte
		for i := lane; i < len(items); i += lanes {
			own = append(own, items[i])
		}
		done := beam.ParDo(root, fn, beam.Reshuffle(root, beam.CreateList(root, own)))
		// Without an output that another stage takes, prism waits for the function in a loop
		// that keeps a core busy.
		beam.ParDo0(root, ignore, beam.Reshuffle(root, done))
	}
	return beamx.Run(ctx, p)
}

// item is an element of the pipeline.
type item struct {
	Number  int
	Element json.RawMessage
}

// answer is what a file of replies holds.
type answer struct {
	Run   string // of which it is: a file may be left from a run that was killed
	Reply json.RawMessage
	Error string
	Fault *FinalError
}

// Fn is the one function that pipelines consist of.
type Fn struct {
	Name    string
	Run     string // that asks
	Spec    []byte
	Scratch store.File
}

func init() {
	register.DoFn2x2[context.Context, []byte, int, error](&Fn{})
	register.Function1x0(ignore)
}

// ignore takes the numbers of elements that are done.
func ignore(int) {}

// busy bounds how many elements a process works on at a time, and with it the memory.
var busy = make(chan struct{}, runtime.GOMAXPROCS(0))

// A pipeline that fails may end while elements are still worked on in this process. Replies
// of these must not come after the others have been removed.
var (
	atWork sync.RWMutex // read by each element
	ended  sync.Map     // runs that are over
)

// ProcessElement calls the function for an element and writes what it replies. It returns
// the number of the element.
func (fn *Fn) ProcessElement(ctx context.Context, text []byte) (number int, err error) {
	busy <- struct{}{}
	defer func() { <-busy }()
	atWork.RLock()
	defer atWork.RUnlock()
	if _, over := ended.Load(fn.Run); over {
		return 0, errors.New("the pipeline has ended")
	}
	var it item
	if err := json.Unmarshal(text, &it); err != nil {
		return 0, err
	}
	a := answer{Run: fn.Run}
	reply, err := functions[fn.Name](ctx, fn.Spec, it.Element)
	switch {
	case errors.As(err, &a.Fault):
		err = nil
	case err != nil:
		a.Error = err.Error()
	default:
		a.Reply = reply
	}
	data, failed := json.Marshal(a)
	if failed == nil {
		failed = fn.file(it.Number).WriteAll(ctx, data)
	}
	return it.Number, errors.Join(err, failed)
}

func (fn *Fn) file(number int) store.File { return fn.Scratch.With(fmt.Sprintf("-%05d", number)) }

// gather reads the replies. ended is what the pipeline ended with.
func gather[Reply any](ctx context.Context, fn *Fn, n int, ended error) ([]Reply, error) {
	replies, answers := make([]Reply, n), make([]answer, n)
	each(n, func(i int) {
		if data, err := fn.file(i).Read(ctx); err != nil || json.Unmarshal(data, &answers[i]) != nil || answers[i].Run != fn.Run {
			answers[i] = answer{} // there is none, or none of this run
		}
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for _, a := range answers {
		if a.Fault != nil {
			return nil, a.Fault
		}
	}
	for i, a := range answers {
		switch {
		case a.Error != "":
			return nil, errors.New(a.Error)
		case ended != nil:
			continue
		case a.Reply == nil:
			return nil, fmt.Errorf("the pipeline ended without an answer for part %d of %d: it was cancelled, or a worker does not reach %v", i+1, n, fn.Scratch)
		}
		if err := json.Unmarshal(a.Reply, &replies[i]); err != nil {
			return nil, err
		}
	}
	if ended != nil {
		return nil, fmt.Errorf("the pipeline failed: %s", oneLine(ended.Error()))
	}
	return replies, nil
}

// oneLine returns a text of Beam, which has a line for each cause, as one line.
func oneLine(text string) string {
	const first, last = 100, 300 // the cause comes last
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "caused by:", "")), " ")
	if len(text) <= first+last {
		return text
	}
	return text[:first] + " … " + text[len(text)-last:]
}

// clean removes the files of replies, once nobody in this process writes any.
func (fn *Fn) clean(ctx context.Context, n int) {
	ended.Store(fn.Run, true)
	atWork.Lock()
	defer atWork.Unlock()
	files := make([]store.File, n)
	each(n, func(i int) {
		files[i] = fn.file(i)
		_ = files[i].Remove(ctx) // it may never have been written
	})
	store.RemoveUnfinished(files...)
}

// each calls do for 0 … n−1, many at a time, as object stores answer slowly.
func each(n int, do func(i int)) {
	const atOnce = 32
	workers := pool.New().WithMaxGoroutines(atOnce)
	for i := range n {
		workers.Go(func() { do(i) })
	}
	workers.Wait()
}
