// Package phases turns a law of service times into the phases that services go
// through.
package phases

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/queue"
)

// Service is a service time as phases. Phases that no service reaches are left
// out.
type Service struct {
	Start []float64   // α_j, probability that a service starts in phase j
	Moves [][]float64 // T_ij, rate of moves from phase i to phase j ≠ i
	Exits []float64   // t_i, rate at which the service ends
	Leave []float64   // t_i + Σ_j T_ij
}

// IsExponential reports whether a law, nil or one of package queue, is without
// memory.
func IsExponential(law queue.Law) bool {
	return law == nil || queue.IsExponential(law)
}

// Of returns the phases of a law; nil stands for exponential services of the
// given rate. It returns an error for a law that is not of phase type.
func Of(law queue.Law, rate float64) (*Service, error) {
	if IsExponential(law) {
		return &Service{[]float64{1}, [][]float64{{0}}, []float64{rate}, []float64{rate}}, nil
	}
	phaseType, err := queue.PhaseTypeOf(law)
	if err != nil {
		return nil, err
	}
	start, generator, exits := phaseType.Start(), phaseType.Generator(), phaseType.ExitRates()
	used := reached(start, generator)
	s := &Service{}
	for _, i := range used {
		moves, leave := make([]float64, len(used)), exits[i]
		for k, j := range used {
			if j != i {
				moves[k] = generator[i][j]
				leave += moves[k]
			}
		}
		s.Start, s.Moves = append(s.Start, start[i]), append(s.Moves, moves)
		s.Exits, s.Leave = append(s.Exits, exits[i]), append(s.Leave, leave)
	}
	return s, nil
}

// reached returns the phases that a service may be in, ascending.
func reached(start []float64, generator [][]float64) []int {
	var found []int
	reach := func(weights []float64) {
		for i, weight := range weights {
			if weight > 0 && !slices.Contains(found, i) {
				found = append(found, i)
			}
		}
	}
	reach(start)
	for k := 0; k < len(found); k++ {
		reach(generator[found[k]])
	}
	slices.Sort(found)
	return found
}

// MostNext returns the greatest number of phases that may follow a phase, in the same service
// or in the next.
func (s *Service) MostNext() int {
	most, starts := 0, positive(s.Start)
	for i, moves := range s.Moves {
		next := positive(moves)
		if s.Exits[i] > 0 {
			next += starts
		}
		most = max(most, next)
	}
	return most
}

// positive returns how many of the numbers are above 0.
func positive(numbers []float64) int {
	count := 0
	for _, x := range numbers {
		if x > 0 {
			count++
		}
	}
	return count
}

// Count returns the number of phases.
func (s *Service) Count() int { return len(s.Start) }
