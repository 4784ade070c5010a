package krylov

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// aggregates joins states to sets of about four: first each state with the free
// state most strongly connected to it, and then pairs in the same way (Notay
// 2010). Connections count both ways, so that the chain mixes quickly in a set. A
// state that is entered faster than left, as an absorbing one, is not joined to the states
// from which it is entered: the chain is less often in these, but the coarse matrix would
// assume equal shares.
//
// mass says roughly how often the chain is in each state; nil for equally often.
// It returns the mass of the sets.
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
	// strongShare is the least strength, as a share of a set's strongest connection, of a
	// connection by which the set is joined to a free one.
	strongShare = 0.25
	// mostJoined is the greatest number of sets joined to one, when a set left over joins others.
	mostJoined = 4
	// mostEntered is the largest ratio of the connection between two sets that are joined
	// to the weight that leaves one of them.
	mostEntered = 4
)

// leaving returns the total weight that leads out of each set of a partition.
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
	strength := make([]float64, count) // of the connections of the current set
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
		strength[k] = 0 // the set itself, if it is one of them
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

// If a chain drifts it is hardly ever in some states of a set. The coarse matrix
// describes the long run, so the states of a set count by their share in the stationary
// distribution (iterative aggregation: Takahashi 1975). A few steps of Jacobi's method for
// its equations
//
//	π(j)·D(j) = Σ_i π(i)·w(i,j)
//
// approximate it well enough: the error is nearly the same throughout a set, or small.
const (
	// massSteps is the number of steps on each level.
	massSteps = 2

	// mostGrowth is the largest factor by which a step may raise the mass of a state.
	mostGrowth = 16
)

// moveMass returns the mass after a step in which half of it stays, given the reversed
// chain and the sums of the weights out of the states.
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
