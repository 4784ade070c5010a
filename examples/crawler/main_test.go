package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBadInput wants one line that names the flag, and status 2.
func TestBadInput(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "picture.svg")
	require.NoError(t, os.Mkdir(folder, 0o700))
	for args, want := range map[string]string{
		"-runs 1":         "-runs: 1 is too few",
		"-runs x":         `-runs: "x" is not valid: use a whole number`,
		"-runs=":          `-runs: "" is not valid: use a whole number`,
		"-runs":           "-runs: it has no value: use a whole number",
		"-gamma much":     `-gamma: "much" is not valid: use a number`,
		"-minutes 1e999":  `-minutes: "1e999" is not valid: use a number`,
		"-seed -1":        `-seed: "-1" is not valid: use a whole number of 0 or more`,
		"-unit 5":         `-unit: "5" is not valid: use a time such as 20ms or 2s`,
		"-real=perhaps":   `-real: "perhaps" is not valid: use true or false`,
		"-load tidal":     "-load: there is no load \"tidal\": use steady, jump, daily",
		"-gamma 0":        "-gamma: 0 is no weight",
		"-gamma NaN":      "-gamma: NaN is no weight",
		"-minutes -1":     "-minutes: -1 is no time",
		"-minutes NaN":    "-minutes: NaN is no time",
		"-minutes 0.01":   "use 0.334 or more",
		"-plot x.png":     `-plot: "x.png": use a name that ends in .svg`,
		"-plot no/x.svg":  `-plot: "no/x.svg" is not valid: use a file that can be written (`,
		"-plot " + folder: `is not valid: use a file that can be written (a folder)`,
		"-unit 1us":       "-unit: 1µs cannot be measured",
		"-fast":           `"-fast" is no flag: use one of those that -help lists`,
		"---runs 2":       `"---runs" is no flag`,
		"crawl":           `"crawl" is not expected: use flags only, see -help`,
		"-minutes 1 five": `"five" is not expected`,

		"freshness -fast":                    `"-fast" is no flag: use one of those that freshness -help lists`,
		"freshness -pages many":              `-pages: "many" is not valid: use a whole number`,
		"freshness -scenario":                "-scenario: it has no value: use what freshness -help says",
		"freshness -runs 1":                  "-runs: 1: use 2 to 1000",
		"freshness -plot x.gif":              `-plot: "x.gif": use a name that ends in .svg or .png or .pdf`,
		"freshness -plot no/x.png":           `-plot: "no/x.png" is not valid: use a file`,
		"freshness -plot " + folder:          "(a folder)",
		"freshness -scenario a -runs 3 -- b": `"--" is no flag`,
	} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, badInput, command(t.Context(), strings.Fields(args), &stdout, &stderr), args)
		assert.Empty(t, stdout.String(), args)
		assert.Contains(t, stderr.String(), want)
		assert.Equal(t, 1, strings.Count(stderr.String(), "\n"), args)
	}
}

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	assert.Zero(t, command(t.Context(), []string{"-help"}, &stdout, &stderr))
	for _, name := range []string{"runs", "minutes", "load", "real", "gamma", "unit", "seed", "plot"} {
		assert.Contains(t, stdout.String(), "\n  -"+name)
	}
	assert.Empty(t, stderr.String())
}

// TestCommand crawls over TCP for a moment. What it measures in that time means nothing.
func TestCommand(t *testing.T) {
	var stdout, stderr bytes.Buffer
	file := filepath.Join(t.TempDir(), "costs.svg")
	status := command(t.Context(), []string{"-runs", "2", "-minutes", "0.02", "-unit", "2ms", "-load", "jump", "-plot", file}, &stdout, &stderr)
	require.Zero(t, status, stderr.String())
	for _, word := range []string{"run 2:", "fixed: 7 robots", "additive", "paper", "adaptive", "paired t test"} {
		assert.Contains(t, stdout.String(), word)
	}
	picture, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(picture), "<svg")
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	assert.Equal(t, interrupted, command(ctx, nil, &stdout, &stderr))
	assert.Equal(t, "crawler: interrupted\n", stderr.String())
}

// interrupting is a writer that ends a context after a text has been written to it.
type interrupting struct {
	bytes.Buffer
	at     string
	cancel func()
}

func (w *interrupting) Write(text []byte) (int, error) {
	n, err := w.Buffer.Write(text)
	if strings.Contains(w.String(), w.at) {
		w.cancel()
	}
	return n, err
}

// TestInterruptedLater wants the picture of the runs that have ended, be it one.
func TestInterruptedLater(t *testing.T) {
	for at, reported := range map[string]bool{"run 1:": false, "run 2:": true} {
		ctx, cancel := context.WithCancel(t.Context())
		stdout := &interrupting{at: at, cancel: cancel}
		var stderr bytes.Buffer
		file := filepath.Join(t.TempDir(), "costs.svg")
		args := []string{"-runs", "100", "-minutes", "1", "-unit", "2ms", "-plot", file}
		assert.Equal(t, interrupted, command(ctx, args, stdout, &stderr), at)
		assert.Equal(t, "crawler: interrupted\n", stderr.String(), at)
		assert.Equal(t, reported, strings.Contains(stdout.String(), "paired t test"), at)
		picture, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Contains(t, string(picture), "<svg", at)
		assert.NotContains(t, string(picture), "NaN", at)
	}
}
