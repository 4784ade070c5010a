package mdpio_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

func someResult() *mdpio.Result {
	return &mdpio.Result{
		Criterion: "total", Sense: "maximize", Reward: "steps \"1\"\n", Target: "done",
		Discount: 0.1, Horizon: 7,
		Status: "iteration-limit", Method: "value iteration", Iterations: 12, Tolerance: 1e-9,
		Initial: 1, Value: 1.0 / 3,
		Values: []float64{math.Inf(1), 1.0 / 3, -0.1}, Lower: []float64{5, 0.1, math.Inf(-1)},
		Upper: []float64{math.Inf(1), math.MaxFloat64, math.SmallestNonzeroFloat64}, Policy: []int32{0, 3, 1},
		Classification: "weakly-communicating", Aperiodic: true,
		Choice: "it is \u201cexact\u201d", Seconds: 0.25, Relative: []float64{0, -1.5, 1e300},
		Exact:         []*big.Rat{nil, big.NewRat(1, 3), big.NewRat(-1, 10)},
		ExactDiscount: new(big.Rat).SetFloat64(0.1),
		Certificate: &mdpio.Certificate{
			Lower: mdpio.Witness{Value: mdpio.Vector{High: []float64{math.Inf(1), 1.0 / 3, -0.1}, Low: []float64{0, 1e-18, 0}}},
			Upper: mdpio.Witness{
				Gain:  mdpio.Vector{High: []float64{0.5}, Low: []float64{1e-20}},
				Value: mdpio.Vector{High: []float64{math.Inf(-1), 2, 1.0 / 3}, Exact: []*big.Rat{nil, big.NewRat(2, 1), big.NewRat(1, 3)}},
			},
			Policy: []int32{1, 0, 2},
			Scale:  &mdpio.Witness{Value: mdpio.Vector{High: []float64{0.5}, Exact: []*big.Rat{big.NewRat(1, 2)}}},
			Cycle:  &mdpio.Cycle{Policy: []int32{0, 0, 0}, Value: mdpio.Vector{High: []float64{0}}},
		},
	}
}

// What is not known is not written, and not there when it is read again.
func TestPartialResults(t *testing.T) {
	for name, r := range map[string]*mdpio.Result{
		"values": {Values: []float64{3, 4}, Initial: 1, Value: 4},
		"bounds": {Lower: []float64{3, 4}, Upper: []float64{3, 5}, ZeroTolerance: true},
		"policy": {Policy: []int32{0, 1}, Initial: 1},
		"witness": {Certificate: &mdpio.Certificate{
			Lower: mdpio.Witness{Value: mdpio.Vector{High: []float64{1, 2}}},
			Cycle: &mdpio.Cycle{Policy: []int32{0, 0}},
		}},
		"nothing": {},
	} {
		r.Criterion, r.Sense = "average", "minimize"
		var text bytes.Buffer
		require.NoError(t, mdpio.WriteResult(&text, r), name)
		got, err := mdpio.ReadResult(&text, "r.json")
		require.NoError(t, err, name)
		assert.Equal(t, r, got, name)
	}
	r, err := mdpio.ReadResult(strings.NewReader(`{"criterion": "average", "sense": "minimize", "initial": 1, "values": [2, 3]}`), "r.json")
	require.NoError(t, err)
	assert.Equal(t, 3.0, r.Value)
}

// The numbers of vectors, as two float64 and as fractions.
func TestVector(t *testing.T) {
	third := big.NewRat(1, 3)
	for _, test := range []struct {
		vector    mdpio.Vector
		state     int
		high, low float64
		want      string
	}{
		{mdpio.Vector{}, 7, 0, 0, "0"},
		{mdpio.Vector{High: []float64{2}}, 7, 2, 0, "2"},
		{mdpio.Vector{High: []float64{2, 1}, Low: []float64{0, 0x1p-60}}, 1, 1, 0x1p-60, "1152921504606846977/1152921504606846976"},
		{mdpio.Vector{High: []float64{2, math.Inf(-1)}}, 1, math.Inf(-1), 0, "<nil>"},
		{mdpio.Vector{High: []float64{0}, Exact: []*big.Rat{third}}, 3, 1.0 / 3, 1.850371707708594e-17, "1/3"},
		{mdpio.Vector{High: []float64{math.Inf(1)}, Exact: []*big.Rat{nil}}, 3, math.Inf(1), 0, "<nil>"},
	} {
		high, low := test.vector.At(test.state)
		assert.Equal(t, test.high, high)
		assert.Equal(t, test.low, low)
		x := test.vector.Rat(test.state)
		if x == nil {
			assert.Equal(t, test.want, "<nil>")
		} else {
			assert.Equal(t, test.want, x.RatString())
		}
	}
}

func TestDiscountFactor(t *testing.T) {
	assert.Equal(t, "9/10", (&mdpio.Result{Discount: 0.9}).DiscountFactor().RatString())
	assert.Equal(t, "1/1000000", (&mdpio.Result{Discount: 1e-6}).DiscountFactor().RatString())
	assert.Equal(t, "0", (&mdpio.Result{}).DiscountFactor().RatString())
	assert.Equal(t, "2/3", (&mdpio.Result{Discount: 2.0 / 3, ExactDiscount: big.NewRat(2, 3)}).DiscountFactor().RatString())
}

// Fractions and decimals may stand side by side.
func TestMixedVectors(t *testing.T) {
	r, err := mdpio.ReadResult(strings.NewReader(`{"criterion": "total", "sense": "maximize", "policy": [0, 0, 0, 0],
		"certificate": {"lower": {"value": [0.5, "Infinity", "1/3", "2"]}, "upper": {"value": ["Infinity", 1, 2, 3], "value_low": [0, 0, 0, 0.1], "more": 1}, "scale": {"gain": "2/3"}, "more": []}}`), "r.json")
	require.NoError(t, err)
	want := &mdpio.Certificate{
		Lower: mdpio.Witness{Value: mdpio.Vector{High: []float64{0.5, math.Inf(1), 1.0 / 3, 2}, Exact: []*big.Rat{big.NewRat(1, 2), nil, big.NewRat(1, 3), big.NewRat(2, 1)}}},
		Upper: mdpio.Witness{Value: mdpio.Vector{High: []float64{math.Inf(1), 1, 2, 3}, Low: []float64{0, 0, 0, 0.1}}},
		Scale: &mdpio.Witness{Gain: mdpio.Vector{High: []float64{2.0 / 3}, Exact: []*big.Rat{big.NewRat(2, 3)}}},
	}
	assert.Equal(t, want, r.Certificate)
}

func TestResultRoundTrip(t *testing.T) {
	want := someResult()
	var text bytes.Buffer
	require.NoError(t, mdpio.WriteResult(&text, want))
	// Any other reader of JSON finds the promised members.
	var members map[string]any
	require.NoError(t, json.Unmarshal(text.Bytes(), &members))
	for _, name := range []string{"criterion", "sense", "status", "method", "iterations", "initial", "value", "values", "lower", "upper", "policy", "classification"} {
		assert.Contains(t, members, name)
	}
	got, err := mdpio.ReadResult(&text, "result.json")
	require.NoError(t, err)
	assert.Equal(t, want, got)

	for _, name := range []string{"r.json", "r.json.gz"} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, mdpio.WriteResultFile(path, want))
		got, err := mdpio.ReadResultFile(path)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// Nothing is written that is not set, as it would be taken for something said.
func TestUnsetMembersAreLeftOut(t *testing.T) {
	var text bytes.Buffer
	require.NoError(t, mdpio.WriteResult(&text, &mdpio.Result{
		Criterion: "average", Sense: "minimize", Status: "converged", Value: 1,
		Values: []float64{1}, Lower: []float64{1}, Upper: []float64{1}, Policy: []int32{0},
	}))
	var members map[string]any
	require.NoError(t, json.Unmarshal(text.Bytes(), &members))
	for _, name := range []string{
		"reward", "target", "discount", "horizon", "choice", "elapsed_seconds", "tolerance", "classification",
		"relative_values", "exact_value", "exact_values",
	} {
		assert.NotContains(t, members, name)
	}
}

func TestResultErrors(t *testing.T) {
	const rest = `"criterion": "average", "sense": "minimize", "status": "converged", "initial": 0, "value": 1, "values": [1], "lower": [1], "upper": [1], "policy": [0]}`
	r, err := mdpio.ReadResult(strings.NewReader(`{"more": {"a": [true, null, {"b": "c", "d": -1.5e3}]}, `+rest), "r.json")
	require.NoError(t, err)
	assert.Equal(t, 1.0, r.Value)
	for _, test := range []struct{ text, want string }{
		{"", `r.json:1:1: the end of the file found; a result in curly brackets is allowed`},
		{`{"criterion": "best"}`, `r.json:1:15: "best" found; one of "average", "discounted", "total", "finite" is allowed`},
		{`{"status": "solved"}`, `r.json:1:12: "solved" found; one of "converged", "iteration-limit", "time-limit", "precision-limit", "stopped", "interrupted" is allowed`},
		{"{\"values\": [1,\n 2, x]}", `r.json:2:5: "x" found; a number such as 0.5, 1e-3 or 1/3 is allowed`},
		{`{"value": "NaN"}`, `r.json:1:11: "NaN" found; a number, "Infinity" or "-Infinity" is allowed`},
		{`{"policy": [-1]}`, `r.json:1:13: "-1" found; the number of an action is allowed`},
		{`{"aperiodic": 1}`, `r.json:1:15: "1" found; true or false is allowed`},
		{`{"exact_values": [1]}`, `r.json:1:19: "1" found; a fraction such as "95/219", "Infinity" or "-Infinity" is allowed`},
		{`{"exact_values": ["1e9"]}`, `r.json:1:19: "1e9" found; a fraction such as "95/219", "Infinity" or "-Infinity" is allowed`},
		{`{"exact_values": ["1/0"]}`, `r.json:1:19: "1/0" found; a fraction such as "95/219", "Infinity" or "-Infinity" is allowed`},
		{`{"exact_values": ["1/3"], ` + rest, `r.json:1:1: a result that contradicts itself (state 0 has value 1; that nearest to its exact one, 0.3333333333333333, is allowed) found; one in order is allowed`},
		{`{"exact_values": ["Infinity"], ` + rest, `r.json:1:1: a result that contradicts itself (state 0 has value 1 and exact value <nil>; a fraction for each finite value is allowed) found; one in order is allowed`},
		{`{"relative_values": [1, 2], ` + rest, `r.json:1:1: a result that contradicts itself (0 exact and 2 relative values found; none or 1 are allowed) found; one in order is allowed`},
		{`{"relative_values": ["Infinity"], ` + rest, `r.json:1:1: a result that contradicts itself (state 0 has relative value +Inf; a finite number is allowed) found; one in order is allowed`},
		{`{"elapsed_seconds": -1, ` + rest, `r.json:1:1: a result that contradicts itself (-1 seconds found; a finite number from 0 up is allowed) found; one in order is allowed`},
		{`{"exact_discount": "Infinity"}`, `r.json:1:20: "Infinity" found; a fraction such as "2/3" is allowed`},
		{`{"certificate": {"lower": {"value": [1, "x"]}}}`, `r.json:1:41: "x" found; a fraction such as "95/219", "Infinity" or "-Infinity" is allowed`},
		{`{"certificate": {"lower": {"value": ["1/3", 1], "value_low": [0, 1]}}, ` + rest, `r.json:1:1: a result that contradicts itself (lower value of the certificate: 2 numbers found; one for each of 1 states, or one for all, is allowed) found; one in order is allowed`},
		{`{"certificate": {"lower": {"value_low": "1/3"}}}`, `r.json:1:41: "1/3" found; a number, "Infinity" or "-Infinity" is allowed`},
		{`{"certificate": 1}`, `r.json:1:17: "1" found; a certificate in curly brackets is allowed`},
		{`{"criterion": "discounted", "sense": "minimize"}`, `r.json:1:1: a result without discount found; a member "discount", a number from 0 to below 1, is allowed`},
		{`{"criterion": "finite", "sense": "minimize"}`, `r.json:1:1: a result without horizon found; a member "horizon", a number of steps, is allowed`},
		{`{"criterion": "average"}`, `r.json:1:1: a result without sense found; a member "sense", one of "minimize", "maximize", is allowed`},
		{`{"classification": "unichain", ` + rest, `r.json:1:1: a result without aperiodic found; a member "aperiodic", true or false, is allowed`},
		{`{"horizon": 2147483648}`, `r.json:1:13: "2147483648" found; a whole number from 0 to 2147483647 is allowed`},
		{`{"format": "mdpsolve-model/1", "initial": [0]}`, `r.json:1:12: a model found; a result, such as solve --out writes, is allowed`},
		{`{"other": nul}`, `r.json:1:11: "nul" found; a value is allowed`},
		{`{"other": 1e}`, `r.json:1:11: "1e" found; a value is allowed`},
		{`{"other": ` + strings.Repeat("[", 2000), `r.json:1:1011: a value that is nested too deep found; a depth of 1000 is allowed`},
		{` {}`, `r.json:1:2: a result without criterion found; a member "criterion", one of "average", "discounted", "total", "finite", is allowed`},
		{`{"horizon": 3, ` + strings.Replace(rest, `"upper": [1]`, `"upper": []`, 1), `r.json:1:1: a result that contradicts itself (1 values, 1 lower and 0 upper bounds and 1 actions of a policy found; as many of each is allowed) found; one in order is allowed`},
	} {
		_, err := mdpio.ReadResult(strings.NewReader(test.text), "r.json")
		assert.EqualError(t, err, test.want)
		assertPlace(t, err)
	}
}

func TestResultFaults(t *testing.T) {
	for _, test := range []struct {
		change func(r *mdpio.Result)
		want   string
	}{
		{func(r *mdpio.Result) { r.Criterion = "" }, "criterion"},
		{func(r *mdpio.Result) { r.Sense = "min" }, "sense"},
		{func(r *mdpio.Result) { r.Status = "done" }, "status"},
		{func(r *mdpio.Result) { r.Classification = "other" }, "classification"},
		{func(r *mdpio.Result) { r.Initial = 3 }, "initial state 3"},
		{func(r *mdpio.Result) { r.Value = 0 }, "value 0"},
		{func(r *mdpio.Result) { r.Lower[1] = math.NaN() }, "state 1"},
		{func(r *mdpio.Result) { r.Policy[2] = -1 }, "state 2"},
		{func(r *mdpio.Result) { r.Discount = 2 }, "discount 2"},
		{func(r *mdpio.Result) { r.Horizon = -1 }, "negative"},
		{func(r *mdpio.Result) { r.Policy = []int32{} }, "0 actions"},
		{func(r *mdpio.Result) { r.Lower = nil }, "0 lower and 3 upper bounds"},
		{func(r *mdpio.Result) { r.Values[0] = math.NaN() }, "state 0"},
		{func(r *mdpio.Result) { r.Values = nil }, "3 exact"},
		{func(r *mdpio.Result) { r.ZeroTolerance = true }, "tolerance 1e-09 found, and that it is 0"},
		{func(r *mdpio.Result) { r.ExactDiscount = big.NewRat(1, 9) }, "exact discount 1/9"},
		{func(r *mdpio.Result) { r.Certificate.Policy[1] = -1 }, "policy of the certificate: action -1 found in state 1"},
		{func(r *mdpio.Result) { r.Certificate.Policy = []int32{0} }, "policy of the certificate: 1 actions found"},
		{func(r *mdpio.Result) { r.Certificate.Cycle.Policy = nil }, "policy of the cycle of the certificate: 0 actions found"},
		{func(r *mdpio.Result) { r.Certificate.Lower.Value.High = []float64{1, 2} }, "lower value of the certificate: 2 numbers"},
		{func(r *mdpio.Result) { r.Certificate.Lower.Value.Low = []float64{1, 2} }, "3 numbers with 2 low parts"},
		{func(r *mdpio.Result) { r.Certificate.Lower.Value.Low[0] = 1 }, "place 0"}, // beside an infinity
		{func(r *mdpio.Result) { r.Certificate.Lower.Value.Low[1] = math.Inf(1) }, "place 1"},
		{func(r *mdpio.Result) { r.Certificate.Upper.Gain.High[0] = math.NaN() }, "upper gain of the certificate"},
		{func(r *mdpio.Result) { r.Certificate.Upper.Value.Low = make([]float64, 3) }, "not both"},
		{func(r *mdpio.Result) { r.Certificate.Upper.Value.Exact[2] = nil }, "no fraction found in place 2"},
		{func(r *mdpio.Result) { r.Certificate.Scale.Gain.High = []float64{math.NaN()} }, "scale gain"},
		{func(r *mdpio.Result) { r.Certificate.Cycle.Value.High[0] = math.NaN() }, "cycle value"},
	} {
		r := someResult()
		test.change(r)
		var text bytes.Buffer
		assert.ErrorContains(t, mdpio.WriteResult(&text, r), test.want)
		assert.Zero(t, text.Len())
	}
}
