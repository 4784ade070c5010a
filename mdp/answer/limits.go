package answer

// This file answers questions about several rewards: within limits, and trade-offs.

import (
	"context"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// solveWithin finds the best answer within the limits of the question.
func (a *Answer) solveWithin(ctx context.Context) error {
	table, err := a.table()
	if err != nil {
		return err
	}
	r := a.blank()
	r.Constraints = slices.Clone(a.Constraints)
	var limits []mdp.Constraint
	for _, x := range r.Constraints {
		costs, err := a.Model.TableCosts(x.Reward)
		if err != nil {
			return &ModelError{err}
		}
		limits = append(limits, mdp.Constraint{Costs: costs, Bound: x.Bound, AtLeast: x.Sense == ">="})
	}
	a.settings.phase("solving")
	found, err := mdp.SolveConstrained(ctx, mdp.Rounded{Table: table}, a.EngineCriterion(), r.Initial, limits, a.settings.Settings)
	if found == nil {
		return err
	}
	a.Status, a.Result = found.Status, r
	r.KeepConstrained(found, table.Rate())
	r.Status, r.Method, r.Choice = found.Status.String(), mdp.MethodWord(found.Method), found.Reason
	r.Iterations, r.Seconds, r.Tolerance = found.Iterations, found.Elapsed.Seconds(), &a.settings.Tolerance
	return nil
}

// TradeOff finds the front of the reward of a question and another reward, which is minimised unless
// maximize is set: see [mdp.ParetoFront]. Policies of a finite horizon are those of the model
// of its steps, see [question.Asked.Unrolled]. If ctx or a limit ends the work, the error comes
// with the front so far.
func TradeOff(ctx context.Context, q *question.Asked, other string, maximize bool, settings Settings) (*mdp.Front, error) {
	if q.HasSteps() {
		unrolled, err := q.Unrolled()
		if err != nil {
			return nil, err
		}
		q = unrolled
	}
	a := begin(q, settings)
	table, err := a.table()
	if err != nil {
		return nil, err
	}
	costs, err := q.Model.TableCosts(other)
	if err != nil {
		return nil, &ModelError{err}
	}
	settings.phase("solving")
	return mdp.ParetoFront(ctx, mdp.Rounded{Table: table}, q.EngineCriterion(), int(q.Model.Initial[0]), costs, maximize, a.settings.Settings)
}
