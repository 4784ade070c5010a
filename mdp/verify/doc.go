// Package verify proves, or refutes, what a result says of a model, from the model
// and a certificate alone: [Check] takes them as mdpio reads them and says of every
// claim whether it holds. It solves nothing, and shares no code with what does.
//
// A claim [Holds] or is [Refuted] only where that is proved, for the exact numbers
// of the files. What can be shown neither way is [Undecided]. Costs are minimised
// here; for rewards that are maximised, signs and sides change places.
//
// # Which model
//
// Choice k of state s leads to states j with weights w(j), its probabilities divided
// by their exact sum, or the rates of a CTMC, and costs c(k): see [mdpio.RewardModel].
// With D_k x = Σ_j w(j)·(x(j) − x(s)) the probability of staying never occurs. The
// discount factor β is [mdpio.Result.DiscountFactor].
//
// # What proves it
//
// For a discount factor, in every state s:
//
//	c(k) + β·D_k L − (1−β)·L(s) ≥ 0 for all k  ⇒  L ≤ optimum,
//	c(k) + β·D_k U − (1−β)·U(s) ≤ 0 for the policy's k  ⇒  U ≥ its cost ≥ optimum.
//
// For a long-run average, of whatever structure, with gains g and values h,
//
//	D_k g ≥ 0 for all k, c(k) + D_k h − g(s) ≥ 0 for those that stay in their
//	maximal end component  ⇒  g ≤ optimal gain:
//
// a policy's closed classes lie in end components, where g does not fall along its
// chain, so that it is constant in a class, and the second line, summed over the
// stationary distribution, says that the class costs no less. The other side is the
// same with the signs turned round and the choices of a policy, whose end components
// are its closed classes.
//
// For a total until a target, the values are +Inf exactly where no policy reaches
// the target for sure or, where rewards are maximised, some policy may miss it: the
// graph shows where. Elsewhere L with c(k) + D_k L ≥ 0 for all k that never lead to
// +Inf, and U with c(k) + D_k U ≤ 0 for a policy that surely reaches the target, are
// bounds. They are −Inf from where one may come, never to +Inf, to a closed class of
// the policy of a cycle where c(k) + D_k x ≤ 0 everywhere, and < 0 somewhere: its
// mean cost is negative. Values in the target are 0.
//
// An inequality that fails voids the states from which it may be reached by the
// choices looked at. From the others it cannot be, so they prove what they do alone.
//
// The scale that tolerances are relative to, what absolute costs come to under the
// policy, is bounded by the first inequalities with |c(k)| and the policy's choices.
// A finite horizon needs no certificate: it is gone through backwards.
//
// # Arithmetic
//
// Expressions are summed up in double-double with a bound on rounding; where their
// sign is in doubt, in rationals. Backward induction keeps intervals, and is done
// again in integers over a common denominator where a claim is undecided.
//
// # References
//
//   - R.E. Tarjan, SIAM Journal on Computing 1 (1972), 146-160 (components).
//   - M.L. Puterman, Markov Decision Processes, Wiley, 1994.
//   - C. Courcoubetis and M. Yannakakis, Journal of the ACM 42 (1995), 857-907, and
//     L. de Alfaro, Formal verification of probabilistic systems, PhD thesis,
//     Stanford University, 1997 (what is reached for sure, end components).
//   - J.N. Tsitsiklis, Operations Research Letters 35 (2007), 319-323, and
//     E.A. Feinberg and F. Yang, 36 (2008), 527-530 (unichain models).
package verify
