package refresh

// The flags of refresh schedule.

import (
	"math"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// greatestCycle is the greatest Fibonacci number up to GreatestWhole.
const greatestCycle = 8944394323791464

// scheduleWay is how to make a schedule from rates; the zero values of cycle and start stand for
// defaults.
type scheduleWay struct {
	method string
	seed   uint64
	cycle  int64
	start  time.Time // of slot 0
}

// readScheduleWay reads the flags that say how to make a schedule.
func readScheduleWay(a *ui.Arguments) scheduleWay {
	way := scheduleWay{method: a.Choice("method")}
	a.OnlyWith("seed", "method "+methodRandom, way.method == methodRandom)
	a.OnlyWith("cycle", "method "+methodGolden, way.method == methodGolden)
	a.OnlyWith("now", "wall-clock or --last-fetch", a.CLI.Bool("wall-clock") || a.CLI.IsSet("last-fetch"))
	if way.method == methodRandom {
		way.seed = uint64(a.WholeWithin("seed", 0, ui.GreatestWhole))
	}
	if a.CLI.IsSet("cycle") {
		way.cycle = a.WholeWithin("cycle", 1, greatestCycle)
		if sequence.FibonacciAtLeast(way.cycle) != way.cycle {
			a.Fault("cycle", "%d is not valid: use a Fibonacci number, such as %d", way.cycle, sequence.FibonacciAtLeast(way.cycle))
		}
	}
	if a.CLI.IsSet("now") && !a.CLI.IsSet("last-fetch") {
		way.start = lists.Time(a, "now", lastYear)
	}
	return way
}

// readLength reads --length; 0 stands for a duration, see lengthOf.
func readLength(a *ui.Arguments) int64 {
	if _, own, err := unit.ParseDuration(a.CLI.String("length")); err == nil && own != unit.Unknown {
		return 0
	}
	return a.WholeWithin("length", 1, ui.GreatestWhole)
}

// lengthOf returns the slots in the duration of --length, at some slots per unit of time.
func lengthOf(a *ui.Arguments, rate float64, u unit.Unit) int64 {
	slots := math.Round(lists.Duration(a, "length").In(u) * rate)
	if !(slots >= 1 && slots <= ui.GreatestWhole) {
		a.Fault("length", "%s has %s slots: use a time with 1 to %d", a.CLI.String("length"), ui.PlainText(slots), int64(ui.GreatestWhole))
	}
	return int64(slots)
}

// lastYear is the last in which slots may begin: years in files have four digits.
const lastYear = 9000

// readRateList reads the rates of --input.
func readRateList(a *ui.Arguments) *pagefile.Rates {
	options := lists.InputOptions(a)
	options.Hosts = hasDelays(a)
	rates, _ := lists.Read(a, "input", "page", options, pagefile.ReadRates)
	if a.CLI.Bool("wall-clock") {
		lists.NeedUnit(a, rates.Unit, "wall-clock")
	}
	if !slices.ContainsFunc(rates.Rates, ui.IsPositive) {
		a.Fault("input", "%s has no page with a rate above 0: give at least one", lists.FileName(a, "input"))
	}
	return rates
}
