package mdp

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// assumedTerms is how many terms a backup of a model that does not list its
// rows is taken to add up, where its rounding is bounded.
const assumedTerms = 64

// certify makes the result from the values that a method ended with: one fresh
// sweep gives the bounds and the policy.
func certify(task *task, answer answer) *Result {
	var result *Result
	if explicit, ok := task.model.(Explicit); ok {
		result = certifyExplicit(explicit, task.sweeper, answer)
	} else {
		result = certifyBackup(task, answer.values.high)
	}
	result.Gain = result.Lower + (result.Upper-result.Lower)/2
	if !math.IsNaN(answer.gain) {
		result.Gain = min(max(answer.gain, result.Lower), result.Upper)
	}
	result.Values = answer.values.relative(rateOf(task.model))
	return result
}

// certifyExplicit sweeps in double-double arithmetic over differences of
// values, so that what rounding does is some 2⁻⁸⁶ of the terms of a row; the
// bounds are widened by it and rounded outward.
func certifyExplicit(model Explicit, sweeper *sweeper, answer answer) *Result {
	n := model.NumStates()
	policy := make([]int32, n)
	lowest := make([]float64, len(sweeper.least)) // least cost by block
	sweeper.blocks(func(block, lo, hi int) {
		least, greatest, lowestCost := math.Inf(1), math.Inf(-1), math.Inf(1)
		var row []Entry
		for s := lo; s < hi; s++ {
			b := bestAction(model, answer, s, &row)
			policy[s] = b.action
			least = min(least, b.floor)
			greatest = max(greatest, b.value.AddFloat(b.error).RoundUp())
			lowestCost = min(lowestCost, b.leastCost)
		}
		sweeper.least[block], sweeper.most[block], lowest[block] = least, greatest, lowestCost
	})
	lower, upper := sweeper.extremes()
	for _, cost := range lowest {
		// No policy costs less than the cheapest step: the bound of h = 0.
		lowest[0] = min(lowest[0], cost)
	}
	return &Result{Lower: max(lower, lowest[0]), Upper: upper, Policy: policy}
}

// best is the minimum of one state in extended precision.
type best struct {
	action    int32
	value     doubledouble.Number // (T h − h)(s)
	error     float64             // bound on what rounding did to it
	floor     float64             // not above the exact minimum
	change    bool                // whether action is better than the preferred one by more than rounding
	leastCost float64
}

// bestAction minimises over the actions of s. The preferred policy of the
// answer keeps its action where no other is better by more than rounding;
// without one, the first action has that right.
func bestAction(model Explicit, answer answer, s int, row *[]Entry) best {
	preferred := 0
	if answer.policy != nil {
		preferred = int(answer.policy[s])
	}
	evaluate := func(a int) (doubledouble.Number, float64, float64) {
		entries, cost := model.AppendRow((*row)[:0], s, a)
		*row = entries
		value, magnitude := answer.values.action(entries, cost, s)
		return value, magnitude * extendedRoundoff, cost
	}
	value, err, cost := evaluate(preferred)
	b := best{action: int32(preferred), value: value, error: err, floor: value.AddFloat(-err).RoundDown(), leastCost: cost}
	for a := range model.NumActions(s) {
		if a == preferred {
			continue
		}
		value, err, cost := evaluate(a)
		b.leastCost = min(b.leastCost, cost)
		b.floor = min(b.floor, value.AddFloat(-err).RoundDown())
		if b.value.Sub(value).Hi > b.error+err {
			b.action, b.value, b.error, b.change = int32(a), value, err, true
		}
	}
	return b
}

// certifyBackup sweeps by Backup, in float64, and widens the bounds by what
// rounding can do.
func certifyBackup(task *task, v []float64) *Result {
	n := task.model.NumStates()
	backup, policy := make([]float64, n), make([]int32, n)
	sweeper := task.sweeper
	sweeper.blocks(func(block, lo, hi int) {
		task.model.Backup(backup, policy, v, lo, hi)
		least, greatest := math.Inf(1), math.Inf(-1)
		for s := lo; s < hi; s++ {
			least, greatest = min(least, backup[s]-v[s]), max(greatest, backup[s]-v[s])
		}
		sweeper.least[block], sweeper.most[block] = least, greatest
	})
	lower, upper := sweeper.extremes()
	rounding := backupRounding(v) + 4*unitRoundoff*max(math.Abs(lower), math.Abs(upper))
	return &Result{Lower: lower - rounding, Upper: upper + rounding, Policy: policy}
}

// backupRounding bounds what float64 rounding can do to T v − v: a backup adds
// up at most assumedTerms products whose magnitudes sum to at most max|v|, the
// cost, which is part of the result, and −v.
func backupRounding(v []float64) float64 {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	return (assumedTerms + 4) * unitRoundoff * 2 * largest
}
