// Package robots decides when to switch a search engine's robots on and off.
//
// Up to N robots bring pages, each by a Poisson process of rate λ, to a queue
// that holds K of them and indexes them one by one in exponential times of rate
// μ. Whenever a page has been indexed one more robot may be activated, and a
// robot that has delivered a page may be sent out again or left idle. An empty
// queue costs γ per unit of time, a page that finds the queue full costs 1; the
// long-run average of it all is minimised.
//
// [Solve] returns the optimal cost with bounds, the [Policy], its switching
// [Curves] and its [Measures]. [LeastSufficientRobots] says how many robots are
// worth having. [SolvePaper] is the iteration that the authors of the paper ran.
//
// The decision process comes in three forms with the same costs and policies:
// [NewProblem] declares it as the paper states it, [EventModel] is the same
// states without a table, and [PairModel] only what is left after a decision.
//
// # Beyond the paper
//
// A [Fleet] has robots of several classes, indexing times of phase type, and
// costs for pages that wait, active robots and activations. [SolveFleet] finds
// its optimal [FleetPolicy] and [FleetMeasures] on the [FleetModel];
// [Fleet.BestStatic] is the best fixed mix to compare with, and [NewFrontier]
// trades starvation for losses.
//
// # In use
//
// [Simulate] and [SimulateFleet] run a policy against any service times, recorded
// ones included, and give confidence intervals. [Policy.WriteJSON],
// [Policy.WriteCSV] and [ReadPolicy] keep policies in files, as
// [FleetPolicy.WriteJSON] and [ReadFleetPolicy] do those of fleets, and a
// [Controller] applies one in a crawler.
//
// Source: J. Talim, Z. Liu, P. Nain and E.G. Coffman, Jr., Controlling Robots of
// Web Search Engines, draft of 20 May 1999.
package robots
