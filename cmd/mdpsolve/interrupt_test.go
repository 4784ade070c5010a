package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// These take seconds and half a minute. The second ends soon where it is interrupted.
const (
	long     = "robots solve --method rvi --robots 400 --buffer 200 --lambda 1/200 --mu 1 --gamma 1.4 --tolerance 1e-12 --output json"
	veryLong = "robots solve --method rvi --robots 4000 --buffer 20 --lambda 1/4000 --mu 1 --gamma 1.4 --tolerance 1e-12 --output json"
)

func checkInterrupted(t *testing.T, stdout, stderr string) {
	t.Helper()
	got := object(t, stdout)
	assert.Equal(t, "interrupted", got["status"])
	assert.Less(t, got["gain_lower"], got["gain_upper"])
	// The optimum is below what any fixed number costs, and not below 0.
	assert.GreaterOrEqual(t, got["gain_lower"], 0.0)
	assert.LessOrEqual(t, got["gain_lower"], got["static_cost"])
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
}

func TestCancelledContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	status, stdout, stderr := executeContext(ctx, long)
	assert.Equal(t, ui.ExitInterrupted, status)
	checkInterrupted(t, stdout, stderr)
}

func TestCancelledBeforeTheStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, line := range []string{
		"robots solve --robots 8 --buffer 5 --lambda 0.1 --mu 1 --gamma 1 -o json",
		"robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1 -o json --method paper",
	} {
		status, stdout, stderr := executeContext(ctx, line)
		assert.Equal(t, ui.ExitInterrupted, status)
		checkInterrupted(t, stdout, stderr)
	}
	for _, line := range []string{
		"robots table --lambda 0.1 --buffer 5,6 --gamma 1",
		"static sweep --over gamma --from 1 --to 2 --lambda 0.1 --mu 1 --buffer 5",
		"robots reproduce",
	} {
		status, _, stderr := executeContext(ctx, line)
		assert.Equal(t, ui.ExitInterrupted, status, line)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}

// asProgram is what makes the program of the tests the program itself.
const asProgram = "MDPSOLVE_TEST_AS_PROGRAM"

// program returns the command that runs the program itself, for what signals do to it.
func program(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), executable, arguments...)
	command.Env = append(os.Environ(), asProgram+"=1")
	return command
}

func TestSignal(t *testing.T) {
	var stdout, stderr bytes.Buffer
	command := program(t, strings.Split(veryLong, " ")...)
	command.Stdout, command.Stderr = &stdout, &stderr
	require.NoError(t, command.Start())
	time.Sleep(300 * time.Millisecond) // it needs some to begin, and half a minute to end
	require.NoError(t, command.Process.Signal(os.Interrupt))
	var exit *exec.ExitError
	require.ErrorAs(t, command.Wait(), &exit)
	assert.Equal(t, ui.ExitInterrupted, exit.ExitCode())
	end, found := strings.CutPrefix(stderr.String(), "mdpsolve: stopping; press Ctrl-C again to quit\n")
	assert.True(t, found, stderr.String())
	checkInterrupted(t, stdout.String(), end)
}

// A model from a file: the best so far with its bounds, in a file too.
func TestInterruptedSolveOfAnyModel(t *testing.T) {
	t.Chdir(t.TempDir())
	name := chainFile(t, 20000) // some 10⁸ sweeps from its tolerance
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Second, cancel) // it reads and classifies in a tenth of that
	status, stdout, stderr := executeContext(ctx, "solve "+name+" --criterion average --method rvi --out result.json -o json")
	assert.Equal(t, ui.ExitInterrupted, status)
	got := object(t, stdout)
	assert.Equal(t, "interrupted", got["status"])
	assert.Equal(t, "unichain", got["classification"])
	assert.LessOrEqual(t, got["lower"].([]any)[0], 1.0/20000)
	assert.GreaterOrEqual(t, got["upper"].([]any)[0], 1.0/20000)
	assert.Contains(t, stderr, "interrupted before the tolerance was met: the value of state 0 is between ")
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	saved, err := os.ReadFile("result.json")
	require.NoError(t, err)
	assert.Equal(t, stdout, string(saved))

	cancelled, stop := context.WithCancel(t.Context())
	stop()
	for _, line := range []string{"solve " + name + " --criterion average", "info " + name, "check " + name + " result.json", "convert " + name + " a.json"} {
		status, stdout, stderr := executeContext(cancelled, line)
		assert.Equal(t, ui.ExitInterrupted, status, line)
		assert.Empty(t, stdout, line)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}

// peelFile writes a model whose end components come off one by one, as the last state of a row of
// them is found to be one: a classification takes a number of passes over the model that grows
// with it.
func peelFile(t *testing.T, states int) {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "@type: MDP\n@reward_models\ncost other\n@nr_states\n%d\n@model\n", states)
	for s := range states {
		fmt.Fprintf(&text, "state %d [0, 0]", s)
		if s == 0 {
			text.WriteString(" goal")
		}
		fmt.Fprintf(&text, "\n\taction 0 [1, 2]\n\t\t%d : 1\n", s)
		if s < states-1 {
			fmt.Fprintf(&text, "\taction 1 [2, 1]\n\t\t0 : 0.5\n\t\t%d : 0.5\n", s+1)
		}
	}
	writeFile(t, "peel.drn", text.String())
}

// Work that looks at no limit is not waited for.
func TestEndsSoon(t *testing.T) {
	t.Chdir(t.TempDir())
	peelFile(t, 40_000)
	writeRandom(t, "random.drn", 6000)
	for line, status := range map[string]int{
		"solve peel.drn --reward cost --criterion average --minimize --time-limit 0.2":                ui.ExitLimit,
		"solve peel.drn --reward cost --criterion average --maximize":                                 ui.ExitInterrupted,
		"solve peel.drn --reward cost --criterion average --minimize --constraint other<=2":           ui.ExitInterrupted,
		"solve peel.drn --reward cost --criterion average --minimize --pareto other --time-limit 0.2": ui.ExitLimit,
		"solve random.drn --reward cost --criterion average --method exact":                           ui.ExitInterrupted,
		"info peel.drn": ui.ExitInterrupted,
	} {
		command := program(t, strings.Split(line, " ")...) // which ends with all that it has abandoned
		var stderr bytes.Buffer
		command.Stderr = &stderr
		require.NoError(t, command.Start())
		if status == ui.ExitInterrupted {
			time.Sleep(300 * time.Millisecond)
			require.NoError(t, command.Process.Signal(os.Interrupt))
		}
		begin := time.Now()
		var exit *exec.ExitError
		require.ErrorAs(t, command.Wait(), &exit, line)
		assert.Equal(t, status, exit.ExitCode(), "%s: %s", line, stderr.String())
		assert.Less(t, time.Since(begin), 10*time.Second, "%s: minutes, if it were waited for", line) // of a busy machine
	}
}

func TestSimulationInterruptedAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	status, stdout, stderr := executeContext(ctx, "robots simulate --policy static:10 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4")
	assert.Equal(t, ui.ExitInterrupted, status)
	assert.Empty(t, stdout)
	assert.Equal(t, "mdpsolve: interrupted before the first replication ended\n", stderr)
}
