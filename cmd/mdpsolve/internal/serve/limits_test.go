package serve

// What requests may take.

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// address serves answers of run until the test ends, and returns where.
func address(t *testing.T, run Run, l limits) string {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	s, err := newServer(run, Endpoints(nil), "127.0.0.1", l)
	require.NoError(t, err)
	s.report = log.New(io.Discard, "", 0)
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it does not wait
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
	})
	return "http://" + listener.Addr().String()
}

// get returns the status of an answer, and what it says.
func get(ctx context.Context, t *testing.T, address string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text)
}

// Slow requests leave room for quick ones, and are refused where too many run.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const moment = time.Second
		all := turns{make(chan struct{}, 2), make(chan struct{}, 2)}
		begin := func() (context.Context, func()) {
			ctx, end, err := all.begin(t.Context(), moment)
			require.NoError(t, err)
			return ctx, end
		}
		pass := func() { time.Sleep(moment); synctest.Wait() }
		slow, endSlow := begin()
		_, endOther := begin()
		_, _, err := all.begin(t.Context(), moment)
		require.ErrorIs(t, err, errTooMany, "both turns are taken, and nothing is waited for")
		pass()
		for range 5 {
			_, end := begin()
			time.Sleep(moment / 2)
			end()
		}
		excess, endExcess := begin()
		pass()
		require.ErrorIs(t, context.Cause(excess), errTooMany, "two are slow already")
		endExcess()
		require.NoError(t, slow.Err())
		endSlow()
		next, endNext := begin()
		pass()
		require.NoError(t, next.Err(), "one has ended")
		endNext()
		endOther()
		assert.Empty(t, all.short)
		assert.Empty(t, all.long)
	})
}

// untilLeft runs a verb until the client leaves or the server cancels it, except for the
// question robots=2, which it answers at once.
func untilLeft(begun chan struct{}) Run {
	return func(ctx context.Context, args []string, stdout, _ io.Writer) error {
		if strings.Contains(strings.Join(args, " "), "--robots=2") {
			_, _ = io.WriteString(stdout, "{}")
			return nil
		}
		begun <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
}

// A request for which there is no room is refused; a client who leaves ends the solve and
// makes room.
func TestFullServer(t *testing.T) {
	begun := make(chan struct{})
	at := address(t, untilLeft(begun), limits{short: 1, moment: time.Hour, time: time.Hour, upload: 100})
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"/api/static?robots=1", nil)
	require.NoError(t, err)
	left := make(chan error)
	go func() {
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		left <- err
	}()
	<-begun
	status, body := get(t.Context(), t, at+"/api/static?robots=2")
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Contains(t, body, "too many requests at a time")
	leave()
	require.ErrorIs(t, <-left, context.Canceled)
	require.Eventually(t, func() bool {
		status, _ := get(t.Context(), t, at+"/api/static?robots=2")
		return status == http.StatusOK
	}, 5*time.Second, 10*time.Millisecond)
}

// A slow request that has to end is refused, too: by its status, or in its stream.
func TestSlowRequestsAreRefused(t *testing.T) {
	at := address(t, untilLeft(make(chan struct{}, 2)), limits{short: 1, moment: time.Millisecond, time: time.Hour, upload: 100})
	status, body := get(t.Context(), t, at+"/api/static?robots=1")
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Contains(t, body, "too many requests at a time")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at+"/api/static?robots=1", nil)
	require.NoError(t, err)
	request.Header.Set("Accept", eventStream)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Equal(t, "event: error\ndata: {\"error\":\"too many requests at a time: try again\"}\n\n", string(text))
}

// A failure of the program is not shown beyond its first line, and ends no other answer.
func TestFailures(t *testing.T) {
	run := func(_ context.Context, args []string, _, _ io.Writer) error {
		if strings.Contains(strings.Join(args, " "), "--robots=2") {
			panic("unforeseen")
		}
		return errors.New("internal failure: index out of range\ngoroutine 7 [running]")
	}
	at := address(t, run, limits{short: 1, moment: time.Hour, time: time.Hour})
	get(t.Context(), t, at+"/api/static?robots=2")
	status, body := get(t.Context(), t, at+"/api/static?robots=1")
	assert.Equal(t, http.StatusInternalServerError, status)
	assert.JSONEq(t, `{"error": "internal failure: index out of range"}`, body)
}

// Files hold no more than they may, packed or not.
func TestCheckUnpacked(t *testing.T) {
	packed := func(text string) string {
		var file bytes.Buffer
		w := gzip.NewWriter(&file)
		_, _ = io.WriteString(w, text)
		require.NoError(t, w.Close())
		return file.String()
	}
	const most = 10
	for content, want := range map[string]int{
		"":                         0,
		"1234567890":               0,
		"12345678901":              http.StatusRequestEntityTooLarge,
		packed("1234567890"):       0,
		packed("12345678901"):      http.StatusRequestEntityTooLarge,
		packed("1234567890")[:20]:  0, // damaged: the verb says so
		"\x1f\x8bno":               0,
		"PAR1":                     http.StatusUnsupportedMediaType,
		"\x28\xb5\x2f\xfd":         http.StatusUnsupportedMediaType,
		packed("\x28\xb5\x2f\xfd"): http.StatusUnsupportedMediaType,
	} {
		err := checkUnpacked(strings.NewReader(content), `"a"`, most)
		if want == 0 {
			assert.NoError(t, err, "%q", content)
			continue
		}
		status, _ := faultOf(err)
		assert.Equal(t, want, status, "%q", content)
	}
}
