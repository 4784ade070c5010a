package main

// What goes wrong ends in one line, or in a complete and right answer.

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// children returns the processes that a process has started.
func children(t *testing.T, parent int) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	var found []int
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ") // state, parent, …
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			require.NoError(t, err)
			found = append(found, pid)
		}
	}
	return found
}

// prism does not start a worker again: the job fails. Flink does: see flink/run.
func TestKilledWorker(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc to find workers in")
	}
	const shards = 200
	list := pageList(6, 500_000)
	input := writeShards(t, list, shards)
	server, pid := startPrism(t)
	out := filepath.Join(t.TempDir(), "rates")
	words := append([]string{"rates", "--input", input, "--bandwidth", "150000", "--out", out}, server...)
	result := make(chan string, 1)
	go func() {
		said := "no answer"
		defer func() { result <- said }()             // also where the test ends in refreshbeam
		_, stderr, status := refreshbeam(t, words...) //nolint:testifylint // a failure ends this goroutine, and the test sees no answer
		said = fmt.Sprint(status, " ", stderr)
	}()
	said, killed := "", 0
	var seen time.Time // when workers were first at work
	for tick := time.NewTicker(time.Millisecond); said == ""; {
		select {
		case said = <-result:
		case <-tick.C:
			if killed > 0 {
				continue
			}
			var workers []int
			for _, guard := range children(t, pid) {
				workers = append(workers, children(t, guard)...)
			}
			if len(workers) > 0 && seen.IsZero() {
				seen = time.Now()
			}
			if seen.IsZero() || time.Since(seen) < 200*time.Millisecond { // they have begun
				continue
			}
			for _, worker := range workers {
				if syscall.Kill(worker, syscall.SIGKILL) == nil {
					killed++
				}
			}
		}
	}
	require.Positive(t, killed, said)
	assert.True(t, strings.HasPrefix(said, "1 refreshbeam: the pipeline for "), said)
	assert.Equal(t, 1, strings.Count(said, "\n"), said)
	whole, err := filepath.Glob(out + "*-of-*")
	require.NoError(t, err)
	assert.Empty(t, whole)

	again, _ := startPrism(t)
	succeed(t, append([]string{"rates", "--input", input, "--bandwidth", "150000", "--out", out}, again...)...)
	assertAgree(t, inMemory(t, list, "refresh", "rates", "--bandwidth", "150000"), joined(t, out, shards))
}

func TestShardsThatCannotBeUsed(t *testing.T) {
	list := pageList(3, 400)
	whole := cut(list, 3)
	var packed bytes.Buffer
	zipper := gzip.NewWriter(&packed)
	_, err := io.WriteString(zipper, whole[1])
	require.NoError(t, err)
	require.NoError(t, zipper.Close())
	for _, test := range []struct {
		name, shard, text string
		status            int
	}{
		{"shard-01.csv", "", "shard-01.csv", exitUsage},
		{"shard-01.csv.gz", packed.String()[:packed.Len()/2], "shard-01.csv.gz", exitFailure}, // or its connection ended early
		{"shard-01.csv", "id,weight\nx,1\n", "change_rate", exitUsage},
	} {
		folder := t.TempDir()
		write(t, filepath.Join(folder, "shard-00.csv"), whole[0])
		write(t, filepath.Join(folder, test.name), test.shard)
		write(t, filepath.Join(folder, "shard-02.csv"), whole[2])
		fail(t, test.status, test.text, filepath.Join(t.TempDir(), "rates"),
			"rates", "--input", filepath.Join(folder, "shard-*"), "--bandwidth", "100")
	}
	fail(t, exitUsage, "matches no file", filepath.Join(t.TempDir(), "rates"),
		"rates", "--input", filepath.Join(t.TempDir(), "shard-*"), "--bandwidth", "100")
}

// A shard without a page is no fault: others may have them all.
func TestShardWithoutPages(t *testing.T) {
	list := pageList(3, 400)
	head, _, _ := strings.Cut(list, "\n")
	folder := t.TempDir()
	write(t, filepath.Join(folder, "a.csv"), head+"\n")
	write(t, filepath.Join(folder, "b.csv"), list)
	out := filepath.Join(t.TempDir(), "rates")
	succeed(t, "rates", "--input", filepath.Join(folder, "*.csv"), "--bandwidth", "100", "--out", out)
	assertAgree(t, inMemory(t, list, "refresh", "rates", "--bandwidth", "100"), joined(t, out, 2))
}

// A bucket is an object store on this machine, which refuses what refuse says, if it is set.
type bucket struct {
	store  *s3mem.Backend
	refuse atomic.Pointer[func(*http.Request) int] // status, or 0
}

// startBucket has commands, and the workers that they start, take it for that of S3: they
// reach it as a proxy.
func startBucket(t *testing.T) *bucket {
	t.Helper()
	b := &bucket{store: s3mem.New()}
	require.NoError(t, b.store.CreateBucket("pages"))
	fake := gofakes3.New(b.store, gofakes3.WithHostBucketBase("s3.test")).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuse := b.refuse.Load(); refuse != nil {
			if status := (*refuse)(r); status != 0 {
				w.WriteHeader(status)
				return
			}
		}
		fake.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1",
		"AWS_ENDPOINT_URL": "http://s3.test", "HTTP_PROXY": server.URL, "http_proxy": server.URL,
		"NO_PROXY": "localhost,127.0.0.1", "no_proxy": "localhost,127.0.0.1",
		"AWS_MAX_ATTEMPTS": "1", // or it waits seconds between them
	} {
		t.Setenv(name, value)
	}
	return b
}

// objects returns what lies in the bucket, by name.
func (b *bucket) objects(t *testing.T, prefix string) map[string]string {
	t.Helper()
	list, err := b.store.ListBucket("pages", &gofakes3.Prefix{HasPrefix: true, Prefix: prefix}, gofakes3.ListBucketPage{})
	require.NoError(t, err)
	found := map[string]string{}
	for _, content := range list.Contents {
		object, err := b.store.GetObject("pages", content.Key, nil)
		require.NoError(t, err)
		text, err := io.ReadAll(object.Contents)
		require.NoError(t, err)
		found[content.Key] = string(text)
	}
	return found
}

func (b *bucket) put(t *testing.T, key, text string) {
	t.Helper()
	_, err := b.store.PutObject("pages", key, nil, strings.NewReader(text), int64(len(text)), nil)
	require.NoError(t, err)
}

// Where a job fails, a worker that is still busy with another shard may write its part of the
// rates after the command has cleaned up. Rates are what ends in -of-00003.csv.
func TestObjectStore(t *testing.T) {
	b := startBucket(t)
	list := pageList(5, 600)
	for s, text := range cut(list, 3) {
		b.put(t, fmt.Sprintf("in/shard-%d.csv", s), text)
	}
	server, _ := startPrism(t)
	words := append([]string{"rates", "--input", "s3://pages/in/shard-*.csv", "--bandwidth", "200"}, server...)

	is := func(method, part string, status int) func(*http.Request) int {
		return func(r *http.Request) int {
			if r.Method == method && strings.Contains(r.URL.String(), part) {
				return status
			}
			return 0
		}
	}
	for _, refusal := range []struct {
		name   string
		refuse func(*http.Request) int
		text   string
	}{
		{"listing", is(http.MethodGet, "list-type=2", 403), "s3://pages/in/shard-*.csv"},
		{"a shard", is(http.MethodGet, "in/shard-1.csv", 403), "s3://pages/in/shard-1.csv"},
		{"a shard that is gone", is(http.MethodGet, "in/shard-2.csv", 404), "s3://pages/in/shard-2.csv"},
		{"a shard, by a failure", is(http.MethodGet, "in/shard-0.csv", 500), "s3://pages/in/shard-0.csv"},
		{"a part of the answer", is(http.MethodPut, ".csv", 403), "s3://pages/out/rates.part-"},
		{"the replies", is(http.MethodPut, "replies-", 403), "s3://pages/out/rates.part-replies-"},
	} {
		t.Run(refusal.name, func(t *testing.T) {
			b.refuse.Store(&refusal.refuse)
			stdout, stderr, status := refreshbeam(t, append(words, "--out", "s3://pages/out/rates")...)
			b.refuse.Store(nil)
			assert.NotZero(t, status)
			assert.Empty(t, stdout)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
			assert.Contains(t, stderr, refusal.text)
			assert.Empty(t, b.objects(t, "out/rates-"))
		})
	}

	var first map[string]string
	for range 2 { // when it is repeated, too
		succeed(t, append(words, "--out", "s3://pages/out/rates")...)
		objects := b.objects(t, "out/rates-")
		require.Len(t, objects, 3)
		want := cut(inMemory(t, list, "refresh", "rates", "--bandwidth", "200"), 3)
		for s, text := range want {
			assertAgree(t, text, objects[fmt.Sprintf("out/rates-%05d-of-00003.csv", s)])
		}
		if first != nil {
			assert.Equal(t, first, objects)
		}
		first = objects
	}
}

// Invalid words end the command with a line that names them.
func TestUsage(t *testing.T) {
	out, pages := filepath.Join(t.TempDir(), "rates"), filepath.Join("..", "..", "testdata", "pages-*.csv")
	fail(t, exitUsage, "-nonsense: refreshbeam rates --help lists the flags", out, "rates", "--nonsense")
	fail(t, exitUsage, "--input, --bandwidth and --out: give all three", out, "rates")
	rates := []string{"rates", "--input", pages, "--bandwidth", "20/day"}
	fail(t, exitUsage, `"pages-1.csv" is no flag: put a pattern into quotes`, out, "rates", "--input", "pages-0.csv", "pages-1.csv", "--bandwidth", "20/day")
	fail(t, exitUsage, `"more" is no flag`, out, append(rates, "--", "more")...)
	fail(t, exitUsage, `--runner: "flonk" is not valid: use prism, flink,`, out, append(rates, "--runner", "flonk")...)
	fail(t, exitUsage, `--format: "exe" is not valid: use csv,`, out, append(rates, "--format", "exe")...)
	fail(t, exitUsage, `--objective: "best" is not valid: use fixed-order,`, out, append(rates, "--objective", "best")...)
	for _, nowhere := range []string{filepath.Join(t.TempDir(), "nowhere", "rates"), "nosuch://bucket/rates"} {
		fail(t, exitUsage, "--out: "+nowhere, nowhere, "rates", "--input", pages, "--bandwidth", "20/day")
	}
	_, stderr, status := refreshbeam(t, "rate")
	assert.Equal(t, exitUsage, status)
	assert.Equal(t, "refreshbeam: \"rate\" is not valid: use rates\n", stderr)
	for _, words := range [][]string{nil, {"help"}, {"--help"}, {"rates", "--help"}} {
		stdout, stderr, status := refreshbeam(t, words...)
		assert.Zero(t, status, stderr)
		assert.Contains(t, stdout, "sage")
	}
}
