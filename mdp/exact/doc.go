// Package exact solves finite Markov decision processes in rational arithmetic:
// its answers have no error at all. It is for small models, of up to some ten
// thousand states with few successors each, and for checking other solvers.
//
// [NewModel] makes a [Model] from rational arrays. Its methods are the criteria of
// package mdp, each minimised or maximised: [Model.Average] for any structure,
// [Model.Discounted], [Model.Total] with its infinite values, [Model.Finite].
//
// # How
//
// All but the last are policy iteration. A policy is evaluated by a system of
// linear equations in integers, which is solved modulo powers of the prime 2⁶¹ − 1:
// its matrix is factorized once modulo the prime, in an order of nested dissection, and
// each further digit of the solution takes one substitution (Dixon 1982). As soon as
// there are enough digits, Euclid's algorithm recovers the rational numbers, which are
// substituted into the equations. So the answer does not rest on the prime or on the
// number of digits: it is exact because it solves the equations. Every action of every
// state is compared with the policy's in integers; if none is better, the [Answer] is
// returned.
//
// # What it takes
//
// The answer for n states whose rows have numbers of b binary digits is made of
// n fractions of up to n·b digits, so memory grows as n²·b and time, for rows of
// few successors, as n³·b². Small denominators are cheap: a policy of a
// birth-death process of 2,000 states takes 0.1 s if the probabilities are
// simple fractions, and 8 s if they are arbitrary float64 numbers.
//
// # References
//
//   - R.A. Howard, Dynamic Programming and Markov Processes, MIT Press, 1960.
//   - A. George, Nested dissection of a regular finite element mesh, SIAM Journal on
//     Numerical Analysis 10 (1973), 345-363.
//   - J.D. Dixon, Exact solution of linear equations using p-adic expansions,
//     Numerische Mathematik 40 (1982), 137-141.
//   - D.P. Bertsekas and J.N. Tsitsiklis, An analysis of stochastic shortest path
//     problems, Mathematics of Operations Research 16 (1991), 580-595.
//   - M.L. Puterman, Markov Decision Processes, Wiley, 1994.
//   - L. de Alfaro, Formal verification of probabilistic systems, PhD thesis,
//     Stanford University, 1997.
//   - P.S. Wang, A p-adic algorithm for univariate partial fractions, Proceedings
//     of SYMSAC 1981, 212-217.
package exact
