package certificate

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// Whatever a result says, Check returns a report or an error, and a bound holds
// if and only if it does.
func FuzzCheck(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, 1.5, uint8(seed), int32(seed%3))
	}
	f.Fuzz(func(t *testing.T, seed uint64, number float64, part uint8, action int32) {
		random := rand.New(rand.NewPCG(seed, 7))
		x := randomTruth(t, random)
		s := int(part>>2) % len(x.values)
		r := x.result
		if r.Certificate != nil {
			r.Certificate.Policy = slices.Clone(r.Policy)
		}
		switch part & 3 {
		case 0:
			r.Lower[s] = number
		case 1:
			r.Upper[s] = number
		case 2:
			r.Values[s], r.Value = number, r.Values[r.Initial]
		default:
			r.Policy[s] = action
		}
		report, err := Check(context.Background(), x.model, r, Options{})
		if err != nil {
			assert.Error(t, r.Validate())
			return
		}
		for s, v := range x.values {
			if !holds(v, r.Lower[s], r.Upper[s]) {
				assert.Equal(t, Refuted, report.Bounds.Verdict)
				return
			}
		}
		assert.Equal(t, Holds, report.Bounds.Verdict, "%v", report.Bounds.Faults)
	})
}

// Whatever stands in the files, Check does not panic.
func FuzzFiles(f *testing.F) {
	const walk = `{"kind": "ctmc", "labels": {"end": [2]}, "reward_models": ["r"], "states": [
		{"rewards": [1], "actions": [{"to": [[1, 2]]}]}, {"actions": [{"rewards": [3], "to": [[0, 1], [2, "1/3"]]}]}, {"actions": [{"to": []}]}]}`
	for seed := range uint64(20) {
		x := randomTruth(f, rand.New(rand.NewPCG(seed, 7)))
		var model, result bytes.Buffer
		require.NoError(f, modelfile.WriteJSON(&model, x.model))
		require.NoError(f, Write(&result, x.result))
		f.Add(model.String(), result.String(), seed%2 == 0)
		f.Add(walk, result.String(), seed%2 == 0)
	}
	f.Add(repair, `{"criterion": "total", "sense": "minimize", "reward": "steps", "target": "broken", "status": "converged",
		"initial": 0, "value": 4, "values": [4, 0], "lower": [4, 0], "upper": [4, 0], "policy": [0, 1]}`, true)
	f.Fuzz(func(t *testing.T, modelText, resultText string, exact bool) {
		m, err := modelfile.ReadJSON(strings.NewReader(modelText), "model", modelfile.Options{Exact: exact})
		if err != nil {
			return
		}
		r, err := Read(strings.NewReader(resultText), "result")
		if err != nil {
			return
		}
		r.Horizon = new(min(r.Steps(), 1000))
		report, err := Check(context.Background(), m, r, Options{})
		if err != nil {
			assert.Nil(t, report)
			return
		}
		require.Len(t, report.Optimum, m.NumStates())
		for _, i := range report.Optimum {
			assert.LessOrEqual(t, i.Lower, i.Upper) // also not NaN
		}
		_ = report.Verdict()
	})
}
