package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// slotsInOneGo returns what a schedule is that nothing interrupts.
func slotsInOneGo(t *testing.T, line string) string {
	t.Helper()
	status, stdout, stderr := execute(t, line)
	require.Zero(t, status, stderr)
	return stdout
}

func TestScheduleGoesOn(t *testing.T) {
	refreshFolder(t)
	for _, method := range scheduleMethods {
		for _, options := range []string{"", " --wall-clock --start 2026-01-01T00:00:00Z"} {
			line := "refresh schedule --input rates.csv --method " + method + options
			want := slotsInOneGo(t, line+" --length 300")
			name := fmt.Sprintf("%s%d", method, len(options))
			for _, length := range []string{"1", "100", "100", "257", "300"} {
				status, _, stderr := execute(t, line+" --length "+length+" --out "+name+".csv --state "+name+".state")
				require.Zero(t, status, stderr)
			}
			assert.Equal(t, want, readFile(t, name+".csv"), name)
			piped := ""
			for _, length := range []string{"1", "100", "100", "257", "300"} {
				status, stdout, stderr := execute(t, line+" --length "+length+" --state "+name+".piped")
				require.Zero(t, status, stderr)
				piped += stdout
			}
			assert.Equal(t, want, piped, name)
		}
	}
}

// A program that is killed leaves a file that is ahead of the state, and may end
// anywhere.
func TestKilledSchedule(t *testing.T) {
	refreshFolder(t)
	for _, method := range scheduleMethods {
		line := "refresh schedule --input rates.csv --out slots.csv --state slots.state --method " + method
		want := slotsInOneGo(t, "refresh schedule --input rates.csv --length 300 --method "+method)
		for _, first := range []string{"1", "90"} {
			for _, cut := range []int{len(want), len(want) - 1, len(want) / 2, len(want)/2 + 1, len(want)/2 + 2, len(want)/2 + 3} {
				require.NoError(t, os.RemoveAll("slots.state"))
				require.NotEmpty(t, answer(t, line+" --length "+first))
				writeFile(t, "slots.csv", want[:cut])
				require.NotEmpty(t, answer(t, line+" --length 300"))
				assert.Equal(t, want, readFile(t, "slots.csv"), "%s, cut at %d", method, cut)
			}
		}
	}
}

func TestScheduleKilledBeforeItsFirstRow(t *testing.T) {
	refreshFolder(t)
	const line = "refresh schedule --input rates.csv --out slots.csv --state slots.state --length "
	want := slotsInOneGo(t, "refresh schedule --input rates.csv --length 3")
	require.NotEmpty(t, answer(t, line+"1"))
	state, err := readScheduleState("slots.state")
	require.NoError(t, err)
	sequence, err := refresh.NewEarliestDeadlineFirst([]float64{1, 1.5, 1.5, 1, 0})
	require.NoError(t, err)
	state.Slots = 0
	state.Sequence, err = sequence.AppendBinary(nil)
	require.NoError(t, err)
	text, err := json.Marshal(state)
	require.NoError(t, err)
	for _, left := range []string{"", "slo", "slot,id", "slot,id\n", "slot,id\n1,"} {
		writeFile(t, "slots.state", string(text))
		writeFile(t, "slots.csv", left)
		require.NotEmpty(t, answer(t, line+"3"))
		assert.Equal(t, want, readFile(t, "slots.csv"), left)
	}
}

func TestScheduleAndStateThatDoNotFit(t *testing.T) {
	refreshFolder(t)
	writeFile(t, "others.csv", "id,rate\na,1\nb,2\nc,1.5\nd,1\ne,0\n")
	writeFile(t, "renamed.csv", "id,rate\nA,1\nb,1.5\nc,1.5\nd,1\ne,0\n")
	writeFile(t, "nonsense.state", "{\"version\": 7}")
	writeFile(t, "text.state", "hello\n")
	const line = "refresh schedule --length 20 --out slots.csv --state slots.state --input "
	require.NotEmpty(t, answer(t, line+"rates.csv"))
	slots := readFile(t, "slots.csv")
	for _, test := range []struct{ line, want string }{
		{line + "others.csv", "--state"},
		{line + "renamed.csv", "--input"},
		{line + "rates.csv --method balanced", "--method"},
		{line + "rates.csv --wall-clock", "--wall-clock"},
		{line + "rates.csv --length 10", "--length"},
		{"refresh schedule --length 20 --state slots.state --input rates.csv", "--out"},
		{line + "rates.csv --state nonsense.state", "--state: nonsense.state has version 7"},
		{line + "rates.csv --state text.state", "--state: text.state is not"},
	} {
		status, stdout, stderr := execute(t, test.line)
		assert.Equal(t, exitUsage, status, test.line)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, test.want)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		assert.Equal(t, slots, readFile(t, "slots.csv"), "left alone")
	}
	writeFile(t, "slots.csv", slots[:len(slots)/2]) // rows are gone
	status, _, stderr := execute(t, line+"rates.csv")
	assert.Equal(t, exitUsage, status)
	assert.Contains(t, stderr, "--out")
}

func TestInterruptedSchedule(t *testing.T) {
	refreshFolder(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	status, stdout, stderr := executeContext(ctx, "refresh schedule --input rates.csv --length 1e12 --state slots.state")
	assert.Equal(t, exitInterrupted, status)
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	assert.True(t, strings.HasSuffix(stdout, "\n"), "whole rows")
	slots := strings.Count(stdout, "\n") - 1
	length := fmt.Sprint(slots + 5)
	status, more, stderr := execute(t, "refresh schedule --input rates.csv --state slots.state --length "+length)
	require.Zero(t, status, stderr)
	assert.Equal(t, slotsInOneGo(t, "refresh schedule --input rates.csv --length "+length), stdout+more)
}

func TestFrontier(t *testing.T) {
	refreshFolder(t)
	got := answer(t, "refresh schedule --input rates.csv --length 100 --frontier due.jsonl --wall-clock --start 2026-01-01T00:00:00Z --unit 60")
	assert.Equal(t, 4.0, got["due"])
	// Slot 1 of 5 a minute.
	assert.Contains(t, readFile(t, "due.jsonl"), `{"known":{"info":{"url":"b"},"refetchableFromDate":"1767225612"}}`)
}

// TestKill kills the program itself, at any time, again and again.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	program := filepath.Join(t.TempDir(), "mdpsolve")
	built, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(built))
	refreshFolder(t)
	line := []string{"refresh", "schedule", "--input", "rates.csv", "--length", "3000000", "--out", "slots.csv", "--state", "slots.state"}
	kills := 0
	for wait := 20 * time.Millisecond; ; wait += 70 * time.Millisecond {
		command := exec.CommandContext(t.Context(), program, line...)
		var stderr bytes.Buffer
		command.Stderr = &stderr
		require.NoError(t, command.Start())
		timer := time.AfterFunc(wait, func() { _ = command.Process.Kill() }) // it may have ended
		err := command.Wait()
		timer.Stop()
		if err == nil {
			break
		}
		require.Empty(t, stderr.String())
		kills++
		require.Less(t, kills, 200)
	}
	assert.Positive(t, kills)
	want := slotsInOneGo(t, "refresh schedule --input rates.csv --length 3000000")
	if want != readFile(t, "slots.csv") { // which would be too long to print
		t.Errorf("after %d kills the file is not that of one go", kills)
	}
}
