package main

import (
	"errors"
	"fmt"
	"hash/crc64"
	"math"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// The values of --method.
const (
	methodDeadline   = "edf"
	methodGolden     = "golden-ratio"
	methodBalanced   = "balanced"
	methodRandom     = "random"
	methodRoundRobin = "round-robin"
)

var scheduleMethods = []string{methodDeadline, methodGolden, methodBalanced, methodRandom, methodRoundRobin}

func refreshScheduleCommand() *cli.Command {
	return &cli.Command{
		Name:      "schedule",
		Usage:     "a sequence of accesses that realises given rates",
		UsageText: "mdpsolve refresh schedule --input RATES --length T [--method M] [--state FILE] [options]",
		Description: `RATES has the columns id (or url) and rate, such as mdpsolve refresh rates
writes. Slots 1 … T are written as they are made: to standard output, as CSV
(slot,id), with --output json as a JSON object for each, or to --out.

Methods: edf, every page within one access of its share at any time (earliest
deadline first); golden-ratio, a cycle with three gaps for each page; balanced,
regular splittings of regular splittings; random, independent draws; round-robin,
all pages in turn. --wall-clock adds a column next_fetch: slot t is due t/Σrate
units of time after --start.

--state makes a schedule that can be interrupted. Every second, at the end and when
interrupted, the file is replaced by one that says how far the slots have come; the
same command then goes on behind them, and one with a greater --length adds more.
With --out no slot is lost or repeated, even if the program is killed: it goes on
behind the last whole row of the file. What standard output has got cannot be looked
at: there, a program that is killed (not just interrupted) repeats the slots since
its last state, with the same numbers.

Examples:
  mdpsolve refresh schedule --input rates.csv --length 20
  mdpsolve refresh schedule --input rates.csv --length 13 --method golden-ratio --cycle 13
  mdpsolve refresh schedule --input rates.csv --length 100000 --out slots.csv --state slots.state
  mdpsolve refresh schedule --input rates.csv --length 5 --wall-clock --start 2026-01-01T00:00:00Z`,
		Flags: []cli.Flag{
			inputFlag("rates"),
			valueFlag("length", "stop behind slot `T`", ""),
			valueFlag("method", "order by `M`: "+enumerate(scheduleMethods), methodDeadline),
			valueFlag("cycle", "golden-ratio: cycle of `F` slots, a Fibonacci number (default: 32 or more a page)", ""),
			valueFlag("seed", "random: draw with random numbers of `SEED`", "1"),
			switchFlag("wall-clock", "add the time of each slot"),
			valueFlag("start", "`TIME` of slot 0, as in 2026-01-31T15:00:00Z (default: now)", ""),
			valueFlag("unit", "`SECONDS` in the unit of time of the rates", "1"),
			valueFlag("out", "write the slots to `FILE`, which ends in .csv or .jsonl", ""),
			valueFlag("frontier", "write to `FILE`, for URLFrontier, when each page is due first, and no slots", ""),
			valueFlag("state", "save to `FILE` where the schedule has come to, and go on from there", ""),
			strictFlag(), workersFlag(), outputFlag(),
		},
		Action: runRefreshSchedule,
	}
}

func runRefreshSchedule(c *cli.Context) error {
	a := &arguments{context: c}
	format := a.format()
	length := a.wholeWithin("length", 1, greatestWhole)
	key := a.scheduleKey(format)
	frontier := a.frontierName()
	saved := a.savedSchedule()
	rates := a.rateList()
	s := a.schedule(rates, key, saved)
	if a.err != nil {
		return a.err
	}
	if frontier != "" {
		return s.writeFrontier(c, length, frontier, a.readOptions().Workers)
	}
	if err := s.open(c, saved); err != nil {
		return err
	}
	if slots := s.sequence.Slot(); length < slots {
		return usageErrorf("--length: %d found; the %d slots that have been written, or more, is allowed", length, slots)
	}
	first, begin := s.sequence.Slot()+1, time.Now()
	err := s.write(c.Context, length)
	if s.file != nil {
		if fault := s.file.Close(); err == nil {
			err = fault
		}
	}
	if err != nil && !errors.Is(err, c.Err()) {
		return err
	}
	if s.file != nil {
		if err := s.summarize(c, format, first, time.Since(begin)); err != nil {
			return err
		}
	}
	if slots := s.sequence.Slot(); slots < length {
		return &earlyEndError{exitInterrupted, fmt.Sprintf("interrupted behind slot %d of %d", slots, length)}
	}
	return nil
}

// open gets the place ready where slots go, and takes the sequence behind those
// that are there.
func (s *schedule) open(c *cli.Context, saved *scheduleState) error {
	s.headed = saved != nil && saved.Slots > 0
	if !s.state.Of.File {
		s.writer = newSlotWriter(c.App.Writer, s.state.Of.Format, s.ids, s.timetable)
		return nil
	}
	file, last, headed, err := openSlots(c.String("out"), saved)
	if err != nil {
		return err
	}
	s.file, s.headed = file, headed
	s.writer = newSlotWriter(file, s.state.Of.Format, s.ids, s.timetable)
	for s.sequence.Slot() < last && c.Err() == nil {
		s.sequence.Next()
	}
	if s.sequence.Slot() < last {
		return &earlyEndError{exitInterrupted, "interrupted before the first new slot"}
	}
	return nil
}

// scheduleKey reads the flags that say what a schedule is; of its cycle and its
// start 0 stands for the default.
func (a *arguments) scheduleKey(format string) scheduleKey {
	key := scheduleKey{Method: a.choice("method", scheduleMethods...)}
	key.File, key.Format = a.slotLayout(format)
	a.onlyWith("seed", "method "+methodRandom, key.Method == methodRandom)
	a.onlyWith("cycle", "method "+methodGolden, key.Method == methodGolden)
	a.onlyWith("start", "wall-clock", a.context.Bool("wall-clock"))
	a.onlyWith("unit", "wall-clock", a.context.Bool("wall-clock"))
	if key.Method == methodRandom {
		key.Seed = uint64(a.wholeWithin("seed", 0, greatestWhole))
	}
	if a.context.IsSet("cycle") {
		key.Cycle = a.wholeWithin("cycle", 1, greatestWhole)
		if a.err == nil && refresh.FibonacciAtLeast(key.Cycle) != key.Cycle {
			a.fault("cycle", "%d found; a Fibonacci number, such as %d, is allowed", key.Cycle, refresh.FibonacciAtLeast(key.Cycle))
		}
	}
	if !a.context.Bool("wall-clock") {
		return key
	}
	const leastUnit, greatestUnit = 1e-9, 1e9
	key.Clock = &scheduleClock{Unit: a.parse("unit", a.text("unit", "a number of seconds"), "a number of seconds from 1e-9 to 1e9",
		func(x float64) bool { return x >= leastUnit && x <= greatestUnit })}
	if a.context.IsSet("start") {
		start, err := time.Parse(time.RFC3339, a.context.String("start"))
		if err != nil {
			a.fault("start", "%q found; a time such as 2026-01-31T15:00:00Z is allowed", a.context.String("start"))
		}
		key.Clock.Start = start.UTC()
	}
	return key
}

// slotLayout reads where slots are to go and how they are to look.
func (a *arguments) slotLayout(format string) (file bool, layout string) {
	if !a.context.IsSet("out") {
		if format == formatText {
			format = formatCSV
		}
		return false, format
	}
	name := a.context.String("out")
	kind, compression := pagefile.ByName(name)
	switch {
	case compression != pagefile.Uncompressed || kind == pagefile.Parquet:
		a.fault("out", "%q found; a plain file, which ends in .csv or .jsonl, is allowed for slots", name)
	case kind == pagefile.JSONLines && a.context.IsSet("state"):
		a.fault("out", "%q found; a file that ends in .csv is allowed with --state", name)
	case kind == pagefile.JSONLines:
		return true, formatJSON
	}
	return true, formatCSV
}

// frontierName returns the file of --frontier, or "".
func (a *arguments) frontierName() string {
	a.onlyWith("frontier", "wall-clock", a.context.Bool("wall-clock"))
	if !a.context.IsSet("frontier") {
		return ""
	}
	for _, name := range []string{"out", "state"} {
		if a.context.IsSet(name) {
			a.fault(name, "found with --frontier; one of the two is allowed")
		}
	}
	name := a.context.String("frontier")
	if kind, _ := pagefile.ByName(name); kind != pagefile.JSONLines {
		a.fault("frontier", "%q found; a file that ends in .jsonl, .jsonl.gz or .jsonl.zst is allowed", name)
	}
	a.canWrite("frontier", name)
	return name
}

// savedSchedule reads the state to go on from, nil if there is none.
func (a *arguments) savedSchedule() *scheduleState {
	if a.err != nil || !a.context.IsSet("state") {
		return nil
	}
	a.canWrite("state", a.context.String("state"))
	saved, err := readScheduleState(a.context.String("state"))
	if err != nil && a.err == nil {
		a.err = err
	}
	return saved
}

// rateList reads the rates of --input.
func (a *arguments) rateList() *pagefile.Rates {
	source := a.source("input")
	if a.err != nil {
		return nil
	}
	rates, report, err := pagefile.ReadRates(a.context.Context, source, a.readOptions())
	if a.inputRead("input", report, err); a.err != nil {
		return nil
	}
	for _, rate := range rates.Rates {
		if rate > 0 {
			return rates
		}
	}
	a.fault("input", "%s has no page with a rate above 0; one or more are needed", a.context.String("input"))
	return nil
}

// schedule makes the sequence, behind what a saved state counts.
func (a *arguments) schedule(rates *pagefile.Rates, key scheduleKey, saved *scheduleState) *schedule {
	if a.err != nil {
		return nil
	}
	key.fill(rates, saved)
	s := &schedule{ids: &rates.IDs, saveTo: a.context.String("state")}
	s.state = scheduleState{Version: scheduleStateVersion, Of: key}
	var err error
	if s.sequence, err = newSequence(rates.Rates, key); err != nil {
		a.fault("input", "%v", err)
		return nil
	}
	if clock := key.Clock; clock != nil {
		unit := time.Duration(math.Round(clock.Unit * float64(time.Second)))
		timetable, err := refresh.NewTimetable(clock.Start, unit, clock.Bandwidth)
		if err != nil {
			a.fault("unit", "%v", err)
			return nil
		}
		s.timetable = &timetable
	}
	if saved == nil {
		return s
	}
	if flag := key.differs(&saved.Of); flag != "" {
		a.fault(flag, "found not to be as in the schedule saved in %s; the same is allowed, or another --state", s.saveTo)
	} else if err := s.sequence.UnmarshalBinary(saved.Sequence); err != nil {
		a.fault("state", "%s does not fit --input (%v)", s.saveTo, err)
	} else if slots := s.sequence.Slot(); slots != saved.Slots {
		a.fault("state", "%s contradicts itself: %d slots, and %d", s.saveTo, saved.Slots, slots)
	}
	return s
}

// fill puts defaults in: those of the saved schedule, or else of the rates.
func (k *scheduleKey) fill(rates *pagefile.Rates, saved *scheduleState) {
	sum, least := 0.0, math.Inf(1)
	table := crc64.MakeTable(crc64.ECMA)
	for i, rate := range rates.Rates {
		if sum += rate; rate > 0 {
			least = min(least, rate)
		}
		k.IDs = crc64.Update(k.IDs, table, rates.IDs.Bytes(i))
		k.IDs = crc64.Update(k.IDs, table, []byte{'\n'})
	}
	if k.Method == methodGolden && k.Cycle == 0 {
		const accesses = 32 // of the page with the least rate
		k.Cycle = refresh.FibonacciAtLeast(int64(math.Ceil(min(accesses*sum/least, greatestWhole))))
	}
	if k.Clock == nil {
		return
	}
	k.Clock.Bandwidth = sum
	if k.Clock.Start.IsZero() {
		k.Clock.Start = time.Now().UTC().Truncate(time.Second)
		if saved != nil && saved.Of.Clock != nil {
			k.Clock.Start = saved.Of.Clock.Start
		}
	}
}

func newSequence(rates []float64, key scheduleKey) (refresh.Sequence, error) {
	switch key.Method {
	case methodGolden:
		return refresh.NewGoldenRatio(rates, key.Cycle)
	case methodBalanced:
		return refresh.NewBalancedWord(rates)
	case methodRandom:
		return refresh.NewRandomized(rates, key.Seed)
	case methodRoundRobin:
		return refresh.NewRoundRobin(rates)
	}
	return refresh.NewEarliestDeadlineFirst(rates)
}

// summarize says what has been written to a file.
func (s *schedule) summarize(c *cli.Context, format string, first int64, elapsed time.Duration) error {
	last := s.sequence.Slot()
	answer := record{
		{"slots", int(last)},
		{"first_new", int(first)},
		{"method", s.state.Of.Method},
		{"seconds", elapsed.Seconds()},
	}
	return document{
		json: answer,
		rows: []record{answer.without("seconds")},
		text: func(out *screen) {
			out.printf("slots %d to %d written to %s, by %s, in %s s\n", first, last, s.file.Name(), s.state.Of.Method, shortText(elapsed.Seconds(), 3))
		},
	}.write(c, format)
}

// writeFrontier writes when each page is due first in the slots up to length.
func (s *schedule) writeFrontier(c *cli.Context, length int64, name string, workers int) error {
	next := pagefile.NextFetch(*s.timetable, refresh.NextSlots(s.sequence, s.ids.Len(), length))
	leftOut, err := pagefile.WriteFrontier(c.Context, pagefile.Target{Name: name}, s.ids, workers, next)
	if err != nil {
		return err
	}
	answer := record{
		{"slots", int(length)},
		{"pages", s.ids.Len()},
		{"due", s.ids.Len() - int(leftOut)},
		{"method", s.state.Of.Method},
	}
	return document{json: answer, rows: []record{answer}, text: func(out *screen) {
		out.printf("%s of %d due in the slots up to %d, written to %s\n", count(s.ids.Len()-int(leftOut), "page"), s.ids.Len(), length, name)
	}}.write(c, c.String("output"))
}
