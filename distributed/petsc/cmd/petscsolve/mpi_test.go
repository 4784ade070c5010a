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

	"github.com/mdpsolve/mdpsolve/distributed/petsc/internal/testdata/garnet"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// asCommand is set if this program is to run petscsolve instead of its tests.
const asCommand = "PETSCSOLVE_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// onRanks returns the command of petscsolve on a number of ranks.
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

// told is the answer that petscsolve prints.
type told struct {
	Value, Lower, Upper float64
	Status              string
	Ranks, States       int
	Memory_bytes        []int64
}

// random writes a random model to a file, and returns the arguments that name it.
func random(t *testing.T, states, actions, successors int) (line string, table *mdp.Table) {
	t.Helper()
	table = garnet.Table(states, actions, successors, 1)
	m := &modelfile.Model{Kind: modelfile.MDP, StateStart: []int32{0}, RowStart: []int32{0}, Initial: []int32{0}}
	costs := modelfile.RewardModel{Name: "cost"}
	var row []mdp.Entry
	for s := range states {
		for a := range actions {
			var cost float64
			row, cost = table.AppendRow(row[:0], s, a)
			for _, e := range row {
				m.Columns, m.Values.Float = append(m.Columns, e.State), append(m.Values.Float, e.Probability)
			}
			m.RowStart = append(m.RowStart, int32(len(m.Columns)))
			costs.Action.Float = append(costs.Action.Float, cost)
		}
		m.StateStart = append(m.StateStart, int32(len(costs.Action.Float)))
	}
	m.Rewards = []modelfile.RewardModel{costs}
	name := filepath.Join(t.TempDir(), "random.drn")
	require.NoError(t, modelfile.WriteFile(name, m))
	return "model " + name + " --minimize", table
}

// solve runs petscsolve, and returns its exit status, its answer and its messages.
func solve(t *testing.T, ranks int, line string) (status int, answer told, messages string) {
	t.Helper()
	c, stdout, stderr := onRanks(t, ranks, line)
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
			requireMeets(t, answer.Lower, answer.Upper, want.Lower, want.Upper, line)
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
	large, table := random(t, 1_000_000, 4, 10)
	values, err := mdp.Solve(context.Background(), table, mdp.Discounted{Discount: 0.99}, mdp.Settings{})
	require.NoError(t, err)
	least, greatest := values.Bounds(0)
	for line, want := range map[string][2]float64{
		"robots --robots 800 --buffer 400 --lambda 1/800 --mu 1 --gamma 1.4": {process.Lower, process.Upper},
		large + " --criterion discounted --discount 0.99":                    {least, greatest},
	} {
		before := int64(math.MaxInt64)
		for _, ranks := range []int{1, 2, 4} {
			status, answer, messages := solve(t, ranks, line)
			require.Zero(t, status, messages)
			requireMeets(t, answer.Lower, answer.Upper, want[0], want[1], line)
			most := slices.Max(answer.Memory_bytes)
			t.Logf("%d states, %d ranks: %v … %v, %d MB a rank", answer.States, ranks, answer.Lower, answer.Upper, most/1e6)
			assert.Less(t, most, before, line)
			before = most
		}
		t.Logf("one process: %v … %v", want[0], want[1])
	}
}

// Random models by both criteria; with more ranks than states, too.
func TestRandomModels(t *testing.T) {
	for _, size := range [][3]int{{3, 2, 2}, {2000, 4, 10}} {
		model, table := random(t, size[0], size[1], size[2])
		for flags, criterion := range map[string]mdp.Criterion{
			"--criterion average":                       mdp.LongRunAverage{},
			"--criterion discounted --discount 0.99":    mdp.Discounted{Discount: 0.99},
			"--criterion discounted --discount 0.99999": mdp.Discounted{Discount: 0.99999},
		} {
			want, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{})
			require.NoError(t, err)
			lower, upper := want.Bounds(0)
			for _, ranks := range []int{2, 4} {
				line := model + " " + flags
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
	file, err := modelfile.ReadFile(models+"taxicab.json", modelfile.Options{})
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
	model, table := random(t, 500, 3, 6)
	want, err := mdp.Solve(context.Background(), table, mdp.Discounted{Discount: 0.9}, mdp.Settings{})
	require.NoError(t, err)
	folder := t.TempDir()
	name := filepath.Join(folder, "v.bin")
	status, _, messages := solve(t, 3, model+" --criterion discounted --discount 0.9 --out "+name)
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
		assert.True(t, answer.Lower <= want.Lower && want.Upper <= answer.Upper)
	}

	c, stdout, _ := onRanks(t, 1, slow+" --progress")
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
	assert.True(t, answer.Lower <= want.Lower && want.Upper <= answer.Upper)
}

// underWay starts a solve with --progress and waits until the first of its ten evaluations
// is done. It returns the rest of standard error.
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
	c, stdout, _ := onRanks(t, 2, slow+" --progress")
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

// A fault is one line on standard error, for any number of ranks.
func TestFaults(t *testing.T) {
	for _, fault := range []struct {
		line, variable, want string
		status               int
	}{
		{slow + " --out nowhere/x", "", "petscsolve: --out: nowhere/x: there is no folder nowhere: make it, or use another\n", 2},
		{"model nowhere.drn --criterion average", "", "petscsolve: open nowhere.drn: no such file or directory\n", 2},
		{slow + " --gamma x", "", "petscsolve: invalid value \"x\" for flag -gamma: use it once: petscsolve help lists the flags\n", 2},
		{slow, "GOMEMLIMIT=50MiB", "petscsolve: too large: rank 0 needs", 2},
		{slow, "PMI_SIZE=3", "the launcher started 3 ranks (PMI_SIZE), but MPI finds 2", 1},
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

// A run on the same number of ranks gives the same bits.
func TestSameBits(t *testing.T) {
	const model = "robots --robots 60 --buffer 30 --lambda 1/50 --mu 1 --gamma 1.4"
	_, first, _ := solve(t, 3, model)
	_, second, _ := solve(t, 3, model)
	assert.Equal(t, first.Lower, second.Lower)
	assert.Equal(t, first.Upper, second.Upper)
}
