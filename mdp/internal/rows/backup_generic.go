//go:build !amd64 || purego

package mdp

func (t *Table) backup(dst []float64, act []int32, v []float64, lo, hi int) {
	t.backupGo(dst, act, v, lo, hi)
}

func (t *Table) backupPolicy(dst []float64, act []int32, v []float64, lo, hi int) {
	t.backupPolicyGo(dst, act, v, lo, hi)
}
