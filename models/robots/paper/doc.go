// Package paper holds the robots process as its authors state it, on the states
// (q,r,s) just before an event, and the iteration that they ran.
//
// [NewProblem] declares the process, and [Solve] is the authors' own relative value
// iteration with their stopping rule, which reproduces the numbers that they print.
// Package robots solves the same process, and its variants, faster and with proved bounds
// on the optimum.
//
// Source: J. Talim, Z. Liu, P. Nain and E.G. Coffman, Jr., Controlling Robots of
// Web Search Engines, draft of 20 May 1999.
package paper
