package robots

import (
	"fmt"
	"testing"
)

// BenchmarkSweep times what a solver repeats, on one core and on the result of
// the sweep before, block by block. In both forms a state is one of (q,r,s).
func BenchmarkSweep(b *testing.B) {
	for _, size := range [][2]int{{5, 16}, {50, 100}, {400, 800}} {
		p := Parameters{Robots: size[1], Buffer: size[0], ArrivalRate: 1.0 / 400, ServiceRate: 1, StarvationWeight: 1.4}
		models := bothModels(b, p)
		states := models["event"].NumStates()
		for _, name := range []string{"event", "pair"} {
			m := models[name]
			v, dst, cuts := make([]float64, m.NumStates()), make([]float64, m.NumStates()), m.Blocks()
			b.Run(fmt.Sprintf("model=%s/K=%d/N=%d", name, p.Buffer, p.Robots), func(b *testing.B) {
				shift := 0.0
				for b.Loop() {
					for i := range len(cuts) - 1 {
						shift, _ = m.Sweep(dst, v, 1, shift, cuts[i], cuts[i+1])
					}
					v, dst = dst, v
				}
				b.ReportMetric(float64(states)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mstates/s")
			})
		}
	}
}

func BenchmarkBackup(b *testing.B) {
	p := Parameters{Robots: 800, Buffer: 400, ArrivalRate: 1.0 / 400, ServiceRate: 1, StarvationWeight: 1.4}
	for name, m := range bothModels(b, p) {
		n := m.NumStates()
		v, dst, act := make([]float64, n), make([]float64, n), make([]int32, n)
		b.Run("model="+name, func(b *testing.B) {
			for b.Loop() {
				m.Backup(dst, act, v, 0, n)
				v, dst = dst, v
			}
		})
	}
}
