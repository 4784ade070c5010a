package main

// What jobs write is what mdpsolve writes in memory, but for last digits.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRatesAreThoseOfTheCommand(t *testing.T) {
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
				assertAgree(t, want, joined(t, out, shards))
			})
		}
	}
}

// What is left of runs that were killed goes with the next run of the same name.
func TestPartsOfKilledRunsGo(t *testing.T) {
	folder := t.TempDir()
	out := filepath.Join(folder, "rates [1]*") // no pattern
	for _, name := range []string{out + ".part-ABC.csv", out + ".part-replies-ABC", filepath.Join(folder, "rates.part-ABC.csv")} {
		write(t, name, "")
	}
	list := pageList(4, 100)
	succeed(t, "rates", "--input", writeShards(t, list, 2), "--bandwidth", "40", "--out", out)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	assert.Equal(t, []string{"rates [1]*-00000-of-00002.csv", "rates [1]*-00001-of-00002.csv", "rates.part-ABC.csv"}, names)
}
