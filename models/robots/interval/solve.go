// This file finds the policy with the best worst case: strategy improvement by the
// adversary against exact answers of the controller.

package interval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// Solution is an answer of [Solve].
type Solution struct {
	// Parameters are those that were solved, and Rates the ranges.
	Parameters robots.Parameters
	Rates      Rates

	// Gain is the least cost per unit of time in the worst case. Lower and Upper enclose
	// the exact one: there are rates against which no policy costs less than Lower, and
	// Policy costs at most Upper against every adversary. They hold for all
	// parameters and ends of ranges that round to those given.
	Gain, Lower, Upper float64

	// Status says whether the bounds are within the tolerance of each other, see
	// [mdp.Within], and otherwise why the solve ended.
	Status mdp.Status

	// Method is the name of the method that solves for the controller; Reason says why
	// it was chosen, where that was left open.
	Method, Reason string

	// Rounds counts the choices of the adversary that were solved against, and Iterations
	// the iterations of the method in all of them.
	Rounds, Iterations int

	// Elapsed is the time that solving took, measures not included.
	Elapsed time.Duration

	// Policy is the best policy found, and Adversary the worst rates found for it. After an
	// early end, other rates may prove Lower.
	// Policy has the Parameters.
	Policy    *robots.Policy
	Adversary *Adversary

	// Measures is the long-run behaviour of Policy against Adversary; nil if it cannot be
	// computed, or not soon after an interruption.
	Measures *robots.Measures
}

// mostIdle is the number of rounds without better bounds after which the solve ends with
// [mdp.ErrPrecisionLimit].
const mostIdle = 20

// Solve minimises the worst long-run cost per unit of time over all policies, where an
// adversary chooses the rates from the ranges anew in every state. The rates of p must
// lie in the ranges; they are the rates that [Solution.Compare] compares with, and have no
// effect on the answer. There must be one class of robots and exponential services;
// HoldingCost, RobotCost and ActivationCost may be set.
//
// Rounds are those of Hoffman and Karp (On nonterminating stochastic games, Management
// Science 12 (1966), 359-370): the process against the adversary's present choices is
// solved by [mdp.Solve]; then the adversary takes in every state the rates that attain
// the maximum with the values found, if they are better by more than rounding. The gain
// never falls from round to round, and some five rounds are common. Each bounds the
// answer from below by what was solved and from above by the greatest (T W)(q,r), in
// double-double precision. The adversary begins with both rates at their upper ends
// everywhere. Other choices that look bad, such as to fill long queues and empty short
// ones, make chains that leave some states so seldom that no evaluation tells it from
// never, where ranges are wide.
//
// Settings are those of mdp.Solve: MaxIterations counts the iterations of all rounds. So
// are the errors, beside a [*robots.ParameterError]: where the result of mdp.Solve would
// not be nil the solution is not, and holds the best answer so far. A large model that is
// interrupted in its first round has the cost of the most expensive state as Upper.
func Solve(ctx context.Context, p robots.Parameters, rates Rates, settings mdp.Settings) (*Solution, error) {
	begin := time.Now()
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	g, err := newGame(p, rates)
	if err != nil {
		return nil, err
	}
	p.Service = nil // which is exponential
	for _, f := range []struct {
		name  string
		value float64
		Range
	}{{"ArrivalRate", p.ArrivalRate, rates.Arrival}, {"ServiceRate", p.ServiceRate, rates.Service}} {
		if !f.Contains(f.value) {
			return nil, &robots.ParameterError{Field: f.name, Value: f.value, Allowed: fmt.Sprintf("from %v to %v, the range", f.Low, f.High)}
		}
	}
	s := &search{
		game: g, settings: settings, begin: begin,
		solution: &Solution{Parameters: p, Rates: rates, Upper: g.dearest()},
		choice:   make([]int32, g.numStates()),
	}
	stop := s.run(ctx)
	if s.policy == nil {
		return nil, stop
	}
	return s.finish(ctx, stop)
}

// search is a run of Solve.
type search struct {
	game     *game
	settings mdp.Settings
	begin    time.Time
	solution *Solution
	choice   []int32 // the adversary's, present
	policy   []int32 // the best so far, as actions
	answer   []int32 // the adversary's to that
}

// run plays rounds until the bounds meet, or a limit is reached.
func (s *search) run(ctx context.Context) error {
	found, idle := s.solution, 0
	settings := s.settings
	settings.Tolerance = max(s.tolerance()/4, 1e-15)
	for {
		if err := s.limit(&settings); err != nil {
			return err
		}
		model, err := s.game.against(s.choice)
		if err != nil {
			return err
		}
		result, stop := mdp.Solve(ctx, model, mdp.LongRunAverage{}, settings)
		if result == nil {
			return stop
		}
		found.Rounds++
		found.Iterations += result.Iterations
		found.Method, found.Reason = result.Method, result.Reason
		idle++
		if result.Lower > found.Lower {
			found.Lower, idle = result.Lower, 0
		}
		upper, next := found.Upper, s.choice
		if !isPressed(result.Status) || s.policy == nil && s.game.numStates() <= patienceStates {
			upper, next = s.game.respond(result, s.choice)
		}
		if upper < found.Upper || s.policy == nil {
			found.Upper, s.policy, s.answer, idle = min(upper, found.Upper), result.Policy, next, 0
		}
		switch {
		case stop != nil && !errors.Is(stop, mdp.ErrPrecisionLimit):
			found.Status = result.Status
			return stop
		case s.settings.Met(found.Lower, found.Upper):
			found.Status = mdp.Converged
			return nil
		case slices.Equal(next, s.choice) || idle > mostIdle:
			found.Status = mdp.PrecisionLimit
			return fmt.Errorf("interval: no better after %d rounds, optimum between %v and %v: %w", found.Rounds, found.Lower, found.Upper, mdp.ErrPrecisionLimit)
		}
		s.choice = next
		settings.Values, settings.Policy = result.Bias, result.Policy
	}
}

// tolerance returns that of the settings.
func (s *search) tolerance() float64 {
	if s.settings.Tolerance == 0 {
		return mdp.DefaultTolerance
	}
	return s.settings.Tolerance
}

// limit sets the remaining iterations and time for the next round.
func (s *search) limit(settings *mdp.Settings) error {
	found := s.solution
	if found.Rounds == 0 {
		return nil
	}
	if most := s.settings.MaxIterations; most > 0 {
		if settings.MaxIterations = most - found.Iterations; settings.MaxIterations <= 0 {
			found.Status = mdp.IterationLimit
			return fmt.Errorf("interval: optimum between %v and %v: %w", found.Lower, found.Upper, mdp.ErrIterationLimit)
		}
	}
	if most := s.settings.TimeLimit; most > 0 {
		if settings.TimeLimit = most - time.Since(s.begin); settings.TimeLimit <= 0 {
			found.Status = mdp.TimeLimit
			return fmt.Errorf("interval: optimum between %v and %v: %w", found.Lower, found.Upper, mdp.ErrTimeLimit)
		}
	}
	return nil
}

// respond returns the adversary's best choices for the values of a result; a choice changes
// only if another one is better by more than rounding. It also returns an upper bound on the
// cost of the result's policy against every adversary.
func (g *game) respond(result *mdp.Result, choice []int32) (upper float64, next []int32) {
	next = slices.Clone(choice)
	values := result.Proof().Upper.Value
	lower, _ := mdp.LongRunAverage{}.Improve(exposed{g, result.Policy},
		mdp.Vector{High: opposite(values.High), Low: opposite(values.Low)}, next, make([]float64, len(next)))
	return -lower, next
}

func opposite(x []float64) []float64 {
	if x == nil {
		return nil
	}
	y := make([]float64, len(x))
	for i := range x {
		y[i] = -x[i]
	}
	return y
}

// finish completes the solution with the policy and its measures.
func (s *search) finish(ctx context.Context, stop error) (*Solution, error) {
	found := s.solution
	found.Elapsed = time.Since(s.begin)
	policy, err := s.game.policy(found.Parameters, s.policy)
	if err != nil {
		return nil, err
	}
	found.Policy, found.Adversary = policy, s.game.adversary(s.answer)
	found.Gain = found.Lower + (found.Upper-found.Lower)/2
	found.Measures, err = s.game.measureSoon(ctx, s.policy, s.answer, found.Status)
	if err != nil {
		found.Status, stop = mdp.Interrupted, err
	}
	if found.Measures != nil {
		found.Gain = min(max(found.Measures.Gain, found.Lower), found.Upper)
	}
	return found, stop
}
