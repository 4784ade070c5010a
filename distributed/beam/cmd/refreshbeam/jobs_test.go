package main

// What jobs write is what mdpsolve writes in memory.

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRatesHaveTheBitsOfTheCommand(t *testing.T) {
	list := pageList(1, 3000)
	want := inMemory(t, list, "refresh", "rates", "--bandwidth", "1000")
	server, _ := startPrism(t)
	outs := t.TempDir()
	for _, runner := range []struct {
		name   string
		flags  []string
		shards []int
	}{
		{"embedded", nil, []int{1, 20, 20}}, // a job that is repeated replaces its files by the same
		{"server with worker processes", server, []int{7, 7}},
		{"server with workers in the command", append(slices.Clip(server), "--environment_type", "LOOPBACK"), []int{3}},
	} {
		for _, shards := range runner.shards {
			t.Run(fmt.Sprintf("%s/%d", runner.name, shards), func(t *testing.T) {
				out := filepath.Join(outs, fmt.Sprintf("%s-%d", strings.ReplaceAll(runner.name, " ", "-"), shards))
				succeed(t, append([]string{"rates", "--input", writeShards(t, list, shards), "--bandwidth", "1000", "--out", out}, runner.flags...)...)
				assert.Equal(t, want, joined(t, out, shards))
			})
		}
	}
}

func TestEstimatesAndSchedulesAreThoseOfTheCommand(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var histories strings.Builder
	histories.WriteString("id,time,changed\n")
	for i := range 300 {
		for at := range 2 + random.IntN(9) {
			fmt.Fprintf(&histories, "p%d,%v,%d\n", i, float64(at)+random.Float64(), random.IntN(2))
		}
	}
	// The accesses of a page are together: shards end where a page does.
	input := t.TempDir()
	var shards []string
	head, rows, _ := strings.Cut(histories.String(), "\n")
	for i, line := range strings.SplitAfter(rows, "\n") {
		id, _, _ := strings.Cut(line, ",")
		if i == 0 || id == "p100" && !strings.HasPrefix(shards[0], "p100") && len(shards) == 1 {
			shards = append(shards, "")
		}
		shards[len(shards)-1] += line
	}
	for s, text := range shards {
		write(t, filepath.Join(input, fmt.Sprintf("h%d.csv", s)), head+"\n"+text)
	}
	out := filepath.Join(t.TempDir(), "estimates")
	succeed(t, "estimate", "--input", filepath.Join(input, "h*.csv"), "--out", out, "--", "--confidence", "0.9")
	assert.Equal(t, inMemory(t, histories.String(), "refresh", "estimate", "--prior", "none", "--confidence", "0.9"), joined(t, out, 2))

	rates := cut(inMemory(t, pageList(2, 200), "refresh", "rates", "--bandwidth", "100"), 3)
	folder := t.TempDir()
	for s, text := range rates {
		write(t, filepath.Join(folder, fmt.Sprintf("r%d.csv", s)), text)
	}
	out = filepath.Join(t.TempDir(), "schedule")
	succeed(t, "schedule", "--input", filepath.Join(folder, "r*.csv"), "--out", out, "--", "--length", "500", "--method", "golden-ratio")
	var want strings.Builder
	for s, text := range rates {
		slots := inMemory(t, text, "refresh", "schedule", "--length", "500", "--method", "golden-ratio")
		if s > 0 {
			_, slots, _ = strings.Cut(slots, "\n")
		}
		want.WriteString(slots)
	}
	assert.Equal(t, want.String(), joined(t, out, 3))
}

func TestStudyHasTheRowsOfATable(t *testing.T) {
	table := filepath.Join(t.TempDir(), "table.csv")
	var rows strings.Builder
	rows.WriteString("lambda,buffer,gamma\n")
	for _, lambda := range []string{"1/20", "0.1"} {
		for _, buffer := range []string{"5", "8"} {
			for _, gamma := range []string{"2/5", "1.4", "3"} {
				fmt.Fprintf(&rows, "%s,%s,%s\n", lambda, buffer, gamma)
			}
		}
	}
	write(t, table, rows.String())
	out := filepath.Join(t.TempDir(), "study")
	succeed(t, "study", "--input", table, "--out", out, "--rows", "5", "--", "robots", "table", "--robots", "static")
	assert.Equal(t,
		mdpsolve(t, "robots", "table", "--robots", "static", "--lambda", "1/20,0.1", "--buffer", "5,8", "--gamma", "2/5,1.4,3", "--output", "csv"),
		joined(t, out, 3))
}
