package store

// What fails: when pages that were not found are visited again, and pages that only seem to be found.

import (
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// A Retry says when a page is visited again after some visits in a row that have not found it: after
// First, and then after Factor times as long as before, up to Greatest.
type Retry struct {
	First    time.Duration `json:"first"` // Never for never
	Factor   float64       `json:"factor"`
	Greatest time.Duration `json:"greatest"`
}

// Never is the First of pages that are not visited again.
const Never = -1

// Retries are what holds for each kind of failure. A field that is zero stands for that of
// [DefaultRetries].
type Retries struct {
	Failed Retry `json:"failed,omitzero"` // no answer, 5xx, redirects without a target
	Denied Retry `json:"denied,omitzero"` // by robots.txt, 401, 403, 451
	Gone   Retry `json:"gone,omitzero"`   // 404, 410, copies
	// Copies is the number of pages of a host, two or more, from which on pages with the same digest
	// are copies: of a page that says in place of a status 404 that there is nothing, for example.
	// [Never] takes no page for a copy.
	Copies int `json:"copies,omitempty"`
}

// DefaultRetries are those of settings that say nothing else.
func DefaultRetries() Retries {
	const day = 24 * time.Hour
	return Retries{
		Failed: Retry{15 * time.Minute, 2, 7 * day},
		Denied: Retry{day, 2, 30 * day},
		Gone:   Retry{day, 2, 30 * day},
		Copies: 20,
	}
}

func (r Retries) withDefaults() Retries {
	whole := DefaultRetries()
	for _, kind := range []struct{ given, whole *Retry }{{&r.Failed, &whole.Failed}, {&r.Denied, &whole.Denied}, {&r.Gone, &whole.Gone}} {
		if *kind.given != (Retry{}) {
			*kind.whole = *kind.given
		}
	}
	if r.Copies != 0 {
		whole.Copies = r.Copies
	}
	return whole
}

// Validate returns why there can be no such rule, or nil.
func (r Retry) Validate() error {
	switch {
	case r.First == Never || r == Retry{}:
		return nil
	case r.First <= 0:
		return errors.New(wording.Invalid(r.First, "a first interval above 0"))
	case !(r.Factor >= 1 && r.Factor <= 1000):
		return errors.New(wording.Invalid(r.Factor, "a factor from 1 to 1000"))
	case r.Greatest < r.First:
		return fmt.Errorf("the greatest interval, %v, is shorter than the first, %v", r.Greatest, r.First)
	}
	return nil
}

// Validate returns why there can be no such rules, or nil.
func (r Retries) Validate() error {
	if r.Copies < 0 && r.Copies != Never || r.Copies == 1 {
		return errors.New(wording.Invalid(r.Copies, "2 copies or more, or -1 for none"))
	}
	return errors.Join(r.Failed.Validate(), r.Denied.Validate(), r.Gone.Validate())
}

// wait returns the time between the last of some visits in a row that have not found a page and the
// next, in days: +Inf for never.
func (r Retry) wait(failures uint8) float64 {
	if r.First == Never || failures == final {
		return math.Inf(1)
	}
	return days(int64(min(float64(r.First)*math.Pow(r.Factor, float64(failures-1)), float64(r.Greatest))))
}

// The number of visits in a row that have not found a page is counted up to mostFailures; final stands
// for a page that is not visited again whatever the rules say.
const mostFailures, final = math.MaxUint8 - 1, math.MaxUint8

// retry returns the rule for what a visit has come to, nil where it has found the page.
func (r *Retries) retry(outcome Outcome) *Retry {
	switch outcome {
	case Failed:
		return &r.Failed
	case Denied:
		return &r.Denied
	case Gone:
		return &r.Gone
	}
	return nil
}

// failed counts a visit that has not found the page, or has.
func (r *record) failed(outcome Outcome, isFinal bool) {
	rules := Retries{}
	switch {
	case rules.retry(outcome) == nil:
		r.failures = 0
	case isFinal:
		r.failures = final
	case r.last != outcome || r.count == 0 || r.failures == final:
		r.failures = 1
	default:
		r.failures = min(r.failures+1, mostFailures)
	}
}

// pace returns how often a page is visited as things are, by which it is due: at its rate, at that
// of a new page if it is worth no visit but has been announced, and after failures when
// their rule says.
func (s *Store) pace(number int) float64 {
	p, rate := &s.pages[number], s.rates.of[number]
	if p.failures > 0 && !p.announced {
		return 1 / s.retries.retry(p.last).wait(p.failures)
	}
	if p.announced || p.tried == 0 {
		// A page has to be visited once before anything is known of it.
		return max(rate, s.settings.Bandwidth/float64(10*s.counts.Pages))
	}
	return rate
}

// copySeed is that of the fingerprints of this process.
var copySeed = maphash.MakeSeed()

// fingerprint returns by what pages of a host with one digest are counted, 0 for a page that has
// none. That two digests share one adds a page to a count at most once in a great while.
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
