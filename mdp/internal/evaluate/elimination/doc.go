// Package elimination factors absorbing Markov chains without subtractions.
//
// A chain is absorbing here if it leaves its states for good, by an exit, with
// probability 1. With P the transition probabilities between the states, the package
// factors
//
//	I − P = L·U
//
// by eliminating the states one after another, in the order of a plan. In place of
// the difference of Gauss's method, the diagonal of U is the sum of the weights that lead
// from a state to later states and to the exit (Grassmann, Taksar and Heyman 1985). All
// other elements are negative and only grow in magnitude. So no operation is a
// subtraction, and every element of the factors has a relative error of at most a
// multiple of n·u, for any conditioning and order (O'Cinneide 1993). The same holds for
// solutions for right-hand sides of one sign.
//
// The elimination goes front by front (multifrontal elimination: Duff and Reid 1983).
// With J the pivots of a front and B its border, the matrices of a front are JJ, JB with
// the exit as one more column, BJ and BB. The first three hold factors and are kept; BB
// with its column for the exit is added to the matrices of the parent.
//
// The [Plan] of a graph gives the order and the fronts; it comes from nested
// dissection. The goroutines of gonum's matrix products share large fronts, with results
// that are the same to the bit for any number of goroutines.
package elimination
