// Package operate runs policies for robots: simulated, and in a crawler.
//
// A [Simulation] plays a policy against any service times, recorded ones included,
// and estimates its behaviour with confidence intervals. An [Adaptive] counts pages and
// robots in a crawler, says what to do, learns the rates as it goes, and makes its
// policies itself.
package operate
