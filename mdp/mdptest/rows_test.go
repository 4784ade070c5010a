package mdptest

import (
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// rowsModel is a model that is not an mdp.Table. It stores each row separately, and
// implements mdp.Explicit, mdp.Blocked and mdp.Timed, but neither mdp.PolicyBackuper
// nor mdp.Sweeper.
type rowsModel struct {
	choices [][]rowsChoice // by state and action
	rate    float64
}

type rowsChoice struct {
	row  []mdp.Entry
	cost float64
}

// NumStates implements mdp.Model.
func (m *rowsModel) NumStates() int { return len(m.choices) }

func (c rowsChoice) value(v []float64) float64 {
	sum := c.cost
	for _, e := range c.row {
		sum += e.Probability * v[e.State]
	}
	return sum
}

// Backup implements mdp.Model.
func (m *rowsModel) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	for s := lo; s < hi; s++ {
		best, action := math.Inf(1), 0
		for a, c := range m.choices[s] {
			if x := c.value(v); x < best {
				best, action = x, a
			}
		}
		dst[s] = best
		if act != nil {
			act[s] = int32(action)
		}
	}
}

// fullRows implements these two as well.
type fullRows struct{ *rowsModel }

// BackupPolicy implements mdp.PolicyBackuper.
func (m fullRows) BackupPolicy(dst []float64, act []int32, v []float64, lo, hi int) {
	for s := lo; s < hi; s++ {
		dst[s] = m.choices[s][act[s]].value(v)
	}
}

// Sweep implements mdp.Sweeper.
func (m fullRows) Sweep(dst, v []float64, damping, shift float64, lo, hi int) (least, greatest float64) {
	m.Backup(dst, nil, v, lo, hi)
	least, greatest = math.Inf(1), math.Inf(-1)
	for s := lo; s < hi; s++ {
		d := dst[s] - v[s]
		least, greatest = min(least, d), max(greatest, d)
		dst[s] = v[s] + damping*d - shift
	}
	return least, greatest
}

// NumActions implements mdp.Explicit.
func (m *rowsModel) NumActions(s int) int { return len(m.choices[s]) }

// AppendRow implements mdp.Explicit.
func (m *rowsModel) AppendRow(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64) {
	c := m.choices[s][a]
	return append(dst, c.row...), c.cost
}

// rowsBlock is the number of states of a block: so few that small models are
// swept in parts too.
const rowsBlock = 3

// Blocks implements mdp.Blocked.
func (m *rowsModel) Blocks() []int {
	cuts := []int{0}
	for s := rowsBlock; s < m.NumStates(); s += rowsBlock {
		cuts = append(cuts, s)
	}
	return append(cuts, m.NumStates())
}

// Rate implements mdp.Timed.
func (m *rowsModel) Rate() float64 { return m.rate }
