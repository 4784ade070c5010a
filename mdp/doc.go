// Package mdp solves finite Markov decision processes for the long-run average,
// discounted, total or finite-horizon cost or reward, and proves bounds on its
// answers. A machine breaks down with probability 1/10 a step. Is it better to repair it
// for 10, or to do without it for 5 a step?
//
//	var b mdp.TableBuilder
//	b.AddState()            // 0: it works
//	b.AddAction(0)
//	b.AddTransition(0, 0.9)
//	b.AddTransition(1, 0.1)
//	b.AddState()            // 1: it is broken
//	b.AddAction(10)         // action 0: repair it
//	b.AddTransition(0, 1)
//	b.AddAction(5)          // action 1: do without it
//	b.AddTransition(1, 1)
//	table, _ := b.Build()
//	result, _ := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{})
//	fmt.Println(result.Gain, result.Lower, result.Upper, result.Policy) // a gain of 10/11: repair
//
// # Models
//
// A [Problem] declares a process in discrete time by functions of your own states and
// actions, a [ContinuousProblem] one in continuous time by rates; Compile explores the
// states that can be reached. A [TableBuilder] takes rows state by state, [NewTable]
// plain arrays. All of them make a [Table]. You can also implement the interface [Model]
// yourself; optional interfaces ([Explicit], [Sweeper], [PolicyBackuper], …) allow more
// methods. [Analyze] classifies a model by its graph. Package modelfile reads models from files
// and writes them, those of a Problem too.
//
// An [Uncertain] model has intervals of probabilities or rates, from which nature chooses
// what is the worst for the controller or, after With, the best. Solve solves it like any other.
//
// # Criteria and methods
//
// All methods rest on the operator
//
//	(T h)(s) = min over a of { c(s,a) + Σ_j p(j|s,a)·h(j) }.
//
// Costs are minimised; with [Maximize] they are rewards.
//
// [LongRunAverage]. For any h, the least average cost g* from any state of a
// communicating model satisfies
//
//	min_s (T h − h)(s) ≤ g* ≤ max_s (T h − h)(s),
//
// and the policy that attains T h costs no more than the upper bound.
//
//   - [RelativeValueIteration] sweeps until these bounds are within the tolerance.
//     The bounds never move apart, and meet in the limit on every communicating or
//     unichain model, periodic ones included.
//   - [PolicyIteration] evaluates policies exactly, by elimination without
//     subtractions, and stops when no action is better by more than rounding.
//   - [InexactPolicyIteration] evaluates a policy only as accurately as needed to improve
//     it: by sweeps, by elimination if that is cheap, or by a Krylov method.
//
// If the optimal gain may depend on the state, the model is divided: a method solves
// each maximal end component, and a shortest-path problem decides where to go.
//
// [Discounted]. With β·p in place of p,
//
//	min_s (T h − h)(s)/(1−β) ≤ v*(s) − h(s) ≤ max_s (T h − h)(s)/(1−β).
//
// [ValueIteration], [ModifiedPolicyIteration] and [InexactPolicyIteration] stop when
// these bounds are within the tolerance; [PolicyIteration] solves a shortest-path
// problem in which each step ends the process with probability 1−β.
//
// [TotalCost]. [PolicyIteration] solves one strongly connected component after another.
// With h = 0 on the target, any h ≤ T h is a lower bound on the cost of every policy
// that reaches the target with probability 1, and any h with
// h(s) ≥ c(s,π) + Σ_j p(j|s,π)·h(j) is an upper bound on the cost of such a policy π.
//
// [FiniteHorizon] is backward induction.
//
// # What is proved
//
// [Solve] does not trust a method: bounds and policy of a [Result] come from a fresh
// sweep over the final values. [Converged] has one meaning: the bounds of every state,
// widened for rounding, differ by at most the tolerance times the absolute costs that
// add up from that state, see [Within]. With every other [Status], Solve also returns an
// error. [Result.Proof] returns vectors that prove the bounds: their inequalities can be
// checked from the model alone, as package certificate does. [Certify] proves values that an
// iteration of your own has found.
//
// Bounds hold in spite of rounding. On an [Explicit] model, rows are computed in
// double-double arithmetic from differences,
//
//	c(s,a) + Σ_{j≠s} p(j|s,a)·(h(j) − h(s)),
//
// so that the probability of staying is exactly what the others leave. The error of a
// row of k terms is at most (3k+6)·2⁻¹⁰⁶ of the sum of their magnitudes; bounds are
// moved outward by that and rounded outward. For any other model, the sweep is its
// Backup in float64: bounds are moved outward by 196·2⁻⁵³ of the largest |h|, which
// covers a backup that adds up at most 64 products, and by 4·2⁻⁵³ of their own size.
// Bounds for [Discounted] come from such a sweep too, if they are close enough.
// [FiniteHorizon] adds up the errors of its backups, and repeats them in double-double
// if the sum is too large for some state.
//
// These are proofs for the float64 numbers of the model. The bounds of an [Approximate]
// model, whose numbers are rounded, are widened by its relative error. With [Rounded],
// they are proofs for the decimals or fractions that a table was made from. Package
// exact solves small models in rational numbers.
//
// Goroutines share a sweep block by block, and the blocks depend on the model
// alone: results are the same to the bit for any number of workers.
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
