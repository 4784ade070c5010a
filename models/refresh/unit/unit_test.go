package unit_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

func ExampleUnit() {
	accesses, own, err := unit.ParseRate("20000/day")
	fmt.Println(accesses, own, err)
	fmt.Println(unit.Rate(accesses, own, unit.Hour), unit.Hour.Per())
	// Output:
	// 20000 day <nil>
	// 833.3333333333334 per hour
}

func ExampleParseDuration() {
	delay, own, _ := unit.ParseDuration("30s")
	fmt.Println(unit.Minute.Of(fmt.Sprint(unit.Duration(delay, own, unit.Minute))))
	// Output: 0.5 minutes
}

func ExampleParseTime() {
	at, err := unit.ParseTime("2026-11-01 00:00:00")
	fmt.Println(at, err)
	// Output: 2026-11-01 00:00:00 +0000 UTC <nil>
}

var known = []unit.Unit{unit.Second, unit.Minute, unit.Hour, unit.Day}

// Conversions are the exact quotient, rounded once, and those to the same unit change
// nothing.
func TestConversionsRoundOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		x := random.ExpFloat64()
		for _, from := range known {
			for _, to := range known {
				exact := new(big.Rat).SetFloat64(x)
				exact.Mul(exact, new(big.Rat).SetFrac64(int64(to.Seconds()), int64(from.Seconds())))
				want, _ := exact.Float64()
				require.Equal(t, want, unit.Rate(x, from, to), "%v %v %v", x, from, to)
				require.Equal(t, want, unit.Duration(x, to, from))
			}
		}
		require.Equal(t, x, unit.Rate(x, unit.Unknown, unit.Unknown))
	}
	rates := []float64{12, 0}
	unit.Scale(rates, unit.Hour, unit.Day)
	assert.Equal(t, []float64{288, 0}, rates)
}

func TestNames(t *testing.T) {
	for _, u := range known {
		same, err := unit.Parse(u.String())
		require.NoError(t, err)
		assert.Equal(t, u, same)
	}
	assert.Equal(t, []string{"", "Unit(7)"}, []string{unit.Unknown.String(), unit.Unit(7).String()})
	assert.Equal(t, []string{"per unit of time", "per minute"}, []string{unit.Unknown.Per(), unit.Minute.Per()})
	assert.Equal(t, []string{"3", "1 day", "0.25 days"}, []string{unit.Unknown.Of("3"), unit.Day.Of("1"), unit.Day.Of("0.25")})
	for _, text := range []string{"", "days", "86400", "Day", "week"} {
		_, err := unit.Parse(text)
		assert.EqualError(t, err, fmt.Sprintf("%q is not valid: use second, minute, hour or day", text))
	}
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]struct {
		x    float64
		unit unit.Unit
	}{
		"12": {12, unit.Unknown}, "17/15": {17.0 / 15, unit.Unknown}, "12/86400": {12.0 / 86400, unit.Unknown},
		"20000/day": {20000, unit.Day}, "17/15/hour": {17.0 / 15, unit.Hour}, "1e3/s": {1000, unit.Second},
		"5 / min": {5, unit.Minute}, "5/hours": {5, unit.Hour}, "-1/d": {-1, unit.Day},
	} {
		x, own, err := unit.ParseRate(text)
		require.NoError(t, err, text)
		assert.Equal(t, want.x, x, text)
		assert.Equal(t, want.unit, own, text)
	}
	for _, text := range []string{"", "/day", "day", "5/week", "5/day/day", "5 per day", "x", "5/"} {
		_, _, err := unit.ParseRate(text)
		assert.ErrorContains(t, err, "20000/day", text)
	}
	_, _, err := unit.ParseRate("1e400/day")
	assert.ErrorContains(t, err, "1.798e+308")
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]struct {
		x    float64
		unit unit.Unit
	}{
		"12": {12, unit.Unknown}, "1/5": {0.2, unit.Unknown}, "30s": {30, unit.Second}, "1/2h": {0.5, unit.Hour},
		"250ms": {0.25, unit.Second}, "2 days": {2, unit.Day}, "1e2min": {100, unit.Minute}, "1 hour": {1, unit.Hour}, "7d": {7, unit.Day},
	} {
		x, own, err := unit.ParseDuration(text)
		require.NoError(t, err, text)
		assert.Equal(t, want.x, x, text)
		assert.Equal(t, want.unit, own, text)
	}
	for _, text := range []string{"", "s", "h2", "5m", "5 weeks", "1h30min", "5 ss", "ms"} {
		_, _, err := unit.ParseDuration(text)
		assert.ErrorContains(t, err, "30s", text)
	}
}

func TestParseTime(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2026-11-01T02:30:00Z":          time.Date(2026, 11, 1, 2, 30, 0, 0, time.UTC),
		"2026-11-01T02:30:00.25+02:00":  time.Date(2026, 11, 1, 0, 30, 0, 25e7, time.UTC),
		"2026-11-01 02:30:00":           time.Date(2026, 11, 1, 2, 30, 0, 0, time.UTC),
		"2026-11-01 02:30:00.123456789": time.Date(2026, 11, 1, 2, 30, 0, 123456789, time.UTC),
		"2026-11-01T02:30:00":           time.Date(2026, 11, 1, 2, 30, 0, 0, time.UTC),
		"2026-11-01 02:30:00+01":        time.Date(2026, 11, 1, 1, 30, 0, 0, time.UTC),
		"2026-11-01 02:30:00.5-03:30":   time.Date(2026, 11, 1, 6, 0, 0, 5e8, time.UTC),
		"2026-11-01 02:30:00 UTC":       time.Date(2026, 11, 1, 2, 30, 0, 0, time.UTC),
		"2026-11-01":                    time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
	} {
		got, err := unit.ParseTime(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "2026", "01.11.2026", "2026-13-01", "2026-11-01 02:30", "12:00:00", "1767225600", "2026-11-01 02:30:00 CET"} {
		_, err := unit.ParseTime(text)
		assert.ErrorContains(t, err, "2026-01-31T15:00:00Z", text)
	}
}

// A duration is written as it is read.
func TestDurationText(t *testing.T) {
	for seconds, text := range map[float64]string{0: "0s", 0.5: "500ms", 1.5: "1.5s", 90: "90s", 5400: "90min", 86400: "1d", 1209600: "14d", 1e-9: "1e-09s"} {
		assert.Equal(t, text, unit.DurationText(seconds))
		length, own, err := unit.ParseDuration(text)
		require.NoError(t, err)
		assert.InDelta(t, seconds, unit.Duration(length, own, unit.Second), 1e-15)
	}
}
