package serve

// Turns: how many requests are answered at a time.

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// turns are tokens. A request begins with a short one, which is given back after a moment:
// then the request takes a long one, or ends. So quick answers need not wait for slow ones,
// and nobody has to tell beforehand which they are.
type turns struct{ short, long chan struct{} }

var errTooMany error = &refusal{http.StatusServiceUnavailable, "too many requests at a time: try again"}

// taken is how many turns are taken.
func (t turns) taken() int { return len(t.short) + len(t.long) }

// begin takes a turn, which end gives back. Without a free short turn it returns errTooMany.
// Without a free long turn when the moment is over, it cancels the context with errTooMany as the
// cause.
func (t turns) begin(ctx context.Context, moment time.Duration) (_ context.Context, end func(), err error) {
	select {
	case t.short <- struct{}{}:
	default:
		return nil, nil, errTooMany
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var mutex sync.Mutex
	held := t.short
	timer := time.AfterFunc(moment, func() {
		mutex.Lock()
		defer mutex.Unlock()
		if held == nil {
			return // it has ended
		}
		select {
		case t.long <- struct{}{}:
			<-t.short
			held = t.long
		default:
			cancel(errTooMany)
		}
	})
	return ctx, func() {
		timer.Stop()
		cancel(nil)
		mutex.Lock()
		defer mutex.Unlock()
		<-held
		held = nil
	}, nil
}
