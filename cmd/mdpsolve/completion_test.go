package main

// Completion as bash does it.

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Names of files are completed as they are, whatever they would mean to a shell, and what
// has been typed is not executed.
func TestBashCompletesFiles(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	t.Chdir(t.TempDir())
	names := []string{"x*y.csv", "x1y.csv", "a b.csv", "$(touch pwned)", "`touch pwned`", "q;touch pwned"}
	for _, name := range names {
		writeFile(t, name, "")
	}
	status, script, stderr := execute(t, "completion bash")
	require.Zero(t, status, stderr)
	executable, err := os.Executable()
	require.NoError(t, err)
	for _, typed := range []string{"", "$(touch pwned)"} {
		command := exec.CommandContext(t.Context(), bash, "-c", script+`COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_mdpsolve
printf '%s\n' "${COMPREPLY[@]}"`, "bash", executable, "robots", "solve", "--trace", typed)
		command.Env = append(os.Environ(), asProgram+"=1")
		out, err := command.Output()
		require.NoError(t, err)
		want := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, typed) })
		assert.ElementsMatch(t, want, strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"))
		assert.NoFileExists(t, "pwned")
	}
}
