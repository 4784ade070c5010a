//go:build amd64 && !purego

package rows

// Sweeps in assembly.

// backup does what backupGo does, in assembly.
func (r *Rows) backup(dst []float64, act []int32, v []float64, lo, hi int) {
	var actions *int32
	if act != nil {
		actions = &act[0]
	}
	for ; lo < hi; lo += BlockStates {
		backupAMD64(r, &dst[0], actions, &v[0], lo, min(lo+BlockStates, hi))
	}
}

// backupPolicy does what backupPolicyGo does, in assembly, some times.
func (r *Rows) backupPolicy(dst []float64, act []int32, v []float64, lo, hi, times int) {
	for pass := range times {
		for at := lo; at < hi; at += BlockStates {
			end, ahead := min(at+BlockStates, hi), at+16
			if pass > 0 {
				ahead = end // the rows are in the caches now, where prefetching takes more time than it saves
			}
			backupPolicyAMD64(r, &dst[0], &act[0], &v[0], at, end, ahead)
		}
	}
}

// backupAMD64 sweeps the states lo … hi−1, at least one. It writes no actions
// if act is nil.
//
//go:noescape
func backupAMD64(r *Rows, dst *float64, act *int32, v *float64, lo, hi int)

// backupPolicyAMD64 sweeps the states lo … hi−1, at least one. It prefetches the rows of the states ahead … hi−1.
//
//go:noescape
func backupPolicyAMD64(r *Rows, dst *float64, act *int32, v *float64, lo, hi, ahead int)

// Prefetch prefetches the first rows of a state to which a loop over some states comes soon after states[i]: a loop over
// rows that do not lie one after another waits for memory otherwise.
func (r *Rows) Prefetch(states []int32, i int) {
	const near, far = 8, 16
	if i+far < len(states) {
		prefetchAMD64(r, states[i+near], states[i+far])
	}
}

// prefetchAMD64 prefetches the first rows of the state near, and where those of the state far start.
//
//go:noescape
func prefetchAMD64(r *Rows, near, far int32)
