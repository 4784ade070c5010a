// This file makes certificates of what the engine has found.

package certificate

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// CertificateOf returns the certificate of a result that mdp.Solve has found for the
// table of a model; rate is the uniformization rate of the table. It is nil where there
// are no vectors: for a finite horizon the proof is backward induction.
func CertificateOf(r *mdp.Result, rate float64) *Certificate {
	proof := r.Proof()
	if len(proof.Lower.Value.High)+len(proof.Lower.Gain.High)+len(proof.Upper.Value.High) == 0 {
		return nil
	}
	for _, v := range []*mdp.Vector{&proof.Lower.Gain, &proof.Upper.Gain} {
		if len(v.Low) == 1 { // one number in a file has no low part
			v.High, v.Low = slices.Repeat(v.High, len(r.Policy)), slices.Repeat(v.Low, len(r.Policy))
		}
	}
	c := &Certificate{Lower: witnessOf(proof.Lower, rate), Upper: witnessOf(proof.Upper, rate)}
	if proof.Scale != nil {
		scale := witnessOf(*proof.Scale, rate)
		c.Scale = &scale
	}
	if proof.Cycle != nil {
		c.Cycle = &Cycle{Policy: proof.Cycle.Policy, Value: vectorOf(proof.Cycle.Value, rate)}
	}
	return c
}

func witnessOf(w mdp.Witness, rate float64) Witness {
	return Witness{Gain: vectorOf(w.Gain, 1), Value: vectorOf(w.Value, rate)}
}

// vectorOf divides by the rate, a power of two.
func vectorOf(v mdp.Vector, rate float64) Vector {
	return Vector{High: divided(v.High, rate), Low: divided(v.Low, rate)}
}

func divided(x []float64, rate float64) []float64 {
	if rate == 1 {
		return x
	}
	y := slices.Clone(x)
	for i := range y {
		y[i] /= rate
	}
	return y
}
