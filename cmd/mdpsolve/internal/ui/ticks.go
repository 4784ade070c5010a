package ui

// Ticks of the axes of pictures.

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// NiceTicks puts ticks at multiples of 1, 2 or 5 times a power of ten, with
// labels that say exactly where they are.
type NiceTicks struct {
	Whole bool // whole numbers only
	Never bool // −1 stands for never
}

// Ticks implements plot.Ticker.
func (t NiceTicks) Ticks(low, high float64) []plot.Tick {
	const most = 11                                               // labels
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
	for k := range most + 1 { // by number: on a range as narrow as the spacing of float64, i would stay where it is
		i := first + float64(k)
		if !(i*step <= high) {
			break
		}
		if t.Never && (i < 0 || i == 0 && step > 1) {
			continue // 0 would be written over "never"
		}
		ticks = append(ticks, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step+0, 'f', decimals, 64)})
	}
	return ticks
}
