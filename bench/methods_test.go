package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/assert"
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
// converged. TestLimits prints the same beside plain C++.
func TestMethods(t *testing.T) {
	if !*compareMethods {
		t.Skip("run it with -methods")
	}
	for _, p := range catalogue.Problems() {
		switch p.Criterion.(type) {
		case mdp.LongRunAverage, mdp.Discounted:
			compareFamily(t, comparedModel{name: p.Name, make: func(testing.TB) mdp.Model { return catalogued(t, p) }, criteria: []mdp.Criterion{p.Criterion}}, nil)
		}
	}
	for _, m := range comparedModels(t) {
		compareFamily(t, m, nil)
	}
}

// compareFamily prints the lines of a model, with those of a C++ program if there is one, and
// fails if another method is much faster than the default.
func compareFamily(t *testing.T, m comparedModel, c *comparison) {
	t.Helper()
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	model := m.make(t)
	if m.criteria == nil {
		m.criteria = []mdp.Criterion{mdp.LongRunAverage{}}
		for _, discount := range discounts {
			m.criteria = append(m.criteria, mdp.Discounted{Discount: discount})
		}
	}
	for _, criterion := range m.criteria {
		name := m.name
		switch criterion := criterion.(type) {
		case mdp.Discounted:
			name = fmt.Sprintf("%s, β = %v", m.name, criterion.Discount)
		case mdp.TotalCost:
			name += ", total"
		}
		var reference func(found *mdp.Result) float64
		if c != nil && m.reference != nil {
			reference = func(found *mdp.Result) float64 { return m.reference(*c, criterion, found) }
		}
		assert.Empty(t, compareOn(t, out, name, model, criterion, reference), "another method takes less than two thirds of the time")
	}
	require.NoError(t, out.Flush())
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
// faster than the default. reference, if not nil, is the time in seconds of a C++ program.
func compareOn(t *testing.T, out io.Writer, name string, model mdp.Model, criterion mdp.Criterion, reference func(found *mdp.Result) float64) (slow string) {
	t.Helper()
	methods := []mdp.Method{0, mdp.RelativeValueIteration, mdp.PolicyIteration, mdp.InexactPolicyIteration}
	switch criterion.(type) {
	case mdp.Discounted:
		methods = []mdp.Method{0, mdp.ValueIteration, mdp.ModifiedPolicyIteration, mdp.PolicyIteration, mdp.InexactPolicyIteration}
	case mdp.TotalCost:
		methods = []mdp.Method{0, mdp.PolicyIteration}
	}
	var theirs []float64
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
			if errors.Is(err, mdp.ErrUnsupported) || i > 0 && errors.Is(err, mdp.ErrTooLarge) {
				o.times = append(o.times, 0)
				continue
			}
			if !errors.Is(err, mdp.ErrTimeLimit) && !errors.Is(err, mdp.ErrPrecisionLimit) && !errors.Is(err, mdp.ErrIterationLimit) {
				require.NoError(t, err, "%s, %v", name, method)
			}
			o.times = append(o.times, cpuTime()-began)
		}
		if reference != nil {
			theirs = append(theirs, reference(outcomes[0].result))
		}
	}
	first := &outcomes[0]
	fmt.Fprintf(out, "%s\t%v\t%s", name, first.median().Round(time.Microsecond), strings.ReplaceAll(first.result.Method, " ", "-"))
	if first.result.Status != mdp.Converged {
		fmt.Fprintf(out, ", %v", first.result.Status)
		slow = fmt.Sprintf("%s: %v", name, first.result.Status)
	}
	if slices.Sort(theirs); reference != nil && !math.IsInf(theirs[1], 1) {
		fmt.Fprintf(out, "\tC++ %.2f", theirs[1]/first.median().Seconds())
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
	name     string
	make     func(t testing.TB) mdp.Model
	criteria []mdp.Criterion // nil stands for the average and all discounts

	// reference returns the seconds that a C++ program takes for the same, or +Inf; nil if there is
	// none.
	reference func(c comparison, criterion mdp.Criterion, found *mdp.Result) float64
}

// comparedModels returns models that mix fast, slowly, and in several times, or lead to a goal.
func comparedModels(t testing.TB) []comparedModel {
	var models []comparedModel
	for _, states := range quickSizes(1000, 10_000, 100_000) {
		models = append(models, comparedModel{
			name: fmt.Sprintf("garnet of %d", states), make: func(t testing.TB) mdp.Model { return garnet(t, states, 4, 10, 1) },
			reference: func(c comparison, criterion mdp.Criterion, found *mdp.Result) float64 {
				return c.csr(states, criterion, found)
			},
		})
	}
	for _, size := range []int{20, 100} {
		models = append(models, comparedModel{name: fmt.Sprintf("robots, K = %d", size), make: func(t testing.TB) mdp.Model {
			model, err := robots.NewModel(robots.Parameters{
				Robots: 2 * size, Buffer: size, ArrivalRate: 1 / float64(size), ServiceRate: 1, StarvationWeight: 1.4,
			})
			require.NoError(t, err)
			return model
		}})
	}
	for _, m := range slowModels {
		models = append(models, comparedModel{name: m.name, make: func(t testing.TB) mdp.Model { return m.make(t, m.small) }})
	}
	tandemOf63, isFull := tandem(t, 63)
	return append(append(models, goalModels()...),
		comparedModel{name: "queue of 1000", make: func(t testing.TB) mdp.Model { return serviceControl(t, 1000, 0.8, 1.2, 2) }},
		comparedModel{name: "critical queue of 200", make: func(t testing.TB) mdp.Model { return serviceControl(t, 200, 0.999, 1, 1.001) }},
		comparedModel{name: "walk of 30 × 30", make: func(t testing.TB) mdp.Model { return steeredWalk(t, 30) }},
		comparedModel{name: "small blocks", make: func(t testing.TB) mdp.Model { return decomposable(t, 100, 20, 1e-4) }},
		comparedModel{name: "blocks hardly joined", make: func(t testing.TB) mdp.Model { return decomposable(t, 10, 300, 1e-8) }},
		comparedModel{name: "two time scales", make: func(t testing.TB) mdp.Model { return twoTimes(t, 50, 100, 1e-5) }},
		comparedModel{
			name: "tandem of 63, full by time 10", make: func(testing.TB) mdp.Model { return tandemOf63 },
			criteria: []mdp.Criterion{mdp.TimeHorizon{Time: 10, Terminal: isFull}},
		},
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
