package main

// What tests of the command share. The test program is the command, a worker of it, and
// prism as a server, too, so that each is a process of its own.

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/app"
)

// asWhat says what a process of the test program is.
const asWhat = "REFRESHBEAM_TEST"

func TestMain(m *testing.M) {
	switch role, port, _ := strings.Cut(os.Getenv(asWhat), ":"); {
	case isWorker(os.Args[1:]), role == "command":
		main()
	case role == "prism":
		number, err := strconv.Atoi(port)
		if err == nil {
			_, err = prism.CreateJobServer(context.Background(), prism.Options{Port: number})
		}
		if err != nil {
			panic(err)
		}
		_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
	default:
		os.Exit(m.Run())
	}
}

// patience is how long a command may take that does not end by itself: far longer than any
// takes, beside other work, too.
const patience = 5 * time.Minute

// refreshbeam runs the command.
func refreshbeam(t *testing.T, words ...string) (stdout, stderr string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(ctx, self, words...)
	command.Env = append(os.Environ(), asWhat+"=command")
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	err = command.Run()
	require.NoError(t, ctx.Err(), "it does not end")
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return out.String(), errs.String(), command.ProcessState.ExitCode()
}

// succeed runs the command, which is to end well and to say so in one line.
func succeed(t *testing.T, words ...string) {
	t.Helper()
	_, stderr, status := refreshbeam(t, words...)
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
}

// fail runs the command, which is to end with a status and a line that holds text, and to
// leave no file whose name begins with out.
func fail(t *testing.T, status int, text, out string, words ...string) {
	t.Helper()
	stdout, stderr, got := refreshbeam(t, append([]string{words[0], "--out", out}, words[1:]...)...)
	require.Equal(t, status, got, stderr)
	require.Empty(t, stdout)
	require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	require.Contains(t, stderr, text)
	left, err := filepath.Glob(out + "*")
	require.NoError(t, err)
	require.Empty(t, left)
}

// startPrism starts prism as a server, and returns the flags that lead to it and its
// process.
func startPrism(t *testing.T) (flags []string, pid int) {
	t.Helper()
	free, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	address := free.Addr().String()
	port := free.Addr().(*net.TCPAddr).Port
	require.NoError(t, free.Close())
	self, err := os.Executable()
	require.NoError(t, err)
	server := exec.Command(self)
	server.Env = append(os.Environ(), fmt.Sprintf("%s=prism:%d", asWhat, port))
	life, err := server.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		require.NoError(t, life.Close())
		_ = server.Wait()
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, patience, 10*time.Millisecond)
	return []string{"--runner", "prism", "--endpoint", address}, server.Process.Pid
}

// mdpsolve runs the command that works in memory.
func mdpsolve(t *testing.T, words ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := app.Run(t.Context(), append([]string{"mdpsolve"}, words...), &stdout, &stderr)
	require.Zero(t, status, stderr.String())
	return stdout.String()
}

// pageList returns n random pages as a list.
func pageList(seed uint64, n int) string {
	random := rand.New(rand.NewPCG(seed, 1))
	var list strings.Builder
	list.WriteString("id,change_rate,weight\n")
	for i := range n {
		fmt.Fprintf(&list, "p%d-%d,%v,%v\n", seed, i, math.Exp(random.NormFloat64()), 1/random.Float64())
	}
	return list.String()
}

// cut returns a list as so many lists, each with the first line.
func cut(list string, shards int) []string {
	head, rows, _ := strings.Cut(list, "\n")
	lines := strings.SplitAfter(strings.TrimSuffix(rows, "\n"), "\n")
	var lists []string
	for s := range shards {
		part := lines[s*len(lines)/shards : (s+1)*len(lines)/shards]
		lists = append(lists, head+"\n"+strings.TrimSuffix(strings.Join(part, ""), "\n")+"\n")
	}
	return lists
}

// writeShards writes a list as files of a new folder, and returns the pattern of their names.
func writeShards(t *testing.T, list string, shards int) string {
	t.Helper()
	folder := t.TempDir()
	for s, text := range cut(list, shards) {
		write(t, filepath.Join(folder, fmt.Sprintf("shard-%03d.csv", s)), text)
	}
	return filepath.Join(folder, "shard-*.csv")
}

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

// joined returns the lists that were written to PREFIX-… as one.
func joined(t *testing.T, prefix string, shards int) string {
	t.Helper()
	names, err := filepath.Glob(prefix + "-*")
	require.NoError(t, err)
	require.Len(t, names, shards)
	var list strings.Builder
	for s, name := range names {
		require.True(t, strings.HasPrefix(name, fmt.Sprintf("%s-%05d-of-%05d.", prefix, s, shards)), name)
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		head, rows, _ := strings.Cut(string(text), "\n")
		if s == 0 {
			list.WriteString(head + "\n")
		}
		list.WriteString(rows)
	}
	return list.String()
}

// inMemory returns what mdpsolve writes for a list.
func inMemory(t *testing.T, list string, words ...string) string {
	t.Helper()
	folder := t.TempDir()
	input, output := filepath.Join(folder, "in.csv"), filepath.Join(folder, "out.csv")
	write(t, input, list)
	mdpsolve(t, append(words, "--input", input, "--out", output)...)
	text, err := os.ReadFile(output)
	require.NoError(t, err)
	return string(text)
}

// assertAgree compares lists of rates: they have the same rows, but for numbers that differ by
// a share of 1e-9 of themselves or of the mean rate.
func assertAgree(t *testing.T, want, got string) {
	t.Helper()
	read := func(list string) (rows [][]string, rates []float64, sum float64) {
		rows, err := csv.NewReader(strings.NewReader(list)).ReadAll()
		require.NoError(t, err)
		require.Equal(t, []string{"id", "rate", "interval", "freshness"}, rows[0][:4])
		for _, row := range rows[1:] {
			rate, err := strconv.ParseFloat(row[1], 64)
			require.NoError(t, err)
			rates = append(rates, rate)
			sum += rate
		}
		return rows, rates, sum
	}
	rows, rates, sum := read(want)
	others, found, _ := read(got)
	require.Len(t, others, len(rows))
	for i, rate := range rates {
		require.Equal(t, rows[i+1][0], others[i+1][0])
		require.InDelta(t, rate, found[i], 1e-9*max(rate, sum/float64(len(rates))), "page %s", rows[i+1][0])
	}
}
