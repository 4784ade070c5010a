// Package operate runs policies for robots: simulated, and in a crawler.
//
// A [Simulation] plays a policy against any service times, recorded ones included,
// and estimates its behaviour with confidence intervals. A [Controller] counts
// pages and robots in a crawler and answers from a policy; an [Adaptive] learns the rates
// as it goes, and makes its policies itself.
package operate
