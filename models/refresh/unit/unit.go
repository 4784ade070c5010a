// Package unit holds the units of time in which rates and durations are, and reads
// rates, durations and points in time as people write them.
//
// A rate or a duration is a number together with a [Unit]. Numbers of different units
// are converted by [Rate] and [Duration], never compared as they are.
package unit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Unit is a unit of time. A rate in it is a number of events per unit, a duration a
// number of units.
type Unit int

// The units. Unknown, the zero value, is that of numbers given without a unit: all of
// them have the same unit of time, whichever it is.
const (
	Unknown Unit = iota
	Second
	Minute
	Hour
	Day
)

// Names are those of the units that are known, from the shortest on.
var Names = []string{"second", "minute", "hour", "day"}

// Parse reads one of [Names].
func Parse(text string) (Unit, error) {
	if i := slices.Index(Names, text); i >= 0 {
		return Second + Unit(i), nil
	}
	return Unknown, fmt.Errorf("%s is not valid: use second, minute, hour or day", wording.Quote(text))
}

// String returns the name of the unit; that of Unknown is empty.
func (u Unit) String() string {
	switch {
	case u == Unknown:
		return ""
	case u < Unknown || u > Day:
		return fmt.Sprintf("Unit(%d)", int(u))
	}
	return Names[u-Second]
}

// Seconds returns the length of the unit, 0 for Unknown.
func (u Unit) Seconds() float64 {
	return [...]float64{Unknown: 0, Second: 1, Minute: 60, Hour: 3600, Day: 86400}[u]
}

// SuspectsUnixSeconds reports whether a number of units longer than a second is a time of the
// years 2001 to 2286 if read as Unix seconds.
func (u Unit) SuspectsUnixSeconds(t float64) bool { return u > Second && t >= 1e9 && t < 1e10 }

// Per returns what follows a rate: "per day", or "per unit of time".
func (u Unit) Per() string {
	if u == Unknown {
		return "per unit of time"
	}
	return "per " + u.String()
}

// Of returns a duration for people, whose number has been formatted: "2.5 days"; for
// Unknown the number alone.
func (u Unit) Of(number string) string {
	switch {
	case u == Unknown:
		return number
	case number == "1":
		return number + " " + u.String()
	}
	return number + " " + u.String() + "s"
}

// Rate converts a number of events per unit from to one per unit to. Both units are
// known, or they are equal; a rate is as it was, to the bit, where they are equal.
func Rate(x float64, from, to Unit) float64 {
	if from == to {
		return x
	}
	if shorter, longer := from.Seconds(), to.Seconds(); shorter < longer {
		return x * (longer / shorter) // whole numbers: one rounding
	}
	return x / (from.Seconds() / to.Seconds())
}

// Duration converts a number of units from to one of units to, as [Rate] does.
func Duration(x float64, from, to Unit) float64 { return Rate(x, to, from) }

// Scale converts rates in place.
func Scale(rates []float64, from, to Unit) {
	if from == to {
		return
	}
	for i, x := range rates {
		rates[i] = Rate(x, from, to)
	}
}

// suffixes are the short names of units after numbers.
var suffixes = []struct {
	name string
	unit Unit
}{{"s", Second}, {"min", Minute}, {"h", Hour}, {"d", Day}}

// bySuffix returns the unit that a short name or a name, in the plural or not, stands
// for; Unknown if it stands for none.
func bySuffix(name string) Unit {
	for _, s := range suffixes {
		if s.name == name {
			return s.unit
		}
	}
	unit, _ := Parse(strings.TrimSuffix(name, "s")) // Unknown comes with the error
	return unit
}
