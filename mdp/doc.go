// Package mdp solves finite Markov decision processes: it declares them over
// types of your own, stores them or takes them matrix-free, finds the best
// policy for the long-run average, discounted, total or finite-horizon cost or
// reward, and says how good its answers are.
//
// # Models
//
// A [Problem] declares a process in discrete time by functions over your states
// and actions; a [ContinuousProblem] one in continuous time, by rates, which
// [ContinuousProblem.Uniformize] turns into a Problem. Compile explores the
// states that can be reached and returns a sparse table. A [TableBuilder] takes
// rows, [NewTable] plain arrays. Any other implementation of the small interface [Model] is as good;
// optional interfaces ([Explicit], [Sweeper], …) give methods more to work with.
// [Analyze] says how the policies of a model hang together.
//
// # The operator
//
// Everything rests on one operator on functions h of the state,
//
//	(T h)(s) = min over a of { c(s,a) + Σ_j p(j|s,a)·h(j) },
//
// of which a method makes sweeps. Costs are minimised; with [Maximize] costs are
// rewards, whose negatives are minimised.
//
// # Criteria, methods and their guarantees
//
// [LongRunAverage]. For any h whatever
//
//	min_s (T h − h)(s) ≤ g*(s) ≤ max_s (T h − h)(s),
//
// where g*(s) is the least long-run average cost from state s, and the policy
// that attains T h costs no more than the upper bound.
//
//   - [RelativeValueIteration] stops when the bounds of a sweep are within the
//     tolerance of each other. They never move apart from one sweep to the next,
//     and they meet in the limit on every communicating or unichain model,
//     periodic ones included.
//   - [PolicyIteration] stops when no action is better than the present one by
//     more than rounding: on a communicating model, at an optimal policy. It
//     evaluates by elimination without subtractions.
//   - [InexactPolicyIteration] evaluates only as closely as the next policy
//     needs, by sweeps or by a Krylov method.
//
// A [Table] in which the best gain may depend on the state is divided: a method
// solves each maximal end component, and a shortest-path problem says where to
// go. Its bounds are functions L, U of the state with L(s) ≤ Σ_j p(j|s,a)·L(j)
// for all actions that leave a component, and U(s) ≥ Σ_j p(j|s,π)·U(j).
//
// [Discounted]. For any h, with β·p in place of p,
//
//	min_s (T h − h)(s)/(1−β) ≤ v*(s) − h(s) ≤ max_s (T h − h)(s)/(1−β).
//
// [ValueIteration], [ModifiedPolicyIteration] and [InexactPolicyIteration] stop
// when these bounds are within the tolerance; [PolicyIteration] solves it as a
// shortest path on which each step ends with probability 1−β.
//
// [TotalCost]. With h = 0 on the target, any h ≤ T h is a lower bound on the
// cost of every policy that reaches the target for sure, and any h with
// h(s) ≥ c(s,π) + Σ_j p(j|s,π)·h(j) an upper bound on that of such a policy π.
// [PolicyIteration] finds h for both, for costs moved by more than rounding can
// do, strongly connected component by component.
//
// [FiniteHorizon] is backward induction, with a bound on its rounding.
//
// [Solve] sweeps once more over the values it was handed, and takes bounds and
// policy from that sweep alone. [Converged] has one meaning for every criterion and
// method: after the last widening, the bounds of every state are apart by at most
// the tolerance times what is added up for that state, see [Within]. Every other
// [Status] comes with an error beside the result.
//
// [Result.Proof] returns vectors that prove the bounds. Anybody can check their
// inequalities from the model alone; package verify does.
//
// # What rounding does
//
// On an [Explicit] model the last sweep is done in double-double arithmetic, on
// differences h(j) − h(s), so that a row is computed as
//
//	c(s,a) + Σ_{j≠s} p(j|s,a)·(h(j) − h(s)).
//
// The probability of staying is thereby what the others leave, exactly: a row
// that sums to 1 only up to rounding describes a process all the same, the one
// whose bounds are given. The error of such a row is at most (3k+6)·2⁻¹⁰⁶ of
// the sum of the magnitudes of its k terms; each row's bound is moved outward by
// that, and the result rounded outward. A bound is thus a bound in spite of
// rounding: a proof, for the model with those float64 numbers.
//
// An [Inexact] model, whose numbers are rounded themselves, has its bounds
// widened by its relative error times those magnitudes, so that they hold for
// the numbers that were meant. [Rounded] says that of a table: with it, bounds
// are a proof for the decimals or fractions that the table was made of.
//
// For any other Model the sweep is its Backup, in float64. The bounds are moved
// outward by 196·2⁻⁵³ of the largest |h|, which covers a backup that adds up at
// most 64 products. Bounds for [Discounted] are taken from such a sweep too where
// they are good enough. [FiniteHorizon] adds up the error of each backup,
// and goes back once more in double-double, with bounds for each state, where that
// is not good enough.
//
// Package exact solves small models in rational numbers, where no rounding is.
//
// # Determinism
//
// Sweeps are shared by goroutines block by block; blocks depend on the model
// alone. Results are the same to the bit at any number of workers.
//
// # References
//
//   - R.A. Howard, Dynamic Programming and Markov Processes, MIT Press, 1960.
//   - J.B. MacQueen, A modified dynamic programming method for Markovian decision
//     problems, Journal of Mathematical Analysis and Applications 14 (1966),
//     38-43.
//   - A.R. Odoni, On finding the maximal gain for Markov decision processes,
//     Operations Research 17 (1969), 857-860.
//   - P.J. Schweitzer, Iterative solution of the functional equations of
//     undiscounted Markov renewal programming, Journal of Mathematical Analysis
//     and Applications 34 (1971), 495-501.
//   - S.A. Lippman, Applying a new device in the optimization of exponential
//     queuing systems, Operations Research 23 (1975), 687-710.
//   - M.L. Puterman and M.C. Shin, Modified policy iteration algorithms for
//     discounted Markov decision problems, Management Science 24 (1978),
//     1127-1137.
//   - A. George, Nested dissection of a regular finite element mesh, SIAM Journal
//     on Numerical Analysis 10 (1973), 345-363.
//   - I.S. Duff and J.K. Reid, The multifrontal solution of indefinite sparse
//     symmetric linear equations, ACM Transactions on Mathematical Software 9
//     (1983), 302-325.
//   - W.K. Grassmann, M.I. Taksar and D.P. Heyman, Regenerative analysis and
//     steady state distributions for Markov chains, Operations Research 33
//     (1985), 1107-1116.
//   - M. Haviv and M.L. Puterman, An improved algorithm for solving communicating
//     average reward Markov decision processes, Annals of Operations Research 28
//     (1991), 229-242.
//   - C.A. O'Cinneide, Entrywise perturbation theory and error analysis for
//     Markov chains, Numerische Mathematik 65 (1993), 109-120.
//   - D.P. Bertsekas and J.N. Tsitsiklis, An analysis of stochastic shortest path
//     problems, Mathematics of Operations Research 16 (1991), 580-595.
//   - L. de Alfaro, Formal Verification of Probabilistic Systems, PhD thesis,
//     Stanford University, 1997.
//   - M.L. Puterman, Markov Decision Processes, Wiley, 1994.
package mdp
