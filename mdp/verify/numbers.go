package verify

import (
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// numbers is a list of real numbers, such as the rates of a model.
type numbers struct {
	high   []float64
	low    []float64  // nil: zeros
	radius []float64  // nil: zeros
	exact  []*big.Rat // nil where high + low are the numbers
}

// set sets number i to a rational.
func (n *numbers) set(i int, x *big.Rat) {
	n.exact[i] = x
	n.high[i], _ = x.Float64()
	if math.IsInf(n.high[i], 0) {
		n.radius[i] = math.Inf(1)
		return
	}
	rest := new(big.Rat).SetFloat64(n.high[i])
	n.low[i], _ = rest.Sub(x, rest).Float64()
	if rest.Sub(rest, new(big.Rat).SetFloat64(n.low[i])).Sign() != 0 {
		n.radius[i] = math.Abs(n.low[i])*0x1p-52 + underflow
	}
}

// exactNumbers returns room for n rationals.
func exactNumbers(n int) numbers {
	return numbers{
		high: make([]float64, n), low: make([]float64, n), radius: make([]float64, n),
		exact: make([]*big.Rat, n),
	}
}

// ball returns number i.
func (n *numbers) ball(i int32) ball {
	x := ball{high: n.high[i]}
	if n.low != nil {
		x.low = n.low[i]
	}
	if n.radius != nil {
		x.radius = n.radius[i]
	}
	return x
}

// rational returns number i exactly.
func (n *numbers) rational(i int32) *big.Rat {
	if n.exact != nil {
		return n.exact[i]
	}
	x := new(big.Rat).SetFloat64(n.high[i])
	if n.low != nil {
		x.Add(x, new(big.Rat).SetFloat64(n.low[i]))
	}
	return x
}

// negative returns the numbers with their signs changed.
func (n *numbers) negative() numbers {
	if n.exact != nil {
		return n.timesExactly(-1)
	}
	negative := numbers{high: make([]float64, len(n.high))}
	for i, x := range n.high {
		negative.high[i] = 0 - x // not −0
	}
	return negative
}

// times returns the numbers times a float64, which are as exact as they are.
func (n *numbers) times(factor float64) numbers {
	product := numbers{high: make([]float64, len(n.high)), low: make([]float64, len(n.high))}
	for i, x := range n.high {
		p := doubledouble.TwoProduct(x, factor)
		if n.exact != nil || x != 0 && math.Abs(p.Hi) < faintest {
			return n.timesExactly(factor)
		}
		product.high[i], product.low[i] = p.Hi, p.Lo
	}
	return product
}

func (n *numbers) timesExactly(factor float64) numbers {
	product := exactNumbers(len(n.high))
	by := new(big.Rat).SetFloat64(factor)
	for i := range n.high {
		product.set(i, new(big.Rat).Mul(n.rational(int32(i)), by))
	}
	return product
}
