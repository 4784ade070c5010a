package mdptest

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// alternative is an action of a state in a printed table: the probability of
// each next state, and a reward for each or, where there is one only, of the
// step. Numbers are decimals or fractions.
type alternative struct{ probabilities, rewards string }

// tabled declares a process on the states first, first+1, …, with the
// alternatives of each.
func tabled(first int, states ...[]alternative) declaration[int, int] {
	type parsed struct{ probabilities, rewards []*big.Rat }
	var alternatives [][]parsed
	d := declaration[int, int]{}
	for i, state := range states {
		d.start = append(d.start, first+i)
		var row []parsed
		for _, a := range state {
			row = append(row, parsed{numbers(a.probabilities), numbers(a.rewards)})
		}
		alternatives = append(alternatives, row)
	}
	d.actions = func(s int) []int { return counted(len(alternatives[s-first])) }
	d.cost = func(s, a int) *big.Rat {
		if r := alternatives[s-first][a].rewards; len(r) == 1 {
			return r[0]
		}
		return zero
	}
	d.next = func(s, a int) []branch[int] {
		var branches []branch[int]
		chosen := alternatives[s-first][a]
		for j, p := range chosen.probabilities {
			b := branch[int]{to: first + j, weight: p}
			if len(chosen.rewards) > 1 {
				b.cost = chosen.rewards[j]
			}
			branches = append(branches, b)
		}
		return branches
	}
	return d
}

// absorbed returns a declaration that ends in a target: its states lead to
// themselves for ever and cost nothing.
func absorbed[S, A comparable](d declaration[S, A], target func(s S) bool) declaration[S, A] {
	actions, cost, next := d.actions, d.cost, d.next
	d.target = target
	d.actions = func(s S) []A {
		if target(s) {
			return make([]A, 1)
		}
		return actions(s)
	}
	d.cost = func(s S, a A) *big.Rat {
		if target(s) || cost == nil {
			return zero
		}
		return cost(s, a)
	}
	d.next = func(s S, a A) []branch[S] {
		switch {
		case target(s) && d.continuous:
			return nil
		case target(s):
			return surely(s)
		}
		return next(s, a)
	}
	return d
}

// counted returns 0 … n−1.
func counted(n int) []int {
	actions := make([]int, n)
	for i := range actions {
		actions[i] = i
	}
	return actions
}

// nothingToChoose are the actions of a chain.
func nothingToChoose[S any](S) []int { return []int{0} }

// numbers reads numbers that are separated by spaces.
func numbers(text string) []*big.Rat {
	var x []*big.Rat
	for field := range strings.FieldsSeq(text) {
		y, ok := new(big.Rat).SetString(field)
		if !ok {
			panic(fmt.Sprintf("mdptest: %q is no number", field))
		}
		x = append(x, y)
	}
	return x
}

// number reads one number.
func number(text string) *big.Rat { return numbers(text)[0] }

// greatest returns the greatest of value(i) for first ≤ i ≤ last.
func greatest(first, last int, value func(i int) *big.Rat) *big.Rat {
	var x []*big.Rat
	for i := first; i <= last; i++ {
		x = append(x, value(i))
	}
	return slices.MaxFunc(x, (*big.Rat).Cmp)
}

// least returns the least of value(i) for first ≤ i ≤ last.
func least(first, last int, value func(i int) *big.Rat) *big.Rat {
	var x []*big.Rat
	for i := first; i <= last; i++ {
		x = append(x, value(i))
	}
	return slices.MinFunc(x, (*big.Rat).Cmp)
}
