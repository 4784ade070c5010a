package refresh

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// scheduleState is what --state saves: what a schedule is of, and how far its
// sequence had come when so many slots were safely in their file, of which they
// are the first bytes. The file may hold more, if the program was killed.
type scheduleState struct {
	Version  int         `json:"version"`
	Slots    int64       `json:"slots"`
	Bytes    int64       `json:"bytes"`
	Of       scheduleKey `json:"schedule"`
	Sequence []byte      `json:"sequence"` // behind these slots
}

const scheduleStateVersion = 1

// scheduleKey is what has to stay the same for a schedule to go on.
type scheduleKey struct {
	Method string         `json:"method"`
	Seed   uint64         `json:"seed,omitempty"`
	Cycle  int64          `json:"cycle,omitempty"`
	Input  uint64         `json:"input"` // check sum of ids and rates
	File   bool           `json:"file"`  // goes to --out, not to standard output
	Format string         `json:"format"`
	Clock  *scheduleClock `json:"clock,omitempty"`
}

// scheduleClock says when slots take place.
type scheduleClock struct {
	Start time.Time `json:"start"`
	Unit  float64   `json:"unit_seconds"`
}

// readScheduleState returns nil where there is no such file yet.
func readScheduleState(name string) (*scheduleState, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, ui.UsageErrorf("--state: %v", err)
	}
	var s scheduleState
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&s)
	if err == nil && decoder.More() {
		err = errors.New("there is more behind it")
	}
	if err != nil {
		return nil, ui.UsageErrorf("--state: %s is not a state that mdpsolve refresh schedule has saved (%v); one that is, or a file that is not there yet, is allowed", name, err)
	}
	if s.Version != scheduleStateVersion {
		return nil, ui.UsageErrorf("--state: %s has version %d; version %d is allowed", name, s.Version, scheduleStateVersion)
	}
	return &s, nil
}

// differs names a flag whose value is not that of a saved state, or "".
func (k *scheduleKey) differs(saved *scheduleKey) string {
	switch {
	case k.Input != saved.Input:
		return "input"
	case k.Method != saved.Method:
		return "method"
	case k.Seed != saved.Seed:
		return "seed"
	case k.Cycle != saved.Cycle:
		return "cycle"
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
	}
	return ""
}
