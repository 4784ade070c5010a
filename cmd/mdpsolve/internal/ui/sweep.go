package ui

// The flags of verbs that vary one parameter.

import (
	"fmt"
	"math"
	"slices"

	"github.com/urfave/cli/v2"
)

// SweepFlags are the flags of a sweep over one of the parameters.
func SweepFlags(usage string, parameters ...string) []cli.Flag {
	whole := "buffer"
	if slices.Contains(parameters, "robots") {
		whole = "robots or buffer"
	}
	return []cli.Flag{
		NewChoiceFlag("over", usage, "", parameters...),
		ValueFlag("from", "first value `A`", ""),
		ValueFlag("to", "last value `B`", ""),
		ValueFlag("steps", "`n` values, both ends included (default: 101; over "+whole+", every whole number, but at most 1001 values)", ""),
	}
}

// Sweep reads the values of a sweep: numbers above 0 or, if most is not 0, whole numbers
// from least to most.
func (a *Arguments) Sweep(least, most int) (from, to float64, steps int) {
	const defaultSteps, defaultWholeSteps = 101, 1001
	allowed, ok := AboveZero, IsPositive
	if most > 0 {
		allowed = fmt.Sprintf("a whole number from %d to %d", least, most)
		ok = func(x float64) bool { return x >= float64(least) && x <= float64(most) && x == math.Floor(x) }
	}
	from = a.Parse("from", a.Text("from", allowed), allowed, ok)
	allowed += ", not below --from"
	to = a.Parse("to", a.Text("to", allowed), allowed, func(x float64) bool { return ok(x) && x >= from })
	steps = defaultSteps
	switch {
	case a.CLI.IsSet("steps"):
		steps = int(a.WholeWithin("steps", 1, MaxSteps))
	case from == to:
		steps = 1
	case most > 0:
		steps = int(min(to-from+1, defaultWholeSteps))
	}
	return from, to, steps
}
