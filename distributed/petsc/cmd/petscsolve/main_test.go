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
			text, _ := io.ReadAll(read) // it can only end
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

const chain = "model ../../../../cmd/mdpsolve/testdata/models/taxicab.json --maximize --criterion discounted --discount 0.9"

const all = ": petscsolve help lists the flags"

// Bad input is one line that says what to use, and exit status 2.
func TestBadInput(t *testing.T) {
	for line, want := range map[string]string{
		"roobts":                                      `"roobts" is not a model: use robots or model FILE`,
		"--robots 3":                                  `"--robots" is not a model: use robots or model FILE`,
		"robots":                                      "--robots: missing: give it",
		chain + " --discount 0":                       `invalid value "0" for flag -discount: use it once` + all,
		chain + " --stats 0":                          "flag provided but not defined: -stats" + all,
		chain + " --lambda 1":                         "flag provided but not defined: -lambda" + all,
		chain + " --out":                              "flag needs an argument: -out" + all,
		chain + " --max-iterations 1.5":               "--max-iterations: 1.5 is not valid: use a whole number of 1 or more, and below 2³¹",
		chain + " --tolerance 0":                      "--tolerance: 0 is not valid: use a positive finite number",
		chain + " --time-limit 5s":                    "--time-limit: 5s is not valid: use a number of seconds above 0 and up to 1e9",
		chain + " more":                               `"more" is not an option: options begin with --, see petscsolve help`,
		chain + " --out nowhere/x":                    "--out: nowhere/x: there is no folder nowhere: make it, or use another",
		chain + " --out ..":                           "--out: .. is a folder: use the name of a file",
		"model nowhere.drn --criterion average":       "open nowhere.drn: no such file or directory",
		"model --criterion average":                   "model: the file is missing: use model FILE",
		"model x --criterion average --discount 0.5":  "--discount: not valid with --criterion average: leave it out",
		"model x --criterion discounted --discount 1": "--discount: 1 is not valid: use a number above 0 and below 1",
		"model x":                                     "--criterion: missing: use average or discounted",
		"model x --criterion ratio":                   "--criterion: ratio is not valid: use average or discounted",
		"robots --robots 16 --buffer 1 --lambda 1/10 --mu 1 --gamma 1.4":                  "--buffer: 1 is not valid: use a whole number of 2 or more, and below 2³¹",
		"model ../../../../cmd/mdpsolve/testdata/models/taxicab.json --criterion average": "the model has choices: give --minimize or --maximize",
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
	for _, flag := range append(common, "robots", "buffer", "lambda", "mu", "gamma", "reward", "minimize", "maximize", "progress") {
		assert.Contains(t, stdout, "--"+flag)
	}
}

// Answers name the criterion as the flag does.
func TestNamesOfCriteria(t *testing.T) {
	for line, want := range map[string]string{
		chain: "discounted",
		"model ../../../../cmd/mdpsolve/testdata/models/taxicab.json --maximize --criterion average --reward profit": "average",
		"robots --robots 2 --buffer 2 --lambda 1 --mu 1 --gamma 1":                                                   "average",
		"robots --robots 2 --buffer 2 --lambda 1 --mu 1 --gamma 1 --criterion discounted --discount 0.999":           "discounted",
	} {
		q, _, err := readQuestion(strings.Fields(line))
		require.NoError(t, err, line)
		assert.Equal(t, want, q.name(), line)
	}
}
