package main

// Commands under a limit of memory: what does not fit is refused at once.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

func TestMemoryIsRefusedAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	chainFile(t, 300_000) // chain.drn
	require.NoError(t, os.WriteFile("pages.csv", []byte("id,change_rate\n"+strings.Repeat("a,1\n", 20<<20)), 0o600))
	ctx := ui.InService(t.Context(), 1<<25)
	for line, want := range map[string]string{
		"robots solve --robots 100000 --buffer 20000 --lambda 1/100000 --mu 1 --gamma 1.4":                   "--robots: 100000 takes about 3.27 TiB of memory, and 32 MiB are free: use ",
		"robots solve --robots auto --buffer 500 --lambda 1/100 --mu 1 --gamma 1.4":                          "--buffer: 500 takes about ",
		"robots solve --class 99@0.01 --class 99@0.02 --buffer 500 --mu 1 --gamma 1.4":                       "--buffer: 500 takes about ",
		"robots frontier --from 1 --to 2 --robots 900 --buffer 500 --lambda 0.01 --mu 1":                     "--robots: 900 takes about ",
		"robots table --lambda 0.0001 --buffer 500 --gamma 1":                                                "--robots: ",
		"robots simulate --policy static:900 --buffer 900 --lambda 0.001 --mu 1 --gamma 1":                   "--robots: 900 takes about ",
		"robots sweep --over gamma --from 1 --to 2 --steps 3 --robots 900 --buffer 500 --lambda 0.01 --mu 1": "--robots: 900 takes about ",
		"solve chain.drn --criterion average":                                                                `MODEL: "chain.drn" has at least 300000 states`,
		"refresh rates --input pages.csv --bandwidth 5":                                                      `--input: "pages.csv" has 80 MiB and takes at least 80 MiB of memory`,
	} {
		status, stdout, stderr := executeContext(ctx, line)
		assert.Equal(t, ui.ExitUsage, status, line)
		assert.Empty(t, stdout, line)
		assert.Contains(t, stderr, want, line)
		assert.Contains(t, stderr, " of memory", line)
	}
	// Files that do not say at their beginning what they hold, and methods that take more than
	// the model.
	mustRun(t, "convert chain.drn chain.json")
	writeRandom(t, "random.drn", 3000)
	for line, want := range map[string]string{
		"info chain.json": `MODEL: "chain.json" has at least 300000 states`,
		"solve random.drn --criterion average --method policy-iteration":                        "--method: policy-iteration is not valid for a model of this size: use auto or another (too large: exact evaluation of ",
		"solve random.drn --criterion discounted --discount 0.9 --method policy-iteration":      "--method: policy-iteration is not valid",
		"evaluate random.drn --policy policy.csv --criterion average --method policy-iteration": "--method: policy-iteration is not valid",
		"solve random.drn --criterion average --method exact":                                   "--method: exact is not valid for a model of this size: use auto or another (too large: elimination of ",
	} {
		status, stdout, stderr := executeContext(ctx, line)
		assert.Equal(t, ui.ExitUsage, status, line)
		assert.Empty(t, stdout, line)
		assert.Contains(t, stderr, want, line)
	}
	status, _, stderr := executeContext(ctx, "solve random.drn --criterion average")
	assert.Zero(t, status, stderr)
	// What fits is solved.
	status, _, stderr = executeContext(ctx, "robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4")
	assert.Zero(t, status, stderr)
}

// writeRandom writes a chain of which every elimination has to do with full matrices, and its
// only policy.
func writeRandom(t *testing.T, name string, states int) {
	t.Helper()
	t.Log("seed 1")
	rng := rand.New(rand.NewPCG(1, 0))
	var text, policy strings.Builder
	fmt.Fprintf(&text, "@type: DTMC\n@reward_models\ncost\n@nr_states\n%d\n@model\n", states)
	policy.WriteString("state,action\n")
	for s := range states {
		fmt.Fprintf(&text, "state %d [%d]\n\taction 0\n\t\t%d : 0.5\n\t\t%d : 0.5\n", s, rng.IntN(9), (s+1)%states, (s+2+rng.IntN(states-2))%states)
		fmt.Fprintf(&policy, "%d,0\n", s)
	}
	writeFile(t, name, text.String())
	writeFile(t, "policy.csv", policy.String())
}
