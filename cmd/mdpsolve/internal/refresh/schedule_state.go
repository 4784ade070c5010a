package refresh

// This file lets a schedule in a file go on where it was interrupted.

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc64"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
	"github.com/mdpsolve/mdpsolve/models/refresh/slotfile"
)

// scheduleState is what --state saves: what a schedule is of, and how far its
// sequence had come when so many slots were safely in their file, of which they
// are the first bytes. The file may hold more, if the program was killed.
type scheduleState struct {
	Version  int         `json:"version"`
	Slots    int64       `json:"slots"`
	Bytes    int64       `json:"bytes"`
	Of       scheduleKey `json:"schedule"`
	Sequence []byte      `json:"sequence"`        // behind these slots
	Out      string      `json:"out"`             // the file of the slots
	Rate     float64     `json:"rate"`            // slots per unit of time
	Unit     string      `json:"unit"`            // "" where it is not known
	Pages    []byte      `json:"pages,omitempty"` // by deadline: see appendPages
	Hosts    []byte      `json:"hosts,omitempty"` // with delays: see appendHosts
}

const scheduleStateVersion = 4

// scheduleKey is what has to stay the same for a schedule to go on.
type scheduleKey struct {
	Method string        `json:"method"`
	Seed   uint64        `json:"seed,omitempty"`
	Cycle  int64         `json:"cycle,omitempty"`
	Input  uint64        `json:"input"`            // check sum of ids and rates
	Delays uint64        `json:"delays,omitempty"` // check sum of the delays of hosts
	Groups uint64        `json:"groups,omitempty"` // check sum of the delays of groups of hosts
	Plan   bool          `json:"plan,omitempty"`   // it is a sequence.Plan
	Format string        `json:"format"`
	Clock  scheduleClock `json:"clock,omitzero"`
}

// scheduleClock says when slots take place; its zero value is no clock.
type scheduleClock struct {
	Start time.Time `json:"start"`
	Unit  float64   `json:"unit_seconds"`
}

// fill puts in defaults: those of the saved schedule, or else of the rates, which have
// that sum.
func (k *scheduleKey) fill(rates *pagefile.Rates, sum float64, saved *scheduleState) {
	least := math.Inf(1)
	for _, rate := range rates.Rates {
		if rate > 0 {
			least = min(least, rate)
		}
	}
	if k.Method == methodGolden && k.Cycle == 0 {
		const accesses = 32 // of the page with the least rate
		k.Cycle = sequence.FibonacciAtLeast(int64(math.Ceil(min(accesses*sum/least, greatestCycle))))
	}
	if k.Clock.Unit > 0 && k.Clock.Start.IsZero() {
		k.Clock.Start = time.Now().UTC().Truncate(time.Second)
		if saved != nil && saved.Of.Clock.Unit > 0 {
			k.Clock.Start = saved.Of.Clock.Start
		}
	}
}

// compare refuses to go on with another schedule.
func (saved *scheduleState) compare(a *ui.Arguments, k scheduleKey) {
	of := saved.Of
	for _, part := range []struct {
		flag string
		same bool
	}{
		{"input", k.Input == of.Input},
		{"method", k.Method == of.Method},
		{"group-delay", k.Groups == of.Groups},
		{"host-delay", k.Delays == of.Delays && k.Plan == of.Plan},
		{"seed", k.Seed == of.Seed},
		{"cycle", k.Cycle == of.Cycle},
		{"output", k.Format == of.Format},
		{"wall-clock", (k.Clock.Unit > 0) == (of.Clock.Unit > 0)},
		{"start", k.Clock.Start.Equal(of.Clock.Start)},
		{"unit", k.Clock.Unit == of.Clock.Unit},
	} {
		if !part.same {
			a.Fault(part.flag, "not as in the schedule saved in %s: use the same, or another --state", a.CLI.String("state"))
		}
	}
}

// checksum tells lists of rates from each other.
func checksum(rates *pagefile.Rates) (sum uint64) {
	table := crc64.MakeTable(crc64.ECMA)
	var row []byte
	for i, rate := range rates.Rates {
		row = append(append(row[:0], rates.IDs.Bytes(i)...), '\n')
		row = binary.LittleEndian.AppendUint64(row, math.Float64bits(rate))
		sum = crc64.Update(sum, table, row)
	}
	return sum
}

// savedSchedule reads the state to go on from, nil if there is none.
func savedSchedule(a *ui.Arguments) *scheduleState {
	if !a.CLI.IsSet("state") {
		return nil
	}
	name := a.CLI.String("state")
	a.CanWrite("state", name)
	checkRegularFile(a, "state", name)
	notTheFileOf(a, "state", "input")
	a.OnlyWith("state", "out", a.CLI.IsSet("out") && a.CLI.String("out") != "-")
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var s scheduleState
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		a.Fault("state", "%s is not a state that mdpsolve refresh schedule has saved (%v): use one that is, or a file that is not there yet", name, err)
	}
	if s.Version != scheduleStateVersion {
		a.Fault("state", "%s is of version %d of such files, not %d: use one that is not there yet, or --last-fetch in its place", name, s.Version, scheduleStateVersion)
	}
	return &s
}

// restore lets a sequence go on behind the slots that the state counts.
func (saved *scheduleState) restore(a *ui.Arguments, to sequence.Sequence) {
	damagedState(a, to.UnmarshalBinary(saved.Sequence))
	if slots := to.Slot(); slots != saved.Slots {
		a.Fault("state", "%s contradicts itself, %d slots and %d: use a state as it was saved", a.CLI.String("state"), saved.Slots, slots)
	}
}

// resumed is a schedule in a file that can go on, with its state in another.
type resumed struct {
	schedule *schedule
	file     *slotfile.File
	writer   slotWriter
	saveTo   string
	state    scheduleState
}

// resume writes the slots up to length behind those of a saved state, or until it is
// interrupted: whole rows in either case.
func (s *schedule) resume(a *ui.Arguments, saved *scheduleState, length int64) error {
	out := a.CLI.String("out")
	r := &resumed{schedule: s, saveTo: a.CLI.String("state"), state: scheduleState{
		Version: scheduleStateVersion, Of: s.key, Out: outPath(a), Rate: s.rate, Unit: s.unit.String(),
	}}
	var err error
	if saved.isPast(a) || saved == nil {
		if r.file, err = slotfile.Create(out); err != nil {
			return outFault("out", out, err)
		}
	} else if r.file, err = slotfile.Resume(out, saved.Bytes); err != nil {
		return ui.UsageErrorf("--out: the schedule saved in %s cannot go on (%v): use its own file, or another --state", r.saveTo, err)
	}
	r.writer = newSlotWriter(r.file, s)
	err = r.write(a.CLI.Context, length)
	if closing := r.file.Close(); err == nil {
		err = closing
	}
	switch ahead := r.file.Ahead(); {
	case errors.Is(err, slotfile.ErrOtherContent):
		return ui.UsageErrorf("--out: %v", err)
	case err != nil && !ui.IsUsage(err):
		return outFault("out", out, err)
	case err == nil && ahead > 0 && s.sequence.Slot() == length:
		return ui.UsageErrorf("--length: %d is not valid: use more, as %s goes on for %d bytes behind that slot", length, out, ahead)
	}
	return err
}

// write writes slots, and every second how far they have come.
func (r *resumed) write(ctx context.Context, length int64) error {
	const (
		saveEvery = time.Second
		saveShare = 50 // saving takes one part in so many of the time, or less
	)
	if err := r.save(); err != nil { // from the first slot on there is a state
		return err
	}
	if r.file.Size() == 0 {
		if err := r.writer.Header(); err != nil {
			return err
		}
	}
	due := time.Now().Add(saveEvery)
	for slot, pages := range r.schedule.batches(ctx, length) {
		if err := writeSlots(r.writer, slot, pages); err != nil {
			return err
		}
		if now := time.Now(); now.After(due) {
			if err := r.flushAndSave(); err != nil {
				return err
			}
			saved := time.Now()
			due = saved.Add(max(saveEvery, saveShare*saved.Sub(now)))
		}
	}
	return r.flushAndSave()
}

// flushAndSave makes sure that all slots are in their file, on its disk, before
// the state says so.
func (r *resumed) flushAndSave() error {
	if err := r.writer.Flush(); err != nil {
		return err
	}
	if err := r.file.Sync(); err != nil {
		return err
	}
	return r.save()
}

// save replaces the state.
func (r *resumed) save() (err error) {
	r.state.Slots, r.state.Bytes = r.schedule.sequence.Slot(), r.file.Size()
	if r.state.Sequence, err = r.schedule.sequence.AppendBinary(r.state.Sequence[:0]); err != nil {
		return err
	}
	if r.state.Pages, err = r.schedule.appendPages(r.state.Pages[:0]); err != nil {
		return err
	}
	if r.state.Hosts, err = r.schedule.appendHosts(r.state.Hosts[:0]); err != nil {
		return err
	}
	text, err := json.Marshal(r.state)
	if err != nil {
		return err
	}
	return outFault("state", r.saveTo, slotfile.SaveState(r.saveTo, append(text, '\n')))
}
