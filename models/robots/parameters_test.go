package robots_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/paper"
)

// figure6 are the parameters of Figure 6 of Controlling Robots of Web Search
// Engines.
var figure6 = robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1}

func TestValidate(t *testing.T) {
	require.NoError(t, figure6.Validate())
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		field string
		value any
		p     robots.Parameters
	}{
		{"Robots", 0, process(0, 2, 1, 1, 1)},
		{"Robots", -1, process(-1, 2, 1, 1, 1)},
		{"Buffer", 1, process(1, 1, 1, 1, 1)},
		{"ArrivalRate", 0.0, process(1, 2, 0, 1, 1)},
		{"ArrivalRate", inf, process(1, 2, inf, 1, 1)},
		{"ArrivalRate", 1e308, process(2, 2, 1e308, 1, 1)},
		{"ServiceRate", -1.0, process(1, 2, 1, -1, 1)},
		{"StarvationWeight", nan, process(1, 2, 1, 1, nan)},
	} {
		var e *robots.ParameterError
		require.ErrorAs(t, c.p.Validate(), &e)
		assert.Equal(t, c.field, e.Field)
		if x, ok := c.value.(float64); !ok || !math.IsNaN(x) {
			assert.Equal(t, c.value, e.Value)
		}
		_, err := paper.NewProblem(c.p)
		assert.ErrorAs(t, err, &e)
		_, err = robots.NewModel(c.p)
		assert.ErrorAs(t, err, &e)
	}
}

func TestModelsTooLarge(t *testing.T) {
	for _, size := range [][2]int{{1 << 20, 1 << 20}, {1, math.MaxInt}, {math.MaxInt, 2}, {math.MaxInt, math.MaxInt}} {
		p := process(size[0], size[1], 1e-20, 1, 1)
		_, err := robots.NewModel(p)
		assert.ErrorContains(t, err, "Buffer")
	}
}
