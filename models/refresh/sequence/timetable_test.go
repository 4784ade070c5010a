package sequence

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/countdown"
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

func TestNextSlotsIsTheFirstOfEachPage(t *testing.T) {
	e, err := NewEarliestDeadlineFirst([]float64{5, 3, 0, 2, 1e-9})
	require.NoError(t, err)
	again, err := NewEarliestDeadlineFirst([]float64{5, 3, 0, 2, 1e-9})
	require.NoError(t, err)
	AppendSlots(nil, e, 20)
	before := AppendSlots(nil, again, 40)[20:]
	next, err := NextSlots(t.Context(), e, 5, 20)
	require.NoError(t, err)
	for page, slot := range next {
		if slot == 0 {
			assert.NotContains(t, before, page)
			continue
		}
		assert.Equal(t, page, before[slot-21])
		assert.NotContains(t, before[:slot-21], page)
	}
	assert.Equal(t, int64(40), e.Slot())
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = NextSlots(ended, e, 5, 1)
	require.ErrorIs(t, err, context.Canceled)
	assert.PanicsWithValue(t, "sequence: NextSlots of 1 pages with a sequence that has page 3", func() {
		three, err := NewRoundRobin([]float64{0, 0, 0, 1})
		require.NoError(t, err)
		_, _ = NextSlots(t.Context(), three, 1, 1)
	})
}

// A search for the next slots that is interrupted leaves the sequence at a slot from
// which it goes on as if nothing had been, also where it was to go on without end.
func TestNextSlotsInterrupted(t *testing.T) {
	rates := []float64{3, 1e-3, 2, 0, 0.5}
	const total = 20_000
	for kind, maker := range makers {
		whole, err := maker(rates)
		require.NoError(t, err)
		want := AppendSlots(nil, whole, total)
		for after := range 5 {
			sequence, err := maker(rates)
			require.NoError(t, err)
			sequence.Next()
			next, err := NextSlots(countdown.New(after), sequence, len(rates), math.MaxInt64)
			require.ErrorIs(t, err, context.Canceled)
			require.Nil(t, next)
			done := int(sequence.Slot())
			require.Equal(t, 1+after<<12, done, kind)
			require.Equal(t, want[done:], AppendSlots(nil, sequence, total-done), kind)
		}
	}
}
