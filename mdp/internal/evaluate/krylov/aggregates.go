package krylov

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// aggregates joins states to sets of about four: first each with one that is
// free and most strongly connected to it, and then pairs in the same way (Notay
// 2010). Connections count both ways, so that a set is one in which a chain
// mixes quickly. States that it enters faster than it leaves them, as it does
// absorbing ones, are not joined to those that they are entered from: in the long
// run it is not as often in these, which the coarse matrix would take it to be.
//
// mass says how often the chain is in each state, about; nil for equally often.
// It returns that of the sets.
func (m *matrix) aggregates(mass []float64) (sets *partition, ofSets []float64) {
	n := m.NumStates()
	both := [2]*graph.Chain{&m.Chain, m.Entering()}
	sets = match(both, match(both, alone(n)))
	if mass == nil {
		mass = slices.Repeat([]float64{1}, n)
	}
	for range massSteps {
		mass = moveMass(both[1], mass, leaving(both[0], alone(n)))
	}
	return sets, sets.weigh(mass)
}

const (
	// strongShare is the share of its strongest connection that one must have
	// for two sets to be joined.
	strongShare = 0.25
	// mostJoined is how many sets may be joined by those that are left over.
	mostJoined = 4
	// mostEntered is how many times what leaves a set its connection to one that
	// joins it may be.
	mostEntered = 4
)

// leaving returns the weights of a chain that lead out of each set of a partition.
func leaving(chain *graph.Chain, p *partition) []float64 {
	sums := make([]float64, len(p.members))
	for i, k := range p.set {
		columns, weights := chain.Row(int32(i))
		for e, j := range columns {
			if p.set[j] != k {
				sums[k] += weights[e]
			}
		}
	}
	return sums
}

// match joins the sets of a partition two by two. A set of which all strong
// neighbours have been joined joins the strongest of them, or stays alone.
func match(both [2]*graph.Chain, p *partition) *partition {
	count := len(p.members)
	leaving := leaving(both[0], p)
	strength := make([]float64, count) // of the connections of the set at hand
	joined := slices.Repeat([]int32{-1}, count)
	var sizes []int8
	var near []int32
	for k := range count {
		if joined[k] >= 0 {
			continue
		}
		near = near[:0]
		for _, m := range both {
			for _, i := range p.members[k] {
				columns, weights := m.Row(i)
				for e, to := range columns {
					if weights[e] == 0 {
						continue
					}
					j := p.set[to]
					if strength[j] == 0 {
						near = append(near, j)
					}
					strength[j] += weights[e]
				}
			}
		}
		strength[k] = 0 // the set itself, where it is one of them
		free, strongest := int32(-1), int32(-1)
		for _, j := range near {
			if strength[j] > mostEntered*min(leaving[k], leaving[j]) {
				continue
			}
			if joined[j] < 0 && strength[j] > 0 && (free < 0 || strength[j] > strength[free]) {
				free = j
			}
			if strongest < 0 || strength[j] > strength[strongest] {
				strongest = j
			}
		}
		switch {
		case free >= 0 && strength[free] >= strongShare*strength[strongest]:
			joined[k], joined[free] = int32(len(sizes)), int32(len(sizes))
			sizes = append(sizes, 2)
		case strongest >= 0 && joined[strongest] >= 0 && sizes[joined[strongest]] < mostJoined:
			joined[k] = joined[strongest]
			sizes[joined[k]]++
		default:
			joined[k] = int32(len(sizes))
			sizes = append(sizes, 1)
		}
		for _, j := range near {
			strength[j] = 0
		}
	}
	set := make([]int32, len(p.set))
	for i, k := range p.set {
		set[i] = joined[k]
	}
	return &partition{set: set, members: graph.Members(set, len(sizes))}
}

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

// moveMass returns the mass after a step, half of which stays where it is, given the
// reversed chain and the sums of the weights out of the states.
func moveMass(entering *graph.Chain, mass, leaving []float64) []float64 {
	moved := make([]float64, len(mass))
	for j := range moved {
		sum := 0.0
		columns, weights := entering.Row(int32(j))
		for e, i := range columns {
			sum += float64(weights[e] * mass[i])
		}
		most := mostGrowth * mass[j]
		if sum < most*leaving[j] {
			most = sum / leaving[j]
		}
		moved[j] = (mass[j] + most) / 2
	}
	return moved
}

// weigh sets the shares of the states in the mass of their set, and returns the
// masses of the sets.
func (p *partition) weigh(mass []float64) (ofSets []float64) {
	ofSets, p.share = make([]float64, len(p.members)), make([]float64, len(mass))
	for i, k := range p.set {
		ofSets[k] += mass[i]
	}
	for i, k := range p.set {
		p.share[i] = mass[i] / ofSets[k]
	}
	return ofSets
}
