package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/mdptest/catalogue"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

var compareMethods = flag.Bool("methods", false, "TestMethods: compare all methods on all models, which takes minutes")

// discounts are those with which methods are compared.
var discounts = []float64{0.9, 0.99, 0.999, 0.9999, 1 - 1e-6}

const (
	// noticed is the time of a solve below which methods are not compared.
	noticed = 2 * time.Millisecond

	// muchSlower is the multiple of the time of the default after which a method is stopped.
	muchSlower = 10
)

// TestMethods prints how the methods do on each model, and fails if another one takes less
// than two thirds of the time of the default:
//
//	go test ./bench -run Methods -methods
//
// Each method is measured three times, in turn with the others and with one worker; the
// median counts. A line has the time of the default and the method that it chose, and of
// each method the time relative to the default, the iterations, and the status if it is not
// converged.
func TestMethods(t *testing.T) {
	if !*compareMethods {
		t.Skip("run it with -methods")
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	var slow []string
	compare := func(name string, model mdp.Model, criterion mdp.Criterion) {
		if line := compareOn(t, out, name, model, criterion); line != "" {
			slow = append(slow, line)
		}
	}
	for _, p := range catalogue.Problems() {
		switch p.Criterion.(type) {
		case mdp.LongRunAverage, mdp.Discounted:
			compare(p.Name, catalogued(t, p), p.Criterion)
		}
	}
	for _, m := range comparedModels() {
		model := m.make(t)
		compare(m.name, model, mdp.LongRunAverage{})
		for _, discount := range discounts {
			compare(fmt.Sprintf("%s, β = %v", m.name, discount), model, mdp.Discounted{Discount: discount})
		}
		require.NoError(t, out.Flush())
	}
	for _, m := range goalModels() {
		if m.isLarge && !*long {
			continue
		}
		model, goals := m.make(t)
		for _, discount := range m.discounts {
			compare(fmt.Sprintf("%s, β = %v", m.name, discount), model, m.criterion(goals, discount))
		}
		require.NoError(t, out.Flush())
	}
	require.Empty(t, slow, "another method takes less than two thirds of the time")
}

// outcome is how a method did.
type outcome struct {
	times  []time.Duration
	result *mdp.Result
}

func (o *outcome) median() time.Duration {
	slices.Sort(o.times)
	return o.times[len(o.times)/2]
}

// compareOn prints the line of a model, and returns a few words if another method is much
// faster than the default.
func compareOn(t *testing.T, out io.Writer, name string, model mdp.Model, criterion mdp.Criterion) (slow string) {
	t.Helper()
	methods := []mdp.Method{0, mdp.RelativeValueIteration, mdp.PolicyIteration, mdp.InexactPolicyIteration}
	switch criterion.(type) {
	case mdp.Discounted:
		methods = []mdp.Method{0, mdp.ValueIteration, mdp.ModifiedPolicyIteration, mdp.PolicyIteration, mdp.InexactPolicyIteration}
	case mdp.TotalCost:
		methods = []mdp.Method{0, mdp.PolicyIteration}
	}
	outcomes := make([]outcome, len(methods))
	for range 3 {
		for i, method := range methods {
			o := &outcomes[i]
			if len(o.times) > 0 && (o.result == nil || o.result.Status != mdp.Converged) {
				continue
			}
			settings := mdp.Settings{Method: method, Workers: 1, TimeLimit: 30 * time.Second}
			if i > 0 {
				settings.TimeLimit = max(muchSlower*outcomes[0].times[0], 100*noticed)
			}
			began := cpuTime()
			var err error
			o.result, err = mdp.Solve(context.Background(), model, criterion, settings)
			if errors.Is(err, mdp.ErrUnsupported) {
				o.times = append(o.times, 0)
				continue
			}
			if !errors.Is(err, mdp.ErrTimeLimit) && !errors.Is(err, mdp.ErrPrecisionLimit) && !errors.Is(err, mdp.ErrIterationLimit) {
				require.NoError(t, err, "%s, %v", name, method)
			}
			o.times = append(o.times, cpuTime()-began)
		}
	}
	first := &outcomes[0]
	fmt.Fprintf(out, "%s\t%v\t%s", name, first.median().Round(time.Microsecond), strings.ReplaceAll(first.result.Method, " ", "-"))
	if first.result.Status != mdp.Converged {
		fmt.Fprintf(out, ", %v", first.result.Status)
		slow = fmt.Sprintf("%s: %v", name, first.result.Status)
	}
	for i, method := range methods[1:] {
		o := &outcomes[i+1]
		if o.result == nil {
			continue
		}
		times := o.median().Seconds() / first.median().Seconds()
		fmt.Fprintf(out, "\t%v %.2f (%d", method, times, o.result.Iterations)
		if o.result.Status != mdp.Converged {
			fmt.Fprintf(out, ", %v", o.result.Status)
		} else if first.median() > noticed && times < 2.0/3 {
			slow = fmt.Sprintf("%s: %v takes %.2f of the time", name, method, times)
		}
		fmt.Fprint(out, ")")
	}
	fmt.Fprintln(out)
	return slow
}

// cpuTime returns the time that processors have spent on this program.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// catalogued returns a problem of the catalogue with its numbers rounded to float64.
func catalogued(t *testing.T, p *catalogue.Problem) *mdp.Table {
	t.Helper()
	exact := p.Exact()
	a := mdp.TableArrays{StateStart: exact.StateStart, RowStart: exact.RowStart, Columns: exact.Columns}
	a.Rate, _ = exact.Rate.Float64()
	for _, x := range exact.Probabilities {
		p, _ := x.Float64()
		a.Probabilities = append(a.Probabilities, p)
	}
	for _, x := range exact.Costs {
		c, _ := x.Float64()
		a.Costs = append(a.Costs, c)
	}
	table, err := mdp.NewTable(a)
	require.NoError(t, err)
	return table
}

// comparedModel is a model to compare methods on.
type comparedModel struct {
	name string
	make func(t testing.TB) mdp.Model
}

// comparedModels returns models that mix fast, slowly, and in several times.
func comparedModels() []comparedModel {
	var models []comparedModel
	for _, states := range []int{1000, 10_000, 100_000} {
		models = append(models, comparedModel{fmt.Sprintf("garnet of %d", states), func(t testing.TB) mdp.Model { return garnet(t, states, 4, 10, 1) }})
	}
	for _, size := range []int{20, 100} {
		models = append(models, comparedModel{fmt.Sprintf("robots, K = %d", size), func(t testing.TB) mdp.Model {
			model, err := robots.NewModel(robots.Parameters{
				Robots: 2 * size, Buffer: size, ArrivalRate: 1 / float64(size), ServiceRate: 1, StarvationWeight: 1.4,
			})
			require.NoError(t, err)
			return model
		}})
	}
	for _, m := range slowModels {
		models = append(models, comparedModel{m.name, func(t testing.TB) mdp.Model { return m.make(t, m.small) }})
	}
	return append(models,
		comparedModel{"queue of 1000", func(t testing.TB) mdp.Model { return serviceControl(t, 1000, 0.8, 1.2, 2) }},
		comparedModel{"critical queue of 200", func(t testing.TB) mdp.Model { return serviceControl(t, 200, 0.999, 1, 1.001) }},
		comparedModel{"walk of 30 × 30", func(t testing.TB) mdp.Model { return steeredWalk(t, 30) }},
		comparedModel{"small blocks", func(t testing.TB) mdp.Model { return decomposable(t, 100, 20, 1e-4) }},
		comparedModel{"blocks hardly joined", func(t testing.TB) mdp.Model { return decomposable(t, 10, 300, 1e-8) }},
		comparedModel{"two time scales", func(t testing.TB) mdp.Model { return twoTimes(t, 50, 100, 1e-5) }},
	)
}

// twoTimes has a fast part, a walk on a circle at random cost, and a slow one, a walk on a
// line in which few steps move. Of two actions one goes up the line more often, the other
// down.
func twoTimes(t testing.TB, slow, fast int, share float64) *mdp.Table {
	random := splitmix(1)
	var builder mdp.TableBuilder
	for s := range slow * fast {
		builder.AddState()
		y, x := s/fast, s%fast
		at := func(y, x int) int { return min(max(y, 0), slow-1)*fast + (x+fast)%fast }
		for _, up := range []float64{0.3, 0.7} {
			builder.AddAction(random.float())
			builder.AddTransition(at(y, x+1), (1-share)/2)
			builder.AddTransition(at(y, x-1), (1-share)/2)
			builder.AddTransition(at(y+1, x), share*up)
			builder.AddTransition(at(y-1, x), share*(1-up))
		}
	}
	return build(t, &builder)
}
