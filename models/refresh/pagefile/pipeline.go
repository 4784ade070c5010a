package pagefile

import (
	"context"
	"errors"

	"github.com/sourcegraph/conc/stream"
)

// errEnd says that there are no more pieces. It is not io.EOF, which is in the errors of
// damaged files, too.
var errEnd = errors.New("the end")

// inOrder calls work on what next returns, on some goroutines, and take on the
// results, one by one and in order. It ends with the error of next (nil for errEnd),
// with that of take, or when ctx is done. With one worker, all happens on the
// caller's goroutine.
func inOrder[P, R any](ctx context.Context, workers int, next func() (P, error), work func(P) R, take func(R) error) error {
	if workers <= 1 {
		for ctx.Err() == nil {
			piece, err := next()
			if err != nil {
				return ignore(errEnd, err)
			}
			if err := take(work(piece)); err != nil {
				return err
			}
		}
		return ctx.Err()
	}

	var ended, failed error // of next and of take
	running, stop := context.WithCancel(ctx)
	defer stop()
	tasks := stream.New().WithMaxGoroutines(workers)
	for running.Err() == nil {
		var piece P
		if piece, ended = next(); ended != nil {
			break
		}
		tasks.Go(func() stream.Callback {
			result := work(piece)
			return func() {
				if running.Err() != nil {
					return
				}
				if failed = take(result); failed != nil {
					stop()
				}
			}
		})
	}
	tasks.Wait()
	switch {
	case failed != nil:
		return failed
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return ignore(errEnd, ended)
}

// ignore returns err, or nil if it is the error nothing.
func ignore(nothing, err error) error {
	if errors.Is(err, nothing) {
		return nil
	}
	return err
}
