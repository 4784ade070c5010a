package main

// The programs in docs/python.md and docs/server.md are run.

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	pythonProgram = regexp.MustCompile("(?s)```python\n(.*?)```\n\n```text\n(.*?)```")
	pythonPackage = regexp.MustCompile(`(?m)^import (mdpsolve|numpy|pandas|scipy|matplotlib)\b`)
)

// TestPythonPrograms compares what each program prints with what the page says, or writes it
// there with -update. Those that need packages which are not there are skipped.
func TestPythonPrograms(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 found: the programs of the guides are not run")
	}
	usePythonSource(t)
	for page, count := range map[string]int{"python.md": 4, "server.md": 1} {
		t.Run(page, func(t *testing.T) { runPrograms(t, python, filepath.Join(docsFolder, page), count) })
	}
}

// runPrograms runs the programs of a page.
func runPrograms(t *testing.T, python, page string, count int) {
	t.Helper()
	page, err := filepath.Abs(page)
	require.NoError(t, err)
	text, err := os.ReadFile(page) //nolint:gosec // of this checkout
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	programs := pythonProgram.FindAllStringSubmatch(string(text), -1)
	require.Len(t, programs, count)
	for _, program := range programs {
		title, _, _ := strings.Cut(program[1], "\n\n")
		t.Run(title, func(t *testing.T) {
			for _, needed := range pythonPackage.FindAllStringSubmatch(program[1], -1) {
				if exec.CommandContext(t.Context(), python, "-c", needed[0]).Run() != nil {
					t.Skipf("python3 has no %s: this program is not run", needed[1])
				}
			}
			running := exec.CommandContext(t.Context(), python, "-c", program[1])
			var stderr strings.Builder
			running.Stderr = &stderr
			stdout, err := running.Output()
			require.NoError(t, err, stderr.String())
			if *update {
				text = []byte(strings.Replace(string(text), program[0], strings.TrimSuffix(program[0], program[2]+"```")+string(stdout)+"```", 1))
				return
			}
			assert.Equal(t, program[2], string(stdout))
		})
	}
	if *update {
		require.NoError(t, os.WriteFile(page, text, 0o644)) //nolint:gosec // read by everyone
	}
}

// usePythonSource has programs in Python find the package in this checkout, and the command.
func usePythonSource(t *testing.T) {
	t.Helper()
	command, err := os.Executable()
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, os.Symlink(command, filepath.Join(folder, "mdpsolve")))
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(asProgram, "1")
	t.Setenv("PYTHONPATH", filepath.Join(docsFolder, "..", "python", "src")) // the test may be in another folder
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
}
