package refresh

// This file lets a plan go on, in another file, with other pages and rates.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// A visiting sequence says of each page when it is to be accessed next.
type visiting interface{ Visit(page int) sequence.Visit }

// appendPages returns what a state has to say of pages so that another plan can go on
// from it. Each has
//
//	bytes in its id (a varint), the id, rate, due, ready (two numbers), first
//
// where the rate is one of slots, and ready as in levelReady; all of that packed by
// Zstandard.
func (s *schedule) appendPages(dst []byte) ([]byte, error) {
	from, ok := s.sequence.(visiting)
	if !ok {
		return nil, nil
	}
	plan, _ := s.sequence.(*sequence.Plan)
	var text []byte
	for page := range s.ids.Len() {
		v, ready := from.Visit(page), readyAtOnce
		if s.delayed != nil {
			for level, group := range s.delayed.levels(page) {
				ready[level] = plan.Ready(group)
			}
		}
		text = binary.AppendUvarint(text, uint64(len(s.ids.Bytes(page))))
		text = append(text, s.ids.Bytes(page)...)
		for _, number := range []float64{v.Rate, v.Due, ready[0], ready[1]} {
			text = binary.LittleEndian.AppendUint64(text, math.Float64bits(number))
		}
		text = append(text, map[bool]byte{true: 1}[v.First])
	}
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, err
	}
	return packer.EncodeAll(text, dst), packer.Close()
}

// savedPages are the pages of a state.
type savedPages struct {
	ids    pagefile.IDs
	visits []sequence.Visit
	ready  []levelReady
}

// pages returns the pages of a state.
func (saved *scheduleState) pages() (*savedPages, error) {
	unpacker, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer unpacker.Close()
	text, err := unpacker.DecodeAll(saved.Pages, nil)
	if err != nil {
		return nil, err
	}
	p := &savedPages{}
	for len(text) > 0 {
		const numbers = 4*8 + 1
		length, head := binary.Uvarint(text)
		if head <= 0 || length > uint64(len(text)) || len(text) < head+int(length)+numbers {
			return nil, errors.New("its pages end too early")
		}
		p.ids.Append(text[head : head+int(length)])
		text = text[head+int(length):]
		number := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(text[8*i:])) }
		v := sequence.Visit{Rate: number(0), Due: number(1), First: text[numbers-1] == 1}
		if !(v.Rate >= 0 && v.Rate <= 1) || math.IsNaN(v.Due) || math.IsNaN(number(2)) || math.IsNaN(number(3)) {
			return nil, fmt.Errorf("page %q has numbers that are not valid", p.ids.At(p.ids.Len()-1))
		}
		p.visits, p.ready = append(p.visits, v), append(p.ready, levelReady{number(2), number(3)})
		text = text[numbers:]
	}
	return p, nil
}

// isPast reports whether a state is that of another file, from which a plan is to go on in
// a file of its own.
func (saved *scheduleState) isPast(a *ui.Arguments) bool {
	return saved != nil && saved.Out != outPath(a)
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

// fromSaved has the plan begin where that of a state has come to, or, with clocks, at
// start, if that is later.
func (p *planning) fromSaved(a *ui.Arguments, saved *scheduleState, rates *pagefile.Rates, sum float64, start time.Time) {
	name := a.CLI.String("state")
	before, err := saved.pages()
	if err != nil {
		a.Fault("state", "%s is damaged (%v): use a state as it was saved", name, err)
	}
	end := saved.end() // in the unit that the plan was made in
	if own, err := unit.Parse(saved.Unit); err == nil && rates.Unit != unit.Unknown {
		saved.Rate = unit.Rate(saved.Rate, own, rates.Unit)
	} else if saved.Unit != rates.Unit.String() {
		a.Fault("unit", "%s and %s do not both say the unit of their rates: use the same unit as before", name, a.CLI.String("input"))
	}
	now := float64(saved.Slots)
	if !end.IsZero() && !start.IsZero() {
		const rounding = time.Millisecond // which times in files have
		switch {
		case start.Before(end.Add(-rounding)):
			a.Fault("start", "%s is before the end of the plan saved in %s: use %s or a later time, or --last-fetch instead of --state",
				start.Format(time.RFC3339), name, end.Format(time.RFC3339Nano))
		case start.After(end):
			now += start.Sub(end).Seconds() / rates.Unit.Seconds() * saved.Rate
		}
	}
	index := pagefile.NewIndex(&before.ids)
	p.ready = make([]levelReady, len(rates.Rates))
	for page := range p.visits {
		p.ready[page] = readyAtOnce
		if old, found := index.Find(rates.IDs.Bytes(page)); found {
			p.visits[page] = before.visits[old].After(now, rates.Rates[page]/sum)
			for level, ready := range before.ready[old] {
				p.ready[page][level] = (ready - now) * sum / saved.Rate
			}
		}
	}
}
