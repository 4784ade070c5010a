package refresh

import (
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// greatestCycle is the greatest Fibonacci number up to GreatestWhole.
const greatestCycle = 8944394323791464

// readScheduleKey reads the flags that say what a schedule is; of its cycle and its
// start 0 stands for the default.
func readScheduleKey(a *ui.Arguments) scheduleKey {
	key := scheduleKey{Method: a.Choice("method", scheduleMethods...)}
	key.File, key.Format = slotLayout(a)
	a.OnlyWith("seed", "method "+methodRandom, key.Method == methodRandom)
	a.OnlyWith("cycle", "method "+methodGolden, key.Method == methodGolden)
	a.OnlyWith("start", "wall-clock", a.CLI.Bool("wall-clock"))
	a.OnlyWith("unit", "wall-clock", a.CLI.Bool("wall-clock"))
	if key.Method == methodRandom {
		key.Seed = uint64(a.WholeWithin("seed", 0, ui.GreatestWhole))
	}
	if a.CLI.IsSet("cycle") {
		key.Cycle = a.WholeWithin("cycle", 1, greatestCycle)
		if refresh.FibonacciAtLeast(key.Cycle) != key.Cycle {
			a.Fault("cycle", "%d found; a Fibonacci number, such as %d, is allowed", key.Cycle, refresh.FibonacciAtLeast(key.Cycle))
		}
	}
	if !a.CLI.Bool("wall-clock") {
		return key
	}
	const leastUnit, greatestUnit = 1e-9, 1e9
	key.Clock = &scheduleClock{Unit: a.Parse("unit", a.Text("unit", "a number of seconds"), "a number of seconds from 1e-9 to 1e9",
		func(x float64) bool { return x >= leastUnit && x <= greatestUnit })}
	if a.CLI.IsSet("start") {
		const firstYear, lastYear = 1970, 9000
		start, err := time.Parse(time.RFC3339, a.CLI.String("start"))
		if err != nil || start.UTC().Year() < firstYear || start.UTC().Year() > lastYear {
			a.Fault("start", "%q found; a time such as 2026-01-31T15:00:00Z, of the years %d to %d, is allowed", a.CLI.String("start"), firstYear, lastYear)
		}
		key.Clock.Start = start.UTC()
	}
	return key
}

// slotLayout reads where slots are to go and how they are to look.
func slotLayout(a *ui.Arguments) (file bool, layout string) {
	name := a.CLI.String("out")
	if !a.CLI.IsSet("out") || name == "-" {
		if a.Format == ui.FormatText {
			return false, ui.FormatCSV
		}
		return false, a.Format
	}
	a.CanWrite("out", name)
	notTheFileOf(a, "out", "input", "state")
	kind, compression := pagefile.ByName(name)
	if a.CLI.IsSet("state") {
		checkRegularFile(a, "out", name)
		if kind == pagefile.Parquet || compression != pagefile.Uncompressed {
			a.Fault("out", "%q found with --state; plain CSV or JSON lines (.csv, .jsonl) is allowed, as a file in which a killed schedule goes on behind its last row", name)
		}
	}
	if kind == pagefile.JSONLines {
		return true, ui.FormatJSON
	}
	return true, ui.FormatCSV
}

// frontierName returns the file of --frontier, or "".
func frontierName(a *ui.Arguments) string {
	a.OnlyWith("frontier", "wall-clock", a.CLI.Bool("wall-clock"))
	if !a.CLI.IsSet("frontier") {
		return ""
	}
	for _, name := range []string{"out", "state"} {
		if a.CLI.IsSet(name) {
			a.Fault(name, "found with --frontier; one of the two is allowed")
		}
	}
	name := a.CLI.String("frontier")
	if kind, _ := pagefile.ByName(name); kind != pagefile.JSONLines {
		a.Fault("frontier", "%q found; a file that ends in .jsonl, .jsonl.gz or .jsonl.zst is allowed", name)
	}
	a.CanWrite("frontier", name)
	notTheFileOf(a, "frontier", "input")
	return name
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
	saved, err := readScheduleState(name)
	if err != nil {
		a.Fail(err)
	}
	return saved
}

// readRateList reads the rates of --input.
func readRateList(a *ui.Arguments) *pagefile.Rates {
	source := inputSource(a, "input")
	rates, report, err := pagefile.ReadRates(a.CLI.Context, source, readOptions(a))
	if err == nil && len(rates.Rates) == 0 {
		noneUsable(a, "input", "page", report)
	}
	reportInput(a, "input", report, err)
	for _, rate := range rates.Rates {
		if rate > 0 {
			return rates
		}
	}
	a.Fault("input", "%s has no page with a rate above 0; one or more are needed", a.CLI.String("input"))
	return nil
}
