package mdptest

import (
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// square is a column and a row of the grid, from 1.
type square struct{ x, y int }

// String returns the column and the row.
func (s square) String() string { return fmt.Sprintf("(%d,%d)", s.x, s.y) }

// grid: a step goes where it is meant to with probability 0.8 and to each side
// with 0.1, or nowhere at a wall. Costs are negative rewards.
func grid() *Problem {
	steps := map[string]square{"up": {0, 1}, "right": {1, 0}, "down": {0, -1}, "left": {-1, 0}}
	names := []string{"up", "right", "down", "left"}
	reward := func(s square) *big.Rat {
		switch s {
		case square{4, 3}:
			return one
		case square{4, 2}:
			return whole(-1)
		default:
			return zero
		}
	}
	move := func(s square, direction int) square {
		step := steps[names[(direction+4)%4]]
		to := square{s.x + step.x, s.y + step.y}
		if to.x < 1 || to.x > 4 || to.y < 1 || to.y > 3 || to == (square{2, 2}) {
			return s
		}
		return to
	}
	index := map[string]int{}
	for i, name := range names {
		index[name] = i
	}
	d := declaration[square, string]{
		start:   []square{{1, 1}},
		actions: func(square) []string { return names },
		cost:    func(square, string) *big.Rat { return number("0.04") },
		next: func(s square, name string) []branch[square] {
			var branches []branch[square]
			for i, p := range numbers("0.8 0.1 0.1") {
				to := move(s, index[name]+[]int{0, 1, -1}[i])
				branches = append(branches, branch[square]{to: to, weight: p, cost: sub(zero, reward(to))})
			}
			return branches
		},
	}
	best := map[square]string{
		{1, 3}: "right", {2, 3}: "right", {3, 3}: "right",
		{1, 2}: "up", {3, 2}: "up",
		{1, 1}: "up", {2, 1}: "left", {3, 1}: "left", {4, 1}: "left",
	}
	return attained(Problem{
		Name: "grid",
		Source: "S. Russell and P. Norvig, Artificial Intelligence: A Modern Approach, Prentice Hall, the 4×3 world, whose utilities are " +
			"0.812 0.868 0.918 1, 0.762 0.660 −1, 0.705 0.655 0.611 0.388",
		Answer: "the printed policy: round by the left, evaluated exactly",

		Classification: mdp.Multichain,
	}, totalOf(mdp.Minimize), absorbed(d, func(s square) bool { return reward(s).Sign() != 0 }), func(s square) string { return best[s] })
}
