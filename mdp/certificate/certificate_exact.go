// This file makes certificates of exact answers.

package certificate

import (
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// CertificateOfExact returns the certificate of an answer of [modelfile.Model.Exact]: average,
// discounted or total (for a finite horizon the proof is backward induction, without
// vectors). The answer solves the optimality equations, so its own values prove
// both bounds. They are in the units that a Certificate has: values in those of
// rewards, gains in rewards per unit of time.
func CertificateOfExact(a *exact.Answer) *Certificate {
	proof := Witness{Value: exactVector(a.Values)}
	if a.Relative != nil {
		proof = Witness{Gain: proof.Value, Value: exactVector(a.Relative)}
	}
	c := &Certificate{Lower: proof, Upper: proof, Policy: a.Policy}
	if a.Cycle != nil {
		c.Cycle = &Cycle{Policy: a.Cycle.Policy, Value: exactVector(a.Cycle.Values)}
	}
	return c
}

// Weighed returns the certificate of an exact average in a model with intervals, with relative values
// that prove the side whose inequalities have to hold for all that nature may choose. To each relative
// value it adds the gain times 2^digits times the largest relative value, so that a choice that leads to
// worse gains never seems good.
func (c *Certificate) Weighed(r *Result, digits int) *Certificate {
	weighed := *c
	side := &weighed.Upper
	if natureOf(r) < 0 {
		side = &weighed.Lower
	}
	most := big.NewRat(1, 1)
	for _, h := range side.Value.Exact {
		if size := new(big.Rat).Abs(h); size.Cmp(most) > 0 {
			most = size
		}
	}
	steps := most.Mul(most, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(digits))))
	value := Vector{High: make([]float64, len(side.Value.High)), Exact: make([]*big.Rat, len(side.Value.High))}
	for s, g := range side.Gain.Exact {
		x := new(big.Rat).Mul(steps, g)
		value.Exact[s] = x.Add(x, side.Value.Exact[s])
		value.High[s], _ = x.Float64()
	}
	side.Value = value
	return &weighed
}

func exactVector(values []exact.Value) Vector {
	v := Vector{High: make([]float64, len(values)), Exact: make([]*big.Rat, len(values))}
	for s, x := range values {
		if v.Exact[s] = x.Rat(); v.Exact[s] == nil {
			v.High[s] = math.Inf(x.Infinity())
		} else {
			v.High[s], _ = v.Exact[s].Float64()
		}
	}
	return v
}
