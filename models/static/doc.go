// Package static finds the best fixed number of robots for a search engine
// whose robots bring pages to an indexing queue with a finite buffer.
//
// N robots bring Nλ pages per unit of time, the engine indexes μ pages per
// unit of time, and K pages fit in, the one being indexed included. Too few
// robots let the engine starve, too many lose pages. With ρ = Nλ/μ and a
// weight γ of starvation against loss, the cost per unit of time is
//
//	C(ρ,γ,K) = γ·P(X=0) + Nλ·P(X=K),
//
// X being the number of pages in the queue, or γ·P(X=0) + P(X=K) where the
// probability of a loss is charged in place of its rate ([Cost]).
// [Parameters] hold λ, μ, γ and K; Evaluate gives the cost of a number of
// robots and Optimize the best number; [Sweep] follows it as one parameter
// varies.
//
// Source: Talim, Liu, Nain and Coffman, Controlling Robots of Web Search
// Engines, 1999, section 2.
package static
