// Package robots decides when to switch a search engine's robots on and off.
//
// Up to N robots bring pages, each by a Poisson process of rate λ, to a queue
// that holds K of them and indexes them one by one in exponential times of rate
// μ. Whenever a page has been indexed one more robot may be activated, and a
// robot that has delivered a page may be sent out again or left idle. An empty
// queue costs γ per unit of time, and a page that finds the queue full costs 1; the
// long-run average cost is minimised. [Parameters] may also have several classes of
// robots, indexing times of phase type, and costs of waiting pages, active robots and
// activations.
//
// [Solve] returns the optimal cost with bounds, the [Policy] with its switching
// [Curves], and its [Measures]. [LeastSufficientRobots] returns the number of robots from
// which more do not help, [NewFrontier] trades starvation for losses, and
// [Parameters.BestStatic] is the best fixed number of robots to compare with.
// [Policy.WriteJSON] writes a policy to a file, and [ReadPolicy] reads it.
//
// Package paper has the process and the iteration as the authors state them;
// package simulator simulates policies, package controller runs them in a crawler whose rates
// it learns; package interval has rates in ranges.
//
// Source: J. Talim, Z. Liu, P. Nain and E.G. Coffman, Jr., Controlling Robots of
// Web Search Engines, draft of 20 May 1999.
package robots
