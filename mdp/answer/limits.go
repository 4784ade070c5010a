package answer

// This file answers questions about several rewards: within limits, and trade-offs.

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
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

// decideLimits decides, for each initial state, whether some policy keeps to all limits of a property:
// it optimises the first objective under the limits of the others, and compares its value with its limit.
func (a *Answer) decideLimits(ctx context.Context) error {
	r := a.blank()
	a.Result, a.Status, r.Answer = r, mdp.Converged, "yes"
	for s := range r.Upper {
		r.Upper[s] = 1
	}
	for _, s := range a.Model.Initial {
		from := *a.Model
		from.Initial = []int32{s}
		asked, all, err := question.OfObjectives(a.Parsed, &from)
		if err != nil {
			return err
		}
		inner := begin(asked, a.settings)
		err = inner.solveWithin(ctx)
		_, isInfeasible := errors.AsType[*mdp.InfeasibleError](err)
		if err != nil && !isInfeasible {
			return err
		}
		switch verdict := inner.keeps(all[0]); {
		case isInfeasible || verdict == "no":
			r.Answer, r.Upper[s] = "no", 0
		case verdict == "yes":
			r.Lower[s], r.Values[s] = 1, 1
		default:
			if a.Status = inner.Status; r.Answer == "yes" {
				r.Answer = verdict
			}
		}
		if inner.Result != nil {
			r.Iterations += inner.Result.Iterations
		}
	}
	r.Method, r.Status, r.Tolerance = severalQuestions, a.Status.String(), &a.settings.Tolerance
	r.Value, r.Seconds = r.Values[r.Initial], time.Since(a.begin).Seconds()
	return nil
}

// keeps says whether the value that was optimised under the other limits keeps to its own limit, too:
// "yes", "no" or "undecided".
func (a *Answer) keeps(limit property.Objective) string {
	if a.Result == nil {
		return property.Undecided
	}
	isWithin := func(relation string, x float64, bound *big.Rat) bool {
		sign := new(big.Rat).SetFloat64(x).Cmp(bound)
		return sign == 0 || (sign < 0) == (relation == "<=")
	}
	worst, best := a.Result.ValueBounds[0], a.Result.ValueBounds[1]
	if limit.Relation == "<=" {
		worst, best = best, worst
	}
	switch outside := func(x question.Constraint) bool { return !isWithin(x.Sense, x.Value, x.Bound) }; {
	case math.IsInf(worst, 0) || math.IsInf(best, 0):
		return property.Undecided
	case !isWithin(limit.Relation, best, limit.Limit):
		return "no"
	case isWithin(limit.Relation, worst, limit.Limit) && !slices.ContainsFunc(a.Result.Constraints, outside):
		return "yes"
	}
	return property.Undecided
}

// TradeOff finds the front of the reward of a question and another reward, which is minimised unless
// maximize is set: see [mdp.ParetoFront]. Policies of a finite horizon are those of the model
// of its steps, see [question.Asked.Unrolled]. If ctx or a limit ends the work, the error comes
// with the front so far.
func TradeOff(ctx context.Context, q *question.Asked, other string, maximize bool, settings Settings) (*mdp.Front, error) {
	if err := q.Goes(question.Limits); err != nil {
		return nil, err
	}
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
