// Package limits says within which least and greatest intervals pages are accessed: by rules
// for hosts, paths and labels.
package limits

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/urlhost"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// A Rule gives limits to the pages that it fits. It fits a page if all that it names does: a
// rule that names nothing fits every page.
type Rule struct {
	// Host is the host of the page, or one that the host of the page lies below: a.example
	// also fits www.a.example.
	Host string `json:"host,omitempty"`
	// Path is what the path of the page begins with, such as /news/. The path of a URL is all
	// that follows its host.
	Path string `json:"path,omitempty"`
	// Label is the label of the page, such as feed or text/html.
	Label string `json:"label,omitempty"`

	Intervals
}

// Intervals are the least and the greatest time between two accesses to a page, in seconds. 0
// stands for no limit.
type Intervals struct {
	Least    float64 `json:"least_interval,omitempty"`
	Greatest float64 `json:"greatest_interval,omitempty"`
}

// longest is the longest interval in seconds that a number of nanoseconds can hold.
const longest = math.MaxInt64 / 1e9

// Validate returns why there can be no such intervals, or nil.
func (i Intervals) Validate() error {
	for _, seconds := range []float64{i.Least, i.Greatest} {
		if !(seconds >= 1e-9 && seconds <= longest) && seconds != 0 {
			return errors.New(wording.Invalid(seconds, "an interval of 0, for none, or from 1e-9 to 9.2e9 seconds"))
		}
	}
	if i.Greatest != 0 && i.Least > i.Greatest {
		return fmt.Errorf("the least interval, %s, is longer than the greatest, %s", unit.DurationText(i.Least), unit.DurationText(i.Greatest))
	}
	return nil
}

// Rates returns the least and the greatest number of accesses in a unit of time that has so many
// seconds, as [refresh.Pages] has them: 0 and +Inf stand for no limit.
func (i Intervals) Rates(seconds float64) (least, greatest float64) {
	greatest = seconds / i.Least // +Inf for 0
	if i.Greatest > 0 {
		least = seconds / i.Greatest
	}
	return least, greatest
}

// Rules are rules in the order in which they count.
type Rules []Rule

// Complete returns the intervals of a page. A limit that its own intervals leave open comes from
// the first rule that fits the page and has that limit. If the two limits then contradict each
// other, the page's own counts before that of a rule, and that of an earlier rule before that of
// a later one.
func (r Rules) Complete(own Intervals, url, label []byte) Intervals {
	var host, path []byte
	parsed := false
	for i := range r {
		if !parsed && (r[i].Host != "" || r[i].Path != "") {
			host, path = split(url)
			parsed = true
		}
		if !r[i].fits(host, path, label) {
			continue
		}
		next := r[i].Intervals
		if own.Least == 0 {
			own.Least = next.Least
			if own.Greatest > 0 {
				own.Least = min(own.Least, own.Greatest)
			}
		}
		if own.Greatest == 0 && next.Greatest > 0 {
			own.Greatest = max(own.Least, next.Greatest)
		}
	}
	return own
}

// Fits reports whether the rule fits a page.
func (r *Rule) Fits(url, label []byte) bool {
	host, path := split(url)
	return r.fits(host, path, label)
}

// fits is Fits for the parts of a URL.
func (r *Rule) fits(host, path, label []byte) bool {
	if r.Label != "" && r.Label != string(label) {
		return false
	}
	if r.Host != "" {
		above, below := bytes.CutSuffix(host, []byte(urlhost.Canonical(r.Host)))
		if !below || len(above) > 0 && above[len(above)-1] != '.' {
			return false
		}
	}
	return strings.HasPrefix(string(path), r.Path)
}

// split returns the host of a URL and all that follows it; a page that is no URL has no host, and
// its name is its path.
func split(url []byte) (host, path []byte) {
	host, ok := urlhost.Of(url)
	if !ok {
		return nil, url
	}
	_, rest, _ := bytes.Cut(url, []byte("://"))
	if start := bytes.IndexAny(rest, "/?#"); start >= 0 {
		return host, rest[start:]
	}
	return host, []byte("/")
}
