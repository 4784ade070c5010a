package verify

import (
	"cmp"
	"slices"
)

// incomplete is the matrix of a policy, each row divided by what it leaves its
// node at, and an incomplete elimination of it.
type incomplete struct {
	start   []int32 // row i has the entries start[i] … start[i+1]−1
	columns []int32 // increasing
	share   []float64
	total   []float64 // by node: the rate at which it is left
	own     []float64 // by node: the entry on the diagonal, 1, or 0 for an end

	middle []int32   // by node: the first entry of a later node
	factor []float64 // of entries of earlier nodes the multipliers, of later nodes shares
	exit   []float64 // by node
}

func newIncomplete(sys *system[ball], rates *numbers, policy []int32) *incomplete {
	n := len(policy)
	m := &incomplete{start: make([]int32, 1, n+1), total: make([]float64, n), own: make([]float64, n), middle: make([]int32, n), exit: make([]float64, n)}
	var row []link
	for i, k := range policy {
		row = row[:0]
		total := sys.leave[k].high
		for at := sys.rowStart[k]; at < sys.rowStart[k+1]; at++ {
			rate := rates.high[sys.entry[at]]
			row = append(row, link{sys.columns[at], rate})
			total += rate
		}
		m.own[i] = 1
		if total == 0 {
			total, m.own[i] = 1, 0
		}
		slices.SortFunc(row, func(a, b link) int { return cmp.Compare(a.node, b.node) })
		m.total[i] = total
		for _, l := range row {
			if last := len(m.columns) - 1; last >= int(m.start[i]) && m.columns[last] == l.node {
				m.share[last] += l.weight / total
				continue
			}
			m.columns = append(m.columns, l.node)
			m.share = append(m.share, l.weight/total)
		}
		m.start = append(m.start, int32(len(m.columns)))
	}
	m.eliminate()
	return m
}

// eliminate computes the factors: those of an elimination, but for new edges.
func (m *incomplete) eliminate() {
	m.factor = slices.Clone(m.share)
	at := make([]int32, len(m.total)) // 1 + the entry of each column in the row at hand
	for i := range int32(len(m.total)) {
		exit := m.own[i]
		m.middle[i] = m.start[i+1]
		for e := m.start[i]; e < m.start[i+1]; e++ {
			at[m.columns[e]] = e + 1
			if m.columns[e] > i {
				m.middle[i] = min(m.middle[i], e)
			}
		}
		for e := m.start[i]; e < m.middle[i]; e++ {
			s := m.columns[e]
			m.factor[e] /= m.exit[s]
			for f := m.middle[s]; f < m.start[s+1]; f++ {
				switch j := m.columns[f]; {
				case j == i:
					exit -= m.factor[e] * m.factor[f]
				case at[j] > 0:
					m.factor[at[j]-1] += m.factor[e] * m.factor[f]
				}
			}
		}
		for e := m.start[i]; e < m.start[i+1]; e++ {
			at[m.columns[e]] = 0
		}
		if !(exit > leastExit) {
			exit = leastExit // nothing was left out, and the system is closed
		}
		m.exit[i] = exit
	}
}

// leastExit bounds the pivots of the preconditioner.
const leastExit = 0x1p-20

// condition sets y to the solution, nearly, of the matrix times y being x.
func (m *incomplete) condition(y, x []float64) {
	for i := range m.exit {
		sum := x[i]
		for e := m.start[i]; e < m.middle[i]; e++ {
			sum += m.factor[e] * y[m.columns[e]]
		}
		y[i] = sum
	}
	for i := len(m.exit) - 1; i >= 0; i-- {
		sum := y[i]
		for e := m.middle[i]; e < m.start[i+1]; e++ {
			sum += m.factor[e] * y[m.columns[e]]
		}
		y[i] = sum / m.exit[i]
	}
}

// apply sets y to the matrix times x.
func (m *incomplete) apply(y, x []float64) {
	for i := range m.exit {
		sum := m.own[i] * x[i]
		for e := m.start[i]; e < m.start[i+1]; e++ {
			sum -= m.share[e] * x[m.columns[e]]
		}
		y[i] = sum
	}
}
