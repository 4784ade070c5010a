package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// assertExact wants the values of an answer to be within 1e-9 of fractions, and
// its bounds around them. "∞" is infinity.
func assertExact(t *testing.T, r *certificate.Result, fractions ...string) {
	t.Helper()
	require.Len(t, r.Values, len(fractions))
	for s, text := range fractions {
		if text == "∞" {
			assert.Equal(t, []float64{math.Inf(1), math.Inf(1), math.Inf(1)}, []float64{r.Lower[s], r.Values[s], r.Upper[s]}, "state %d", s)
			continue
		}
		exact, ok := new(big.Rat).SetString(text)
		require.True(t, ok)
		want, _ := exact.Float64()
		assert.InDelta(t, want, r.Values[s], 1e-9*math.Abs(want), "state %d", s)
		assert.LessOrEqual(t, rational(r.Lower[s]).Cmp(exact), 0, "state %d: %v, %s", s, r.Lower[s], text)
		assert.GreaterOrEqual(t, rational(r.Upper[s]).Cmp(exact), 0, "state %d: %v, %s", s, r.Upper[s], text)
	}
}

func rational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// solved runs solve, and returns what it prints as JSON.
func solved(t *testing.T, line string) *certificate.Result {
	t.Helper()
	status, stdout, stderr := execute(t, line+" --output json")
	require.Zero(t, status, stderr)
	assert.Empty(t, stderr)
	r, err := certificate.Read(strings.NewReader(stdout), "stdout")
	require.NoError(t, err)
	assert.Equal(t, "converged", r.Status)
	return r
}

func TestSolveKnownAnswers(t *testing.T) {
	modelFolder(t)
	for _, test := range []struct {
		line      string
		values    []string
		policy    []int32
		structure string // "" where no criterion asks for it
		aperiodic bool
	}{
		{taxicabAverage, []string{"1588/119", "1588/119", "1588/119"}, []int32{1, 1, 1}, "unichain", true},
		// Howard, in the table of value iteration, to two digits: 29.66, 43.42, 30.91.
		{taxicabFinite, []string{"29.6640625", "43.421875", "30.90625"}, []int32{1, 1, 1}, "", false},
		{islandsGreatest, []string{"3/2", "3", "1/2", "3/2", "3/2", "15/8"}, []int32{1, 0, 0, 0, 0, 0}, "multichain", false},
		{islandsLeast, []string{"4/3", "3", "1/2", "3/2", "3/2", "11/6"}, []int32{0, 0, 0, 0, 0, 0}, "multichain", false},
		// By risky steps v is 1 + v/3 + (2 + v)/6 from state 0.
		{pathsLeast, []string{"8/3", "14/3", "0", "∞", "35/12"}, []int32{1, 0, 0, 0, 1}, "", false},
		{pathsGreatest, []string{"5", "7", "0", "∞", "∞"}, []int32{0, 0, 0, 0, 0}, "", false},
		{serversAverage, []string{"26/23", "26/23", "26/23", "26/23", "26/23"}, []int32{0, 0, 0, 0, 0}, "unichain", true},
		{serversTotal, []string{"16", "16", "15", "11", "0"}, []int32{0, 0, 0, 0, 0}, "", false},
	} {
		r := solved(t, test.line)
		assertExact(t, r, test.values...)
		assert.Equal(t, test.policy, r.Policy, test.line)
		assert.Equal(t, test.structure, r.Classification, test.line)
		if assert.Equal(t, test.structure != "", r.Aperiodic != nil, test.line) && r.Aperiodic != nil {
			assert.Equal(t, test.aperiodic, *r.Aperiodic, test.line)
		}
	}
	// Howard has these to two digits behind the point.
	r := solved(t, taxicabDiscounted)
	assert.InDeltaSlice(t, []float64{121.65, 135.31, 122.84}, r.Values, 0.005)
}

// The promised keys, with numbers to the last digit, and on standard output alone.
func TestSolveKeysOfAnyModel(t *testing.T) {
	modelFolder(t)
	got := answer(t, pathsLeast)
	for _, key := range []string{
		"criterion", "sense", "status", "method", "iterations", "initial", "value", "values", "lower", "upper", "policy",
		"choice", "elapsed_seconds", "tolerance", "reward", "target",
	} {
		assert.Contains(t, got, key)
	}
	assert.Equal(t, "Infinity", got["values"].([]any)[3])
	assert.Equal(t, got["value"], got["values"].([]any)[0])
	assert.Equal(t, "cost", got["reward"])
	for _, key := range []string{"discount", "horizon", "relative_values", "classification", "aperiodic"} {
		assert.NotContains(t, got, key)
	}
	assert.Contains(t, answer(t, taxicabDiscounted), "discount")
	assert.Contains(t, answer(t, taxicabFinite), "horizon")
	for _, key := range []string{"relative_values", "classification", "aperiodic"} {
		assert.Contains(t, answer(t, taxicabAverage), key)
	}
}

func TestOrderOfArguments(t *testing.T) {
	modelFolder(t)
	want := withoutTimes(mustPrint(t, taxicabDiscounted+" -o json"))
	for _, line := range []string{
		"solve --criterion discounted --discount 9/10 --maximize -o json taxicab.json",
		"solve --criterion discounted taxicab.json --discount=9/10 -maximize -o=json",
		"solve --criterion discounted --discount 9/10 --maximize -o json -- taxicab.json",
		"solve -o json --maximize=true taxicab.json --discount 0.9 --criterion=discounted",
	} {
		assert.Equal(t, want, withoutTimes(mustPrint(t, line)), line)
	}
	require.NoError(t, os.Rename("taxicab.json", "-o.json"))
	assert.Equal(t, want, withoutTimes(mustPrint(t, "solve --criterion discounted --discount 9/10 --maximize -o json -- -o.json")))
	assert.Contains(t, mustPrint(t, "info paths.drn --help"), "Options:")
}

func mustPrint(t *testing.T, line string) string {
	t.Helper()
	status, stdout, stderr := execute(t, line)
	require.Zero(t, status, stderr)
	return stdout
}

func TestSolveMethodsOfAnyModel(t *testing.T) {
	modelFolder(t)
	for _, line := range []string{
		taxicabAverage + " --method rvi",
		taxicabAverage + " --method policy-iteration --workers 2",
		taxicabDiscounted + " --method value-iteration",
		taxicabDiscounted + " --method modified-policy-iteration --tolerance 1/1000000000000",
		pathsLeast + " --method policy-iteration",
	} {
		r := solved(t, line)
		question, _, _ := strings.Cut(line, " --method")
		best := solved(t, question)
		assert.Contains(t, line, "--method "+r.Method)
		assert.Empty(t, r.Choice, line)
		for s := range r.Values {
			assert.LessOrEqual(t, r.Lower[s], best.Upper[s], line)
			assert.GreaterOrEqual(t, r.Upper[s], best.Lower[s], line)
		}
	}
}

// chainFile writes a chain in which each state leads to its neighbours, and the
// last costs 1: policy iteration is quick on it, and sweeps take very many.
func chainFile(t *testing.T, states int) string {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "@type: DTMC\n@reward_models\ncost\n@nr_states\n%d\n@model\n", states)
	for s := range states {
		cost := 0
		if s == states-1 {
			cost = 1
		}
		fmt.Fprintf(&text, "state %d [%d]\n\taction 0\n\t\t%d : 0.5\n\t\t%d : 0.5\n", s, cost, max(s-1, 0), min(s+1, states-1))
	}
	name := "chain.drn"
	require.NoError(t, os.WriteFile(name, []byte(text.String()), 0o600))
	return name
}

func TestLimitsOfAnyModel(t *testing.T) {
	t.Chdir(t.TempDir())
	name := chainFile(t, 1000)
	exact := solved(t, "solve "+name+" --criterion average")
	assert.InEpsilon(t, 0.001, exact.Value, 1e-9)
	for _, test := range []struct{ flags, status string }{
		{"--max-iterations 10", "iteration-limit"},
		{"--time-limit 1/100 --tolerance 1e-12", "time-limit"},
	} {
		for _, format := range []string{"json", "text", "csv", "markdown"} {
			line := "solve " + name + " --criterion average --method rvi --out result.json " + test.flags + " -o " + format
			status, stdout, stderr := execute(t, line)
			assert.Equal(t, ui.ExitLimit, status, line)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
			assert.Contains(t, stderr, test.status+" before the tolerance was met: the value of state 0 is between ")
			assert.NotEmpty(t, stdout)
			r, err := certificate.ReadFile("result.json")
			require.NoError(t, err)
			assert.Equal(t, test.status, r.Status)
			assert.LessOrEqual(t, r.Lower[0], 0.001)
			assert.GreaterOrEqual(t, r.Upper[0], 0.001)
		}
	}
}

// A file of the whole answer is what JSON output says.
func TestResultFile(t *testing.T) {
	modelFolder(t)
	stdout := mustPrint(t, pathsLeast+" -o json --out result.json.gz")
	want, err := certificate.Read(strings.NewReader(stdout), "stdout")
	require.NoError(t, err)
	got, err := certificate.ReadFile("result.json.gz")
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestSolveCSV(t *testing.T) {
	modelFolder(t)
	lines, err := csv.NewReader(strings.NewReader(mustPrint(t, taxicabAverage+" -o csv"))).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 4)
	assert.Equal(t, []string{"state", "name", "value", "lower", "upper", "relative_value", "policy", "action"}, lines[0])
	value, err := strconv.ParseFloat(lines[3][2], 64)
	require.NoError(t, err)
	assert.InEpsilon(t, 1588.0/119, value, 1e-9)
	assert.Equal(t, []string{"1", "stand"}, lines[3][6:])
}

// A model whose average is 0 can converge by sweeps too.
func TestAverageOfZero(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = `{"kind": "dtmc", "reward_models": ["r"], "states": [
		{"rewards": [0.1], "actions": [{"to": [[0, 0.3], [1, 0.7]]}]},
		{"rewards": [-0.1], "actions": [{"to": [[0, 0.7], [1, 0.3]]}]}]}`
	require.NoError(t, os.WriteFile("zero.json", []byte(text), 0o600))
	for _, method := range []string{"auto", "rvi", "policy-iteration"} {
		r := solved(t, "solve zero.json --criterion average --method "+method)
		assert.LessOrEqual(t, r.Lower[0], 0.0)
		assert.GreaterOrEqual(t, r.Upper[0], 0.0)
	}
}

func TestConvert(t *testing.T) {
	modelFolder(t)
	for _, test := range []struct {
		in, out  string
		numbers  string
		warnings []string
	}{
		{"taxicab.json", "a.json.gz", "rational", nil},
		{"taxicab.json", "a.drn", "rational", []string{`reward model "profit"`}},
		{"taxicab.json", "a.tra", "rational", nil},
		{"a.tra", "b.json", "rational", nil},
		{"twoservers.tra", "b.drn.gz", "double", nil},
		{"b.drn.gz", "c.tra", "double", nil},
		{"islands.drn", "d.json", "rational", nil},
		{"d.json", "e.drn", "rational", nil},
	} {
		status, stdout, stderr := execute(t, "convert "+test.in+" "+test.out+" -o json")
		require.Zero(t, status, stderr)
		assert.Equal(t, test.numbers, object(t, stdout)["numbers"], test.out)
		assert.Len(t, object(t, stdout)["lost"], len(test.warnings))
		assert.Equal(t, len(test.warnings), strings.Count(stderr, "\n"), stderr)
		for _, warning := range test.warnings {
			assert.Contains(t, stderr, warning)
		}
	}
	for original, copied := range map[string][]string{
		taxicabAverage:    {"a.json.gz", "a.drn", "a.tra", "b.json"},
		taxicabDiscounted: {"a.json.gz", "a.drn", "a.tra", "b.json"},
		serversAverage:    {"b.drn.gz", "c.tra"},
		serversTotal:      {"b.drn.gz", "c.tra"},
		islandsLeast:      {"d.json", "e.drn"},
	} {
		words := strings.Split(original, " ")
		want := solved(t, original)
		for _, name := range copied {
			words[1] = name
			got := solved(t, strings.Join(words, " "))
			got.Seconds, want.Seconds = 0, 0
			assert.Equal(t, want, got, name)
		}
	}
	for numbers, isRational := range map[string]bool{"rational": true, "double": false} {
		mustPrint(t, "convert taxicab.json written.json --numbers "+numbers)
		text, err := os.ReadFile("written.json")
		require.NoError(t, err)
		assert.Equal(t, isRational, strings.Contains(string(text), `"numbers": "rational"`))
	}
}

// Copies of a file in all formats have its exact numbers, even a copy that replaces the file.
func TestConvertKeepsDigits(t *testing.T) {
	t.Chdir(t.TempDir())
	const from = `{"kind": "dtmc", "reward_models": ["cost"], "states": [
		{"rewards": ["1/7"], "actions": [{"to": [[0, "1/3"], [1, "2/3"]]}]}, {"actions": [{"to": [[0, FIRST], [1, SECOND]]}]}]}`
	chain := []string{"m.json"}
	for _, f := range modelfile.Formats() {
		chain = append(chain, "m"+f.Suffix, "m"+f.Suffix, "m"+f.Suffix+".gz", "m"+f.Suffix+".gz")
	}
	chain = append(chain, "again.json")
	for _, test := range []struct{ first, second, want string }{ // FIRST/(FIRST + 2/3)/7
		{`"1/3"`, `"2/3"`, "1/21"},
		{"0.3333333333333333333", "0.6666666666666666667", "9999999999999999999/209999999999999999993"},
	} {
		text := strings.NewReplacer("FIRST", test.first, "SECOND", test.second).Replace(from)
		require.NoError(t, os.WriteFile("m.json", []byte(text), 0o600))
		for i, name := range chain {
			r := object(t, mustPrint(t, "solve "+name+" --criterion average --method exact -o json"))
			assert.Equal(t, test.want, r["exact_value"], "%s %d", name, i)
			if i+1 < len(chain) {
				mustPrint(t, "convert "+name+" "+chain[i+1])
			}
		}
		// Numbers are rounded if that is asked for, with a warning; but never in the file that is read.
		status, _, stderr := execute(t, "convert again.json rounded.umb --numbers double")
		assert.Zero(t, status)
		assert.Equal(t, "mdpsolve: warning: rounded.umb: numbers that float64 cannot hold are rounded (--numbers rational keeps them)\n", stderr)
		status, _, stderr = execute(t, "convert again.json ./again.json --numbers double")
		assert.Equal(t, 2, status)
		assert.Equal(t, `mdpsolve: OUT: "./again.json" is IN, of which something would be lost: numbers that float64 cannot hold are rounded (--numbers rational keeps them): use another name`+"\n", stderr)
	}
	// A decimal of 17 digits that float64 writes with fewer.
	const drn = "@type: DTMC\n@nr_states\n1\n@model\nstate 0 [0.10000000000000001]\n\taction 0\n\t\t0 : 1\n"
	require.NoError(t, os.WriteFile("s.drn", []byte(drn), 0o600))
	_, _, stderr := execute(t, "convert s.drn s.json")
	assert.Contains(t, stderr, "numbers that float64 cannot hold are rounded")
	require.NoError(t, os.WriteFile("s.drn", []byte(strings.Replace(drn, "0.10000000000000001", "0.12345678901234566", 1)), 0o600))
	mustPrint(t, "convert s.drn s.json")
}
