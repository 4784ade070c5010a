package answer

// This file simulates given policies.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/question"
	"github.com/mdpsolve/mdpsolve/mdp/simulate"
)

// Simulated is an estimate of the value of a policy.
type Simulated struct {
	*simulate.Result

	isShare bool // the value is between 0 and 1

	// RestLower and RestUpper enclose what a discounted sum earns after the horizon; 0 for other
	// criteria.
	RestLower, RestUpper float64
}

// Estimate returns the estimate with its confidence interval, the rest included.
func (s *Simulated) Estimate() (mean, lower, upper float64) {
	mean, lower, upper = s.Value.Mean+s.RestLower+(s.RestUpper-s.RestLower)/2, s.Value.Lower()+s.RestLower, s.Value.Upper()+s.RestUpper
	if s.isShare { // despite rounding
		return min(mean, 1), min(max(lower, 0), 1), min(upper, 1)
	}
	return mean, lower, upper
}

// Simulate simulates a policy from the first initial state, and estimates its value: see
// [simulate.Run]. It sets State and Rate of the settings itself. A total without a target ends where
// no more is earned. For a probability without a time bound, each replication ends in a closed
// class of the chain, and counts if the property holds there.
//
// Errors are those of simulate.Run, and a [*question.Error] for a model with intervals, for a
// property of paths, and for a total that may never end, whose infinity no replication would show.
func Simulate(ctx context.Context, f *Followed, settings simulate.Settings) (*Simulated, error) {
	if f.Model.IsUncertain() {
		return nil, &question.Error{Reason: "nature chooses in the intervals of the model, so there is no chain to draw from"}
	}
	if err := f.Goes(question.Simulation); err != nil {
		return nil, err
	}
	if f.Stated != nil && f.Stated.OfPaths {
		return nil, &question.Error{Member: "property", Reason: "E and A are about paths, and not about a policy: use P"}
	}
	if settings.State = int(f.Model.Initial[0]); f.Rate != nil {
		settings.Rate = *f.Rate
	}
	criterion := f.EngineCriterion()
	if total, ok := criterion.(mdp.TotalCost); ok {
		ends, err := f.end(total.Target)
		if err != nil {
			return nil, err
		}
		criterion = mdp.TotalCost{Target: ends}
	}
	policy := mdp.Policy{Actions: make([]int32, f.Model.NumStates())} // a chain has one action in each state
	if f.steps != nil {
		policy = mdp.Policy{Steps: f.steps}
	}
	process := f.process()
	if f.Stated != nil && f.Stated.IsAbsorbed() {
		var ends []int32
		process, ends = f.absorption()
		criterion, settings.State, policy.Actions = mdp.TotalCost{Target: ends}, f.Model.NumStates(), append(policy.Actions, 0)
	}
	found, err := simulate.Run(ctx, process, policy, criterion, settings)
	if found == nil {
		return nil, err
	}
	s := &Simulated{Result: found, isShare: f.Stated != nil && f.Stated.IsProbability()}
	if discounted, ok := criterion.(mdp.Discounted); ok {
		s.RestLower, s.RestUpper = f.rest(discounted, settings.Horizon)
	}
	return s, err
}

// absorption returns the process of a chain up to its closed classes, whose states are the ends. A
// transition to one of them earns 1 if that state earns. The process starts in an added state, the
// last, which leads to the initial state, so that a chain that starts in a closed class earns, too.
func (f *Followed) absorption() (process *simulate.Process, ends []int32) {
	m, n := f.Model, f.Model.NumStates()
	earns, expected := make([]bool, n), f.expected()
	for _, class := range graph.OfChain(m.RowStart, m.Columns).Closed() {
		ends = append(ends, class...)
		for _, s := range class {
			earns[s] = expected[s] > 0
		}
	}
	process = &simulate.Process{
		StateStart: append(slices.Clone(m.StateStart), int32(n+1)), RowStart: append(slices.Clone(m.RowStart), int32(m.NumTransitions()+1)),
		Columns: append(slices.Clone(m.Columns), m.Initial[0]), Weights: append(slices.Clone(m.Values.Float), 1),
	}
	for _, to := range process.Columns {
		process.Transitions = append(process.Transitions, map[bool]float64{true: 1}[earns[to]])
	}
	return process, ends
}

// process returns the chain with its rewards, as package simulate takes it.
func (f *Followed) process() *simulate.Process {
	m := f.Model
	p := &simulate.Process{StateStart: m.StateStart, RowStart: m.RowStart, Columns: m.Columns, Weights: m.Values.Float}
	if of, err := m.Reward(f.Reward); err == nil {
		p.Choices, p.Transitions = of.Action.Float, of.Transition.Float
		for s, x := range of.State.Float {
			p.Rates = append(p.Rates, slices.Repeat([]float64{x}, int(m.StateStart[s+1]-m.StateStart[s]))...)
		}
	}
	if m.Kind.IsContinuous() {
		p.Exits = m.ExitRates().Float
	}
	return p
}

// end returns the states where a total ends: the target or, without a target, the states from which
// nothing more is earned.
func (f *Followed) end(target []int32) (ends []int32, err error) {
	g, goal, without := graph.OfChain(f.Model.RowStart, f.Model.Columns), wording.Quote(f.Target), "so the total is infinite"
	back := g.Reverse()
	if ends = target; target == nil {
		ends, goal, without = f.earningNoMore(back), "where it earns no more", "so the total is infinite or not defined"
	}
	met, ending := g.Met(f.Model.Initial[:1], ends), back.Met(ends, nil)
	for s := range met {
		if met[s] && !ending[s] {
			return nil, &question.Error{Member: "policy", Reason: fmt.Sprintf("may reach state %s, and never %s after that, %s", f.Model.StateName(s), goal, without)}
		}
	}
	return ends, nil
}

// earningNoMore returns the states from which no state with an expected reward other than 0 is
// reached; back is the reverse of the graph of the chain.
func (f *Followed) earningNoMore(back *graph.Graph) (states []int32) {
	var earning []int32
	for s, x := range f.expected() {
		if x != 0 {
			earning = append(earning, int32(s))
		}
	}
	for s, earns := range back.Met(earning, nil) {
		if !earns {
			states = append(states, int32(s))
		}
	}
	return states
}

// expected returns the expected rewards of the states of the chain.
func (f *Followed) expected() []float64 {
	expected, err := f.Model.ExpectedRewards(f.Reward)
	if err != nil {
		return make([]float64, f.Model.NumStates()) // without rewards
	}
	return expected.Float
}

// rest bounds what a discounted sum earns after the horizon.
func (f *Followed) rest(c mdp.Discounted, horizon float64) (lower, upper float64) {
	least, greatest := math.Inf(1), math.Inf(-1)
	expected := f.expected()
	for s, met := range graph.OfChain(f.Model.RowStart, f.Model.Columns).Met(f.Model.Initial[:1], nil) {
		if met {
			least, greatest = min(least, expected[s]), max(greatest, expected[s])
		}
	}
	var weight float64
	if f.Rate != nil {
		weight = math.Exp(-*f.Rate*horizon) / *f.Rate
	} else {
		weight = math.Pow(c.Discount, horizon) / cmp.Or(c.Complement, 1-c.Discount)
	}
	return weight * least, weight * greatest
}
