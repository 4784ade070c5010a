package robots

import (
	"context"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// saved takes a policy from a file, with the parameters of which it was saved.
func (e *experiment) saved(a *ui.Arguments, policy *robots.FleetPolicy) {
	fleet := policy.Fleet()
	if isPlain(fleet) {
		if rule, ok := policy.Policy(); ok {
			e.rule = replaced(a, rule)
			e.parameters = e.rule.Parameters()
			return
		}
	}
	for _, flag := range []string{"robots", "buffer", "lambda", "mu", "gamma"} {
		if a.CLI.IsSet(flag) {
			a.Fault(flag, "found with the policy of a variant of the model, which %s holds with its parameters; none is allowed", e.policy)
		}
	}
	for _, flag := range []string{"service", "trace"} {
		if a.CLI.IsSet(flag) && policy.Phases() > 1 {
			a.Fault(flag, "found with the policy of %s, which looks at the phases of its own service; none is allowed", e.policy)
		}
	}
	e.variant, e.parameters = policy, plain(fleet)
	e.parameters.Robots = fleet.Robots()
}

// simulate plays the policy.
func (e *experiment) simulate(ctx context.Context) (*robots.Simulation, error) {
	if e.variant != nil {
		return robots.SimulateFleet(ctx, e.variant, e.settings)
	}
	return robots.Simulate(ctx, e.rule, e.settings)
}

// simulated returns the fleet of a variant with the services that it has here.
func (e *experiment) simulated() robots.Fleet {
	fleet := e.variant.Fleet()
	if e.law != nil {
		fleet.Service = e.law
	}
	return fleet
}

// variantFields are those that only variants have.
func (e *experiment) variantFields() ui.Record {
	if e.variant == nil {
		return nil
	}
	f := e.variant.Fleet()
	numbers, rates := classNumbers(f)
	return ui.Record{
		{"robots_by_class", numbers},
		{"lambda_by_class", rates},
		{"holding_cost", f.HoldingCost},
		{"robot_cost", f.RobotCost},
		{"activation_cost", f.ActivationCost},
	}
}
