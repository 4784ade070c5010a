package lists

// The unit of time of rates and durations: in flags, in files and in print.

import (
	"cmp"
	"math"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// UnitFlag is --unit.
func UnitFlag() cli.Flag {
	return ui.NewChoiceFlag("unit", "unit `U` of numbers without a unit, and of printed rates", "", unit.Names...)
}

// UnitText is for the help of verbs with [UnitFlag].
const UnitText = `Give a rate with its unit, as in 20000/day, and a duration as 30s, 5min, 2h or 7d.
Numbers without a unit are in --unit. A file may have a column unit, the same in each
row; its numbers are converted to --unit. If a file has a unit and --unit is missing,
flags need units. If nothing has a unit, all numbers share one.`

// readUnit returns --unit, Unknown if it is not set.
func readUnit(a *ui.Arguments) unit.Unit {
	if !a.CLI.IsSet("unit") {
		return unit.Unknown
	}
	u, err := unit.Parse(a.Choice("unit"))
	a.Fail(err) // never: it is one of the choices
	return u
}

// UnitValue returns a unit for JSON and CSV: nil if it is unknown.
func UnitValue(u unit.Unit) any {
	if u == unit.Unknown {
		return nil
	}
	return u.String()
}

// NeedUnit ends the command if the unit of the rates of --input is unknown, which flag needs
// because it brings in a calendar.
func NeedUnit(a *ui.Arguments, u unit.Unit, flag string) {
	if u == unit.Unknown {
		a.Fault("unit", "missing: the rates in %s have no unit, and --%s needs one: use second, minute, hour or day", FileName(a, "input"), flag)
	}
}

// A Quantity is a rate or a duration of a flag, before its unit is known.
type Quantity struct {
	Text      string
	a         *ui.Arguments
	flag      string
	value     float64
	own       unit.Unit // Unknown if the text has none
	separator string    // between a number and its unit
	convert   func(x float64, from, to unit.Unit) float64

	least, most float64 // allowed, in any unit
}

// Rate reads a number of accesses per unit of time, within the range that package
// refresh allows.
func Rate(a *ui.Arguments, flag string) Quantity {
	const allowed = "a number from 1e-100 to 1e100"
	q := Quantity{a: a, flag: flag, separator: "/", convert: unit.Rate, least: refresh.LeastNumber, most: refresh.GreatestNumber}.
		read(unit.ParseRate, allowed)
	if !(q.value >= q.least && q.value <= q.most) {
		a.Fault(flag, "%s is not valid: use %s", q.Text, allowed)
	}
	return q
}

// Duration reads a duration above 0.
func Duration(a *ui.Arguments, flag string) Quantity {
	const allowed = "a duration above 0, such as 30s, 5min or 2h, or a number of units of time"
	q := Quantity{a: a, flag: flag, convert: unit.Duration, least: math.SmallestNonzeroFloat64, most: math.MaxFloat64}.
		read(unit.ParseDuration, allowed)
	if !(q.value > 0) {
		a.Fault(flag, "%s is not valid: use %s", q.Text, allowed)
	}
	return q
}

// read returns the quantity with the value of the flag.
func (q Quantity) read(parse func(string) (float64, unit.Unit, error), allowed string) Quantity {
	var err error
	q.Text = q.a.Text(q.flag, allowed)
	if q.value, q.own, err = parse(q.Text); err != nil {
		q.a.Fault(q.flag, "%v", err)
	}
	return q
}

// In returns the quantity in the unit of the rates of --input or --store. It ends the command
// if only one of the two has a unit, or if the converted number is out of range.
func (q Quantity) In(u unit.Unit) float64 {
	a, file := q.a, cmp.Or(FileName(q.a, "input"), q.a.CLI.String("store"))
	switch {
	case q.own == unit.Unknown && u != unit.Unknown && !a.CLI.IsSet("unit") && a.CLI.IsSet(q.flag):
		more := ""
		if a.CLI.IsSet("input") {
			more = ", or add --unit"
		}
		a.Fault(q.flag, "%s has no unit, and the rates in %s are %s: use %s%s%v%s", q.Text, file, u.Per(), q.Text, q.separator, u, more)
	case q.own != unit.Unknown && u == unit.Unknown:
		a.Fault(q.flag, "%s has a unit, and the rates in %s have none: add their --unit", q.Text, file)
	}
	x := q.convert(q.value, cmp.Or(q.own, u), u)
	if !(x >= q.least && x <= q.most) {
		inUnit := func(x float64) string {
			if q.separator == "/" {
				return ui.PlainText(x) + " " + u.Per()
			}
			return u.Of(ui.PlainText(x))
		}
		a.Fault(q.flag, "%s is %s: use %s to %s", q.Text, inUnit(x), inUnit(q.least), inUnit(q.most))
	}
	return x
}

// Time reads a point in time, in the years from 1970 to lastYear.
func Time(a *ui.Arguments, flag string, lastYear int) time.Time {
	at, err := unit.ParseTime(a.CLI.String(flag))
	if err != nil || at.Year() < FirstYear || at.Year() > lastYear {
		a.Fault(flag, "%q is not valid: use a time such as 2026-01-31T15:00:00Z, in the years %d to %d", a.CLI.String(flag), FirstYear, lastYear)
	}
	return at
}

// FirstYear is the first year of valid times.
const FirstYear = 1970
