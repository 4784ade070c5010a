package answer

// This file finds the values of actions.

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/soon"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// ActionValues returns bounds on the values of all actions, and says which actions are optimal. Its
// lists have an element for each choice. A small MDP whose numbers are known in all their digits is
// solved in fractions, which show ties; for others see [mdp.ValuesOfActions]. The error wraps
// [mdp.ErrUnsupported] for an average, for constraints, for a policy that depends on the step, for a
// model with intervals, and in continuous time.
func (a *Answer) ActionValues(ctx context.Context) (*mdp.ActionValues, error) {
	if a.Goes(question.ActionValues) != nil || a.Model.Kind.IsContinuous() || a.Model.IsUncertain() || a.Constraints != nil || a.isByStep() {
		return nil, fmt.Errorf("answer: %w: values of actions are those of a discounted or total sum, or of a finite horizon, in an ordinary model", mdp.ErrUnsupported)
	}
	settings := a.settings.Settings
	settings.TimeLimit = a.left(settings.TimeLimit)
	if a.Model.HasAllDigits() && a.Model.Kind == modelfile.MDP && a.Model.NumTransitions() <= resortTransitions {
		limit := resortTime
		if settings.TimeLimit > 0 {
			limit = min(limit, settings.TimeLimit)
		}
		limited, stop := soon.Within(ctx, limit)
		found, err := a.exactActionValues(limited)
		if stop(); err == nil || ctx.Err() != nil {
			return found, err
		}
	}
	table, err := a.table()
	if err != nil {
		return nil, err
	}
	criterion, model := a.EngineCriterion(), mdp.Rounded{Table: table}
	found := a.numeric
	if found == nil { // the answer is from fractions
		if found, err = mdp.Solve(ctx, model, criterion, settings); found == nil {
			return nil, err
		}
	}
	return mdp.ValuesOfActions(ctx, model, criterion, found, settings)
}

// KeepActionValues sets Result.Actions. Errors are those of [Answer.ActionValues].
func (a *Answer) KeepActionValues(ctx context.Context) error {
	found, err := a.ActionValues(ctx)
	if err != nil {
		return err
	}
	kept := &certificate.ActionValues{Lower: found.Lower, Upper: found.Upper}
	for _, o := range found.Optimality {
		kept.Optimality = append(kept.Optimality, o.String())
	}
	a.Result.Actions = kept
	return nil
}

// exactActionValues is ActionValues in fractions.
func (a *Answer) exactActionValues(ctx context.Context) (*mdp.ActionValues, error) {
	now := a.fractions
	if now == nil {
		var err error
		if now, err = a.exactAnswer(ctx, a.Model); err != nil {
			return nil, err
		}
	}
	after := now.Values
	factor, err := a.StepFactor()
	if err != nil {
		return nil, err
	}
	if a.HasSteps() {
		if after, err = a.valuesAfterFirst(ctx); err != nil {
			return nil, err
		}
	}
	rewards, err := a.Model.ExpectedRewards(a.Reward)
	if err != nil {
		return nil, &ModelError{err}
	}
	ends := make([]bool, a.Model.NumStates())
	for _, s := range a.Ends {
		ends[s] = true
	}
	m, costs, probabilities := a.Model, rewards.Rationals(), a.Model.Values.Rationals()
	found := &mdp.ActionValues{}
	for s := range m.NumStates() {
		for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
			value, infinity := new(big.Rat), 0
			if !ends[s] {
				lo, hi := m.RowStart[k], m.RowStart[k+1]
				value, infinity = next(after, m.Columns[lo:hi], probabilities[lo:hi])
				value.Add(value.Mul(value, factor), costs[k])
			}
			add(found, value, infinity, now.Values[s])
		}
	}
	return found, nil
}

// valuesAfterFirst returns, by state, the optimal total of the steps after the first.
func (a *Answer) valuesAfterFirst(ctx context.Context) ([]exact.Value, error) {
	steps := a.Steps() - 1
	if steps < 0 {
		return nil, fmt.Errorf("answer: %w: a horizon of 0 steps has no action", mdp.ErrUnsupported)
	}
	later := *a.Asked
	later.Horizon = &steps
	rest := Answer{Asked: &later}
	found, err := rest.exactAnswer(ctx, a.Model)
	if err != nil {
		return nil, err
	}
	return found.Values, nil
}

// next returns the expected value of the next state. Probabilities are divided by their sum.
// infinity is 0 for a finite expectation, 1 for +∞, −1 for −∞, and 2 where both occur.
func next(values []exact.Value, states []int32, probabilities []*big.Rat) (mean *big.Rat, infinity int) {
	mean, sum := new(big.Rat), new(big.Rat)
	for i, p := range probabilities {
		switch x := values[states[i]]; {
		case p.Sign() == 0:
			continue
		case x.Infinity() == 0:
			mean.Add(mean, new(big.Rat).Mul(p, x.Rat()))
		case infinity == 0 || infinity == x.Infinity():
			infinity = x.Infinity()
		default:
			infinity = 2
		}
		sum.Add(sum, p)
	}
	if sum.Sign() > 0 {
		mean.Quo(mean, sum)
	}
	return mean, infinity
}

// add appends the value of an action and its optimality, given the optimum of its state.
func add(found *mdp.ActionValues, value *big.Rat, infinity int, optimum exact.Value) {
	o, advantage := mdp.Undecided, math.NaN()
	lower, upper := math.Inf(-1), math.Inf(1)
	switch {
	case infinity == 0 && optimum.Infinity() == 0:
		if o = mdp.Suboptimal; value.Cmp(optimum.Rat()) == 0 {
			o = mdp.Optimal
		}
		advantage, _ = new(big.Rat).Sub(value, optimum.Rat()).Float64()
		lower, upper = doubledouble.Around(value)
	case infinity == 0:
		o = mdp.Suboptimal
		lower, upper = doubledouble.Around(value)
	case infinity != 2:
		lower, upper = math.Inf(infinity), math.Inf(infinity)
		if optimum.Infinity() != infinity {
			o = mdp.Suboptimal
		}
	}
	found.Lower, found.Upper = append(found.Lower, lower), append(found.Upper, upper)
	found.Advantage, found.Optimality = append(found.Advantage, advantage), append(found.Optimality, o)
}
