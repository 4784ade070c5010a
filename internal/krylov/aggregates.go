package krylov

import "github.com/mdpsolve/mdpsolve/internal/parallel"

// partition divides the states 0 … n−1 into sets.
type partition struct {
	set     []int32   // of each state
	first   []int32   // first member of each set, and the number of states
	members []int32   // by set, ascending
	share   []float64 // of each state in the mass of its set; see weigh
}

// newPartition lists the members of count sets.
func newPartition(set []int32, count int) *partition {
	p := &partition{set: set, first: make([]int32, count+1), members: make([]int32, len(set))}
	for _, k := range set {
		p.first[k+1]++
	}
	for k := range count {
		p.first[k+1] += p.first[k]
	}
	next := make([]int32, count)
	copy(next, p.first)
	for i, k := range set {
		p.members[next[k]] = int32(i)
		next[k]++
	}
	return p
}

func (p *partition) count() int { return len(p.first) - 1 }

// of returns the members of a set.
func (p *partition) of(set int) []int32 { return p.members[p.first[set]:p.first[set+1]] }

// aggregates joins states to sets of about four: first each with one that is
// free and most strongly connected to it, and then pairs in the same way (Notay
// 2010). Connections count both ways, so that a set is one in which a chain
// mixes quickly. States that it enters faster than it leaves them, as it does
// absorbing ones, are not joined to those that they are entered from: in the long
// run it is not as often in these, which the coarse matrix would take it to be.
//
// mass says how often the chain is in each state, about; nil for equally often.
// It returns that of the sets.
func (m *Matrix) aggregates(team *parallel.Team, mass []float64) (sets *partition, ofSets []float64) {
	n := m.Size()
	alone := make([]int32, n)
	for i := range alone {
		alone[i] = int32(i)
	}
	both := [2]*Matrix{m, m.transpose()}
	sets = match(both, match(both, newPartition(alone, n)))
	if mass == nil {
		mass = make([]float64, n)
		for i := range mass {
			mass[i] = 1
		}
	}
	for range massSteps {
		mass = both[1].moveMass(team, mass, m.leaving(newPartition(alone, n)))
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

// leaving returns the weights that lead out of each set.
func (m *Matrix) leaving(p *partition) []float64 {
	sums := make([]float64, p.count())
	for k := range sums {
		for _, i := range p.of(k) {
			for e := m.start[i]; e < m.start[i+1]; e++ {
				if int(p.set[m.columns[e]]) != k {
					sums[k] += m.weights[e]
				}
			}
		}
	}
	return sums
}

// match joins the sets of a partition two by two. A set of which all strong
// neighbours have been joined joins the strongest of them, or stays alone.
func match(both [2]*Matrix, p *partition) *partition {
	count := p.count()
	leaving := both[0].leaving(p)
	strength := make([]float64, count) // of the connections of the set at hand
	joined := make([]int32, count)     // what each set is joined to
	for k := range joined {
		joined[k] = -1
	}
	var sizes []int8
	var near []int32
	for k := range count {
		if joined[k] >= 0 {
			continue
		}
		near = near[:0]
		for _, m := range both {
			for _, i := range p.of(k) {
				for e := m.start[i]; e < m.start[i+1]; e++ {
					if m.weights[e] == 0 {
						continue
					}
					j := p.set[m.columns[e]]
					if strength[j] == 0 {
						near = append(near, j)
					}
					strength[j] += m.weights[e]
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
	return newPartition(set, len(sizes))
}
