package krylov

import (
	"sync"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// coarseBlock is the number of sets whose rows are made together.
const coarseBlock = 1024

// coarse returns the matrix of the sets of a partition: the mean of the rows of
// the states of a set, by their share in it, with columns added up; what leads
// back into the set is left out. For the matrix of a chain it is that of the
// chain of the sets, if the shares were those that it has in the long run.
func (m *Matrix) coarse(team *parallel.Team, p *partition) *Matrix {
	count := p.count()
	start, excess := make([]int, count+1), make([]float64, count)
	cuts := parallel.Cuts(count, coarseBlock)
	made := make([]*rows, len(cuts)-1)
	marks := sync.Pool{New: func() any { return newMarks(count) }}
	team.For(len(made), func(block int) {
		x := marks.Get().(*columnMarks)
		made[block] = &rows{}
		for k := cuts[block]; k < cuts[block+1]; k++ {
			begin := len(made[block].columns)
			excess[k] = made[block].add(m, p, k, x)
			start[k+1] = len(made[block].columns) - begin
		}
		marks.Put(x)
	})
	for k := range count {
		start[k+1] += start[k]
	}
	columns, weights := make([]int32, start[count]), make([]float64, start[count])
	team.For(len(made), func(block int) {
		copy(columns[start[cuts[block]]:], made[block].columns)
		copy(weights[start[cuts[block]]:], made[block].weights)
	})
	return newMatrix(team, start, columns, weights, excess, m.shift)
}

// columnMarks say where in the row at hand a column is.
type columnMarks struct {
	row   []int32 // one more than the last row that had the column
	place []int32 // where it is in that row
}

func newMarks(count int) *columnMarks {
	return &columnMarks{row: make([]int32, count), place: make([]int32, count)}
}

// rows are some rows of a matrix.
type rows struct {
	columns []int32
	weights []float64
}

// add adds the row of set k and returns its excess.
func (r *rows) add(m *Matrix, p *partition, k int, marks *columnMarks) (excess float64) {
	row := int32(k + 1)
	for _, i := range p.of(k) {
		share := p.share[i]
		excess += float64(share * m.excess[i])
		for e := m.start[i]; e < m.start[i+1]; e++ {
			j := p.set[m.columns[e]]
			w := share * m.weights[e]
			switch {
			case int(j) == k:
			case marks.row[j] == row:
				r.weights[marks.place[j]] += w
			default:
				marks.row[j], marks.place[j] = row, int32(len(r.columns))
				r.columns = append(r.columns, j)
				r.weights = append(r.weights, w)
			}
		}
	}
	return excess
}
