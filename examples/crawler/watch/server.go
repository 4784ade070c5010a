// This file answers requests: the page, its events, metrics.

package watch

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

//go:embed assets
var assets embed.FS

const (
	frame          = 100 * time.Millisecond // between instants that the page gets
	glance         = 250 * time.Millisecond // between views
	writePatience  = 10 * time.Second       // with a reader that takes nothing
	headerPatience = 10 * time.Second
	idlePatience   = 2 * time.Minute
	endPatience    = 500 * time.Millisecond // with readers, when the server ends
)

// contentPolicy lets the page load what this server has, and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Listen listens at HOST:PORT, which is to be an address of this computer that others do not
// reach: there is no password.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not valid: use HOST:PORT, such as 127.0.0.1:9464", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%q is not valid: other computers could connect; use 127.0.0.1:PORT", address)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%q is not valid: use a port that is free (%w)", address, err)
	}
	return listener, nil
}

// Serve answers requests until ctx ends, and then returns within a second.
func (w *Watch) Serve(ctx context.Context, listener net.Listener) error {
	web := &http.Server{
		Handler:           w.handler(),
		ReadHeaderTimeout: headerPatience,
		ReadTimeout:       headerPatience,
		IdleTimeout:       idlePatience,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // clients at fault are told so
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(listener) }()
	ticker := time.NewTicker(glance)
	defer ticker.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case now := <-ticker.C:
			w.look(now)
			continue
		case <-ctx.Done():
		}
		break
	}
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
	defer cancel()
	if web.Shutdown(patient) != nil {
		_ = web.Close() // whoever is still connected is cut off
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (w *Watch) handler() http.Handler {
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		panic("watch: " + err.Error()) // they are part of the program
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("GET /events", w.stream)
	metrics := promhttp.HandlerFor(w.registry, promhttp.HandlerOpts{})
	mux.HandleFunc("GET /metrics", func(rw http.ResponseWriter, r *http.Request) {
		pools, _ := w.present()
		for _, l := range pools {
			l.look(time.Now()) // which sets gauges
		}
		metrics.ServeHTTP(rw, r)
	})
	mux.HandleFunc("GET /healthz", func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, "ok\n") })
	return guard(mux)
}

// guard refuses requests that come from elsewhere than this computer, or from a page of
// another site. Such a page may have given this computer a name of its own (DNS rebinding): then
// the host that it asks is no local one.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h := rw.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		site := r.Header.Get("Sec-Fetch-Site") // links from elsewhere may lead to the page, and to nothing else
		switch {
		case !isLocal(r.Host):
			http.Error(rw, fmt.Sprintf("host %.100q is not this computer", r.Host), http.StatusForbidden)
		case r.URL.Path != "/" && site != "" && site != "same-origin" && site != "none":
			http.Error(rw, "the request comes from another site", http.StatusForbidden)
		default:
			next.ServeHTTP(rw, r)
		}
	})
}

// isLocal reports whether a host, with or without a port, is this computer.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// stream sends server-sent events: "pools", their descriptions, whenever there is another one;
// "views" a few times a second, and "instants" many times a second, both with an entry for each pool.
func (w *Watch) stream(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(rw)
	send := func(name string, value any) error {
		data, err := json.Marshal(value)
		if err != nil {
			return err
		}
		_ = control.SetWriteDeadline(time.Now().Add(writePatience)) // a connection that has none is gone
		if _, err := fmt.Fprintf(rw, "event: %s\ndata: %s\n\n", name, data); err != nil {
			return err
		}
		return control.Flush()
	}
	reader := reader{watch: w, send: send}
	ticker := time.NewTicker(frame)
	defer ticker.Stop()
	for {
		if reader.tell(time.Now()) != nil {
			return // the reader has left
		}
		select {
		case <-r.Context().Done():
			return
		case <-ticker.C:
		}
	}
}

// reader is one reader of the events.
type reader struct {
	watch *Watch
	send  func(name string, value any) error

	moves []int // of each pool, those that it has been told of
	looks int   // likewise
}

// tell sends what is new.
func (r *reader) tell(now time.Time) error {
	pools, looks := r.watch.present()
	if len(pools) == 0 {
		return nil
	}
	if len(pools) != len(r.moves) {
		r.moves = make([]int, len(pools))
		descriptions := make([]description, len(pools))
		for i, l := range pools {
			descriptions[i] = l.describe()
		}
		if err := r.send("pools", descriptions); err != nil {
			return err
		}
	}
	if looks != r.looks {
		r.looks = looks
		if err := r.send("views", views(pools)); err != nil {
			return err
		}
	}
	instants := make([]instant, len(pools))
	for i, l := range pools {
		instants[i], r.moves[i] = l.instant(now, r.moves[i])
	}
	return r.send("instants", instants)
}

// views returns the last views of pools, nil for a pool that has just begun.
func views(pools []*live) []*view {
	list := make([]*view, len(pools))
	for i, l := range pools {
		if v, seen := l.kept(); seen {
			list[i] = &v
		}
	}
	return list
}
