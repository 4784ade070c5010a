//go:build !petsc

package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// command runs petscsolve in this process, which is built without PETSc, and returns its
// exit status and what it printed.
func command(t *testing.T, words ...string) (status int, stdout, stderr string) {
	t.Helper()
	var texts [2]string
	files := []**os.File{&os.Stdout, &os.Stderr}
	var ends []func()
	for i, standard := range files {
		before := *standard
		read, write, err := os.Pipe()
		require.NoError(t, err)
		*standard = write
		done := make(chan struct{})
		go func() {
			text, _ := io.ReadAll(read) // an end is all that can come
			texts[i] = string(text)
			close(done)
		}()
		ends = append(ends, func() {
			assert.NoError(t, write.Close())
			<-done
			*standard = before
		})
	}
	status = run(words)
	for _, end := range ends {
		end()
	}
	return status, texts[0], texts[1]
}

const chain = "garnet --states 50 --actions 2 --successors 3 --criterion discounted --discount 0.9"

// Bad input is one line that says what to use, and exit status 2.
func TestBadInput(t *testing.T) {
	for line, want := range map[string]string{
		"roobts":                                `"roobts" is no model: use robots, garnet or model FILE`,
		"--states 3":                            "no model: name robots, garnet or model FILE",
		"robots":                                "--robots: missing: give it",
		chain + " --states 0":                   "--states: given twice: use it once",
		chain + " --stats 0":                    "--stats: not a flag: use one of those that petscsolve help lists",
		chain + " --lambda 1":                   "--lambda: not valid for garnet: leave it out",
		chain + " --seed":                       "--seed: has no value: give one behind it",
		chain + " --seed 1.5":                   "--seed: 1.5 is not valid: use a whole number of 0 or more, and below 2³¹",
		chain + " --tolerance 0":                "--tolerance: 0 is not valid: use a positive finite number",
		chain + " --time-limit 5s":              "--time-limit: 5s is not valid: use a number of seconds above 0 and up to 1e9",
		chain + " --output csv":                 "--output: csv is not valid: use text or json",
		chain + " more":                         `"more" is not expected: options begin with --, see petscsolve help`,
		chain + " --out nowhere/x":              "--out: nowhere/x: there is no folder nowhere: make it, or use another",
		chain + " --out ..":                     "--out: .. is a folder: use the name of a file",
		"model nowhere.drn --criterion average": "open nowhere.drn: no such file or directory",
		"model --criterion average":             "model: no file: name one behind it",
		"garnet --states 5 --actions 2 --successors 3 --criterion average --discount 0.5":  "--discount: not valid with --criterion average: leave it out",
		"garnet --states 5 --actions 2 --successors 3 --criterion discounted --discount 1": "--discount: 1 is not valid: use a number above 0 and below 1",
		"garnet --states 5 --actions 2 --successors 3":                                     "--criterion: missing: use average or discounted",
		"robots --robots 16 --buffer 1 --lambda 1/10 --mu 1 --gamma 1.4":                   "--buffer: 1 is not valid: use a whole number of 2 or more, and below 2³¹",
		"model ../../../../cmd/mdpsolve/testdata/models/taxicab.json --criterion average":  "--minimize: missing, and --maximize too: give one of them for a model with choices",
		chain: "built without PETSc: build with -tags petsc (Debian: apt-get install petsc-dev)",
	} {
		status, stdout, stderr := command(t, strings.Fields(line)...)
		assert.Equal(t, 2, status, line)
		assert.Empty(t, stdout, line)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), line)
		assert.Equal(t, "petscsolve: "+want+"\n", stderr, line)
	}
}

func TestHelp(t *testing.T) {
	status, stdout, _ := command(t, "help")
	assert.Zero(t, status)
	for _, words := range [][]string{{"--help"}, {"robots", "-h"}, {"model", "--help"}} {
		_, again, _ := command(t, words...)
		assert.Equal(t, stdout, again, words)
	}
	for _, flag := range append(flags, switches...) {
		assert.Contains(t, stdout, "--"+flag)
	}
}
