package exact

import (
	"context"
	"errors"
	"fmt"
	"math/big"
)

// term is one entry of a row of a [system]. Terms of one column add up.
type term struct {
	column int32
	factor *big.Int
}

// system is a square system of linear equations in integers. No pivot on the diagonal of
// its matrix is 0, for any order of elimination.
type system struct {
	rows  [][]term
	right []*big.Int
}

// vector is a vector of rational numbers over one positive denominator.
type vector struct {
	numerators  []*big.Int
	denominator *big.Int
}

// zeros returns n zeros.
func zeros(n int) []*big.Int {
	x := make([]*big.Int, n)
	for i := range x {
		x[i] = new(big.Int)
	}
	return x
}

// primes are the exponents k of the primes 2^k − 1 that are tried. A pivot is hardly ever a
// multiple of the first, unless the numbers of the model were chosen for that.
var primes = []uint{61, 31, 19, 17, 13}

// solve returns the solution. It finds digits modulo powers of a prime (Dixon 1982) until
// there are enough, and checks the solution by substitution.
func (s *system) solve(ctx context.Context) (vector, error) {
	if len(s.rows) == 0 {
		return vector{denominator: big.NewInt(1)}, nil
	}
	p, err := newPattern(ctx, s.rows)
	if err != nil {
		return vector{}, err
	}
	for _, k := range primes {
		l, err := factorize(ctx, s.rows, p, newField(k))
		if err != nil {
			return vector{}, err
		}
		if l != nil {
			return s.lift(ctx, l)
		}
	}
	return vector{}, errors.New("exact: no pivots were found: the equations of a policy are singular")
}

// lift finds the digits of the solution modulo powers of the prime: the
// solution x of A·x = r modulo p, and then the same for the rest, (r − A·x)/p.
func (s *system) lift(ctx context.Context, l *factors) (vector, error) {
	rest := zeros(len(s.rows))
	for i, b := range s.right {
		rest[i].Set(b)
	}
	found := expansion{prime: l.field.prime}
	for attempt := 3; ; attempt += attempt/2 + 1 {
		for len(found.digits) < attempt {
			if ctx.Err() != nil {
				return vector{}, context.Cause(ctx)
			}
			found.digits = append(found.digits, s.digit(rest, l))
		}
		// A power M of the prime 2^k − 1 is ±1 modulo 2^j, j ≤ k. So modulo M the fraction
		// N/2^j equals the whole number (N ∓ N·M)/2^j. If N is short, this whole number is
		// shorter than M by slack bits, and the first try takes it in place of the fraction.
		// The second try accepts only shorter whole numbers.
		for _, margin := range []int{slack, int(l.field.k) * attempt / 2} {
			if v, ok := found.rationals(margin); ok && s.solvedBy(v) {
				return v, nil
			}
		}
		what := fmt.Sprintf("a solution of %d unknowns, which have more than %d binary digits each,", len(rest), int(l.field.k)*attempt/2)
		// The next attempt has half as many digits more.
		if err := checkForecast(ctx, what, 12*float64(attempt)*float64(len(rest))); err != nil {
			return vector{}, err
		}
	}
}

// digit returns x with A·x = rest modulo the prime, and replaces rest by
// (rest − A·x)/p.
func (s *system) digit(rest []*big.Int, l *factors) []uint64 {
	var factor, product big.Int
	residues := make([]uint64, len(rest))
	for i, r := range rest {
		residues[i] = l.field.of(r, &product)
	}
	x := l.solve(residues)
	for i, row := range s.rows {
		for _, t := range row {
			rest[i].Sub(rest[i], product.Mul(t.factor, factor.SetUint64(x[t.column])))
		}
		rest[i].Set(product.Quo(rest[i], l.field.prime))
	}
	return x
}

// solvedBy reports whether v solves the system, by substitution.
func (s *system) solvedBy(v vector) bool {
	var sum, product big.Int
	for i, row := range s.rows {
		sum.Mul(s.right[i], v.denominator)
		for _, t := range row {
			sum.Sub(&sum, product.Mul(t.factor, v.numerators[t.column]))
		}
		if sum.Sign() != 0 {
			return false
		}
	}
	return true
}
