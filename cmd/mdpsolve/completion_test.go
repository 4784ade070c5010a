package main

// Completion as bash does it.

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Names of files are left to bash, and what has been typed is not executed.
func TestBashCompletesFiles(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	t.Chdir(t.TempDir())
	status, script, stderr := execute(t, "completion bash")
	require.Zero(t, status, stderr)
	executable, err := os.Executable()
	require.NoError(t, err)
	for _, typed := range []string{"", "$(touch pwned)", "`touch pwned`", "q;touch pwned"} {
		command := exec.CommandContext(t.Context(), bash, "-c", script+`COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_mdpsolve
printf '%s' "${COMPREPLY[@]}"; complete -p mdpsolve`, "bash", executable, "robots", "solve", "--trace", typed, typed)
		command.Env = append(os.Environ(), asProgram+"=1")
		out, err := command.Output()
		require.NoError(t, err)
		assert.Equal(t, "complete -o bashdefault -o default -F _mdpsolve mdpsolve\n", string(out))
		assert.NoFileExists(t, "pwned")
	}
}
