// Package rates finds the best rates of access for the pages of a [refresh.Problem].
//
// All the rate problems are one: maximise Σf_i(x_i) over Σx_i ≤ R and x_i ≥ 0, f_i
// concave. [Optimize] solves it through its dual: at a price λ of a unit of bandwidth each
// page takes the rate at which its marginal value f_i′(x) has fallen to λ, and λ is the root
// of a monotone function of one variable. A [Solution] holds the rates, their value, a bound
// on the optimum that does not rest on the method having converged, the price λ, and by how
// much the conditions of optimality are missed. Hosts may have caps of their own.
//
// [Sharded] is the same for pages that lie on many machines.
package rates
