package exact_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// action is an action of a textbook model: dense probabilities, and the rewards
// of the transitions or, if there is only one number, of the step.
type action struct{ probabilities, rewards []string }

func number(text string) *big.Rat {
	x, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("exact_test: number " + text)
	}
	return x
}

func textbook(t *testing.T, states ...[]action) *exact.Model {
	t.Helper()
	a := exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}}
	for _, actions := range states {
		for _, action := range actions {
			cost := new(big.Rat)
			if len(action.rewards) == 1 {
				cost = number(action.rewards[0])
			}
			for j, text := range action.probabilities {
				p := number(text)
				if p.Sign() == 0 {
					continue
				}
				a.Columns, a.Probabilities = append(a.Columns, int32(j)), append(a.Probabilities, p)
				if len(action.rewards) > 1 {
					cost.Add(cost, new(big.Rat).Mul(p, number(action.rewards[j])))
				}
			}
			a.Costs = append(a.Costs, cost)
			a.RowStart = append(a.RowStart, int32(len(a.Columns)))
		}
		a.StateStart = append(a.StateStart, int32(len(a.Costs)))
	}
	model, err := exact.NewModel(a)
	require.NoError(t, err)
	return model
}

// Howard (1960), chapter 4: to advertise and to do research earns 2 a week, and
// a successful toy is worth 10 more than an unsuccessful one.
func TestToymaker(t *testing.T) {
	model := textbook(t,
		[]action{{[]string{"0.5", "0.5"}, []string{"9", "3"}}, {[]string{"0.8", "0.2"}, []string{"4", "4"}}},
		[]action{{[]string{"0.4", "0.6"}, []string{"3", "-7"}}, {[]string{"0.7", "0.3"}, []string{"1", "-19"}}},
	)
	answer, err := model.Average(context.Background(), mdp.Maximize)
	require.NoError(t, err)
	assertValues(t, []string{"2", "2"}, answer.Values)
	assertValues(t, []string{"0", "-10"}, answer.Relative)
	assert.Equal(t, []int32{1, 1}, answer.Policy)
	// Without them it earns 1 (ibid., chapter 2), and there is nothing worse.
	answer, err = model.Average(context.Background(), mdp.Minimize)
	require.NoError(t, err)
	assertValues(t, []string{"1", "1"}, answer.Values)
	assert.Equal(t, []int32{0, 0}, answer.Policy)

	// Howard (1960), chapter 7: the present values at a discount factor of 0.9
	// are printed as 22.2 and 12.3.
	answer, err = model.Discounted(context.Background(), mdp.Maximize, big.NewRat(9, 10))
	require.NoError(t, err)
	assert.InDelta(t, 22.2, answer.Values[0].Float64(), 0.05)
	assert.InDelta(t, 12.3, answer.Values[1].Float64(), 0.05)
}

// Howard (1960), chapter 4: in each of three towns the driver goes to the stand,
// the second action, at 13.34 a trip.
func TestTaxicab(t *testing.T) {
	model := textbook(t,
		[]action{
			{[]string{"1/2", "1/4", "1/4"}, []string{"10", "4", "8"}},
			{[]string{"1/16", "3/4", "3/16"}, []string{"8", "2", "4"}},
			{[]string{"1/4", "1/8", "5/8"}, []string{"4", "6", "4"}},
		},
		[]action{
			{[]string{"1/2", "0", "1/2"}, []string{"14", "0", "18"}},
			{[]string{"1/16", "7/8", "1/16"}, []string{"8", "16", "8"}},
		},
		[]action{
			{[]string{"1/4", "1/4", "1/2"}, []string{"10", "2", "8"}},
			{[]string{"1/8", "3/4", "1/8"}, []string{"6", "4", "2"}},
			{[]string{"3/4", "1/16", "3/16"}, []string{"4", "0", "8"}},
		},
	)
	answer, err := model.Average(context.Background(), mdp.Maximize)
	require.NoError(t, err)
	assertValues(t, []string{"1588/119", "1588/119", "1588/119"}, answer.Values)
	assert.Equal(t, []int32{1, 1, 1}, answer.Policy)
}

// Tijms (2003), Example 6.1.1: maintenance at 95/219 = 0.4338 a day. Working
// conditions 1 … 5 are followed by the second day of an enforced repair.
func TestMaintenance(t *testing.T) {
	repair := func(cost string) action {
		return action{[]string{"1", "0", "0", "0", "0", "0"}, []string{cost}}
	}
	model := textbook(t,
		[]action{{[]string{"0.9", "0.1", "0", "0", "0", "0"}, []string{"0"}}},
		[]action{{[]string{"0", "0.8", "0.1", "0.05", "0.05", "0"}, []string{"0"}}, repair("7")},
		[]action{{[]string{"0", "0", "0.7", "0.1", "0.2", "0"}, []string{"0"}}, repair("7")},
		[]action{{[]string{"0", "0", "0", "0.5", "0.5", "0"}, []string{"0"}}, repair("5")},
		[]action{{[]string{"0", "0", "0", "0", "0", "1"}, []string{"10"}}},
		[]action{repair("0")},
	)
	answer, err := model.Average(context.Background(), mdp.Minimize)
	require.NoError(t, err)
	assert.Equal(t, "95/219", answer.Values[0].String())
	assert.Equal(t, []int32{0, 0, 0, 1, 0, 0}, answer.Policy)
}

// queue returns M/M/1/K with λ = 1/3, μ = 1/2, whose cost per unit of time is the
// number of customers, uniformized at a rate of 2.
func queue(t *testing.T, capacity int32) *exact.Model {
	t.Helper()
	a := exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}, Rate: big.NewRat(2, 1)}
	up, down := big.NewRat(1, 6), big.NewRat(1, 4)
	for s := range capacity + 1 {
		stay := big.NewRat(1, 1)
		if s < capacity {
			a.Columns, a.Probabilities = append(a.Columns, s+1), append(a.Probabilities, up)
			stay.Sub(stay, up)
		}
		if s > 0 {
			a.Columns, a.Probabilities = append(a.Columns, s-1), append(a.Probabilities, down)
			stay.Sub(stay, down)
		}
		a.Columns, a.Probabilities = append(a.Columns, s), append(a.Probabilities, stay)
		a.Costs = append(a.Costs, big.NewRat(int64(s), 1))
		a.StateStart, a.RowStart = append(a.StateStart, s+1), append(a.RowStart, int32(len(a.Columns)))
	}
	model, err := exact.NewModel(a)
	require.NoError(t, err)
	return model
}

// With ρ = 2/3 the mean number of customers in M/M/1/K is Σ i·ρ^i / Σ ρ^i.
func TestQueueLength(t *testing.T) {
	const capacity = 400
	mean, sum, power := new(big.Rat), new(big.Rat), big.NewRat(1, 1)
	for i := range int64(capacity + 1) {
		mean.Add(mean, new(big.Rat).Mul(power, big.NewRat(i, 1)))
		sum.Add(sum, power)
		power.Mul(power, big.NewRat(2, 3))
	}
	answer, err := queue(t, capacity).Average(context.Background(), mdp.Minimize)
	require.NoError(t, err)
	want := mean.Quo(mean, sum)
	for _, value := range answer.Values {
		assert.Zero(t, want.Cmp(value.Rat()))
	}
}

// In M/M/1/2 the mean time from 1 to 0 solves (λ+μ)·t_1 = 1 + λ·t_2 with t_2 =
// 1/μ + t_1, and so does the area under the number of customers with 1 and 2 in
// place of both 1s: with λ = 1/3, μ = 1/2 it is (1 + 2·λ/μ)/μ = 14/3.
func TestTotalPerUnitOfTime(t *testing.T) {
	model := queue(t, 2)
	answer, err := model.Total(context.Background(), mdp.Minimize, []int32{0})
	require.NoError(t, err)
	assert.Equal(t, "14/3", answer.Values[1].String())
	// Relative values are those totals less the gain for the time they take,
	// which is (1 + λ/μ)/μ = 10/3; the gain is (2/3 + 2·4/9)/(1 + 2/3 + 4/9).
	relative, err := model.Average(context.Background(), mdp.Minimize)
	require.NoError(t, err)
	assertValues(t, []string{"14/19", "14/19", "14/19"}, relative.Values)
	assert.Equal(t, "0", relative.Relative[0].String())
	want := new(big.Rat).Sub(big.NewRat(14, 3), new(big.Rat).Mul(big.NewRat(14, 19), big.NewRat(10, 3)))
	assert.Equal(t, want.RatString(), relative.Relative[1].String())

	_, err = model.Finite(context.Background(), mdp.Minimize, exact.Horizon{Steps: 3})
	require.ErrorIs(t, err, mdp.ErrUnsupported)
}

// An asset may be sold within four days at the price of the day, 1, 2 or 3; unsold it is worth 2.2.
// By hand: in the last step it is sold at 3 alone, and so on backwards.
func TestAssetThatMayBeSold(t *testing.T) {
	sell := func(price string) action { return action{[]string{"0", "0", "0", "1"}, []string{price}} }
	hold := action{[]string{"1/4", "1/2", "1/4", "0"}, []string{"0"}}
	model := textbook(t, []action{sell("1"), hold}, []action{sell("2"), hold}, []action{sell("3"), hold}, []action{{[]string{"0", "0", "0", "1"}, []string{"0"}}})
	unsold := []*big.Rat{number("11/5"), number("11/5"), number("11/5"), new(big.Rat)}
	for _, test := range []struct {
		horizon exact.Horizon
		want    string
	}{
		{exact.Horizon{Steps: 4}, "39/16"},
		{exact.Horizon{Steps: 4, Terminal: unsold}, "213/80"},
		{exact.Horizon{Steps: 4, Terminal: unsold, Discount: number("9/10")}, "20512/10000"},
	} {
		var sold []int32 // by step, at the price 2
		test.horizon.Stage = func(_ int, policy []int32) { sold = append(sold, policy[1]) }
		answer, err := model.Finite(context.Background(), mdp.Maximize, test.horizon)
		require.NoError(t, err)
		off := new(big.Rat).Sub(answer.Values[1].Rat(), number(test.want))
		assert.LessOrEqual(t, off.Abs(off).Cmp(number("1/20000")), 0, "%s, not %s", answer.Values[1], test.want)
		assert.Len(t, sold, 4)
	}
}
