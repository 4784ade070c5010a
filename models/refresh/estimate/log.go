package estimate

// This file makes histories of the accesses in a crawler's log.

import (
	"fmt"
	"hash/fnv"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// An AccessLog makes a [History] from the accesses of one page in the order of
// their times, as they stand in the log of a crawler. The first access only
// sets the time from which the first gap counts. The zero value is an empty log.
type AccessLog struct {
	// Unit is the length of the unit of gaps, and of rates, in that of times: 86400 for
	// times in seconds and gaps in days. 0 is 1.
	Unit float64

	history History
	last    lastAccess
}

// A lastAccess is what is known of the last access that found the page or found it gone. Its
// fields are those of a saved log.
type lastAccess struct {
	Time     float64
	Begun    bool   // there was one
	Gone     bool   // it found the page gone
	Digested bool   // it came with a digest
	Digest   uint64 // of what it has found
	Signals  int64  // since then
}

// Take takes up an access at a time and what came of it. With a digest, Found, Changed and
// Unchanged say the same: see [AccessLog.ObserveDigest]. Nil stands for none.
func (a *AccessLog) Take(time float64, outcome Outcome, digest []byte) error {
	switch {
	case outcome == Failed:
		return a.Fail(time)
	case outcome == Gone:
		return a.Leave(time)
	case digest != nil:
		return a.ObserveDigest(time, digest)
	case outcome == Found:
		return a.Find(time)
	}
	return a.Observe(time, outcome == Changed)
}

// Observe takes up an access at a time that found the page changed or not since
// the access before. Times are to increase by what History.Add allows; else
// there is an error and the log stays as it was.
func (a *AccessLog) Observe(time float64, changed bool) error {
	if err := a.observe(time, changed, true); err != nil {
		return err
	}
	if changed {
		a.last.Digest, a.last.Digested = 0, false
	}
	return nil
}

// ObserveDigest takes up an access at a time that found a page with some
// digest, such as a hash or an entity tag: it has changed if the digest is not
// the one before. Behind an access that found a change and came without a digest it sets the
// time and the digest only. Digests are compared by 64 bits.
func (a *AccessLog) ObserveDigest(time float64, digest []byte) error {
	hash := fnv.New64a()
	hash.Write(digest) // never fails
	sum := hash.Sum64()
	if err := a.observe(time, sum != a.last.Digest, a.last.Digested); err != nil {
		return err
	}
	a.last.Digest, a.last.Digested = sum, true
	return nil
}

// Find takes up an access at a time that found the page, of which it is not known whether
// it had changed: the next gap counts from there.
func (a *AccessLog) Find(time float64) error {
	if err := a.observe(time, false, false); err != nil {
		return err
	}
	a.last.Digest, a.last.Digested = 0, false
	return nil
}

// Fail takes up an access at a time that failed: the host did not answer, or with an error.
// It says nothing of the page, and the next gap counts from the last access that found it.
func (a *AccessLog) Fail(time float64) error { return a.follows(time) }

// Leave takes up an access at a time that found the page gone. If it is found again later,
// that access is like a first one.
func (a *AccessLog) Leave(time float64) error {
	if err := a.follows(time); err != nil {
		return err
	}
	*a = AccessLog{Unit: a.Unit, history: a.history, last: lastAccess{Time: time, Begun: true, Gone: true}}
	return nil
}

// Gone reports whether the page was gone at the last access that did not fail.
func (a *AccessLog) Gone() bool { return a.last.Gone }

// Signal takes up a change signal at a time, such as a newer date in a sitemap or a ping:
// no access, and perhaps false. One at the time of an access counts as coming after it.
func (a *AccessLog) Signal(time float64) error {
	if !finite(time) {
		return badTime(time)
	}
	if a.last.Begun && time < a.last.Time {
		return fmt.Errorf("estimate: time of a signal: %s", wording.Invalid(time, fmt.Sprintf("a time from %v on, that of the access before", a.last.Time)))
	}
	if a.last.Begun && !a.last.Gone {
		a.last.Signals++
	}
	return nil
}

// observe adds a gap to the history where it is known whether the page has
// changed in it.
func (a *AccessLog) observe(time float64, changed, known bool) error {
	if err := a.follows(time); err != nil {
		return err
	}
	if a.last.Begun && !a.last.Gone && known {
		gap := time - a.last.Time
		if a.Unit != 0 {
			gap /= a.Unit
		}
		if err := a.history.AddSignalled(gap, a.last.Signals, changed); err != nil {
			return err
		}
	}
	a.last.Time, a.last.Begun, a.last.Gone, a.last.Signals = time, true, false, 0
	return nil
}

// follows returns an error unless a time is one after the last access.
func (a *AccessLog) follows(time float64) error {
	if !finite(time) {
		return badTime(time)
	}
	if a.last.Begun && time <= a.last.Time {
		return fmt.Errorf("estimate: access time: %s", wording.Invalid(time, fmt.Sprintf("a time after %v, that of the access before", a.last.Time)))
	}
	return nil
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

func badTime(time float64) error {
	return fmt.Errorf("estimate: access time: %s", wording.Invalid(time, "a finite number"))
}

// History returns what the log has shown so far; it grows with the log.
func (a *AccessLog) History() *History { return &a.history }
