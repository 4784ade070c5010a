package figure

// Ticks of the axes of pictures.

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// niceTicks puts ticks at multiples of 1, 2 or 5 times a power of ten, with labels that
// say exactly where they are: at most so many, and one more.
func niceTicks(a Axis, low, high float64, most int) []plot.Tick {
	power := max(-307, math.Floor(math.Log10((high-low)/float64(most)))-1) // the least with ten digits
	var step float64
	for found := false; !found; power++ {
		for _, factor := range []float64{1, 2, 5} {
			step = factor * math.Pow(10, power)
			if found = step*float64(most) >= high-low && (!a.Whole || step >= 1); found {
				break
			}
		}
	}
	var ticks []plot.Tick
	if a.Never {
		ticks = append(ticks, plot.Tick{Value: -1, Label: "never"})
	}
	first := math.Ceil(low / step)
	for k := range most + 1 { // by number: on a range as narrow as the spacing of float64, i would stay where it is
		i := first + float64(k)
		if !(i*step <= high) {
			break
		}
		if a.Never && (i < 0 || i == 0 && step > 1) {
			continue // 0 would be written over "never"
		}
		ticks = append(ticks, plot.Tick{Value: i * step, Label: tickLabel(i*step, step, low, high)})
	}
	return ticks
}

// tickLabel writes a multiple of a step with its decimals, or, where ticks are very small
// or very large, with a power of ten.
func tickLabel(value, step, low, high float64) string {
	const mostDecimals, mostDigits = 5, 7
	last := int(math.Floor(math.Log10(step) + 1e-9)) // place of the last digit
	first := int(math.Floor(math.Log10(max(math.Abs(low), math.Abs(high))) + 1e-9))
	label := strconv.FormatFloat(value+0, 'g', max(1, first-last+1), 64)
	if last >= -mostDecimals && first < mostDigits {
		label = strconv.FormatFloat(value+0, 'f', max(0, -last), 64)
	}
	return strings.ReplaceAll(label, "-", "−")
}

// decades puts at most so many labels at powers of ten, of axes that show logarithms.
func decades(low, high float64, most int) []plot.Tick {
	every := max(1, math.Ceil((high-low)/float64(most)))
	var ticks []plot.Tick
	for power := math.Ceil(low/every) * every; power <= high; power += every {
		label := ui.ShortText(math.Pow(10, power), 6)
		ticks = append(ticks, plot.Tick{Value: power, Label: strings.ReplaceAll(label, "-", "−")})
	}
	return ticks
}
