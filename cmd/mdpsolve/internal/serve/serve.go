// Package serve is the page on localhost: a server of the page's files and of answers
// of the command's own verbs, as JSON.
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

// Command is the verb serve, whose answers are those of run.
func Command(run Run) *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "a page in the browser to play with, and its answers as JSON",
		UsageText: "mdpsolve serve [--address HOST:PORT]",
		Description: `Prints the address of a page for the browser, and serves it until it is
interrupted. The page and all that it shows come from this program: nothing is
fetched from elsewhere. Programs ask for answers as the page does:

  curl '127.0.0.1:7377/api/static?lambda=0.1&mu=1&gamma=1.4&buffer=5'

answers what mdpsolve static … --output json prints. docs/server.md lists what can be
asked. A request may take 30 seconds: then it answers the best found.

Only programs on this computer can connect, unless --address names an address that
others reach. There is no password.

Examples:
  mdpsolve serve
  mdpsolve serve --address 127.0.0.1:0`,
		Flags: []cli.Flag{
			ui.AddressFlag(defaultAddress),
		},
		Action: ui.Action(func(a *ui.Arguments) error { return listen(a, run) }),
	}
}

// listen serves at --address until the context of the command ends.
func listen(a *ui.Arguments, run Run) error {
	listener, err := a.Listen("http://", defaultAddress)
	if err != nil {
		return err
	}
	host, _, _ := net.SplitHostPort(a.CLI.String("address")) // which has been looked at
	server, err := newServer(run, host, defaultLimits())
	if err != nil {
		return err
	}
	server.report = log.New(a.CLI.App.ErrWriter, "mdpsolve: ", 0)
	return server.serve(ui.Unwatched(a.CLI.Context), listener) // requests have a progress of their own
}

// limits bound what requests may take.
type limits struct {
	time   time.Duration // of a solve
	memory int64         // bytes that it may take
	solves int           // at a time
	turn   time.Duration // that others wait for their turn
	upload int64         // bytes of the files of a request, and of each unpacked
}

func defaultLimits() limits {
	return limits{
		time:   30 * time.Second,
		memory: 256 << 20,
		solves: 4 * max(2, runtime.GOMAXPROCS(0)), // more than processors: quick answers come while others take their time
		turn:   10 * time.Second,
		upload: 32 << 20,
	}
}

// server answers requests.
type server struct {
	run    Run
	host   string // of the address it listens at, as it was given
	limits limits
	turns  chan struct{} // holds a token for each solve
	folder string        // for the files of requests
	report *log.Logger   // of failures of the program
}

func newServer(run Run, host string, l limits) (*server, error) {
	folder, err := os.MkdirTemp("", "mdpsolve-serve-")
	if err != nil {
		return nil, err
	}
	return &server{run: run, host: host, limits: l, turns: make(chan struct{}, l.solves), folder: folder}, nil
}

// serve answers requests until the context ends. Then solves under way are cancelled,
// and it returns within a second.
func (s *server) serve(ctx context.Context, listener net.Listener) error {
	const (
		headerPatience = 5 * time.Second        // for the first lines of a request
		patience       = 2 * time.Minute        // for a request with its files, its solve and its answer, and between requests
		endPatience    = 500 * time.Millisecond // for solves under way, when the server ends
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

// handler leads requests to what answers them.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { page(w, r, "index.html") })
	mux.HandleFunc("GET /assets/{name}", func(w http.ResponseWriter, r *http.Request) { page(w, r, r.PathValue("name")) })
	mux.HandleFunc("GET /docs/{name}", guide)
	for _, e := range Endpoints {
		mux.HandleFunc(e.method()+" /api/"+e.Name, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, e) })
		mux.HandleFunc("/api/"+e.Name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Allow", e.method())
			refuse(w, &refusal{http.StatusMethodNotAllowed, "/api/" + e.Name + ": use " + e.method()})
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { refuse(w, missing(r)) })
	return s.guard(mux)
}
