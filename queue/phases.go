package queue

import "fmt"

// MaxPhases is the greatest number of phases of a law that [PhaseTypeOf]
// writes out.
const MaxPhases = 1024

// PhaseTypeOf returns a law of this package as a [PhaseType], with the same
// mean and, up to the rounding of its rates, the same distribution:
//
//	Exponential        one phase
//	Erlang             k phases in a row, at most MaxPhases
//	Hyperexponential   one phase for each branch, without moves
//	PhaseType          itself
//
// For any other law there is an error that says so. The name of what is
// returned is the text of the law.
func PhaseTypeOf(law Law) (*PhaseType, error) {
	switch l := law.(type) {
	case *PhaseType:
		return l, nil
	case Exponential:
		return unconnected(l.String(), []float64{1}, []float64{l.mean}, l.mean), nil
	case *Hyperexponential:
		return unconnected(l.String(), l.probabilities, l.scaled, l.mean), nil
	case Erlang:
		if l.phases > MaxPhases {
			return nil, fmt.Errorf("%v is not valid: use a law of at most %d phases", l, MaxPhases)
		}
		return inSeries(l), nil
	}
	return nil, fmt.Errorf("%v is not valid: use a phase-type law (exponential, erlang:k, hyperexponential:… or ph:FILE)", law)
}

// unconnected returns the law that stays in the phase in which it starts.
func unconnected(name string, start, means []float64, mean float64) *PhaseType {
	l := &PhaseType{name: name, mean: mean}
	for i, m := range means {
		l.start = append(l.start, start[i])
		l.moves = append(l.moves, make([]float64, len(means)))
		l.exits = append(l.exits, 1/m)
		l.remaining = append(l.remaining, m)
	}
	return l
}

// inSeries returns an Erlang law as phases that follow each other.
func inSeries(erlang Erlang) *PhaseType {
	k, mean := erlang.phases, erlang.Mean()
	rate := float64(k) / mean
	l := &PhaseType{
		name: erlang.String(), mean: mean,
		start: make([]float64, k), exits: make([]float64, k), remaining: make([]float64, k),
	}
	l.start[0], l.exits[k-1] = 1, rate
	for i := range k {
		l.moves = append(l.moves, make([]float64, k))
		if i < k-1 {
			l.moves[i][i+1] = rate
		}
		l.remaining[i] = mean * (float64(k-i) / float64(k))
	}
	return l
}

// Start returns α: the probability that a service starts in each phase.
func (l *PhaseType) Start() []float64 { return append([]float64(nil), l.start...) }

// ExitRates returns −Σ_j T_ij: the rate at which a service in each phase ends,
// per unit of time.
func (l *PhaseType) ExitRates() []float64 { return append([]float64(nil), l.exits...) }

// Generator returns T, scaled to the mean: the rates of moves from phase i to
// phase j, per unit of time, and on the diagonal the negative of the rate of
// leaving i by a move or by the end of the service.
func (l *PhaseType) Generator() [][]float64 {
	generator := make([][]float64, len(l.moves))
	for i, moves := range l.moves {
		generator[i] = append([]float64(nil), moves...)
		leave := l.exits[i]
		for _, rate := range moves {
			leave += rate
		}
		generator[i][i] = -leave
	}
	return generator
}
