package sequence

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTimetableDoesNotDrift(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	table, err := NewTimetable(start, time.Second, 3)
	require.NoError(t, err)
	assert.Equal(t, start, table.Time(0))
	assert.Equal(t, start.Add(333_333_333), table.Time(1))
	assert.Equal(t, start.Add(time.Second), table.Time(3))
	year := 365 * 24 * time.Hour
	assert.Equal(t, start.Add(year), table.Time(3*int64(year/time.Second)))
	assert.Equal(t, start.Add(math.MaxInt64), table.Time(math.MaxInt64))
}

func TestTimetableRefuses(t *testing.T) {
	for _, bandwidth := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err := NewTimetable(time.Time{}, time.Hour, bandwidth)
		require.ErrorContains(t, err, "use a finite number above 0")
	}
	_, err := NewTimetable(time.Time{}, 0, 1)
	require.EqualError(t, err, "sequence: unit of time: 0s is not valid: use more than 0")
}
