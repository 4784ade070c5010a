// This file tests the server: what it answers, to whom, and how it ends.

package watch

import (
	"bufio"
	"context"
	"encoding/json"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/models/robots/operate"
)

// TestServe reads the events of a run over HTTP, and ends the server under the reader.
func TestServe(t *testing.T) {
	w, _ := watched(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	listener, err := Listen(ctx, "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- w.Serve(ctx, listener) }()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	get := func(path string) *http.Response {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+path, http.NoBody)
		require.NoError(t, err)
		answer, err := client.Do(request)
		require.NoError(t, err)
		return answer
	}
	for path, kind := range map[string]string{
		"/": "text/html; charset=utf-8", "/page.js": "text/javascript; charset=utf-8", "/page.css": "text/css; charset=utf-8",
		"/healthz": "text/plain; charset=utf-8", "/metrics": "text/plain; version=0.0.4; charset=utf-8; escaping=underscores",
	} {
		answer := get(path)
		assert.Equal(t, 200, answer.StatusCode, path)
		assert.Equal(t, kind, answer.Header.Get("Content-Type"), path)
		assert.NoError(t, answer.Body.Close())
	}
	missing := get("/no-such-file")
	assert.Equal(t, 404, missing.StatusCode)
	assert.NoError(t, missing.Body.Close())

	events := get("/events")
	defer func() { assert.NoError(t, events.Body.Close()) }()
	assert.Equal(t, "text/event-stream", events.Header.Get("Content-Type"))
	lines := bufio.NewScanner(events.Body)
	lines.Buffer(nil, 1<<20)
	var names []string
	for lines.Scan() { // until the server ends
		name, isName := strings.CutPrefix(lines.Text(), "event: ")
		if !isName {
			continue
		}
		names = append(names, name)
		require.True(t, lines.Scan())
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		require.True(t, isData)
		require.True(t, json.Valid([]byte(data)), data)
		if len(names) == 3 {
			cancel()
		}
	}
	assert.Subset(t, []string{"pools", "views", "instants"}, names)
	assert.Equal(t, "pools", names[0])
	assert.NoError(t, <-served)
}

// TestReader follows the events that one reader gets of two pools.
func TestReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy, _ := solved(t, figure7)
		w := New()
		type sent struct {
			name  string
			value any
		}
		var events []sent
		r := reader{watch: w, send: func(name string, value any) error {
			events = append(events, sent{name, value})
			return nil
		}}
		tell := func() []sent {
			events = nil
			require.NoError(t, r.tell(time.Now()))
			return events
		}
		assert.Empty(t, tell(), "before the first run")

		c := operate.NewController(policy)
		observe := w.Begin(runOf("paper", c, time.Second))
		first := tell()
		require.Len(t, first, 2)
		assert.Equal(t, "paper", first[0].value.([]description)[0].Pool)
		assert.Empty(t, first[1].value.([]instant)[0].Moves)

		// Three pages delivered and one indexed.
		for range 3 {
			_, err := c.Deliver()
			require.NoError(t, err)
			queue, active := c.Counts()
			observe(crawl.Event{Kind: crawl.Delivered, At: time.Now(), Robot: 2, Queue: queue, Active: active})
		}
		time.Sleep(time.Second)
		_, err := c.Indexed()
		require.NoError(t, err)
		queue, active := c.Counts()
		observe(crawl.Event{Kind: crawl.Indexed, At: time.Now(), Queue: queue, Active: active})
		w.look(time.Now())
		now := tell()
		require.Len(t, now, 2)
		v := now[0].value.([]*view)[0]
		assert.Equal(t, []int{3, 1, 0}, []int{v.Delivered, v.Indexed, v.Lost})
		assert.InDelta(t, 0, float64(v.Starvation), 1e-9)
		assert.InDelta(t, 1, float64(v.Occupancy[1][3]), 1e-9)
		i := now[1].value.([]instant)[0]
		assert.Equal(t, 2, i.Queue)
		assert.Equal(t, []move{{"page", 2}, {"page", 2}, {"page", 2}, {"done", 0}}, i.Moves)
		again := tell()
		require.Len(t, again, 1, "a view is sent once")
		assert.Empty(t, again[0].value.([]instant)[0].Moves)

		// More moves than are kept: the last ones.
		for n := range 3 * keptMoves {
			observe(crawl.Event{Kind: crawl.Lost, At: time.Now(), Robot: n % 16, Queue: 2, Active: 1})
		}
		i = tell()[0].value.([]instant)[0]
		assert.Len(t, i.Moves, keptMoves)
		assert.Equal(t, move{"lost", (3*keptMoves - 1) % 16}, i.Moves[keptMoves-1])

		w.Begin(runOf("fixed", operate.NewController(policy), time.Second))
		next := tell()
		require.Len(t, next, 2)
		assert.Equal(t, "fixed", next[0].value.([]description)[0].Pool)
		assert.Len(t, next[0].value.([]description)[1].History, 1)
		w.Begin(runOf("additive", operate.NewController(policy), time.Second))
		w.look(time.Now())
		w.Begin(runOf("zigzag", operate.NewController(policy), time.Second))
		assert.Nil(t, tell()[1].value.([]*view)[3], "a pool that has just begun")
	})
}

// TestUnknown holds what is not known to null: NaN is no JSON.
func TestUnknown(t *testing.T) {
	w := New()
	w.Begin(Run{Pool: "additive", Robots: 1, Buffer: 2, Unit: time.Second, Switch: crawl.NewAIMD(1, 2)})
	pools, _ := w.present()
	data, err := json.Marshal(pools[0].look(w.begin).Point)
	require.NoError(t, err)
	var values map[string]any
	require.NoError(t, json.Unmarshal(data, &values))
	for name, v := range values {
		if name != "time" {
			assert.Nil(t, v, name)
		}
	}
}

func TestGuard(t *testing.T) {
	w := New()
	for _, c := range []struct {
		url, site string
		status    int
	}{
		{"http://127.0.0.1:9464/", "", 200},
		{"http://localhost:9464/", "cross-site", 200}, // a link
		{"http://[::1]:9464/metrics", "", 200},
		{"http://localhost/events", "cross-site", 403},
		{"http://localhost/metrics", "same-site", 403},
		{"http://crawler.example/", "", 403},
		{"http://192.0.2.1:9464/", "", 403},
	} {
		request := httptest.NewRequest(http.MethodGet, c.url, http.NoBody)
		if c.site != "" {
			request.Header.Set("Sec-Fetch-Site", c.site)
		}
		answer := httptest.NewRecorder()
		w.handler().ServeHTTP(answer, request)
		assert.Equal(t, c.status, answer.Code, "%s %s", c.url, c.site)
	}
	answer := httptest.NewRecorder()
	w.handler().ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "http://localhost/metrics", http.NoBody))
	assert.Equal(t, http.StatusMethodNotAllowed, answer.Code)
}

func TestListen(t *testing.T) {
	var config net.ListenConfig
	taken, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { assert.NoError(t, taken.Close()) }()
	for address, want := range map[string]string{
		"9464":                `"9464" is not valid: use HOST:PORT, such as 127.0.0.1:9464`,
		":9464":               `":9464" is not valid: other computers could connect; use 127.0.0.1:PORT`,
		"0.0.0.0:9464":        `"0.0.0.0:9464" is not valid: other computers could connect; use 127.0.0.1:PORT`,
		"127.0.0.1:99999":     `"127.0.0.1:99999" is not valid: use a port that is free`,
		taken.Addr().String(): `is not valid: use a port that is free`,
	} {
		listener, err := Listen(t.Context(), address)
		require.ErrorContains(t, err, want)
		assert.Nil(t, listener)
		assert.NotContains(t, err.Error(), "\n")
	}
}

// TestPage holds the page to the files that there are, to nothing from elsewhere, and to its size.
func TestPage(t *testing.T) {
	index, err := assets.ReadFile("assets/index.html")
	require.NoError(t, err)
	entries, err := fs.ReadDir(assets, "assets")
	require.NoError(t, err)
	var there []string
	total := 0
	remote := regexp.MustCompile(`(https?:)?//[a-z0-9.-]+\.[a-z]+/[^ ]*`)
	for _, entry := range entries {
		content, err := assets.ReadFile("assets/" + entry.Name())
		require.NoError(t, err)
		total += len(content)
		for _, found := range remote.FindAllString(string(content), -1) {
			assert.Contains(t, found, "http://www.w3.org/2000/svg", entry.Name())
		}
		if entry.Name() != "index.html" {
			there = append(there, entry.Name())
		}
	}
	var named []string
	for _, match := range regexp.MustCompile(`(?:href|src)="([^"]+\.(?:css|js))"`).FindAllSubmatch(index, -1) {
		named = append(named, string(match[1]))
	}
	slices.Sort(named)
	assert.Equal(t, there, named)
	t.Logf("%d bytes", total)
	assert.Less(t, total, 60_000)
}
