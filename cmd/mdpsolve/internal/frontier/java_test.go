package frontier

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

var withJava = flag.Bool("java", false, "have URLFrontier's Java client and StormCrawler, from Maven Central, use the frontier")

// java returns what runs the Java programs in testdata and examples, or skips the test where there is
// no Java, or Maven cannot get what they build on.
func java(t *testing.T) func(timeout time.Duration, stdin *os.File, arguments ...string) string {
	t.Helper()
	if !*withJava {
		t.Skip("Java programs run with the flag -java only")
	}
	for _, program := range []string{"java", "javac", "mvn"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s here", program)
		}
	}
	folder := t.TempDir()
	sources, err := filepath.Abs("../../../../examples/crawlers/stormcrawler")
	require.NoError(t, err)
	client, err := filepath.Abs("testdata/java/Client.java")
	require.NoError(t, err)
	list := filepath.Join(folder, "classpath")
	run := func(timeout time.Duration, stdin *os.File, name string, arguments ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		defer cancel()
		command := exec.CommandContext(ctx, name, arguments...)
		var output bytes.Buffer
		command.Stdin, command.Stdout, command.Stderr, command.Dir = stdin, &output, &output, folder
		err := command.Run()
		return output.String(), err
	}
	output, err := run(10*time.Minute, nil, "mvn", "-B", "-q", "-f", filepath.Join(sources, "pom.xml"), "dependency:build-classpath", "-Dmdep.outputFile="+list)
	if err != nil {
		t.Skipf("Maven cannot get URLFrontier's client and StormCrawler: %v\n%s", err, output)
	}
	libraries, err := os.ReadFile(list)
	require.NoError(t, err)
	classpath := strings.Join([]string{folder, sources, string(libraries)}, string(os.PathListSeparator))
	output, err = run(5*time.Minute, nil, "javac", "-cp", classpath, "-d", folder, client, filepath.Join(sources, "Crawl.java"), filepath.Join(sources, "Own.java"))
	require.NoError(t, err, output)
	return func(timeout time.Duration, stdin *os.File, arguments ...string) string {
		output, err := run(timeout, stdin, "java", append([]string{"-cp", classpath}, arguments...)...)
		require.NoError(t, err, output)
		return output
	}
}

// serveAtPort is serveStore for programs other than this one.
func serveAtPort(t *testing.T, settings store.Settings) (address string, pages *store.Store) {
	t.Helper()
	pages, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "pages.db"), settings)
	require.NoError(t, err)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := newServer(&service{store: pages, crawl: defaultCrawl, address: listener.Addr().String(), plain: func() {}})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		stop(server)
		require.NoError(t, pages.Close())
	})
	return listener.Addr().String(), pages
}

func TestJavaClient(t *testing.T) {
	run := java(t)
	address, pages := serveAtPort(t, store.Settings{Bandwidth: 1e6})
	assert.Contains(t, run(5*time.Minute, nil, "Client", address), "the client has its answers")
	assert.Zero(t, pages.Counts())
}

// A site has pages that link to each other; those with an odd number change every few
// seconds.
type site struct {
	*httptest.Server
	mu      sync.Mutex
	fetches map[string]int
}

const sitePages = 12

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{fetches: map[string]int{}}
	begun := time.Now()
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var page, version int
		if n, err := fmt.Sscanf(r.URL.Path, "/page/%d", &page); n != 1 || err != nil || page >= sitePages {
			http.NotFound(w, r)
			return
		}
		s.mu.Lock()
		s.fetches[r.URL.Path]++
		s.mu.Unlock()
		if page%2 == 1 {
			version = int(time.Since(begun) / (3 * time.Second))
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<html><head><title>Page %d</title></head><body><p>Version %d</p><a href="/page/%d">next</a> <a href="/page/%d">other</a></body></html>`,
			page, version, (page+1)%sitePages, (page*5+2)%sitePages)
	}))
	t.Cleanup(s.Close)
	return s
}

// StormCrawler finds a site from one page and comes back to it as the frontier says,
// which learns which pages change.
func TestStormCrawler(t *testing.T) {
	run := java(t)
	site := newSite(t)
	const perDay = 24 * 60 * 60
	address, pages := serveAtPort(t, store.Settings{Bandwidth: 4 * perDay}) // 4 a second
	const patience = 5 * time.Minute
	stdin, end, err := os.Pipe() // the crawl ends with it
	require.NoError(t, err)
	defer func() { _ = stdin.Close() }()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		defer func() { _ = end.Close() }()
		for begun := time.Now(); time.Since(begun) < patience && !learned(pages); {
			time.Sleep(100 * time.Millisecond)
		}
	}()
	output := run(2*patience, stdin, "Crawl", address, site.URL+"/page/0")
	<-watched
	assert.Contains(t, output, "the crawl has ended")

	site.mu.Lock()
	defer site.mu.Unlock()
	fetches, seen := 0, 0
	for page, err := range pages.Pages("") {
		require.NoError(t, err)
		var number int
		_, err := fmt.Sscanf(page.ID, site.URL+"/page/%d", &number)
		require.NoError(t, err, page.ID)
		fetches += site.fetches["/page/"+fmt.Sprint(number)]
		seen += int(page.Visits)
		t.Logf("page %2d: %2d visits recorded, %d of %d changed, %.3g changes and %.3g visits a minute",
			number, page.Visits, page.Changes, page.Seen, page.ChangeRate/24/60, page.Rate/24/60)
		assert.GreaterOrEqual(t, page.Seen, int64(1), "page %d", number)
		if number%2 == 0 {
			assert.Zero(t, page.Changes, "page %d does not change", number)
		} else {
			assert.Positive(t, page.Changes, "page %d changes", number)
		}
	}
	assert.Equal(t, store.Counts{Pages: sitePages}, func() store.Counts { c := pages.Counts(); c.HandedOut = 0; return c }())
	t.Logf("%d fetches of %d pages, %d recorded", fetches, sitePages, seen)
	assert.LessOrEqual(t, seen, fetches)
	assert.LessOrEqual(t, fetches-seen, sitePages, "all but those under way at the end")
}

// learned says whether the store knows all pages of the site, and has seen that those with
// an odd number change.
func learned(pages *store.Store) bool {
	known, changing := 0, 0
	for page, err := range pages.Pages("") {
		if err != nil {
			return false
		}
		if page.Seen > 0 {
			known++
		}
		if page.Changes > 0 {
			changing++
		}
	}
	return known == sitePages && changing >= sitePages/2
}
