package refresh

// The flags of refresh schedule.

import (
	"os"
	"slices"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
)

// greatestCycle is the greatest Fibonacci number up to GreatestWhole.
const greatestCycle = 8944394323791464

// readScheduleKey reads the flags that say what a schedule is; of its cycle and its
// start 0 stands for the default.
func readScheduleKey(a *ui.Arguments) scheduleKey {
	key := scheduleKey{Method: a.Choice("method")}
	a.OnlyWith("seed", "method "+methodRandom, key.Method == methodRandom)
	a.OnlyWith("cycle", "method "+methodGolden, key.Method == methodGolden)
	a.OnlyWith("start", "wall-clock", a.CLI.Bool("wall-clock"))
	if key.Method == methodRandom {
		key.Seed = uint64(a.WholeWithin("seed", 0, ui.GreatestWhole))
	}
	if a.CLI.IsSet("cycle") {
		key.Cycle = a.WholeWithin("cycle", 1, greatestCycle)
		if sequence.FibonacciAtLeast(key.Cycle) != key.Cycle {
			a.Fault("cycle", "%d is not valid: use a Fibonacci number, such as %d", key.Cycle, sequence.FibonacciAtLeast(key.Cycle))
		}
	}
	if a.CLI.IsSet("start") {
		key.Clock.Start = lists.Time(a, "start", lastYear)
	}
	return key
}

// lastYear is that in which slots may begin: years have four digits in files.
const lastYear = 9000

// checkOut refuses a file of --out in which a schedule with --state cannot go on.
func checkOut(a *ui.Arguments, name string) {
	if name == "" || !a.CLI.IsSet("state") {
		return
	}
	lists.NotTheFileOf(a, "out", "state")
	checkRegularFile(a, "out", name)
	if kind, packed := pagefile.ByName(name); kind == pagefile.Parquet || packed {
		a.Fault("out", "%q is not valid with --state: use plain CSV or JSON lines (.csv, .jsonl), in which a killed schedule can go on behind its last row", name)
	}
}

// checkRegularFile refuses what is no regular file, for a file that is read again.
func checkRegularFile(a *ui.Arguments, flag, name string) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		a.Fault(flag, "%q is not a regular file: use one, as a schedule with --state goes on from it", name)
	}
}

// readRateList reads the rates of --input.
func readRateList(a *ui.Arguments) *pagefile.Rates {
	options := lists.InputOptions(a)
	options.Hosts = hasDelays(a)
	rates, _ := lists.Read(a, "input", "page", options, pagefile.ReadRates)
	if a.CLI.Bool("wall-clock") {
		lists.NeedUnit(a, rates.Unit, "wall-clock")
	}
	if !slices.ContainsFunc(rates.Rates, ui.IsPositive) {
		a.Fault("input", "%s has no page with a rate above 0: give one or more", a.CLI.String("input"))
	}
	return rates
}
