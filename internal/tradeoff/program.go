package tradeoff

import "math/big"

// tableau is that of the simplex method for the linear program over the weights w of the
// policies known,
//
//	minimise Σ_j w_j·C_j  subject to  Σ_j w_j·D_ij ≤ b_i,  Σ_j w_j = 1,  w ≥ 0.
//
// It has a row for each limit, one for the sum of the weights, and the reduced costs. The
// columns are a slack for each limit, the weights, and the right-hand side.
type tableau struct {
	rows  [][]*big.Rat
	basis []int // by row
}

// mix solves the program in fractions. values[j] has C_j and then all D_ij; there is one policy
// at least. It returns the weights, rounded, and the multipliers of the limits, ≥ 0. If no mixture is
// within the limits, there are no weights, and every policy has Σ_i prices_i·D_ij ≥
// Σ_i prices_i·b_i + short, with short > 0.
//
// The dual simplex method begins with the policy of least cost. It cannot cycle, as it
// chooses the first of several variables, the rule of R.G. Bland (New finite pivoting
// rules for the simplex method, Mathematics of Operations Research 2 (1977), 103-107).
func mix(values [][]float64, limits []*big.Rat) (weights []float64, prices []*big.Rat, short *big.Rat) {
	k, n, best := len(limits), len(limits)+len(values), 0
	t := &tableau{rows: make([][]*big.Rat, k+2), basis: make([]int, k+1)}
	for r := range t.rows {
		t.rows[r] = zeros(n + 1)
	}
	for i, limit := range limits {
		t.rows[i][i].SetInt64(1)
		t.rows[i][n].Set(limit)
		t.basis[i] = i
	}
	t.rows[k][n].SetInt64(1)
	for j, v := range values {
		t.rows[k][k+j].SetInt64(1)
		t.rows[k+1][k+j].SetFloat64(v[0])
		for i := range limits {
			t.rows[i][k+j].SetFloat64(v[i+1])
		}
		if v[0] < values[best][0] {
			best = j
		}
	}
	t.pivot(k, k+best)
	for {
		leaving := -1
		for r, variable := range t.basis {
			if t.rows[r][n].Sign() < 0 && (leaving < 0 || variable < t.basis[leaving]) {
				leaving = r
			}
		}
		if leaving < 0 {
			break
		}
		entering, least := -1, new(big.Rat)
		for c, x := range t.rows[leaving][:n] {
			if x.Sign() >= 0 {
				continue
			}
			if ratio := new(big.Rat).Quo(t.rows[k+1][c], x); entering < 0 || ratio.Cmp(least) > 0 { // ≤ 0
				entering, least = c, ratio
			}
		}
		if entering < 0 {
			return nil, t.rows[leaving][:k], least.Neg(t.rows[leaving][n])
		}
		t.pivot(leaving, entering)
	}
	weights = make([]float64, len(values))
	for r, variable := range t.basis {
		if variable >= k {
			weights[variable-k], _ = t.rows[r][n].Float64()
		}
	}
	return weights, t.rows[k+1][:k], nil
}

// pivot makes variable c basic in row r.
func (t *tableau) pivot(r, c int) {
	inverse, term := new(big.Rat).Inv(t.rows[r][c]), new(big.Rat)
	for _, x := range t.rows[r] {
		x.Mul(x, inverse)
	}
	for other, row := range t.rows {
		if factor := new(big.Rat).Set(row[c]); other != r && factor.Sign() != 0 {
			for i, x := range t.rows[r] {
				row[i].Sub(row[i], term.Mul(factor, x))
			}
		}
	}
	t.basis[r] = c
}

func zeros(n int) []*big.Rat {
	x := make([]*big.Rat, n)
	for i := range x {
		x[i] = new(big.Rat)
	}
	return x
}
