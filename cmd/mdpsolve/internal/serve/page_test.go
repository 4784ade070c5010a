// This file tests the page: its size, its files, and by Node.js its scripts.

package serve

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/queue"
)

// TestPageIsSmall holds all files of the page together, packed, to 150 KB.
func TestPageIsSmall(t *testing.T) {
	entries, err := assets.ReadDir("assets")
	require.NoError(t, err)
	total := 0
	for _, entry := range entries {
		content, err := Asset(entry.Name())
		require.NoError(t, err)
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err = w.Write(content)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		total += packed.Len()
	}
	t.Logf("%d files, %d bytes packed", len(entries), total)
	assert.Less(t, total, 150_000)
}

// TestPageNamesItsFiles holds index.html to the files that there are, each named
// once, in a form that a report can replace by the file itself.
func TestPageNamesItsFiles(t *testing.T) {
	index, err := Asset("index.html")
	require.NoError(t, err)
	var named []string
	for _, form := range []string{`<link rel="stylesheet" href="assets/([^"]+)">`, `<script src="assets/([^"]+)"></script>`} {
		for _, match := range regexp.MustCompile(`(?m)^`+form+`$`).FindAllSubmatch(index, -1) {
			named = append(named, string(match[1]))
		}
	}
	entries, err := assets.ReadDir("assets")
	require.NoError(t, err)
	var there []string
	for _, entry := range entries {
		if ext := filepath.Ext(entry.Name()); ext == ".css" || ext == ".js" {
			there = append(there, entry.Name())
		}
	}
	slices.Sort(named)
	assert.Equal(t, there, named)
	assert.Len(t, named, strings.Count(string(index), "assets/"))
	for _, name := range named {
		content, err := Asset(name)
		require.NoError(t, err)
		assert.NotContains(t, strings.ToLower(string(content)), "</script", name)
		assert.NotContains(t, strings.ToLower(string(content)), "</style", name)
	}
}

// node runs a script of testdata/page.
func node(t *testing.T, arguments ...string) []byte {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js is not installed: the page's scripts are not tested")
	}
	arguments[0] = filepath.Join("testdata", "page", arguments[0])
	command := exec.CommandContext(t.Context(), program, arguments...)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.Output()
	require.NoError(t, err, "%s%s", out, complaints.Bytes())
	return out
}

func TestPageNumbers(t *testing.T) {
	t.Logf("%s", node(t, "numbers.mjs"))
}

// The page writes how exact an answer is as the command does.
func TestMarginsAreThoseOfTheCommand(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	intervals := [][2]float64{{0.259239596069429, 0.2592395960694304}, {0, 0.874}, {-5, -4.99999}, {1, 1 + 1e-5}, {-1, 1}}
	for range 200 {
		middle := random.NormFloat64() * math.Pow(10, float64(random.IntN(30)-15))
		half := math.Abs(middle) * math.Pow(10, -16*random.Float64())
		intervals = append(intervals, [2]float64{middle - half, middle + half})
	}
	asked, err := json.Marshal(intervals)
	require.NoError(t, err)
	var written []string
	require.NoError(t, json.Unmarshal(node(t, "margins.mjs", string(asked)), &written))
	numbers := regexp.MustCompile(`-?[0-9.]+(e-?[0-9]+)?`)
	for i, interval := range intervals {
		want := ui.Interval(interval[0], interval[1])
		_, margin, isClose := strings.Cut(want, " ± ")
		got := strings.ReplaceAll(written[i], "−", "-")
		if !isClose {
			margin = want
		}
		assert.Equal(t, isClose, strings.HasPrefix(got, "±"), want)
		wantNumbers, gotNumbers := numbers.FindAllString(margin, -1), numbers.FindAllString(got, -1)
		require.Len(t, gotNumbers, len(wantNumbers), "%s: %s", want, got)
		for k := range wantNumbers {
			a, err := strconv.ParseFloat(wantNumbers[k], 64)
			require.NoError(t, err)
			b, err := strconv.ParseFloat(gotNumbers[k], 64)
			require.NoError(t, err)
			assert.InDelta(t, a, b, 1e-12*math.Abs(a), "%s: %s", want, got)
		}
	}
}

// played is what the page's simulator has seen of a policy.
type played struct {
	Gain, Half, Starvation, LossRate, Robots, Pages, Activations, Indexed float64
	Batches                                                               int
}

// TestPageSimulator compares what the page's simulator sees with the exact measures,
// for the best policy and the best fixed number, with phases, costs and classes.
func TestPageSimulator(t *testing.T) {
	law := func(law queue.Law, err error) queue.Law {
		require.NoError(t, err)
		return law
	}
	processes := map[string]robots.Parameters{
		"plain":  {Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4},
		"large":  {Robots: 60, Buffer: 12, ArrivalRate: 0.05, ServiceRate: 2, StarvationWeight: 0.5},
		"erlang": {Robots: 8, Buffer: 4, ArrivalRate: 0.2, ServiceRate: 1, StarvationWeight: 1.4, Service: law(queue.NewErlang(3, 1))},
		"costs": {
			Robots: 9, Buffer: 6, ArrivalRate: 0.2, ServiceRate: 1, StarvationWeight: 2,
			HoldingCost: 0.02, RobotCost: 0.01, ActivationCost: 0.05,
			Service: law(queue.NewHyperexponential([]float64{0.9, 0.1}, []float64{0.5, 5.5}, 1)),
		},
		"classes": {
			Classes: []robots.Class{{Robots: 4, ArrivalRate: 0.1}, {Robots: 3, ArrivalRate: 0.3}},
			Buffer:  5, ServiceRate: 1, StarvationWeight: 1.4,
		},
	}
	for name, p := range processes {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			best, err := robots.Solve(ctx, p, mdp.Settings{})
			require.NoError(t, err)
			fixed, err := p.BestStatic(ctx, robots.Limit{})
			require.NoError(t, err)
			file := policyFile(t, best.Policy)
			counts, err := json.Marshal(fixed.Robots)
			require.NoError(t, err)

			const time = 200_000
			seen := make([]played, 2)
			require.NoError(t, json.Unmarshal(node(t, "simulator.mjs", file, string(counts), "7", strconv.Itoa(time)), &seen))
			t.Logf("%+v", seen)
			// 4/1.96 of half a 95 % interval is four standard deviations: no fair simulation
			// is so far off in one of a hundred thousand. What all costs are known to by
			// batches, their parts are known to at least as well, up to their weights.
			m := best.Measures
			near := func(what string, want, got, half float64) {
				assert.InDelta(t, want, got, 4/1.96*half, "%s of %s", what, name)
			}
			dynamic, static := seen[0], seen[1]
			assert.GreaterOrEqual(t, dynamic.Batches, 20)
			assert.Less(t, dynamic.Half, 0.05*m.Gain)
			near("cost", m.Gain, dynamic.Gain, dynamic.Half)
			near("cost", fixed.Cost, static.Gain, static.Half)
			near("starvation", m.Starvation, dynamic.Starvation, dynamic.Half/p.StarvationWeight+0.02*m.Starvation)
			near("loss rate", m.LossRate, dynamic.LossRate, dynamic.Half+0.02*m.LossRate)
			assert.InEpsilon(t, m.RobotsMean, dynamic.Robots, 0.02)
			assert.InEpsilon(t, m.PagesMean, dynamic.Pages, 0.03)
			assert.InEpsilon(t, m.ActivationRate, dynamic.Activations, 0.03)
			assert.InEpsilon(t, (1-m.Starvation)*p.ServiceRate, dynamic.Indexed, 0.02)
		})
	}
}

// TestPageIntervals counts how often a 95 % confidence interval has the exact cost in
// it, over 400 seeds: 380 are expected, with a standard deviation of 4.4.
func TestPageIntervals(t *testing.T) {
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	best, err := robots.Solve(context.Background(), p, mdp.Settings{})
	require.NoError(t, err)
	const seeds, fixed, fixedCost = 400, 10, 0.4 // (γ+μ)/(K+1), as 10·λ = μ
	var counts []int
	require.NoError(t, json.Unmarshal(node(t, "intervals.mjs", policyFile(t, best.Policy), fmt.Sprint([]int{fixed}),
		fmt.Sprint(seeds), "4000", fmt.Sprint(best.Gain), fmt.Sprint(fixedCost)), &counts))
	for _, count := range counts {
		assert.InDelta(t, 0.95*seeds, count, 4*4.4)
	}
}

// policyFile writes a policy to a file.
func policyFile(t *testing.T, policy *robots.Policy) string {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, policy.WriteJSON(&text))
	file := filepath.Join(t.TempDir(), "policy.json")
	require.NoError(t, os.WriteFile(file, text.Bytes(), 0o600))
	return file
}

// TestPageSimulatorRepeatsItself plays the same seed twice, and another one.
func TestPageSimulatorRepeatsItself(t *testing.T) {
	p := robots.Parameters{Robots: 3, Buffer: 2, ArrivalRate: 0.4, ServiceRate: 1, StarvationWeight: 1}
	best, err := robots.Solve(context.Background(), p, mdp.Settings{})
	require.NoError(t, err)
	file := policyFile(t, best.Policy)
	play := func(seed int) string { return string(node(t, "simulator.mjs", file, "[2]", fmt.Sprint(seed), "1000")) }
	first := play(1)
	assert.Equal(t, first, play(1))
	assert.NotEqual(t, first, play(2))
}
