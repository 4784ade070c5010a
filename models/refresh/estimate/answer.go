package estimate

// This file says what the status of an HTTP answer tells of a page.

import "net/http"

// An Answer is what a crawler got when it asked for a page.
type Answer byte

const (
	// NoPage says that the answer was not the page: an error, or a redirect. Nothing is
	// learned from it: [AccessLog.Fail].
	NoPage Answer = iota
	// PageFound says that the answer was the page: [AccessLog.Observe] where it is known
	// whether it has changed, [AccessLog.Find] where it is not.
	PageFound
	// PageUnchanged says that the page is as it was.
	PageUnchanged
	// PageGone says that there is no such page any more: [AccessLog.Leave].
	PageGone
)

// AnswerOf returns what an HTTP status means, and whether there is such a status, which
// is from 100 to 599. 2xx is PageFound, 304 PageUnchanged, 404 and 410 are PageGone, all
// others NoPage.
func AnswerOf(status int) (answer Answer, ok bool) {
	switch {
	case status < 100 || status > 599:
		return NoPage, false
	case status == http.StatusNotModified:
		return PageUnchanged, true
	case status == http.StatusNotFound, status == http.StatusGone:
		return PageGone, true
	case status >= 200 && status < 300:
		return PageFound, true
	}
	return NoPage, true
}
