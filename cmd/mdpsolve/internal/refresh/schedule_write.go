package refresh

// This file makes sequences and writes their slots.

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
)

// schedule is a sequence on its way to a file.
type schedule struct {
	key       scheduleKey
	sequence  sequence.Sequence
	rates     *pagefile.Rates
	rate      float64             // their sum: slots per unit of time
	length    int64               // the last slot
	delays    *delays             // nil without
	timetable *sequence.Timetable // nil without a clock
	last      []float64           // slot of the last access to each page; NaN: never
	outlook   *sequence.Outlook   // nil unless the plan goes on
	fetched   byte                // see fetchNames
}

// newSchedule makes the sequence: behind what its own state counts, or where a plan has come to
// before, in another file; both may be nil.
func newSchedule(a *ui.Arguments, rates *pagefile.Rates, key scheduleKey, own, before *scheduleState, length int64) *schedule {
	s := &schedule{rates: rates, length: length}
	for _, rate := range rates.Rates {
		s.rate += rate
	}
	if a.CLI.Bool("wall-clock") {
		key.Clock.Unit = rates.Unit.Seconds()
	}
	if before != nil {
		before.checkPast(a, key)
	}
	if before != nil || hasDelays(a) || a.CLI.IsSet("last-fetch") || own != nil && own.Of.Plan {
		key.Plan = true
		s.plan(a, &key, own, before)
	}
	s.fill(&key, own)
	if a.CLI.IsSet("state") {
		key.Input = checksum(len(rates.Rates), func(i int) ([]byte, float64, float64) { return rates.IDs.Bytes(i), rates.Rates[i], 0 })
	}
	if s.key = key; own != nil {
		own.compare(a, key)
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
	if s.last == nil {
		s.last = slices.Repeat([]float64{math.NaN()}, len(rates.Rates))
	}
	if own != nil {
		s.restore(a, own)
	}
	return s
}

// fill puts in defaults: those of the schedule that goes on, or else of the rates.
func (s *schedule) fill(key *scheduleKey, own *scheduleState) {
	if key.Method == methodGolden && key.Cycle == 0 {
		least := math.Inf(1)
		for _, rate := range s.rates.Rates {
			if rate > 0 {
				least = min(least, rate)
			}
		}
		const accesses = 32 // of the page with the least rate
		key.Cycle = sequence.FibonacciAtLeast(int64(math.Ceil(min(accesses*s.rate/least, greatestCycle))))
	}
	if key.Clock.Unit > 0 && key.Clock.Start.IsZero() {
		key.Clock.Start = time.Now().UTC().Truncate(time.Second)
		if own != nil && own.Of.Clock.Unit > 0 {
			key.Clock.Start = own.Of.Clock.Start
		}
	}
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
		slotsATime = 1 << 12 // before it checks the context again
		foreseen   = 1 << 16
	)
	progress := ui.ProgressOf(ctx)
	progress.Phase("scheduling")
	return func(yield func(int64, []int) bool) {
		var pages []int
		for s.sequence.Slot() < length && ctx.Err() == nil {
			slot := s.sequence.Slot()
			progress.Count(slot, length, "slots")
			isFirst, most := slot == 0 && s.delays != nil, int64(slotsATime)
			if isFirst {
				most = foreseen
			}
			pages = sequence.AppendSlots(pages[:0], s.sequence, int(min(length-slot, most)))
			s.fetchNames(pages)
			if isFirst {
				s.delays.foretell(len(pages))
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
			s.delays.empty++
		} else if id := s.rates.IDs.Bytes(page); len(id) > 0 {
			s.fetched ^= id[0] ^ id[len(id)-1]
		}
	}
}

// writeMarkdown writes the slots up to length as a table, or until it is interrupted: whole rows in
// either case.
func (s *schedule) writeMarkdown(ctx context.Context, w io.Writer, length int64) error {
	out := bufio.NewWriterSize(w, 1<<16)
	header := "| slot | id |\n| --- | --- |\n"
	if s.timetable != nil {
		header = "| slot | id | next_fetch |\n| --- | --- | --- |\n"
	}
	fmt.Fprint(out, header) // the last error of out comes with Flush
	escapes := strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ")
	slot := int64(0)
	for page := range s.pages(ctx, length) {
		slot++
		id, time := "", ""
		if page >= 0 {
			id = escapes.Replace(s.rates.IDs.At(page))
		}
		if s.timetable != nil {
			time = " | " + s.timetable.Time(slot).UTC().Format(pagefile.TimeLayout)
		}
		if _, err := fmt.Fprintf(out, "| %d | %s%s |\n", slot, id, time); err != nil {
			return err
		}
	}
	return out.Flush()
}
