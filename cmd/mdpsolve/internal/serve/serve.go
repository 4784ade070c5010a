// Package serve serves the page on localhost, and the answers of the command's verbs as
// JSON.
package serve

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

const defaultAddress = "127.0.0.1:7377"

// Command is the verb serve; run gives the answers of verbs.
func Command(run Run, verbs []*cli.Command) *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "serve an interactive page for the browser, and answers as JSON",
		UsageText: "mdpsolve serve [--address HOST:PORT]",
		Description: `Prints the address of a page and serves that page until interrupted. The page loads
nothing from elsewhere. Programs get answers as JSON, such as that of
mdpsolve static … --output json:

  curl '127.0.0.1:7377/api/static?lambda=0.1&mu=1&gamma=1.4&buffer=5'

docs/server.md lists all requests. After 30 seconds a request returns the best answer
found so far.

Only programs on this computer can connect, unless other computers can reach --address.
There is no password.

Examples:
  mdpsolve serve
  mdpsolve serve --address 127.0.0.1:0`,
		Flags: []cli.Flag{
			ui.AddressFlag(defaultAddress),
		},
		Action: ui.Action(func(a *ui.Arguments) error { return listen(a, run, Endpoints(verbs)) }),
	}
}

// listen serves at --address until the context of the command ends.
func listen(a *ui.Arguments, run Run, all []Endpoint) error {
	listener, err := a.Listen("http://", defaultAddress)
	if err != nil {
		return err
	}
	host, _, _ := net.SplitHostPort(a.CLI.String("address")) // which Listen checked
	server, err := newServer(run, all, host, defaultLimits())
	if err != nil {
		return err
	}
	// The operating system prefers threads that have waited. Go prefers no goroutine. With more
	// threads than processors, quick answers do not wait for the threads of slow ones.
	const threads = 16
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads * ui.Processors))
	server.report = log.New(a.CLI.App.ErrWriter, "mdpsolve: ", 0)
	return server.serve(ui.Unwatched(a.CLI.Context), listener) // each request has its own progress
}

// limits bounds requests.
type limits struct {
	time   time.Duration // of a solve
	memory int64         // of a solve, in bytes
	short  int           // requests at a time in their first moment
	long   int           // others at a time
	moment time.Duration
	upload int64 // bytes of the files of a request, and of each unpacked
}

func defaultLimits() limits {
	return limits{
		time:   30 * time.Second,
		memory: 256 << 20,
		short:  4 * max(2, ui.Processors),
		long:   6 * max(2, ui.Processors),
		moment: time.Second / 2,
		upload: 32 << 20,
	}
}

// server answers requests.
type server struct {
	run       Run
	endpoints []Endpoint
	host      string // of --address
	limits    limits
	turns     turns
	folder    string      // for the files of requests
	report    *log.Logger // of failures of the program
}

func newServer(run Run, all []Endpoint, host string, l limits) (*server, error) {
	folder, err := os.MkdirTemp("", "mdpsolve-serve-")
	if err != nil {
		return nil, err
	}
	return &server{
		run: run, endpoints: all, host: host, limits: l,
		turns: turns{make(chan struct{}, l.short), make(chan struct{}, l.long)}, folder: folder,
	}, nil
}

// serve answers requests until the context ends. Then it cancels running solves and returns
// within a second.
func (s *server) serve(ctx context.Context, listener net.Listener) error {
	const (
		headerPatience = 5 * time.Second        // for the first lines of a request
		patience       = 2 * time.Minute        // for a request with its files, its solve and its answer, and between requests
		endPatience    = 500 * time.Millisecond // for running solves, when the server ends
		mostHeader     = 16 << 10
	)
	defer func() { _ = os.RemoveAll(s.folder) }() // at worst it stays
	web := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: headerPatience,
		ReadTimeout:       patience,
		WriteTimeout:      patience,
		IdleTimeout:       patience,
		MaxHeaderBytes:    mostHeader,
		ErrorLog:          s.report,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
	defer cancel()
	if web.Shutdown(patient) != nil {
		_ = web.Close() // clients that are still connected are cut off
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// handler routes requests.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { page(w, r, "index.html") })
	mux.HandleFunc("GET /assets/{name}", func(w http.ResponseWriter, r *http.Request) { page(w, r, r.PathValue("name")) })
	mux.HandleFunc("GET /docs/{name}", guide)
	for _, e := range s.endpoints {
		mux.HandleFunc(e.method()+" /api/"+e.Name, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, e) })
		mux.HandleFunc("/api/"+e.Name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Allow", e.method())
			refuse(w, &refusal{http.StatusMethodNotAllowed, "/api/" + e.Name + ": use " + e.method()})
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { refuse(w, missing(r)) })
	return s.guard(mux)
}
