package refresh

// This file lets a schedule go on: in its own file, where it was interrupted, and as a plan in
// another file, with other pages and rates.

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
	"github.com/mdpsolve/mdpsolve/models/refresh/slotfile"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// scheduleState is what --state saves: what a schedule is of, and how far it had come when so
// many slots were safely in their file, of which they are the first bytes. The file may hold more,
// if the program was killed. A plan goes on from its state; the slots of another sequence are
// computed again.
//
// The file is JSON, a value in each line, packed by gzip, whose check sum tells a damaged
// file: a stateVersion, this, and for each page a pageState, from which another plan can go on.
type scheduleState struct {
	Slots int64       `json:"slots"`
	Bytes int64       `json:"bytes"`
	Of    scheduleKey `json:"schedule"`
	Out   string      `json:"out"`  // the file of the slots
	Rate  float64     `json:"rate"` // slots per unit of time
	Unit  string      `json:"unit"` // "" where it is not known
	Hosts []hostState `json:"hosts"`
	Pages int         `json:"pages"` // that follow: 0 unless the method is by deadline

	ids       pagefile.IDs // of these pages
	last, due []float64    // their last accesses, NaN: never, and when they are due by a plan
}

// stateVersion is the version of the file.
type stateVersion struct {
	Version int `json:"version"`
}

const scheduleStateVersion = 7

// hostState says when a host, or a group of hosts, was last accessed. The slot is counted from
// the last one, which keeps all its digits. Last accesses are saved, and not the times from
// which hosts may be accessed again, since delays may change.
type hostState struct {
	hostName
	Slot float64 `json:"slot"`
}

// A hostName is that of a host, or of a group of hosts.
type hostName struct {
	Name    string `json:"host"`
	IsGroup bool   `json:"group,omitempty"`
}

// pageState says when a page was last accessed, in slots from the last one, and is due by a plan,
// in slots from its beginning. It has no slot if it never was.
type pageState struct {
	ID   string   `json:"id"`
	Slot *float64 `json:"slot,omitempty"`
	Due  float64  `json:"due,omitempty"`
}

// scheduleKey is what has to stay the same for a schedule to go on.
type scheduleKey struct {
	Method string        `json:"method"`
	Seed   uint64        `json:"seed,omitempty"`
	Cycle  int64         `json:"cycle,omitempty"`
	Input  uint64        `json:"input"`            // check sum of ids and rates
	Delays uint64        `json:"delays,omitempty"` // check sum of the delays of hosts
	Groups uint64        `json:"groups,omitempty"` // check sum of the delays of groups of hosts
	Plan   bool          `json:"plan,omitempty"`   // it is a sequence.Plan
	Clock  scheduleClock `json:"clock,omitzero"`
}

// scheduleClock says when slots take place; its zero value is no clock.
type scheduleClock struct {
	Start time.Time `json:"start"`
	Unit  float64   `json:"unit_seconds"`
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
		{"host-delay", k.Delays == of.Delays},
		{"seed", k.Seed == of.Seed},
		{"cycle", k.Cycle == of.Cycle},
		{"wall-clock", (k.Clock.Unit > 0) == (of.Clock.Unit > 0)},
		{"start", k.Clock.Start.Equal(of.Clock.Start)},
		{"unit", k.Clock.Unit == of.Clock.Unit},
	} {
		if !part.same {
			a.Fault(part.flag, "not as in the schedule saved in %s: use the same, or another --state", a.CLI.String("state"))
		}
	}
}

// checksum tells lists of names and numbers from each other.
func checksum(n int, row func(i int) (name []byte, x, y float64)) (sum uint64) {
	table := crc64.MakeTable(crc64.ECMA)
	var text []byte
	for i := range n {
		name, x, y := row(i)
		text = append(append(text[:0], name...), '\n')
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(x))
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(y))
		sum = crc64.Update(sum, table, text)
	}
	return sum
}

// savedSchedule reads the state to go on from, if there is one: the own one of this schedule, or
// that of a plan before, in another file, from which this one is to go on in a file of its own.
func savedSchedule(a *ui.Arguments) (own, before *scheduleState) {
	if !a.CLI.IsSet("state") {
		return nil, nil
	}
	name := a.CLI.String("state")
	a.CanWrite("state", name)
	checkRegularFile(a, "state", name)
	lists.NotTheFileOf(a, "state", "input")
	a.OnlyWith("state", "out", a.CLI.IsSet("out") && a.CLI.String("out") != "-")
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	saved := &scheduleState{}
	if err == nil {
		err = saved.read(a, file)
		_ = file.Close() // it was only read
	}
	noState(a, err)
	if saved.Out == outPath(a) {
		return saved, nil
	}
	return nil, saved
}

// noState ends the command by what keeps a file from being a state.
func noState(a *ui.Arguments, err error) {
	if err != nil {
		a.Fault("state", "%s is not a whole state that mdpsolve refresh schedule has saved (%v): use one as it was saved, or a file that is not there yet", a.CLI.String("state"), err)
	}
}

// read reads a state. Text that is not packed is one that somebody has unpacked, or of an early
// version.
func (saved *scheduleState) read(a *ui.Arguments, file io.Reader) error {
	buffered := bufio.NewReader(file)
	text := io.Reader(buffered)
	if head, _ := buffered.Peek(2); string(head) == "\x1f\x8b" { // an error comes again
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return err
		}
		text = unpacked
	}
	values := json.NewDecoder(text)
	var begin stateVersion
	if err := values.Decode(&begin); err != nil {
		return err
	}
	if begin.Version != scheduleStateVersion {
		a.Fault("state", "%s is of version %d of such files, not %d: use one that is not there yet, or --last-fetch in its place",
			a.CLI.String("state"), begin.Version, scheduleStateVersion)
	}
	values.DisallowUnknownFields()
	if err := values.Decode(saved); err != nil {
		return err
	}
	if !(saved.Rate > 0) || saved.Slots < 0 || saved.Pages < 0 {
		return fmt.Errorf("it says %d slots, %d pages and the rate %v", saved.Slots, saved.Pages, saved.Rate)
	}
	for range saved.Pages {
		var page pageState
		if err := values.Decode(&page); err != nil {
			return fmt.Errorf("its pages: %w", err)
		}
		at := math.NaN()
		if page.Slot != nil {
			at = min(*page.Slot, 0)
		}
		saved.ids.Append([]byte(page.ID))
		saved.last, saved.due = append(saved.last, at), append(saved.due, page.Due)
	}
	switch err := values.Decode(new(any)); {
	case err == nil:
		return fmt.Errorf("there is more behind its %s", ui.Count(saved.Pages, "page"))
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// outPath returns the file of --out by a name that does not depend on the folder.
func outPath(a *ui.Arguments) string {
	name := a.CLI.String("out")
	if path, err := filepath.Abs(name); err == nil {
		return path
	}
	return name
}

// checkPast refuses to go on from a state that no plan can go on from, or in a file with
// something in it.
func (saved *scheduleState) checkPast(a *ui.Arguments, key scheduleKey) {
	name, out := a.CLI.String("state"), a.CLI.String("out")
	if key.Method != methodDeadline || saved.Of.Method != methodDeadline {
		a.Fault("out", "%s is not that of the schedule saved in %s: use %s; only plans by --method %s go on in another file", out, name, saved.Out, methodDeadline)
	}
	if info, err := os.Stat(out); err == nil && info.Size() > 0 {
		a.Fault("out", "%s has something in it, and is not that of the schedule saved in %s: use a file that is not there yet, in which the plan goes on, or %s", out, name, saved.Out)
	}
}

// end returns when the slots of a saved plan end; the zero time without a clock.
func (saved *scheduleState) end() time.Time {
	clock := saved.Of.Clock
	if clock.Unit == 0 {
		return time.Time{}
	}
	table, err := sequence.NewTimetable(clock.Start, time.Second, saved.Rate/clock.Unit)
	if err != nil {
		return time.Time{}
	}
	return table.Time(saved.Slots)
}

// restore lets the schedule go on behind the slots that its own state counts, where a plan is
// already.
func (s *schedule) restore(a *ui.Arguments, own *scheduleState) {
	if n := len(s.rates.Rates); own.Pages != n && s.key.Method == methodDeadline {
		noState(a, fmt.Errorf("it has %d pages of %d", own.Pages, n))
	}
	for slot, pages := range s.batches(a.CLI.Context, own.Slots) {
		for _, page := range pages {
			slot++
			s.last[page] = float64(slot)
		}
	}
	if a.CLI.Err() != nil {
		a.Fail(ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted before slot %d: nothing has been written", own.Slots+1)))
	}
	for page, at := range own.last {
		at += float64(own.Slots)
		if !own.Of.Plan && !(at == s.last[page] || math.IsNaN(at) && math.IsNaN(s.last[page])) {
			noState(a, fmt.Errorf("its page %q has another last access than its %d slots", own.ids.At(page), own.Slots))
		}
		s.last[page] = at
	}
}

// accessesOf returns when the pages of a state were last accessed, in slots of this plan, which
// goes on where the one of the state has come to, or, with clocks, at start, if that is later.
func (s *schedule) accessesOf(a *ui.Arguments, saved *scheduleState, start time.Time) []float64 {
	name, rates := a.CLI.String("state"), s.rates
	end := saved.end() // in the unit that the plan was made in
	if own, err := unit.Parse(saved.Unit); err == nil && rates.Unit != unit.Unknown {
		saved.Rate = unit.Rate(saved.Rate, own, rates.Unit)
	} else if saved.Unit != rates.Unit.String() {
		a.Fault("unit", "%s and %s do not both say the unit of their rates: use the same unit as before", name, a.CLI.String("input"))
	}
	later := 0.0 // by so many of its slots the plan begins
	if !end.IsZero() && !start.IsZero() {
		const rounding = time.Millisecond // which times in files have
		switch {
		case start.Before(end.Add(-rounding)):
			a.Fault("start", "%s is before the end of the plan saved in %s: use %s or a later time, or --last-fetch instead of --state",
				start.Format(time.RFC3339), name, end.Format(time.RFC3339Nano))
		case start.After(end):
			later = start.Sub(end).Seconds() / rates.Unit.Seconds() * saved.Rate
		}
	}
	if s.delays != nil {
		s.delays.takeUp(saved.Hosts, later, s.rate/saved.Rate)
	}
	index := pagefile.NewIndex(&saved.ids)
	accessed := make([]float64, len(rates.Rates))
	for page := range accessed {
		accessed[page] = math.NaN()
		if old, found := index.Find(rates.IDs.Bytes(page)); found {
			accessed[page] = (saved.last[old] - later) * s.rate / saved.Rate
		}
	}
	return accessed
}

// resumed is a schedule in a file that can go on, with its state in another.
type resumed struct {
	schedule *schedule
	file     *slotfile.File
	writer   *pagefile.ScheduleWriter
	saveTo   string
	state    scheduleState
}

// resume writes the slots up to length behind those of its own state, or until it is
// interrupted: whole rows in either case.
func (s *schedule) resume(a *ui.Arguments, own *scheduleState, length int64) error {
	out := a.CLI.String("out")
	r := &resumed{schedule: s, saveTo: a.CLI.String("state"), state: scheduleState{
		Of: s.key, Out: outPath(a), Rate: s.rate, Unit: s.rates.Unit.String(),
	}}
	var err error
	if own == nil {
		if r.file, err = slotfile.Create(out); err != nil {
			return lists.OutFault("out", out, err)
		}
	} else if r.file, err = slotfile.Resume(out, own.Bytes); err != nil {
		return ui.UsageErrorf("--out: the schedule saved in %s cannot go on (%v): use its own file, or another --state", r.saveTo, err)
	}
	format, _ := pagefile.ByName(out)
	r.writer = pagefile.NewScheduleWriter(r.file, cmp.Or(format, pagefile.CSV), &s.rates.IDs, s.timetable)
	err = r.write(a.CLI.Context, length)
	if closing := r.file.Close(); err == nil {
		err = closing
	}
	switch ahead := r.file.Ahead(); {
	case errors.Is(err, slotfile.ErrOtherContent):
		return ui.UsageErrorf("--out: %v", err)
	case err != nil && !ui.IsUsage(err):
		return lists.OutFault("out", out, err)
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
		for _, page := range pages {
			slot++
			if err := r.writer.Write(slot, page); err != nil {
				return err
			}
			if page >= 0 {
				r.schedule.last[page] = float64(slot)
			}
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
func (r *resumed) save() error {
	s := r.schedule
	plan, _ := s.sequence.(*sequence.Plan) // or nil
	r.state.Slots, r.state.Bytes = s.sequence.Slot(), r.file.Size()
	if s.delays != nil {
		r.state.Hosts = s.delays.states(plan)
	}
	if s.key.Method == methodDeadline {
		r.state.Pages = len(s.rates.Rates)
	}
	return lists.OutFault("state", r.saveTo, wholefile.Write(r.saveTo, 0o600, func(file *wholefile.File) error {
		packed, err := gzip.NewWriterLevel(file, gzip.BestSpeed)
		if err != nil {
			return err
		}
		values := json.NewEncoder(packed)
		values.SetEscapeHTML(false)
		for _, value := range []any{stateVersion{scheduleStateVersion}, r.state} {
			if err := values.Encode(value); err != nil {
				return err
			}
		}
		for page := range r.state.Pages {
			state := pageState{ID: s.rates.IDs.At(page)}
			if at := max(s.last[page]-float64(r.state.Slots), -math.MaxFloat64); !math.IsNaN(at) { // JSON has no infinity
				state.Slot = &at
			}
			if plan != nil {
				state.Due = plan.Visit(page).Due
			}
			if err := values.Encode(state); err != nil {
				return err
			}
		}
		if err := packed.Close(); err != nil {
			return err
		}
		return file.Sync()
	}))
}
