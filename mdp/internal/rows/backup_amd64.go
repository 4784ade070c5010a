//go:build amd64 && !purego

package mdp

// The two go block by block, as the garbage collector has to wait for the end of
// a call of assembly.

// backup is backupGo.
func (t *Table) backup(dst []float64, act []int32, v []float64, lo, hi int) {
	var actions *int32
	if act != nil {
		actions = &act[0]
	}
	for ; lo < hi; lo += blockStates {
		backupAMD64(t, &dst[0], actions, &v[0], lo, min(lo+blockStates, hi))
	}
}

// backupPolicy is backupPolicyGo.
func (t *Table) backupPolicy(dst []float64, act []int32, v []float64, lo, hi int) {
	for ; lo < hi; lo += blockStates {
		backupPolicyAMD64(t, &dst[0], &act[0], &v[0], lo, min(lo+blockStates, hi))
	}
}

// backupAMD64 sweeps the states lo … hi−1, at least one. It writes no actions
// where act is nil.
//
//go:noescape
func backupAMD64(t *Table, dst *float64, act *int32, v *float64, lo, hi int)

// backupPolicyAMD64 sweeps the states lo … hi−1, at least one, whose actions
// are known to be right.
//
//go:noescape
func backupPolicyAMD64(t *Table, dst *float64, act *int32, v *float64, lo, hi int)
