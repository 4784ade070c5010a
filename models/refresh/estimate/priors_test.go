package estimate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
)

// TestPriorsWithoutHosts: fewer than two hosts have no priors of their own, and pages without a
// host have that of all pages.
func TestPriorsWithoutHosts(t *testing.T) {
	pages := []*estimate.History{seen(10, 3), seen(10, 5), seen(4, 0)}
	overall, err := estimate.Fit(t.Context(), pages, 1)
	require.NoError(t, err)
	for _, hosts := range [][]int32{nil, {0, 0, -1}, {-1, -1, -1}, {0, 1, -1}} {
		priors, err := estimate.FitPriors(t.Context(), pages, hosts, 1)
		require.NoError(t, err)
		assert.Equal(t, overall, priors.Overall)
		isSeveral := len(hosts) > 0 && hosts[1] == 1
		assert.Equal(t, isSeveral, priors.ByHost != nil)
		found, err := priors.Estimate(pages[2], -1, 0.9)
		require.NoError(t, err)
		assert.InEpsilon(t, overall.After(pages[2]).Mean, found.Rate, 1e-15)
		assert.False(t, found.ByHost)
		found, err = priors.Estimate(pages[0], 0, 0.9)
		require.NoError(t, err)
		assert.Equal(t, isSeveral, found.ByHost)
		if isSeveral {
			assert.InEpsilon(t, priors.ByHost[0].After(pages[0]).Mean, found.Rate, 1e-15)
		}
	}
}
