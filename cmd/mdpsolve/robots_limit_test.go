package main

// robots solve within limits.

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

const limitLine = "robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1"

// A policy that leaves a decision to chance goes through a file, and is simulated with it.
func TestPolicyFilesWithChance(t *testing.T) {
	name := filepath.Join(t.TempDir(), "policy.json")
	solved := answer(t, limitLine+" --max-loss 1% --policy-out "+name)
	require.NotNil(t, solved["chance"])
	got := answer(t, "robots simulate --horizon 20000 --confidence 0.9999 --policy "+name)
	for _, key := range []string{"starvation", "loss_rate", "robots_mean"} {
		assert.InEpsilon(t, solved[key], got[key+"_exact"], 1e-9, key)
		assert.LessOrEqual(t, got[key+"_lower"], got[key+"_exact"], key)
		assert.GreaterOrEqual(t, got[key+"_upper"], got[key+"_exact"], key)
	}
}

// An early end names the measure that the bounds are on.
func TestLimitsEndEarly(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{limitLine + " --max-loss 1% --method rvi --max-iterations 40", "iteration-limit before the tolerance was met: the starvation is between "},
		{limitLine + " --max-starvation 40% --method rvi --max-iterations 40", "iteration-limit before the tolerance was met: the loss rate is between "},
		{"robots sweep --over max-loss --from 0.01 --to 0.1 --steps 2 --robots 16 --buffer 5 --lambda 0.1 --mu 1 --method rvi --max-iterations 40", "row 1: iteration-limit before the tolerance was met: the starvation is between "},
		{"robots solve --robots 8 --lambda 1e207 --buffer 2 --mu 0.5 --max-loss 1%", "precision-limit before the tolerance was met: the starvation is 0"},
	} {
		status, _, stderr := execute(t, test.line)
		assert.Equal(t, ui.ExitLimit, status, stderr)
		assert.Contains(t, stderr, "mdpsolve: "+test.want)
	}
}
