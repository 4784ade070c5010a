// This file compares what a crawler has put into its index with what the site has.

package main

import (
	"sync"
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/examples/crawler/site"
	"github.com/mdpsolve/mdpsolve/examples/crawler/watch"
)

// copies knows which version of each page of a site a crawler has queued for its index. A page
// that was lost has not changed it.
type copies struct {
	web   *site.Site
	pages []site.Page
	at    map[string]int // the place of a page, by URL

	mu       sync.Mutex
	versions map[int]int
}

func newCopies(web *site.Site) *copies {
	c := &copies{web: web, pages: web.Pages(), at: map[string]int{}, versions: map[int]int{}}
	for i, p := range c.pages {
		c.at[p.URL] = i
	}
	return c
}

// observe is a [crawl.Observer].
func (c *copies) observe(e crawl.Event) {
	if e.Kind != crawl.Delivered {
		return
	}
	page := c.at[e.URL]
	version := c.web.Version(page, e.At)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.versions[page] = version
}

// count counts the pages at a time. Pages that can never be fetched are left out.
func (c *copies) count(now time.Time) watch.Pages {
	c.mu.Lock()
	defer c.mu.Unlock()
	var count watch.Pages
	for i, p := range c.pages {
		version, copied := c.versions[i]
		switch {
		case !p.Lasts && copied:
			count.Gone++
		case !p.Lasts:
		case !copied:
			count.Missing++
		case version == c.web.Version(i, now):
			count.Fresh++
		default:
			count.Stale++
		}
	}
	return count
}
