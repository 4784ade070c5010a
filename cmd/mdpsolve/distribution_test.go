package main

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// coinsFile is a model with an action for each of two coins: one earns 1/2 by heads and 1 by
// tails, and both by tails 1 more; with heads the game goes on.
const coinsFile = `{"kind": "mdp", "labels": {"over": [1]}, "reward_models": ["won"], "states": [
{"actions": [
	{"name": "fair", "to": [[0, "1/2", ["1/2"]], [1, "1/2", ["3/2"]]]},
	{"name": "bent", "rewards": [1], "to": [[0, "1/4"], [1, "3/4"]]}]},
{"actions": [{"to": [[1, 1]]}]}]}`

// coins writes the model and policies for it.
func coins(t *testing.T) {
	policyFiles(t)
	writeFile(t, "coins.json", coinsFile)
	writeFile(t, "fair.csv", "state,action\n0,fair\n")
	writeFile(t, "both.csv", "state,action,probability\n0,fair,1/3\n0,bent,2/3\n")
}

// assertPoints compares the distribution that a line prints with probabilities, by x.
func assertPoints(t *testing.T, line string, want map[float64]float64) map[string]any {
	t.Helper()
	got := answer(t, line)
	points := got["distribution"].([]any)
	require.Len(t, points, len(want), line)
	for _, point := range points {
		p := point.(map[string]any)
		x := p["x"].(float64)
		require.Contains(t, want, x)
		for name, probability := range map[string]float64{"at_most": want[x], "above": 1 - want[x]} {
			const rounding = 1e-14 // of what is wanted
			lower, upper := p[name+"_lower"].(float64), p[name+"_upper"].(float64)
			assert.LessOrEqual(t, lower, probability+rounding, "%s: %v", line, x)
			assert.GreaterOrEqual(t, upper, probability-rounding, "%s: %v", line, x)
			assert.LessOrEqual(t, upper-lower, 1e-12, "%s: %v", line, x)
		}
	}
	return got
}

// A total that depends on chance alone, and on the action that a policy draws.
func TestDistributionOfCoins(t *testing.T) {
	coins(t)
	fair := map[float64]float64{0: 0, 1: 0}
	for k := range 9 { // k times 1/2, then 3/2
		fair[1.5+float64(k)/2] = 1 - math.Pow(0.5, float64(k+1))
	}
	got := assertPoints(t, "evaluate coins.json --policy fair.csv --criterion total --target over --distribution 0,1,1.5:5.5:1/2", fair)
	assert.InDelta(t, 2, got["mean"], 1e-13)
	assert.InDelta(t, 0, got["never"], 0)
	levels := got["quantiles"].([]any)
	for i, want := range [][2]float64{{1.5, 2.5}, {3, 3 + 0.5*0.125/0.1}, {3.5, 3.5 + 0.5*0.0625/0.05}, {4.5, 4.5 + 0.5*0.015625/0.01}} {
		level := levels[i].(map[string]any)
		if i > 0 { // no bounds tell Pr(T ≤ 3/2) = 1/2 from a little less
			assert.InDelta(t, want[0], level["quantile"], 1e-13)
		}
		assert.GreaterOrEqual(t, want[0]*(1+1e-13), level["quantile_lower"])
		assert.LessOrEqual(t, want[0]*(1-1e-13), level["quantile_upper"])
		assert.InDelta(t, want[1], level["cvar"], 1e-12)
	}

	// Steps of both kinds, in units of 1/2: goes on with 1 (1/6) or 2 (1/6), ends with 3 (1/6) or 2 (1/2).
	on, off := []float64{0, 1. / 6, 1. / 6, 0}, []float64{0, 0, 1. / 2, 1. / 6}
	alive, ended := []float64{1}, []float64{0}
	for b := 1; b <= 20; b++ {
		a, e := 0.0, 0.0
		for c := 1; c <= min(3, b); c++ {
			a, e = a+on[c]*alive[b-c], e+off[c]*alive[b-c]
		}
		alive, ended = append(alive, a), append(ended, e)
	}
	both, sum := map[float64]float64{}, 0.0
	for b, p := range ended {
		sum += p
		both[float64(b)/2] = sum
	}
	assertPoints(t, "evaluate coins.json --policy both.csv --criterion total --target over --distribution 0:10:1/2", both)
	// Two steps, of which the second earns nothing after the end.
	assertPoints(t, "evaluate coins.json --policy both.csv --criterion finite --horizon 2 --distribution 0.5,1,1.5,2,2.5", map[float64]float64{
		0.5: 0, 1: 19. / 36, 1.5: 30. / 36, 2: 35. / 36, 2.5: 1,
	})
}

// A binomial number of heads in 20 throws.
func TestDistributionOfThrows(t *testing.T) {
	coins(t)
	writeFile(t, "throws.json", `{"kind": "dtmc", "reward_models": ["heads"], "states": [
{"actions": [{"to": [[0, 0.7], [1, 0.3]]}]}, {"rewards": [1], "actions": [{"to": [[0, 0.7], [1, 0.3]]}]}]}`)
	want, sum, term := map[float64]float64{}, 0.0, math.Pow(0.7, 20)
	for k := range 21 { // of the 21 states, the first is no throw
		sum += term
		term *= 0.3 / 0.7 * float64(20-k) / float64(k+1)
		want[float64(k)] = sum
	}
	got := assertPoints(t, "evaluate throws.json --policy none.csv --criterion finite --horizon 21 --distribution 0:20:1", want)
	assert.InDelta(t, 6, got["mean"], 1e-13)
}

// The mean is what evaluate proves without --distribution.
func TestDistributionHasTheMeanOfEvaluate(t *testing.T) {
	coins(t)
	for _, line := range []string{
		"evaluate coins.json --policy both.csv --criterion total --target over",
		"evaluate coins.json --policy both.csv --criterion finite --horizon 7",
		"evaluate paths.drn --policy half.csv --criterion total --target goal",
		"evaluate paths.drn --policy gamble.csv --criterion finite --horizon 3",
		"evaluate twoservers.tra --policy none.csv --criterion total --target full",
	} {
		got := answer(t, line+" --distribution 0,50")
		first := got["distribution"].([]any)[0].(map[string]any)
		want := solved(t, line).Value
		if got["reward"] == "time" {
			want = 19
		}
		assert.InEpsilon(t, want, got["mean"], 1e-12, line)
		assert.InEpsilon(t, want, first["excess"], 1e-12, line)
	}
}

func TestDistributionsThatAreRefused(t *testing.T) {
	coins(t)
	writeFile(t, "debts.json", `{"kind": "dtmc", "labels": {"over": [1]}, "reward_models": ["won"], "states": [{"rewards": [-2], "actions": [{"to": [[1, 1]]}]}, {"actions": [{"to": [[1, 1]]}]}]}`)
	total := " --criterion total --target over --distribution "
	for line, want := range map[string]string{
		"evaluate coins.json --policy fair.csv" + total + "-1":                                                                     `--distribution: -1 is not valid: without a horizon use numbers from 0 up`,
		"evaluate coins.json --policy fair.csv" + total + "1 --method exact":                                                       `--method: not valid with --distribution: leave it out`,
		"evaluate coins.json --policy fair.csv" + total + "1e9":                                                                    `in units of 1/2, which divide all rewards, is too much: use a lower total, or rewards of fewer digits`,
		"evaluate debts.json --policy none.csv" + total + "1":                                                                      `--distribution: a step from state 0 has the reward -2: use rewards from 0 up`,
		"evaluate coins.json --policy fair.csv --criterion average --distribution 1":                                               `--distribution: 1 is not valid here: use it with --criterion total or finite`,
		"evaluate twoservers.tra --policy none.csv --criterion total --target full --reward x --distribution 1":                    `--reward: `,
		"evaluate twoservers.tra --policy none.csv --criterion total --target full --distribution 1e12":                            `--distribution: up to 1000000000000 `,
		"evaluate twoservers.tra --policy none.csv --criterion finite --horizon 3 --distribution 1":                                `--criterion: finite is not valid for a CTMC`,
		"evaluate twoservers.tra --criterion total --target full --reward cost --distribution 1":                                   `--reward: not valid with --distribution in continuous time, where it is the distribution of the time until the target: leave it out`,
		"evaluate coins.json --policy fair.csv --criterion finite --horizon 2000000000 --distribution 1":                           `--horizon: 2000000000 is too large for a distribution`,
		"robots solve --robots 6 --buffer 5 --lambda 0.1:0.2 --mu 1 --gamma 1 --starvation-free 1":                                 `--starvation-free: not valid with a range for --lambda: leave it out`,
		"robots solve --class 2@13.72 --class 3@24.34 --class 2@0.1219 --buffer 2 --mu 1.846 --max-loss 30.2% --starvation-free 1": `--starvation-free: not valid for this --max-loss`,
		"robots solve --robots 6 --buffer 5 --lambda 0.1 --mu 1 --gamma 1 --starvation-free -1":                                    `--starvation-free: -1 is not valid: use a number of 0 or more`,
		"robots solve --robots 6 --buffer 5 --lambda 0.1 --mu 1 --gamma 1 --starvation-free 1e99 --method paper":                   `--starvation-free: use a smaller problem or shorter times`,
	} {
		status, stdout, stderr := execute(t, line)
		assert.Equal(t, 2, status, line)
		assert.Empty(t, stdout, line)
		assert.Contains(t, stderr, want, line)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), line)
	}
}

// What Storm (stormpy 2.0.0) answers to P=? [F{"cost"}<=x "done"] for this chain, in which steps
// from state 1 cost nothing.
func TestDistributionOfStorm(t *testing.T) {
	coins(t)
	writeFile(t, "storm.json", `{"kind": "dtmc", "labels": {"done": [4]}, "reward_models": ["cost"], "states": [
{"rewards": [1], "actions": [{"to": [[0, 0.5], [1, 0.5]]}]}, {"actions": [{"to": [[0, 0.2], [2, 0.3], [3, 0.5]]}]},
{"rewards": [3], "actions": [{"to": [[1, 0.25], [4, 0.75]]}]}, {"rewards": [2], "actions": [{"to": [[2, 0.9], [3, 0.1]]}]},
{"actions": [{"to": [[4, 1]]}]}]}`)
	assertPoints(t, "evaluate storm.json --policy none.csv --criterion total --target done --distribution 5,10,20",
		map[float64]float64{5: 0.18, 10: 0.7620008625000001, 20: 0.9812579574741865})
}

// Totals of rewards in thirds and sevenths, at fractions, at decimals beside them and between
// them, against all paths in fractions.
func TestDistributionAtFractions(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "none.csv", "state,action\n")
	writeFile(t, "m.json", `{"kind": "dtmc", "reward_models": ["r"], "states": [
		{"rewards": ["1/3"], "actions": [{"to": [[0, 0.5], [1, 0.5]]}]}, {"rewards": ["2/7"], "actions": [{"to": [[0, 0.25], [1, 0.75]]}]}]}`)
	totals := map[string]*big.Rat{} // the probability of each
	var play func(state, left int, total, chance *big.Rat)
	play = func(state, left int, total, chance *big.Rat) {
		if left == 0 {
			known := totals[total.RatString()]
			if known == nil {
				known = new(big.Rat)
				totals[total.RatString()] = known
			}
			known.Add(known, chance)
			return
		}
		total = new(big.Rat).Add(total, []*big.Rat{big.NewRat(1, 3), big.NewRat(2, 7)}[state])
		for next, p := range [][]*big.Rat{{big.NewRat(1, 2), big.NewRat(1, 2)}, {big.NewRat(1, 4), big.NewRat(3, 4)}}[state] {
			play(next, left-1, total, new(big.Rat).Mul(chance, p))
		}
	}
	play(0, 5, new(big.Rat), big.NewRat(1, 1))
	for _, text := range []string{"0", "1/3", "5/3", "1.6666666666666667", "1.6666666666666666", "34/21", "31/21", "1.5", "1.4761904761904762", "10", "1e-300"} {
		x, _ := new(big.Rat).SetString(text)
		atMost, excess := new(big.Rat), new(big.Rat)
		for total, p := range totals {
			y, _ := new(big.Rat).SetString(total)
			if y.Cmp(x) <= 0 {
				atMost.Add(atMost, p)
			} else {
				excess.Add(excess, y.Sub(y, x).Mul(y, p))
			}
		}
		got := answer(t, "evaluate m.json --policy none.csv --criterion finite --horizon 5 --distribution "+text)["distribution"].([]any)[0].(map[string]any)
		for name, exactly := range map[string]*big.Rat{"at_most": atMost, "excess": excess} {
			want, _ := exactly.Float64()
			assert.InDelta(t, want, got[name], 1e-13, "%s: %s", text, name)
			assert.LessOrEqual(t, new(big.Rat).SetFloat64(got[name+"_lower"].(float64)).Cmp(exactly), 0, "%s: %s", text, name)
			assert.GreaterOrEqual(t, new(big.Rat).SetFloat64(got[name+"_upper"].(float64)).Cmp(exactly), 0, "%s: %s", text, name)
		}
	}
}
