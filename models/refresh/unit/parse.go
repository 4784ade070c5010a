package unit

// This file reads rates, durations and points in time.

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// ParseRate reads a rate: a number as in 1.5, 1e-3 or 17/15, with its unit after a
// stroke or without one: 20000/day, 17/15/hour. own is Unknown where there is none. The
// number may have any sign.
func ParseRate(text string) (x float64, own Unit, err error) {
	digits := text
	if stroke := strings.LastIndexByte(text, '/'); stroke >= 0 {
		if own = bySuffix(strings.TrimSpace(text[stroke+1:])); own != Unknown {
			digits = strings.TrimRight(text[:stroke], " ")
		}
	}
	x, err = number.Parse(digits)
	if number.IsNone(err) {
		err = fmt.Errorf("%s is not valid: use a number such as 12 or 17/15, or one with its unit, such as 20000/day", wording.Quote(text))
	}
	return x, own, err
}

// ParseDuration reads a duration: a number, with its unit (ms, s, min, h, d, or a name)
// after it or without one: 30s, 1.5h, 250ms, 2 days. own is Unknown where there is none.
// The number may have any sign.
func ParseDuration(text string) (x float64, own Unit, err error) {
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz")
	suffix, thousandths := text[len(digits):], 1.0
	if suffix == "ms" {
		suffix, thousandths = "s", 1000
	}
	if own = bySuffix(suffix); own != Unknown {
		digits = strings.TrimRight(digits, " ")
	} else {
		digits = text
	}
	x, err = number.Parse(digits)
	if number.IsNone(err) {
		err = fmt.Errorf("%s is not valid: use a number, or one with its unit, such as 30s, 5min, 2h or 7d", wording.Quote(text))
	}
	return x / thousandths, own, err
}

// DurationText writes a number of seconds as ParseDuration reads it, in the largest unit of which it is a
// whole number: 90min, 14d, 500ms, 1.5s.
func DurationText(seconds float64) string {
	for i := len(suffixes) - 1; i >= 0; i-- {
		s := &suffixes[i]
		if n := seconds / s.unit.Seconds(); n >= 1 && n == math.Floor(n) && n < 1e15 {
			return strconv.FormatFloat(n, 'f', -1, 64) + s.name
		}
	}
	if ms := seconds * 1000; ms >= 1 && ms < 1000 && ms == math.Floor(ms) {
		return strconv.FormatFloat(ms, 'f', -1, 64) + "ms"
	}
	return strconv.FormatFloat(seconds, 'g', -1, 64) + "s"
}

// timeLayouts are those of points in time, the most frequent first. Fractions of a
// second may follow the seconds.
var timeLayouts = []string{
	time.RFC3339,
	"2006-01-02 15:04:05", "2006-01-02T15:04:05",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07", "2006-01-02 15:04:05 UTC",
	time.DateOnly,
}

// ParseTime reads a point in time: 2026-01-31T15:00:00Z (RFC 3339), the same with a
// space or without a zone, or a date alone, at its first moment. Where no zone stands, it
// is UTC.
func ParseTime(text string) (time.Time, error) {
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is not valid: use a point in time such as 2026-01-31T15:00:00Z or 2026-01-31 15:00:00", wording.Quote(text))
}
