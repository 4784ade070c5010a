package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/app"
)

// TestMain makes the program of the tests the command itself, too: for scripts, and
// for what signals do to it. To build it would take longer than all its tests.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"mdpsolve": steadyMain})
}

// steadyMain runs the command and leaves out of what it prints what differs from run
// to run.
func steadyMain() {
	var stdout, stderr bytes.Buffer
	status := app.Run(context.Background(), os.Args, &stdout, &stderr)
	for to, text := range map[io.Writer]string{os.Stdout: stdout.String(), os.Stderr: stderr.String()} {
		if _, err := io.WriteString(to, withoutTimes(text)); err != nil {
			panic(err)
		}
	}
	os.Exit(status)
}

var (
	update   = flag.Bool("update", false, "rewrite what scripts and guides say that commands print")
	atLength = flag.Bool("long", false, "solve 20,000 hostile models")
)

var (
	elapsedField = regexp.MustCompile(`("(?:elapsed_|read_|write_)?seconds": )[0-9.e-]+`)
	elapsedText  = regexp.MustCompile(`(, |in )[0-9.e-]+ s\n`)
	elapsedParts = regexp.MustCompile(`[0-9.e-]+ to (read|solve|write)\b`)
)

// withoutTimes replaces times that were measured.
func withoutTimes(text string) string {
	text = elapsedField.ReplaceAllString(text, "${1}0")
	text = elapsedText.ReplaceAllString(text, "${1}0 s\n")
	return elapsedParts.ReplaceAllString(text, "0 to $1")
}

// TestScripts runs testdata/script: commands with their input, output and exit status.
// "exits N command…" wants the exit status N. With -update, what the commands print is
// written into the scripts.
func TestScripts(t *testing.T) {
	models, err := filepath.Abs("testdata/models")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               func(env *testscript.Env) error { return os.CopyFS(env.WorkDir, os.DirFS(models)) },
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits is the command of scripts that wants an exit status.
func exits(script *testscript.TestScript, _ bool, arguments []string) {
	want, err := strconv.Atoi(arguments[0])
	script.Check(err)
	got := 0
	if err := script.Exec(arguments[1], arguments[2:]...); err != nil {
		failure, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			script.Fatalf("%v", err)
		}
		got = failure.ExitCode()
	}
	if got != want {
		script.Fatalf("exit status %d; want %d", got, want)
	}
}
