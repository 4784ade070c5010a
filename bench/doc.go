// Package bench measures. It has no code of its own but benchmarks, which are
// run by
//
//	go test -run '^$' -bench . ./bench
//
// and compared by benchstat. With -short the largest sizes are left out; docs/performance.md
// has measured times. Names have the form
// model=…/states=…/method=…/workers=…; each benchmark reports, next to the time
// of a whole solve or of a fixed number of sweeps, the work it did: sweeps,
// millions of states a second (of the (q,r,s) process, whichever form of it is
// swept, so that forms compare), nanoseconds a state, and the bytes a second
// that a sweep moves where they stream through memory. BenchmarkTriad is
// STREAM's triad, the speed of memory in the same run.
package bench
