// This file obeys robots.txt.

package crawl

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// robotsTextAge is how long a robots.txt is used before it is fetched again: a day, as RFC 9309
// has it (section 2.4).
const robotsTextAge = 24 * time.Hour

// robotsTextLimit is how much of a robots.txt is read, in bytes: what RFC 9309 demands (section 2.5).
const robotsTextLimit = 500 << 10

// robotsTexts knows the robots.txt of each host.
type robotsTexts struct {
	client    *http.Client
	userAgent string

	mu    sync.Mutex
	hosts map[string]*hostRules
	ready map[string]time.Time // when a host lets the next request begin
}

// hostRules are those of one host.
type hostRules struct {
	known   chan struct{} // closed when rules and fetched are set
	fetched time.Time
	rules   robotsRules
}

func newRobotsTexts(s Settings) *robotsTexts {
	return &robotsTexts{client: s.Client, userAgent: s.UserAgent, hosts: map[string]*hostRules{}, ready: map[string]time.Time{}}
}

// allow reports whether a page may be fetched, and waits for as long as the host's crawl-delay
// demands, or a header Retry-After that it sent.
func (t *robotsTexts) allow(ctx context.Context, u *url.URL) (bool, error) {
	h, err := t.host(ctx, u)
	if err != nil {
		return false, err
	}
	if !h.rules.allows(u.RequestURI()) {
		return false, nil
	}
	t.mu.Lock()
	begin := time.Now()
	if ready := t.ready[hostKey(u)]; ready.After(begin) {
		begin = ready
	}
	// Who is to give up before its turn takes none from the others.
	if deadline, limited := ctx.Deadline(); h.rules.delay > 0 && (!limited || begin.Before(deadline)) {
		t.ready[hostKey(u)] = begin.Add(h.rules.delay)
	}
	t.mu.Unlock()
	pause(ctx, begin)
	return true, ctx.Err()
}

// leaveAlone has the requests to a page's host wait until a time.
func (t *robotsTexts) leaveAlone(u *url.URL, until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if key := hostKey(u); until.After(t.ready[key]) {
		t.ready[key] = until
	}
}

// hostKey tells hosts apart.
func hostKey(u *url.URL) string { return u.Scheme + "://" + u.Host }

// host returns the rules of a page's host. One robot fetches them; others wait for it.
func (t *robotsTexts) host(ctx context.Context, u *url.URL) (*hostRules, error) {
	key := hostKey(u)
	for {
		t.mu.Lock()
		h := t.hosts[key]
		fresh := h == nil
		if fresh {
			h = &hostRules{known: make(chan struct{})}
			t.hosts[key] = h
		}
		t.mu.Unlock()
		if fresh {
			err := t.read(ctx, key, h)
			if err != nil {
				t.forget(key, h)
			}
			close(h.known)
			return h, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-h.known:
		}
		if !h.fetched.IsZero() && time.Since(h.fetched) < robotsTextAge {
			return h, nil
		}
		t.forget(key, h)
	}
}

func (t *robotsTexts) forget(key string, h *hostRules) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hosts[key] == h {
		delete(t.hosts, key)
	}
}

// read fetches robots.txt. After 4xx all pages may be fetched. After 5xx, and after 429, which too
// comes from a server in trouble, none is until robots.txt could be read: RFC 9309, section 2.3.1.
func (t *robotsTexts) read(ctx context.Context, key string, h *hostRules) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, key+"/robots.txt", http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", t.userAgent)
	response, err := t.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // all that is wanted has been read
	var body []byte
	switch code := response.StatusCode; {
	case code >= 200 && code < 300:
		if body, err = io.ReadAll(io.LimitReader(response.Body, robotsTextLimit)); err != nil {
			return err
		}
		if len(body) == robotsTextLimit { // the last line may be half a rule
			body = body[:bytes.LastIndexByte(body, '\n')+1]
		}
	case code < 400 || code >= 500 || code == http.StatusTooManyRequests:
		return fmt.Errorf("the server answered %s for robots.txt", response.Status)
	}
	h.fetched, h.rules = time.Now(), parseRobotsText(string(body), t.userAgent)
	return nil
}
