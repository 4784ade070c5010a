package lists

// The unit of time of rates and durations: in flags, in files, in what is printed.

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
	return ui.NewChoiceFlag("unit", "rates that say no unit of their own are per `U`, and so are those printed", "", unit.Names...)
}

// UnitText is for the help of verbs with [UnitFlag].
const UnitText = `A rate may say its unit, as 20000/day does, and a duration, as 30s, 5min, 2h or 7d. Those
that do not are per --unit, or in it. A file says its unit in a column unit, the same
in each row, and is converted to --unit. Without --unit the unit is that of the file,
and numbers without a unit are refused beside it; where no number has one, they all
have the same, whichever it be.`

// readUnit returns --unit, Unknown where it is not set.
func readUnit(a *ui.Arguments) unit.Unit {
	if !a.CLI.IsSet("unit") {
		return unit.Unknown
	}
	u, err := unit.Parse(a.Choice("unit"))
	a.Fail(err) // never: it is one of the choices
	return u
}

// UnitValue returns a unit as answers for programs have it: nil where it is not known.
func UnitValue(u unit.Unit) any {
	if u == unit.Unknown {
		return nil
	}
	return u.String()
}

// NeedUnit ends the command where the rates of --input have to be per second, day or the
// like, since a flag brings a calendar in.
func NeedUnit(a *ui.Arguments, u unit.Unit, flag string) {
	if u == unit.Unknown {
		a.Fault("unit", "missing: the rates in %s say no unit, which --%s needs: use second, minute, hour or day", a.CLI.String("input"), flag)
	}
}

// A Quantity is a rate or a duration of a flag, before it is known in which unit it is to
// be.
type Quantity struct {
	Text      string
	a         *ui.Arguments
	flag      string
	value     float64
	own       unit.Unit // Unknown if the text says none
	separator string    // between a number and its unit
	convert   func(x float64, from, to unit.Unit) float64

	least, most float64 // that it may be, in any unit
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

// read returns the quantity with what the flag says.
func (q Quantity) read(parse func(string) (float64, unit.Unit, error), allowed string) Quantity {
	var err error
	q.Text = q.a.Text(q.flag, allowed)
	if q.value, q.own, err = parse(q.Text); err != nil {
		q.a.Fault(q.flag, "%v", err)
	}
	return q
}

// In returns the quantity in the unit that the rates of --input, or of --store, are in. It ends
// the command where one of the two says a unit and the other does not, or the number is then out
// of range.
func (q Quantity) In(u unit.Unit) float64 {
	a, file := q.a, cmp.Or(q.a.CLI.String("input"), q.a.CLI.String("store"))
	switch {
	case q.own == unit.Unknown && u != unit.Unknown && !a.CLI.IsSet("unit") && a.CLI.IsSet(q.flag):
		more := ""
		if a.CLI.IsSet("input") {
			more = ", or add --unit"
		}
		a.Fault(q.flag, "%s has no unit, and the rates in %s are %s: use %s%s%v%s", q.Text, file, u.Per(), q.Text, q.separator, u, more)
	case q.own != unit.Unknown && u == unit.Unknown:
		a.Fault(q.flag, "%s has a unit, and the rates in %s say none: add --unit, the unit of these rates", q.Text, file)
	}
	x := q.convert(q.value, cmp.Or(q.own, u), u)
	if !(x >= q.least && x <= q.most) {
		inUnit := func(x float64) string {
			if q.separator == "/" {
				return ui.PlainText(x) + " " + u.Per()
			}
			return u.Of(ui.PlainText(x))
		}
		a.Fault(q.flag, "%s is %s: use %s or more, up to %s", q.Text, inUnit(x), inUnit(q.least), inUnit(q.most))
	}
	return x
}

// Time reads a point in time, of the years from 1970 to the last that its user can write.
func Time(a *ui.Arguments, flag string, lastYear int) time.Time {
	at, err := unit.ParseTime(a.CLI.String(flag))
	if err != nil || at.Year() < FirstYear || at.Year() > lastYear {
		a.Fault(flag, "%q is not valid: use a time such as 2026-01-31T15:00:00Z, of the years %d to %d", a.CLI.String(flag), FirstYear, lastYear)
	}
	return at
}

// FirstYear is the least of times.
const FirstYear = 1970
