package model

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// chainFile writes a random walk between 0 and states−1, of which the last state has
// cost 1, and returns the name of the file.
func chainFile(t *testing.T, states int) string {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "@type: DTMC\n@reward_models\ncost\n@nr_states\n%d\n@model\n", states)
	for s := range states {
		cost := 0
		if s == states-1 {
			cost = 1
		}
		fmt.Fprintf(&text, "state %d [%d]\n\taction 0\n\t\t%d : 0.5\n\t\t%d : 0.5\n", s, cost, max(s-1, 0), min(s+1, states-1))
	}
	name := "chain.drn"
	require.NoError(t, os.WriteFile(name, []byte(text.String()), 0o600))
	return name
}
