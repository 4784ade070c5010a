package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// crawlIt runs the command and wants an exit status.
func crawlIt(t *testing.T, ctx context.Context, want int, args ...string) (stdout, stderr string) { //nolint:revive // t comes first in tests
	t.Helper()
	var out, faults strings.Builder
	status := command(ctx, args, &out, &faults)
	require.Equal(t, want, status, "%s%s", &out, &faults)
	return out.String(), faults.String()
}

// TestSmallWeb crawls the web of the example and finds its words in the index.
func TestSmallWeb(t *testing.T) {
	out, _ := crawlIt(t, t.Context(), 0, "-for", "3s", "-pages", "20", "-unit", "2ms", "-search", "Version")
	assert.Contains(t, out, "pages: 20 known, 19 in the index", "the page that robots.txt forbids is known, and not fetched")
	assert.Contains(t, out, "1 gone")
	assert.Contains(t, out, "learnt: λ = ")
	assert.Regexp(t, `up to date: \d+ % of the pages`, out)
	assert.Equal(t, 5, strings.Count(out, "found: http://127.0.0.1:"), out)
}

// site is a site of a few pages that says what was asked of it.
type site struct {
	*httptest.Server
	busy atomic.Bool // answer 503 to all but robots.txt
	down atomic.Bool // robots.txt answers 500

	mu    sync.Mutex
	seen  map[string]int // requests by path
	times []time.Time    // of requests but those of robots.txt
	etags int            // requests with If-None-Match
}

func newSite(t *testing.T, rules string) *site {
	t.Helper()
	s := &site{seen: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen[r.URL.Path]++
		if r.URL.Path != "/robots.txt" {
			s.times = append(s.times, time.Now())
		}
		if r.Header.Get("If-None-Match") != "" {
			s.etags++
		}
		s.mu.Unlock()
		switch {
		case r.URL.Path == "/robots.txt" && s.down.Load():
			w.WriteHeader(http.StatusInternalServerError)
			return
		case r.URL.Path == "/robots.txt":
			fmt.Fprint(w, rules)
			return
		case s.busy.Load():
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("ETag", `"1"`)
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/private/there", http.StatusFound)
		case "/elsewhere":
			http.Redirect(w, r, "http://other.test/", http.StatusFound)
		case "/image":
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, "unseen")
		case "/nothing":
			http.NotFound(w, r)
		default:
			if r.Header.Get("If-None-Match") == `"1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<script>unseen</script><p>words of %s</p>
				<a href="/a#part">a</a> <a href=" b ">b</a> <a href="/private/x">no</a> <a href="/moved">m</a>
				<a href="/elsewhere">e</a> <a href="http://other.test/">o</a> <a href="mailto:x@y.test">m</a>
				<a href="/image">i</a> <a href="/nothing">n</a> <a href="http://[">broken</a>`, r.URL.Path)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// TestRealSite crawls a site by its URL: it stays there, obeys robots.txt, also after redirects, and
// reads only what has changed.
func TestRealSite(t *testing.T) {
	s := newSite(t, "User-agent: *\nDisallow: /private")
	file := filepath.Join(t.TempDir(), "pages.db")
	out, _ := crawlIt(t, t.Context(), 0, "-site", s.URL+"/start", "-for", "2s", "-delay", "0s", "-store", file, "-search", "words")
	for _, path := range []string{"/start", "/a", "/b"} {
		assert.Contains(t, out, "found: "+s.URL+path+"\n")
		assert.Positive(t, s.seen[path])
	}
	assert.Contains(t, out, "pages: 8 known, 3 in the index")
	assert.Equal(t, 1, s.seen["/robots.txt"])
	assert.Equal(t, 1, s.seen["/nothing"], "what is gone is not fetched again")
	for _, path := range []string{"/private/x", "/private/there"} {
		assert.Zero(t, s.seen[path])
	}
	before := s.etags
	out, _ = crawlIt(t, t.Context(), 0, "-site", s.URL+"/start", "-for", "1s", "-delay", "0s", "-store", file)
	assert.Contains(t, out, "pages: 8 known, 0 in the index", "no page has changed since the last run")
	assert.Greater(t, s.etags, before)
	assert.Equal(t, 1, s.seen["/nothing"])
}

// TestPoliteness wants the longer of the delay and the crawl-delay between two fetches.
func TestPoliteness(t *testing.T) {
	for _, c := range []struct{ rules, delay string }{
		{"User-agent: *\nCrawl-delay: 0.4", "0s"},
		{"User-agent: *\nCrawl-delay: 0.1", "400ms"},
	} {
		s := newSite(t, c.rules)
		crawlIt(t, t.Context(), 0, "-site", s.URL, "-for", "1500ms", "-delay", c.delay)
		require.Greater(t, len(s.times), 1)
		for i := 1; i < len(s.times); i++ {
			// What a request takes on its way may shorten a gap, which the store keeps between its
			// beginnings.
			assert.Greater(t, s.times[i].Sub(s.times[i-1]), 300*time.Millisecond, "%s: %d", c.rules, i)
		}
	}
}

// TestServerInTrouble pauses at a site that asks for it, or whose robots.txt cannot be read.
func TestServerInTrouble(t *testing.T) {
	s := newSite(t, "")
	s.busy.Store(true)
	crawlIt(t, t.Context(), 0, "-site", s.URL, "-for", "1s", "-delay", "0s")
	assert.Len(t, s.times, 1, "Retry-After is an hour")
	s.down.Store(true)
	crawlIt(t, t.Context(), 0, "-site", s.URL, "-for", "1s", "-delay", "0s")
	assert.Len(t, s.times, 1, "no page without its rules")
	assert.LessOrEqual(t, s.seen["/robots.txt"], 3, "and not one request after the other for them")
}

// TestPageLimit visits no more pages than -pages allows.
func TestPageLimit(t *testing.T) {
	s := newSite(t, "")
	out, _ := crawlIt(t, t.Context(), 0, "-site", s.URL, "-for", "1s", "-delay", "0s", "-pages", "3")
	assert.Contains(t, out, "pages: 3 known")
}

// TestMetrics reads the metrics while the crawler runs.
func TestMetrics(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan int, 1)
	go func() {
		done <- command(ctx, []string{"-for", "1m", "-unit", "2ms", "-listen", address}, io.Discard, io.Discard)
	}()
	var body string
	require.Eventually(t, func() bool {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", http.NoBody)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return false
		}
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, answer.Body.Close())
		body = string(text)
		return err == nil && strings.Contains(body, `crawler_fetches_total{outcome="found"} `) &&
			!strings.Contains(body, "crawler_pages_indexed_total 0\n")
	}, 20*time.Second, 50*time.Millisecond)
	for _, name := range []string{"pages_lost_total", "starvation_seconds_total", "robots_active", "believed_delivery_rate"} {
		assert.Contains(t, body, "\ncrawler_"+name+" ")
	}
	stop()
	assert.Equal(t, interrupted, <-done)
}

// TestInterrupted reports what was done until Ctrl-C.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	begin := time.Now()
	out, faults := crawlIt(t, ctx, interrupted, "-for", "10m")
	assert.Less(t, time.Since(begin), 30*time.Second)
	assert.Contains(t, out, "learnt: μ = ")
	assert.Equal(t, "crawler: interrupted\n", faults)
}

// TestUsage wants one line for bad input.
func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"-robots 0":               "-robots: 0 is not valid",
		"-robots many":            `"many"`,
		"-buffer 1":               "-buffer: 1",
		"-gamma NaN":              "-gamma: NaN",
		"-unit 1us":               "-unit: 1µs",
		"-for -1s":                "-for: -1s",
		"-delay -1s":              "-delay: -1s",
		"-pages 0":                "-pages: 0",
		"-site ftp://x.test/":     "-site:",
		"-site nowhere":           "-site:",
		"-store x.db":             "-store: only valid with -site",
		"-speed 3":                "-speed",
		"now":                     `"now" is not expected`,
		"-site http://x.test:y:z": "-site:",
	} {
		out, faults := crawlIt(t, t.Context(), badInput, strings.Fields(args)...)
		assert.Empty(t, out, args)
		assert.Contains(t, faults, want, args)
		assert.Equal(t, 1, strings.Count(faults, "\n"), args)
	}
	out, _ := crawlIt(t, t.Context(), 0, "-help")
	assert.Contains(t, out, "-site URL")
	_, faults := crawlIt(t, t.Context(), failed, "-listen", "256.0.0.1:1")
	assert.Contains(t, faults, "-listen:")
	_, faults = crawlIt(t, t.Context(), failed, "-site", "http://x.test/", "-store", filepath.Join(t.TempDir(), "no", "folder"))
	assert.Contains(t, faults, "-store:")
}
