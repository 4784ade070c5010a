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

// A lastAccess is the last access that found the page or found it gone. Its
// fields are those of a saved log.
type lastAccess struct {
	Time  float64
	Begun bool // there was one
	Seen
}

// Seen is what the last access to a page that did not fail has seen, as far as the next is compared with
// it. The zero value is that before the first.
type Seen struct {
	Gone     bool   // the page was gone
	Digested bool   // there is a digest to compare with
	Digest   uint64 // which is this one, by [HashOf]
}

// Take takes the next access, and returns its outcome: [Changed] or [Unchanged] in place of others that
// found the page, where digests tell. See [AccessLog.Take].
func (s *Seen) Take(outcome Outcome, digest []byte) Outcome {
	if outcome.IsFailure() {
		return outcome
	}
	before := *s
	*s = Seen{Gone: outcome == Gone}
	if digest != nil {
		s.Digest, s.Digested = HashOf(digest), true
	}
	switch {
	case digest == nil && (outcome == Unchanged || outcome == Gone && before.Gone):
		s.Digest, s.Digested = before.Digest, before.Digested
	case digest == nil || outcome == Gone:
	case !before.Digested:
		return Found
	case before.Digest == s.Digest:
		return Unchanged
	default:
		return Changed
	}
	return outcome
}

// Take records an access at a time, and its outcome. Times must increase by what
// [History.Add] allows; else there is an error and the log stays as it was.
//
// A failed access says nothing of the page, and the next gap counts from the last access that
// found it. A page that was gone and is found again later is like a new one. Where an access
// says no more than that it found the page, the next gap counts from there.
//
// A digest of what was found, such as a hash or an entity tag, tells in place of the outcome whether
// the page has changed: it has if the access before had another digest. If the access before found
// a change but had no digest, there is nothing to compare with, and the digest serves the next access.
// nil stands for no digest. 64 bits of digests are compared. The digest of a page that is gone is that
// of what stands in its place.
func (a *AccessLog) Take(time float64, outcome Outcome, digest []byte) error {
	if !(math.Abs(time) <= math.MaxFloat64) {
		return fmt.Errorf("estimate: access time: %s", wording.Invalid(time, "a finite number"))
	}
	if a.last.Begun && time <= a.last.Time {
		return fmt.Errorf("estimate: access time: %s", wording.Invalid(time, fmt.Sprintf("a time after %v, that of the access before", a.last.Time)))
	}
	if outcome.IsFailure() {
		return nil
	}
	now := lastAccess{time, true, a.last.Seen}
	outcome = now.Take(outcome, digest)
	if a.last.Begun && !a.last.Gone && (outcome == Changed || outcome == Unchanged) {
		gap := time - a.last.Time
		if a.Unit != 0 {
			gap /= a.Unit
		}
		if err := a.history.Add(gap, outcome == Changed); err != nil {
			return err
		}
	}
	a.last = now
	return nil
}

// Forget forgets the last access if its time is from or later: that time was wrong. The next
// access is then like the first one.
func (a *AccessLog) Forget(from float64) {
	if a.last.Time >= from {
		a.last = lastAccess{}
	}
}

// HashOf returns the 64 bits by which a digest is compared with others.
func HashOf(digest []byte) uint64 {
	hash := fnv.New64a()
	hash.Write(digest) // never fails
	return hash.Sum64()
}

// Digest returns the digest of the last access that has one to compare with, by [HashOf].
func (a *AccessLog) Digest() (hash uint64, ok bool) { return a.last.Digest, a.last.Digested }

// Gone reports whether the page was gone at the last access that did not fail.
func (a *AccessLog) Gone() bool { return a.last.Gone }

// History returns what the log has shown so far; it grows with the log.
func (a *AccessLog) History() *History { return &a.history }
