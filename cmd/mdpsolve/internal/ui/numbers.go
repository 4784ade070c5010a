package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

// digits is the number of significant digits for a person to read: fewer than
// rounding can change.
const digits = 10

// exactText returns the shortest text that stands for x alone.
func exactText(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// plainText returns x to the digits that a person reads.
func plainText(x float64) string { return shortText(x, digits) }

// shortText returns x to the given number of significant digits.
func shortText(x float64, significant int) string {
	return strconv.FormatFloat(x, 'g', significant, 64)
}

// percentText returns a share as a percentage.
func percentText(x float64) string {
	for significant := 4; ; significant++ {
		text := shortText(100*x, significant)
		if x >= 1 || text != "100" { // all but 100% is not 100%
			return text + "%"
		}
	}
}

// lowerText and upperText round bounds outward, so that what is printed is a
// bound too.
func lowerText(x float64) string { return outward(x, -1) }

func upperText(x float64) string { return outward(x, 1) }

func outward(x, direction float64) string {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return plainText(x)
	}
	rounded, _ := strconv.ParseFloat(plainText(x), 64) // its own text
	if (rounded-x)*direction < 0 {
		unit := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-digits+1) // of the last digit printed
		rounded += direction * unit
	}
	return plainText(rounded)
}

// estimateText returns x to two digits more than the interval is sure of.
func estimateText(x float64, i robots.Interval) string {
	significant := digits
	if i.HalfWidth > 0 && x != 0 {
		significant = min(max(3+int(math.Ceil(math.Log10(math.Abs(x)/i.HalfWidth))), 3), digits)
	}
	return shortText(x, significant)
}

// count returns "1 robot", "2 robots".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// enumerate returns "a, b or c".
func enumerate(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
