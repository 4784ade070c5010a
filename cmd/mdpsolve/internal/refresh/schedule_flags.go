package main

import (
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// greatestCycle is the greatest Fibonacci number up to greatestWhole.
const greatestCycle = 8944394323791464

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
		key.Cycle = a.wholeWithin("cycle", 1, greatestCycle)
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
		const firstYear, lastYear = 1970, 9000
		start, err := time.Parse(time.RFC3339, a.context.String("start"))
		if err != nil || start.UTC().Year() < firstYear || start.UTC().Year() > lastYear {
			a.fault("start", "%q found; a time such as 2026-01-31T15:00:00Z, of the years %d to %d, is allowed", a.context.String("start"), firstYear, lastYear)
		}
		key.Clock.Start = start.UTC()
	}
	return key
}

// slotLayout reads where slots are to go and how they are to look.
func (a *arguments) slotLayout(format string) (file bool, layout string) {
	name := a.context.String("out")
	if !a.context.IsSet("out") || name == "-" {
		if format == formatText {
			format = formatCSV
		}
		return false, format
	}
	a.canWrite("out", name)
	a.notTheFileOf("out", "input", "state")
	kind, compression := pagefile.ByName(name)
	if a.context.IsSet("state") {
		a.canGoOn("out", name)
		if kind == pagefile.Parquet || compression != pagefile.Uncompressed {
			a.fault("out", "%q found with --state; plain CSV or JSON lines (.csv, .jsonl) is allowed, as a file in which a killed schedule goes on behind its last row", name)
		}
	}
	if kind == pagefile.JSONLines {
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
	a.notTheFileOf("frontier", "input")
	return name
}

// savedSchedule reads the state to go on from, nil if there is none.
func (a *arguments) savedSchedule() *scheduleState {
	if a.err != nil || !a.context.IsSet("state") {
		return nil
	}
	name := a.context.String("state")
	a.canWrite("state", name)
	a.canGoOn("state", name)
	a.notTheFileOf("state", "input")
	if a.err != nil {
		return nil
	}
	saved, err := readScheduleState(name)
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
	if err == nil && len(rates.Rates) == 0 {
		a.noneUsable("input", "page", report)
	}
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
