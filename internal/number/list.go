// This file reads lists of numbers and of ranges.

package number

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// maxRange is the greatest length of the text of a range: sums of long fractions are slow.
const maxRange = 200

// ParseList reads numbers separated by commas. A range A:B:STEP stands for A, A+STEP,
// A+2·STEP, …, B, where STEP may be negative and must lead from A to B. Numbers are as for
// [Parse], and every value of a range is its exact value rounded once. A list may have
// no more than most numbers.
func ParseList(text string, most int) ([]float64, error) {
	return parseList(text, most, Parse, func(x *big.Rat) float64 {
		nearest, _ := x.Float64()
		return nearest
	})
}

// ParseExactList is [ParseList] for numbers that are not rounded.
func ParseExactList(text string, most int) ([]*big.Rat, error) {
	one := func(text string) (*big.Rat, error) {
		exact, _, err := ParseExact(text)
		return exact, err
	}
	return parseList(text, most, one, func(x *big.Rat) *big.Rat { return x })
}

// parseList reads numbers with the function one, and converts those of ranges with of.
func parseList[T any](text string, most int, one func(text string) (T, error), of func(x *big.Rat) T) (values []T, err error) {
	for part := range strings.SplitSeq(text, ",") {
		if strings.Contains(part, ":") {
			some, err := parseRange(part, most-len(values))
			if err != nil {
				return nil, err
			}
			for _, x := range some {
				values = append(values, of(x))
			}
		} else {
			x, err := one(part)
			if err != nil {
				return nil, err
			}
			values = append(values, x)
		}
		if len(values) > most {
			return nil, refuse(text, fmt.Sprintf("at most %d numbers", most))
		}
	}
	return values, nil
}

// parseRange reads a range of no more than most numbers.
func parseRange(text string, most int) ([]*big.Rat, error) {
	ends := strings.Split(text, ":")
	if len(ends) != 3 || len(text) > maxRange {
		return nil, refuse(text, fmt.Sprintf("a range A:B:STEP of at most %d characters, as in 0.5:5:0.5", maxRange))
	}
	var exact [3]*big.Rat
	for i, end := range ends {
		var err error
		if exact[i], _, err = ParseExact(end); err != nil {
			return nil, err
		}
	}
	from, to, step := exact[0], exact[1], exact[2]
	width := new(big.Rat).Sub(to, from)
	switch {
	case step.Sign() == 0:
		return nil, refuse(text, "a step other than 0")
	case width.Sign() == -step.Sign():
		return nil, refuse(text, fmt.Sprintf("a step that leads from %s to %s, of the other sign", ends[0], ends[1]))
	}
	steps := width.Quo(width, step)
	whole := new(big.Int).Quo(steps.Num(), steps.Denom())
	if whole.Cmp(big.NewInt(int64(most))) >= 0 {
		return nil, refuse(text, fmt.Sprintf("a longer step: lists have at most %d numbers", most))
	}
	if !steps.IsInt() {
		return nil, refuse(text, fmt.Sprintf("a step that leads from %s to %s, or a last number such as %s or %s", ends[0], ends[1],
			shortest(at(from, step, whole.Int64())), shortest(at(from, step, whole.Int64()+1))))
	}
	values := make([]*big.Rat, whole.Int64()+1)
	for i := range values {
		values[i] = at(from, step, int64(i))
	}
	return values, nil
}

// at returns from + i·step.
func at(from, step *big.Rat, i int64) *big.Rat {
	value := new(big.Rat).SetInt64(i)
	return value.Add(from, value.Mul(value, step))
}

func shortest(x *big.Rat) string {
	nearest, _ := x.Float64()
	return strconv.FormatFloat(nearest, 'g', -1, 64)
}
