package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// fileKinds are the ends of names of all formats and compressions.
func fileKinds() []string {
	var kinds []string
	for _, format := range []string{".csv", ".jsonl", ".parquet"} {
		for _, compression := range []string{"", ".gz", ".zst"} {
			kinds = append(kinds, format+compression)
		}
	}
	return kinds
}

// slotsIn returns the slots in a file.
func slotsIn(t *testing.T, name string, ids *pagefile.IDs) []int {
	t.Helper()
	slots, _, err := pagefile.ReadSchedule(t.Context(), pagefile.Source{Name: name}, pagefile.Options{Strict: true}, ids)
	require.NoError(t, err, name)
	return slots
}

func ratesIDs(t *testing.T) *pagefile.IDs {
	t.Helper()
	rates, _, err := pagefile.ReadRates(t.Context(), pagefile.Source{Name: "rates.csv"}, pagefile.Options{Strict: true})
	require.NoError(t, err)
	return &rates.IDs
}

func TestSchedulesInAllFormats(t *testing.T) {
	refreshFolder(t)
	nastyIDs(t)
	ids := ratesIDs(t)
	for _, options := range []string{"", " --wall-clock --now 2026-01-01T00:00:00Z --unit day"} {
		line := "refresh schedule --input rates.csv --length 10000" + options
		writeFile(t, "want.csv", slotsInOneGo(t, line))
		want := slotsIn(t, "want.csv", ids)
		require.Len(t, want, 10000)
		for _, kind := range fileKinds() {
			assert.Equal(t, 10000.0, answer(t, line+" --out slots"+kind)["slots"])
			assert.Equal(t, want, slotsIn(t, "slots"+kind, ids), kind)
		}
		for plain, printed := range map[string]string{".csv": "csv", ".jsonl": "json"} {
			assert.Equal(t, slotsInOneGo(t, line+" -o "+printed), readFile(t, "slots"+plain))
		}
	}
	left, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, file := range left {
		assert.NotContains(t, file.Name(), ".partial")
	}
}

func TestEvaluatedSchedulesOfAllFormats(t *testing.T) {
	refreshFolder(t)
	want := answer(t, "refresh evaluate --input pages.csv --schedule slots.csv --bandwidth 5")
	mustRun(t, "refresh rates --input pages.csv --bandwidth 5 --out best.parquet.zst")
	var cost any
	for _, kind := range fileKinds() {
		mustRun(t, "refresh schedule --input best.parquet.zst --length 200 --out own"+kind)
		got := answer(t, "refresh evaluate --input pages.csv --bandwidth 5 --schedule own"+kind)
		assert.Equal(t, want["pages"], got["pages"])
		if cost == nil {
			cost = got["cost"]
		}
		assert.Equal(t, cost, got["cost"], kind)
	}
}

func TestEstimatesInAllFormats(t *testing.T) {
	refreshFolder(t)
	for _, kind := range fileKinds() {
		assert.Equal(t, 3.0, answer(t, "refresh estimate --input history.csv --out estimated"+kind)["estimated"])
		assert.Equal(t,
			answer(t, "refresh rates --input estimated.csv --bandwidth 1")["value"],
			answer(t, "refresh rates --input estimated"+kind+" --bandwidth 1")["value"], kind)
	}
	assert.Equal(t, slotsInOneGo(t, "refresh estimate --input history.csv"), readFile(t, "estimated.csv"))
}

// The list of hosts gives the caps back.
func TestHostsInAllFormats(t *testing.T) {
	refreshFolder(t)
	const line = "refresh rates --input urls.csv --bandwidth 5 --host-caps "
	want := answer(t, line+"caps.csv")
	for _, kind := range fileKinds() {
		mustRun(t, line+"caps.csv --hosts-out hosts"+kind)
		got := answer(t, line+"hosts"+kind)
		assert.Equal(t, want["value"], got["value"], kind)
		assert.Equal(t, want["hosts_capped"], got["hosts_capped"], kind)
	}
}

// A schedule that is interrupted leaves the file that was there, in every format.
func TestInterruptedSchedulesOfAllFormats(t *testing.T) {
	refreshFolder(t)
	for _, kind := range fileKinds() {
		writeFile(t, "slots"+kind, "old")
		stdout, stderr := interruptedSchedule(t, "refresh schedule --input rates.csv --length 1e12 --out slots"+kind)
		assert.Empty(t, stdout, kind)
		assert.Regexp(t, `^mdpsolve: interrupted after slot \d+ of 1000000000000: files are unchanged\n$`, stderr, kind)
		assert.Equal(t, "old", readFile(t, "slots"+kind))
	}
	left, err := filepath.Glob("*.partial")
	require.NoError(t, err)
	assert.Empty(t, left)
}
