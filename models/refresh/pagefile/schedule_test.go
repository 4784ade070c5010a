package pagefile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
	"github.com/mdpsolve/mdpsolve/models/refresh/slotfile"
)

// writeSchedule writes slots of a sequence up to the last.
func writeSchedule(t *testing.T, w *ScheduleWriter, sequence sequence.Sequence, last int64) {
	t.Helper()
	for sequence.Slot() < last {
		page := sequence.Next()
		require.NoError(t, w.Write(sequence.Slot(), page))
	}
	require.NoError(t, w.Flush())
}

// A schedule that is killed, anywhere, and goes on from an older state is the one
// that was never stopped: byte for byte. Names may look like rows.
func TestKilledSchedulesContinue(t *testing.T) {
	const last = 20
	ids := idsOf("https://a.example/", `b,"c"`, "d\n12,e")
	rates := []float64{5, 3, 1.5}
	newSequence := func() sequence.Sequence {
		order, err := sequence.NewEarliestDeadlineFirst(rates)
		require.NoError(t, err)
		return order
	}
	timetable, err := sequence.NewTimetable(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Second, 3)
	require.NoError(t, err)
	for _, table := range []*sequence.Timetable{nil, &timetable} {
		folder := t.TempDir()
		name := filepath.Join(folder, "schedule.csv")
		file, err := slotfile.Create(name)
		require.NoError(t, err)
		order := newSequence()
		w := NewScheduleWriter(file, CSV, ids, table)
		require.NoError(t, w.Header())
		writeSchedule(t, w, order, 7)
		require.NoError(t, file.Sync())
		size := file.Size()
		writeSchedule(t, w, order, last)
		require.NoError(t, file.Close())
		whole, err := os.ReadFile(name)
		require.NoError(t, err)

		goOn := func() (ahead int64, err error) {
			file, err := slotfile.Resume(name, size)
			if err != nil {
				return 0, err
			}
			assert.Equal(t, name, file.Name())
			order := newSequence()
			sequence.AppendSlots(nil, order, 7)
			w := NewScheduleWriter(file, CSV, ids, table)
			for order.Slot() < last && err == nil {
				page := order.Next()
				err = w.Write(order.Slot(), page)
			}
			if err == nil {
				err = w.Flush()
			}
			require.NoError(t, file.Close())
			return file.Ahead(), err
		}
		replace := func(text []byte) {
			require.NoError(t, os.Remove(name)) // to write over a file is slow: file systems keep it safe
			require.NoError(t, os.WriteFile(name, text, 0o600))
		}
		for cut := range len(whole) {
			replace(whole[:cut])
			_, err := goOn()
			got, fault := os.ReadFile(name)
			require.NoError(t, fault)
			if int64(cut) < size { // what the state counts has been lost
				require.ErrorContains(t, err, "or more")
				require.Equal(t, whole[:cut], got)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, string(whole), string(got), "cut at %d", cut)
		}
		for at := size; at < int64(len(whole)); at++ { // what is there is something else
			other := bytes.Clone(whole)
			other[at]++
			replace(other)
			_, err := goOn()
			require.ErrorIs(t, err, slotfile.ErrOtherContent)
			require.ErrorContains(t, err, fmt.Sprintf("at byte %d;", at+1))
			got, err := os.ReadFile(name)
			require.NoError(t, err)
			require.Equal(t, other, got, "left alone")
		}
		replace(append(bytes.Clone(whole), "21,x\n"...))
		ahead, err := goOn()
		require.NoError(t, err)
		assert.EqualValues(t, 5, ahead)

		replace(whole)
		pages, report, err := ReadSchedule(context.Background(), Source{Name: name}, Options{Strict: true}, ids)
		require.NoError(t, err)
		assert.EqualValues(t, last, report.Rows)
		assert.Equal(t, sequence.AppendSlots(nil, newSequence(), last), pages)
		partials, err := filepath.Glob(filepath.Join(folder, "*.partial"))
		require.NoError(t, err)
		assert.Empty(t, partials)
	}
}

func TestSchedulesWithFaults(t *testing.T) {
	pages, report, err := ReadSchedule(context.Background(), Source{"s.csv", bytes.NewReader([]byte("slot,id\n1,a\n2,x\n2,b\n2,b\n3.5,a\n-1,a\n3,a\n"))}, Options{}, idsOf("a", "b"))
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1, 0}, pages)
	assert.Equal(t, []string{
		`s.csv:3:3: found "x"; expected the id of a page of the list`,
		`s.csv:5:1: found slot 2 after slot 2; expected slot 3`,
		`s.csv:6:1: found "3.5"; expected the number of a slot`,
		`s.csv:7:1: found "-1"; expected the number of a slot`,
	}, messages(report))
}

func TestIndex(t *testing.T) {
	ids := idsOf("a", "b", "a", "")
	index := NewIndex(ids)
	for name, want := range map[string]int{"a": 0, "b": 1, "": 3} {
		page, found := index.Find([]byte(name))
		assert.True(t, found)
		assert.Equal(t, want, page)
	}
	_, found := index.Find([]byte("c"))
	assert.False(t, found)
}
