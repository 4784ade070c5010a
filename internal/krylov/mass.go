package krylov

import "github.com/mdpsolve/mdpsolve/internal/parallel"

// Where a chain drifts it is hardly ever in some states of a set. The coarse
// matrix is to be that of what it does there in the long run, so the states of a
// set count by their share in the stationary distribution (iterative aggregation:
// Takahashi 1975), of which a few steps of Jacobi's method for its equations
//
//	π(j)·D(j) = Σ_i π(i)·w(i,j)
//
// show enough: what they miss is even within a set, or small.
const (
	// massSteps is how many steps are made on each level.
	massSteps = 2

	// mostGrowth is how many times as much mass a step may find in a state.
	mostGrowth = 16
)

// moveMass returns the mass after a step, half of which stays where it is. m is
// transposed, and leaving are the sums of the weights out of the states.
func (m *Matrix) moveMass(team *parallel.Team, mass, leaving []float64) []float64 {
	moved := make([]float64, len(mass))
	newSpace(team, len(mass)).blocks(func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			sum := 0.0
			for e := m.start[j]; e < m.start[j+1]; e++ {
				sum += float64(m.weights[e] * mass[m.columns[e]])
			}
			most := mostGrowth * mass[j]
			if sum < most*leaving[j] {
				most = sum / leaving[j]
			}
			moved[j] = (mass[j] + most) / 2
		}
	})
	return moved
}

// weigh sets the shares of the states in the mass of their set, and returns the
// masses of the sets.
func (p *partition) weigh(mass []float64) (ofSets []float64) {
	ofSets, p.share = make([]float64, p.count()), make([]float64, len(mass))
	for k := range ofSets {
		for _, i := range p.of(k) {
			ofSets[k] += mass[i]
		}
		for _, i := range p.of(k) {
			p.share[i] = mass[i] / ofSets[k]
		}
	}
	return ofSets
}
