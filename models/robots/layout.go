package robots

import (
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/queue"
)

// service is the indexing time as phases, of which those that no service ever
// reaches are left out.
type service struct {
	start []float64   // α_j, probability that a service starts in phase j
	moves [][]float64 // T_ij, rate of moves from phase i to phase j ≠ i
	exits []float64   // t_i, rate at which the service ends
	leave []float64   // t_i + Σ_j T_ij
}

func newService(f Fleet) (*service, error) {
	if f.exponential() {
		return &service{[]float64{1}, [][]float64{{0}}, []float64{f.ServiceRate}, []float64{f.ServiceRate}}, nil
	}
	law, err := queue.PhaseTypeOf(f.Service)
	if err != nil {
		return nil, fmt.Errorf("robots: Service: %w", err)
	}
	start, generator, exits := law.Start(), law.Generator(), law.ExitRates()
	used := reachedPhases(start, generator)
	s := &service{}
	for _, i := range used {
		moves, leave := make([]float64, len(used)), exits[i]
		for k, j := range used {
			if j != i {
				moves[k] = generator[i][j]
				leave += moves[k]
			}
		}
		s.start, s.moves = append(s.start, start[i]), append(s.moves, moves)
		s.exits, s.leave = append(s.exits, exits[i]), append(s.leave, leave)
	}
	return s, nil
}

// reachedPhases returns the phases that a service may be in, ascending.
func reachedPhases(start []float64, generator [][]float64) []int {
	var reached []int
	seen := make([]bool, len(start))
	reach := func(i int) {
		if !seen[i] {
			seen[i] = true
			reached = append(reached, i)
		}
	}
	for i, probability := range start {
		if probability > 0 {
			reach(i)
		}
	}
	for k := 0; k < len(reached); k++ {
		for j, rate := range generator[reached[k]] {
			if rate > 0 {
				reach(j)
			}
		}
	}
	slices.Sort(reached)
	return reached
}

func (s *service) phases() int { return len(s.start) }

// mixes numbers the ways in which robots of the classes may be active: the
// numbers (r_1,…,r_m) have the code r_1 + (N_1+1)·(r_2 + (N_2+1)·(r_3 + …)).
type mixes struct {
	robots []int // N_i
	stride []int // of class i in the code
	count  int
}

func newMixes(classes []Class) mixes {
	m := mixes{count: 1}
	for _, class := range classes {
		m.robots, m.stride = append(m.robots, class.Robots), append(m.stride, m.count)
		m.count *= class.Robots + 1
	}
	return m
}

// active returns r_i of a code.
func (m mixes) active(code, class int) int { return code / m.stride[class] % (m.robots[class] + 1) }

// idle reports whether a robot of a class is idle.
func (m mixes) idle(code, class int) bool { return m.active(code, class) < m.robots[class] }

// layout orders the states of a fleet after a decision: by queue length, then
// phase of the service, then mix. A row is the states of one queue length and
// phase; an empty queue has one row, as no page is in service, and the mix
// without active robots is missing from it.
type layout struct {
	mixes
	buffer, phases int
}

func (l layout) rows() int { return 1 + l.buffer*l.phases }

// row returns the row of a queue length and a phase (of no meaning where the
// queue is empty).
func (l layout) row(queue, phase int) int {
	if queue == 0 {
		return 0
	}
	return 1 + (queue-1)*l.phases + phase
}

// place is the inverse of row.
func (l layout) place(row int) (queue, phase int) {
	if row == 0 {
		return 0, 0
	}
	return 1 + (row-1)/l.phases, (row - 1) % l.phases
}

// begin returns the index of the first state of a row.
func (l layout) begin(row int) int { return max(0, row*l.count-1) }

// index returns the index of the state with a mix in a row.
func (l layout) index(row, code int) int { return row*l.count + code - 1 }

// split is the inverse of index.
func (l layout) split(index int) (row, code int) {
	return (index + 1) / l.count, (index + 1) % l.count
}

// MaxFleetBytes is the memory that solving a fleet may take, as
// [Fleet.Forecast] sees it.
const MaxFleetBytes = 4 << 30

// Forecast is the size of a fleet's decision process.
type Forecast struct {
	States float64 // post-decision states
	Bytes  float64 // that a solve by relative value iteration takes, roughly
}

// Forecast returns the size of the decision process: (1+KP)·Π(N_i+1) − 1 states
// for P phases, with the vectors of values and, while a method is chosen, the
// graph of their moves. It returns an error for a fleet that is not valid, or
// whose service is not of phase type.
func (f Fleet) Forecast() (Forecast, error) {
	if err := f.Validate(); err != nil {
		return Forecast{}, err
	}
	s, err := newService(f)
	if err != nil {
		return Forecast{}, err
	}
	return f.forecast(s), nil
}

func (f Fleet) forecast(s *service) Forecast {
	states := 1 + float64(f.Buffer)*float64(s.phases())
	for _, class := range f.Classes {
		states *= float64(class.Robots) + 1
	}
	// A departure leads to a start in some phase, with or without an activation
	// of each class; an arrival leads to one of two mixes.
	moves, starts := 0, 0
	for i, row := range s.moves {
		if s.start[i] > 0 {
			starts++
		}
		out := 0
		for _, rate := range row {
			if rate > 0 {
				out++
			}
		}
		moves = max(moves, out)
	}
	const perState, perMove = 64, 24
	successors := (1+len(f.Classes))*(starts+1) + moves + 1
	return Forecast{states - 1, (states - 1) * (perState + perMove*float64(successors))}
}

// checkFleetSize returns a [*SizeError] for a fleet that is too large.
func (f Fleet) checkSize(s *service) error {
	if size := f.forecast(s); size.States >= math.MaxInt32 || size.Bytes > MaxFleetBytes {
		return &SizeError{size}
	}
	return nil
}

// SizeError says that a fleet has more states than can be held. It wraps
// [mdp.ErrTooLarge].
type SizeError struct{ Forecast Forecast }

// Error returns a line with the size found and what is allowed.
func (e *SizeError) Error() string {
	return fmt.Sprintf("robots: %v: the fleet has %.3g states, for which solving takes about %.2g MB; %d MB and %d states are allowed "+
		"(fewer robots, classes, phases or a smaller buffer)",
		mdp.ErrTooLarge, e.Forecast.States, e.Forecast.Bytes/1e6, MaxFleetBytes/1_000_000, math.MaxInt32)
}

// Unwrap returns [mdp.ErrTooLarge].
func (e *SizeError) Unwrap() error { return mdp.ErrTooLarge }
