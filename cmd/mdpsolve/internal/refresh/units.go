package refresh

// The unit of time of rates and durations: in flags, in files, in what is printed.

import (
	"cmp"
	"math"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

func unitFlag() cli.Flag {
	return ui.NewChoiceFlag("unit", "rates that say no unit of their own are per `U`, and so are those printed", "", unit.Names...)
}

// unitText is for the help of verbs with unitFlag.
const unitText = `A rate may say its unit, as 20000/day does, and a duration, as 30s, 5min, 2h or 7d. Those
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

// unitValue returns a unit as answers for programs have it: nil where it is not known.
func unitValue(u unit.Unit) any {
	if u == unit.Unknown {
		return nil
	}
	return u.String()
}

// needUnit ends the command where rates have to be per second, day or the like, since a
// flag brings a calendar in.
func needUnit(a *ui.Arguments, u unit.Unit, flag, file string) {
	if u == unit.Unknown {
		a.Fault("unit", "missing: the rates in %s say no unit, which --%s needs: use second, minute, hour or day", file, flag)
	}
}

// A quantity is a rate or a duration of a flag, before it is known in which unit it is to
// be.
type quantity struct {
	flag, text string
	value      float64
	own        unit.Unit // Unknown if the text says none
	separator  string    // between a number and its unit
	convert    func(x float64, from, to unit.Unit) float64

	least, most float64 // that it may be, in any unit
}

// readRate reads a number of accesses per unit of time, within the range that package
// refresh allows.
func readRate(a *ui.Arguments, name string) quantity {
	text := a.Text(name, allowedRates)
	value, own, err := unit.ParseRate(text)
	if err != nil {
		a.Fault(name, "%v", err)
	}
	checkRate(a, name, text, value)
	return quantity{name, text, value, own, "/", unit.Rate, refresh.LeastNumber, refresh.GreatestNumber}
}

const allowedRates = "a number from 1e-100 to 1e100"

func checkRate(a *ui.Arguments, name, text string, value float64) {
	if !(value >= refresh.LeastNumber && value <= refresh.GreatestNumber) {
		a.Fault(name, "%s is not valid: use %s", text, allowedRates)
	}
}

// readDuration reads a duration above 0.
func readDuration(a *ui.Arguments, name string) quantity {
	const allowed = "a duration above 0, such as 30s, 5min or 2h, or a number of units of time"
	text := a.Text(name, allowed)
	value, own, err := unit.ParseDuration(text)
	if err != nil {
		a.Fault(name, "%v", err)
	}
	if !(value > 0) {
		a.Fault(name, "%s is not valid: use %s", text, allowed)
	}
	return quantity{name, text, value, own, "", unit.Duration, math.SmallestNonzeroFloat64, math.MaxFloat64}
}

// in returns the quantity in the unit that the rates of a file are in. It ends the command
// where one of the two says a unit and the other does not, or the number is then out of range.
func (q quantity) in(a *ui.Arguments, u unit.Unit, file string) float64 {
	switch {
	case q.own == unit.Unknown && u != unit.Unknown && !a.CLI.IsSet("unit") && a.CLI.IsSet(q.flag):
		a.Fault(q.flag, "%s has no unit, and the rates in %s are %s: use %s%s%v, or add --unit", q.text, file, u.Per(), q.text, q.separator, u)
	case q.own != unit.Unknown && u == unit.Unknown:
		a.Fault(q.flag, "%s has a unit, and the rates in %s say none: add --unit, the unit of these rates", q.text, file)
	}
	x := q.convert(q.value, cmp.Or(q.own, u), u)
	if !(x >= q.least && x <= q.most) {
		inUnit := func(x float64) string {
			if q.separator == "/" {
				return ui.PlainText(x) + " " + u.Per()
			}
			return u.Of(ui.PlainText(x))
		}
		a.Fault(q.flag, "%s is %s: use %s or more, up to %s", q.text, inUnit(x), inUnit(q.least), inUnit(q.most))
	}
	return x
}
