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
	for args, want := range map[string]string{
		"-runs 1":         "-runs: 1 is too few",
		"-runs x":         "-runs",
		"-load tidal":     "-load: there is no load \"tidal\": use steady, jump, daily",
		"-gamma 0":        "-gamma: 0 is no weight",
		"-gamma NaN":      "-gamma: NaN is no weight",
		"-minutes -1":     "-minutes: -1 is no time",
		"-minutes NaN":    "-minutes: NaN is no time",
		"-minutes 0.01":   "use 0.334 or more",
		"-plot x.png":     `-plot: "x.png": use a name that ends in .svg`,
		"-plot no/x.svg":  "-plot: stat no: ",
		"-unit 1us":       "-unit: 1µs cannot be measured",
		"-fast":           "-fast",
		"crawl":           "there is no command \"crawl\"",
		"-minutes 1 five": "there is no command \"five\"",
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
