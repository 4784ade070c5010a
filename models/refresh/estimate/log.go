package estimate

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
	history  History
	last     float64 // time of the last access
	begun    bool
	digest   uint64 // of what the last access has found
	digested bool   // the last access came with a digest
}

// Observe takes up an access at a time that found the page changed or not since
// the access before. Times are to increase by what History.Add allows; else
// there is an error and the log stays as it was.
func (a *AccessLog) Observe(time float64, changed bool) error {
	if err := a.observe(time, changed, true); err != nil {
		return err
	}
	a.digested = false
	return nil
}

// ObserveDigest takes up an access at a time that found a page with some
// digest, such as a hash or an entity tag: it has changed if the digest is not
// that of the access before. Behind an access without a digest it sets the time
// and the digest only. Digests are compared by 64 bits.
func (a *AccessLog) ObserveDigest(time float64, digest []byte) error {
	hash := fnv.New64a()
	hash.Write(digest) // never fails
	sum := hash.Sum64()
	if err := a.observe(time, sum != a.digest, a.digested); err != nil {
		return err
	}
	a.digest, a.digested = sum, true
	return nil
}

// observe adds a gap to the history where it is known whether the page has
// changed in it.
func (a *AccessLog) observe(time float64, changed, known bool) error {
	if math.IsNaN(time) || math.IsInf(time, 0) {
		return fmt.Errorf("estimate: access time: %s", wording.Invalid(time, "a finite number"))
	}
	if a.begun {
		if time <= a.last {
			return fmt.Errorf("estimate: access time: %s", wording.Invalid(time, fmt.Sprintf("a time after %v, that of the access before", a.last)))
		}
		if known {
			if err := a.history.Add(time-a.last, changed); err != nil {
				return err
			}
		}
	}
	a.last, a.begun = time, true
	return nil
}

// History returns what the log has shown so far; it grows with the log.
func (a *AccessLog) History() *History { return &a.history }
