//go:build !amd64 || purego

package rows

// Sweeps where there is no assembly.

// backup has no assembly on this processor.
func (r *Rows) backup(dst []float64, act []int32, v []float64, lo, hi int) {
	r.backupGo(dst, act, v, lo, hi)
}

func (r *Rows) backupPolicy(dst []float64, act []int32, v []float64, lo, hi, times int) {
	for range times {
		r.backupPolicyGo(dst, act, v, lo, hi)
	}
}

// Prefetch needs assembly.
func (*Rows) Prefetch([]int32, int) {}
