// This file fetches one page over HTTP.

package crawl

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// fetcher fetches pages. It remembers of each what tells whether it has changed.
type fetcher struct {
	settings Settings
	policies *robotsTexts

	mu   sync.Mutex
	seen map[string]validators // by URL
}

// validators tell whether a page has changed: the headers that a server gives for that purpose,
// and a digest for servers that give none.
type validators struct {
	etag, modified string
	digest         [sha256.Size]byte
}

// errDisallowed ends a fetch that has been led to a page that robots.txt forbids.
var errDisallowed = errors.New("robots.txt forbids it")

func newFetcher(s Settings) *fetcher {
	f := &fetcher{settings: s, policies: newRobotsTexts(s), seen: map[string]validators{}}
	client, follow := *s.Client, s.Client.CheckRedirect
	client.CheckRedirect = func(to *http.Request, via []*http.Request) error {
		const most = 10 // as without a function
		switch {
		case follow != nil:
			if err := follow(to, via); err != nil {
				return err
			}
		case len(via) >= most:
			return fmt.Errorf("the page has moved more than %d times", most)
		}
		if allowed, err := f.policies.allow(to.Context(), to.URL); err != nil {
			return err
		} else if !allowed {
			return errDisallowed
		}
		return nil
	}
	f.settings.Client = &client
	return f
}

// forget has the next fetch of a page find it, as if it had never been fetched.
func (f *fetcher) forget(address string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.seen, address)
}

// fetch fetches a page. Its Body is set for the outcomes Found and Changed.
func (f *fetcher) fetch(ctx context.Context, address string) (Page, Result) {
	r := Result{Begun: time.Now()}
	failed := func(err error) (Page, Result) {
		r.Outcome, r.Err, r.Duration = Failed, err, time.Since(r.Begun)
		return Page{}, r
	}
	u, err := url.Parse(address)
	if err != nil {
		return failed(err)
	}
	waiting, cancel := context.WithTimeout(ctx, f.settings.Timeout)
	allowed, err := f.policies.allow(waiting, u)
	cancel()
	if err != nil {
		return failed(err)
	} else if !allowed {
		r.Outcome = Disallowed
		return Page{}, r
	}
	r.Begun = time.Now() // without what robots.txt and the host's delay took
	ctx, cancel = context.WithTimeout(ctx, f.settings.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return failed(err)
	}
	request.Header.Set("User-Agent", f.settings.UserAgent)
	f.mu.Lock()
	before, known := f.seen[address]
	f.mu.Unlock()
	if !f.settings.Unconditional {
		if before.etag != "" {
			request.Header.Set("If-None-Match", before.etag)
		}
		if before.modified != "" {
			request.Header.Set("If-Modified-Since", before.modified)
		}
	}
	response, err := f.settings.Client.Do(request)
	if errors.Is(err, errDisallowed) {
		r.Outcome, r.Duration = Disallowed, time.Since(r.Begun)
		return Page{}, r
	}
	if err != nil {
		return failed(err)
	}
	defer func() { _ = response.Body.Close() }() // all that is wanted has been read
	r.Status = response.StatusCode
	if response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable {
		r.RetryAfter = retryAfter(response.Header.Get("Retry-After"), time.Now())
		if r.RetryAfter > 0 {
			f.policies.leaveAlone(response.Request.URL, time.Now().Add(r.RetryAfter))
		}
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, f.settings.BodyLimit+1))
	if err != nil {
		return failed(err)
	}
	r.Bytes, r.Duration = len(body), time.Since(r.Begun)
	r.Modified, _ = http.ParseTime(response.Header.Get("Last-Modified")) // the zero time for none
	switch {
	case response.StatusCode == http.StatusNotModified:
		r.Outcome = Unchanged
		return Page{}, r
	case response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusGone:
		r.Outcome = Gone
		return Page{}, r
	case response.StatusCode != http.StatusOK:
		return failed(fmt.Errorf("the server answered %s", response.Status))
	case int64(len(body)) > f.settings.BodyLimit:
		return failed(errors.New("the page is too long"))
	}
	now := validators{response.Header.Get("ETag"), response.Header.Get("Last-Modified"), sha256.Sum256(body)}
	f.mu.Lock()
	f.seen[address] = now
	f.mu.Unlock()
	switch {
	case !known || f.settings.Unconditional:
		r.Outcome = Found
	case now.digest == before.digest:
		r.Outcome = Unchanged
		return Page{}, r
	default:
		r.Outcome = Changed
	}
	return Page{URL: address, Body: body}, r
}

// retryAfter reads a header Retry-After, which is a number of seconds or a point in time (RFC 9110,
// section 10.2.3). What cannot be read, or has passed, is 0.
func retryAfter(header string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(header, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		wait = time.Duration(min(seconds, uint64(math.MaxInt64/time.Second))) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(now)
	}
	return max(wait, 0)
}
