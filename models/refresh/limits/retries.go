package limits

// This file says when pages are accessed again that were not found.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
)

// A Retry says when a page that was not found is accessed again: after First, then each time after
// Factor times as long as before, up to Greatest.
type Retry struct {
	First    time.Duration `json:"first"` // Never for never
	Factor   float64       `json:"factor"`
	Greatest time.Duration `json:"greatest"`
}

// Never is the First of pages that are not accessed again.
const Never = -1

// Retries are what holds for each kind of failure. A field that is zero stands for that of
// [DefaultRetries].
type Retries struct {
	Failed Retry `json:"failed,omitzero"` // no answer, 5xx, redirects without a target
	Denied Retry `json:"denied,omitzero"` // by robots.txt, 401, 403, 451
	Gone   Retry `json:"gone,omitzero"`   // 404, 410, copies
	// Copies is a number of pages, two or more: if so many pages of a host have the same digest, they
	// are copies and count as gone. Such a page may say "not found" without the status 404, for
	// example. With [Never], no page is a copy.
	Copies int `json:"copies,omitempty"`
}

// DefaultRetries are those of settings that say nothing else.
func DefaultRetries() Retries {
	const day = 24 * time.Hour
	return Retries{
		Failed: Retry{15 * time.Minute, 2, 7 * day},
		Denied: Retry{day, 2, 30 * day},
		Gone:   Retry{7 * day, 2, 90 * day},
		Copies: 20,
	}
}

// WithDefaults fills in what is zero.
func (r Retries) WithDefaults() Retries {
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
	return cmp.Or(r.Failed.Validate(), r.Denied.Validate(), r.Gone.Validate())
}

// Wait returns the time between the last of some accesses in a row that have not found a page and the
// next: 292 years for never.
func (r Retry) Wait(failures int) time.Duration {
	if r.First == Never {
		return math.MaxInt64
	}
	return time.Duration(min(float64(r.First)*math.Pow(r.Factor, float64(failures-1)), float64(r.Greatest)))
}

// Of returns the rule for what an access has come to, if there is one.
func (r Retries) Of(outcome estimate.Outcome) (rule Retry, is bool) {
	switch outcome {
	case estimate.Failed:
		return r.Failed, true
	case estimate.Denied:
		return r.Denied, true
	case estimate.Gone:
		return r.Gone, true
	}
	return rule, false
}
