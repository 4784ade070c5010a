package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// slowModels mix slowly: small ones, or with -long of sizes to report.
var slowModels = []struct {
	name        string
	small, long int // a measure of size
	make        func(b testing.TB, size int) *mdp.Table
}{
	{"decomposable/coupling=1e-3", 250, 1000, func(b testing.TB, size int) *mdp.Table { return decomposable(b, size/10, size, 1e-3) }},
	{"decomposable/coupling=1e-5", 250, 1000, func(b testing.TB, size int) *mdp.Table { return decomposable(b, size/10, size, 1e-5) }},
	{"queue", 10_000, 1_000_000, func(b testing.TB, size int) *mdp.Table { return serviceControl(b, size, 0.8, 1.2, 2) }},
	{"critical-queue", 10_000, 1_000_000, func(b testing.TB, size int) *mdp.Table { return serviceControl(b, size, 0.999, 1, 1.001) }},
	{"walk", 100, 300, steeredWalk},
}

// slowLimit is the multiple of the time of inexact policy iteration after which other
// methods are stopped; without -long, also after a second.
const slowLimit = 30

// BenchmarkSlow solves models that mix slowly to the default tolerance. The
// metric times is the ratio to the time of inexact policy iteration in the same run. If
// gap is not 0 the method was stopped, and would have taken longer: gap is the distance
// of its bounds relative to the largest.
func BenchmarkSlow(b *testing.B) {
	for _, m := range slowModels {
		size := m.small
		if *long {
			size = m.long
		}
		var table *mdp.Table
		for _, c := range []struct {
			criterion mdp.Criterion
			sweeping  mdp.Method
		}{
			{mdp.LongRunAverage{}, mdp.RelativeValueIteration},
			{mdp.Discounted{Discount: 0.9999}, mdp.ValueIteration},
		} {
			var reference time.Duration
			for _, method := range []mdp.Method{mdp.InexactPolicyIteration, 0, c.sweeping} {
				name := "default"
				if method != 0 {
					name = method.String()
				}
				b.Run(fmt.Sprintf("model=%s/size=%d/criterion=%T/method=%s/workers=2", m.name, size, c.criterion, name), func(b *testing.B) {
					if table == nil {
						table = m.make(b, size)
					}
					var result *mdp.Result
					for b.Loop() {
						var err error
						settings := mdp.Settings{Method: method, Workers: 2, TimeLimit: slowLimit * reference}
						if !*long && reference > 0 {
							settings.TimeLimit = min(settings.TimeLimit, time.Second)
						}
						result, err = mdp.Solve(context.Background(), table, c.criterion, settings)
						if !errors.Is(err, mdp.ErrTimeLimit) {
							require.NoError(b, err)
						}
					}
					if reference == 0 {
						reference = result.Elapsed
					}
					gap := 0.0
					if result.Status != mdp.Converged {
						gap = (result.Upper - result.Lower) / max(math.Abs(result.Lower), math.Abs(result.Upper))
					}
					b.ReportMetric(float64(result.Iterations), "rounds")
					b.ReportMetric(result.Elapsed.Seconds()/reference.Seconds(), "times")
					b.ReportMetric(gap, "gap")
				})
			}
		}
	}
}

// build returns the table of a builder.
func build(b testing.TB, builder *mdp.TableBuilder) *mdp.Table {
	b.Helper()
	table, err := builder.Build()
	require.NoError(b, err)
	return table
}

// decomposable is nearly decomposable (Simon and Ando 1961): blocks of states,
// each a random model with 4 actions and 10 next states, which are left
// for a random state with a small probability.
func decomposable(b testing.TB, blocks, size int, coupling float64) *mdp.Table {
	random := splitmix(1)
	var builder mdp.TableBuilder
	for s := range blocks * size {
		builder.AddState()
		for range 4 {
			builder.AddAction(0)
			for range 10 {
				builder.AddTransition(s/size*size+int(random.next()%uint64(size)), (1-coupling)/10)
			}
			builder.AddTransition(int(random.next()%uint64(blocks*size)), coupling)
			builder.AddCost(random.float())
		}
	}
	return build(b, &builder)
}

// serviceControl is a queue on 0 … n−1, a birth-death chain: customers come at
// rate 1, and the service rate is chosen, at a price. With a service rate below
// 1 the values of some policies grow as powers of it.
func serviceControl(b testing.TB, n int, rates ...float64) *mdp.Table {
	total := 1 + rates[len(rates)-1]
	var builder mdp.TableBuilder
	for s := range n {
		builder.AddState()
		for i, rate := range rates {
			builder.AddAction(math.Sqrt(float64(s)) + float64(5*i*i))
			builder.AddTransition(max(s-1, 0), rate/total)
			builder.AddTransition(s, 1-(1+rate)/total)
			builder.AddTransition(min(s+1, n-1), 1/total)
		}
	}
	return build(b, &builder)
}

// steeredWalk is a walk on a square of places of random cost, that is steered a
// little or, for less, left to chance.
func steeredWalk(b testing.TB, width int) *mdp.Table {
	const steering = 0.2
	random := splitmix(1)
	steps := [4][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
	inside := func(i int) int { return min(max(i, 0), width-1) }
	var builder mdp.TableBuilder
	for s := range width * width {
		builder.AddState()
		y, x := s/width, s%width
		cost := random.float()
		for chosen := range len(steps) + 1 {
			builder.AddAction(cost)
			if chosen < len(steps) {
				builder.AddCost(0.1)
			}
			for i, step := range steps {
				p := 0.25
				switch chosen {
				case len(steps):
				case i:
					p = (1-steering)/4 + steering
				default:
					p = (1 - steering) / 4
				}
				builder.AddTransition(inside(y+step[0])*width+inside(x+step[1]), p)
			}
		}
	}
	return build(b, &builder)
}
