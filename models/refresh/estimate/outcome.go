package estimate

// This file says what may come of an access to a page, and what the status of an HTTP answer
// tells of it.

import (
	"fmt"
	"net/http"
)

// An Outcome is the result of an access to a page.
type Outcome byte

const (
	// Failed says that the page could not be fetched: there was no answer, an error or a
	// redirect. The next access that finds it looks back beyond this one.
	Failed Outcome = iota
	// Found says that the page was fetched, and no more: it cannot be told whether it has
	// changed. The next access looks back to this one.
	Found
	// Unchanged says that the page is as the access before found it.
	Unchanged
	// Changed says that the page has changed since the access before. For the first access
	// to a page there is no difference between Found, Unchanged and Changed.
	Changed
	// Gone says that the page does not exist any more.
	Gone
	// Denied says that robots.txt or the server forbade to fetch the page. It says as little of
	// changes as Failed.
	Denied
)

var outcomeNames = [...]string{"failed", "found", "unchanged", "changed", "gone", "denied"}

// IsValid reports whether there is such an outcome.
func (o Outcome) IsValid() bool { return int(o) < len(outcomeNames) }

// String returns "failed", "found", "unchanged", "changed", "gone" or "denied".
func (o Outcome) String() string {
	if o.IsValid() {
		return outcomeNames[o]
	}
	return fmt.Sprintf("Outcome(%d)", byte(o))
}

// OutcomeOf returns what a status of a fetch means, and whether there is such a status. Of the
// statuses of HTTP, 100 to 999, 2xx is Found, 304 Unchanged, 404 and 410 are Gone, 401, 403
// and 451 Denied, all others Failed. So is what crawlers write where there was no answer: 0, and
// the codes of Heritrix from −9999 to −1, but −9998, by which robots.txt denied the page.
func OutcomeOf(status int) (outcome Outcome, ok bool) {
	switch {
	case status < -9999 || status > 0 && status < 100 || status > 999:
		return Failed, false
	case status == http.StatusNotModified:
		return Unchanged, true
	case status == http.StatusNotFound, status == http.StatusGone:
		return Gone, true
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusUnavailableForLegalReasons, status == deniedByRobots:
		return Denied, true
	case status >= 200 && status < 300:
		return Found, true
	}
	return Failed, true
}

// deniedByRobots is what Heritrix writes for a page that robots.txt forbids.
const deniedByRobots = -9998

// IsFailure reports whether an access says nothing of the page: it failed, or was denied.
func (o Outcome) IsFailure() bool { return o == Failed || o == Denied }
