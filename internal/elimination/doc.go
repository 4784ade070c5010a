// Package elimination factors absorbing Markov chains without subtractions.
//
// A chain is absorbing here if it leaves its states for good, by an exit, with
// probability 1. With P the transition probabilities between the states, the package
// computes the state-reduction factorization
//
//	I − P = (I − F)·D·(I − G),
//
// with F strictly lower triangular, G strictly upper triangular and D diagonal. It
// eliminates the states one after the other, in the order of a plan. Eliminating
// state k adds to the probability of every transition i → j the probability of
// going there by way of k,
//
//	p_ij ← p_ij + p_ik·p_kj / S_k,  S_k = Σ_{j>k} p_kj + (probability of the exit),
//
// which is the algorithm of Grassmann, Taksar and Heyman (1985): the pivot S_k
// is a sum of the ways out of k instead of 1 − p_kk, so there is no
// subtraction anywhere, and every element of the factors has a relative error
// of at most some multiple of n·u, whatever the conditioning and the order
// (O'Cinneide 1993). Solutions for right-hand sides of one sign inherit that.
//
// The elimination goes front by front. With J the pivots of a front and B its
// border, the matrices of a front are
//
//	JJ   f_ij = p_ij/S_j (j < i), p_ij (j > i)
//	JB   p_ij, and the probability of the exit in one more column
//	BJ   f_ij = p_ij/S_j
//	BB   the contribution to the parent: Σ_{k in J} f_ik·p_kj and what came from
//	     the children, with one more column for the exit
//
// of which the first three are kept. The elements on the diagonals of JJ and BB are
// computed but never used, as the factorization does not need the probability of
// staying in a state.
//
// The [Plan] of a graph gives the order and the fronts; it comes from nested
// dissection. The results are the same to the bit at any number of workers.
package elimination
