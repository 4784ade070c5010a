package evaluate

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// The choice of the root of a closed class.

// rootShare is the least ratio of the visits to the root to those to the state that is
// visited most. Values add up between visits to the root, so a root that is rarely visited
// costs digits.
const rootShare = 0x1p-10

// maxRoots bounds the number of roots that are tried.
const maxRoots = 8

// walkSteps bounds the steps of likelyState.
const walkSteps = 1 << 18

// likelyState returns a state of a closed class that is probably often visited: the
// one in which the second half of a random walk spends the most time. The walk is the
// same each time.
func likelyState(chain *Chain, states []int32) int32 {
	steps := min(8*len(states), walkSteps)
	random := rand.New(rand.NewPCG(1, 2))
	spent := make(map[int32]float64)
	s, best := states[0], states[0]
	for step := range steps {
		columns, probabilities := chain.Row(s)
		leave := floats.Sum(probabilities)
		if 2*step >= steps {
			spent[s] += 1 / leave
			if spent[s] > spent[best] {
				best = s
			}
		}
		u := random.Float64() * leave
		i := 0
		for ; i < len(columns)-1 && u >= probabilities[i]; i++ {
			u -= probabilities[i]
		}
		if len(columns) > 0 {
			s = columns[i]
		}
	}
	return best
}
