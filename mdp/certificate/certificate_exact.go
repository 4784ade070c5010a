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
