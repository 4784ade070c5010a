// Package bench holds benchmarks and no other code. Run them with
//
//	go test -run '^$' -bench . ./bench
//
// and compare them with benchstat. -short omits the largest sizes; docs/performance.md
// has measured times. Names have the form
// model=…/states=…/method=…/workers=…; each benchmark reports, next to the time
// of a whole solve or of a fixed number of sweeps, its work: sweeps,
// millions of states a second (always states of the (q,r,s) process, to compare its
// forms), nanoseconds a state, and, for sweeps that stream through memory, bytes a
// second. BenchmarkTriad is STREAM's triad, the speed of memory in the same run.
package bench
