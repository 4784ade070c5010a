package static

import (
	"fmt"
	"math"
	"strconv"
)

// Axis is the parameter that [Sweep] varies.
type Axis int

const (
	// OverWeight varies γ: N(γ,K) as in the paper's Figure 2.
	OverWeight Axis = iota
	// OverBuffer varies K: ρ*(γ,K) and N(γ,K) as in Figures 3 and 4.
	OverBuffer
	// OverRatio varies μ/λ by changing λ: N(γ,∞) as in Figure 5.
	OverRatio
)

// String returns the name: "gamma", "buffer" or "ratio".
func (a Axis) String() string {
	switch a {
	case OverWeight:
		return "gamma"
	case OverBuffer:
		return "buffer"
	case OverRatio:
		return "ratio"
	}
	return fmt.Sprintf("Axis(%d)", int(a))
}

// Point is the best fixed number of robots at one value of the parameter that
// is varied.
type Point struct {
	Value      float64    `json:"value"` // γ, K or μ/λ
	Parameters Parameters `json:"-"`     // with the value
	Result                // at the buffer of the parameters, or the varied one
	Unlimited  Result     `json:"unlimited"` // for K → ∞
}

// Sweep returns the best fixed number of robots at each of the values of the
// parameter that axis names. The errors are those of [Parameters.Optimize] at
// the first value that is not allowed; values of [OverBuffer] must be whole.
func Sweep(p Parameters, axis Axis, values []float64) ([]Point, error) {
	points := make([]Point, 0, len(values))
	for _, value := range values {
		varied, err := p.with(axis, value)
		if err != nil {
			return nil, err
		}
		point := Point{Value: value, Parameters: varied}
		if point.Result, err = varied.Optimize(); err != nil {
			return nil, err
		}
		varied.Unlimited = true
		if point.Unlimited, err = varied.Optimize(); err != nil {
			return nil, err
		}
		points = append(points, point)
	}
	return points, nil
}

// with returns the parameters with one of them changed.
func (p Parameters) with(axis Axis, value float64) (Parameters, error) {
	switch axis {
	case OverWeight:
		p.StarvationWeight = value
	case OverBuffer:
		if !(value >= 2 && value <= MaxBuffer) || value != math.Floor(value) {
			return p, &ParameterError{"Buffer", value, fmt.Sprintf("a whole number from 2 to %d", MaxBuffer)}
		}
		p.Buffer = int(value)
	case OverRatio:
		if !(value > 0) || math.IsInf(value, 1) {
			return p, &ParameterError{"Ratio", value, "a finite number above 0"}
		}
		p.ArrivalRate = p.ServiceRate / value
	default:
		return p, &ParameterError{"Axis", axis, fmt.Sprintf("%v, %v or %v", OverWeight, OverBuffer, OverRatio)}
	}
	return p, nil
}

// Grid returns the given number of values, evenly spaced, from one end of an
// interval to the other; for [OverBuffer] they are rounded to whole numbers,
// and fewer where several round to the same. The error is a [*ParameterError]
// for ends that are not finite or not in order, or fewer than 2 values (1 will
// do where both ends are the same).
func Grid(axis Axis, from, to float64, count int) ([]float64, error) {
	switch {
	case math.IsNaN(from) || math.IsInf(from, 0):
		return nil, &ParameterError{"From", from, "a finite number"}
	case !(to >= from) || math.IsInf(to, 1):
		return nil, &ParameterError{"To", to, fmt.Sprintf("a finite number of at least From = %v", from)}
	case count < 1 || count == 1 && to > from:
		return nil, &ParameterError{"Count", count, "a whole number of 2 or more"}
	}
	values := make([]float64, 0, min(count, 1<<20))
	for i := range count {
		value := from
		switch {
		case i == count-1:
			value = to
		case i > 0:
			share := float64(i) / float64(count-1)
			value = min(decimal(from*(1-share)+to*share), to)
		}
		if axis == OverBuffer {
			value = math.Round(value)
		}
		if len(values) == 0 || value > values[len(values)-1] {
			values = append(values, value)
		}
	}
	return values, nil
}

// decimal returns x to 15 digits: 1.5 for 1.5000000000000002, which rounding makes of it.
func decimal(x float64) float64 {
	const digits, bits = 15, 64
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, bits), bits) // infinite above all numbers
	return rounded
}
