package bench

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

var cpp = flag.String("cpp", "", "TestLimits: the folder with gen.cpp, csr.cpp, stencil.cpp and grid.cpp")

// TestLimits prints times beside those of plain C++ programs, which it builds from a folder,
// and their ratio:
//
//	go test ./bench -run Limits -v -cpp FOLDER
//
// -run Limits/commands, Limits/sweeps, Limits/garnet and Limits/families print a part, and
// Limits/families/grid the families with that name; -short omits the largest size. Each line is the median of three measurements, in turn with those of the
// program. Families are those of TestMethods, and need no program: without -cpp only they are
// printed. A run of all tests skips it.
func TestLimits(t *testing.T) {
	if *cpp == "" {
		if !strings.Contains(flag.Lookup("test.run").Value.String(), "Limits") {
			t.Skip("run it with -run Limits and, to compare with C++, -cpp FOLDER")
		}
		t.Run("families", func(t *testing.T) { families(t, nil) })
		return
	}
	c := comparison{t, t.TempDir()}
	for _, program := range []string{"gen", "csr", "stencil", "grid"} {
		source := filepath.Join(*cpp, program+".cpp")
		if _, err := os.Stat(source); err != nil {
			t.Skip(err)
		}
		c.run(1, "g++", "-O3", "-march=native", "-fopenmp", "-o", c.path(program), source)
	}
	c.run(1, "go", "build", "-o", c.path("mdpsolve"), "../cmd/mdpsolve")

	t.Run("commands", func(t *testing.T) { comparison{t, c.folder}.commands() })
	t.Run("sweeps", func(t *testing.T) { comparison{t, c.folder}.sweeps() })
	for _, states := range quickSizes(100_000, 1_000_000) {
		t.Run("garnet", func(t *testing.T) { comparison{t, c.folder}.garnet(states) })
	}
	t.Run("families", func(t *testing.T) { families(t, &comparison{t, c.folder}) })
}

// families prints the default beside C++, if that is given, and the other methods.
func families(t *testing.T, c *comparison) {
	for _, m := range comparedModels(t) {
		t.Run(m.name, func(t *testing.T) { compareFamily(t, m, c) })
	}
}

// comparison builds and runs programs in a folder.
type comparison struct {
	*testing.T
	folder string
}

func (c comparison) path(name string) string { return filepath.Join(c.folder, name) }

// run runs a program with a number of threads and returns what it prints.
func (c comparison) run(threads int, program string, arguments ...string) string {
	c.Helper()
	command := exec.Command(program, arguments...)
	command.Env = append(os.Environ(), fmt.Sprintf("OMP_NUM_THREADS=%d", threads), "OMP_PROC_BIND=true")
	output, err := command.CombinedOutput()
	require.NoError(c, err, "%s %v: %s", program, arguments, output)
	return string(output)
}

// wall returns the seconds that a program takes.
func (c comparison) wall(threads int, program string, arguments ...string) float64 {
	c.Helper()
	begin := time.Now()
	c.run(threads, program, arguments...)
	return time.Since(begin).Seconds()
}

// printed returns a number that a program prints after some text, a regular expression.
func (c comparison) printed(text string, threads int, program string, arguments ...string) float64 {
	c.Helper()
	output := c.run(threads, program, arguments...)
	found := regexp.MustCompile(`\b` + text + `([0-9.e+-]+)`).FindStringSubmatch(output)
	require.NotNil(c, found, output)
	x, err := strconv.ParseFloat(found[1], 64)
	require.NoError(c, err)
	return x
}

// compare prints the medians of two measurements in seconds, and their ratio.
func (c comparison) compare(name string, ours, theirs func() float64) {
	c.Helper()
	var a, b [3]float64
	for i := range a {
		a[i], b[i] = ours(), theirs()
	}
	slices.Sort(a[:])
	slices.Sort(b[:])
	fmt.Printf("%-48s %10.3f ms %10.3f ms %6.2f\n", name, a[1]*1e3, b[1]*1e3, a[1]/b[1])
}

// commands compares whole runs of the command: on files with those of csr, and for a large
// robots process, for which there is no program, with a plain start.
func (c comparison) commands() {
	c.compare("robots solve, K = 50, N = 8000 / --version", func() float64 {
		return c.wall(1, c.path("mdpsolve"), "robots", "solve", "--robots", "8000", "--buffer", "50", "--lambda", "1/4000", "--mu", "1", "--gamma", "1.4", "--quiet")
	}, func() float64 { return c.wall(1, c.path("mdpsolve"), "--version") })
	for _, states := range []string{"10000", "100000"} {
		binary, drn := c.path(states), c.path(states+".drn")
		c.run(1, c.path("gen"), "garnet", states, "4", "10", "1", binary)
		c.run(1, c.path("gen"), "drn", binary, drn)
		c.compare("solve garnet.drn of "+states+" / csr", func() float64 {
			return c.wall(1, c.path("mdpsolve"), "solve", drn, "--criterion", "discounted", "--discount", "0.99", "--minimize", "--tolerance", "1e-6", "--quiet")
		}, func() float64 { return c.wall(2, c.path("csr"), binary, "disc", "1e-6", "10000", "0.99") })
	}
}

// sweeps compares sweeps over the robots process: by events with the stencil of (q,r,s), by
// pairs with that of (q,r), and 282 states by two workers with one.
func (c comparison) sweeps() {
	large, small := sweepInstances[2], sweepInstances[0]
	for i, stencil := range []string{"full", "post"} {
		model, err := forms[i].make(large.parameters)
		require.NoError(c, err)
		for _, workers := range []int{1, 2} {
			c.compare(fmt.Sprintf("sweep by %s, %d workers / stencil", forms[i].name, workers), func() float64 {
				return sweepFor(c, model, large.sweeps, workers).Seconds() / float64(large.sweeps-1)
			}, func() float64 {
				return 1e-6 * c.printed("us/iter=", workers, c.path("stencil"), stencil, "400", "800", "0.0025", "1", "1.4", "1e-300", strconv.Itoa(large.sweeps))
			})
		}
	}
	for _, form := range forms {
		model, err := form.make(small.parameters)
		require.NoError(c, err)
		sweep := func(workers int) func() float64 {
			return func() float64 {
				sum := 0.0
				for range 100 {
					sum += sweepFor(c, model, small.sweeps, workers).Seconds()
				}
				return sum
			}
		}
		c.compare(fmt.Sprintf("sweeps by %s of %d states, 2 workers / 1", form.name, model.NumStates()), sweep(2), sweep(1))
	}
}

// csr returns the seconds of value iteration in C++ for a garnet with a discount, to the same error
// as a result; +Inf for the average.
func (c comparison) csr(states int, criterion mdp.Criterion, found *mdp.Result) float64 {
	discounted, ok := criterion.(mdp.Discounted)
	if !ok {
		return math.Inf(1)
	}
	binary, write := c.path("family"), func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	c.run(1, c.path("gen"), "garnet", strconv.Itoa(states), "4", "10", "1", binary)
	return c.printed("solve=", 1, c.path("csr"), binary, "disc", write(mdp.DefaultTolerance*slices.Min(found.Value)), "1000000", write(discounted.Discount))
}

// grid returns the seconds of Gauss-Seidel sweeps from above in C++ for the grid of goalGrid, to the
// relative error 1e-9; +Inf where the program, which also sweeps in other ways, would take minutes.
func (c comparison) grid(width int, discount float64) float64 {
	if float64(width*width)/max(1-discount, 0.01) > 2e7 {
		return math.Inf(1)
	}
	return c.printed(`from above  \d+ sweeps `, 1, c.path("grid"), strconv.Itoa(width), strconv.FormatFloat(discount, 'g', -1, 64), "1e-9")
}

// garnet compares solves of a random model to errors of at most 10⁻⁶, by the default method
// and by value iteration in C++.
func (c comparison) garnet(states int) {
	binary, n := c.path("garnet"), strconv.Itoa(states)
	c.run(1, c.path("gen"), "garnet", n, "4", "10", "1", binary)
	model := garnet(c, states, 4, 10, 1)
	tolerance := 2e-6 / smallest(c, model)
	for _, workers := range []int{1, 2} {
		c.compare(fmt.Sprintf("garnet of %s, certified, %d workers / csr", n, workers), func() float64 {
			result, err := mdp.Solve(context.Background(), model, mdp.Discounted{Discount: 0.99}, mdp.Settings{Tolerance: tolerance, Workers: workers})
			require.NoError(c, err)
			return result.Elapsed.Seconds()
		}, func() float64 {
			return c.printed("solve=", workers, c.path("csr"), binary, "disc", "2e-6", "10000", "0.99")
		})
	}
}
