package model

// Models that are too large.

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

func TestMemoryForecast(t *testing.T) {
	c := counts{states: 1e9, choices: 2e9, transitions: 2e9}
	require.NoError(t, counts{10, 10, 10}.check(t.Context(), "MODEL", "m.drn"))
	err := c.check(ui.InService(t.Context(), 1<<24), "MODEL", "m.drn")
	require.EqualError(t, err, `MODEL: "m.drn" has at least 1000000000 states, 2000000000 choices and 2000000000 transitions `+
		`and takes 160 GiB of memory, and 16 MiB are free: use a smaller model`)
	assert.True(t, ui.IsUsage(err))
	assert.Equal(t, counts{10, 20, 20}, countsOf(modelfile.Header{Kind: modelfile.MDP, States: 10, Choices: 20, Transitions: -1}))
	assert.Equal(t, counts{10, 10, 0}, countsOf(modelfile.Header{Kind: modelfile.CTMC, States: 10, Choices: -1, Transitions: -1}))
	assert.Equal(t, counts{}, countsOf(modelfile.Header{Kind: modelfile.DTMC, States: -1, Choices: -1, Transitions: -1}))
}
