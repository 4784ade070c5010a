package certificate_test

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

	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

func someResult() *certificate.Result {
	return &certificate.Result{
		Question: question.Question{Criterion: "total", Sense: "maximize", Reward: "steps \"1\"\n", Target: "done", Discount: new(0.1), Horizon: new(7), ExactDiscount: new(big.Rat).SetFloat64(0.1)},
		Status:   "iteration-limit", Method: "value iteration", Iterations: 12, Tolerance: new(1e-9),
		Initial: 1, Value: 1.0 / 3,
		Values: []float64{math.Inf(1), 1.0 / 3, -0.1}, Lower: []float64{5, 0.1, math.Inf(-1)},
		Upper: []float64{math.Inf(1), math.MaxFloat64, math.SmallestNonzeroFloat64}, Policy: []int32{0, 3, 1},
		Classification: "weakly-communicating", Aperiodic: new(true),
		Choice: "it is \u201cexact\u201d", Seconds: 0.25, Relative: []float64{0, -1.5, 1e300},
		Exact: []*big.Rat{nil, big.NewRat(1, 3), big.NewRat(-1, 10)},
		Certificate: &certificate.Certificate{
			Lower: certificate.Witness{Value: certificate.Vector{High: []float64{math.Inf(1), 1.0 / 3, -0.1}, Low: []float64{0, 1e-18, 0}}},
			Upper: certificate.Witness{
				Gain:  certificate.Vector{High: []float64{0.5}, Low: []float64{1e-20}},
				Value: certificate.Vector{High: []float64{math.Inf(-1), 2, 1.0 / 3}, Exact: []*big.Rat{nil, big.NewRat(2, 1), big.NewRat(1, 3)}},
			},
			Policy: []int32{1, 0, 2},
			Scale:  &certificate.Witness{Value: certificate.Vector{High: []float64{0.5}, Exact: []*big.Rat{big.NewRat(1, 2)}}},
			Cycle:  &certificate.Cycle{Policy: []int32{0, 0, 0}, Value: certificate.Vector{High: []float64{0}}},
		},
	}
}

// What is not known is not written, and not there when it is read again.
func TestPartialResults(t *testing.T) {
	for name, r := range map[string]*certificate.Result{
		"values": {Values: []float64{3, 4}, Initial: 1, Value: 4},
		"bounds": {Lower: []float64{3, 4}, Upper: []float64{3, 5}, Tolerance: new(0.0)},
		"policy": {Policy: []int32{0, 1}, Initial: 1},
		"witness": {Certificate: &certificate.Certificate{
			Lower: certificate.Witness{Value: certificate.Vector{High: []float64{1, 2}}},
			Cycle: &certificate.Cycle{Policy: []int32{0, 0}},
		}},
		"nothing": {},
	} {
		r.Criterion, r.Sense = "average", "minimize"
		var text bytes.Buffer
		require.NoError(t, certificate.Write(&text, r), name)
		got, err := certificate.Read(&text, "r.json")
		require.NoError(t, err, name)
		assert.Equal(t, r, got, name)
	}
	r, err := certificate.Read(strings.NewReader(`{"criterion": "average", "sense": "minimize", "initial": 1, "values": [2, 3]}`), "r.json")
	require.NoError(t, err)
	assert.Equal(t, 3.0, r.Value)
}

func TestDiscountFactor(t *testing.T) {
	assert.Equal(t, "9/10", (&certificate.Result{Question: question.Question{Discount: new(0.9)}}).DiscountFactor().RatString())
	assert.Equal(t, "1/1000000", (&certificate.Result{Question: question.Question{Discount: new(1e-6)}}).DiscountFactor().RatString())
	assert.Equal(t, "0", (&certificate.Result{}).DiscountFactor().RatString())
	assert.Equal(t, "2/3", (&certificate.Result{Question: question.Question{Discount: new(2.0 / 3), ExactDiscount: big.NewRat(2, 3)}}).DiscountFactor().RatString())
}

// Fractions and decimals may stand side by side.
func TestMixedVectors(t *testing.T) {
	r, err := certificate.Read(strings.NewReader(`{"criterion": "total", "sense": "maximize", "policy": [0, 0, 0, 0],
		"certificate": {"lower": {"value": [0.5, "Infinity", "1/3", "2"]}, "upper": {"value": ["Infinity", 1, 2, 3], "value_low": [0, 0, 0, 0.1]}, "scale": {"gain": "2/3"}}}`), "r.json")
	require.NoError(t, err)
	want := &certificate.Certificate{
		Lower: certificate.Witness{Value: certificate.Vector{High: []float64{0.5, math.Inf(1), 1.0 / 3, 2}, Exact: []*big.Rat{big.NewRat(1, 2), nil, big.NewRat(1, 3), big.NewRat(2, 1)}}},
		Upper: certificate.Witness{Value: certificate.Vector{High: []float64{math.Inf(1), 1, 2, 3}, Low: []float64{0, 0, 0, 0.1}}},
		Scale: &certificate.Witness{Gain: certificate.Vector{High: []float64{2.0 / 3}, Exact: []*big.Rat{big.NewRat(2, 3)}}},
	}
	assert.Equal(t, want, r.Certificate)
}

func TestResultRoundTrip(t *testing.T) {
	want := someResult()
	var text bytes.Buffer
	require.NoError(t, certificate.Write(&text, want))
	// Any other reader of JSON finds the promised members.
	var members map[string]any
	require.NoError(t, json.Unmarshal(text.Bytes(), &members))
	for _, name := range []string{"criterion", "sense", "status", "method", "iterations", "initial", "value", "values", "lower", "upper", "policy", "classification"} {
		assert.Contains(t, members, name)
	}
	got, err := certificate.Read(&text, "result.json")
	require.NoError(t, err)
	assert.Equal(t, want, got)

	for _, name := range []string{"r.json", "r.json.gz"} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, certificate.WriteFile(path, want))
		got, err := certificate.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// Nothing is written that is not set, as it would be taken for something said.
func TestUnsetMembersAreLeftOut(t *testing.T) {
	var text bytes.Buffer
	require.NoError(t, certificate.Write(&text, &certificate.Result{
		Question: question.Question{Criterion: "average", Sense: "minimize"}, Status: "converged", Value: 1,
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
	for _, test := range []struct{ text, want string }{
		{`{"x": 1}`, `r.json: member "x" is not known: use a result, such as solve --out writes`},
		{`{"Values": [1]}`, `r.json:1:2: member "Values" is not known: use a result, such as solve --out writes`},
		{`{"values": [1], "values": [1]}`, `r.json:1:17: found "values" for the second time; expected each member once`},
		{`{"policy": [null]}`, `r.json:1:13: found null; expected a value, or no such member`},
		{`{"policy": [1.5]}`, `r.json: policy: found number 1.5; expected a whole number`},
		{`{"lower": 1}`, `r.json: criterion is missing: use one of "average", "discounted", "total", "finite", "time", "compound"`},
		{`{"lower": ["1/3"]}`, `r.json: lower: found ["1/3"]; expected a list of numbers, "Infinity" and "-Infinity"`},
		{`{"exact_value": "9/7", "exact_values": ["1"], ` + rest, `r.json: exact_value: expected that of the initial state in exact_values`},
		{`{"exact_value": "1", ` + rest, `r.json: exact_value: expected that of the initial state in exact_values`},
		{strings.Replace(`{`+rest, `"value": 1`, `"value": 2`, 1), `r.json: value: expected that of the initial state in values, 1`},
		{"", `r.json:1:1: found an empty file; expected a value`},
		{`{"criterion": "best"}`, `r.json: criterion: "best" is not valid: use one of "average", "discounted", "total", "finite", "time", "compound"`},
		{`{"criterion": "total", "sense": "maximize", "status": "solved"}`, `r.json: status: "solved" is not valid: use one of "converged", "iteration-limit", "time-limit", "precision-limit", "stopped", "interrupted"`},
		{"{\"values\": [1,\n 2, x]}", `r.json:2:5: found "x"; expected a value`},
		{`{"value": "NaN"}`, `r.json: value: found "NaN"; expected a number, a fraction such as "95/219", "Infinity" or "-Infinity", or a list of these`},
		{`{"criterion": "total", "sense": "maximize", "policy": [-1]}`, `r.json: state 0 has action -1`},
		{`{"aperiodic": 1}`, `r.json: aperiodic: found number; expected true or false`},
		{`{"exact_values": [true]}`, `r.json: exact_values: found true; expected a number, a fraction such as "95/219", "Infinity" or "-Infinity", or a list of these`},
		{`{"exact_values": ["1e9"]}`, `r.json: exact_values: found "1e9"; expected a number, a fraction such as "95/219", "Infinity" or "-Infinity", or a list of these`},
		{`{"exact_values": ["1/0"]}`, `r.json: exact_values: found "1/0"; expected a number, a fraction such as "95/219", "Infinity" or "-Infinity", or a list of these`},
		{`{"exact_values": ["1/3"], ` + rest, `r.json: state 0 has value 1, but the one nearest to its exact value is 0.3333333333333333`},
		{`{"exact_values": ["Infinity"], ` + rest, `r.json: state 0 has value 1 and exact value <nil>, which is to be a fraction for each finite value`},
		{`{"relative_values": [1, 2], ` + rest, `r.json: 2 relative values do not fit lists for 1 states`},
		{`{"relative_values": ["Infinity"], ` + rest, `r.json: state 0 has relative value +Inf, which is not finite`},
		{`{"elapsed_seconds": -1, ` + rest, `r.json: -1 seconds are negative or infinite`},
		{`{"criterion": 1}`, "r.json: criterion: found number; expected a text"},
		{`{"constraints": [{"bound": 1}]}`, "r.json: constraints.bound: found number; expected a text"},
		{`{"exact_discount": "Infinity"}`, `r.json: found "Infinity"; expected a fraction such as "2/3"`},
		{`{"certificate": {"lower": {"value": [1, "x"]}}}`, `r.json: certificate.lower.value: found "x"; expected a number, a fraction such as "95/219", "Infinity" or "-Infinity", or a list of these`},
		{`{"certificate": {"lower": {"value": ["1/3", 1], "value_low": [0, 1]}}, ` + rest, `r.json: certificate: lower value: 2 numbers are neither one for each of 1 states nor one for all`},
		{`{"certificate": {"lower": {"value_low": "1/3"}}}`, `r.json: certificate.lower.value_low: found "1/3"; expected a list of numbers, "Infinity" and "-Infinity"`},
		{`{"certificate": 1}`, `r.json: certificate: found number; expected an object in curly brackets`},
		{`{"criterion": "discounted", "sense": "minimize"}`, `r.json: found a result without discount; expected a member "discount", a number from 0 to below 1`},
		{`{"criterion": "finite", "sense": "minimize"}`, `r.json: found a result without horizon; expected a member "horizon", a number of steps`},
		{`{"criterion": "average"}`, `r.json: sense is missing: use one of "minimize", "maximize"`},
		{`{"classification": "unichain", ` + rest, `r.json: found a result without aperiodic; expected a member "aperiodic", true or false`},
		{`{"criterion": "finite", "sense": "maximize", "horizon": 2147483648}`, `r.json: the horizon is negative or above 2147483647`},
		{`{"format": "mdpsolve-model/1", "initial": [0]}`, `r.json: member "format" is not known: use a result, such as solve --out writes`},
		{`{"other": nul}`, `r.json:1:11: found "nul"; expected a value`},
		{`{"other": 1e}`, `r.json:1:11: found "1e"; expected a value`},
		{`{"other": ` + strings.Repeat("[", 2000), `r.json:1:1010: found a value that is nested too deep; expected a depth of at most 1000`},
		{` {}`, `r.json: criterion is missing: use one of "average", "discounted", "total", "finite", "time", "compound"`},
		{`{"horizon": 3, ` + strings.Replace(rest, `"upper": [1]`, `"upper": []`, 1), `r.json: 0 upper bounds do not fit lists for 1 states`},
	} {
		_, err := certificate.Read(strings.NewReader(test.text), "r.json")
		require.Error(t, err, test.text)
		assert.Equal(t, test.want, err.Error())
		assertOneLine(t, err)
	}
}

func TestResultFaults(t *testing.T) {
	for _, test := range []struct {
		change func(r *certificate.Result)
		want   string
	}{
		{func(r *certificate.Result) { r.Criterion = "" }, "criterion"},
		{func(r *certificate.Result) { r.Sense = "min" }, "sense"},
		{func(r *certificate.Result) { r.Status = "done" }, "status"},
		{func(r *certificate.Result) { r.Classification = "other" }, "classification"},
		{func(r *certificate.Result) { r.Initial = 3 }, "initial state 3"},
		{func(r *certificate.Result) { r.Value = 0 }, "value 0"},
		{func(r *certificate.Result) { r.Lower[1] = math.NaN() }, "state 1"},
		{func(r *certificate.Result) { r.Policy[2] = -1 }, "state 2"},
		{func(r *certificate.Result) { r.Discount = new(2.0) }, "discount 2"},
		{func(r *certificate.Result) { r.Horizon = new(-1) }, "negative"},
		{func(r *certificate.Result) { r.Policy = []int32{} }, "0 actions"},
		{func(r *certificate.Result) { r.Lower = nil }, "one of lower and upper bounds without the other"},
		{func(r *certificate.Result) { r.Values[0] = math.NaN() }, "state 0"},
		{func(r *certificate.Result) { r.Values = nil }, "exact values without values"},
		{func(r *certificate.Result) { *r.Tolerance = -1 }, "tolerance -1"},
		{func(r *certificate.Result) { r.Criterion, r.Discount = "discounted", nil }, "without discount"},
		{func(r *certificate.Result) { r.Aperiodic = nil }, "without aperiodic"},
		{func(r *certificate.Result) { r.ExactDiscount = big.NewRat(1, 9) }, "exact discount 1/9"},
		{func(r *certificate.Result) { r.Certificate.Policy[1] = -1 }, "certificate: policy: state 1 has action -1"},
		{func(r *certificate.Result) { r.Certificate.Policy = []int32{0} }, "certificate: policy: 1 actions"},
		{func(r *certificate.Result) { r.Certificate.Cycle.Policy = nil }, "certificate: policy of the cycle: 0 actions"},
		{func(r *certificate.Result) { r.Certificate.Lower.Value.High = []float64{1, 2} }, "certificate: lower value: 2 numbers"},
		{func(r *certificate.Result) { r.Certificate.Lower.Value.Low = []float64{1, 2} }, "3 numbers have 2 low parts"},
		{func(r *certificate.Result) { r.Certificate.Lower.Value.Low[0] = 1 }, "place 0"}, // beside an infinity
		{func(r *certificate.Result) { r.Certificate.Lower.Value.Low[1] = math.Inf(1) }, "place 1"},
		{func(r *certificate.Result) { r.Certificate.Upper.Gain.High[0] = math.NaN() }, "certificate: upper gain"},
		{func(r *certificate.Result) { r.Certificate.Upper.Value.Low = make([]float64, 3) }, "none of the other"},
		{func(r *certificate.Result) { r.Certificate.Upper.Value.Exact[2] = nil }, "place 2 has no fraction"},
		{func(r *certificate.Result) { r.Certificate.Scale.Gain.High = []float64{math.NaN()} }, "scale gain"},
		{func(r *certificate.Result) { r.Certificate.Cycle.Value.High[0] = math.NaN() }, "cycle value"},
	} {
		r := someResult()
		test.change(r)
		var text bytes.Buffer
		assert.ErrorContains(t, certificate.Write(&text, r), test.want)
		assert.Zero(t, text.Len())
	}
}

// Policies of steps that contradict themselves are refused.
func TestPoliciesOfStepsFit(t *testing.T) {
	for members, want := range map[string]string{
		`"criterion": "finite", "horizon": 2, "policy": [0], "policies": [[0], [1]]`:                              "",
		`"criterion": "finite", "horizon": 1, "discount": 1, "terminal": "end", "policy": [0], "policies": [[0]]`: "",
		`"criterion": "finite", "horizon": 2, "policy": [1], "policies": [[0], [1]]`:                              "there are 2 policies: use one for each of 2 steps, of which policy is the first",
		`"criterion": "finite", "horizon": 3, "policy": [0], "policies": [[0], [1]]`:                              "there are 2 policies: use one for each of 3 steps",
		`"criterion": "finite", "horizon": 0, "policy": [0], "policies": []`:                                      "there are 0 policies",
		`"criterion": "finite", "horizon": 2, "policy": [0], "policies": [[0], [1, 1]]`:                           "the policy of step 2 has 2 actions, and that of the first 1",
		`"criterion": "finite", "horizon": 2, "policy": [0], "policies": [[0], [-1]]`:                             "state 0 has action -1 in step 2",
		`"criterion": "finite", "horizon": 1, "discount": 0`:                                                      "discount 0 of a finite horizon is not valid",
		`"criterion": "finite", "horizon": 1, "discount": 1.5`:                                                    "discount 1.5 is not from 0 to 1",
		`"criterion": "average", "terminal": "end"`:                                                               "criterion average has no terminal rewards",
		`"criterion": "average", "policy": [0], "policies": [[0]]`:                                                "criterion average has no policies of steps",
	} {
		_, err := certificate.Read(strings.NewReader(`{"sense": "minimize", `+members+`}`), "r.json")
		if want == "" {
			require.NoError(t, err, members)
		} else {
			require.ErrorContains(t, err, want, members)
		}
	}
}
