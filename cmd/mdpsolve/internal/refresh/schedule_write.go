package refresh

// Making sequences and writing their slots.

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
)

// schedule is a sequence and how it is written.
type schedule struct {
	way       scheduleWay
	sequence  sequence.Sequence
	rates     *pagefile.Rates
	rate      float64             // their sum: slots per unit of time
	length    int64               // the last slot
	delays    *delays             // nil without
	timetable *sequence.Timetable // nil without a clock
	outlook   *sequence.Outlook   // nil unless the plan continues from the past
	fetched   byte                // see fetchNames
}

// newSchedule makes the sequence.
func newSchedule(a *ui.Arguments, rates *pagefile.Rates, way scheduleWay, length int64) *schedule {
	s := &schedule{rates: rates, way: way, length: length}
	for _, rate := range rates.Rates {
		s.rate += rate
	}
	if length == 0 {
		s.length = lengthOf(a, s.rate, rates.Unit)
	}
	if hasDelays(a) || a.CLI.IsSet("last-fetch") {
		s.plan(a)
	}
	if a.CLI.Bool("wall-clock") {
		s.timetable = s.newTimetable(a)
	}
	if s.sequence == nil {
		var err error
		if s.sequence, err = s.newSequence(); err != nil {
			a.Fault("input", "%v", err)
		}
	}
	return s
}

// newTimetable returns the times of slots, which must be within the 292 years that a duration
// can hold.
func (s *schedule) newTimetable(a *ui.Arguments) *sequence.Timetable {
	start := s.way.start
	if start.IsZero() {
		start = time.Now().UTC().Truncate(time.Second)
	}
	perSecond := s.rate / s.rates.Unit.Seconds()
	if !(float64(s.length)/perSecond < math.MaxInt64/float64(time.Second)) {
		a.Fault("wall-clock", "slot %d is more than 292 years after slot 0: use a smaller --length or greater rates", s.length)
	}
	timetable, err := sequence.NewTimetable(start, time.Second, perSecond)
	if err != nil {
		a.Fault("input", "rates with the sum %v are not valid: use a sum of up to %v with --wall-clock", s.rate, math.MaxFloat64*min(1, s.rates.Unit.Seconds()))
	}
	return &timetable
}

func (s *schedule) newSequence() (sequence.Sequence, error) {
	rates := s.rates.Rates
	switch s.way.method {
	case methodGolden:
		return sequence.NewGoldenRatio(rates, s.way.cycle)
	case methodRandom:
		return sequence.NewRandom(rates, s.way.seed)
	case methodRoundRobin:
		return sequence.NewRoundRobin(rates)
	}
	return sequence.NewEarliestDeadlineFirst(rates)
}

// pages yields the pages of all slots, until it is interrupted. It makes some at a time, and
// with delays more at first, to warn of empty slots before anything is written.
func (s *schedule) pages(ctx context.Context) iter.Seq[int] {
	const (
		slotsATime = 1 << 12 // before it checks the context again
		foreseen   = 1 << 16
	)
	progress := ui.ProgressOf(ctx)
	progress.Phase("scheduling")
	return func(yield func(int) bool) {
		var pages []int
		for s.sequence.Slot() < s.length && ctx.Err() == nil {
			slot := s.sequence.Slot()
			progress.Count(slot, s.length, "slots")
			isFirst, most := slot == 0 && s.delays != nil, int64(slotsATime)
			if isFirst {
				most = foreseen
			}
			pages = sequence.AppendSlots(pages[:0], s.sequence, int(min(s.length-slot, most)))
			s.fetchNames(pages)
			if isFirst {
				s.delays.foretell(len(pages))
			}
			for _, page := range pages {
				if !yield(page) {
					return
				}
			}
		}
	}
}

// fetchNames counts empty slots, and loads the names of pages into the cache. The names are
// scattered in memory, and here the processor waits for many at a time: the whole command takes
// a third less time at a million pages.
func (s *schedule) fetchNames(pages []int) {
	for _, page := range pages {
		if page < 0 {
			s.delays.empty++
		} else if id := s.rates.IDs.Bytes(page); len(id) > 0 {
			s.fetched ^= id[0] ^ id[len(id)-1]
		}
	}
}

// writeMarkdown writes the slots as a table of whole rows, until it is interrupted.
func (s *schedule) writeMarkdown(ctx context.Context, w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	header := "| slot | id |\n| --- | --- |\n"
	if s.timetable != nil {
		header = "| slot | id | next_fetch |\n| --- | --- | --- |\n"
	}
	fmt.Fprint(out, header) // the last error of out comes with Flush
	escapes := strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ")
	slot := int64(0)
	for page := range s.pages(ctx) {
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
