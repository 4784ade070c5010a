package main

// The verb worker.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
)

// running is a worker, with the pipes to it.
type running struct {
	*testing.T
	*exec.Cmd
	in      io.WriteCloser
	answers *bufio.Reader
}

func startWorker(t *testing.T) *running {
	t.Helper()
	w := &running{T: t, Cmd: program(t, "worker")}
	var err error
	w.in, err = w.StdinPipe()
	require.NoError(t, err)
	out, err := w.StdoutPipe()
	require.NoError(t, err)
	w.answers = bufio.NewReader(out)
	require.NoError(t, w.Start())
	return w
}

// workerReply is an answer of a worker.
type workerReply struct {
	Status   int
	Answer   map[string]any
	Text     string
	Error    string
	Warnings []string
	Bytes    int
	Stored   int
}

func (w *running) send(line string) {
	w.Helper()
	_, err := io.WriteString(w.in, line+"\n")
	require.NoError(w, err)
}

func (w *running) next() (r workerReply) {
	w.Helper()
	line, err := w.answers.ReadString('\n')
	require.NoError(w, err)
	require.NoError(w, json.Unmarshal([]byte(line), &r), line)
	return r
}

// ask asks a command line, whose words have no spaces in them, with further members.
func (w *running) ask(line string, more map[string]any) workerReply {
	w.Helper()
	question := map[string]any{"arguments": strings.Fields(line)}
	maps.Copy(question, more)
	text, err := json.Marshal(question)
	require.NoError(w, err)
	w.send(string(text))
	return w.next()
}

func (w *running) end() {
	w.Helper()
	require.NoError(w, w.in.Close())
	require.NoError(w, w.Wait())
}

// A worker answers as the command does, also after what it refuses.
func TestWorkerAnswersAsTheCommand(t *testing.T) {
	modelFolder(t)
	mustRun(t, "store set --store s.db --bandwidth 5/day")
	w := startWorker(t)
	for range 2 {
		for _, line := range []string{
			taxicabAverage + " -o json", taxicabDiscounted + " -o json", taxicabFinite + " -o json", "info paths.drn -o json",
			taxicabDiscounted, "static --lambda 1/20 --mu 1 --gamma 1.4 --buffer 5 -o json",
			"static --lambda 0 --mu 1 --gamma 1.4 --buffer 5", "solve nofile.json --criterion average", "nonsense", "solve - --criterion average --minimize",
			"solve taxicab.json --criterion discounted --discount 0.9999 --maximize --method value-iteration --max-iterations 3 -o json",
		} {
			got := w.ask(line, nil)
			status, stdout, stderr := execute(t, line)
			assert.Equal(t, status, got.Status, line)
			switch {
			case status == ui.ExitUsage:
				assert.Equal(t, stderr, "mdpsolve: "+got.Error+"\n", line)
			case strings.HasSuffix(line, "json"):
				want := object(t, stdout)
				delete(want, "elapsed_seconds")
				delete(got.Answer, "elapsed_seconds")
				assert.Equal(t, want, got.Answer, line)
				assert.Equal(t, status == ui.ExitLimit, got.Error != "", line)
			default:
				assert.Equal(t, withoutTimes(stdout), withoutTimes(got.Text), line)
			}
		}
		for line, found := range map[string]string{
			"{": `the end of the file`, "7": "found number", `"solve"`: "found string", `{"arguments": [1]}`: "arguments: found number",
			`{}`: "use a verb", `{"arguments": ["version"]}`: "a verb other than worker, help and version",
			`{"arguments": ["store", "serve", "--store", "s.db", "--address", "127.0.0.1:0"]}`: "store serve: not valid in a worker",
			`{"arguments": ["info", "młx.json"], "bytes": true}`:                               "bytes: 'ł' is no byte: use characters up to U+00FF",
			`{"arguments": []}`: "use a verb", `{"arguments": ["worker"]}`: "use a verb", `{"arguments": ["help"]}`: "--help",
			`{"arguments": ["info"], "files": 1}`: `"files" is not known`, `{"arguments": ["info"], "arguments": ["solve"]}`: "second time",
		} {
			w.send(line)
			got := w.next()
			assert.Equal(t, ui.ExitUsage, got.Status, line)
			assert.Contains(t, got.Error, found, line)
		}
		assert.Contains(t, w.ask("--version", nil).Text, "mdpsolve")
	}
	w.end()
}

// Files are found in the folder of a question, also of a name that is not in UTF-8.
func TestWorkerFolders(t *testing.T) {
	modelFolder(t)
	folder := t.TempDir() + "/a\xff"
	require.NoError(t, os.Mkdir(folder, 0o700))
	require.NoError(t, os.Rename("taxicab.json", folder+"/tax\xe9.json"))
	w := startWorker(t)
	latin := func(text string) string {
		var runes []rune
		for _, b := range []byte(text) {
			runes = append(runes, rune(b))
		}
		return string(runes)
	}
	more := map[string]any{"folder": latin(folder), "bytes": true}
	got := w.ask(latin("solve tax\xe9.json --criterion average --maximize --out result.json"), more)
	assert.Zero(t, got.Status)
	assert.NotEmpty(t, got.Text)
	assert.FileExists(t, filepath.Join(folder, "result.json"))
	assert.Zero(t, w.ask("info paths.drn", nil).Status) // in the worker's own folder again
	got = w.ask("info paths.drn", map[string]any{"folder": "nowhere"})
	assert.Equal(t, workerReply{Status: ui.ExitUsage, Error: "folder: nowhere: no such folder"}, got)
	w.end()
}

// A model and a result may be handed over without files: the answer is that of the command. The
// model is that of the question, also if a program hands it over in the same file as the last.
func TestWorkerHandsOver(t *testing.T) {
	modelFolder(t)
	model, err := os.ReadFile("taxicab.json")
	require.NoError(t, err)
	mustRun(t, "solve taxicab.json --criterion average --maximize --out want.npz")
	want, err := certificate.ReadFile("want.npz")
	require.NoError(t, err)
	w := startWorker(t)
	more := map[string]any{"given": map[string]any{"name": "memory.json", "path": "model"}, "returns": "got.npz"}
	const question = "solve memory.json --criterion average --maximize --out got.npz"
	for range 3 {
		require.NoError(t, os.WriteFile("model", model, 0o600))
		got := w.ask(question, more)
		require.Zero(t, got.Status, got.Error)
		content := make([]byte, got.Bytes)
		_, err := io.ReadFull(w.answers, content)
		require.NoError(t, err)
		require.NoFileExists(t, "got.npz")
		require.NoError(t, os.WriteFile("read.npz", content, 0o600))
		result, err := certificate.ReadFile("read.npz")
		require.NoError(t, err)
		result.Seconds, want.Seconds = 0, 0
		assert.Equal(t, want, result)
		assert.Empty(t, got.Text)

		require.NoError(t, os.WriteFile("model", bytes.Replace(model, []byte(`"mdp"`), []byte(`"mdq"`), 1), 0o600))
		got = w.ask(question, more)
		assert.Equal(t, ui.ExitUsage, got.Status)
		assert.Regexp(t, `^memory.json:\d+:\d+: found "mdq"`, got.Error)
	}
	for text, more := range map[string]map[string]any{
		"given: nofile: no such file":  {"given": map[string]any{"name": "m.json", "path": "nofile"}},
		"returns: \"got.json\" is not": {"returns": "got.json"},
		"nofile.json: no such file":    {"given": map[string]any{"name": "m.json", "path": "model"}},
	} {
		got := w.ask("solve nofile.json --criterion average --maximize", more)
		assert.Equal(t, ui.ExitUsage, got.Status)
		assert.Contains(t, got.Error, text)
	}
	w.end()
}

// A large result goes to the file that the question names, over what it holds, or behind the line if
// there is no such file; a small one always goes there. All hold the same.
func TestWorkerStores(t *testing.T) {
	t.Chdir(t.TempDir())
	w := startWorker(t)
	for _, states := range []int{10, 4000} {
		name := chainFile(t, states)
		var found [2]*certificate.Result
		for i, to := range []string{"room", "nofile"} {
			require.NoError(t, os.WriteFile("room", bytes.Repeat([]byte("x"), 1<<20), 0o600))
			got := w.ask("solve "+name+" --criterion average --out got.npz", map[string]any{"returns": "got.npz", "to": to})
			require.Zero(t, got.Status, got.Error)
			content := make([]byte, got.Bytes)
			_, err := io.ReadFull(w.answers, content)
			require.NoError(t, err)
			if isStored := states == 4000 && to == "room"; isStored {
				require.Zero(t, got.Bytes)
				room, err := os.ReadFile("room")
				require.NoError(t, err)
				require.Len(t, room, 1<<20)
				content = room[:got.Stored]
			} else {
				require.Zero(t, got.Stored)
			}
			require.NoError(t, os.WriteFile("read.npz", content, 0o600))
			result, err := certificate.ReadFile("read.npz")
			require.NoError(t, err)
			result.Seconds, found[i] = 0, result
		}
		require.Len(t, found[0].Values, states)
		assert.Equal(t, found[0], found[1])
	}
	w.end()
}

// The line cancel and an interruption end a question, whose answer is the best so far, and nothing
// else. So does the end of the program that asked.
func TestWorkerIsCancelled(t *testing.T) {
	t.Chdir(t.TempDir())
	const states = 4000
	name := chainFile(t, states) // some 10⁷ sweeps from its tolerance
	w := startWorker(t)
	for _, cancel := range []func(){func() { w.send("cancel") }, func() { require.NoError(t, w.Process.Signal(os.Interrupt)) }} {
		for range 2 {
			cancel()                           // nothing
			time.Sleep(300 * time.Millisecond) // a signal takes its time
			go func() {
				time.Sleep(2 * time.Second) // it reads in a hundredth of that
				cancel()
			}()
			got := w.ask("solve "+name+" --criterion average --method rvi -o json", nil)
			assert.Equal(t, ui.ExitInterrupted, got.Status)
			assert.Equal(t, "interrupted", got.Answer["status"])
			assert.LessOrEqual(t, got.Answer["lower"].([]any)[0], 1.0/states)
			assert.GreaterOrEqual(t, got.Answer["upper"].([]any)[0], 1.0/states)
			assert.Equal(t, ui.ExitSolved, w.ask("info "+name, nil).Status)
		}
	}
	w.send(`{"arguments": ["solve", "` + name + `", "--criterion", "average", "--method", "rvi"]}`)
	time.Sleep(300 * time.Millisecond)
	require.NoError(t, w.Process.Signal(syscall.SIGTERM))
	assert.Equal(t, ui.ExitInterrupted, w.next().Status)
	require.NoError(t, w.Wait())
}

// A worker whose parent was killed ends, though it has a question.
func TestWorkerEndsWithItsParent(t *testing.T) {
	t.Chdir(t.TempDir())
	name := chainFile(t, 20000)
	executable, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("q", []byte(`{"arguments": ["solve", "`+name+`", "--criterion", "average", "--method", "rvi"]}`+"\n"), 0o600))
	// The shell holds the pipe open until it is killed.
	parent := exec.CommandContext(t.Context(), "sh", "-c", `mkfifo p; "$0" worker < p > answer & exec 3> p; cat q >&3; echo $!; wait`, executable)
	parent.Env = append(os.Environ(), asProgram+"=1")
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	time.Sleep(700 * time.Millisecond)
	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait())
	require.Eventually(t, func() bool {
		text, _ := os.ReadFile("answer")
		return strings.Contains(string(text), "interrupted")
	}, 10*time.Second, 50*time.Millisecond)
}

// What a question prints does not depend on those before it.
func TestWorkerManyQuestions(t *testing.T) {
	modelFolder(t)
	w := startWorker(t)
	first := map[string]any{}
	for i := range 50 {
		discount := []string{"0.5", "0.9", "0.99"}[i%3]
		got := w.ask("solve taxicab.json --criterion discounted --maximize -o json --discount "+discount, nil)
		require.Zero(t, got.Status, got.Error)
		value := got.Answer["value"].(float64)
		if first[discount] == nil {
			first[discount] = value
		}
		assert.Equal(t, math.Float64bits(first[discount].(float64)), math.Float64bits(value))
	}
	w.end()
}
