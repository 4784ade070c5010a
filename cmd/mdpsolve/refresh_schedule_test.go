package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
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

func TestScheduleGoesOn(t *testing.T) {
	refreshFolder(t)
	for _, method := range scheduleMethods {
		for _, options := range []string{"", " --wall-clock --start 2026-01-01T00:00:00Z --unit day"} {
			line := "refresh schedule --input rates.csv --method " + method + options
			want := slotsInOneGo(t, line+" --length 300")
			name := fmt.Sprintf("%s%d", method, len(options))
			for _, length := range []string{"1", "100", "100", "257", "300"} {
				status, _, stderr := execute(t, line+" --length "+length+" --out "+name+".csv --state "+name+".state")
				require.Zero(t, status, stderr)
			}
			assert.Equal(t, want, readFile(t, name+".csv"), name)
		}
	}
}

// nastyIDs makes the ids of rates.csv look like rows, and break lines.
func nastyIDs(t *testing.T) {
	t.Helper()
	writeFile(t, "rates.csv", "id,rate\n\"a\n7,x\",1\n\"b,\"\"\",1.5\nç,1.5\n\"d\n\",1\ne,0\n")
}

// A program that is killed leaves a file that is ahead of the state, and may end
// anywhere.
func TestKilledSchedule(t *testing.T) {
	refreshFolder(t)
	nastyIDs(t)
	for _, options := range []string{"", " --wall-clock --start 2026-01-01T00:00:00Z --unit day", " -o json"} {
		name := "slots.csv"
		if options == " -o json" {
			name = "slots.jsonl"
		}
		for _, method := range scheduleMethods {
			goal := "refresh schedule --input rates.csv --method " + method + options
			want := slotsInOneGo(t, goal+" --length 300")
			line := goal + " --out " + name + " --state slots.state --length "
			for _, first := range []string{"1", "90"} {
				have := len(slotsInOneGo(t, goal+" --length "+first))
				for _, cut := range []int{len(want), len(want) - 1, have + 100, have + 30, have + 9, have + 2, have + 1, have} {
					require.NoError(t, os.RemoveAll("slots.state"))
					mustRun(t, line+first)
					writeFile(t, name, want[:cut])
					mustRun(t, line+"300")
					assert.Equal(t, want, readFile(t, name), "%s, cut at %d", method, cut)
				}
			}
		}
	}
}

func mustRun(t *testing.T, line string) {
	t.Helper()
	status, _, stderr := execute(t, line)
	require.Zero(t, status, stderr)
}

// unpackedState returns the text of a state.
func unpackedState(t *testing.T, name string) string {
	t.Helper()
	text, err := unpacked(readFile(t, name))
	require.NoError(t, err)
	return text
}

func unpacked(packed string) (string, error) {
	reader, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(reader)
	return string(text), err
}

func TestScheduleKilledBeforeItsFirstRow(t *testing.T) {
	refreshFolder(t)
	const line = "refresh schedule --input rates.csv --out slots.csv --state slots.state --length "
	want := slotsInOneGo(t, "refresh schedule --input rates.csv --length 3")
	mustRun(t, line+"1")
	state := unpackedState(t, "slots.state")
	for _, edit := range [][2]string{{`"slots":1,`, `"slots":0,`}, {`"bytes":12,`, `"bytes":0,`}, {`,"slot":0`, ``}} {
		require.Equal(t, 1, strings.Count(state, edit[0]), edit[0])
		state = strings.Replace(state, edit[0], edit[1], 1)
	}
	for _, left := range []string{"", "slo", "slot,id", "slot,id\n", "slot,id\n1,"} {
		writeFile(t, "slots.state", state)
		writeFile(t, "slots.csv", left)
		mustRun(t, line+"3")
		assert.Equal(t, want, readFile(t, "slots.csv"), left)
	}
}

// What somebody has put into the file of a schedule is not lost, and not taken
// for slots.
func TestScheduleThatHasBeenEdited(t *testing.T) {
	refreshFolder(t)
	const line = "refresh schedule --input rates.csv --out slots.csv --state slots.state --length "
	mustRun(t, line+"10")
	state, slots := readFile(t, "slots.state"), readFile(t, "slots.csv")
	whole := slotsInOneGo(t, "refresh schedule --input rates.csv --length 20")
	for _, added := range []string{"11,z\n", "11,b\n11,b\n", "999999999999,a\n", "hello\n", "\n", "\x00\x00\x00"} {
		writeFile(t, "slots.csv", slots+added)
		at := len(slots)
		for whole[at] == (slots + added)[at] {
			at++
		}
		status, stdout, stderr := execute(t, line+"20")
		assert.Equal(t, ui.ExitUsage, status, added)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, fmt.Sprintf("--out: slots.csv differs from the schedule at byte %d;", at+1), added)
		assert.Equal(t, slots+added, readFile(t, "slots.csv"), "left alone")
		assert.Equal(t, state, readFile(t, "slots.state"))
	}
	writeFile(t, "slots.csv", slots+"hello\n")
	status, _, stderr := execute(t, line+"10")
	assert.Equal(t, ui.ExitUsage, status)
	assert.Contains(t, stderr, "--length: 10 is not valid: use more, as slots.csv goes on for 6 bytes behind that slot")
	writeFile(t, "slots.csv", slots)
	status, stdout, _ := execute(t, line+"10")
	assert.Zero(t, status)
	assert.Equal(t, "slots 1 to 10 are in slots.csv already\n", stdout)
}

// Without a state a file is there when it is complete, or as far as it got when
// interrupted.
func TestScheduleFileAppearsWhole(t *testing.T) {
	refreshFolder(t)
	const line = "refresh schedule --input rates.csv --out new.csv --length "
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	status, _, stderr := executeContext(ctx, line+"1e12")
	assert.Equal(t, ui.ExitInterrupted, status)
	text := readFile(t, "new.csv")
	slots := strings.Count(text, "\n") - 1
	assert.Contains(t, stderr, fmt.Sprintf("behind slot %d of", slots))
	assert.Equal(t, slotsInOneGo(t, fmt.Sprint("refresh schedule --input rates.csv --length ", slots)), text)
	assert.NoFileExists(t, "new.csv.partial")

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

func TestScheduleAndStateThatDoNotFit(t *testing.T) {
	refreshFolder(t)
	writeFile(t, "others.csv", "id,rate\na,1\nb,2\nc,1.5\nd,1\ne,0\n")
	writeFile(t, "renamed.csv", "id,rate\nA,1\nb,1.5\nc,1.5\nd,1\ne,0\n")
	writeFile(t, "nonsense.state", "{\"version\": 8}")
	writeFile(t, "text.state", "hello\n")
	writeFile(t, "empty.state", "")
	writeFile(t, "early.state", `{"version":4,"slots":1,"bytes":12,"schedule":{"method":"edf","input":1,"format":"csv"},"sequence":"bW","out":"/slots.csv","rate":5,"unit":"","pages":"KLUv"}`+"\n")
	const line = "refresh schedule --length 20 --out slots.csv --state slots.state --input "
	require.NotEmpty(t, answer(t, line+"rates.csv"))
	slots := readFile(t, "slots.csv")
	packed := readFile(t, "slots.state")
	state := unpackedState(t, "slots.state")
	writeFile(t, "twice.state", packed+packed)
	writeFile(t, "cut.state", packed[:len(packed)-1])
	edit := func(name, old, text string) {
		require.Equal(t, 1, strings.Count(state, old), old)
		writeFile(t, name, strings.Replace(state, old, text, 1))
	}
	edit("damaged.state", `"slot":-1}`, `"slot":-7}`)
	edit("ahead.state", `"slots":20`, `"slots":21`)
	edit("unknown.state", `"slots":20`, `"slots":20,"slices":3`)
	edit("stranger.state", `{"id":"b",`, `{"id":"b","weight":1,`)
	edit("few.state", `"pages":5`, `"pages":4`)
	edit("many.state", `"pages":5`, `"pages":6`)
	for _, test := range []struct{ line, want string }{
		{line + "others.csv", "--input: not as in"},
		{line + "others.csv --method golden-ratio", "--input: not as in"},
		{line + "renamed.csv", "--input: not as in"},
		{line + "rates.csv --method random", "--method"},
		{line + "rates.csv --wall-clock --unit day", "--wall-clock"},
		{line + "rates.csv --length 10", "--length"},
		{"refresh schedule --length 20 --state slots.state --input rates.csv", "--state: slots.state is not valid here: use it with --out"},
		{line + "rates.csv --state nonsense.state", "--state: nonsense.state is of version 8 of such files, not 7"},
		{line + "rates.csv --state early.state", "--state: early.state is of version 4 of such files, not 7: use one that is not there yet"},
		{line + "rates.csv --state text.state", "--state: text.state is not a whole state"},
		{line + "rates.csv --state empty.state", "--state: empty.state is not a whole state"},
		{line + "rates.csv --state twice.state --out other.csv", "--state: twice.state is not a whole state that mdpsolve refresh schedule has saved (there is more behind its 5 pages): use one as it was saved"},
		{line + "rates.csv --state cut.state", "--state: cut.state is not a whole state"},
		{line + "rates.csv --state damaged.state", "--state: damaged.state is not a whole state"},
		{line + "rates.csv --state ahead.state", "--state: ahead.state is not a whole state that mdpsolve refresh schedule has saved (its page "},
		{line + "rates.csv --state unknown.state", `unknown field "slices"`},
		{line + "rates.csv --state stranger.state --out other.csv", `unknown field "weight"`},
		{line + "rates.csv --state few.state --out other.csv", "there is more behind its 4 pages"},
		{line + "rates.csv --state many.state --out other.csv", "--state: many.state is not a whole state"},
	} {
		status, stdout, stderr := execute(t, replaced(test.line))
		assert.Equal(t, ui.ExitUsage, status, test.line)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, test.want)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		assert.Equal(t, slots, readFile(t, "slots.csv"), "left alone")
	}
	for at := range packed { // one bit is wrong
		flipped := packed[:at] + string([]byte{packed[at] ^ 4}) + packed[at+1:]
		if text, err := unpacked(flipped); err == nil && text == state {
			continue // it says nothing, like the time in the head of gzip
		}
		writeFile(t, "flipped.state", flipped)
		status, _, stderr := execute(t, replaced(line+"rates.csv --state flipped.state"))
		assert.Equal(t, ui.ExitUsage, status, at)
		assert.Contains(t, stderr, "--state: flipped.state is ")
		assert.Equal(t, slots, readFile(t, "slots.csv"), "left alone")
	}
	writeFile(t, "slots.csv", slots[:len(slots)/2]) // rows are gone
	status, _, stderr := execute(t, line+"rates.csv")
	assert.Equal(t, ui.ExitUsage, status)
	assert.Contains(t, stderr, "--out")
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
		if !strings.Contains(stderr, "nothing") && !strings.Contains(stderr, "slot 0 ") {
			return stdout, stderr
		}
	}
}

func TestInterruptedSchedule(t *testing.T) {
	refreshFolder(t)
	stdout, stderr := interruptedSchedule(t, "refresh schedule --input rates.csv --length 1e12 --out slots.csv --state slots.state")
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	written := readFile(t, "slots.csv")
	slots := strings.Count(written, "\n") - 1
	assert.Contains(t, stdout, fmt.Sprintf("slots 1 to %d written to slots.csv", slots))
	assert.True(t, strings.HasSuffix(written, "\n"), "whole rows")
	length := fmt.Sprint(slots + 5)
	mustRun(t, "refresh schedule --input rates.csv --out slots.csv --state slots.state --length "+length)
	assert.Equal(t, slotsInOneGo(t, "refresh schedule --input rates.csv --length "+length), readFile(t, "slots.csv"))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	status, stdout, _ := executeContext(ctx, "refresh schedule --input rates.csv --length 1e12")
	assert.Equal(t, ui.ExitInterrupted, status)
	assert.True(t, strings.HasSuffix(stdout, "\n") || stdout == "", "whole rows")
}

// Times are exact where slots are no whole number of nanoseconds apart.
func TestScheduleUnits(t *testing.T) {
	refreshFolder(t)
	writeFile(t, "one.csv", "id,rate\na,3\n")
	status, stdout, stderr := execute(t, "refresh schedule --input one.csv --length 300000 --wall-clock --start 2026-01-01T00:00:00Z --unit second")
	require.Zero(t, status, stderr)
	assert.True(t, strings.HasSuffix(stdout, "\n300000,a,2026-01-02T03:46:40.000Z\n"), stdout[len(stdout)-60:]) // 10⁵ s
}

// TestKill kills the program itself, at any time, again and again.
func TestKill(t *testing.T) {
	refreshFolder(t)
	nastyIDs(t)
	length, later := "300000", 4*time.Millisecond
	if *atLength {
		length, later = "3000000", 70*time.Millisecond
	}
	schedule := "refresh schedule --input rates.csv --length " + length
	kills := 0
	for wait := 20 * time.Millisecond; ; wait += later {
		command := program(t, strings.Split(schedule+" --out slots.csv --state slots.state", " ")...)
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
	want := slotsInOneGo(t, schedule)
	if want != readFile(t, "slots.csv") { // which would be too long to print
		t.Errorf("after %d kills the file is not that of one go", kills)
	}
}
