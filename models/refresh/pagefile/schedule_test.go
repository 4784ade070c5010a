package pagefile

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// writeSchedule writes slots of a sequence up to the last.
func writeSchedule(t *testing.T, w *ScheduleWriter, sequence refresh.Sequence, last int64) {
	t.Helper()
	for sequence.Slot() < last {
		page := sequence.Next()
		require.NoError(t, w.Write(sequence.Slot(), page))
	}
	require.NoError(t, w.Flush())
}

// A schedule that is killed, anywhere, with an older state at hand or none, and
// continued, is the one that was never stopped: byte for byte.
func TestKilledSchedulesContinue(t *testing.T) {
	ids := idsOf("https://a.example/", `b,"c"`, "d")
	rates := []float64{5, 3, 1.5}
	newSequence := func() refresh.Sequence {
		sequence, err := refresh.NewEarliestDeadlineFirst(rates)
		require.NoError(t, err)
		return sequence
	}
	timetable, err := refresh.NewTimetable(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Second, 3)
	require.NoError(t, err)
	for _, table := range []*refresh.Timetable{nil, &timetable} {
		var whole bytes.Buffer
		w := NewScheduleWriter(&whole, ids, table)
		require.NoError(t, w.Header())
		writeSchedule(t, w, newSequence(), 40)

		folder := t.TempDir()
		stateName, name := filepath.Join(folder, "state"), filepath.Join(folder, "schedule.csv")
		early := newSequence()
		refresh.AppendSlots(nil, early, 7)
		state, err := early.AppendBinary(nil)
		require.NoError(t, err)
		require.NoError(t, SaveState(stateName, []byte("an older state")))
		require.NoError(t, SaveState(stateName, state))

		for cut := range whole.Len() {
			require.NoError(t, os.WriteFile(name, whole.Bytes()[:cut], 0o600))
			file, slot, err := ResumeSchedule(name)
			require.NoError(t, err)
			sequence := newSequence()
			if slot >= 7 { // else the state is ahead of what has been written
				state, err := os.ReadFile(stateName)
				require.NoError(t, err)
				require.NoError(t, sequence.UnmarshalBinary(state))
			}
			for sequence.Slot() < slot {
				sequence.Next()
			}
			w := NewScheduleWriter(file, ids, table)
			if info, err := file.Stat(); err == nil && info.Size() == 0 {
				require.NoError(t, w.Header())
			}
			writeSchedule(t, w, sequence, 40)
			require.NoError(t, file.Close())
			got, err := os.ReadFile(name)
			require.NoError(t, err)
			require.Equal(t, whole.String(), string(got), "cut at %d", cut)
		}

		pages, report, err := ReadSchedule(context.Background(), Source{Name: name}, Options{Strict: true}, ids)
		require.NoError(t, err)
		assert.EqualValues(t, 40, report.Rows)
		assert.Equal(t, refresh.AppendSlots(nil, newSequence(), 40), pages)
	}
	files, err := filepath.Glob(filepath.Join(t.TempDir(), "*.partial"))
	require.NoError(t, err)
	assert.Empty(t, files)
}

func TestSchedulesWithFaults(t *testing.T) {
	pages, report, err := ReadSchedule(context.Background(), Source{"s.csv", bytes.NewReader([]byte("slot,id\n1,a\n2,x\n2,b\n2,b\n3.5,a\n-1,a\n3,a\n"))}, Options{}, idsOf("a", "b"))
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1, 0}, pages)
	assert.Equal(t, []string{
		`s.csv:3:3: "x" found; allowed is the id of a page of the list`,
		`s.csv:6:1: "3.5" found; allowed is the number of a slot`,
		`s.csv:7:1: "-1" found; allowed is the number of a slot`,
		`s.csv:5:1: slot 2 behind slot 2 found; allowed is slot 3`,
	}, messages(report))

	name := filepath.Join(t.TempDir(), "s.csv")
	for text, want := range map[string]string{
		"slot,id\nx,a\n":   `last row "x,a" found; allowed is a slot and an id`,
		"slot,id\n-3,a\nx": `last row "-3,a" found; allowed is a slot and an id`,
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		_, _, err = ResumeSchedule(name)
		require.ErrorContains(t, err, want)
		kept, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, text, string(kept), "a file that is no schedule is left alone")
	}
	_, _, err = ResumeSchedule(name + "x")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Error(t, SaveState(filepath.Join(name, "state"), nil))
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
