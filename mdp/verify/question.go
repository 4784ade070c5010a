package verify

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// question is what a result answers, and about what: costs to be made least.
// Rewards to be made most are negative costs.
type question struct {
	rows     *rows
	result   *mdpio.Result
	maximize bool
	fraction bool   // the discount factor is the fraction that was meant
	target   []bool // by state, for a total
	policy   []bool // by choice, nil for a policy that is none
}

// newQuestion returns the question of a result, or what it lacks to be one about
// the model. The discount factor is that of the result or, where fraction says
// so, the fraction that is meant by it.
func newQuestion(m *mdpio.Model, r *mdpio.Result, fraction bool) (*question, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if n := m.NumStates(); len(r.Values) != n {
		return nil, fmt.Errorf("verify: a result about %d states found; one about %d, as many as the model has, is allowed", len(r.Values), n)
	}
	q := &question{result: r, maximize: r.Sense == "maximize", fraction: fraction}
	costs, err := q.costs(m)
	if err != nil {
		return nil, err
	}
	q.rows = newRows(m, costs)
	if err := q.setCriterion(m); err != nil {
		return nil, err
	}
	q.policy = q.policyMask()
	return q, nil
}

// costs returns the costs of the choices.
func (q *question) costs(m *mdpio.Model) (numbers, error) {
	rewards, err := m.ExpectedRewards(q.result.Reward)
	if err != nil {
		return numbers{}, err
	}
	for k, x := range rewards.Float {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return numbers{}, fmt.Errorf("verify: choice %d has the expected reward %v; a finite number is allowed", k, x)
		}
	}
	costs := numbers{high: rewards.Float}
	if rewards.Exact != nil {
		costs = fromRationals(rewards.Exact)
	}
	if q.maximize {
		costs = costs.negative()
	}
	return costs, nil
}

// setCriterion checks what the criterion needs.
func (q *question) setCriterion(m *mdpio.Model) error {
	r := q.result
	switch r.Criterion {
	case "total":
		if r.Target == "" {
			return fmt.Errorf("verify: a total without a target found; the name of a label is allowed")
		}
		states, err := m.Labelled(r.Target)
		if err != nil {
			return err
		}
		q.target = make([]bool, m.NumStates())
		for _, s := range states {
			q.target[s] = true
		}
	case "discounted":
		if !(r.Discount > 0 && r.Discount < 1) {
			return fmt.Errorf("verify: discount %v found; a number between 0 and 1 is allowed", r.Discount)
		}
		q.discount(m.Kind == mdpio.CTMC)
	case "finite":
		if r.Horizon < 1 {
			return fmt.Errorf("verify: horizon %d found; a number from 1 up is allowed", r.Horizon)
		}
		if m.Kind == mdpio.CTMC {
			return fmt.Errorf("verify: criterion finite found for a CTMC, which has no steps; average, discounted or total is allowed")
		}
	}
	return nil
}

// discount discounts the rows.
func (q *question) discount(continuous bool) {
	uniformization := 1.0
	if continuous {
		uniformization = q.rows.uniformization()
	}
	if q.fraction {
		q.rows.discountExactly(meant(q.result.Discount), uniformization)
	} else {
		q.rows.discount(q.result.Discount, uniformization)
	}
}

// policyMask returns the choices of the policy, nil where it names an action
// that its state does not have.
func (q *question) policyMask() []bool {
	mask := make([]bool, len(q.rows.state))
	for s, a := range q.result.Policy {
		if q.isMissing(s, a) {
			return nil
		}
		mask[q.rows.stateStart[s]+a] = true
	}
	return mask
}

// claimed returns the exact values of the result as costs, nil for none.
func (q *question) claimed() []*big.Rat {
	if q.result.Exact == nil || !q.maximize {
		return q.result.Exact
	}
	costs := make([]*big.Rat, len(q.result.Exact))
	for s, x := range q.result.Exact {
		if x != nil {
			costs[s] = new(big.Rat).Neg(x)
		}
	}
	return costs
}

// isMissing reports whether state s has no action a.
func (q *question) isMissing(s int, a int32) bool {
	return a >= q.rows.stateStart[s+1]-q.rows.stateStart[s]
}

// solverOf returns a solver for a question; only costs are set apart.
func solverOf[V any](q *question, a arithmetic[V], b *budget) *solver[V] {
	s := &solver[V]{arithmetic: a, rows: q.rows, budget: b, ends: q.result.Criterion == "discounted"}
	if s.preferred = slices.Clone(q.policy); s.preferred == nil {
		s.preferred = make([]bool, len(q.rows.state))
	}
	return s
}

// optimum returns the least costs of all policies.
func optimum[V any](q *question, s *solver[V]) outcome[V] {
	return costsOf(q, s, q.rows.all(), q.rows.all())
}

// achieved returns the costs of the policy.
func achieved[V any](q *question, s *solver[V]) outcome[V] {
	if q.result.Criterion == "finite" { // a policy is that of the first step
		return costsOf(q, s, q.rows.all(), q.policy)
	}
	return costsOf(q, s, q.policy, q.policy)
}

func costsOf[V any](q *question, s *solver[V], allowed, first []bool) outcome[V] {
	switch q.result.Criterion {
	case "average":
		return s.average(allowed)
	case "discounted":
		return s.discounted(allowed)
	case "total":
		return s.total(allowed, q.target, q.maximize)
	default:
		return s.finite(allowed, first, q.result.Horizon)
	}
}
