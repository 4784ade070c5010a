package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// arguments are the flags of a kind of model. After the first fault, which is kept, values
// have no meaning.
type arguments struct {
	flags                      *flag.FlagSet
	values                     map[string]string
	minimize, maximize, report bool
	fault                      error
}

// common are the flags of every model, besides --progress.
var common = []string{"criterion", "discount", "tolerance", "max-iterations", "time-limit", "out"}

// parse reads the words after a model that also has these flags.
func parse(words []string, own ...string) *arguments {
	a := &arguments{flags: flag.NewFlagSet("", flag.ContinueOnError), values: map[string]string{}}
	a.flags.SetOutput(io.Discard) // the error says everything
	for _, name := range slices.Concat(own, common) {
		a.flags.Func(name, "", func(value string) error {
			if _, given := a.values[name]; given {
				return errors.New("use it once")
			}
			a.values[name] = value
			return nil
		})
	}
	a.flags.BoolVar(&a.report, "progress", false, "")
	if slices.Contains(own, "reward") { // a model file, which does not say its sense
		a.flags.BoolVar(&a.minimize, "minimize", false, "")
		a.flags.BoolVar(&a.maximize, "maximize", false, "")
	}
	if err := a.flags.Parse(words); err != nil {
		a.failf("%v: petscsolve help lists the flags", err)
	}
	if a.fault == nil && a.flags.NArg() > 0 {
		a.failf("%q is not an option: options begin with --, see petscsolve help", a.flags.Arg(0))
	}
	return a
}

func (a *arguments) failf(format string, values ...any) {
	if a.fault == nil {
		a.fault = faultf(format, values...)
	}
}

// has says whether a flag with a value is given.
func (a *arguments) has(name string) bool {
	_, given := a.values[name]
	return given
}

// text returns the value of a flag, or otherwise if it is not given; "" makes the flag
// required.
func (a *arguments) text(name, otherwise string) string {
	if a.has(name) {
		return a.values[name]
	}
	if otherwise == "" {
		a.failf("--%s: missing: give it", name)
	}
	return otherwise
}

// criterion returns average or discounted.
func (a *arguments) criterion(otherwise string) string {
	const use = "average or discounted"
	if otherwise == "" && !a.has("criterion") {
		a.failf("--criterion: missing: use %s", use)
	}
	value := a.text("criterion", otherwise)
	if value != "average" && value != "discounted" {
		a.invalid("criterion", value, use)
	}
	return value
}

func (a *arguments) invalid(name, value, use string) {
	a.failf("--%s: %s", name, wording.Invalid(wording.Short(value), use))
}

// number returns a number for which allowed is true.
func (a *arguments) number(name, otherwise, use string, allowed func(float64) bool) float64 {
	text := a.text(name, otherwise)
	x, err := number.Parse(text)
	if err != nil || !allowed(x) {
		a.invalid(name, text, use)
	}
	return x
}

// positive returns a number above 0.
func (a *arguments) positive(name, otherwise string) float64 {
	return a.number(name, otherwise, "a positive finite number", func(x float64) bool { return x > 0 && !math.IsInf(x, 1) })
}

// whole returns a whole number of at least least.
func (a *arguments) whole(name, otherwise string, least float64) int {
	const use = "a whole number of %v or more, and below 2³¹"
	return int(a.number(name, otherwise, fmt.Sprintf(use, least), func(x float64) bool {
		return x >= least && x == math.Trunc(x) && x <= math.MaxInt32
	}))
}

// seconds returns a time; 0 if it is not given.
func (a *arguments) seconds(name string) time.Duration {
	const most = 1e9
	if !a.has(name) {
		return 0
	}
	value := a.number(name, "", "a number of seconds above 0 and up to 1e9", func(x float64) bool { return x > 0 && x <= most })
	return max(time.Duration(value*float64(time.Second)), 1)
}
