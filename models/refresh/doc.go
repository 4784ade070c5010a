// Package refresh decides how often to access each page of a collection that
// changes without notice, and in which order.
//
// Page i changes as a Poisson process of rate Δ_i (its change rate) and has a
// weight w_i. It is accessed at a rate x_i, and Σx_i is at most the bandwidth
// R. The pages are a struct of slices ([Pages]), and a page is known by its
// index 0 … n−1: in the slices of results, and in a sequence of accesses, which
// is a stream of page indices (iter.Seq[int]), one for each slot.
//
// A [Problem] is to maximise Σf_i(x_i) over Σx_i ≤ R and x_i ≥ 0, f_i concave; hosts may have caps of their own. Package rates solves it. An [Objective] says what f is:
//
//	FixedOrder       freshness, accesses evenly spaced (Azar et al., eq. 6)
//	Random           freshness, accesses at random times (Azar et al., Algorithm 2)
//	Discrete         freshness, a page drawn in each slot (Azar et al., Algorithm 1)
//	Decaying         freshness that decays with the age of the copy (Azar et al., Remark 4)
//	Age              mean age of the copy, accesses evenly spaced
//	Harmonic         mean of H(n) where a copy has missed n changes (Kolobov et al.)
//	Signals          freshness of pages with announced changes (Busa-Fekete et al.)
//	Coffman          Σ c_i r_i, any law of access times (Coffman, Liu, Weber, section 3)
//	CoffmanRandomized the same with pages drawn at random (section 4)
//
// # Packages
//
//	rates      finds the best rates of a problem, on one machine or many
//	sequence   realises rates as an order of accesses, slot by slot
//	estimate   estimates change rates from what accesses saw
//	store      keeps pages that join, leave and change, with their visits, in a file
//	pagefile   reads and writes lists of pages, histories and schedules
//
// # Costs and bounds
//
// [Evaluator] gives the exact obsolescence of any cyclic sequence of accesses,
// slot by slot, beside the bound that no sequence with the same frequencies can
// beat. [LeastObsolescence], [RandomizedObsolescence], [ProportionalBound],
// [RandomizedProportionalBound] and [GoldenRatioLimit] are the closed forms of
// Coffman, Liu and Weber.
//
// # Units
//
// Change rates, access rates and the bandwidth share one unit of time, which is
// the caller's choice. The obsolescence r_i is the fraction of time in which
// page i is out of date, and 1 − r_i its freshness.
//
// Access times follow a law of package queue, with mean E[X]. A crawler that is
// never idle makes R = 1/E[X] accesses per unit of time, and the papers' access
// frequencies, which sum to 1, are f_i = x_i·E[X].
//
// # Sources
//
// E.G. Coffman, Z. Liu and R.R. Weber, Optimal robot scheduling for web search
// engines, Journal of Scheduling 1 (1998), 15-29, and INRIA report RR-3317
// (1997).
//
// Y. Azar, E. Horvitz, E. Lubetzky, Y. Peres and D. Shahaf, Tractable
// near-optimal policies for crawling, Proceedings of the National Academy of
// Sciences 115 (2018), 8099-8103.
//
// A. Kolobov, Y. Peres, C. Lu and E. Horvitz, Staying up to date with online
// content changes using reinforcement learning for scheduling, Advances in Neural
// Information Processing Systems 32 (2019), 581-591.
//
// R. Busa-Fekete, J. Zimmert, A. György, L. Qiu, T.-W. Sung, H. Shen, H. Choi,
// S. Subramaniam and L. Xiao, A scalable crawling algorithm utilizing noisy
// change-indicating signals, arXiv:2502.02430 (2025).
//
// J. Cho and H. Garcia-Molina, Effective page refresh policies for web
// crawlers, ACM Transactions on Database Systems 28 (2003), 390-426.
package refresh
