package pagefile

import (
	"context"
	"errors"
	"io"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"
)

// inOrder calls work for all that next returns, on some goroutines, and take for
// all results, in order and, as next, on the caller's goroutine. It ends with
// the error of next, nil for io.EOF, with that of take, or when ctx is done. At
// most workers+2 pieces are under way at any time.
func inOrder[P, R any](ctx context.Context, workers int, next func() (P, error), work func(P) R, take func(R) error) error {
	if workers <= 1 {
		for {
			if err := ctx.Err(); err != nil {
				return err
			}
			piece, err := next()
			if err != nil {
				return ignoreEOF(err)
			}
			if err := take(work(piece)); err != nil {
				return err
			}
		}
	}

	type job struct {
		piece    P
		result   R
		panicked *panics.Recovered
		done     chan struct{}
	}
	jobs := make(chan *job, workers+2)
	var group conc.WaitGroup
	for range workers {
		group.Go(func() {
			for j := range jobs {
				j.panicked = panics.Try(func() { j.result = work(j.piece) })
				close(j.done)
			}
		})
	}
	defer group.Wait()
	defer close(jobs)

	var pending []*job
	takeFirst := func() error {
		first := pending[0]
		pending = pending[1:]
		<-first.done
		if first.panicked != nil {
			panic(first.panicked)
		}
		return take(first.result)
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		piece, err := next()
		if err != nil {
			for len(pending) > 0 {
				if err := takeFirst(); err != nil { // what came before err counts first
					return err
				}
			}
			return ignoreEOF(err)
		}
		j := &job{piece: piece, done: make(chan struct{})}
		pending = append(pending, j)
		jobs <- j
		if len(pending) == workers+2 {
			if err := takeFirst(); err != nil {
				return err
			}
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
