//go:build petsc

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/distributed/petsc/internal/garnet"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// asCommand is set where this program is to be petscsolve and not its tests.
const asCommand = "PETSCSOLVE_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// onRanks is petscsolve on so many ranks, to be started.
func onRanks(t *testing.T, ranks int, line string) (c *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	own, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	words := append([]string{"-q", "-n", strconv.Itoa(ranks), "--oversubscribe", own}, strings.Fields(line)...)
	c = exec.CommandContext(ctx, "mpirun", words...)
	c.Env = append(os.Environ(), asCommand+"=1", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	c.Stdout, c.Stderr = stdout, stderr
	return c, stdout, stderr
}

// told is what petscsolve prints as JSON.
type told struct {
	Gain, Gain_lower, Gain_upper, Value, Lower, Upper float64
	Status                                            string
	Ranks, States                                     int
	Memory_bytes                                      []int64
}

// solve runs petscsolve, and returns its exit status, its answer and its messages.
func solve(t *testing.T, ranks int, line string) (status int, answer told, messages string) {
	t.Helper()
	c, stdout, stderr := onRanks(t, ranks, line+" --output json")
	_ = c.Run() // the status says how it ended
	if stdout.Len() > 0 {
		require.NoError(t, json.Unmarshal(stdout.Bytes(), &answer), "%s\n%s", stdout, stderr)
		require.Equal(t, ranks, answer.Ranks, stderr)
		require.Len(t, answer.Memory_bytes, ranks)
	}
	return c.ProcessState.ExitCode(), answer, stderr.String()
}

// requireMeets fails unless two intervals, each of which holds the optimum, have a number
// in common, and the first is within the tolerance.
func requireMeets(t *testing.T, lower, upper, otherLower, otherUpper float64, label string) {
	t.Helper()
	require.LessOrEqual(t, lower, otherUpper, label)
	require.GreaterOrEqual(t, upper, otherLower, label)
	require.True(t, mdp.Within(lower, upper, 0, mdp.DefaultTolerance), "%s: %v … %v", label, lower, upper)
}

// The gain of robots, on any number of ranks, is that of the solver in one process.
func TestRobots(t *testing.T) {
	for _, p := range []robots.Parameters{
		{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4},
		{Robots: 100, Buffer: 50, ArrivalRate: 0.02, ServiceRate: 1, StarvationWeight: 1.4}, // a gain of 2e-6
		{Robots: 3, Buffer: 2, ArrivalRate: 5, ServiceRate: 1, StarvationWeight: 0.1},
	} {
		want, err := robots.Solve(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		for _, ranks := range []int{1, 3} {
			line := fmt.Sprintf("robots --robots %d --buffer %d --lambda %v --mu %v --gamma %v", p.Robots, p.Buffer, p.ArrivalRate, p.ServiceRate, p.StarvationWeight)
			status, answer, messages := solve(t, ranks, line)
			require.Zero(t, status, messages)
			require.Equal(t, "converged", answer.Status)
			requireMeets(t, answer.Gain_lower, answer.Gain_upper, want.Lower, want.Upper, line)
			assert.Empty(t, messages)
		}
	}
}

var long = flag.Bool("long", false, "solve large models, too: minutes, and 2 GB")

// Large models on 1, 2 and 4 ranks: the intervals meet those of the solver in one process,
// and a rank takes less memory the more of them there are.
func TestLarge(t *testing.T) {
	if !*long {
		t.Skip("needs -long")
	}
	p := robots.Parameters{Robots: 800, Buffer: 400, ArrivalRate: 1.0 / 800, ServiceRate: 1, StarvationWeight: 1.4}
	process, err := robots.Solve(context.Background(), p, mdp.Settings{})
	require.NoError(t, err)
	random, err := garnet.Model{States: 1_000_000, Actions: 4, Successors: 10, Seed: 1}.Table()
	require.NoError(t, err)
	values, err := mdp.Solve(context.Background(), random, mdp.Discounted{Discount: 0.99}, mdp.Settings{})
	require.NoError(t, err)
	least, greatest := values.Bounds(0)
	for line, want := range map[string][2]float64{
		"robots --robots 800 --buffer 400 --lambda 1/800 --mu 1 --gamma 1.4":                                  {process.Lower, process.Upper},
		"garnet --states 1000000 --actions 4 --successors 10 --criterion discounted --discount 0.99 --seed 1": {least, greatest},
	} {
		before := int64(math.MaxInt64)
		for _, ranks := range []int{1, 2, 4} {
			status, answer, messages := solve(t, ranks, line)
			require.Zero(t, status, messages)
			lower, upper := max(answer.Lower, answer.Gain_lower), max(answer.Upper, answer.Gain_upper)
			requireMeets(t, lower, upper, want[0], want[1], line)
			most := slices.Max(answer.Memory_bytes)
			t.Logf("%d states, %d ranks: %v … %v, %d MB a rank", answer.States, ranks, lower, upper, most/1e6)
			assert.Less(t, most, before, line)
			before = most
		}
		t.Logf("one process: %v … %v", want[0], want[1])
	}
}

// Random models by both criteria; with more ranks than states, too.
func TestGarnet(t *testing.T) {
	for _, model := range []garnet.Model{{States: 3, Actions: 2, Successors: 2, Seed: 1}, {States: 2000, Actions: 4, Successors: 10, Seed: 1}} {
		table, err := model.Table()
		require.NoError(t, err)
		for flags, criterion := range map[string]mdp.Criterion{
			"--criterion average":                       mdp.LongRunAverage{},
			"--criterion discounted --discount 0.99":    mdp.Discounted{Discount: 0.99},
			"--criterion discounted --discount 0.99999": mdp.Discounted{Discount: 0.99999},
		} {
			want, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{})
			require.NoError(t, err)
			lower, upper := want.Bounds(0)
			for _, ranks := range []int{2, 4} {
				line := fmt.Sprintf("garnet --states %d --actions %d --successors %d %s", model.States, model.Actions, model.Successors, flags)
				status, answer, messages := solve(t, ranks, line)
				require.Zero(t, status, messages)
				requireMeets(t, answer.Lower, answer.Upper, lower, upper, line)
			}
		}
	}
}

// models are the example files of the core's command.
const models = "../../../../cmd/mdpsolve/testdata/models/"

func TestModelFiles(t *testing.T) {
	file, err := mdpio.ReadFile(models+"taxicab.json", mdpio.Options{})
	require.NoError(t, err)
	table, err := file.Table(file.Rewards[0].Name)
	require.NoError(t, err)
	for sense, flag := range map[mdp.Sense]string{mdp.Minimize: "--minimize", mdp.Maximize: "--maximize"} {
		want, err := mdp.Solve(context.Background(), mdp.Rounded{Table: table}, mdp.LongRunAverage{Sense: sense}, mdp.Settings{})
		require.NoError(t, err)
		status, answer, messages := solve(t, 2, "model "+models+"taxicab.json --criterion average "+flag)
		require.Zero(t, status, messages)
		requireMeets(t, answer.Lower, answer.Upper, want.Lower, want.Upper, flag)
	}
	status, _, messages := solve(t, 2, "model "+models+"islands.drn --criterion average --maximize --reward fish")
	assert.Equal(t, 2, status)
	assert.Contains(t, messages, "use mdpsolve solve")
}

// Values go to a file of PETSc, all ranks' in one, and are within the bounds of the solver in
// one process.
func TestValuesInFiles(t *testing.T) {
	model := garnet.Model{States: 500, Actions: 3, Successors: 6, Seed: 1}
	table, err := model.Table()
	require.NoError(t, err)
	want, err := mdp.Solve(context.Background(), table, mdp.Discounted{Discount: 0.9}, mdp.Settings{})
	require.NoError(t, err)
	folder := t.TempDir()
	name := filepath.Join(folder, "v.bin")
	status, _, messages := solve(t, 3, "garnet --states 500 --actions 3 --successors 6 --criterion discounted --discount 0.9 --out "+name)
	require.Zero(t, status, messages)
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close() //nolint:errcheck // it was only read
	var found struct {
		Kind, States uint32
		Values       [500]float64
	}
	require.NoError(t, binary.Read(file, binary.BigEndian, &found))
	rest, err := io.ReadAll(file)
	require.NoError(t, err)
	assert.Empty(t, rest)
	assert.EqualValues(t, 1211214, found.Kind, "that of a vector, in PETSc's documentation of VecLoad")
	assert.EqualValues(t, 500, found.States)
	for s, value := range found.Values {
		lower, upper := want.Bounds(s)
		assert.True(t, lower*(1-mdp.DefaultTolerance) <= value && value <= upper*(1+mdp.DefaultTolerance), "state %d: %v", s, value)
	}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "and no file beside it")
}

// For people, the answer is three lines.
func TestText(t *testing.T) {
	c, stdout, stderr := onRanks(t, 2, "garnet --states 50 --actions 2 --successors 3 --criterion discounted --discount 0.9")
	require.NoError(t, c.Run(), stderr)
	assert.Regexp(t, `^value of state 0  \S+  \(from \S+ to \S+\)\nconverged after \d+ evaluations with \d+ iterations, and \d+ sweeps\n50 states on 2 ranks, `, stdout.String())
}

const slow = "robots --robots 400 --buffer 200 --lambda 1/400 --mu 1 --gamma 1.4"

// A limit, or an end from outside, leaves bounds that hold.
func TestEnds(t *testing.T) {
	want, err := robots.Solve(context.Background(), robots.Parameters{Robots: 400, Buffer: 200, ArrivalRate: 0.0025, ServiceRate: 1, StarvationWeight: 1.4}, mdp.Settings{})
	require.NoError(t, err)
	for line, ending := range map[string]string{slow + " --max-iterations 1": "iteration-limit", slow + " --time-limit 0.3": "time-limit"} {
		status, answer, messages := solve(t, 2, line)
		if answer.Status == "" { // no rows before the time was up
			assert.NotZero(t, status)
			continue
		}
		assert.Equal(t, 3, status, messages)
		assert.Equal(t, ending, answer.Status)
		assert.True(t, answer.Gain_lower <= want.Lower && want.Upper <= answer.Gain_upper)
	}

	c, stdout, _ := onRanks(t, 1, slow+" --output json --progress")
	c.Args = append(c.Args[:1:1], c.Args[5:]...) // without mpirun, which would end the rank itself
	c.Path = c.Args[1]
	c.Args = c.Args[1:]
	messages := underWay(t, c)
	require.NoError(t, c.Process.Signal(os.Interrupt))
	stderr, err := io.ReadAll(messages)
	require.NoError(t, err)
	_ = c.Wait() // the status says how it ended
	assert.Equal(t, 130, c.ProcessState.ExitCode(), string(stderr))
	var answer told
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &answer), string(stderr))
	assert.Equal(t, "interrupted", answer.Status)
	assert.True(t, answer.Gain_lower <= want.Lower && want.Upper <= answer.Gain_upper)
}

// underWay starts a solve with --progress and waits until the first of its ten evaluations
// is done. It returns what else comes on standard error.
func underWay(t *testing.T, c *exec.Cmd) *bufio.Reader {
	t.Helper()
	c.Stderr = nil
	pipe, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	messages := bufio.NewReader(pipe)
	said, err := messages.ReadString('\n')
	require.NoError(t, err, said)
	require.Contains(t, said, "evaluation")
	return messages
}

// A rank that is killed ends all of them, without an answer.
func TestKilledRank(t *testing.T) {
	c, stdout, _ := onRanks(t, 2, slow+" --output json --progress")
	messages := underWay(t, c)
	ranks := children(c.Process.Pid)
	require.Len(t, ranks, 2)
	require.NoError(t, syscall.Kill(ranks[1], syscall.SIGKILL))
	_, err := io.Copy(io.Discard, messages)
	require.NoError(t, err)
	require.Error(t, c.Wait())
	assert.NotZero(t, c.ProcessState.ExitCode())
	assert.Empty(t, stdout.String())
}

// children lists the processes that one has started.
func children(pid int) (list []int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid)) // none while it starts
	for word := range strings.FieldsSeq(string(text)) {
		if child, err := strconv.Atoi(word); err == nil {
			list = append(list, child)
		}
	}
	return list
}

// Faults are one line on standard error, whatever the number of ranks.
func TestFaults(t *testing.T) {
	for _, fault := range []struct {
		line, variable, want string
		status               int
	}{
		{slow + " --out nowhere/x", "", "petscsolve: --out: nowhere/x: there is no folder nowhere: make it, or use another\n", 2},
		{"model nowhere.drn --criterion average", "", "petscsolve: open nowhere.drn: no such file or directory\n", 2},
		{slow + " --gamma x", "", "petscsolve: --gamma: given twice: use it once\n", 2},
		{slow, "GOMEMLIMIT=50MiB", "petscsolve: too large: rank 0 takes", 2},
		{slow, "PMI_SIZE=3", "the launcher started 3 ranks (PMI_SIZE), and MPI knows of 2", 1},
		{slow, "PETSC_OPTIONS=-pc_type nothing", "PETSc: ", 1},
	} {
		c, stdout, stderr := onRanks(t, 2, fault.line)
		if fault.variable != "" {
			c.Env = append(c.Env, fault.variable)
		}
		_ = c.Run() // the status says how it ended
		assert.Equal(t, fault.status, c.ProcessState.ExitCode(), fault.line+"\n"+stderr.String())
		assert.Empty(t, stdout.String())
		if strings.HasSuffix(fault.want, "\n") {
			assert.Equal(t, fault.want, stderr.String())
		} else {
			assert.Contains(t, stderr.String(), fault.want)
		}
	}
}

// A run repeated on as many ranks gives the same bits.
func TestSameBits(t *testing.T) {
	const model = "robots --robots 60 --buffer 30 --lambda 1/50 --mu 1 --gamma 1.4"
	_, first, _ := solve(t, 3, model)
	_, second, _ := solve(t, 3, model)
	assert.Equal(t, first.Gain_lower, second.Gain_lower)
	assert.Equal(t, first.Gain_upper, second.Gain_upper)
}
