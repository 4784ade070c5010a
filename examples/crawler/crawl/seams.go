// This file has what a crawler is put together from: who decides, who chooses, who watches.

package crawl

import (
	"time"

	"github.com/mdpsolve/mdpsolve/models/robots/operate"
)

var _ Withdrawer = (*operate.Adaptive)(nil)

// A Switch decides how many robots fetch. It is told of each page that a robot delivers and of
// each page that has been indexed. [operate.Controller] is one, for a fixed policy, and
// [operate.Adaptive], which learns; [AIMD] is another. The crawler calls Deliver and Indexed one at a time.
type Switch interface {
	// Deliver tells that an active robot has delivered a page, and returns what to do with both.
	Deliver() (operate.Delivery, error)
	// Indexed tells that a page has been indexed and has left the queue, and returns whether
	// one more robot is to be activated.
	Indexed() (activate bool, err error)
	// Counts returns the pages in the queue, the one that is being indexed included, and the
	// active robots.
	Counts() (queue, active int)
}

// A Withdrawer is a [Switch] that can be told that a robot of a class, here always 0, has died
// while it was active. It returns the class of the robot that is to be activated instead,
// robots.NoClass for none. [operate.Adaptive] is one.
type Withdrawer interface {
	Withdraw(class int, active bool) (instead int, err error)
}

// A Chooser decides which page is fetched next. Its methods are called by many robots at once.
type Chooser interface {
	// Next returns the URL of the page to fetch now. If there is none, url is "", and wait is how
	// long the robot waits before it asks again.
	Next(now time.Time) (url string, wait time.Duration)
	// Fetched tells what came of the fetch of a page that Next has returned. It is called once
	// for each of them, unless the crawler is stopped. A page that is lost afterwards, as the queue
	// is full, has been fetched all the same; its next fetch asks for the whole page.
	Fetched(url string, r Result)
}

// An Outcome is what came of a fetch.
type Outcome uint8

// The outcomes of a fetch. Found and Changed deliver a page; no other outcome does, unless
// [Settings.Unconditional] is set: then there is nothing but Found.
const (
	// Failed is a time-out, a broken connection, a server error or an answer that cannot be used.
	Failed Outcome = iota
	// Disallowed pages are not fetched: robots.txt forbids it, or forbids the page that a redirect
	// leads to.
	Disallowed
	// Gone is an answer 404 or 410.
	Gone
	// Found is the first fetch of a page.
	Found
	// Unchanged is an answer 304, or a body that is the same as before.
	Unchanged
	// Changed is a body that differs from the one before.
	Changed
	// Outcomes is the number of outcomes.
	Outcomes
)

// String returns a word for the outcome: failed, disallowed, gone, found, unchanged or changed.
func (o Outcome) String() string {
	return [...]string{"failed", "disallowed", "gone", "found", "unchanged", "changed"}[o]
}

// Result is what came of a fetch.
type Result struct {
	Outcome    Outcome
	Status     int           // of HTTP; 0 if there was no answer
	Begun      time.Time     // when the request was sent
	Duration   time.Duration // until the body was read, or the fetch was given up
	Bytes      int           // of the body
	Modified   time.Time     // the header Last-Modified, or the zero time
	RetryAfter time.Duration // the header Retry-After of an answer 429 or 503, for which the host is left alone, or 0
	Err        error         // why it failed
}

// An EventKind says what has happened.
type EventKind uint8

// The kinds of events. At Delivered, Lost and Indexed, Queue and Active are those after it.
const (
	// FetchBegun is a robot that begins to fetch URL.
	FetchBegun EventKind = iota
	// FetchEnded is the end of it: Result says how.
	FetchEnded
	// Delivered is a page that has joined the queue.
	Delivered
	// Lost is a page that has been thrown away because the queue was full.
	Lost
	// Indexed is a page that has left the queue; Duration is its service time.
	Indexed
	// RobotOn is a robot that has been activated, RobotOff one that rests.
	RobotOn
	RobotOff
	// RobotDied is a robot that does not come back; Result.Err says why.
	RobotDied
)

// Event is something that has happened. Fields that the kind does not name are zero.
type Event struct {
	Kind     EventKind
	At       time.Time
	Robot    int // 0 … N−1, of all kinds but Indexed
	URL      string
	Result   Result
	Duration time.Duration
	Queue    int // pages, the one that is being indexed included
	Active   int // robots
}

// An Observer is told of every event, one at a time and in order. It must be quick, as the
// crawler waits for it, and must not call the crawler.
type Observer func(Event)
