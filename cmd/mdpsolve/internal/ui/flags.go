package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/static"
)

// valueFlag declares a flag with a value. Values are read as text, so that
// numbers may be fractions and all faults are worded alike. A word of the
// usage in backquotes stands for the value in the help.
func valueFlag(name, usage, byDefault string, aliases ...string) *cli.StringFlag {
	return &cli.StringFlag{Name: name, Usage: usage, Value: byDefault, DefaultText: byDefault, Aliases: aliases}
}

func outputFlag() cli.Flag {
	return valueFlag("output", "print `FORMAT`: "+enumerate(formats), formatText, "o")
}

// Flags that several commands have.
func lambdaFlag() cli.Flag {
	return valueFlag("lambda", "rate `L` at which one active robot brings pages", "")
}

func muFlag() cli.Flag { return valueFlag("mu", "rate `M` at which pages are indexed", "") }

func gammaFlag() cli.Flag {
	return valueFlag("gamma", "cost `G` per unit of time with an empty queue; a lost page costs 1", "")
}

func bufferFlag() cli.Flag {
	return valueFlag("buffer", "room for `K` pages, the one being indexed included", "")
}

func confidenceFlag() cli.Flag {
	return valueFlag("confidence", "of the intervals, `P` between 0 and 1", fmt.Sprint(robots.DefaultConfidence))
}

// arguments reads the flags of a command. The first fault is kept in err, and
// what is read after it is of no use.
type arguments struct {
	context *cli.Context
	err     error
}

func (a *arguments) fault(name, format string, args ...any) {
	if a.err == nil {
		a.err = usageErrorf("--"+name+": "+format, args...)
	}
}

// text returns the value of a flag, or notes that it is missing.
func (a *arguments) text(name, allowed string) string {
	text := a.context.String(name)
	if text == "" && !a.context.IsSet(name) {
		a.fault(name, "missing; %s is needed", allowed)
	}
	return text
}

// parse reads a number of which ok says whether it is allowed.
func (a *arguments) parse(name, text, allowed string, ok func(float64) bool) float64 {
	if a.err != nil {
		return math.NaN()
	}
	value, err := number.Parse(text)
	switch {
	case err != nil && strings.Contains(err.Error(), " found; "):
		a.fault(name, "%q found; %s is allowed", text, strings.Replace(allowed, positive, positive+" (1.5, 1e-3 or 17/15)", 1))
	case err != nil:
		a.fault(name, "%v", err)
	case !ok(value):
		a.fault(name, "%s found; %s is allowed", text, allowed)
	}
	return value
}

func isPositive(x float64) bool { return x > 0 }

const positive = "a number above 0"

func (a *arguments) positive(name string) float64 {
	return a.parse(name, a.text(name, positive), positive, isPositive)
}

// positives reads numbers set apart by commas.
func (a *arguments) positives(name string) []float64 {
	var values []float64
	for _, part := range a.list(name, "one or more numbers above 0") {
		values = append(values, a.parse(name, part, positive, isPositive))
	}
	return values
}

func (a *arguments) list(name, allowed string) []string {
	return strings.Split(a.text(name, allowed), ",")
}

// whole reads a whole number of at least least.
func (a *arguments) whole(name string, least int) int {
	return a.parseWhole(name, a.text(name, wholeFrom(least)), least, wholeFrom(least))
}

func (a *arguments) parseWhole(name, text string, least int, allowed string) int {
	value := a.parse(name, text, allowed, func(x float64) bool {
		return x >= float64(least) && x == math.Floor(x) && x <= static.MaxRobots
	})
	if a.err != nil {
		return least
	}
	return int(value)
}

func wholeFrom(least int) string {
	return map[int]string{0: "a whole number of 0 or more", 1: "a whole number of 1 or more", 2: "a whole number of 2 or more"}[least]
}

// choice reads one of several words.
func (a *arguments) choice(name string, allowed ...string) string {
	text := a.text(name, enumerate(allowed))
	if !slices.Contains(allowed, text) {
		a.fault(name, "%q found; %s is allowed", text, enumerate(allowed))
	}
	return text
}

func (a *arguments) format() string { return a.choice("output", formats...) }

// share reads a number above 0 and below 1.
func (a *arguments) share(name string) float64 {
	const allowed = "a number above 0 and below 1"
	return a.parse(name, a.text(name, allowed), allowed, func(x float64) bool { return x > 0 && x < 1 })
}

func (a *arguments) confidence() float64 { return a.share("confidence") }

// seconds reads a time limit; 0 where there is none.
func (a *arguments) seconds(name string) time.Duration {
	const most = 1e9
	if !a.context.IsSet(name) {
		return 0
	}
	value := a.parse(name, a.context.String(name), "a number of seconds above 0 and up to 1e9",
		func(x float64) bool { return x > 0 && x <= most })
	return max(time.Duration(value*float64(time.Second)), 1)
}

// onlyWith refuses a flag without the choice that it belongs to.
func (a *arguments) onlyWith(name, choice string, chosen bool) {
	if a.context.IsSet(name) && !chosen {
		a.fault(name, "%s found; it is allowed with --%s", wording.Short(a.context.String(name)), choice)
	}
}

// switchFlag declares a flag without a value.
func switchFlag(name, usage string) cli.Flag {
	return &cli.BoolFlag{Name: name, Usage: usage, DisableDefaultText: true}
}

// greatestWhole is the greatest whole number up to which float64 has all.
const greatestWhole = 1 << 53

// wholeWithin reads a whole number of a range.
func (a *arguments) wholeWithin(name string, least, greatest int64) int64 {
	allowed := fmt.Sprintf("a whole number from %d to %d", least, greatest)
	value := a.parse(name, a.text(name, allowed), allowed, func(x float64) bool {
		return x >= float64(least) && x <= float64(greatest) && x == math.Floor(x)
	})
	if a.err != nil {
		return least
	}
	return int64(value)
}

// maxSteps is the most values that a sweep takes.
const maxSteps = 1_000_000
