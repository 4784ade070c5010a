// This file fetches pages of one site over HTTP, and obeys its robots.txt.

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

const (
	userAgent   = "mdpsolve-example-crawler/2.0"
	timeout     = 20 * time.Second
	bodyLimit   = 10 << 20       // bytes; a longer page counts as failed
	rulesAge    = 24 * time.Hour // how long a robots.txt is used (RFC 9309, section 2.4)
	rulesLimit  = 500 << 10      // bytes of a robots.txt that are read (section 2.5)
	mostForward = 10             // redirects
)

// fetcher fetches pages of one site.
type fetcher struct {
	client *http.Client
	site   *url.URL
	pages  *frontier

	mu     sync.Mutex // one robot fetches robots.txt; the others wait for it
	rules  robotsRules
	ruleAt time.Time // when the rules were fetched
}

// validators tell whether a page has changed. They are the note of a page in the store.
type validators struct {
	ETag     string `json:"etag,omitempty"`
	Modified string `json:"modified,omitempty"`
	Digest   string `json:"digest,omitempty"` // of the body, for servers that give neither
}

// fetched is the result of a fetch. text is set where the page is new or has changed.
type fetched struct {
	outcome    store.Outcome
	text       string
	links      []string
	note       []byte        // validators of this version; nil leaves the note as it is
	retryAfter time.Duration // how long the server asks to wait
}

var errDisallowed = errors.New("robots.txt forbids it, or it is on another site")

func newFetcher(site *url.URL, pages *frontier) *fetcher {
	f := &fetcher{site: site, pages: pages}
	f.client = &http.Client{
		Timeout:   timeout,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 100},
		CheckRedirect: func(to *http.Request, via []*http.Request) error {
			if len(via) >= mostForward {
				return fmt.Errorf("the page has moved more than %d times", mostForward)
			}
			if !f.isOfSite(to.URL) || !f.rulesNow().allows(to.URL.RequestURI()) {
				return errDisallowed
			}
			return nil
		},
	}
	return f
}

// isOfSite reports whether a URL is of the site that is crawled.
func (f *fetcher) isOfSite(u *url.URL) bool {
	return u.Scheme == f.site.Scheme && strings.EqualFold(u.Host, f.site.Host)
}

// fetch fetches a page, on condition that it has changed. A page that robots.txt forbids is gone.
func (f *fetcher) fetch(ctx context.Context, address string, note []byte) (fetched, error) {
	u, err := url.Parse(address)
	if err != nil {
		return fetched{}, err
	}
	if err := f.readRules(ctx); err != nil {
		return fetched{}, err
	}
	if !f.isOfSite(u) || !f.rulesNow().allows(u.RequestURI()) {
		return fetched{outcome: store.Gone}, nil
	}
	var before validators
	if len(note) > 0 {
		if err := json.Unmarshal(note, &before); err != nil {
			return fetched{}, fmt.Errorf("the note of %s in the store: %w", address, err)
		}
	}
	header := http.Header{}
	if before.ETag != "" {
		header.Set("If-None-Match", before.ETag)
	}
	if before.Modified != "" {
		header.Set("If-Modified-Since", before.Modified)
	}
	a, err := get(ctx, f.client, u, header, bodyLimit)
	switch {
	case errors.Is(err, errDisallowed):
		return fetched{outcome: store.Gone}, nil
	case err != nil:
		return fetched{}, err
	}
	switch a.code {
	case http.StatusOK:
	case http.StatusNotModified:
		return fetched{outcome: store.Unchanged}, nil
	case http.StatusNotFound, http.StatusGone:
		return fetched{outcome: store.Gone}, nil
	default:
		return fetched{outcome: store.Failed, retryAfter: a.retryAfter(time.Now())}, nil
	}
	if len(a.body) > bodyLimit {
		return fetched{outcome: store.Failed}, nil
	}
	digest := sha256.Sum256(a.body)
	now := validators{a.header.Get("ETag"), a.header.Get("Last-Modified"), hex.EncodeToString(digest[:])}
	if now.Digest == before.Digest {
		return fetched{outcome: store.Unchanged}, nil
	}
	found := fetched{outcome: store.Changed}
	if len(note) == 0 {
		found.outcome = store.Found
	}
	if found.note, err = json.Marshal(now); err != nil {
		return fetched{}, err
	}
	found.text, found.links = readPage(a.body, a.header.Get("Content-Type"), a.from)
	return found, nil
}

// answer is the answer to a request.
type answer struct {
	code   int
	status string
	header http.Header
	body   []byte   // up to one byte more than the limit
	from   *url.URL // after redirects
}

// get sends a request, and reads up to one byte more than a limit of the answer.
func get(ctx context.Context, client *http.Client, u *url.URL, header http.Header, limit int64) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return answer{}, err
	}
	request.Header = header
	request.Header.Set("User-Agent", userAgent)
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }() // all that is wanted has been read
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	return answer{response.StatusCode, response.Status, response.Header, body, response.Request.URL}, err
}

// retryAfter reads the header Retry-After of an answer 429 or 503: a number of seconds or a point in
// time (RFC 9110, section 10.2.3). What cannot be read, or has passed, is 0.
func (a answer) retryAfter(now time.Time) time.Duration {
	if a.code != http.StatusTooManyRequests && a.code != http.StatusServiceUnavailable {
		return 0
	}
	header, wait := a.header.Get("Retry-After"), time.Duration(0)
	if seconds, err := strconv.ParseUint(header, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		wait = time.Duration(min(seconds, uint64(math.MaxInt64/time.Second))) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(now)
	}
	return max(wait, 0)
}

// rulesNow returns the rules that readRules has read.
func (f *fetcher) rulesNow() *robotsRules {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &f.rules
}

// readRules fetches robots.txt once a day. After an answer 4xx all pages may be fetched. After 5xx,
// and after 429, which also comes from a server in trouble, none may until robots.txt can be read
// (RFC 9309, section 2.3.1).
func (f *fetcher) readRules(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.ruleAt.IsZero() && time.Since(f.ruleAt) < rulesAge {
		return nil
	}
	client := *f.client
	client.CheckRedirect = nil // robots.txt may move to another site
	a, err := get(ctx, &client, f.site.ResolveReference(&url.URL{Path: "/robots.txt"}), http.Header{}, rulesLimit)
	if err != nil {
		return err
	}
	body := a.body
	switch {
	case a.code >= 200 && a.code < 300:
		if len(body) > rulesLimit { // the last line may be half a rule
			body = body[:bytes.LastIndexByte(body[:rulesLimit], '\n')+1]
		}
	case a.code >= 400 && a.code < 500 && a.code != http.StatusTooManyRequests:
		body = nil
	default:
		if err := f.pages.leaveAlone(max(a.retryAfter(time.Now()), time.Minute)); err != nil {
			return err
		}
		return fmt.Errorf("the server answered %s for robots.txt", a.status)
	}
	f.rules, f.ruleAt = parseRobotsText(string(body), userAgent), time.Now()
	return f.pages.setDelay(f.rules.delay)
}
