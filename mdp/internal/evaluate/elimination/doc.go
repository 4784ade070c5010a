// Package elimination factors absorbing Markov chains without subtractions.
//
// A chain is absorbing here if it leaves its states for good, by an exit, with
// probability 1. With P the transition probabilities between the states, the package
// factors
//
//	I − P = L·U
//
// by eliminating the states one after the other, in the order of a plan. The
// diagonal of U is not the difference that Gauss's method takes but the sum of the ways
// out of a state to those after it and to the exit (Grassmann, Taksar and Heyman
// 1985), and all other elements are negative and only grow in magnitude. So there is no
// subtraction anywhere, and every element of the factors has a relative error of at
// most some multiple of n·u, whatever the conditioning and the order (O'Cinneide 1993).
// Solutions for right-hand sides of one sign inherit that.
//
// The elimination goes front by front (multifrontal elimination: Duff and Reid 1983).
// With J the pivots of a front and B its border, the matrices of a front are JJ, JB with
// the exit as one more column, BJ and BB. The first three hold factors and are kept; BB
// with its column for the exit is what the front hands on to its parent.
//
// The [Plan] of a graph gives the order and the fronts; it comes from nested
// dissection. Large fronts are shared by the goroutines of gonum's products of matrices,
// with results that are the same to the bit at any number of them.
package elimination
