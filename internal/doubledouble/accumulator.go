package doubledouble

import "math"

// Accumulator is a sum of float64 with the sum of its rounding errors: faster than adding
// to a [Number], and nearly as accurate, for sums of many terms.
type Accumulator struct{ High, Low float64 }

// Add adds one number.
func (a *Accumulator) Add(x float64) {
	s := TwoSum(a.High, x)
	a.High = s.Hi
	a.Low += s.Lo
}

// AddAll adds numbers, in four interleaved sums.
func (a *Accumulator) AddAll(numbers []float64) {
	var first, second, third, fourth Accumulator
	n := len(numbers) &^ 3
	for i := 0; i < n; i += 4 {
		four := numbers[i : i+4 : i+4]
		first.Add(four[0])
		second.Add(four[1])
		third.Add(four[2])
		fourth.Add(four[3])
	}
	for _, x := range numbers[n:] {
		first.Add(x)
	}
	a.Merge(first)
	a.Merge(second)
	a.Merge(third)
	a.Merge(fourth)
}

// Merge adds another sum.
func (a *Accumulator) Merge(other Accumulator) {
	s := TwoSum(a.High, other.High)
	a.High = s.Hi
	a.Low += s.Lo + other.Low
}

// Neg returns the negative sum.
func (a *Accumulator) Neg() Accumulator { return Accumulator{-a.High, -a.Low} }

// Sum returns the sum. If High is infinite, Low is NaN and is left out.
func (a *Accumulator) Sum() float64 {
	if math.IsInf(a.High, 0) {
		return a.High
	}
	return a.High + a.Low
}

// Below returns budget − sum.
func (a *Accumulator) Below(budget float64) float64 {
	if math.IsInf(a.High, 0) {
		return budget - a.High
	}
	return (budget - a.High) - a.Low
}
