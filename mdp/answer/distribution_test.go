package answer_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// law is the distribution of a total: its values as text, and their probabilities.
type law map[string]*big.Rat

func (l law) add(total, p *big.Rat) {
	if l[total.RatString()] == nil {
		l[total.RatString()] = new(big.Rat)
	}
	l[total.RatString()].Add(l[total.RatString()], p)
}

// lawOf finds the distribution of the total of the steps of a policy by the recursion of its definition, in fractions.
func lawOf(f *answer.Followed) law {
	m := f.Whole
	rewards, _ := m.Reward(f.Reward)
	of := func(list modelfile.Numbers, i int32) *big.Rat {
		if list.Len() == 0 {
			return new(big.Rat)
		}
		return list.Rationals()[i]
	}
	now := map[int32]law{m.Initial[0]: {"0": big.NewRat(1, 1)}}
	for step := range f.Steps() {
		next := map[int32]law{}
		for s, totals := range now {
			actions, shares := f.Policy.InStep(step).At(int(s))
			for i, a := range actions {
				k, share := m.StateStart[s]+a, big.NewRat(1, 1)
				if shares != nil {
					share = shares[i]
				}
				for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
					j := m.Columns[e]
					if next[j] == nil {
						next[j] = law{}
					}
					for text, p := range totals {
						total, _ := new(big.Rat).SetString(text)
						for _, r := range []*big.Rat{of(rewards.State, s), of(rewards.Action, k), of(rewards.Transition, e)} {
							total.Add(total, r)
						}
						share := new(big.Rat).Mul(share, m.Values.Rationals()[e])
						next[j].add(total, share.Mul(share, p))
					}
				}
			}
		}
		now = next
	}
	all := law{}
	for s, totals := range now {
		for text, p := range totals {
			total, _ := new(big.Rat).SetString(text)
			all.add(total.Add(total, of(f.Ending, s)), p)
		}
	}
	return all
}

// tenths returns random numbers of one decimal, exactly or as a program has them.
func tenths(random *rand.Rand, length int, exactly bool) (n modelfile.Numbers) {
	for range length {
		x := random.Int64N(60) - 20
		n.Float = append(n.Float, float64(x)/10)
		if exactly {
			n.Exact = append(n.Exact, big.NewRat(x, 10))
		}
	}
	return n
}

// TestDistributionsOfSteps compares the distributions of finite horizons with those of recursion in
// fractions: of rewards of states, choices and transitions of both signs, with terminal rewards, for
// policies that are randomised and change from step to step.
func TestDistributionsOfSteps(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 50))
		m := randomMDP(random)
		q := question.Question{Criterion: question.Finite, Sense: "maximize", Reward: "r", Horizon: new(1 + random.IntN(5))}
		isExact := seed%2 == 0
		if !isExact { // the numbers of a program
			m.Values.Exact = nil
		}
		m.Rewards = []modelfile.RewardModel{{Name: "r"}, {Name: "end", State: tenths(random, m.NumStates(), isExact)}}
		for i, list := range []*modelfile.Numbers{&m.Rewards[0].State, &m.Rewards[0].Action, &m.Rewards[0].Transition} {
			if random.IntN(2) == 0 {
				*list = tenths(random, []int{m.NumStates(), m.NumChoices(), len(m.Columns)}[i], isExact)
			}
		}
		if random.IntN(2) == 0 {
			q.Terminal = "end"
		}
		p := randomSteps(random, m, q.Steps())
		if random.IntN(2) == 0 {
			p = p.Steps[0]
		}
		f, err := answer.Follow(m, &p, q.On)
		require.NoError(t, err, "seed %d", seed)
		want := law{}
		for text, p := range lawOf(f) {
			total, _ := new(big.Rat).SetString(text)
			if !isExact { // without what rounding has left in sums of decimals
				float, _ := total.Float64()
				total, _ = new(big.Rat).SetString(strconv.FormatFloat(float, 'f', 6, 64))
			}
			want.add(total, p)
		}
		var totals, points []*big.Rat
		for text := range want {
			total, _ := new(big.Rat).SetString(text)
			totals = append(totals, total)
			points = append(points, total, new(big.Rat).Add(total, big.NewRat(random.Int64N(300)-150, 100)))
		}
		slices.SortFunc(totals, (*big.Rat).Cmp)
		slices.SortFunc(points, (*big.Rat).Cmp)
		points = points[:1+random.IntN(len(points))]
		d, err := answer.Distribution(t.Context(), f, points, answer.Settings{})
		require.NoError(t, err, "seed %d", seed)
		within := func(x *big.Rat, b mdp.Bounds, what string, at *big.Rat) {
			closeness := 1e-9
			if isExact {
				closeness = 0
			}
			float, _ := x.Float64()
			assert.True(t, b.Lower-closeness <= float && float <= b.Upper+closeness, "seed %d: %s at %s: %v is not in [%v, %v]", seed, what, at, float, b.Lower, b.Upper)
			assert.LessOrEqual(t, b.Upper-b.Lower, 1e-11, "seed %d: %s at %s", seed, what, at)
		}
		mean := new(big.Rat)
		for _, total := range totals {
			mean.Add(mean, new(big.Rat).Mul(total, want[total.RatString()]))
		}
		within(mean, d.Mean, "mean", mean)
		for i, x := range points {
			atMost, above, excess := new(big.Rat), new(big.Rat), new(big.Rat)
			for _, total := range totals {
				if p := want[total.RatString()]; total.Cmp(x) <= 0 {
					atMost.Add(atMost, p)
				} else {
					above.Add(above, p)
					more := new(big.Rat).Sub(total, x)
					excess.Add(excess, more.Mul(more, p))
				}
			}
			within(atMost, d.Points[i].AtMost, "at most", x)
			within(above, d.Points[i].Above, "above", x)
			within(excess, d.Points[i].Excess, "excess", x)
		}
		for _, level := range []float64{0.3, 0.77} {
			worst, left, cvar := new(big.Rat), new(big.Rat).SetFloat64(1-level), new(big.Rat)
			quantile := totals[0]
			for _, total := range slices.Backward(totals) {
				p := want[total.RatString()]
				if share := new(big.Rat).Sub(left, worst); p.Cmp(share) > 0 {
					p = share
				}
				worst.Add(worst, p)
				cvar.Add(cvar, new(big.Rat).Mul(p, total))
				if quantile = total; worst.Cmp(left) >= 0 {
					break
				}
			}
			float, _ := cvar.Quo(cvar, left).Float64()
			bounds, size := d.CVaR(level), d.Quantile(level)
			assert.True(t, bounds.Lower-1e-9 <= float && float <= bounds.Upper+1e-9, "seed %d: CVaR %v is not in %v", seed, float, bounds)
			if float, _ = quantile.Float64(); points[len(points)-1].Cmp(quantile) >= 0 {
				assert.InDelta(t, float, size.Lower, 1e-9, "seed %d: quantile", seed)
				assert.InDelta(t, float, size.Upper, 1e-9, "seed %d: quantile", seed)
			} else {
				assert.LessOrEqual(t, size.Lower, float+1e-9, "seed %d: quantile", seed)
			}
		}
	}
}
