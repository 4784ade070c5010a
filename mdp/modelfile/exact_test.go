package modelfile_test

import (
	"context"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// toymaker is Howard's (1960, chapter 4), with the rewards of steps.
const toymaker = `@type: MDP
@parameters

@reward_models
earned
@nr_states
2
@nr_choices
4
@model
state 0 init
	action plain [6]
		0 : 1/2
		1 : 1/2
	action advertise [4]
		0 : 4/5
		1 : 1/5
state 1
	action plain [-3]
		0 : 2/5
		1 : 3/5
	action research [-5]
		0 : 7/10
		1 : 3/10
`

func TestExactModelOfAnMDP(t *testing.T) {
	model, err := modelfile.ReadDRN(strings.NewReader(toymaker), "toymaker", modelfile.Options{Exact: true})
	require.NoError(t, err)
	rational, err := model.Exact("earned")
	require.NoError(t, err)
	answer, err := rational.Average(context.Background(), mdp.Maximize)
	require.NoError(t, err)
	assert.Equal(t, "2", answer.Values[0].String())
	assert.Equal(t, "-10", answer.Relative[1].String())

	// Without the fractions of the file it is the model of its float64 numbers.
	model, err = modelfile.ReadDRN(strings.NewReader(toymaker), "toymaker", modelfile.Options{})
	require.NoError(t, err)
	rounded, err := model.Exact("earned")
	require.NoError(t, err)
	answer, err = rounded.Average(context.Background(), mdp.Maximize)
	require.NoError(t, err)
	assert.NotEqual(t, "2", answer.Values[0].String())
	assert.InDelta(t, 2, answer.Values[0].Float64(), 1e-14)

	_, err = model.Exact("spent")
	require.ErrorContains(t, err, `"spent" is not valid`)
}

// A machine breaks at a rate of 1/3 and is repaired at one of 3/7, so that it
// works 9/16 of the time; a repair costs 5 when it is done, so 5·(7/16)·(3/7) per
// unit of time, and a broken machine 1 per unit of time.
const repair = `@type: CTMC
@parameters

@reward_models
cost
@nr_states
2
@nr_choices
2
@model
state 0 [0] init
	action 0 [0]
		1 : 1/3
state 1 [1]
	action 0 [5]
		0 : 3/7
`

func TestExactModelOfACTMC(t *testing.T) {
	model, err := modelfile.ReadDRN(strings.NewReader(repair), "repair", modelfile.Options{Exact: true})
	require.NoError(t, err)
	rational, err := model.Exact("")
	require.NoError(t, err)
	answer, err := rational.Average(context.Background(), mdp.Minimize)
	require.NoError(t, err)
	want := big.NewRat(7, 16)
	want.Add(want, big.NewRat(15, 16))
	assert.Equal(t, want.RatString(), answer.Values[0].String())
	// Until it works again it costs 7/3 while it is broken, and the repair.
	answer, err = rational.Total(context.Background(), mdp.Minimize, []int32{0})
	require.NoError(t, err)
	assert.Equal(t, "22/3", answer.Values[1].String())

	// The rate is that of the table, so discounting is that of the table too.
	table, err := model.Table("")
	require.NoError(t, err)
	answer, err = rational.Discounted(context.Background(), mdp.Minimize, big.NewRat(9, 10))
	require.NoError(t, err)
	result, err := mdp.Solve(context.Background(), table, mdp.Discounted{Discount: 0.9}, mdp.Settings{})
	require.NoError(t, err)
	assert.InEpsilon(t, answer.Values[1].Float64(), result.Value[1], 1e-8)
}

// Below, at and above powers of two, which the uniformization rate is one of.
func TestExactRates(t *testing.T) {
	for rate, want := range map[string]string{"4": "4", "1/8": "8", "1/3": "3", "5": "5"} {
		text := strings.Replace(strings.Replace(repair, "1/3", rate, 1), "3/7", rate, 1)
		model, err := modelfile.ReadDRN(strings.NewReader(text), "repair", modelfile.Options{Exact: true})
		require.NoError(t, err)
		rational, err := model.Exact("")
		require.NoError(t, err)
		answer, err := rational.Total(context.Background(), mdp.Minimize, []int32{0})
		require.NoError(t, err)
		mean := number(t, want)
		if !strings.Contains(rate, "/") {
			mean.Inv(mean)
		}
		assert.Equal(t, mean.Add(mean, big.NewRat(5, 1)).RatString(), answer.Values[1].String(), rate)
	}
}

func number(t *testing.T, text string) *big.Rat {
	t.Helper()
	x, ok := new(big.Rat).SetString(text)
	require.True(t, ok)
	return x
}
