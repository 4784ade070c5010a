package browser

// The command under test: built once, run for its answers, and as a server.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mdpsolve is the path of the command.
var mdpsolve string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "mdpsolve-browser")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	mdpsolve = filepath.Join(folder, "mdpsolve")
	build := exec.Command("go", "build", "-o", mdpsolve, "./cmd/mdpsolve")
	build.Dir, build.Stderr = "..", os.Stderr // the module around this one
	if err := build.Run(); err != nil {
		panic(err)
	}
	defer func() {
		if chromium.cancel != nil {
			chromium.cancel()
		}
	}()
	return m.Run()
}

// models is the folder of the models of other tests.
const models = "../cmd/mdpsolve/testdata/models/"

// serve runs the server until the test ends, and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	server := exec.Command(mdpsolve, "serve", "--address", "127.0.0.1:0")
	var errors bytes.Buffer
	server.Stderr = &errors
	out, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		require.NoError(t, server.Process.Signal(syscall.SIGTERM))
		ended := make(chan error, 1)
		go func() { ended <- server.Wait() }()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("the server did not end within 10 s of SIGTERM")
			_ = server.Process.Kill()
		}
		if t.Failed() && errors.Len() > 0 {
			t.Logf("the server said:\n%s", errors.String())
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, "%s", &errors)
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(t, ok, "%q", line)
	return address
}

// answer runs the command and decodes its JSON.
func answer[T any](t *testing.T, args ...string) T {
	t.Helper()
	var value T
	require.NoError(t, json.Unmarshal(output(t, append(args, "--output", "json")...), &value))
	return value
}

// output returns what the command prints.
func output(t *testing.T, args ...string) []byte {
	t.Helper()
	var errors bytes.Buffer
	command := exec.Command(mdpsolve, args...)
	command.Stderr = &errors
	out, err := command.Output()
	require.NoError(t, err, "mdpsolve %s\n%s", strings.Join(args, " "), &errors)
	return out
}
