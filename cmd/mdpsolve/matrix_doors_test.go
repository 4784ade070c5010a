package main

// The doors of the matrix beside the command: the API and Python. A door takes a command line and
// asks for the same in its own way.

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// door answers a command line with an exit status and what goes to standard output and error.
type door func(t *testing.T, line string) (status int, stdout, stderr string)

// otherDoors are those beside the command; Python is one where it has NumPy. None is in a short test.
func otherDoors(t *testing.T) map[string]door {
	t.Helper()
	if testing.Short() {
		return nil
	}
	doors := map[string]door{"the API": startServer(t).door}
	if python := pythonDoor(t); python != nil {
		doors["Python"] = python
	} else {
		t.Log("python3 has no NumPy: the matrix is without Python")
	}
	return doors
}

// compare asks at another door, which has to answer as the command does, or to refuse for the same
// reason.
func (q asking) compare(t *testing.T, name string, other door, column string, lower, upper float64, refusal string) {
	t.Helper()
	if strings.Contains(q.rest, "--pareto") && slices.Contains([]string{"check", "start"}, column) && name == "Python" {
		return // a TradeOff has no file, and nothing to ask
	}
	low, high, refused := q.cellOf(t, other, column)
	reasonOf := func(text string) int {
		return slices.IndexFunc(matrixReasons, func(r *reason) bool { return r.text.MatchString(text) })
	}
	switch {
	case refusal != "" || refused != "":
		assert.Equal(t, reasonOf(refusal), reasonOf(refused), "%s, %s: the command says %q, %s %q", q.name, column, refusal, name, refused)
		assert.Equal(t, refusal == "", refused == "", "%s, %s: the command says %q, %s %q", q.name, column, refusal, name, refused)
	case math.IsNaN(lower):
		assert.True(t, math.IsNaN(low), "%s, %s: %s has %v", q.name, column, name, low)
	default:
		assert.LessOrEqual(t, max(lower, low), min(upper, high), "%s, %s: the command has [%v, %v], %s [%v, %v]", q.name, column, lower, upper, name, low, high)
	}
}

// asked is a command line in parts.
type asked struct {
	Verb    string            `json:"verb"`
	Operand []string          `json:"operands"`
	Flags   map[string]string `json:"flags"` // a switch has no value
}

func partsOf(line string) asked {
	words := splitLine(line)
	a := asked{Verb: words[0], Flags: map[string]string{}}
	for i := 1; i < len(words); i++ {
		name, isFlag := strings.CutPrefix(words[i], "--")
		switch {
		case words[i] == "-o":
			i++
		case !isFlag:
			a.Operand = append(a.Operand, words[i])
		case i+1 < len(words) && name != "minimize" && name != "maximize":
			i++
			a.Flags[name] = words[i]
		default:
			a.Flags[name] = ""
		}
	}
	return a
}

// door asks the server: files that the verb reads are uploaded, and one that it writes is
// downloaded.
func (s *served) door(t *testing.T, line string) (status int, stdout, stderr string) {
	t.Helper()
	a, query := partsOf(line), url.Values{}
	files, written := a.Operand[:1], ""
	if len(a.Operand) > 1 {
		files = append(files, "result="+a.Operand[1])
	}
	for name, value := range a.Flags {
		switch name {
		case "policy", "start-from":
			files = append(files, name+"="+value)
		case "out", "policy-out", "plot":
			written = value
			query.Set("download", map[string]string{"out": "result.json", "policy-out": "policy" + filepath.Ext(value), "plot": "svg"}[name])
		default:
			query.Add(name, value)
		}
	}
	response, body := s.ask(t, "/api/"+a.Verb+"?"+query.Encode(), files...)
	if response.StatusCode != http.StatusOK {
		require.Equal(t, http.StatusBadRequest, response.StatusCode, "%s: %s", line, body)
		return ui.ExitUsage, "", "mdpsolve: " + object(t, body)["error"].(string) + "\n"
	}
	status, err := strconv.Atoi(response.Header.Get("X-Exit-Status"))
	require.NoError(t, err)
	if written != "" {
		require.NoError(t, os.WriteFile(written, []byte(body), 0o600))
	}
	return status, body, ""
}

// pythonDoor returns a door to a running Python, which reads a question and writes an answer in
// each line; nil where there is none with NumPy.
func pythonDoor(t *testing.T) door {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil || exec.CommandContext(t.Context(), python, "-c", "import numpy").Run() != nil {
		return nil
	}
	usePythonSource(t)
	running := exec.CommandContext(context.WithoutCancel(t.Context()), python, "-c", pythonAsks) // it ends with its questions
	running.Stderr = os.Stderr
	in, err := running.StdinPipe()
	require.NoError(t, err)
	out, err := running.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, running.Start())
	t.Cleanup(func() {
		_ = in.Close()
		assert.NoError(t, running.Wait())
	})
	answers := bufio.NewScanner(out)
	answers.Buffer(nil, 1<<20)
	return func(t *testing.T, line string) (int, string, string) {
		t.Helper()
		question, err := json.Marshal(partsOf(line))
		require.NoError(t, err)
		_, err = fmt.Fprintf(in, "%s\n", question)
		require.NoError(t, err)
		require.True(t, answers.Scan(), line)
		found := object(t, answers.Text())
		if refusal, is := found["refusal"].(string); is {
			assert.NotRegexp(t, `--[a-z]`, refusal, line)
			return ui.ExitUsage, "", "mdpsolve: " + refusal + "\n"
		}
		return ui.ExitSolved, answers.Text(), ""
	}
}

// pythonAsks asks what a command line asks. Files of answers are answers in memory.
const pythonAsks = `
import json, sys
import mdpsolve

SAME = ("criterion", "discount", "rate", "target", "terminal", "reward", "uncertainty", "property", "policy_out", "plot", "replications", "confidence")
kept = {}

def ask(verb, operands, flags):
    asked = {name: flags[name] for name in SAME if name in flags}
    if "horizon" in flags:
        asked["horizon"] = int(flags["horizon"])
    if "minimize" in flags:
        asked["sense"] = "min"
    if "constraint" in flags:
        asked["limits"] = {flags["constraint"][:4]: flags["constraint"][4:]}
    if "pareto" in flags:
        asked["tradeoff"] = flags["pareto"]
    if "policy" in flags:
        asked["policy"] = flags["policy"]
    if "start_from" in flags:
        asked["start_from"] = kept.get(flags["start_from"], flags["start_from"])
    if verb == "check":
        return {"verdict": mdpsolve.check(operands[0], kept[operands[1]]).verdict}
    found = getattr(mdpsolve, verb)(operands[0], **asked)
    if "out" in flags:
        found.proof()
        kept[flags["out"]] = found
    if isinstance(found, mdpsolve.TradeOff):
        return {}
    if isinstance(found, mdpsolve.Answer):
        start = found.details.initial
        return {"lower": number(found.lower[start]), "upper": number(found.upper[start])}
    return {"lower": number(found.lower), "upper": number(found.upper)}

def number(x):
    return float(x) if abs(x) < float("inf") else "-Infinity" if x < 0 else "Infinity"

for line in sys.stdin:
    asked = json.loads(line)
    flags = {name.replace("-", "_"): value for name, value in asked["flags"].items()}
    try:
        answer = ask(asked["verb"], asked["operands"], flags)
    except ValueError as refused:
        answer = {"refusal": str(refused)}
    print(json.dumps(answer), flush=True)
`
