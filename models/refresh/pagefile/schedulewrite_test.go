package pagefile

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
)

// What is written is read again in every format and compression, with names that
// look like rows, across blocks and row groups.
func TestSchedulesGoRound(t *testing.T) {
	timetable, err := sequence.NewTimetable(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Second, 7)
	require.NoError(t, err)
	folder := t.TempDir()
	for _, length := range []int{0, 1, writeBlock, parquetRowGroup + 5} {
		want := make([]int, length)
		for i := range want {
			want[i] = i * i % 3
		}
		for _, table := range []*sequence.Timetable{nil, &timetable} {
			for _, format := range []string{"csv", "jsonl", "parquet"} {
				ids := idsOf("https://a.example/", `b,"c"`, "d\n12,e")
				if format == "csv" { // whose rows are lines
					ids = idsOf("https://a.example/", `b,"c"`, "12,e")
				}
				for _, suffix := range []string{"", ".gz", ".zst"} {
					if length > writeBlock && (suffix != "" || format != "parquet") {
						continue
					}
					name := filepath.Join(folder, "slots."+format+suffix)
					require.NoError(t, WriteSchedule(t.Context(), Target{Name: name}, ids, table, slices.Values(want)))
					got, _, err := ReadSchedule(context.Background(), Source{Name: name}, Options{Strict: true, Workers: 2}, ids)
					require.NoError(t, err, name)
					require.Len(t, got, length, name)
					require.True(t, slices.Equal(want, got), name)
				}
			}
		}
	}
}

// Names of more than a megabyte, which are in the heads of pages in Parquet, too.
func TestLongNamesGoRound(t *testing.T) {
	const long = 3 << 19
	ids := idsOf(strings.Repeat("a", long), strings.Repeat("b", long), strings.Repeat("c", long))
	want := make([]int, 1<<28/2/long+5)
	for i := range want {
		want[i] = i % 3
	}
	name := filepath.Join(t.TempDir(), "file.parquet")
	require.NoError(t, WriteSchedule(t.Context(), Target{Name: name}, ids, nil, slices.Values(want)))
	got, _, err := ReadSchedule(context.Background(), Source{Name: name}, Options{Strict: true}, ids)
	require.NoError(t, err)
	assert.Equal(t, want, got)

	rows := make([]visitRow, ids.Len())
	for i := range rows {
		rows[i] = visitRow{ID: ids.Bytes(i), Rate: float64(i + 1)}
	}
	require.NoError(t, writeVisits(context.Background(), Target{Name: name}, rows, 1))
	again, _, err := ReadRates(context.Background(), Source{Name: name}, Options{Strict: true})
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 2, 3}, again.Rates)
	assert.Equal(t, names(ids), names(&again.IDs))
}

// In Parquet, times are points in time for every reader, those of the texts.
func TestTimesInParquet(t *testing.T) {
	ids := idsOf("a", "b")
	timetable, err := sequence.NewTimetable(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Second, 7)
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "slots.parquet")
	require.NoError(t, WriteSchedule(t.Context(), Target{Name: name}, ids, &timetable, slices.Values([]int{0, 1, 1})))
	type row struct {
		Slot      int32     `parquet:"slot"`
		ID        string    `parquet:"id"`
		NextFetch time.Time `parquet:"next_fetch,timestamp(millisecond)"`
	}
	rows, err := parquet.ReadFile[row](name)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, WriteSchedule(t.Context(), Target{Writer: &text}, ids, &timetable, slices.Values([]int{0, 1, 1})))
	want := "slot,id,next_fetch\n"
	for i, r := range rows {
		require.EqualValues(t, i+1, r.Slot)
		want += string(rune('1'+i)) + "," + r.ID + "," + r.NextFetch.UTC().Format("2006-01-02T15:04:05.000Z07:00") + "\n"
	}
	assert.Equal(t, want, text.String())
	assert.Equal(t, "2026-01-01T00:00:00.142Z", rows[0].NextFetch.UTC().Format("2006-01-02T15:04:05.000Z07:00"), "1/7 s")
}

func TestWritingSchedulesFails(t *testing.T) {
	forever := func(yield func(int) bool) {
		for yield(0) {
		}
	}
	for _, format := range []Format{CSV, JSONLines, Parquet} {
		err := WriteSchedule(t.Context(), Target{Name: "slots", Writer: failing{}, Format: format}, idsOf("a"), nil, forever)
		require.ErrorContains(t, err, "slots: ")
		require.ErrorContains(t, err, "the disk is full")
	}
}
