// Package simulator simulates policies for robots, event by event.
//
// A [Simulation] runs a policy with any service times, recorded ones included, or a
// controller.Adaptive that learns the rates, under any [Load], and estimates the behaviour with
// confidence intervals.
package simulator
