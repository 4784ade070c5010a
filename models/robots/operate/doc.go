// Package operate runs policies for robots: simulated, and in a crawler.
//
// A [Simulation] runs a policy with any service times, recorded ones included, and estimates
// its behaviour with confidence intervals. An [Adaptive] counts pages and robots in a crawler,
// estimates the rates, and decides by policies that it computes for them.
package operate
