package robots

import (
	"context"
	"fmt"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// FleetSolution is an answer of [SolveFleet]. Its fields mean what those of
// [Solution] do; Gain, Lower and Upper are of the whole cost, that of pages,
// robots and activations included.
type FleetSolution struct {
	Fleet              Fleet
	Gain, Lower, Upper float64
	Status             mdp.Status
	Method, Choice     string
	Iterations         int
	Elapsed            time.Duration
	Policy             *FleetPolicy

	// Measures is nil where they would take more memory or time than there is.
	Measures *FleetMeasures
}

// SolveFleet minimises the long-run cost of a fleet per unit of time over all
// ways to switch robots on and off ([FleetModel]). Settings are those of
// [mdp.Solve], and so are the errors, besides those of [NewFleetModel]: where
// the result of mdp.Solve would not be nil the solution is not, and holds the
// best answer so far.
func SolveFleet(ctx context.Context, f Fleet, settings mdp.Settings) (*FleetSolution, error) {
	m, err := NewFleetModel(f)
	if err != nil {
		return nil, err
	}
	result, stop := mdp.Solve(ctx, m, mdp.LongRunAverage{}, settings)
	if result == nil {
		return nil, stop
	}
	solution := &FleetSolution{
		Fleet:      m.Fleet(),
		Gain:       result.Gain,
		Lower:      result.Lower,
		Upper:      result.Upper,
		Status:     result.Status,
		Method:     result.Method,
		Choice:     result.Reason,
		Iterations: result.Iterations,
		Elapsed:    result.Elapsed,
		Policy:     fleetPolicy(m, result.Policy),
	}
	if solution.Status == mdp.Interrupted {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
	}
	measures, err := MeasureFleet(ctx, solution.Policy)
	switch {
	case err == nil:
		solution.Measures = &measures
	case ctx.Err() != nil && solution.Status != mdp.Interrupted:
		solution.Status = mdp.Interrupted
		stop = fmt.Errorf("robots: measuring the policy: %w", context.Cause(ctx))
	}
	return solution, stop
}
