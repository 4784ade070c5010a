package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// slotsInOneGo returns what a schedule is that nothing interrupts.
func slotsInOneGo(t *testing.T, line string) string {
	t.Helper()
	status, stdout, stderr := execute(t, line)
	require.Zero(t, status, stderr)
	return stdout
}

// nastyIDs makes the ids of rates.csv look like rows.
func nastyIDs(t *testing.T) {
	t.Helper()
	writeFile(t, "rates.csv", "id,rate\n\"7,x\",1\n\"b,\"\"\",1.5\nç,1.5\n\"d \",1\ne,0\n")
}

func mustRun(t *testing.T, line string) {
	t.Helper()
	status, _, stderr := execute(t, line)
	require.Zero(t, status, stderr)
}

// A file has the slots of standard output, by every method, and a shorter schedule is where a longer
// one begins.
func TestScheduleFiles(t *testing.T) {
	refreshFolder(t)
	nastyIDs(t)
	for _, method := range scheduleMethods {
		for _, options := range []string{"", " --wall-clock --now 2026-01-01T00:00:00Z --unit day"} {
			line := "refresh schedule --input rates.csv --method " + method + options
			want := slotsInOneGo(t, line+" --length 300")
			mustRun(t, line+" --length 300 --out slots.csv")
			assert.Equal(t, want, readFile(t, "slots.csv"), line)
			assert.True(t, strings.HasPrefix(want, slotsInOneGo(t, line+" --length 100")), line)
		}
	}
}

// A file is there when it is complete.
func TestScheduleFileAppearsWhole(t *testing.T) {
	refreshFolder(t)
	const line = "refresh schedule --input rates.csv --out new.csv --length "
	interruptedSchedule(t, line+"1e12")
	assert.NoFileExists(t, "new.csv")
	writeFile(t, "new.csv", "old")
	writeFile(t, "new.csv.partial", "of somebody else")
	assert.Equal(t, ui.ExitUsage, func() int { status, _, _ := execute(t, line+"0"); return status }())
	assert.Equal(t, "of somebody else", readFile(t, "new.csv.partial"))
	assert.Equal(t, "old", readFile(t, "new.csv"))
	mustRun(t, line+"5")
	assert.Equal(t, slotsInOneGo(t, "refresh schedule --input rates.csv --length 5"), readFile(t, "new.csv"))
	assert.Equal(t, "of somebody else", readFile(t, "new.csv.partial"))
}

func TestScheduleToStandardOutput(t *testing.T) {
	refreshFolder(t)
	want := slotsInOneGo(t, "refresh schedule --input rates.csv --length 5")
	assert.Equal(t, want, slotsInOneGo(t, "refresh schedule --input rates.csv --length 5 --out -"))
	assert.NoFileExists(t, "-")
}

// interruptedSchedule interrupts a schedule soon after its first slots are known, which
// takes its time on a busy machine.
func interruptedSchedule(t *testing.T, line string) (stdout, stderr string) {
	t.Helper()
	for patience := 50 * time.Millisecond; ; patience *= 2 {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		status, stdout, stderr := executeContext(ctx, line)
		cancel()
		require.Equal(t, ui.ExitInterrupted, status, stderr)
		if strings.Contains(stderr, "after slot ") && !strings.Contains(stderr, "slot 0 ") {
			return stdout, stderr
		}
	}
}

// What a reader of standard output has got by then is whole rows of the schedule.
func TestInterruptedSchedule(t *testing.T) {
	refreshFolder(t)
	stdout, stderr := interruptedSchedule(t, "refresh schedule --input rates.csv --length 1e12")
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	slots := strings.Count(stdout, "\n") - 1
	assert.Contains(t, stderr, fmt.Sprintf("interrupted after slot %d of", slots))
	assert.Equal(t, slotsInOneGo(t, fmt.Sprint("refresh schedule --input rates.csv --length ", slots)), stdout)
}

// Times are exact where slots are no whole number of nanoseconds apart.
func TestScheduleUnits(t *testing.T) {
	refreshFolder(t)
	writeFile(t, "one.csv", "id,rate\na,3\n")
	status, stdout, stderr := execute(t, "refresh schedule --input one.csv --length 300000 --wall-clock --now 2026-01-01T00:00:00Z --unit second")
	require.Zero(t, status, stderr)
	assert.True(t, strings.HasSuffix(stdout, "\n300000,a,2026-01-02T03:46:40.000Z\n"), stdout[len(stdout)-60:]) // 10⁵ s
}
