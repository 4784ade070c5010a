package refresh

// This file makes sequences and writes their slots.

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// schedule is a sequence on its way to a file.
type schedule struct {
	key       scheduleKey
	sequence  sequence.Sequence
	ids       *pagefile.IDs
	unit      unit.Unit            // of the rates
	rate      float64              // slots per unit of time
	length    int64                // the last slot
	delayed   *delayed             // what delays cost; nil without delays
	away      map[hostName]float64 // slots of last accesses to hosts that have no pages here
	timetable *sequence.Timetable  // nil without a clock
	fetched   byte                 // see fetchNames
}

// newSchedule makes the sequence, behind what a saved state counts. length is 0 for the
// default of --frontier.
func newSchedule(a *ui.Arguments, rates *pagefile.Rates, key scheduleKey, saved *scheduleState, length int64) *schedule {
	if isTimed(a) {
		key.Clock.Unit = rates.Unit.Seconds()
	}
	past := saved.isPast(a)
	if past {
		saved.checkPast(a, key)
	}
	s := &schedule{ids: &rates.IDs, unit: rates.Unit}
	for _, rate := range rates.Rates {
		s.rate += rate
	}
	if past || hasDelays(a) || a.CLI.IsSet("last-fetch") || saved != nil && saved.Of.Plan {
		key.Plan = true
		if math.IsInf(s.rate, 1) {
			a.Fault("input", "rates that add up to more than %v are not valid in a plan: use smaller ones", math.MaxFloat64)
		}
		var delays *peace
		if hasDelays(a) {
			delays = readPeace(a, rates, s.rate)
			key.Groups, key.Delays = delays.sums()
		}
		p := newPlanning(rates, s.rate, delays)
		if a.CLI.IsSet("last-fetch") {
			key.Clock.Start = p.fromFetches(a, rates, s.rate)
		}
		if past && key.Clock.Start.IsZero() {
			key.Clock.Start = saved.end()
		}
		if past {
			p.fromSaved(a, saved, rates, s.rate, key.Clock.Start)
			saved = nil
		}
		s.sequence, s.delayed = p.plan(a, rates, s.rate)
		s.away = p.away
	}
	key.fill(rates, s.rate, saved)
	s.key = key
	if a.CLI.IsSet("state") {
		s.key.Input = checksum(rates)
	}
	if saved != nil {
		saved.compare(a, s.key)
	}
	if s.length = length; length == 0 {
		const slots = 10 // a page
		s.length = slots * int64(len(rates.Rates))
	}
	if key.Clock.Unit > 0 {
		s.timetable = newTimetable(a, key.Clock, s.rate, s.length)
	}
	if s.sequence == nil {
		var err error
		if s.sequence, err = newSequence(rates.Rates, key); err != nil {
			a.Fault("input", "%v", err)
		}
	}
	if saved != nil {
		saved.restore(a, s.sequence)
		if s.delayed != nil {
			s.away = saved.awayOf(a, s.delayed.peace)
		}
	}
	return s
}

// newTimetable says when slots take place, which must be within the 292 years that
// a duration holds.
func newTimetable(a *ui.Arguments, clock scheduleClock, sum float64, length int64) *sequence.Timetable {
	perSecond := sum / clock.Unit
	if !(float64(length)/perSecond < math.MaxInt64/float64(time.Second)) {
		a.Fault("wall-clock", "slot %d is more than 292 years after --start: use a smaller --length, or greater rates", length)
	}
	timetable, err := sequence.NewTimetable(clock.Start, time.Second, perSecond)
	if err != nil {
		a.Fault("input", "rates that add up to %v are not valid: use a sum of up to %v with --wall-clock", sum, math.MaxFloat64*min(1, clock.Unit))
	}
	return &timetable
}

func newSequence(rates []float64, key scheduleKey) (sequence.Sequence, error) {
	switch key.Method {
	case methodGolden:
		return sequence.NewGoldenRatio(rates, key.Cycle)
	case methodRandom:
		return sequence.NewRandom(rates, key.Seed)
	case methodRoundRobin:
		return sequence.NewRoundRobin(rates)
	}
	return sequence.NewEarliestDeadlineFirst(rates)
}

// batches gives out the pages of the slots up to length, some at a time, and the
// slot before them, until it is interrupted. With delays the first are more: what these leave
// empty is said before anything is written.
func (s *schedule) batches(ctx context.Context, length int64) iter.Seq2[int64, []int] {
	const (
		slotsATime = 1 << 12 // between two looks at the context
		foreseen   = 1 << 16
	)
	progress := ui.ProgressOf(ctx)
	progress.Phase("scheduling")
	return func(yield func(int64, []int) bool) {
		var pages []int
		for s.sequence.Slot() < length && ctx.Err() == nil {
			slot := s.sequence.Slot()
			progress.Count(slot, length, "slots")
			isFirst, most := slot == 0 && s.delayed != nil, int64(slotsATime)
			if isFirst {
				most = foreseen
			}
			pages = sequence.AppendSlots(pages[:0], s.sequence, int(min(length-slot, most)))
			s.fetchNames(pages)
			if isFirst {
				s.delayed.foretell(len(pages))
			}
			if !yield(slot, pages) {
				return
			}
		}
	}
}

// pages gives out the pages of the slots up to length.
func (s *schedule) pages(ctx context.Context, length int64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, pages := range s.batches(ctx, length) {
			for _, page := range pages {
				if !yield(page) {
					return
				}
			}
		}
	}
}

// fetchNames counts empty slots, and brings the names of pages into the cache. They are all over the
// memory, and here, where nothing is done with them, the processor waits for many
// at a time: a third less for the whole command at a million pages.
func (s *schedule) fetchNames(pages []int) {
	for _, page := range pages {
		if page < 0 {
			s.delayed.empty++
		} else if id := s.ids.Bytes(page); len(id) > 0 {
			s.fetched ^= id[0] ^ id[len(id)-1]
		}
	}
}

// writeTo writes a header and the slots up to length, or until it is interrupted:
// whole rows in either case.
func (s *schedule) writeTo(ctx context.Context, w slotWriter, length int64) error {
	if err := w.Header(); err != nil {
		return err
	}
	for slot, pages := range s.batches(ctx, length) {
		if err := writeSlots(w, slot, pages); err != nil {
			return err
		}
	}
	return w.Flush()
}

// slotWriter writes the slots of a schedule, one to a line.
type slotWriter interface {
	Header() error
	Write(slot int64, page int) error
	Flush() error
}

// writeSlots writes the pages of the slots behind one.
func writeSlots(w slotWriter, slot int64, pages []int) error {
	for _, page := range pages {
		slot++
		if err := w.Write(slot, page); err != nil {
			return err
		}
	}
	return nil
}

// newSlotWriter returns a writer in the format of a schedule.
func newSlotWriter(out io.Writer, s *schedule) slotWriter {
	switch s.key.Format {
	case ui.FormatJSON:
		return pagefile.NewScheduleWriter(out, pagefile.JSONLines, s.ids, s.timetable)
	case ui.FormatMarkdown:
		return markdownSlots{bufio.NewWriterSize(out, 1<<16), s.ids, s.timetable}
	}
	return pagefile.NewScheduleWriter(out, pagefile.CSV, s.ids, s.timetable)
}

// markdownSlots is a slotWriter.
type markdownSlots struct {
	out       *bufio.Writer
	ids       *pagefile.IDs
	timetable *sequence.Timetable
}

// Header implements slotWriter.
func (w markdownSlots) Header() error {
	header := "| slot | id |\n| --- | --- |\n"
	if w.timetable != nil {
		header = "| slot | id | next_fetch |\n| --- | --- | --- |\n"
	}
	_, err := w.out.WriteString(header)
	return err
}

// Write implements slotWriter.
func (w markdownSlots) Write(slot int64, page int) error {
	id, time := "", ""
	if page >= 0 {
		id = markdownEscapes.Replace(w.ids.At(page))
	}
	if w.timetable != nil {
		time = " | " + w.timetable.Time(slot).UTC().Format(pagefile.TimeLayout)
	}
	_, err := fmt.Fprintf(w.out, "| %d | %s%s |\n", slot, id, time)
	return err
}

var markdownEscapes = strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ")

// Flush implements slotWriter.
func (w markdownSlots) Flush() error { return w.out.Flush() }
