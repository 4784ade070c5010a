package refresh

// The accesses that refresh review reads: the log of the day, and what came before.

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/review"
)

// A logged is a row of the log.
type logged struct {
	page   int
	at     float64 // seconds since 1970
	digest []byte  // if it is the first of its page in the log; otherwise nil
	review.Access
}

// urls numbers the URLs of a log: pages have their own numbers, other URLs the numbers after these.
type urls struct {
	pages  *pagefile.Index
	others map[string]int
	of     []loggedURL // by number
}

// A loggedURL is what the rows of a URL have shown so far.
type loggedURL struct {
	page   int // its own number, or that of the URL that stands for the same page
	latest float64
	estimate.Seen
}

func newURLs(ids *pagefile.IDs) *urls {
	u := &urls{pages: pagefile.NewIndex(ids), others: map[string]int{}}
	for i := range ids.Len() {
		u.of = append(u.of, loggedURL{page: i, latest: math.Inf(-1)})
	}
	return u
}

// find returns the number that the page of a URL has after its moves.
func (u *urls) find(url string) int {
	page, known := u.pages.Find([]byte(url))
	if !known {
		if page, known = u.others[url]; !known {
			page = len(u.of)
			u.others[url] = page
			u.of = append(u.of, loggedURL{page: page, latest: math.Inf(-1)})
		}
	}
	return u.end(page)
}

// end returns the number of the URL to which a page has moved in the end.
func (u *urls) end(page int) int {
	for u.of[page].page != page {
		page = u.of[page].page
	}
	return page
}

// move makes two URLs one page, whose last access is the later one of both.
func (u *urls) move(from, to, pages int) {
	if from == to {
		return
	}
	if to >= pages && from < pages { // the list names the old URL
		from, to = to, from
	}
	if u.of[to].latest < u.of[from].latest {
		u.of[to].latest, u.of[to].Seen = u.of[from].latest, u.of[from].Seen
	}
	u.of[from].page = to
}

// readLog reads --input.
func (r *dayReview) readLog(a *ui.Arguments) (visits []logged) {
	urls, pages := newURLs(r.ids), len(r.pages)
	source := lists.Source(a, "input")
	r.lastOfLog = math.Inf(-1)
	lists.EachAccess(a, "input", source, func(v pagefile.Visit) {
		page := urls.find(v.ID)
		if v.Target != "" {
			target := urls.find(v.Target)
			urls.move(page, target, pages)
			if page < pages && target < pages && page != target {
				r.gone[page] = true // the list has both URLs
			}
			if v.Outcome.IsFailure() {
				return // the access to the target follows
			}
			page = urls.end(page)
		}
		seen := &urls.of[page]
		l := logged{page: page, at: float64(v.Time.Unix()) + float64(v.Time.Nanosecond())/1e9}
		if !(l.at > seen.latest) {
			r.outOfOrder++
			return
		}
		seen.latest = l.at
		outcome := seen.Take(v.Outcome, v.Digest)
		if outcome == estimate.Found {
			l.digest = v.Digest
		}
		l.Failed, l.Gone = outcome.IsFailure(), outcome == estimate.Gone
		l.Told, l.Changed = outcome == estimate.Changed || outcome == estimate.Unchanged, outcome == estimate.Changed
		visits = append(visits, l)
	})
	for i := range visits {
		visits[i].page = urls.end(visits[i].page)
	}
	all := len(visits)
	visits = slices.DeleteFunc(visits, func(l logged) bool { return l.page >= pages })
	r.unknown = all - len(visits)
	for _, l := range visits {
		r.lastOfLog = max(r.lastOfLog, l.at)
	}
	if len(visits) == 0 {
		a.Fault("input", "%s has no access to a page of %s: give at least one", lists.FileName(a, "input"), a.CLI.String("pages"))
	}
	return visits
}

// readEarlier reads --last-fetch.
func (r *dayReview) readEarlier(a *ui.Arguments) {
	if !a.CLI.IsSet("last-fetch") {
		return
	}
	options := lists.Options(a)
	options.Copies, options.Until = true, float64(r.timeAt(r.day.From).UnixMilli())/1000
	fetches, _ := lists.Read(a, "last-fetch", "", options,
		func(ctx context.Context, source pagefile.Source, options pagefile.Options) (*pagefile.Fetches, *pagefile.Report, error) {
			return pagefile.ReadFetches(ctx, source, options, r.ids)
		})
	if len(fetches.Times) > 0 && !fetches.Calendar && !math.IsNaN(fetches.Latest) {
		a.Fault("last-fetch", "%s has numbers as times: use times such as 2026-01-31T15:00:00Z", a.CLI.String("last-fetch"))
	}
	warnOfOtherPages(a, fetches)
	r.earlier, r.digests = true, fetches.Digests
	for page, at := range fetches.Times {
		r.pages[page].Last = r.since(at)
	}
}

// take gives the pages the accesses of the log.
func (r *dayReview) take(visits []logged) {
	earlier, failed := 0, 0
	for _, v := range visits {
		at, p := r.since(v.at), &r.pages[v.page]
		switch v.Time = at; {
		case r.isWithin(at):
			if v.digest != nil && r.digests != nil && !slices.ContainsFunc(p.Accesses, hasFound) {
				outcome := r.digests[v.page].Take(estimate.Found, v.digest)
				v.Told, v.Changed = outcome != estimate.Found, outcome == estimate.Changed
			}
			p.Accesses = append(p.Accesses, v.Access)
		case at > r.day.From:
		default:
			if earlier++; v.Failed {
				failed++
			}
			if r.earlier = true; !v.Failed && !(at <= p.Last) { // --last-fetch may have a later one
				p.Last, r.gone[v.page] = at, v.Gone
				if v.digest != nil || v.Told || v.Gone {
					r.forget(v.page)
				}
			}
		}
	}
	if earlier > failed {
		r.day.Failing = float64(failed) / float64(earlier)
	}
}

// forget drops the digest of --last-fetch: the log has a later one.
func (r *dayReview) forget(page int) {
	if r.digests != nil {
		r.digests[page] = estimate.Seen{}
	}
}

func hasFound(a review.Access) bool { return !a.Failed }
