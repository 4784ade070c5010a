package verify

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// The optimal gain of an end component is enclosed by its rows: for any h
//
//	min over all choices k of residual(k) ≤ optimal gain,
//	max over those of a policy            ≥ gain of the policy ≥ optimal gain,
//
// in all states, as from each there is a way to each other (Odoni 1969;
// Puterman 1994, Theorem 8.5.5). Where the error of a residual is large, in
// states that are seldom visited, the values are moved so that it does not
// count: by those of costs that are as large as the errors.

// encloseGain returns a ball that holds the optimal gain, given a policy that
// seems to be optimal.
func (a *approximation) encloseGain(policy []int32) (ball, error) {
	if a.snap(policy) != nil {
		return pointOf(a.gain), nil
	}
	if err := a.budget.spend(60 * len(a.system.columns)); err != nil {
		return unknown, err
	}
	a.patience = maxIterations
	margin := pick(a.demand(policy, narrow).margin, policy)
	_, by, err := a.linear.solve(margin)
	if err != nil {
		return unknown, err
	}
	gain := a.gainMoved(policy, numbersOf(by))
	if isNarrow([]ball{gain}) {
		return gain, nil
	}
	finer, err := a.polished(a.linear, policy, margin)
	if err != nil {
		return gain, err
	}
	if other := a.gainMoved(policy, finer); !(gain.radius <= other.radius) {
		return other, nil
	}
	return gain, nil
}

// gainMoved returns a ball that holds the optimal gain, by values moved down and
// up.
func (a *approximation) gainMoved(policy []int32, by []doubledouble.Number) ball {
	return between(a.lowerGain(a.moved(by, -1)), a.upperGain(policy, a.moved(by, 1)))
}

// lowerGain returns the least residual.
func (a *approximation) lowerGain(values []doubledouble.Number) doubledouble.Number {
	least := doubledouble.FromFloat(math.Inf(1))
	for k := range int32(len(a.system.node)) {
		if x := a.residual(k, values).lower(); !least.Less(x) { // also NaN
			least = x
		}
	}
	return least
}

// upperGain returns the greatest residual of a policy.
func (a *approximation) upperGain(policy []int32, values []doubledouble.Number) doubledouble.Number {
	greatest := doubledouble.FromFloat(math.Inf(-1))
	for _, k := range policy {
		if x := a.residual(k, values).upper(); !x.Less(greatest) {
			greatest = x
		}
	}
	return greatest
}
