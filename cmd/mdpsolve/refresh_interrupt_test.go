//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

const (
	manyPages = 20_000 // more than a pipe holds: whoever writes them waits for a reader
	manyRates = "refresh rates --input many.csv --bandwidth 100 --objective random"
)

func writeManyPages(t *testing.T) {
	t.Helper()
	var list, log strings.Builder
	list.WriteString("id,change_rate,rate\n")
	log.WriteString("id,time,changed\n")
	for i := range manyPages {
		fmt.Fprintf(&list, "https://%d.example/,%d,1\n", i, 1+i%7)
		fmt.Fprintf(&log, "https://%d.example/,0,0\nhttps://%d.example/,1,%d\n", i, i, i%2)
	}
	writeFile(t, "many.csv", list.String())
	writeFile(t, "log.csv", log.String())
}

// begun opens a pipe and waits until something is written to it.
func begun(t *testing.T, pipe string) *os.File {
	t.Helper()
	file, err := os.Open(pipe)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, file.Close()) })
	_, err = io.ReadFull(file, make([]byte, 1))
	require.NoError(t, err)
	return file
}

// An answer that is being written when the command is interrupted is written to
// its end, and the status says that there was an interruption.
func TestInterruptedWhileWriting(t *testing.T) {
	refreshFolder(t)
	writeManyPages(t)
	require.NoError(t, syscall.Mkfifo("pipe.csv", 0o600))
	for line, test := range map[string]struct{ pipe, what string }{
		manyRates + " --out pipe.csv":                                    {"pipe.csv", "the rates"},
		manyRates + " --out plain.csv --host-cap 3 --hosts-out pipe.csv": {"pipe.csv", "the rates"},
		"refresh estimate --input log.csv --out pipe.csv":                {"pipe.csv", "the estimates"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var status int
		var stdout, stderr string
		done := make(chan struct{})
		go func() {
			defer close(done)
			status, stdout, stderr = executeContext(ctx, line)
		}()
		file := begun(t, test.pipe)
		cancel()
		rest, err := io.ReadAll(file)
		require.NoError(t, err)
		<-done
		assert.Equal(t, ui.ExitInterrupted, status, line)
		rows := manyPages
		if test.pipe == "pipe.csv" {
			rows++ // the header
		}
		assert.Equal(t, rows, bytes.Count(rest, []byte("\n")), line)
		assert.NotEmpty(t, stdout, "the summary")
		assert.Equal(t, "mdpsolve: interrupted while writing "+test.what+": all are written\n", stderr, line)
	}
	assert.Equal(t, manyPages+1, strings.Count(readFile(t, "plain.csv"), "\n"))
}

// A second signal does not wait for anything.
func TestSecondSignal(t *testing.T) {
	refreshFolder(t)
	writeManyPages(t)
	require.NoError(t, syscall.Mkfifo("pipe.csv", 0o600))
	command := program(t, strings.Split(manyRates+" --out pipe.csv", " ")...)
	require.NoError(t, command.Start())
	begun(t, "pipe.csv") // and read no more
	require.NoError(t, command.Process.Signal(os.Interrupt))
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err := <-ended:
		t.Fatalf("ended with rows to be written: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	require.NoError(t, command.Process.Signal(os.Interrupt))
	var exit *exec.ExitError
	require.ErrorAs(t, <-ended, &exit)
	status, ok := exit.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	assert.Equal(t, syscall.SIGINT, status.Signal())
}

// A crawler that reports its visits through a pipe finds them on disk though the pipe stays
// open, and recording ends when it is interrupted.
func TestVisitsThroughAPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "pages.csv", "url\nhttps://a.example/\n")
	for _, line := range []string{"store set --store pages.db --bandwidth 1/day", "store add --store pages.db --input pages.csv"} {
		status, _, stderr := execute(t, line)
		require.Zero(t, status, stderr)
	}
	command := program(t, "store", "record", "--store", "pages.db", "--input", "-", "--quiet")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	pipe, err := command.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	_, err = io.WriteString(pipe, "url,time,changed\nhttps://a.example/,2026-11-01,1\n")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		writeFile(t, "copy.db", readFile(t, "pages.db")) // the store itself is in use
		status, rates, _ := execute(t, "store rates --store copy.db")
		return status == 0 && strings.Contains(rates, "2026-11-01")
	}, time.Minute, 100*time.Millisecond)
	require.NoError(t, command.Process.Signal(os.Interrupt))
	var exit *exec.ExitError
	require.ErrorAs(t, command.Wait(), &exit)
	assert.Equal(t, ui.ExitInterrupted, exit.ExitCode())
	assert.Equal(t, "mdpsolve: interrupted: done up to line 2 of standard input\n", stderr.String())
}

// A crawler that is faster than the disk, and a process that is killed: of the rows that it had
// been sent for more than a second, none is lost.
func TestVisitsThroughAPipeOfAKilledProcess(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "pages.csv", "url\nhttps://a.example/\n")
	kills := 3
	if *atLength {
		kills = 20
	}
	for kill := range kills {
		require.NoError(t, os.RemoveAll("pages.db"))
		mustRun(t, "store set --store pages.db --bandwidth 1/day")
		mustRun(t, "store add --store pages.db --input pages.csv")
		command := program(t, "store", "record", "--store", "pages.db", "--input", "-", "--quiet")
		pipe, err := command.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		_, err = io.WriteString(pipe, "url,time,changed\n")
		require.NoError(t, err)
		var sent []time.Time // by row
		var killed time.Time
		begin := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		const ahead = 3000 // rows, more than a pipe holds: as soon as so many are sent, it is read
		for row := 0; ; row++ {
			if len(sent) > ahead && killed.IsZero() && time.Since(sent[ahead]) > time.Second+time.Duration(kill%10)*150*time.Millisecond {
				killed = time.Now()
				require.NoError(t, command.Process.Kill())
			}
			if _, err := fmt.Fprintf(pipe, "https://a.example/,%s,%d\n", begin.Add(time.Duration(row)*time.Minute).Format(time.RFC3339), row%2); err != nil {
				break
			}
			sent = append(sent, time.Now())
		}
		_ = command.Wait()
		old := 0
		for row := range sent {
			if at := sent[max(row, ahead)]; killed.Sub(at) > time.Second {
				old = row + 1
			}
		}
		status, rates, stderr := execute(t, "store rates --store pages.db")
		require.Zero(t, status, stderr)
		table, err := csv.NewReader(strings.NewReader(rates)).ReadAll()
		require.NoError(t, err)
		recorded, err := strconv.Atoi(table[1][slices.Index(table[0], "visits")])
		require.NoError(t, err)
		t.Logf("%d rows sent, %d of them more than a second before the end, %d recorded", len(sent), old, recorded)
		assert.GreaterOrEqual(t, recorded, old)
	}
}
