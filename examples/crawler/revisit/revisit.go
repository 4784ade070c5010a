// Package revisit chooses which page a crawler fetches next. Its choosers follow the rules
// that crawlers use: all pages as often, pages in proportion to how often they change, the
// adaptive rule of Apache Nutch, and the rates of package store, which are best for the
// share of pages that is up to date.
//
// All of them learn the same: what came of each fetch. None knows how often a page changes,
// but for [NewKnowing], which shows what knowing it is worth.
package revisit

import (
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// A Page is what a crawler knows of a page before it fetches it.
type Page struct {
	// ID is the page's URL.
	ID string
	// Weight says how much it is worth that the page is up to date. 0 stands for 1.
	Weight float64
}

func (p Page) weight() float64 {
	if p.Weight == 0 {
		return 1
	}
	return p.Weight
}

// A Chooser says which page to fetch next. Its methods may be called from several goroutines
// at a time. Times are to come from one clock, which need not be that of the machine.
type Chooser interface {
	// Add makes pages known that are not known yet.
	Add(now time.Time, pages ...Page) error
	// Next returns the page to fetch now. It is not returned again before Fetched has been
	// called for it, or, by a [Store], after a day. Where there is none, id is "", and
	// there will be one after wait if nothing happens until then.
	Next(now time.Time) (id string, wait time.Duration, err error)
	// Fetched says what came of a fetch that ended at a time. A page that was fetched for
	// the first time is [store.Found], and so is one of which it cannot be told whether it
	// has changed.
	Fetched(id string, at time.Time, outcome store.Outcome) error
	// Close ends the use of the chooser.
	Close() error
}

// days returns a time in days, which are the unit of time of all rates.
func days(at time.Time) float64 { return float64(at.UnixNano()) / float64(24*time.Hour) }

// never is how long to wait where nothing will come unasked.
const never = 24 * time.Hour
