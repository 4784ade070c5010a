// Package tradeoff finds the best mixtures of policies where several values count: the least
// of one within limits on others, and the front of two. It knows policies by their values
// alone; an oracle finds the best policy for given weights of the values.
package tradeoff

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// Point is a policy with its values.
type Point[P any] struct {
	Policy P
	Values []float64
}

// Oracle returns a policy with the least Σ_i weights[i]·Values[i], and a number that this sum
// is proved to be at least, for every policy. Beside an error the bound counts, too, and the
// policy if it has values. An oracle may raise weights of limits where the sum has no bound.
type Oracle[P any] func(ctx context.Context, weights []float64) (point Point[P], lower float64, err error)

// Tie is the difference, relative to the magnitudes that add up, up to which two sums count
// as equal: above the rounding of exact evaluation, some 1e-14.
const Tie = 1e-11

// Problem asks for the least first value over all mixtures of policies whose other values
// are within limits: Values[i+1] ≤ Limits[i].
//
// The multipliers of the linear program over the policies known are the weights for which
// the oracle finds the next one, until none lowers the sum (P.C. Gilmore and R.E. Gomory, A
// linear programming approach to the cutting-stock problem, Operations Research 9 (1961),
// 849-859), or the bound is within a relative tolerance.
type Problem[P any] struct {
	Limits    []*big.Rat
	Solve     Oracle[P]
	Known     []Point[P] // to start from; it may be empty
	Tolerance float64
}

// Answer is a mixture: policy Points[j] with the probability Weights[j], which may be 0 and is
// rounded; nil if none is known within the limits. None has a first value below Lower, since no policy has
// Values[0] + Σ_i Prices[i]·Values[i+1] below Lower + Σ_i Prices[i]·Limits[i].
type Answer[P any] struct {
	Points  []Point[P]
	Weights []float64
	Lower   float64
	Prices  []float64
}

// InfeasibleError says that no policy is within all limits: all have
// Σ_i Prices[i]·Values[i+1] ≥ Least, which is more than Σ_i Prices[i]·Limits[i].
type InfeasibleError struct {
	Prices []float64
	Least  float64
}

func (e *InfeasibleError) Error() string {
	return fmt.Sprintf("no policy is within the limits: Σ %v·values is at least %v", e.Prices, e.Least)
}

// Run solves the problem. The error is an [*InfeasibleError], or that of the oracle; the answer
// is the best by then.
func (p *Problem[P]) Run(ctx context.Context) (*Answer[P], error) {
	limits := slices.Clone(p.Limits)
	a := &Answer[P]{Points: slices.Clone(p.Known), Lower: math.Inf(-1), Prices: make([]float64, len(limits))}
	var last []float64 // weights
	var found Point[P]
	var least float64
	for {
		weights, prices, short := make([]float64, len(limits)+1), []*big.Rat(nil), (*big.Rat)(nil)
		if len(a.Points) > 0 {
			var mixed []float64
			if mixed, prices, short = mix(a.values(), limits); short == nil {
				a.Weights = mixed
			}
		}
		for i, x := range prices {
			weights[i+1], _ = x.Float64()
		}
		if short == nil { // otherwise the first value does not count: a policy within the limits is sought
			weights[0] = 1
		}
		var err error
		if !slices.Equal(weights, last) {
			found, least, err = p.Solve(ctx, weights)
			last = weights
		}
		lower := Excess(least, weights[1:], p.Limits)
		if short == nil && lower > a.Lower {
			a.Lower, a.Prices = lower, weights[1:]
		}
		if short != nil && lower > 0 {
			return a, &InfeasibleError{weights[1:], least}
		}
		if err != nil {
			a.take(found, p.Limits)
			return a, err
		}
		current, size := math.Inf(1), 0.0 // of the mixture: all of its policies cost the same, up to rounding
		for _, x := range a.Points {
			if magnitude, sum := weighed(weights, x.Values); sum+Tie*magnitude < current+Tie*size {
				current, size = sum, magnitude
			}
		}
		_, value := weighed(weights, found.Values)
		isClose := short == nil && current-least <= p.Tolerance*math.Abs(current)
		switch {
		case len(a.Points) == 0 || value < current-Tie*size && !isClose:
			a.Points = append(a.Points, found)
		case short == nil:
			return a, nil
		default: // the limits can be met up to rounding: ease the one that counts most
			share := func(i int) float64 { x, _ := limits[i].Float64(); return weights[i+1] * math.Abs(x) }
			most := 0
			for i := range limits {
				if prices[most].Sign() == 0 || share(i) > share(most) {
					most = i
				}
			}
			limits[most] = new(big.Rat).Add(limits[most], short.Quo(short, prices[most]))
		}
	}
}

// take adds the policy of an oracle that ended early, if it has values.
func (a *Answer[P]) take(found Point[P], limits []*big.Rat) {
	if found.Values == nil {
		return
	}
	a.Points = append(a.Points, found)
	if !a.Within(limits) && a.Weights != nil {
		a.Weights = append(a.Weights, 0)
	}
}

// Within mixes the policies anew for other limits, if they can be met.
func (a *Answer[P]) Within(limits []*big.Rat) bool {
	weights, _, short := mix(a.values(), limits)
	if short == nil {
		a.Weights = weights
	}
	return short == nil
}

func (a *Answer[P]) values() [][]float64 {
	values := make([][]float64, len(a.Points))
	for j := range values {
		values[j] = a.Points[j].Values
	}
	return values
}

// Excess returns least − Σ_i prices[i]·limits[i], rounded down.
func Excess(least float64, prices []float64, limits []*big.Rat) float64 {
	sum, term := new(big.Rat).SetFloat64(least), new(big.Rat)
	if sum == nil { // not finite
		return math.Inf(-1)
	}
	for i, price := range prices {
		sum.Sub(sum, term.Mul(term.SetFloat64(price), limits[i]))
	}
	down, _ := doubledouble.Around(sum)
	return down
}

// weighed returns Σ weights[i]·values[i], and the sum of the magnitudes.
func weighed(weights, values []float64) (magnitude, sum float64) {
	for i, w := range weights {
		if w != 0 {
			magnitude, sum = magnitude+math.Abs(w*values[i]), sum+w*values[i]
		}
	}
	return magnitude, sum
}
