// This file is the small web that the example crawls without -site.

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// web serves pages that change by Poisson processes: a third of them once a second on average, a third
// every 10 seconds, a third every 100. Answers take an exponential time. robots.txt forbids the pages
// below /private.
type web struct {
	latency time.Duration // mean
	begin   time.Time
	pages   []*webPage

	mu     sync.Mutex
	random *rand.Rand
}

// webPage is a page of the web.
type webPage struct {
	rate float64 // changes per second

	mu      sync.Mutex
	random  *rand.Rand
	version int
	next    time.Duration // time of the next change, from the beginning
}

func newWeb(seed uint64, pages int, latency time.Duration) *web {
	w := &web{latency: latency, begin: time.Now(), random: rand.New(rand.NewPCG(seed, 0))}
	rates := [...]float64{1, 0.1, 0.01}
	for i := range pages {
		p := &webPage{rate: rates[i%len(rates)], random: rand.New(rand.NewPCG(seed, uint64(i)+1))}
		p.next = p.gap()
		w.pages = append(w.pages, p)
	}
	return w
}

// gap draws the time until the next change.
func (p *webPage) gap() time.Duration {
	return time.Duration(p.random.ExpFloat64() / p.rate * float64(time.Second))
}

// at returns the version at a time, which is not before that of an earlier call.
func (p *webPage) at(since time.Duration) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.next <= since {
		p.version++
		p.next += p.gap()
	}
	return p.version
}

// ServeHTTP implements [http.Handler].
func (w *web) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		fmt.Fprint(answer, "User-agent: *\nDisallow: /private\n")
		return
	}
	w.mu.Lock()
	latency := time.Duration(float64(w.latency) * w.random.ExpFloat64())
	w.mu.Unlock()
	if pause(r.Context(), latency); r.Context().Err() != nil {
		return
	}
	if r.URL.Path == "/" {
		answer.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(answer, `<title>All pages</title><a href="/private/notes">notes</a>`)
		for i := range w.pages {
			fmt.Fprintf(answer, ` <a href="/page/%d">%s</a>`, i, word(uint64(i)))
		}
		return
	}
	i, ok := w.pageOf(r.URL.Path)
	if !ok {
		http.NotFound(answer, r)
		return
	}
	version := w.pages[i].at(time.Since(w.begin))
	answer.Header().Set("ETag", etagOf(version))
	if r.Header.Get("If-None-Match") == etagOf(version) {
		answer.WriteHeader(http.StatusNotModified)
		return
	}
	answer.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(answer, "<title>Page %d</title><p>Version %d", i, version)
	text := rand.New(rand.NewPCG(uint64(i), uint64(version)))
	const words, vocabulary = 150, 5000
	often := rand.NewZipf(text, 1.01, 1, vocabulary-1) // the k-th word comes about 1/k as often as the first
	for range words {
		fmt.Fprint(answer, " ", word(often.Uint64()))
	}
	fmt.Fprintf(answer, `<p><a href="/page/%d">next</a> <a href="/">all</a>`, (i+1)%len(w.pages))
}

// pageOf returns the number of the page at a path.
func (w *web) pageOf(path string) (page int, ok bool) {
	number, isPage := strings.CutPrefix(path, "/page/")
	page, err := strconv.Atoi(number)
	return page, isPage && err == nil && page >= 0 && page < len(w.pages)
}

func etagOf(version int) string { return fmt.Sprintf(`"%d"`, version) }

// word returns the n-th word: syllables that spell n.
func word(n uint64) string {
	const consonants, vowels = "bdfgklmnprst", "aeiou"
	var b strings.Builder
	for {
		b.WriteByte(consonants[n%12])
		b.WriteByte(vowels[n/12%5])
		if n /= 60; n == 0 {
			return b.String()
		}
	}
}

// fresh counts the pages whose present version is the last one that was queued for the index.
func (w *web) fresh(pages *frontier, now time.Time) (int, error) {
	count := 0
	for status, err := range pages.store.Pages("") {
		if err != nil {
			return 0, err
		}
		var note validators
		if len(status.Note) == 0 {
			continue // never queued
		}
		if err := json.Unmarshal(status.Note, &note); err != nil {
			return 0, err
		}
		i, ok := w.pageOf(strings.TrimPrefix(status.ID, pages.site.Scheme+"://"+pages.site.Host))
		if !ok || note.ETag == etagOf(w.pages[i].at(now.Sub(w.begin))) {
			count++ // the list of all pages does not change
		}
	}
	return count, nil
}
