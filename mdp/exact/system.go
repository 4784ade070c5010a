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

// system is a square system of linear equations in integers. Its matrix is such
// that no pivot on the diagonal is 0, in whichever order they are taken.
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

// primes is how many primes are tried. A pivot is a multiple of a prime of 62
// bits by the rarest of accidents, unless the numbers of the model were made
// for it.
const primes = 16

// solve returns the solution. It is found modulo powers of a prime (Dixon 1982),
// by as many digits as it turns out to need, and substituted.
func (s *system) solve(ctx context.Context) (vector, error) {
	if len(s.rows) == 0 {
		return vector{denominator: big.NewInt(1)}, nil
	}
	n := float64(len(s.rows))
	what := fmt.Sprintf("elimination of %d unknowns", len(s.rows))
	if err := checkForecast(what, n*n/8); err != nil { // sets of unknowns
		return vector{}, err
	}
	p, err := minimumDegree(ctx, s.rows)
	if err != nil {
		return vector{}, err
	}
	if err := checkForecast(what, 12*float64(p.entries())); err != nil {
		return vector{}, err
	}
	below := uint64(firstPrime)
	for range primes {
		f := newField(below)
		l, err := factorize(ctx, s.rows, p, f)
		if err != nil {
			return vector{}, err
		}
		if l != nil {
			return s.lift(ctx, l)
		}
		below = f.p - f.p>>10 // not a neighbour, whose residues would be small
	}
	return vector{}, errors.New("exact: no pivots were found: the equations of a policy are singular")
}

// lift finds digit after digit of the solution modulo powers of the prime: the
// solution x of A·x = r modulo p, and then the same for what is left,
// (r − A·x)/p.
func (s *system) lift(ctx context.Context, l *factors) (vector, error) {
	rest := zeros(len(s.rows))
	for i, b := range s.right {
		rest[i].Set(b)
	}
	found := expansion{prime: l.field.prime}
	for attempt := firstAttempt; ; attempt += attempt/2 + 1 {
		for len(found.digits) < attempt {
			if ctx.Err() != nil {
				return vector{}, context.Cause(ctx)
			}
			found.digits = append(found.digits, s.digit(rest, l))
		}
		if v, ok := found.rationals(); ok && s.solvedBy(v) {
			return v, nil
		}
		what := fmt.Sprintf("a solution of %d unknowns, which have more than %d binary digits each,", len(rest), 31*attempt)
		// Half as many digits again are looked for next.
		if err := checkForecast(what, 12*float64(attempt)*float64(len(rest))); err != nil {
			return vector{}, err
		}
	}
}

// firstAttempt is the number of digits at which a solution is first looked for.
const firstAttempt = 3

// digit returns x with A·x = rest modulo the prime, and replaces rest by
// (rest − A·x)/p.
func (s *system) digit(rest []*big.Int, l *factors) []uint64 {
	var factor, product big.Int
	residues, x := make([]uint64, len(rest)), make([]uint64, len(rest))
	for i, r := range rest {
		residues[i] = l.field.residue(r, &product)
	}
	l.solve(x, residues)
	for i, row := range s.rows {
		for _, t := range row {
			rest[i].Sub(rest[i], product.Mul(t.factor, factor.SetUint64(x[t.column])))
		}
		rest[i].Set(product.Quo(rest[i], l.field.prime))
	}
	return x
}

// solvedBy substitutes.
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
