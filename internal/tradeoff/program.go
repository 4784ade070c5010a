package tradeoff

import "math/big"

// mixed is the solution of the linear program over the weights w of the policies known,
//
//	minimise Σ_j w_j·C_j  subject to  Σ_j w_j·D_ij ≤ b_i,  Σ_j w_j = 1,  w ≥ 0.
type mixed struct {
	weights []*big.Rat // by policy
	prices  []*big.Rat // by limit: the multipliers, ≥ 0
	excess  []*big.Rat // by limit, as small as possible
	met     bool       // no excess; otherwise the prices are those of the limits alone
}

// tableau is that of the simplex method: a row for each limit, one for the sum of the weights,
// and the reduced costs. The columns are a slack for each limit, an excess for each limit, the
// weights, and the right-hand side.
type tableau struct {
	rows  [][]*big.Rat
	basis []int // by row
}

// mix solves the program in fractions by the rule of R.G. Bland (New finite pivoting rules for
// the simplex method, Mathematics of Operations Research 2 (1977), 103-107), which cannot cycle.
// values[j] has C_j and then all D_ij; there is one policy at least.
func mix(values [][]float64, limits []*big.Rat) mixed {
	k, n := len(limits), 2*len(limits)+len(values)
	t := &tableau{rows: make([][]*big.Rat, k+2), basis: make([]int, k+1)}
	for r := range t.rows {
		t.rows[r] = zeros(n + 1)
		for j, v := range values {
			switch x := t.rows[r][2*k+j]; {
			case r < k:
				x.SetFloat64(v[r+1])
			case r == k:
				x.SetInt64(1)
			}
		}
	}
	t.rows[k][n].SetInt64(1)
	t.pivot(k, 2*k) // the first policy is basic, and the slack or the excess of each limit
	for i, limit := range limits {
		row := t.rows[i]
		row[i].SetInt64(1)
		row[k+i].SetInt64(-1)
		row[n].Add(row[n], limit)
		t.basis[i] = i
		scale := big.NewRat(1, 1)
		if first := new(big.Rat).SetFloat64(values[0][i+1]); first.Sign() != 0 { // excesses count relative to it
			scale.Inv(first.Abs(first))
		}
		t.rows[k+1][k+i].Set(scale)
		if row[n].Sign() < 0 {
			for _, x := range row {
				x.Neg(x)
			}
			t.basis[i] = k + i
			t.subtract(k+1, i, new(big.Rat).Set(scale))
		}
	}
	t.improve(n, n)
	m := mixed{excess: zeros(k), met: true}
	for r, variable := range t.basis {
		if i := variable - k; i >= 0 && i < k {
			m.excess[i].Set(t.rows[r][n])
			m.met = m.met && m.excess[i].Sign() == 0
		}
	}
	if m.met {
		for r, variable := range t.basis {
			if i := variable - k; i >= 0 && i < k { // 0: the slack may take its place
				t.pivot(r, i)
			}
		}
		t.rows[k+1] = zeros(n + 1)
		for j, v := range values {
			t.rows[k+1][2*k+j].SetFloat64(v[0])
		}
		for r, variable := range t.basis {
			t.subtract(k+1, r, new(big.Rat).Set(t.rows[k+1][variable]))
		}
		t.improve(k, 2*k)
	}
	m.prices, m.weights = t.rows[k+1][:k], zeros(len(values))
	for r, variable := range t.basis {
		if variable >= 2*k {
			m.weights[variable-2*k] = t.rows[r][n]
		}
	}
	return m
}

// improve makes variables basic that lower the cost, until there are none: any but those from
// one to another.
func (t *tableau) improve(from, to int) {
	last := len(t.basis)
	n := len(t.rows[last]) - 1
	for c := 0; c < n; c++ {
		if c >= from && c < to || t.rows[last][c].Sign() >= 0 {
			continue
		}
		leaving, least := -1, new(big.Rat)
		for r, variable := range t.basis {
			if t.rows[r][c].Sign() <= 0 {
				continue
			}
			ratio := new(big.Rat).Quo(t.rows[r][n], t.rows[r][c])
			if order := ratio.Cmp(least); leaving < 0 || order < 0 || order == 0 && variable < t.basis[leaving] {
				leaving, least = r, ratio
			}
		}
		t.pivot(leaving, c) // weights are bounded, so there is one
		c = -1
	}
}

// pivot makes variable c basic in row r.
func (t *tableau) pivot(r, c int) {
	inverse := new(big.Rat).Inv(t.rows[r][c])
	for _, x := range t.rows[r] {
		x.Mul(x, inverse)
	}
	for other := range t.rows {
		if other != r {
			t.subtract(other, r, new(big.Rat).Set(t.rows[other][c]))
		}
	}
	t.basis[r] = c
}

// subtract subtracts a multiple of a row from another.
func (t *tableau) subtract(from, row int, factor *big.Rat) {
	if factor.Sign() == 0 {
		return
	}
	term := new(big.Rat)
	for c, x := range t.rows[row] {
		t.rows[from][c].Sub(t.rows[from][c], term.Mul(factor, x))
	}
}

func zeros(n int) []*big.Rat {
	x := make([]*big.Rat, n)
	for i := range x {
		x[i] = new(big.Rat)
	}
	return x
}
