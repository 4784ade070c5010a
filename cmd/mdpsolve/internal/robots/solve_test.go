package robots

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

func TestMeasuresThatAreNotKnown(t *testing.T) {
	policy, err := robots.NewStaticPolicy(robots.Parameters{
		Robots: 2, Buffer: 2, ArrivalRate: 1, ServiceRate: 1, StarvationWeight: 1,
	}, 2)
	require.NoError(t, err)
	solution := &robots.Solution{Parameters: policy.Parameters(), Policy: policy}
	found := answer{Solution: solution, fixed: bestFixed(t.Context(), solution.Parameters, robots.Limit{})}
	var out bytes.Buffer
	got := map[string]any{}
	text, err := json.Marshal(found.record(false))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &got))
	for _, key := range []string{"starvation", "loss_rate", "robots_mean", "robots_min", "robots_max"} {
		assert.Contains(t, got, key)
		assert.Nil(t, got[key], key)
	}
	found.print(ui.NewScreen(&out, &out))
	assert.Contains(t, out.String(), "not computed")
}
