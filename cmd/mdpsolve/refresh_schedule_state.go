package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// scheduleState is what --state saves: what a schedule is of, and how far its
// sequence had come when so many slots were safely in their file. The file may
// hold more of them, if the program was killed; how many there are, the file
// itself says, and the sequence is taken as far before it goes on.
type scheduleState struct {
	Version  int         `json:"version"`
	Slots    int64       `json:"slots"`
	Of       scheduleKey `json:"schedule"`
	Sequence []byte      `json:"sequence"` // behind these slots
}

const scheduleStateVersion = 1

// scheduleKey is what has to stay the same for a schedule to go on.
type scheduleKey struct {
	Method string         `json:"method"`
	Seed   uint64         `json:"seed,omitempty"`
	Cycle  int64          `json:"cycle,omitempty"`
	IDs    uint64         `json:"ids"`  // check sum
	File   bool           `json:"file"` // goes to --out, not to standard output
	Format string         `json:"format"`
	Clock  *scheduleClock `json:"clock,omitempty"`
}

// scheduleClock says when slots take place.
type scheduleClock struct {
	Start     time.Time `json:"start"`
	Unit      float64   `json:"unit_seconds"`
	Bandwidth float64   `json:"bandwidth"`
}

// readScheduleState returns nil where there is no such file yet.
func readScheduleState(name string) (*scheduleState, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, usageErrorf("--state: %v", err)
	}
	var s scheduleState
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		return nil, usageErrorf("--state: %s is not a state that mdpsolve refresh schedule has saved (%v)", name, err)
	}
	if s.Version != scheduleStateVersion {
		return nil, usageErrorf("--state: %s has version %d; version %d is allowed", name, s.Version, scheduleStateVersion)
	}
	return &s, nil
}

// differs names a flag whose value is not that of a saved state, or "".
func (k *scheduleKey) differs(saved *scheduleKey) string {
	switch {
	case k.Method != saved.Method:
		return "method"
	case k.Seed != saved.Seed:
		return "seed"
	case k.Cycle != saved.Cycle:
		return "cycle"
	case k.IDs != saved.IDs:
		return "input"
	case k.File != saved.File:
		return "out"
	case k.Format != saved.Format:
		return "output"
	case (k.Clock == nil) != (saved.Clock == nil):
		return "wall-clock"
	case k.Clock == nil:
		return ""
	case !k.Clock.Start.Equal(saved.Clock.Start):
		return "start"
	case k.Clock.Unit != saved.Clock.Unit:
		return "unit"
	case k.Clock.Bandwidth != saved.Clock.Bandwidth:
		return "input"
	}
	return ""
}

// openSlots opens the file of a schedule: anew, or behind the last whole row of
// one that was begun, which is slot last. headed says whether it has its header.
func openSlots(name string, saved *scheduleState) (file *os.File, last int64, headed bool, err error) {
	if saved == nil {
		file, err = os.Create(name)
		if err != nil {
			err = usageErrorf("--out: %q found; a file that can be written is allowed (%v)", name, err)
		}
		return file, 0, false, err
	}
	if file, last, err = pagefile.ResumeSchedule(name); err != nil {
		return nil, 0, false, usageErrorf("--out: a schedule to go on with, saved in --state, is not in its file (%v)", err)
	}
	end, err := file.Seek(0, io.SeekCurrent)
	if err == nil && last < saved.Slots {
		err = usageErrorf("--out: %s ends with slot %d; one that ends with slot %d or later, as when the state was saved, is allowed",
			name, last, saved.Slots)
	}
	if err != nil {
		return nil, 0, false, errors.Join(err, file.Close())
	}
	return file, last, end > 0, nil
}
