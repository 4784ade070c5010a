package figure

// Ticks of the axes of pictures.

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// niceTicks puts ticks at multiples of 1, 2 or 5 times a power of ten, with exact labels:
// at most most+1 of them.
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
	first := math.Ceil(low / step)
	for k := range most + 1 { // by number: on a range as narrow as the spacing of float64, i would stay where it is
		i := first + float64(k)
		if !(i*step <= high) {
			break
		}
		ticks = append(ticks, plot.Tick{Value: i * step, Label: tickLabel(i*step, step, low, high)})
	}
	return ticks
}

// tickLabel writes a multiple of a step with its decimals, or, where ticks are very small
// or very large, with a power of ten, which [raised] draws.
func tickLabel(value, step, low, high float64) string {
	const mostDecimals, mostDigits = 5, 7
	last := int(math.Floor(math.Log10(step) + 1e-9)) // place of the last digit
	first := int(math.Floor(math.Log10(max(math.Abs(low), math.Abs(high))) + 1e-9))
	label := strconv.FormatFloat(value+0, 'f', max(0, -last), 64)
	switch isPlain := last >= -mostDecimals && first < mostDigits; {
	case isPlain:
	case value == 0:
		label = "0"
	default:
		digits, exponent, _ := strings.Cut(strconv.FormatFloat(value, 'e', -1, 64), "e")
		power, _ := strconv.Atoi(exponent)
		label = fmt.Sprintf("%s×10^%d", digits, power)
	}
	return strings.ReplaceAll(label, "-", "−")
}

// decades puts labels at powers of ten, on axes that show logarithms.
func decades(low, high float64, most int) []plot.Tick {
	every := max(1, math.Ceil((high-low)/float64(most)))
	var ticks []plot.Tick
	for power := math.Ceil(low/every) * every; power <= high; power += every {
		ticks = append(ticks, powerTick(1, power, low, high))
	}
	return ticks
}

// logTicks returns [decades]. If these are fewer than three, it adds twice and five times each power of ten, if
// there is room. If that still gives fewer than three, it returns [niceTicks], if they are more.
func logTicks(low, high float64, most int) []plot.Tick {
	ticks := decades(low, high, most)
	if len(ticks) >= 3 {
		return ticks
	}
	var finer []plot.Tick
	for power := math.Floor(low); power <= high; power++ {
		for _, factor := range []float64{1, 2, 5} {
			if t := powerTick(factor, power, low, high); t.Value >= low && t.Value <= high {
				finer = append(finer, t)
			}
		}
	}
	if len(finer) > most {
		return ticks
	}
	even := niceTicks(Axis{}, math.Pow(10, low), math.Pow(10, high), most)
	if len(finer) >= 3 || len(even) <= len(finer) {
		return finer
	}
	for i := range even {
		even[i].Value = math.Log10(even[i].Value)
	}
	return even
}

// powerTick is the tick of a factor times a power of ten.
func powerTick(factor, power, low, high float64) plot.Tick {
	label := strings.TrimPrefix(fmt.Sprintf("%.0f×10^%.0f", factor, power), "1×")
	if low >= -4.5 && high <= 6.5 { // few zeros
		label = strconv.FormatFloat(factor*math.Pow(10, power), 'f', max(0, int(-power)), 64)
	}
	return plot.Tick{Value: math.Log10(factor) + power, Label: strings.ReplaceAll(label, "-", "−")}
}

// raised draws what follows ^ in a text above the line and smaller: the font has no
// superscripts.
type raised struct{ text.Handler }

const raisedSize, raisedBy = 0.75, 0.38 // in sizes of the text

// Box implements [text.Handler].
func (h raised) Box(words string, f font.Font) (width, height, depth vg.Length) {
	base, exponent, _ := strings.Cut(words, "^")
	width, height, depth = h.Handler.Box(base, f)
	f.Size *= raisedSize
	above, _, _ := h.Handler.Box(exponent, f)
	return width + above, height, depth
}

// Draw implements [text.Handler]. Text with ^ is not turned.
func (h raised) Draw(c vg.Canvas, words string, style text.Style, at vg.Point) {
	base, exponent, isRaised := strings.Cut(words, "^")
	if isRaised {
		at.X += vg.Length(style.XAlign) * style.Width(words)
		style.XAlign = text.XLeft
	}
	h.Handler.Draw(c, base, style, at)
	at = at.Add(vg.Point{X: style.Width(base), Y: raisedBy * style.Font.Size})
	style.Font.Size *= raisedSize
	h.Handler.Draw(c, exponent, style, at)
}
