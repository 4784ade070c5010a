// Package certificate writes, reads and checks results about a model: values and policies,
// with the certificates that prove them.
//
// A [Result] is the answer to a question, with the question itself; its [Certificate]
// holds the vectors that prove it. [Write] and [Read] keep results in JSON files,
// [WriteFile] and [ReadFile] also as arrays of NumPy, without loss. [ReadAnswerFile] also
// reads answers that come from elsewhere: values and policies in CSV, and the schedulers
// that Storm exports.
//
// [Check] proves, or refutes, what a result says of a model, from the model and a
// certificate alone, and says of every claim whether it holds. It solves nothing. With
// the solvers it shares the readers of files, the checks that a model and a result are
// valid (their methods Validate), [mdp.Analyze], which judges the classification, and
// the internal packages doubledouble, graph and parallel. All that proves values is its
// own.
//
// A claim [Holds] or is [Refuted] only where that is proved, for the exact numbers
// of the files, and otherwise [Undecided]. Costs are minimised here; for rewards that
// are maximised, signs change, and lower and upper bounds change places.
//
// # Theorems
//
// Choice k of state s leads to states j with weights w(j), its probabilities divided
// by their exact sum, or the rates of a CTMC, and costs c(k). In
// D_k x = Σ_j w(j)·(x(j) − x(s)) the probability of staying in s drops out. Discounted
// by β = [Result.DiscountFactor],
//
//	c(k) + β·D_k L − (1−β)·L(s) ≥ 0 for all k  ⇒  L ≤ optimum,
//	c(k) + β·D_k U − (1−β)·U(s) ≤ 0 for the k of a policy  ⇒  U ≥ its cost ≥ optimum.
//
// For a long-run average, of any structure, with gains g and values h,
//
//	D_k g ≥ 0 for all k, and c(k) + D_k h − g(s) ≥ 0 for those that stay in their
//	maximal end component  ⇒  g ≤ optimal gain:
//
// the proof is in docs/certificates.md. For an upper bound the inequalities are
// reversed, and hold for the choices of a policy, whose end components are its closed
// classes.
//
// A total until a target is +Inf exactly where no policy reaches the target for sure
// or, where rewards are maximised, some policy may miss it: the graph shows where.
// Elsewhere L with c(k) + D_k L ≥ 0 for all k that never lead to +Inf, and U with
// c(k) + D_k U ≤ 0 for a policy that surely reaches the target, are bounds (Bertsekas
// and Tsitsiklis 1991), with L = U = 0 in the target. A total is −Inf in a state from
// which choices that never lead to +Inf may reach a closed class of the policy of a
// cycle, where c(k) + D_k x ≤ 0, and < 0 somewhere: its mean cost is negative.
//
// A total of all steps has, in place of the target, the end components of choices that cost
// nothing, where a policy may stop: L ≤ 0 and U ≥ 0 there. The values x of the cycle prove the
// sign of the mean in other end components: above 0, they cost +Inf. docs/certificates.md has
// the proof.
//
// If an inequality fails in a state, nothing is proved for the states from which the
// choices concerned may lead there; for all others the proof stands. Tolerances are
// relative to the value of the absolute costs under the policy, which is bounded from
// below by the inequalities for L, with |c(k)| and the choices of the policy only. A
// finite horizon needs no certificate: backward induction is done again.
//
// # Arithmetic
//
// Expressions are summed up in double-double with a bound on rounding or, where the
// sign is in doubt, in rationals; backward induction in integers over one denominator
// or, where that is too long, in double-double intervals.
//
// In a model with intervals nature chooses the weights. One side proves what nature can
// achieve: its inequalities hold for one choice of nature, which follows from its vectors. The
// inequalities of the other side hold for all choices of nature. Such claims are about the
// float64 numbers of the model.
package certificate
