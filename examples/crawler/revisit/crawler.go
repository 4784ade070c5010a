package revisit

// A chooser in the crawler.

import (
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// ForCrawler returns a chooser as the crawler asks it. An error is handed to failed, and the
// crawler waits.
func ForCrawler(c Chooser, failed func(error)) crawl.Chooser { return forCrawler{c, failed} }

type forCrawler struct {
	chooser Chooser
	failed  func(error)
}

// Next implements [crawl.Chooser].
func (f forCrawler) Next(now time.Time) (url string, wait time.Duration) {
	url, wait, err := f.chooser.Next(now)
	if err != nil {
		f.failed(err)
		return "", never
	}
	return url, wait
}

// Fetched implements [crawl.Chooser].
func (f forCrawler) Fetched(url string, r crawl.Result) {
	outcome := [crawl.Outcomes]store.Outcome{
		crawl.Failed: store.Failed, crawl.Disallowed: store.Gone, crawl.Gone: store.Gone,
		crawl.Found: store.Found, crawl.Unchanged: store.Unchanged, crawl.Changed: store.Changed,
	}[r.Outcome]
	if err := f.chooser.Fetched(url, r.Begun.Add(r.Duration), outcome); err != nil {
		f.failed(err)
	}
}
