package crawl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/operate"
)

// answers is a transport that answers by itself, after a time.
type answers struct {
	answer func(r *http.Request) *http.Response
	takes  time.Duration
}

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	timer := time.NewTimer(a.takes)
	defer timer.Stop()
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-timer.C:
	}
	response := a.answer(r)
	if response == nil {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	response.Request = r
	return response, nil
}

func response(status int, body string, headers ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Status: fmt.Sprint(status), Header: h, Body: io.NopCloser(strings.NewReader(body)), ProtoMajor: 1, ProtoMinor: 1}
}

// TestFetch meets every kind of answer.
func TestFetch(t *testing.T) {
	version := 1
	web := func(r *http.Request) *http.Response {
		assert.Equal(t, DefaultUserAgent, r.UserAgent())
		switch r.URL.Path {
		case "/robots.txt":
			return response(200, "User-agent: *\nDisallow: /private\nDisallow: /*?session=\n")
		case "/secret":
			return response(301, "", "Location", "/private/1")
		case "/tagged":
			tag := fmt.Sprintf(`"%d"`, version)
			if r.Header.Get("If-None-Match") == tag {
				return response(304, "")
			}
			return response(200, "the text", "ETag", tag, "Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		case "/digest":
			return response(200, fmt.Sprint("version ", version))
		case "/moved":
			return response(302, "", "Location", "/digest")
		case "/circle":
			return response(302, "", "Location", "/circle")
		case "/gone":
			return response(410, "")
		case "/missing":
			return response(404, "")
		case "/busy":
			return response(503, "", "Retry-After", "120")
		case "/later": // at a time, by a clock that has no parts of seconds
			return response(429, "", "Retry-After", time.Now().Add(time.Minute).UTC().Format(http.TimeFormat))
		case "/long":
			return response(200, strings.Repeat("x", 101))
		case "/hangs":
			return nil
		}
		t.Errorf("%s was fetched", r.URL)
		return response(500, "")
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFetcher(Settings{
			Client: &http.Client{Transport: answers{web, 3 * time.Second}}, UserAgent: DefaultUserAgent,
			Timeout: 10 * time.Second, BodyLimit: 100,
		})
		fetch := func(path string, want Outcome, body string) Result {
			t.Helper()
			p, r := f.fetch(t.Context(), "http://host.test"+path)
			assert.Equal(t, want, r.Outcome, "%s: %v", path, r.Err)
			assert.Equal(t, body, string(p.Body), path)
			assert.Equal(t, r.Outcome == Failed, r.Err != nil, path)
			return r
		}
		r := fetch("/tagged", Found, "the text")
		assert.Equal(t, 2006, r.Modified.Year())
		assert.Equal(t, 3*time.Second, r.Duration)
		assert.Equal(t, 304, fetch("/tagged", Unchanged, "").Status)
		fetch("/digest", Found, "version 1")
		fetch("/digest", Unchanged, "")
		version = 2
		fetch("/digest", Changed, "version 2")
		assert.Equal(t, 200, fetch("/tagged", Unchanged, "").Status) // only its tag has changed
		assert.Equal(t, 6*time.Second, fetch("/moved", Found, "version 2").Duration)
		fetch("/circle", Failed, "")
		fetch("/gone", Gone, "")
		fetch("/missing", Gone, "")
		leftAlone := func(path string, after time.Duration) {
			assert.Equal(t, after, fetch(path, Failed, "").RetryAfter)
			refused := time.Now()
			r := fetch("/missing", Failed, "")
			assert.Zero(t, r.Status, "the time-out is shorter")
			for r.Status == 0 {
				_, r = f.fetch(t.Context(), "http://host.test/missing")
			}
			assert.Equal(t, after, r.Begun.Sub(refused), path)
		}
		leftAlone("/busy", 2*time.Minute)
		leftAlone("/later", time.Minute)
		fetch("/long", Failed, "")
		assert.Equal(t, 10*time.Second, fetch("/hangs", Failed, "").Duration)
		assert.Zero(t, fetch("/private/1", Disallowed, "").Status)
		assert.Zero(t, fetch("/tagged?session=5", Disallowed, "").Status)
		fetch("/secret", Disallowed, "")
		fetch("\x7f", Failed, "")
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 10, 21, 7, 28, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"":                                  0,
		"0":                                 0,
		"-5":                                0,
		"soon":                              0,
		"1.5":                               0,
		"120":                               2 * time.Minute,
		"99999999999999999999":              9223372036 * time.Second, // the longest
		"Wed, 21 Oct 2026 07:29:30 GMT":     90 * time.Second,
		"Wednesday, 21-Oct-26 07:29:30 GMT": 90 * time.Second, // the two obsolete forms
		"Wed Oct 21 07:29:30 2026":          90 * time.Second,
		"Wed, 21 Oct 2026 07:27:00 GMT":     0,
	} {
		assert.Equal(t, want, retryAfter(header, now), "%q", header)
	}
}

// TestRobotsText asks for robots.txt once a day, and keeps a host's delay.
func TestRobotsText(t *testing.T) {
	var asked, pages int
	web := func(r *http.Request) *http.Response {
		switch {
		case r.URL.Host == "broken.test":
			return response(500, "")
		case r.URL.Path == "/robots.txt" && r.URL.Host == "none.test":
			return response(404, "")
		case r.URL.Path == "/robots.txt":
			asked++
			return response(200, "User-agent: *\nCrawl-delay: 5\n")
		}
		pages++
		return response(200, "")
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFetcher(Settings{
			Client: &http.Client{Transport: answers{web, time.Second}}, UserAgent: "x", Timeout: time.Hour, BodyLimit: 100,
		})
		begin := time.Now()
		done := make(chan Outcome)
		for range 4 { // the fourth request begins 1 + 3·5 s after the first for robots.txt
			go func() {
				_, r := f.fetch(t.Context(), "http://slow.test/page")
				done <- r.Outcome
			}()
		}
		for range 4 {
			assert.Contains(t, []Outcome{Found, Unchanged}, <-done)
		}
		assert.Equal(t, 17*time.Second, time.Since(begin))
		assert.Equal(t, []int{1, 4}, []int{asked, pages})
		time.Sleep(25 * time.Hour)
		_, r := f.fetch(t.Context(), "http://slow.test/page")
		assert.Equal(t, Unchanged, r.Outcome)
		assert.Equal(t, 2, asked)
		_, r = f.fetch(t.Context(), "http://none.test/page")
		assert.Equal(t, Found, r.Outcome, "without a robots.txt all is allowed")
		_, r = f.fetch(t.Context(), "http://broken.test/page")
		assert.ErrorContains(t, r.Err, "for robots.txt", "a server in trouble is left alone")
	})
}

// TestLongDelay has a host whose delay is longer than a fetch may take: it is kept, and the host's
// pages are fetched at that rate all the same.
func TestLongDelay(t *testing.T) {
	pages := 0
	web := func(r *http.Request) *http.Response {
		if r.URL.Path == "/robots.txt" {
			return response(200, "User-agent: *\nCrawl-delay: 15\n")
		}
		pages++
		return response(200, "")
	}
	synctest.Test(t, func(t *testing.T) {
		c, err := New(Settings{
			Client: &http.Client{Transport: answers{web, time.Second}}, Switch: &always{}, Index: &indexes{},
			Chooser: NewRoundRobin([]string{"http://slow.test/1", "http://slow.test/2"}), Robots: 4, Buffer: 3, Timeout: 10 * time.Second,
		})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		require.NoError(t, c.Run(ctx))
		assert.InDelta(t, 40, pages, 1)
	})
}

// always has four robots fetch all the time, and accepts pages while the queue has room.
type always struct{ queue atomic.Int64 }

func (a *always) Deliver() (operate.Delivery, error) {
	d := operate.Delivery{Accepted: a.queue.Load() < 3, Reactivate: true}
	if d.Accepted {
		a.queue.Add(1)
	}
	return d, nil
}

func (a *always) Indexed() (bool, error) {
	a.queue.Add(-1)
	return false, nil
}

func (a *always) Counts() (queue, active int) { return int(a.queue.Load()), 4 }

// TestLost has pages that never change, of which most are lost at first: all of them get into the
// index in the end.
func TestLost(t *testing.T) {
	web := func(r *http.Request) *http.Response {
		if r.URL.Path == "/robots.txt" {
			return response(404, "")
		}
		return response(200, r.URL.Path, "ETag", `"1"`)
	}
	var urls []string
	for i := range 20 {
		urls = append(urls, fmt.Sprintf("http://host.test/%d", i))
	}
	synctest.Test(t, func(t *testing.T) {
		x := &indexes{}
		lost := 0
		c, err := New(Settings{
			Client: &http.Client{Transport: answers{web, time.Second}}, Switch: &always{}, Index: x,
			Chooser: NewRoundRobin(urls), Robots: 4, Buffer: 3,
			Service: func(int, Page) time.Duration { return 2 * time.Second },
			Observers: []Observer{func(e Event) {
				if e.Kind == Lost {
					lost++
				}
			}},
		})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		require.NoError(t, c.Run(ctx))
		assert.Positive(t, lost)
		assert.EqualValues(t, 20, x.pages.Load(), "each once")
	})
}

// indexes counts pages, of which each takes a time.
type indexes struct {
	pages atomic.Int64
	fault error
}

func (x *indexes) Index(Page) error { x.pages.Add(1); return x.fault }

var parameters = robots.Parameters{Robots: 4, Buffer: 3, ArrivalRate: 1, ServiceRate: 1, StarvationWeight: 1}

func crawler(t *testing.T, sw Switch, chooser Chooser, x Index, observers ...Observer) *Crawler {
	t.Helper()
	web := func(*http.Request) *http.Response { return response(200, "") }
	c, err := New(Settings{
		Client: &http.Client{Transport: answers{web, 3500 * time.Millisecond}}, Switch: sw, Chooser: chooser, Index: x,
		Robots: parameters.Robots, Buffer: parameters.Buffer, Unconditional: true,
		Service:   func(int, Page) time.Duration { return time.Second },
		Observers: observers,
	})
	require.NoError(t, err)
	return c
}

// TestCycle follows four robots that are always active. Answers take 3.5 s and services 1 s, so that
// all is known: robots.txt until 3.5 s, four pages at 7 s and each 3.5 s from then on. One of the
// four is lost, and the queue is empty for half a second before the next come.
func TestCycle(t *testing.T) {
	policy, err := robots.NewStaticPolicy(parameters, 4)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		sw := operate.NewController(policy)
		require.NoError(t, sw.Reset(0, 4))
		meter, x := NewMeter(sw, time.Now()), &indexes{}
		ctx, cancel := context.WithTimeout(t.Context(), 73*time.Second+501*time.Millisecond)
		defer cancel()
		require.NoError(t, crawler(t, sw, NewRoundRobin([]string{"http://host.test/1"}), x, meter.Observe).Run(ctx))
		s := meter.Sums(time.Now())
		assert.Equal(t, 20*4, s.Delivered)
		assert.Equal(t, 4*20, s.Fetches[Found])
		assert.Equal(t, 20, s.Lost)
		assert.InDelta(t, 7+19*0.5, s.Empty, 0.01)
		assert.InDelta(t, 4*73.5, s.Active, 0.01)
		assert.InDelta(t, 1, s.ServiceRate(), 0.01)
		assert.InDelta(t, 80./(4*73.5), s.ArrivalRate(), 0.01)
		assert.Equal(t, int(x.pages.Load()), s.Indexed+1, "one was on its way when the time was up")
		queue, _ := sw.Counts()
		assert.Equal(t, s.Delivered-s.Lost-s.Indexed, queue)
	})
}

// mortal is a chooser that kills the robots that ask for the tenth page and for later ones.
type mortal struct {
	Chooser
	asked atomic.Int64
}

func (m *mortal) Next(now time.Time) (string, time.Duration) {
	if n := m.asked.Add(1); n == 10 || n == 15 {
		panic("the parser has a fault")
	}
	return m.Chooser.Next(now)
}

// TestDeath withdraws robots, where the switch can do that, and replaces them where it cannot.
func TestDeath(t *testing.T) {
	for _, adaptive := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var sw Switch = NewAIMD(4, 3)
			if adaptive {
				begin := time.Now()
				var err error
				sw, err = operate.NewAdaptive(t.Context(), parameters, operate.AdaptiveSettings{
					Now: func() float64 { return time.Since(begin).Seconds() }, Synchronous: true,
				})
				require.NoError(t, err)
			}
			died, most, late := 0, 0, 0
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			chooser := &mortal{Chooser: NewRoundRobin([]string{"http://host.test/1"})}
			require.NoError(t, crawler(t, sw, chooser, &indexes{}, func(e Event) {
				if e.Kind == RobotDied {
					died, most = died+1, 0
					assert.ErrorContains(t, e.Result.Err, "the parser has a fault")
				}
				if most = max(most, e.Active); died == 2 && e.Kind == Indexed {
					late++
				}
			}).Run(ctx))
			assert.Equal(t, 2, died)
			assert.Greater(t, late, 50, "the crawler goes on")
			if adaptive {
				assert.Equal(t, []int{2}, sw.(*operate.Adaptive).Belief().Robots)
				assert.LessOrEqual(t, most, 2)
			} else {
				assert.Equal(t, 4, most)
			}
		})
	}
}

// TestFault ends a crawl whose index fails.
func TestFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fault := errors.New("the disk is full")
		err := crawler(t, NewAIMD(4, 3), NewRoundRobin([]string{"http://host.test/1"}), &indexes{fault: fault}).Run(t.Context())
		assert.ErrorIs(t, err, fault)
		assert.ErrorContains(t, err, "http://host.test/1")
	})
}

func TestNewRefuses(t *testing.T) {
	good := Settings{Client: http.DefaultClient, Switch: NewAIMD(4, 3), Chooser: NewRoundRobin([]string{"x"}), Index: &indexes{}, Robots: 4, Buffer: 3}
	_, err := New(good)
	require.NoError(t, err)
	for name, spoil := range map[string]func(*Settings){
		"Index":     func(s *Settings) { s.Index = nil },
		"0 robots":  func(s *Settings) { s.Robots = 0 },
		"of 1 page": func(s *Settings) { s.Buffer = 1 },
	} {
		bad := good
		spoil(&bad)
		_, err := New(bad)
		assert.ErrorContains(t, err, name)
	}
}

// TestAIMD follows the window by hand.
func TestAIMD(t *testing.T) {
	a := NewAIMD(8, 2)
	deliver := func(want operate.Delivery) {
		t.Helper()
		got, err := a.Deliver()
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	indexed := func(want bool) {
		t.Helper()
		got, err := a.Indexed()
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := a.Indexed()
	require.ErrorIs(t, err, operate.ErrEmptyQueue)
	deliver(operate.Delivery{Accepted: true, Reactivate: true}) // w = 2
	indexed(true)                                               // two robots
	deliver(operate.Delivery{Accepted: true, Reactivate: true}) // 2.5
	deliver(operate.Delivery{Accepted: true, Reactivate: true}) // 2.9
	assert.InDelta(t, 2.9, a.window, 1e-12)
	deliver(operate.Delivery{Reactivate: false}) // lost: 1.45
	assert.InDelta(t, 1.45, a.window, 1e-12)
	deliver(operate.Delivery{Reactivate: true}) // lost, in the next round: 1
	assert.InDelta(t, 1, a.window, 1e-12)
	indexed(false)
	queue, active := a.Counts()
	assert.Equal(t, [2]int{1, 1}, [2]int{queue, active})
}
