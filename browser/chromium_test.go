package browser

// Chromium for the tests. Its tabs record their requests and errors.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// waiting is the time that a test waits for something on the page. It is long, as machines
// that test are slow and busy; other tests measure speed.
const waiting = time.Minute

// chromium is the one browser of all tests; startChromium fills it in.
var chromium struct {
	sync.Once
	ctx    context.Context
	cancel context.CancelFunc
	err    error
}

var errNoChromium = errors.New("there is no chromium on this machine: browser/run installs it")

// startChromium starts the browser at the first call. Only the loopback address resolves,
// so that requests elsewhere fail.
func startChromium() (context.Context, error) {
	chromium.Do(func() {
		path, err := exec.LookPath("chromium")
		if err != nil {
			chromium.err = errNoChromium
			return
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path),
			chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
			chromedp.WindowSize(1280, 1000))
		if os.Getuid() == 0 {
			options = append(options, chromedp.NoSandbox) // Chromium's sandbox refuses to run as root
		}
		allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, cancel := chromedp.NewContext(allocator)
		chromium.ctx, chromium.cancel = ctx, func() { cancel(); cancelAllocator() }
		chromium.err = chromedp.Do(ctx)
	})
	return chromium.ctx, chromium.err
}

// tab is a page in its own browser profile.
type tab struct {
	t   *testing.T
	ctx context.Context

	mutex    sync.Mutex
	requests []string // URLs asked for
	faults   []string // errors and warnings on the console, uncaught exceptions
}

// look is a window size and a colour scheme.
type look struct {
	width, height int64
	scheme        string // the preferred colours: light or dark
}

var desktop = look{1280, 1000, "light"}

// open opens an address in a new tab. When the test ends, the tab must have requested
// nothing beyond the origin of the address, and reported no errors.
func open(t *testing.T, address string, l look) *tab {
	t.Helper()
	tb := blank(t, l)
	t.Cleanup(func() { tb.checkRequests(address) })
	tb.do(chromedp.Navigate(address))
	return tb
}

// blank opens an empty tab, and checks nothing.
func blank(t *testing.T, l look) *tab {
	t.Helper()
	browser, err := startChromium()
	if errors.Is(err, errNoChromium) {
		t.Skip(err)
	}
	require.NoError(t, err)
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	tb := &tab{t: t, ctx: ctx}
	tb.do()
	require.NoError(t, chromedp.Listen(ctx, tb.record))
	_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	tb.show(l)
	return tb
}

// show changes the look of the page.
func (tb *tab) show(l look) {
	tb.t.Helper()
	tb.do(chromedp.EmulateViewport(l.width, l.height))
	_, err := chromedp.Call(tb.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: l.scheme},
			{Name: "prefers-reduced-motion", Value: "no-preference"},
		},
	})
	require.NoError(tb.t, err)
}

// record keeps the events that checkRequests checks.
func (tb *tab) record(event any) {
	tb.mutex.Lock()
	defer tb.mutex.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		tb.requests = append(tb.requests, e.Request.URL)
	case *runtime.EventConsoleAPICalled:
		if kind := string(e.Type); kind == "error" || kind == "warning" || kind == "assert" {
			text, _ := json.Marshal(e.Args)
			tb.faults = append(tb.faults, fmt.Sprintf("console.%s %s", kind, text))
		}
	case *runtime.EventExceptionThrown:
		text, _ := json.Marshal(e.ExceptionDetails)
		tb.faults = append(tb.faults, fmt.Sprintf("exception %s", text))
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			tb.faults = append(tb.faults, fmt.Sprintf("%s %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	}
}

// seen returns the requests of the tab and the faults of its pages so far.
func (tb *tab) seen() (requests, faults []string) {
	tb.mutex.Lock()
	defer tb.mutex.Unlock()
	return append([]string(nil), tb.requests...), append([]string(nil), tb.faults...)
}

// forget drops the faults that a test has caused and checked.
func (tb *tab) forget() {
	tb.mutex.Lock()
	defer tb.mutex.Unlock()
	tb.faults = nil
}

// checkRequests fails the test if the tab requested anything beyond the origin of an
// address or outside the page itself, or if there were faults.
func (tb *tab) checkRequests(address string) {
	tb.t.Helper()
	requests, faults := tb.seen()
	for _, r := range foreign(requests, address) {
		tb.t.Errorf("the page at %s asked for %s", address, r)
	}
	for _, f := range faults {
		tb.t.Errorf("the page at %s: %s", address, f)
	}
}

// foreign returns the requests that go beyond an address: to another server or, for a
// file, to another file.
func foreign(requests []string, address string) []string {
	home, _, _ := strings.Cut(address, "#")
	if scheme, rest, ok := strings.Cut(home, "://"); ok && scheme != "file" {
		host, _, _ := strings.Cut(rest, "/")
		home = scheme + "://" + host + "/"
	}
	var away []string
	for _, r := range requests {
		if !strings.HasPrefix(r, home) && !strings.HasPrefix(r, "data:") && !strings.HasPrefix(r, "blob:") {
			away = append(away, r)
		}
	}
	return away
}

// do runs actions, which must end in time.
func (tb *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, waiting)
	defer cancel()
	if len(actions) == 0 {
		ctx = tb.ctx // the first call opens the tab, which lives as long as its context
	}
	require.NoError(tb.t, chromedp.Do(ctx, actions...))
}

// eval returns the value of a JavaScript expression; a promise is waited for.
func eval[T any](tb *tab, expression string) T {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, waiting)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(tb.t, err, expression)
	return value
}

// wait waits until a JavaScript expression is true.
func (tb *tab) wait(expression string) {
	tb.t.Helper()
	deadline := time.Now().Add(waiting)
	for !eval[bool](tb, "Boolean("+expression+")") {
		if time.Now().After(deadline) {
			_, faults := tb.seen()
			require.FailNow(tb.t, "the page never came to this", "%s\nfaults: %q\npage: %s", expression, faults,
				eval[string](tb, "document.body.innerText.slice(0, 2000)"))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// quote writes a value as JavaScript.
func quote(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
