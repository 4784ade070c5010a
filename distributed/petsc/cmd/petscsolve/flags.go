package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// arguments are the words of a command line: operands, and flags with their values. The
// first fault is kept, and what is read after it is of no meaning.
type arguments struct {
	operands []string
	flags    map[string]string
	fault    error
}

// switches are the flags without a value.
var switches = []string{"minimize", "maximize", "progress"}

// flags are those with one.
var flags = []string{
	"robots", "buffer", "lambda", "mu", "gamma", "states", "actions", "successors", "seed", "reward",
	"criterion", "discount", "tolerance", "max-iterations", "time-limit", "out", "output",
}

func parse(words []string) *arguments {
	a := &arguments{flags: map[string]string{}}
	for i := 0; i < len(words) && a.fault == nil; i++ {
		name, isFlag := strings.CutPrefix(words[i], "--")
		if !isFlag {
			a.operands = append(a.operands, words[i])
			continue
		}
		name, value, hasValue := strings.Cut(name, "=")
		_, given := a.flags[name]
		switch {
		case given:
			a.failf("--%s: given twice: use it once", name)
		case slices.Contains(switches, name) && !hasValue:
		case !slices.Contains(flags, name):
			a.failf("--%s: not a flag: use one of those that petscsolve help lists", wording.Short(name))
		case !hasValue && i+1 == len(words):
			a.failf("--%s: has no value: give one behind it", name)
		case !hasValue:
			i++
			value = words[i]
		}
		a.flags[name] = value
	}
	return a
}

func (a *arguments) failf(format string, values ...any) {
	if a.fault == nil {
		a.fault = faultf(format, values...)
	}
}

// has says whether a flag is given.
func (a *arguments) has(name string) bool {
	_, given := a.flags[name]
	return given
}

// only refuses flags other than those named, and those of every model.
func (a *arguments) only(what string, names ...string) {
	names = append(names, "tolerance", "max-iterations", "time-limit", "out", "output", "progress")
	for _, name := range slices.Sorted(maps.Keys(a.flags)) {
		if !slices.Contains(names, name) {
			a.failf("--%s: not valid for %s: leave it out", name, what)
		}
	}
}

// text returns the value of a flag, or what it is where it is not given; "" makes it
// necessary.
func (a *arguments) text(name, otherwise string) string {
	value, given := a.flags[name]
	if !given && otherwise == "" {
		a.failf("--%s: missing: give it", name)
	}
	if !given {
		return otherwise
	}
	return value
}

// choice returns one of some values.
func (a *arguments) choice(name, otherwise string, values ...string) string {
	use := strings.Join(values, " or ")
	if otherwise == "" && !a.has(name) {
		a.failf("--%s: missing: use %s", name, use)
	}
	value := a.text(name, otherwise)
	if !slices.Contains(values, value) {
		a.invalid(name, value, use)
	}
	return value
}

func (a *arguments) invalid(name, value, use string) {
	a.failf("--%s: %s", name, wording.Invalid(wording.Short(value), use))
}

// number returns a number that is allowed.
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

// whole returns a whole number from least up.
func (a *arguments) whole(name, otherwise string, least float64) int {
	const use = "a whole number of %v or more, and below 2³¹"
	return int(a.number(name, otherwise, fmt.Sprintf(use, least), func(x float64) bool {
		return x >= least && x == math.Trunc(x) && x <= math.MaxInt32
	}))
}

// seconds returns a time; 0 where it is not given.
func (a *arguments) seconds(name string) time.Duration {
	const most = 1e9
	if !a.has(name) {
		return 0
	}
	value := a.number(name, "", "a number of seconds above 0 and up to 1e9", func(x float64) bool { return x > 0 && x <= most })
	return max(time.Duration(value*float64(time.Second)), 1)
}
