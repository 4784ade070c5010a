package modelfile_test

import (
	"bytes"
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// widened gives some transitions of a model intervals, or none.
func widened(random *rand.Rand, m *modelfile.Model) {
	for e, x := range m.Values.Float {
		low, high := new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(x)
		if m.IsExact() {
			low.Set(m.Values.Exact[e])
			high.Set(low)
		}
		if random.IntN(3) > 0 {
			low.Mul(low, big.NewRat(int64(random.IntN(3)), 3))
			high.Mul(high, big.NewRat(int64(7+random.IntN(3)), 7))
		}
		m.Values.Float[e], _ = low.Float64()
		float, _ := high.Float64()
		if m.High.Float = append(m.High.Float, float); m.IsExact() {
			m.Values.Exact[e], m.High.Exact = low, append(m.High.Exact, high)
		}
	}
}

// withDistances gives a model distances in place of intervals.
func withDistances(random *rand.Rand, m *modelfile.Model) {
	m.Values = modelfile.Numbers{Float: slices.Clone(m.High.Float), Exact: slices.Clone(m.High.Exact)}
	for k := range m.NumChoices() {
		lo, hi := m.RowStart[k], m.RowStart[k+1]
		sum := new(big.Rat)
		for e := lo; e < hi; e++ {
			m.Values.Float[e] = 1 / float64(hi-lo)
			if m.IsExact() {
				m.Values.Exact[e] = big.NewRat(1, int64(hi-lo))
			}
			sum.Add(sum, big.NewRat(1, int64(hi-lo)))
		}
		d := big.NewRat(int64(1+random.IntN(7)), 8)
		float, _ := d.Float64()
		if m.Distance.Float = append(m.Distance.Float, float); m.IsExact() {
			m.Distance.Exact = append(m.Distance.Exact, d)
		}
	}
	m.High = modelfile.Numbers{Float: slices.Clone(m.Values.Float), Exact: slices.Clone(m.Values.Exact)}
}

func TestRoundTripsOfIntervals(t *testing.T) {
	const seed = 20261127
	for i := range 300 {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		want := randomModel(random, i%2 == 1)
		before := plain(want)
		if widened(random, want); want.Kind != modelfile.CTMC && i%5 == 0 {
			withDistances(random, want)
			require.NoError(t, want.Validate(), "seed %d, model %d", seed, i)
			require.Equal(t, plain(want), plain(throughJSON(t, want, modelfile.Options{Exact: want.IsExact()})), "seed %d, model %d", seed, i)
			continue
		}
		require.NoError(t, want.Validate(), "seed %d, model %d", seed, i)
		options := modelfile.Options{Exact: want.IsExact(), Kind: want.Kind}
		through := []func(*testing.T, *modelfile.Model, modelfile.Options) *modelfile.Model{throughJSON, throughDRN}
		if want.Kind != modelfile.CTMC {
			through = append(through, throughUMB, throughPRISM, throughJSON)
		}
		m := want
		for _, by := range through {
			if m = by(t, m, options); m.IsUncertain() {
				require.Equal(t, plain(want), plain(m), "seed %d, model %d", seed, i)
			} else { // all have width 0
				require.Equal(t, before, plain(m), "seed %d, model %d", seed, i)
			}
		}
	}
}

// A model in DRN, with the numbers of its transitions left out.
const intervalStart = "@type: MDP\n@value_type: double-interval\n@nr_states\n2\n@model\nstate 0\n\taction 0\n"

func TestErrorsOfIntervals(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{intervalStart + "\t\t0 : [0.5, 0.2]\n", "m.drn:8:7: state 0, action 0: found an interval from 0.5 to 0.2; expected 0 ≤ LOW ≤ HIGH"},
		{intervalStart + "\t\t0 : [-1, 0.2]\n", "m.drn:8:7: state 0, action 0: found an interval from -1 to 0.2; expected 0 ≤ LOW ≤ HIGH"},
		{intervalStart + "\t\t0 : [0.5; 1]\n", `m.drn:8:8: state 0, action 0: found "0.5;"; expected a number such as 1.5, 1e-3 or 17/15`},
		{intervalStart + "\t\t0 : [0.5, 1\n", `m.drn:8:14: state 0, action 0: found the end of the line; expected "]"`},
		{intervalStart + "\t\t0 : [0.5, 0.7]\n\t\t1 : [0, 0.2]\nstate 1\n", "m.drn:7:2: state 0, action 0: found upper ends that sum to 0.8999999999999999; expected a sum of at least 1, within 1e-9"},
		{intervalStart + "\t\t0 : [0.5, 0.7]\n\t\t1 : [0.75, 0.8]\nstate 1\n", "m.drn:7:2: state 0, action 0: found lower ends that sum to 1.25; expected a sum of at most 1, within 1e-9"},
		{strings.Replace(intervalStart, "-interval", "", 1) + "\t\t0 : [0.5, 0.7]\n", `m.drn:8:7: state 0, action 0: found "[0.5"; expected a number such as 1.5, 1e-3 or 17/15`},
		{strings.Replace(intervalStart, "state 0", "state 0 [[1, 2]", 1), "m.drn:6:16: state 0: found the end of the line; expected \"]\" after 1 rewards"},
		{"@type: CTMC\n@value_type: double-interval\n@nr_states\n1\n@model\nstate 0 !2\n", `m.drn:6:9: state 0: found "!2"; expected no exit rate: the rates are intervals`},
	} {
		_, err := modelfile.ReadDRN(strings.NewReader(test.text), "m.drn", modelfile.Options{})
		assert.EqualError(t, err, test.want)
		assertPlace(t, err)
	}
	for _, test := range []struct{ to, want string }{
		{"[[0, [0.5, 0.2]]]", "m.json:1:52: state 0, action 0: found an interval from 0.5 to 0.2; expected 0 ≤ LOW ≤ HIGH"},
		{"[[0, [0.5]]]", "m.json:1:56: state 0, action 0: found \"]\"; expected an interval [LOW, HIGH]"},
		{"[[0, [0.5, 1, 2]]]", "m.json:1:59: state 0, action 0: found \",\"; expected an interval [LOW, HIGH]"},
		{"[[0, [0.25, 0.5]]]", "m.json:1:40: state 0, action 0: found upper ends that sum to 0.5; expected a sum of at least 1, within 1e-9"},
		{`[[0, ["a", 1]]]`, `m.json:1:53: state 0, action 0: found "a"; expected a number such as 1.5, 1e-3 or 17/15`},
	} {
		_, err := modelfile.ReadJSON(strings.NewReader(`{"kind": "mdp", "states": [{"actions":[{"to": `+test.to+`}]}]}`), "m.json", modelfile.Options{})
		assert.EqualError(t, err, test.want)
		assertPlace(t, err)
	}
	for _, test := range []struct{ model, want string }{
		{`"mdp", "states": [{"actions":[{"distance": -1, "to": [[0, 1]]}]}]`, "m.json:1:53: state 0, action 0: found a distance of -1; expected a number from 0 up"},
		{`"mdp", "states": [{"actions":[{"distance": 1, "to": [[0, [0.5, 1]]]}]}]`, "m.json:1:40: state 0, action 0: found a distance beside intervals; expected one or the other"},
		{`"mdp", "states": [{"actions":[{"to": [[0, 0.5]], "distance": 1}]}]`, "m.json:1:40: state 0, action 0: found probabilities that sum to 0.5; expected a sum of 1, within 1e-9"},
		{`"mdp", "states": [{"actions":[{"to": [[0, 0.9999999999]], "distance": 1e-11}]}]`, "m.json:1:40: state 0, action 0: found probabilities that sum to less than 1, by more than half their distance; expected a sum of 1"},
		{`"mdp", "states": [{"actions":[{"to": [], "distance": 1}]}]`, "m.json:1:40: state 0, action 0: found no transitions; expected one that leads somewhere (to its own state, if it does nothing)"},
		{`"ctmc", "states": [{"actions":[{"to": [[0, 2]], "distance": 1}]}]`, "m.json:1:41: state 0, action 0: found a distance in a CTMC; expected intervals"},
	} {
		_, err := modelfile.ReadJSON(strings.NewReader(`{"kind": `+test.model+`}`), "m.json", modelfile.Options{})
		assert.EqualError(t, err, test.want)
		assertPlace(t, err)
	}
	far, err := modelfile.ReadJSON(strings.NewReader(`{"kind": "mdp", "states": [{"actions":[{"distance": 1, "to": [[0, 1]]}]}]}`), "m.json", modelfile.Options{})
	require.NoError(t, err)
	assert.ErrorContains(t, modelfile.WriteDRN(&bytes.Buffer{}, far), "distances")
	assert.ErrorContains(t, modelfile.WriteUMB(&bytes.Buffer{}, far), "distances")
	assert.ErrorContains(t, modelfile.WritePRISM(nil, far), "distances")

	// Models that are made by hand.
	valid, err := modelfile.ReadJSON(strings.NewReader(`{"kind": "mdp", "states": [{"actions":[{"distance": 1, "to": [[0, 1]]}]}]}`), "m.json", modelfile.Options{})
	require.NoError(t, err)
	for want, change := range map[string]func(m *modelfile.Model){
		"distances without upper ends":                        func(m *modelfile.Model) { m.High = modelfile.Numbers{} },
		"found a distance of -1; expected a number from 0 up": func(m *modelfile.Model) { m.Distance.Float = []float64{-1} },
		"distances: 2 numbers":                                func(m *modelfile.Model) { m.Distance.Float = []float64{1, 1} },
	} {
		m := *valid
		change(&m)
		assert.ErrorContains(t, m.Validate(), want)
	}

	// An interval that float64 does not tell from a number.
	thin := `{"kind": "dtmc", "states": [{"actions": [{"to": [[0, ["1/3", "33333333333333333333/99999999999999999998"]], [1, [0, 1]]]}]}, {"actions": [{"to": [[1, 1]]}]}]}`
	for _, isExact := range []bool{true, false} {
		m, err := modelfile.ReadJSON(strings.NewReader(thin), "m.json", modelfile.Options{Exact: isExact})
		require.NoError(t, err)
		assert.Equal(t, map[bool]int{true: 2, false: 1}[isExact], m.NumUncertain())
	}

	// A row that is known is divided by its sum beside intervals, too.
	off := `{"kind": "mdp", "states": [{"actions": [{"to": [[0, [0.5, 1]]]}]}, {"actions": [{"to": [[0, 0.5], [1, 0.4999995]]}]}]}`
	_, err = modelfile.ReadJSON(strings.NewReader(off), "m.json", modelfile.Options{})
	require.ErrorContains(t, err, "found probabilities that sum to 0.9999994999999999; expected a sum of 1, within 1e-9 (Options.Normalize")
	divided, err := modelfile.ReadJSON(strings.NewReader(off), "m.json", modelfile.Options{Normalize: true})
	require.NoError(t, err)
	assert.InEpsilon(t, 0.5/0.9999995, divided.Values.Float[1], 1e-15)
	assert.Equal(t, divided.Values.Float[1:], divided.High.Float[1:])
	late := `{"states": [{"actions": [{"to": [[0, 0.5], [1, 0.4999995]]}]}, {"actions": [{"to": [[1, [0.5, 1]]]}]}], "kind": "mdp"}`
	divided, err = modelfile.ReadJSON(strings.NewReader(late), "m.json", modelfile.Options{Normalize: true})
	require.NoError(t, err)
	assert.Equal(t, divided.Values.Float[:2], divided.High.Float[:2])
	assert.Equal(t, 1.0, divided.High.Float[2])

	m, err := modelfile.ReadDRN(strings.NewReader(tiny), "m.drn", modelfile.Options{})
	require.NoError(t, err)
	_, err = m.Table("")
	assert.ErrorIs(t, err, modelfile.ErrIntervals)
	_, err = m.Exact("")
	assert.ErrorIs(t, err, modelfile.ErrIntervals)
	_, err = m.ExpectedRewards("")
	assert.ErrorIs(t, err, modelfile.ErrIntervals)
	half := big.NewRat(1, 2)
	_, err = m.Under(mdp.Policy{Start: []int32{0, 2, 3, 4}, Actions: []int32{0, 1, 0, 0}, Probabilities: []*big.Rat{half, half, big.NewRat(1, 1), big.NewRat(1, 1)}})
	assert.ErrorIs(t, err, modelfile.ErrIntervals)
	rates, err := modelfile.ReadJSON(strings.NewReader(`{"kind": "ctmc", "states": [{"actions":[{"to": [[0, [1, 2]]]}]}]}`), "m.json", modelfile.Options{})
	require.NoError(t, err)
	assert.ErrorIs(t, modelfile.WriteUMB(&bytes.Buffer{}, rates), modelfile.ErrIntervals)
	assert.ErrorIs(t, modelfile.WritePRISM(nil, rates), modelfile.ErrIntervals)
}

// tiny has the numbers of resources/examples/testfiles/imdp/tiny-03.drn of Storm, with a
// reward at the target.
const tiny = `@type: MDP
@value_type: double-interval
@reward_models
at
@nr_states
3
@model
state 0 [0] init
	action 0
		1 : [0.4, 0.9]
		2 : [0.5, 0.8]
	action 1
		1 : [0.3, 0.7]
		2 : [0.4, 0.8]
state 1 [1] target
	action 0
		1 : [1, 1]
state 2 [0]
	action 0
		2 : 1
`

// loop has the numbers of tiny-04.drn there.
const loop = `@type: MDP
@value_type: double-interval
@reward_models
at
@nr_states
5
@model
state 0 [0] init
	action 0
		1 : [0.4, 0.4]
		2 : [0.3, 0.3]
		3 : [0.1, 0.6]
state 1 [0]
	action 0
		1 : [1, 1]
	action 1
		2 : [1, 1]
state 2 [0]
	action 0
		3 : [0.4, 0.9]
		4 : [0.5, 0.8]
	action 1
		3 : [0.4, 0.9]
		4 : [0.5, 0.8]
	action 2
		0 : [1,1]
state 3 [1] target
	action 0
		3 : [1, 1]
state 4 [0]
	action 0
		4 : [1, 1]
`

// PRISM's own form of intervals. Nature's best is that of the ordinary model with all vertices
// of the intervals as actions, computed in fractions.
func TestValuesOfPRISM(t *testing.T) {
	const transitions = "4 5 9\n0 0 0 [0.3,0.6] a\n0 0 2 [0.1,0.4] a\n0 0 3 [0.1,0.5] a\n0 1 1 [0.5,1] b\n0 1 3 [0,0.5] b\n" +
		"1 0 0 [0.3,0.4] c\n1 0 2 [0.6,0.7] c\n2 0 2 [1,1]\n3 0 3 [1,1]\n"
	for _, header := range []string{"", "# Transitions (IMDP)\n"} {
		m, err := modelfile.ReadPRISM(fstest.MapFS{
			"m.tra": {Data: []byte(header + transitions)}, "m.srew": {Data: []byte("# Reward structure \"at\"\n# State rewards\n4 1\n2 1\n")},
		}, "m", modelfile.Options{})
		require.NoError(t, err)
		u, err := m.Uncertain("at")
		require.NoError(t, err)
		for want, asked := range map[float64]struct {
			sense  mdp.Sense
			nature mdp.Nature
		}{3.0 / 8: {mdp.Maximize, mdp.Robust}, 1: {mdp.Maximize, mdp.Optimistic}, 4.0 / 5: {mdp.Minimize, mdp.Robust}, 1.0 / 6: {mdp.Minimize, mdp.Optimistic}} {
			r, err := mdp.Solve(context.Background(), u.With(asked.nature), mdp.LongRunAverage{Sense: asked.sense}, mdp.Settings{})
			require.NoError(t, err)
			lower, upper := r.Bounds(0)
			assert.True(t, lower-1e-15 <= want && want <= upper+1e-15, "%v %v: [%v, %v] is not %v", asked.sense, asked.nature, lower, upper, want)
		}
	}
}

// The probabilities to reach the target are printed in Storm's test
// src/test/storm/modelchecker/prctl/mdp/RobustMdpPrctlModelCheckerTest.cpp, Tiny03maxmin and
// Tiny04maxmin (0.42857 is 3/7 there).
func TestValuesOfStorm(t *testing.T) {
	for _, test := range []struct {
		text   string
		sense  mdp.Sense
		nature mdp.Nature
		want   float64
	}{
		{tiny, mdp.Maximize, mdp.Robust, 0.4},
		{tiny, mdp.Maximize, mdp.Optimistic, 0.6},
		{tiny, mdp.Minimize, mdp.Robust, 0.5},
		{tiny, mdp.Minimize, mdp.Optimistic, 0.3},
		{loop, mdp.Maximize, mdp.Robust, 1},
		{loop, mdp.Maximize, mdp.Optimistic, 1},
		{loop, mdp.Minimize, mdp.Robust, 3.0 / 7},
		{loop, mdp.Minimize, mdp.Optimistic, 0.42},
	} {
		m, err := modelfile.ReadDRN(strings.NewReader(test.text), "m.drn", modelfile.Options{})
		require.NoError(t, err)
		u, err := m.Uncertain("")
		require.NoError(t, err)
		r, err := mdp.Solve(context.Background(), u.With(test.nature), mdp.LongRunAverage{Sense: test.sense}, mdp.Settings{})
		require.NoError(t, err)
		lower, upper := r.Bounds(0)
		assert.True(t, lower-1e-15 <= test.want && test.want <= upper+1e-15, "%v %v: [%v, %v] is not %v", test.sense, test.nature, lower, upper, test.want)
	}
}
