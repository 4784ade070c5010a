package rows

import "math"

// A sweep streams through the arrays of the rows, far more than a cache holds,
// and reads values all over memory. Its time is spent waiting for memory: processors
// prefetch, but start again at each page of 4 KiB. So the two sweeps also exist in
// assembly with prefetch instructions (see backup_amd64.s), which halves the time of a
// sweep over many rows. Assembly does the same operations in the same order as Go, so the
// bits are the same: products and sums are never fused (the conversions to float64
// forbid that to the compiler).

// BlockStates is the number of states of a block of a parallel sweep: its values
// fit a first-level cache, and a block takes long enough (10 µs or more) to be worth a
// goroutine. Assembly goes block by block too, as the garbage collector waits for each
// call of it to end.
const BlockStates = 2048

// Backup sets dst[s] to the least of c_k + P_k·v over the choices k of s, and
// act[s], if act is not nil, to the first action that attains it, for
// lo ≤ s < hi. Slices must be long enough: assembly does not check.
func (r *Rows) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	if lo < hi {
		r.backup(dst, act, v, lo, hi)
	}
}

// BackupPolicy sets dst[s] to c_k + P_k·v for action act[s] of lo ≤ s < hi.
// Slices must be long enough and the actions exist: assembly does not check.
func (r *Rows) BackupPolicy(dst []float64, act []int32, v []float64, lo, hi int) {
	if lo < hi {
		r.backupPolicy(dst, act, v, lo, hi, 1)
	}
}

// Relax is BackupPolicy in place, some times, of one state or more, which fit in the caches.
func (r *Rows) Relax(v []float64, act []int32, lo, hi, times int) {
	r.backupPolicy(v, act, v, lo, hi, times)
}

// backupGo is Backup for lo < hi.
//
// It goes through choices and entries with two running indices, which is one and a half
// times as fast as slicing each row.
func (r *Rows) backupGo(dst []float64, act []int32, v []float64, lo, hi int) {
	columns, probabilities := r.Columns, r.Probabilities[:len(r.Columns)]
	choice := r.StateStart[lo]
	entry := int(r.RowStart[choice])
	for s := lo; s < hi; s++ {
		first, best, action := choice, math.Inf(1), choice
		for last := r.StateStart[s+1]; choice < last; choice++ {
			sum := 0.0
			for end := int(r.RowStart[choice+1]); entry < end; entry++ {
				sum += float64(probabilities[entry] * v[columns[entry]])
			}
			if sum += r.Costs[choice]; sum < best {
				best, action = sum, choice
			}
		}
		dst[s] = best
		if act != nil {
			act[s] = action - first
		}
	}
}

// backupPolicyGo is BackupPolicy for lo < hi.
func (r *Rows) backupPolicyGo(dst []float64, act []int32, v []float64, lo, hi int) {
	columns, probabilities := r.Columns, r.Probabilities[:len(r.Columns)]
	for s := lo; s < hi; s++ {
		choice := r.StateStart[s] + act[s]
		sum := 0.0
		for entry, end := int(r.RowStart[choice]), int(r.RowStart[choice+1]); entry < end; entry++ {
			sum += float64(probabilities[entry] * v[columns[entry]])
		}
		dst[s] = sum + r.Costs[choice]
	}
}
