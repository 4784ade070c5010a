package trial

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/examples/crawler/index"
)

// pipes is a [Network] within a bubble of synctest, in which connections of the system do not let
// time pass.
type pipes struct{}

type pipeListener struct {
	connections chan net.Conn
	closed      chan struct{}
}

func (pipes) Listen() (net.Listener, error) {
	return &pipeListener{make(chan net.Conn), make(chan struct{})}, nil
}

func (pipes) Dial(ctx context.Context, listener net.Listener) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case listener.(*pipeListener).connections <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.connections:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	close(l.closed)
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// outside is an index outside of a bubble of synctest, whose goroutines would not like to be in
// one. To those inside it takes no time.
type outside struct {
	pages  chan crawl.Page
	errors chan error
	index  *index.Index
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	x, err := index.New(filepath.Join(t.TempDir(), "index"))
	require.NoError(t, err)
	o := &outside{make(chan crawl.Page), make(chan error), x}
	go func() {
		for p := range o.pages {
			o.errors <- x.Index(p)
		}
		o.errors <- x.Close()
	}()
	t.Cleanup(func() {
		close(o.pages)
		assert.NoError(t, <-o.errors)
	})
	return o
}

func (o *outside) Index(p crawl.Page) error {
	o.pages <- p
	return <-o.errors
}

// stub is an index that takes no time, and keeps nothing.
type stub struct{}

func (stub) Index(crawl.Page) error { return nil }

// count returns the number of pages in the index.
func (o *outside) count(t *testing.T) uint64 {
	t.Helper()
	n, err := o.index.Pages()
	require.NoError(t, err)
	return n
}
