package mdp

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Settings of Solve, their defaults and their ranges.

// Defaults of [Settings].
const (
	// DefaultTolerance is the default of Settings.Tolerance.
	DefaultTolerance = 1e-9
	// DefaultMaxIterations is the default of Settings.MaxIterations.
	DefaultMaxIterations = 10_000_000
)

// Settings say how to solve. The zero value stands for the defaults. [Solve] does not
// change them.
type Settings struct {
	// Method is the method to use; 0 lets Solve choose, and Result.Reason say why.
	Method Method

	// Tolerance is the gap between the bounds of a state at which the answer counts as
	// converged, relative to the absolute costs that add up from that state: see
	// [Within]. 0 stands for DefaultTolerance.
	Tolerance float64

	// MaxIterations is the greatest number of iterations. An iteration is a sweep of
	// value iteration, an evaluation of policy iteration, or a step of backward
	// induction: see each [Method]. 0 stands for DefaultMaxIterations.
	MaxIterations int

	// TimeLimit is the time after which Solve returns the best answer so far, with
	// [ErrTimeLimit]; 0 for none.
	TimeLimit time.Duration

	// Workers is the number of goroutines that share the sweeps of a large
	// model; 0 stands for GOMAXPROCS. Results do not depend on it, not in one bit.
	Workers int

	// Values are the values from which methods that sweep start, such as Bias or Value
	// of another [Result]: one for each state, in units of cost; nil for zeros.
	Values []float64

	// Policy is the policy from which [PolicyIteration] and [InexactPolicyIteration]
	// start: the index of an action in each state; nil for none.
	Policy []int32

	// Record, if not nil, is called after each iteration, on the goroutine
	// that called Solve. If it returns an error, Solve stops as if
	// interrupted, with that error.
	Record func(Progress) error

	isGiven bool // Values are the answer, whose bounds [Certify] asks for
}

// Progress is the argument of Settings.Record.
type Progress struct {
	Iteration    int           // iterations done
	Lower, Upper float64       // the method's bounds on the optimum from state 0, before rounding is accounted for
	Elapsed      time.Duration // since Solve was called
}

// Validate returns an error unless all settings are in range. It cannot check the lengths
// of Values and Policy.
func (s Settings) Validate() error {
	_, err := s.ranged(max(1, len(s.Values)))
	return err
}

// withDefaults checks the settings for a model and fills in the defaults.
func (s Settings) withDefaults(model Model) (Settings, error) {
	n := model.NumStates()
	switch {
	case n < 1:
		return s, fmt.Errorf("mdp: a model of %d states is not valid: it needs at least 1", n)
	case s.Policy != nil && len(s.Policy) != n:
		return s, fmt.Errorf("mdp: Settings.Policy of length %d is not valid: the model has %d states", len(s.Policy), n)
	}
	if explicit, ok := model.(Explicit); ok && s.Policy != nil {
		if err := (Policy{Actions: s.Policy}).check(explicit); err != nil {
			return s, err
		}
	}
	return s.ranged(n)
}

// ranged checks the settings for n states and fills in the defaults.
func (s Settings) ranged(n int) (Settings, error) {
	switch {
	case !(s.Tolerance >= 0) || math.IsInf(s.Tolerance, 1):
		return s, fmt.Errorf("mdp: Settings.Tolerance %v is not valid: use a positive number, or 0 for %g", s.Tolerance, DefaultTolerance)
	case s.MaxIterations < 0:
		return s, fmt.Errorf("mdp: Settings.MaxIterations %d is not valid: use a positive number, or 0 for %d", s.MaxIterations, DefaultMaxIterations)
	case s.TimeLimit < 0:
		return s, fmt.Errorf("mdp: Settings.TimeLimit %v is not valid: use a positive duration, or 0 for none", s.TimeLimit)
	case s.Workers < 0:
		return s, fmt.Errorf("mdp: Settings.Workers %d is not valid: use a positive number, or 0 for all processors", s.Workers)
	case s.Values != nil && len(s.Values) != n:
		return s, fmt.Errorf("mdp: Settings.Values of length %d is not valid: the model has %d states", len(s.Values), n)
	}
	for i, v := range s.Values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return s, fmt.Errorf("mdp: Settings.Values[%d] %v is not valid: use finite numbers", i, v)
		}
	}
	if s.Tolerance == 0 {
		s.Tolerance = DefaultTolerance
	}
	if s.MaxIterations == 0 {
		s.MaxIterations = DefaultMaxIterations
	}
	if s.Workers == 0 {
		s.Workers = runtime.GOMAXPROCS(0)
	}
	return s, nil
}

// limits returns the limits of a run that begins.
func (s Settings) limits(begin time.Time) *limit.Run {
	r := &limit.Run{Workers: s.Workers, MaxIterations: s.MaxIterations}
	if s.Record != nil {
		r.Record = func(iteration int, lower, upper float64) error {
			return s.Record(Progress{Iteration: iteration, Lower: lower, Upper: upper, Elapsed: time.Since(begin)})
		}
	}
	return r
}

// within returns a context that ends at the time limit, counted from begin.
func (s Settings) within(ctx context.Context, begin time.Time) (context.Context, context.CancelFunc) {
	if s.TimeLimit <= 0 {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, begin.Add(s.TimeLimit), ErrTimeLimit)
}

// startingFrom returns the settings with the result of another solve as the start.
func (s Settings) startingFrom(r *Result) Settings {
	s.Policy, s.Values = r.Policy, r.Value
	if r.Value == nil {
		s.Values = r.Bias
	}
	if r.isOpen() {
		s.Values = nil
	}
	return s
}

// negative returns the settings for the model with negated costs.
func (s Settings) negative() Settings {
	if s.Values != nil {
		s.Values = vector.Scaled(s.Values, -1)
	}
	if record := s.Record; record != nil {
		s.Record = func(p Progress) error {
			p.Lower, p.Upper = -p.Upper, -p.Lower
			return record(p)
		}
	}
	return s
}
