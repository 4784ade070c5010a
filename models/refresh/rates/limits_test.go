package rates

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// limitedProblem draws a problem whose pages have least and greatest rates that matter.
func limitedProblem(r *rand.Rand, objective refresh.Objective) refresh.Problem {
	n := 1 + r.IntN(12)
	p := refresh.Problem{Objective: objective, Bandwidth: float64(n) * math.Pow(10, r.Float64()-0.5)}
	p.Pages = refresh.Pages{
		ChangeRates: make([]float64, n), Weights: make([]float64, n),
		LeastRates: make([]float64, n), GreatestRates: make([]float64, n),
	}
	needed := 0.0
	for i := range n {
		p.Pages.ChangeRates[i], p.Pages.Weights[i] = math.Pow(10, 2*r.Float64()-1), math.Pow(10, r.Float64()-0.5)
		p.Pages.GreatestRates[i] = math.Inf(1)
		if r.IntN(2) == 0 {
			p.Pages.LeastRates[i] = 0.8 * r.Float64() * p.Bandwidth / float64(n)
		}
		switch r.IntN(4) {
		case 0:
			p.Pages.GreatestRates[i] = p.Pages.LeastRates[i] + 1.2*r.Float64()*p.Bandwidth/float64(n)
		case 1:
			p.Pages.GreatestRates[i] = max(p.Pages.LeastRates[i], 0.01)
		}
		needed += p.Pages.LeastRates[i]
	}
	if needed > 0 && !objective.Minimizes() && r.IntN(10) == 0 { // else pages without a rate cost +Inf
		p.Bandwidth = needed
	}
	if r.IntN(3) == 0 {
		hosts := 1 + r.IntN(3)
		p.Hosts, p.HostCaps = make([]int32, n), make([]float64, hosts)
		for i := range n {
			p.Hosts[i] = int32(r.IntN(hosts))
			p.HostCaps[p.Hosts[i]] += p.Pages.LeastRates[i]
		}
		for h := range hosts {
			p.HostCaps[h] += r.Float64() * p.Bandwidth / float64(hosts)
		}
	}
	return p
}

// derivative is f′ as the definition of an objective has it, written out once more.
func derivative(objective refresh.Objective, delta, weight, x float64) float64 {
	z := delta / x
	switch objective.(type) {
	case refresh.Random:
		return weight * delta / ((x + delta) * (x + delta))
	case refresh.Harmonic:
		return weight * delta / (x * (x + delta))
	case refresh.Age:
		return weight * (1/(2*x*x) - (1-math.Exp(-z)*(1+z))/(delta*delta))
	}
	return weight / delta * (1 - math.Exp(-z)*(1+z))
}

// bisected solves a problem without hosts by two bisections, one inside the other. What is left of
// the bandwidth where the demand jumps is shared out.
func bisected(p *refresh.Problem) []float64 {
	ask := func(price float64) (x []float64, sum float64) {
		x = make([]float64, p.Pages.Len())
		for i := range x {
			low, high := p.Pages.LeastRates[i], min(p.Pages.GreatestRates[i], p.Bandwidth)
			for range 80 {
				middle := (low + high) / 2
				if derivative(p.Objective, p.Pages.ChangeRates[i], p.Pages.Weights[i], middle) > price {
					low = middle
				} else {
					high = middle
				}
			}
			x[i] = (low + high) / 2
			sum += x[i]
		}
		return x, sum
	}
	low, high := -40.0, 40.0 // ln of the price
	for range 100 {
		middle := (low + high) / 2
		if _, sum := ask(math.Exp(middle)); sum > p.Bandwidth {
			low = middle
		} else {
			high = middle
		}
	}
	more, over := ask(math.Exp(low))
	x, sum := ask(math.Exp(high))
	if over > sum {
		for i := range x {
			x[i] += (p.Bandwidth - sum) / (over - sum) * (more[i] - x[i])
		}
	}
	return x
}

var limitedObjectives = []refresh.Objective{refresh.FixedOrder{}, refresh.Random{}, refresh.Age{}, refresh.Harmonic{}}

// keepsLimits checks the rates of a solution against all limits of its problem.
func keepsLimits(t *testing.T, p *refresh.Problem, s *Solution) {
	t.Helper()
	used := make([]float64, len(p.HostCaps))
	all := 0.0
	for i, x := range s.Rates {
		require.GreaterOrEqual(t, x, p.Pages.LeastRate(i))
		require.LessOrEqual(t, x, p.Pages.GreatestRate(i))
		all += x
		if p.Hosts != nil {
			used[p.Hosts[i]] += x
		}
	}
	require.LessOrEqual(t, all, p.Bandwidth*(1+1e-12))
	for h, sum := range used {
		require.LessOrEqual(t, sum, p.HostCaps[h]*(1+1e-12))
	}
	require.InEpsilon(t, s.Bound, s.Value, 1e-11)
}

func TestLimitsAgainstBisection(t *testing.T) {
	trials := 100
	if *longRun {
		trials = 1000
	}
	r := rand.New(rand.NewPCG(42, 1))
	for trial := range trials {
		p := limitedProblem(r, limitedObjectives[trial%len(limitedObjectives)])
		p.Hosts, p.HostCaps = nil, nil
		s := solve(t, p)
		keepsLimits(t, &p, s)
		x := bisected(&p)
		values, marginals := make([]float64, len(x)), make([]float64, len(x))
		p.Objective.Measure(values, marginals, p.Pages, x)
		sum := 0.0
		for _, value := range values {
			sum += value
		}
		require.InEpsilon(t, sum, s.Value, 1e-8, "trial %d", trial)
	}
}

// The same problems, with hosts, beside SciPy: SCIPY_PYTHON names a Python that has it.
func TestLimitsAgainstSciPy(t *testing.T) {
	python := os.Getenv("SCIPY_PYTHON")
	if python == "" {
		t.Skip("SCIPY_PYTHON is not set")
	}
	trials := 100
	if *longRun {
		trials = 1000
	}
	type question struct {
		Objective                     string
		Bandwidth                     float64
		Changes, Weights, Least, Most []float64
		Hosts                         []int32
		Caps                          []float64
	}
	r := rand.New(rand.NewPCG(42, 2))
	var problems []refresh.Problem
	var questions []question
	for trial := range trials {
		p := limitedProblem(r, limitedObjectives[trial%len(limitedObjectives)])
		most := slices.Clone(p.Pages.GreatestRates)
		for i := range most {
			most[i] = min(most[i], p.Bandwidth)
		}
		problems = append(problems, p)
		questions = append(questions, question{
			p.Objective.String(), p.Bandwidth, p.Pages.ChangeRates, p.Pages.Weights, p.Pages.LeastRates, most, p.Hosts, p.HostCaps,
		})
	}
	input, err := json.Marshal(questions)
	require.NoError(t, err)
	command := exec.Command(python, "testdata/convex.py")
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	require.NoError(t, err)
	var values []float64
	require.NoError(t, json.Unmarshal(output, &values))
	for trial, p := range problems {
		s := solve(t, p)
		keepsLimits(t, &p, s)
		assert.InEpsilon(t, values[trial], s.Value, 1e-8, "trial %d, %v", trial, p.Objective)
	}
}

func TestPagesAtTheirLimits(t *testing.T) {
	p := refresh.Problem{
		Pages: refresh.Pages{
			ChangeRates:   []float64{1, 1, 100, 1},
			LeastRates:    []float64{0, 0, 0.5, 0},
			GreatestRates: []float64{math.Inf(1), 0.25, math.Inf(1), math.Inf(1)},
		},
		Objective: refresh.Random{}, Bandwidth: 4.75,
	}
	s := solve(t, p)
	// Pages 0 and 3 share what the limits of the others leave.
	assert.InDeltaSlice(t, []float64{2, 0.25, 0.5, 2}, s.Rates, 1e-12)
	assert.InDelta(t, 1./9, s.Multiplier, 1e-12)
	assert.Equal(t, 1, s.AtLeast)
	assert.Equal(t, 1, s.AtMost)

	// Where there is bandwidth to spare, all pages take what they may.
	p.Pages.GreatestRates = []float64{1, 0.25, 2, 1}
	s = solve(t, p)
	assert.Equal(t, p.Pages.GreatestRates, s.Rates)
	assert.Equal(t, 4.25, s.Used)
	assert.Zero(t, s.Multiplier)

	// Ten times a tenth is 1, up to rounding.
	p = refresh.Problem{Pages: refresh.Pages{ChangeRates: slices.Repeat([]float64{1}, 10), LeastRates: slices.Repeat([]float64{0.1}, 10)}, Objective: refresh.FixedOrder{}, Bandwidth: 1}
	assert.Equal(t, p.Pages.LeastRates, solve(t, p).Rates)
}

func TestLeastRatesThatDoNotFit(t *testing.T) {
	p := refresh.Problem{
		Pages:     refresh.Pages{ChangeRates: []float64{1, 2, 3}, LeastRates: []float64{0.5, 2, 1}},
		Objective: refresh.FixedOrder{}, Bandwidth: 3,
	}
	_, err := Optimize(context.Background(), p, Settings{})
	var excess *ExcessError
	require.ErrorAs(t, err, &excess)
	assert.Equal(t, ExcessError{-1, 3.5, 3}, *excess)

	p.Bandwidth, p.Hosts, p.HostCaps = 10, []int32{0, 1, 0}, []float64{1, 5}
	_, err = Optimize(context.Background(), p, Settings{})
	require.ErrorAs(t, err, &excess)
	assert.Equal(t, ExcessError{0, 1.5, 1}, *excess)

	p.Pages.GreatestRates = []float64{1, 1, 1}
	_, err = Optimize(context.Background(), p, Settings{})
	var page *refresh.PageError
	require.ErrorAs(t, err, &page)
	assert.Equal(t, 1, page.Page)
}

// Shards may lack columns that others have: there pages have weight 1, no limits and no signals.
func TestShardsWithoutColumns(t *testing.T) {
	const n = 3000
	r := rand.New(rand.NewPCG(42, 4))
	pages := refresh.Pages{
		Weights: slices.Repeat([]float64{1}, n), LeastRates: make([]float64, n),
		GreatestRates: slices.Repeat([]float64{math.Inf(1)}, n), Recalls: make([]float64, n),
	}
	for i := range n {
		pages.ChangeRates = append(pages.ChangeRates, r.Float64())
		if i >= n/3 {
			pages.Weights[i], pages.LeastRates[i], pages.Recalls[i] = r.ExpFloat64(), 0.2*r.Float64(), r.Float64()
			pages.GreatestRates[i] = pages.LeastRates[i] + r.Float64()
		}
	}
	shards := []refresh.Pages{pages.Slice(0, n/3), pages.Slice(n/3, n)}
	shards[0] = refresh.Pages{ChangeRates: shards[0].ChangeRates}
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		for _, name := range []string{"fixed-order", "discrete"} {
			problem := Sharded{Objective: name, Bandwidth: n / 3}
			objective, err := problem.Best()
			require.NoError(t, err)
			whole := solve(t, refresh.Problem{Pages: pages, Objective: objective, Bandwidth: n / 3})
			found := make([]float64, n)
			parts := [][]float64{found[:n/3], found[n/3:]}
			s, err := problem.Optimize(t.Context(), func(q *Question) (*Answer, error) {
				all := &Answer{}
				for _, shard := range order {
					a, err := problem.Answer(q, shards[shard], parts[shard], 1)
					if err != nil {
						return nil, err
					}
					all.Merge(a)
				}
				return all, nil
			})
			require.NoError(t, err)
			assert.InDeltaSlice(t, whole.Rates, found, 1e-9)
			assert.InEpsilon(t, whole.Value, s.Value, 1e-12)
			assert.Equal(t, whole.AtMost, s.AtMost)
		}
	}
}

func TestLimitsInShards(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 3))
	pages := randomPages(r, 3000, 2, false)
	pages.Weights = nil
	pages.LeastRates, pages.GreatestRates = make([]float64, 3000), make([]float64, 3000)
	for i := range pages.LeastRates {
		pages.LeastRates[i] = 0.5 * r.Float64()
		pages.GreatestRates[i] = pages.LeastRates[i] + r.Float64()
	}
	whole := solve(t, refresh.Problem{Pages: pages, Objective: refresh.FixedOrder{}, Bandwidth: 2000})
	problem := Sharded{Objective: "fixed-order", Bandwidth: 2000, Shards: 3}
	found := make([]float64, 3000)
	s, err := problem.Optimize(context.Background(), func(q *Question) (*Answer, error) {
		all := &Answer{}
		for shard := range 3 {
			part := pages.Slice(1000*shard, 1000*(shard+1))
			a, err := problem.Answer(q, part, found[1000*shard:1000*(shard+1)], 1)
			if err != nil {
				return nil, err
			}
			all.Merge(a)
		}
		return all, nil
	})
	require.NoError(t, err)
	assert.InDeltaSlice(t, whole.Rates, found, 1e-9)
	assert.InEpsilon(t, whole.Value, s.Value, 1e-12)
	assert.Equal(t, whole.AtLeast, s.AtLeast)
	assert.Positive(t, s.AtLeast)
	assert.Positive(t, s.AtMost)

	problem.Bandwidth = 100
	_, err = problem.Optimize(context.Background(), func(q *Question) (*Answer, error) { return problem.Answer(q, pages, nil, 1) })
	assert.ErrorContains(t, err, "need a bandwidth of")
}
