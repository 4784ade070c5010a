package certificate_test

import (
	"context"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// Exact numbers of a certificate that are equal to thirty digits are not taken for
// the same: a state and its successor, 5 apart beside 10⁵⁷, would prove an average of
// 0.9 where it is 0.5.
func TestExactNumbersThatAreNearlyEqual(t *testing.T) {
	const text = `{"kind": "dtmc", "reward_models": ["r"], "states": [
		{"actions": [{"rewards": [1], "to": [[1, 1]]}]},
		{"actions": [{"rewards": [1e-280], "to": [[0, 1]]}]}]}`
	model, err := modelfile.ReadJSON(strings.NewReader(text), "near.json", modelfile.Options{Exact: true})
	require.NoError(t, err)
	high := new(big.Int).Exp(big.NewInt(10), big.NewInt(57), nil)
	above := new(big.Rat).SetInt(new(big.Int).Add(high, big.NewInt(5)))
	result := &certificate.Result{
		Question: question.Question{Criterion: "average", Sense: "minimize"}, Status: "iteration-limit",
		Value: 1, Values: []float64{1, 1}, Lower: []float64{0.9, 0.9}, Upper: []float64{2, 2}, Policy: []int32{0, 0},
		Certificate: &certificate.Certificate{
			Lower: certificate.Witness{
				Gain:  certificate.Vector{High: []float64{0.9}},
				Value: certificate.Vector{High: []float64{1e57, 1e57}, Exact: []*big.Rat{above, new(big.Rat).SetInt(high)}},
			},
			Upper: certificate.Witness{Gain: certificate.Vector{High: []float64{2}}},
		},
	}
	report, err := certificate.Check(context.Background(), model, result, certificate.Options{})
	require.NoError(t, err)
	assert.NotEqual(t, certificate.Holds, report.Bounds.Verdict)
}
