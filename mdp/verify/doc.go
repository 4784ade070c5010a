// Package verify proves, or refutes, what a result says of a model, from the
// model alone: [Check] takes both as mdpio reads them and says of every claim
// whether it holds. It shares no code with the solvers; graphs, equations and
// arithmetic are its own.
//
// # Verdicts
//
// A claim [Holds] or is [Refuted] only where that is proved, for the numbers of
// the files as they are and in spite of all rounding. What can be shown neither
// way is [Undecided]. A bound is refuted however little it is off, so long as
// that shows in the digits computed, which are some thirty.
//
// # What is claimed
//
// Result.Lower and Upper: that the optimum of each state lies between them. For
// criterion "average" it is the long-run average per step, or per unit of time
// in a CTMC, whatever the structure of the model; for "discounted" that of
// mdp.Discounted, on the uniformized process in a CTMC; for "total" the expected
// total until the target, with the infinite values of mdp.TotalCost:
//
//	minimize: +Inf where no policy reaches the target with probability 1
//	minimize: −Inf where a cycle of negative cost can be gone round as often
//	          as one likes before the target is reached
//	maximize: +Inf where some policy may not reach the target
//
// and for "finite" the total of Horizon steps, without a terminal cost.
//
// Values (and Exact, to the last digit), Policy, Status, Tolerance, Initial,
// Classification and Aperiodic: see [Report]. Method, Choice, Iterations,
// Seconds and Relative are not looked at.
//
// # Which model
//
// The numbers are exactly those of the mdpio.Model: its rationals where it was
// read with them, its float64 otherwise. A float64 row whose sum is not 1 stands
// for moving to other states with the probabilities as they are, and staying with
// the rest, as in package mdp; one that is off by more than rounding is divided
// by its sum first, as by mdp.NewTable. Costs are Model.ExpectedRewards. Tight
// bounds found for the one kind of numbers may fail for the other.
//
// # How
//
// States and choices are written as a generator, with rates q to other states
// and a rate x of ending: for a policy π,
//
//	0 = c + Σ_j q_j·(h(j) − h(s)) − x·h(s),
//
// where x = 0, or (1−β)·Λ with rates β·q for a discount factor β. With r_k(h) for
// the right-hand side under choice k, and costs that are minimised (rewards are
// negative costs), any h proves
//
//	r_k(h) ≥ 0 for all choices k  ⇒  h ≤ optimum,
//	r_π(h) ≤ 0                    ⇒  h ≥ cost of π ≥ optimum,
//	min over all k of r_k(h) ≤ optimal gain ≤ gain of π ≤ max of r_π(h).
//
// The first two hold where the target, or the end, is reached with probability
// 1: by all policies that count, and by π (Bertsekas and Tsitsiklis 1991). The
// third, with x = 0, holds in an end component, in which there is a way from each
// state to each other (Odoni 1969; Puterman 1994, Theorem 8.5.5).
//
// Problems are taken apart first. The graph says which totals are infinite. The
// strongly connected components of a problem are solved one after the other,
// each after all that it leads to; one of a single state is a division. For
// averages, the gain of every maximal end component comes first (de Alfaro 1997),
// then the problem of which to end in. States between which one can move at no
// cost are one. A finite horizon is backward induction.
//
// In a component h comes from policy iteration, begun with the policy of the
// result. A policy is evaluated in float64 by an elimination without
// subtractions, or by an iteration where that fills up, and refined to double
// that precision. Then h is moved down and up by about as much as rounding can
// have done, and the inequalities above are looked at row by row. Nothing else
// is trusted: a poor h proves poor bounds, not wrong ones. The policy of the
// result is evaluated in the same way, with nothing to choose.
//
// # Arithmetic
//
// Numbers that count are balls: a double-double middle and a radius that grows by
// the rounding that error-free transformations measure (Dekker 1971; Knuth). What
// has few digits is computed exactly, with radius 0. Where a claim of a small
// model is undecided, because it is the very number or the model is badly
// conditioned, all is done again in rationals.
//
// # References
//
//   - H.M. Markowitz, The elimination form of the inverse and its application to
//     linear programming, Management Science 3 (1957), 255-269.
//   - R.A. Howard, Dynamic Programming and Markov Processes, MIT Press, 1960.
//   - A.R. Odoni, On finding the maximal gain for Markov decision processes,
//     Operations Research 17 (1969), 857-860.
//   - T.J. Dekker, A floating-point technique for extending the available
//     precision, Numerische Mathematik 18 (1971), 224-242.
//   - R.E. Tarjan, Depth-first search and linear graph algorithms, SIAM Journal
//     on Computing 1 (1972), 146-160.
//   - J.A. Meijerink and H.A. van der Vorst, An iterative solution method for
//     linear systems of which the coefficient matrix is a symmetric M-matrix,
//     Mathematics of Computation 31 (1977), 148-162.
//   - W.K. Grassmann, M.I. Taksar and D.P. Heyman, Regenerative analysis and
//     steady state distributions for Markov chains, Operations Research 33
//     (1985), 1107-1116.
//   - D.P. Bertsekas and J.N. Tsitsiklis, An analysis of stochastic shortest path
//     problems, Mathematics of Operations Research 16 (1991), 580-595.
//   - M. Haviv and M.L. Puterman, An improved algorithm for solving communicating
//     average reward Markov decision processes, Annals of Operations Research 28
//     (1991), 229-242.
//   - H.A. van der Vorst, Bi-CGSTAB: a fast and smoothly converging variant of
//     Bi-CG for the solution of nonsymmetric linear systems, SIAM Journal on
//     Scientific and Statistical Computing 13 (1992), 631-644.
//   - M.L. Puterman, Markov Decision Processes, Wiley, 1994.
//   - G.L.G. Sleijpen and H.A. van der Vorst, Maintaining convergence properties
//     of BiCGstab methods in finite precision arithmetic, Numerical Algorithms 10
//     (1995), 203-223.
//   - C. Courcoubetis and M. Yannakakis, The complexity of probabilistic
//     verification, Journal of the ACM 42 (1995), 857-907.
//   - L. de Alfaro, Formal verification of probabilistic systems, PhD thesis,
//     Stanford University, 1997.
//   - N.J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition,
//     SIAM, 2002.
//   - J.N. Tsitsiklis, NP-hardness of checking the unichain condition in average
//     cost MDPs, Operations Research Letters 35 (2007), 319-323.
//   - E.A. Feinberg and F. Yang, On polynomial cases of the unichain
//     classification problem for Markov decision processes, Operations Research
//     Letters 36 (2008), 527-530.
package verify
