package main

// A check of the oracle of hostile models: all policies, each evaluated by Gauss'
// elimination in rational numbers.

import (
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// bruteForce compares the answer with the best of all policies where they are few.
func (t *hostileTruth) bruteForce(r *hostileRun) {
	n, policies := len(t.rows), 1
	for _, rows := range t.rows {
		policies *= len(rows)
	}
	if n > 3 || policies > 16 || t.question.criterion == criterionFinite || t.vertices != nil {
		return
	}
	best := make([]*big.Rat, n) // nil: infinite
	infinite := make([]bool, n) // for the greatest: some policy is
	for k := range policies {
		var chain []hostileRow
		for _, rows := range t.rows {
			chain = append(chain, rows[k%len(rows)])
			k /= len(rows)
		}
		for s, x := range t.chainValues(chain) {
			switch better := x != nil && best[s] != nil && (x.Cmp(best[s]) < 0) == (t.sense() == mdp.Minimize); {
			case x == nil:
				infinite[s] = true
			case best[s] == nil || better:
				best[s] = x
			}
		}
	}
	for s, x := range t.values {
		if x.Infinity() < 0 {
			continue // no policy achieves it
		}
		want := best[s]
		if infinite[s] && t.sense() == mdp.Maximize {
			want = nil
		}
		if got := x.Rat(); (got == nil) != (want == nil) || got != nil && got.Cmp(want) != 0 {
			r.fault(faultOracle, "state %d: %s, by brute force %v", s, short(x), want)
		}
	}
}

// chainValues returns the values of a chain; nil for infinite ones.
func (t *hostileTruth) chainValues(chain []hostileRow) []*big.Rat {
	n := len(chain)
	values := make([]*big.Rat, n)
	switch t.question.criterion {
	case criterionAverage: // unknowns g and h: g − P·g = 0, g + h − P·h = c
		equations := make([][]*big.Rat, 2*n)
		for s, row := range chain {
			equations[s], equations[n+s] = zeros(2*n+1), zeros(2*n+1)
			for j, p := range row.probabilities {
				equations[s][j].Sub(equations[s][j], p)
				equations[n+s][n+j].Sub(equations[n+s][n+j], p)
			}
			equations[s][s].Add(equations[s][s], one)
			equations[n+s][n+s].Add(equations[n+s][n+s], one)
			equations[n+s][s].Set(one)
			equations[n+s][2*n].Set(row.reward)
		}
		copy(values, gauss(equations))
	default: // v − β·P·v = c
		discount, stays := one, make([]bool, n)
		rate := big.NewRat(1, 1)
		if t.question.criterion == criterionDiscounted {
			discount = fraction(t.question.discount)
		} else {
			for _, s := range t.goal {
				stays[s] = true
			}
			if t.rate != nil {
				rate = t.rate
			}
		}
		lost := t.lost(chain, stays)
		equations := make([][]*big.Rat, n)
		for s, row := range chain {
			equations[s] = zeros(n + 1)
			equations[s][s].Set(one)
			if stays[s] || lost[s] {
				continue
			}
			for j, p := range row.probabilities {
				equations[s][j].Sub(equations[s][j], new(big.Rat).Mul(discount, p))
			}
			equations[s][n].Quo(row.reward, rate)
		}
		for s, x := range gauss(equations) {
			if !lost[s] {
				values[s] = x
			}
		}
	}
	return values
}

// lost returns the states from which a chain may never reach the goal.
func (t *hostileTruth) lost(chain []hostileRow, goal []bool) []bool {
	n := len(chain)
	lost := make([]bool, n)
	if t.question.criterion != criterionTotal {
		return lost
	}
	// First those that cannot reach it, then those that can reach these.
	reaches := append([]bool(nil), goal...)
	for range n {
		for s, row := range chain {
			for j, p := range row.probabilities {
				reaches[s] = reaches[s] || p.Sign() > 0 && reaches[j]
			}
		}
	}
	for s := range lost {
		lost[s] = !reaches[s]
	}
	for range n {
		for s, row := range chain {
			for j, p := range row.probabilities {
				lost[s] = lost[s] || !goal[s] && p.Sign() > 0 && lost[j]
			}
		}
	}
	return lost
}

func zeros(n int) []*big.Rat {
	x := make([]*big.Rat, n)
	for i := range x {
		x[i] = new(big.Rat)
	}
	return x
}

// gauss solves equations, the right-hand side last. Unknowns that they leave open
// are 0.
func gauss(equations [][]*big.Rat) []*big.Rat {
	n := len(equations)
	solution := zeros(n)
	top := 0
	pivots := []int{}
	for column := range n {
		pivot := top
		for pivot < n && equations[pivot][column].Sign() == 0 {
			pivot++
		}
		if pivot == n {
			continue
		}
		equations[top], equations[pivot] = equations[pivot], equations[top]
		for i, row := range equations {
			if i == top || row[column].Sign() == 0 {
				continue
			}
			factor := new(big.Rat).Quo(row[column], equations[top][column])
			for j := range row {
				row[j].Sub(row[j], new(big.Rat).Mul(factor, equations[top][j]))
			}
		}
		pivots = append(pivots, column)
		top++
	}
	for i, column := range pivots {
		solution[column].Quo(equations[i][n], equations[i][column])
	}
	return solution
}
