package mdp

import (
	"fmt"
	"math"
)

// A sweep of a table streams through its arrays, far more than a cache holds,
// and picks values from all over. What it waits for is memory: processors fetch
// ahead by themselves, but begin anew at each page of 4 KiB. So the two sweeps
// have a form in assembly that asks for what comes next in time (see
// tablebackup_amd64.s), which halves the time of a sweep over a large table. It
// does the same operations in the same order as the form in Go, so the bits are
// the same: products and sums are never fused (the conversions to float64
// forbid it to the compiler).

// Backup implements [Model].
func (t *Table) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	if lo >= hi {
		return
	}
	t.checkLengths(dst, act, v, lo, hi)
	t.backup(dst, act, v, lo, hi)
}

// BackupPolicy implements [PolicyBackuper]. It panics where act names an action that
// a state does not have.
func (t *Table) BackupPolicy(dst []float64, act []int32, v []float64, lo, hi int) {
	if lo >= hi {
		return
	}
	t.checkLengths(dst, act, v, lo, hi)
	start := t.stateStart[lo : hi+1]
	for i, a := range act[lo:hi] {
		if a < 0 || a >= start[i+1]-start[i] {
			panic(fmt.Sprintf("mdp: action %d of state %d, which has %d", a, lo+i, start[i+1]-start[i]))
		}
	}
	t.backupPolicy(dst, act, v, lo, hi)
}

// checkLengths panics unless a sweep over states of the table stays within its
// slices, which assembly does not look at.
func (t *Table) checkLengths(dst []float64, act []int32, v []float64, lo, hi int) {
	n := t.NumStates()
	if lo < 0 || hi > n || len(dst) < hi || len(v) < n || act != nil && len(act) < hi {
		panic(fmt.Sprintf("mdp: backup of the states %d … %d of %d, of %d values into %d, with %d actions",
			lo, hi-1, n, len(v), len(dst), len(act)))
	}
}

// backupGo is Backup for lo < hi.
//
// It walks through choices and entries with two running indices, which is half
// again as fast as taking slices of each row.
func (t *Table) backupGo(dst []float64, act []int32, v []float64, lo, hi int) {
	columns, probabilities := t.columns, t.probabilities[:len(t.columns)]
	choice := t.stateStart[lo]
	entry := int(t.rowStart[choice])
	for s := lo; s < hi; s++ {
		first, best, action := choice, math.Inf(1), choice
		for last := t.stateStart[s+1]; choice < last; choice++ {
			sum := 0.0
			for end := int(t.rowStart[choice+1]); entry < end; entry++ {
				sum += float64(probabilities[entry] * v[columns[entry]])
			}
			if sum += t.costs[choice]; sum < best {
				best, action = sum, choice
			}
		}
		dst[s] = best
		if act != nil {
			act[s] = action - first
		}
	}
}

// backupPolicyGo is BackupPolicy for lo < hi and actions that there are.
func (t *Table) backupPolicyGo(dst []float64, act []int32, v []float64, lo, hi int) {
	columns, probabilities := t.columns, t.probabilities[:len(t.columns)]
	for s := lo; s < hi; s++ {
		choice := t.stateStart[s] + act[s]
		sum := 0.0
		for entry, end := int(t.rowStart[choice]), int(t.rowStart[choice+1]); entry < end; entry++ {
			sum += float64(probabilities[entry] * v[columns[entry]])
		}
		dst[s] = sum + t.costs[choice]
	}
}
