package share

import "math"

// tieError is the improvement on the current action, relative to the values, from which
// another counts as better in float64.
const tieError = 0x1p-50

// Sweep is the sweep of [mdp.LongRunAverage.Improve] and [mdp.Discounted.Improve] in
// float64: several times as fast, but no proof. It returns the least and the greatest
// residual.
func (s *Share) Sweep(v []float64, discount float64, policy []int32, residual []float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for state, kept := range policy {
		first, own := s.stateStart[state], v[state]
		best, action := s.backup(first+kept, v, own, discount), kept
		enough := best - tieError*(math.Abs(best)+math.Abs(own))
		for a := range s.stateStart[state+1] - first {
			if value := s.backup(first+a, v, own, discount); value < enough {
				best, enough, action = value, value, a
			}
		}
		r := best - (1-discount)*own
		policy[state], residual[state] = action, r
		least, most = min(least, r), max(most, r)
	}
	return least, most
}

// backup returns c + β·Σ_j p_j·(v(j) − v(s)) for a choice of a state whose value is given.
func (s *Share) backup(choice int32, v []float64, own, discount float64) float64 {
	begin, end := s.rowStart[choice], s.rowStart[choice+1]
	columns, probabilities := s.columns[begin:end], s.probabilities[begin:end]
	sum := 0.0
	for i, j := range columns {
		sum += probabilities[i] * (v[j] - own)
	}
	return s.costs[choice] + discount*sum
}
