package mdp

import (
	"fmt"
	"math"
	"runtime"
	"time"
)

// Defaults of [Settings].
const (
	// DefaultTolerance is the relative gap between the bounds.
	DefaultTolerance = 1e-9
	// DefaultMaxRounds bounds the sweeps of value iteration.
	DefaultMaxRounds = 10_000_000
)

// Settings say how to solve. The zero value asks for the defaults. Settings
// are copied by [Solve] and never changed.
type Settings struct {
	// Method solves the model; nil lets Solve choose and say why.
	Method Method

	// Tolerance is the gap between the bounds of a state, relative to what is added
	// up there, at which the answer counts as converged: see [Within]. 0 stands for
	// DefaultTolerance.
	Tolerance float64

	// MaxRounds bounds the rounds of the method: sweeps of value iteration,
	// evaluations of policy iteration. 0 stands for DefaultMaxRounds.
	MaxRounds int

	// TimeLimit bounds the time; 0 for none. It is looked at between rounds, and
	// between the sweeps within a round of policy iteration.
	TimeLimit time.Duration

	// Workers is the number of goroutines that share the sweeps of a large
	// model; 0 stands for GOMAXPROCS. Results do not depend on it, to the bit.
	Workers int

	// Values are the values to start from, in units of cost, of length n; nil
	// for zero.
	Values []float64

	// Policy is the policy to start from, an action of each state, where the
	// method goes from policy to policy; nil for none.
	Policy []int32

	// Record, where not nil, is called after each round from the goroutine
	// that called Solve. If it returns an error the solve ends as if
	// interrupted, with that error.
	Record func(Progress) error
}

// Progress is what Settings.Record sees.
type Progress struct {
	Round        int           // rounds done
	Lower, Upper float64       // on the optimal gain, before the fresh sweep of [Solve]
	Elapsed      time.Duration // since Solve was called
}

// Validate returns an error unless the settings are in range, whatever the
// length of Values.
func (s Settings) Validate() error {
	_, err := s.withDefaults(max(1, len(s.Values)))
	return err
}

// withDefaults checks the settings for a model of n states and fills in the
// defaults.
func (s Settings) withDefaults(n int) (Settings, error) {
	switch {
	case n < 1:
		return s, fmt.Errorf("mdp: model of %d states found; 1 or more are allowed", n)
	case !(s.Tolerance >= 0) || math.IsInf(s.Tolerance, 1):
		return s, fmt.Errorf("mdp: Settings.Tolerance %v found; a number from 0 (default %g) up is allowed", s.Tolerance, DefaultTolerance)
	case s.MaxRounds < 0:
		return s, fmt.Errorf("mdp: Settings.MaxRounds %d found; a number from 0 (default %d) up is allowed", s.MaxRounds, DefaultMaxRounds)
	case s.TimeLimit < 0:
		return s, fmt.Errorf("mdp: Settings.TimeLimit %v found; a duration from 0 (none) up is allowed", s.TimeLimit)
	case s.Workers < 0:
		return s, fmt.Errorf("mdp: Settings.Workers %d found; a number from 0 (all) up is allowed", s.Workers)
	case s.Policy != nil && len(s.Policy) != n:
		return s, fmt.Errorf("mdp: Settings.Policy of length %d found; %d, the number of states, is allowed", len(s.Policy), n)
	case s.Values != nil && len(s.Values) != n:
		return s, fmt.Errorf("mdp: Settings.Values of length %d found; %d, the number of states, is allowed", len(s.Values), n)
	}
	for i, v := range s.Values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return s, fmt.Errorf("mdp: Settings.Values[%d] %v found; a finite number is allowed", i, v)
		}
	}
	if s.Tolerance == 0 {
		s.Tolerance = DefaultTolerance
	}
	if s.MaxRounds == 0 {
		s.MaxRounds = DefaultMaxRounds
	}
	if s.Workers == 0 {
		s.Workers = runtime.GOMAXPROCS(0)
	}
	return s, nil
}

// negative returns settings for a model with all signs turned around.
func (s Settings) negative() Settings {
	if s.Values != nil {
		s.Values = scaled(s.Values, -1)
	}
	if record := s.Record; record != nil {
		s.Record = func(p Progress) error {
			p.Lower, p.Upper = -p.Upper, -p.Lower
			return record(p)
		}
	}
	return s
}
