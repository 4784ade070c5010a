package modelfile_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// decimals is a state 0 that leads to all states, with rewards for each transition;
// the other states stay where they are.
type decimals struct {
	p, rewards    []*big.Rat
	state, action *big.Rat
	text          string // as a JSON file
}

// randomDecimals returns a row whose sum is off 1 by up to 1e-9, or not at all.
func randomDecimals(random *rand.Rand) decimals {
	const places = 13
	d := decimals{state: decimal(random, 3), action: decimal(random, 3)}
	n, rest := 1+random.IntN(60), int64(1e13)
	for range n - 1 {
		w := 1 + random.Int64N(rest/int64(n))
		d.p, rest = append(d.p, big.NewRat(w, 1e13)), rest-w
	}
	if random.IntN(3) > 0 {
		rest += random.Int64N(18_001) - 9_000
	}
	d.p = append(d.p, big.NewRat(rest, 1e13))
	var to []string
	same := random.IntN(3) == 0
	for j, p := range d.p {
		d.rewards = append(d.rewards, decimal(random, 1+random.IntN(12)))
		if same {
			d.rewards[j] = d.rewards[0]
		}
		to = append(to, fmt.Sprintf("[%d, %s, [%s]]", j, p.FloatString(places), d.rewards[j].FloatString(places)))
	}
	states := []string{fmt.Sprintf(`{"rewards": [%s], "actions": [{"rewards": [%s], "to": [%s]}]}`,
		d.state.FloatString(places), d.action.FloatString(places), strings.Join(to, ", "))}
	for s := 1; s < n; s++ {
		states = append(states, fmt.Sprintf(`{"actions": [{"to": [[%d, 1]]}]}`, s))
	}
	d.text = `{"format": "mdpsolve-model/1", "kind": "mdp", "reward_models": ["r"], "states": [` + strings.Join(states, ", ") + "]}"
	return d
}

// decimal returns a number of so many places, of either sign.
func decimal(random *rand.Rand, places int) *big.Rat {
	return big.NewRat(random.Int64N(2e12)-1e12, power(places))
}

func power(places int) int64 {
	power := int64(1)
	for range places {
		power *= 10
	}
	return power
}

// within reports whether |x − want| ≤ share·|want|.
func within(x, want *big.Rat, share float64) bool {
	off, limit := new(big.Rat).Sub(x, want), new(big.Rat).SetFloat64(share)
	return off.Abs(off).Cmp(limit.Abs(limit.Mul(limit, want))) <= 0
}

// The probabilities that a file means are its decimals divided by their exact sum, and
// expected rewards are with those: in a table of the exact model to one rounding, in
// one of the rounded model as far as Rounded admits, in rationals exactly. Without
// its exact numbers, a model means its float64 numbers in the same way.
func TestDecimalsMeanTheSameEverywhere(t *testing.T) {
	const seed, unit = 3, 0x1p-53
	for i := range 500 {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		d := randomDecimals(random)
		for _, exactly := range []bool{true, false} {
			m, err := modelfile.ReadJSON(strings.NewReader(d.text), "m.json", modelfile.Options{Exact: exactly})
			require.NoError(t, err)
			p, meant := d.p, d
			if !exactly { // its own numbers
				meant = ofFloats(m)
				p = meant.p
			}
			sum := new(big.Rat)
			for _, x := range p {
				sum.Add(sum, x)
			}
			table, err := m.Table("r")
			require.NoError(t, err)
			rational, err := m.Exact("r")
			require.NoError(t, err)
			row, cost := table.AppendRow(nil, 0, 0)
			expected := new(big.Rat).Add(meant.state, meant.action)
			for j, e := range row {
				share := new(big.Rat).Quo(p[j], sum)
				got := new(big.Rat).SetFloat64(e.Probability)
				require.True(t, within(got, new(big.Rat).Quo(d.p[j], ratSum(d.p)), mdp.Rounded{Table: table}.RelativeError()), "seed %d, model %d", seed, i)
				if exactly {
					require.True(t, within(got, share, unit), "seed %d, model %d", seed, i)
				}
				expected.Add(expected, share.Mul(share, meant.rewards[j]))
			}
			require.True(t, within(new(big.Rat).SetFloat64(cost), expected, unit*(1+0x1p-20)), "seed %d, model %d", seed, i)

			// One step in rationals, to a state and back: cost and probabilities.
			answer, err := rational.Finite(t.Context(), mdp.Minimize, exact.Horizon{Steps: 1, Terminal: ramp(len(p))})
			require.NoError(t, err)
			for j, x := range p {
				expected.Add(expected, new(big.Rat).Quo(new(big.Rat).Mul(x, big.NewRat(int64(j*j), 1)), sum))
			}
			assertValue(t, expected, answer.Values[0])
		}
	}
}

func assertValue(t *testing.T, want *big.Rat, got exact.Value) {
	t.Helper()
	assert.Zero(t, want.Cmp(got.Rat()), "%v, not %v", got, want)
}

// ramp returns terminal rewards that tell states apart.
func ramp(n int) []*big.Rat {
	x := make([]*big.Rat, n)
	for j := range x {
		x[j] = big.NewRat(int64(j*j), 1)
	}
	return x
}

func ratSum(numbers []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, x := range numbers {
		sum.Add(sum, x)
	}
	return sum
}

// ofFloats returns the float64 numbers of state 0 of a model.
func ofFloats(m *modelfile.Model) decimals {
	number := func(n modelfile.Numbers, i int) *big.Rat {
		if n.Len() == 0 {
			return new(big.Rat)
		}
		return new(big.Rat).SetFloat64(n.Float[i])
	}
	r := m.Rewards[0]
	d := decimals{state: number(r.State, 0), action: number(r.Action, 0)}
	for e := range int(m.RowStart[1]) {
		d.p, d.rewards = append(d.p, number(m.Values, e)), append(d.rewards, number(r.Transition, e))
	}
	return d
}

// Expected rewards whose terms cancel to more than twice the digits are right to the
// last one in a model that holds no exact numbers either.
func TestExpectedRewardsThatCancel(t *testing.T) {
	m := &modelfile.Model{
		Kind: modelfile.DTMC, StateStart: []int32{0, 1, 2, 3}, RowStart: []int32{0, 3, 4, 5}, Columns: []int32{0, 1, 2, 1, 2},
		Values: modelfile.Numbers{Float: []float64{0.25, 0.25, 0.5, 1, 1}}, Initial: []int32{0},
	}
	list := func(numbers ...float64) modelfile.Numbers { return modelfile.Numbers{Float: numbers} }
	m.Rewards = []modelfile.RewardModel{{Name: "r", State: list(-1e150, 0, 0), Action: list(-1e300, 0, 0), Transition: list(4e300, 4e150, 6, 0, 0)}}
	require.NoError(t, m.Validate())
	rewards, err := m.ExpectedRewards("r")
	require.NoError(t, err)
	assert.Equal(t, 3.0, rewards.Float[0]) // 10³⁰⁰ + 10¹⁵⁰ + 3 − 10³⁰⁰ − 10¹⁵⁰
}

// What float64 does not hold is refused with the states that it concerns, and solved
// exactly.
func TestTableRefuses(t *testing.T) {
	const start = `{"format": "mdpsolve-model/1", "kind": "%s", "reward_models": ["r"], "states": [{"rewards": [%s], "actions": [{"to": [[0, 1], [1, %s]]}]}, {"actions": [{"to": [[0, %s]]}]}]}`
	for _, test := range []struct {
		kind, reward, rate, back string
		total                    string // from state 0 to state 1
		message                  string
	}{
		{
			"ctmc", "1", "1e-165", "1e165", "1" + strings.Repeat("0", 165),
			"modelfile: the rate 1e-165 from state 0 to state 1, divided by the rates of state 1, is beyond float64: " +
				"use rates with quotients from 2.225e-308 up, or exact arithmetic",
		},
		{
			"ctmc", "1", "1e-310", "1e-310", "1" + strings.Repeat("0", 310),
			"modelfile: the rate 1e-310 from state 0 to state 1, ",
		},
		{"ctmc", "1", "1", "1e308", "1", "modelfile: the rate at which state 1 is left is beyond float64: use another unit of time, or exact arithmetic"},
		{
			"ctmc", "1e-310", "1", "1", "1/1" + strings.Repeat("0", 310),
			"modelfile: state 0, choice 0: an expected reward of 1e-310 is beyond float64: use 0 or a magnitude from 2.225e-308 to 1.798e+308 " +
				"(another unit of reward), or exact arithmetic",
		},
		{"mdp", "1", "1e-310", "1", "1" + strings.Repeat("0", 309) + "1", "modelfile: state 0, choice 0: a probability of 1e-310 is beyond float64: use one from 2.225e-308 up, or exact arithmetic"},
	} {
		for _, exactly := range []bool{true, false} {
			text := fmt.Sprintf(start, test.kind, test.reward, test.rate, test.back)
			m, err := modelfile.ReadJSON(strings.NewReader(text), "m.json", modelfile.Options{Exact: exactly})
			require.NoError(t, err)
			_, err = m.Table("r")
			require.ErrorContains(t, err, test.message)
			require.ErrorIs(t, err, modelfile.ErrRange)
			require.NotContains(t, err.Error(), "\n")
			_, err = m.GraphTable()
			require.NoError(t, err)
			if !exactly {
				continue
			}
			rational, err := m.Exact("r")
			require.NoError(t, err)
			answer, err := rational.Total(t.Context(), mdp.Minimize, []int32{1})
			require.NoError(t, err)
			assert.Equal(t, test.total, answer.Values[0].String())
		}
	}
}
