// Package site is a web to crawl: many hosts with pages that change, fail, move and vanish by
// known laws, served from one listener. What a crawler can only guess, the site knows.
package site

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Settings describe a site. Times and rates are by the clock of the machine, in seconds.
type Settings struct {
	Hosts, PagesPerHost int
	Seed                uint64
	Begin               time.Time // when the pages begin to change

	Latency Law // of an answer, in seconds
	Size    Law // of a page, in bytes
	// ChangeRate is the law of the changes per second of a page, which are a Poisson process.
	ChangeRate Law
	// Load returns how much faster than by Latency answers are, at a time since Begin. Nil: 1.
	Load func(since time.Duration) float64
	// Faults are nil on a site without any: then nothing is disallowed either.
	Faults *Faults
}

// Faults are the shares of pages, or of fetches, that do not simply bring a page.
type Faults struct {
	Moved      float64       // of pages: an answer 302 leads to the page
	Gone       float64       // of pages: 404 or 410, half of each
	Error      float64       // of fetches: 500, 502 or 503
	Hang       float64       // of fetches: no answer
	Disallowed float64       // of pages: robots.txt forbids them
	Delayed    float64       // of hosts: robots.txt demands CrawlDelay
	CrawlDelay time.Duration // in whole seconds, as there is no other
}

// Site serves pages. Its hosts are host0.test, host1.test and so on: names that are reserved for
// tests (RFC 2606). All of them are to be dialled at the one listener.
type Site struct {
	settings Settings
	pages    []*page
}

// page is one of the pages.
type page struct {
	url                     string
	path                    string
	size                    int
	rate                    float64 // changes per second
	moved, gone, disallowed bool

	mu      sync.Mutex
	random  *rand.Rand
	visits  uint64
	changes []time.Duration // since Begin, up to the first that is later than anybody has asked for
}

// Page is what is true of a page.
type Page struct {
	URL        string
	ChangeRate float64 // changes per second
	// Lasts reports whether the page can be fetched: it is not gone and not disallowed.
	Lasts bool
}

// New returns a site.
func New(s Settings) *Site {
	site := &Site{settings: s}
	random := rand.New(rand.NewPCG(s.Seed, 0))
	faults := Faults{}
	if s.Faults != nil {
		faults = *s.Faults
	}
	for i := range s.Hosts * s.PagesPerHost {
		host, n := i%s.Hosts, i/s.Hosts
		p := &page{
			size:   int(s.Size.Draw(random)),
			rate:   s.ChangeRate.Draw(random),
			moved:  random.Float64() < faults.Moved,
			gone:   random.Float64() < faults.Gone,
			random: rand.New(rand.NewPCG(s.Seed, uint64(i)+1)),
		}
		p.disallowed = random.Float64() < faults.Disallowed
		directory := "pages"
		if p.disallowed {
			directory = "private"
		}
		p.path = fmt.Sprintf("/%s/%d", directory, n)
		p.url = fmt.Sprintf("http://host%d.test%s", host, p.path)
		if p.moved {
			p.url = fmt.Sprintf("http://host%d.test/%s-old/%d", host, directory, n)
		}
		site.pages = append(site.pages, p)
	}
	return site
}

// Pages returns the truth of all pages.
func (s *Site) Pages() []Page {
	pages := make([]Page, len(s.pages))
	for i, p := range s.pages {
		pages[i] = Page{p.url, p.rate, !p.gone && !p.disallowed}
	}
	return pages
}

// Version returns how often a page has changed from Begin up to a time.
func (s *Site) Version(page int, at time.Time) int {
	p := s.pages[page]
	p.mu.Lock()
	defer p.mu.Unlock()
	version, _ := p.version(at.Sub(s.settings.Begin))
	return version
}

// version returns the number of changes up to a time, and when the last of them was.
func (p *page) version(at time.Duration) (int, time.Duration) {
	if p.rate == 0 {
		return 0, 0
	}
	for len(p.changes) == 0 || p.changes[len(p.changes)-1] <= at {
		last := time.Duration(0)
		if len(p.changes) > 0 {
			last = p.changes[len(p.changes)-1]
		}
		p.changes = append(p.changes, last+seconds(p.random.ExpFloat64()/p.rate))
	}
	n := len(p.changes)
	for n > 0 && p.changes[n-1] > at {
		n--
	}
	if n == 0 {
		return 0, 0
	}
	return n, p.changes[n-1]
}

// seconds returns a duration; what is longer than a thousand years lasts a hundred.
func seconds(s float64) time.Duration {
	return time.Duration(min(s, 100*365*86400) * float64(time.Second))
}

// ServeHTTP implements [http.Handler].
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	arrived := time.Now()
	name, _, _ := strings.Cut(r.Host, ":")
	host, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, "host"), ".test"))
	if err != nil || host < 0 || host >= s.settings.Hosts {
		http.Error(w, "there is no such host", http.StatusMisdirectedRequest)
		return
	}
	if r.URL.Path == "/robots.txt" {
		s.robotsText(w, host)
		return
	}
	slash := strings.LastIndexByte(r.URL.Path, '/')
	n, err := strconv.Atoi(r.URL.Path[slash+1:])
	i := n*s.settings.Hosts + host
	if err != nil || n < 0 || i >= len(s.pages) {
		http.NotFound(w, r)
		return
	}
	s.serve(w, r, i, arrived)
}

// mixed spreads seeds that are near to each other (the mixing of splitmix64; S. Vigna).
func mixed(seed uint64) uint64 {
	seed = (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
	seed = (seed ^ seed>>27) * 0x94d049bb133111eb
	return seed ^ seed>>31
}

// robotsText answers at once: what it takes is no part of a fetch.
func (s *Site) robotsText(w http.ResponseWriter, host int) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "User-agent: *")
	if f := s.settings.Faults; f != nil {
		fmt.Fprintln(w, "Disallow: /private")
		if float64(host) < f.Delayed*float64(s.settings.Hosts) {
			fmt.Fprintf(w, "Crawl-delay: %d\n", int(f.CrawlDelay.Seconds()))
		}
	}
}

func (s *Site) serve(w http.ResponseWriter, r *http.Request, i int, arrived time.Time) {
	p := s.pages[i]
	// What a fetch meets depends on the seed, the page and how often it was fetched before, so
	// that crawlers that are compared meet the same.
	p.mu.Lock()
	p.visits++
	random := rand.New(rand.NewPCG(mixed(s.settings.Seed)+uint64(i), p.visits))
	p.mu.Unlock()
	since := arrived.Sub(s.settings.Begin)
	latency := s.settings.Latency.Draw(random)
	if s.settings.Load != nil {
		latency /= s.settings.Load(since)
	}
	hangs, fails := false, false
	if f := s.settings.Faults; f != nil {
		fate := random.Float64()
		hangs, fails = fate < f.Hang, fate >= f.Hang && fate < f.Hang+f.Error
	}
	if hangs {
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
	timer := time.NewTimer(time.Until(arrived.Add(seconds(latency))))
	defer timer.Stop()
	select {
	case <-r.Context().Done():
		return
	case <-timer.C:
	}
	switch {
	case fails:
		status := [...]int{http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable}[random.IntN(3)]
		http.Error(w, "the server has failed", status)
	case p.gone:
		http.Error(w, "the page is gone", [...]int{http.StatusNotFound, http.StatusGone}[i%2])
	case p.moved && r.URL.Path != p.path:
		http.Redirect(w, r, p.path, http.StatusFound)
	default:
		s.body(w, r, i, p)
	}
}

// body answers with the page as it is now. Two of three hosts give an ETag and the time of the
// last change.
func (s *Site) body(w http.ResponseWriter, r *http.Request, i int, p *page) {
	p.mu.Lock()
	version, changed := p.version(time.Since(s.settings.Begin))
	p.mu.Unlock()
	if i%s.settings.Hosts%3 != 2 {
		tag := fmt.Sprintf(`"%d"`, version)
		w.Header().Set("ETag", tag)
		w.Header().Set("Last-Modified", s.settings.Begin.Add(changed).UTC().Format(http.TimeFormat))
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	text := text(p.size, s.settings.Seed+uint64(i), uint64(version))
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text) // a crawler that has gone away
}
