package store

// What fails: when pages that were not found are visited again, and pages that only seem to be found.

import (
	"hash/maphash"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
)

// Visits in a row that have not found a page are counted up to mostFailures; final stands for a page
// that is not visited again whatever the rules say.
const mostFailures, final = math.MaxUint8 - 1, math.MaxUint8

// isRetried reports whether the rules for failures say when a page is visited again after an outcome.
func isRetried(outcome Outcome) bool {
	_, is := limits.Retries{}.Of(outcome)
	return is
}

// failed counts visits in a row that have not found the page; an outcome that has found it ends the row.
func (r *record) failed(outcome Outcome, isFinal bool) {
	switch {
	case !isRetried(outcome):
		r.failures = 0
	case isFinal:
		r.failures = final
	case r.last != outcome || r.count == 0 || r.failures == final:
		r.failures = 1
	default:
		r.failures = min(r.failures+1, mostFailures)
	}
}

// pace returns the visits per day by which a page is due. After failures, their rule says it; the first
// wait after [Failed] is not longer than the page's own interval, though. Otherwise it is the rate of
// the page, and at least a small number for a page that is new or announced.
func (s *Store) pace(number int) float64 {
	p, rate := &s.pages[number], s.rates.of[number]
	if p.failures > 0 && !p.announced {
		if p.failures == final {
			return 0
		}
		rule, _ := s.retries.Of(p.last)
		if p.last == Failed && rate > 0 {
			rule.First = min(rule.First, max(time.Duration(nanoseconds(1/rate)), 1))
		}
		return 1 / days(int64(rule.Wait(int(p.failures))))
	}
	if p.announced || p.tried == 0 {
		// A page has to be visited once before anything is known of it.
		return max(rate, s.settings.Bandwidth/float64(10*s.counts.Pages))
	}
	return rate
}

// copySeed is that of the fingerprints of this process.
var copySeed = maphash.MakeSeed()

// fingerprint returns a number that pages of a host with the same digest share, by which they are
// counted; 0 for a page without a digest. Two digests rarely have the same number, and then one page
// more is counted.
func (r *record) fingerprint() uint32 {
	digest, ok := r.log.Digest()
	return fingerprintOf(r.Host, digest, ok)
}

func fingerprintOf(host string, digest uint64, ok bool) uint32 {
	if !ok || host == "" {
		return 0
	}
	type hosted struct {
		host   string
		digest uint64
	}
	return uint32(maphash.Comparable(copySeed, hosted{host, digest})) | 1
}

// countCopy counts a page with a fingerprint, sign times.
func (s *Store) countCopy(fingerprint uint32, sign int32) {
	if fingerprint == 0 {
		return
	}
	if s.copies[fingerprint] += sign; s.copies[fingerprint] == 0 {
		delete(s.copies, fingerprint)
	}
}
