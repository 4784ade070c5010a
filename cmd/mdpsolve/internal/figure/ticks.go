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
	decimals := 0
	for found := false; !found; power++ {
		for _, factor := range []float64{1, 2, 5} {
			step = factor * math.Pow(10, power)
			if found = step*most >= high-low && (!t.Whole || step >= 1); found {
				decimals = max(0, -int(power))
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
		ticks = append(ticks, plot.Tick{Value: i * step, Label: tickLabel(i*step, step, decimals)})
	}
	return ticks
}

// tickLabel writes a multiple of a step: with decimals, or with a power of ten where
// that is shorter.
func tickLabel(value, step float64, decimals int) string {
	const mostDecimals, mostDigits = 5, 1e7
	label := strconv.FormatFloat(value+0, 'f', decimals, 64)
	if value != 0 && (decimals > mostDecimals || math.Abs(value) >= mostDigits) {
		digits := max(0, int(math.Round(math.Log10(math.Abs(value)))-math.Floor(math.Log10(step)*(1+1e-15))))
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(value, 'e', min(digits, 17), 64), "e")
		number, _ := strconv.Atoi(exponent) // of its own text
		label = mantissa + "·10" + raised(number)
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

// decades puts at most so many labels at powers of ten, of logarithmic axes.
type decades struct{ most int }

// Ticks implements plot.Ticker.
func (d decades) Ticks(low, high float64) []plot.Tick {
	first, last := math.Ceil(math.Log10(low)*(1-1e-12)), math.Floor(math.Log10(high)*(1+1e-12))
	every := max(1, math.Ceil((last-first+1)/float64(d.most)))
	var ticks []plot.Tick
	for power := math.Ceil(first/every) * every; power <= last; power += every {
		ticks = append(ticks, plot.Tick{Value: math.Pow(10, power), Label: "10" + raised(int(power))})
	}
	return ticks
}
