package figure

// Ticks of the axes of pictures.

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// NiceTicks puts ticks at multiples of 1, 2 or 5 times a power of ten, with
// labels that say exactly where they are.
type NiceTicks struct {
	Whole bool // whole numbers only
	Never bool // −1 stands for never
	Most  int  // labels
}

// Ticks implements plot.Ticker.
func (t NiceTicks) Ticks(low, high float64) []plot.Tick {
	most := float64(t.Most)
	power := max(-307, math.Floor(math.Log10((high-low)/most))-1) // the least with ten digits
	var step float64
	for found := false; !found; power++ {
		for _, factor := range []float64{1, 2, 5} {
			step = factor * math.Pow(10, power)
			if found = step*most >= high-low && (!t.Whole || step >= 1); found {
				break
			}
		}
	}
	var ticks []plot.Tick
	if t.Never {
		ticks = append(ticks, plot.Tick{Value: -1, Label: "never"})
	}
	first := math.Ceil(low / step)
	for k := range t.Most + 1 { // by number: on a range as narrow as the spacing of float64, i would stay where it is
		i := first + float64(k)
		if !(i*step <= high) {
			break
		}
		if t.Never && (i < 0 || i == 0 && step > 1) {
			continue // 0 would be written over "never"
		}
		ticks = append(ticks, plot.Tick{Value: i * step, Label: tickLabel(i*step, step, low, high)})
	}
	return ticks
}

// tickLabel writes a multiple of a step with its decimals, or, where ticks are very small
// or very large, as a multiple of a power of ten, which all of them share.
func tickLabel(value, step, low, high float64) string {
	const mostDecimals, mostDigits = 5, 7
	last := int(math.Floor(math.Log10(step) + 1e-9)) // place of the last digit
	first := int(math.Floor(math.Log10(max(math.Abs(low), math.Abs(high))) + 1e-9))
	var label string
	switch {
	case last >= -mostDecimals && first < mostDigits:
		label = strconv.FormatFloat(value+0, 'f', max(0, -last), 64)
	case value == 0:
		label = "0"
	default:
		label = strconv.FormatFloat(value/math.Pow(10, float64(first)), 'f', max(0, first-last), 64) + "·10" + raised(first)
	}
	return strings.Replace(label, "-", "−", 1)
}

// raised writes a number as an exponent.
func raised(n int) string {
	const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹"
	return strings.Map(func(r rune) rune {
		if r == '-' {
			return '⁻'
		}
		return []rune(superscripts)[r-'0']
	}, strconv.Itoa(n))
}

// decades puts at most so many labels at powers of ten, of axes that show logarithms.
type decades struct{ most int }

// Ticks implements plot.Ticker.
func (d decades) Ticks(low, high float64) []plot.Tick {
	every := max(1, math.Ceil((high-low)/float64(d.most)))
	var ticks []plot.Tick
	for power := math.Ceil(low/every) * every; power <= high; power += every {
		ticks = append(ticks, plot.Tick{Value: power, Label: "10" + raised(int(power))})
	}
	return ticks
}
