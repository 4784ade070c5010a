package robots_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// TestSolveWithinIsTheLinearProgram compares with linear programs over the shares of
// time of states and decisions, solved by HiGHS (testdata/constrained.py), whose
// equations hold to 1e-10.
func TestSolveWithinIsTheLinearProgram(t *testing.T) {
	file, err := os.Open("testdata/constrained.csv")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(rows), 100)
	chances := 0
	for _, row := range rows[1:] {
		number := func(column int) float64 {
			x, err := strconv.ParseFloat(row[column], 64)
			require.NoError(t, err)
			return x
		}
		p := process(int(number(0)), int(number(1)), number(2), number(3), 1)
		most, want := number(5), number(6)
		limit, within := robots.Limit{LossRate: most}, func(m robots.Measures) float64 { return m.LossRate / most }
		switch row[4] {
		case "loss-share":
			limit = robots.Limit{LossShare: most}
			within = func(m robots.Measures) float64 { return m.LossRate / (p.ArrivalRate * m.RobotsMean) / most }
		case "starvation":
			limit, within = robots.Limit{Starvation: most}, func(m robots.Measures) float64 { return m.Starvation / most }
		}
		found, err := robots.SolveWithin(context.Background(), p, limit, mdp.Settings{})
		require.NoError(t, err, row)
		assert.InDelta(t, want, found.Value, 1e-8, row)
		assert.Equal(t, mdp.Converged, found.Status, row)
		assert.LessOrEqual(t, found.Lower, want+1e-9, row)
		assert.LessOrEqual(t, within(found.Measures), 1+1e-12, row)
		if _, ok := found.Policy.Chance(); ok {
			chances++
		}
	}
	assert.Greater(t, chances, 50, "most limits cut the frontier between policies")
}

// TestPolicyFileWithChance writes a policy that leaves a decision to chance, reads it,
// and finds it to do the same.
func TestPolicyFileWithChance(t *testing.T) {
	for _, p := range []robots.Parameters{figure6, {Classes: []robots.Class{{3, 0.2}, {2, 0.5}}, Buffer: 4, ServiceRate: 1}} {
		found, err := robots.SolveWithin(context.Background(), p, robots.Limit{LossShare: 0.03}, mdp.Settings{})
		require.NoError(t, err)
		want, ok := found.Policy.Chance()
		require.True(t, ok)
		var file bytes.Buffer
		require.NoError(t, found.Policy.WriteJSON(&file))
		policy, err := robots.ReadPolicy(bytes.NewReader(file.Bytes()), "policy.json")
		require.NoError(t, err)
		got, ok := policy.Chance()
		require.True(t, ok)
		assert.Equal(t, want, got)
		measures, err := robots.Measure(context.Background(), policy)
		require.NoError(t, err)
		assert.Equal(t, found.Measures, measures)

		for _, change := range [][2]string{
			{`"probability": `, `"probability": 1`},
			{`"queue": `, `"queue": 9`},
			{`"table": "`, `"table": "x`},
			{`"phase": 0`, `"phase": 7`},
			{`"action"`, `"queue"`},
		} {
			text := strings.Replace(file.String(), change[0], change[1], 1)
			if change[0] == `"queue": ` || change[0] == `"action"` {
				at := strings.Index(text, `"chance"`)
				text = file.String()[:at] + strings.Replace(file.String()[at:], change[0], change[1], 1)
			}
			_, err := robots.ReadPolicy(strings.NewReader(text), "policy.json")
			assert.ErrorContains(t, err, "policy.json:", "%v", change)
		}
	}
}

// TestSolveWithinExtremes has limits that need no policy between two others: no page
// need be lost, all robots may be active, and a limit that no policy keeps to.
func TestSolveWithinExtremes(t *testing.T) {
	p := process(16, 5, 0.1, 1, 1)
	all, err := p.EvaluateStatic(16)
	require.NoError(t, err)

	found, err := robots.SolveWithin(context.Background(), p, robots.Limit{LossRate: 1}, mdp.Settings{})
	require.NoError(t, err)
	assert.InEpsilon(t, all.Starvation, found.Value, 1e-13)
	assert.True(t, math.IsInf(found.Weight, 1))

	found, err = robots.SolveWithin(context.Background(), p, robots.Limit{Starvation: 0.95}, mdp.Settings{})
	require.NoError(t, err)
	assert.Zero(t, found.Value)
	assert.Zero(t, found.Weight)
	// Without need, the queue is not starved: K robots, each of which has a place of its
	// own, are the machines that a repairman serves, and all work with probability 1/Σ.
	sum, term := 1.0, 1.0
	for n := range p.Buffer {
		term *= float64(p.Buffer-n) * p.ArrivalRate / p.ServiceRate
		sum += term
	}
	assert.InEpsilon(t, 1/sum, found.Measures.Starvation, 1e-13)

	_, err = robots.SolveWithin(context.Background(), p, robots.Limit{Starvation: 0.01}, mdp.Settings{})
	unattainable, ok := errors.AsType[*robots.ParameterError](err)
	require.True(t, ok, err)
	assert.Equal(t, "Starvation", unattainable.Field)
	var least float64
	_, err = fmt.Sscanf(unattainable.Allowed, "a number of at least %g, the starvation", &least)
	require.NoError(t, err)
	assert.InEpsilon(t, all.Starvation, least, 1e-13)

	for _, limit := range []robots.Limit{
		{},
		{LossRate: -1},
		{LossRate: math.Inf(1)},
		{LossShare: 1},
		{LossShare: math.NaN()},
		{Starvation: -0.1},
		{Starvation: 1.1},
		{LossRate: 1, Starvation: 0.5},
	} {
		_, err := robots.SolveWithin(context.Background(), p, limit, mdp.Settings{})
		assert.Error(t, err)
	}
	p.RobotCost = 1
	_, err = robots.SolveWithin(context.Background(), p, robots.Limit{LossRate: 1}, mdp.Settings{})
	assert.Error(t, err)
}

// TestSolveWithinLosesNothing has a limit on starvation that leaves room: of the policies
// that lose no page it takes one that starves the queue least, as the best one does for a
// weight next to 0.
func TestSolveWithinLosesNothing(t *testing.T) {
	for _, p := range []robots.Parameters{
		process(3, 5, 0.4, 1, 1e-6), process(6, 4, 0.3, 1, 1e-6), process(1, 2, 5, 1, 1e-6),
		{Robots: 3, Buffer: 4, ArrivalRate: 0.5, ServiceRate: 1, StarvationWeight: 1e-6, Service: mustLaw(t, "erlang:2", 1)},
	} {
		best, err := robots.Solve(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		require.Zero(t, best.Measures.LossRate)
		found, err := robots.SolveWithin(context.Background(), p, robots.Limit{Starvation: 1}, mdp.Settings{})
		require.NoError(t, err)
		assert.Zero(t, found.Value)
		assert.InEpsilon(t, best.Measures.Starvation, found.Measures.Starvation, 1e-12)
	}
}

// TestSolveWithinIsOnTheFrontier takes the limit of each point of a frontier: the best
// policy within it is as good as that point, to the accuracy of breakpoints.
func TestSolveWithinIsOnTheFrontier(t *testing.T) {
	p := process(16, 5, 0.1, 1, 1)
	frontier, err := robots.NewFrontier(context.Background(), p, robots.FrontierSettings{From: 0.5, To: 5})
	require.NoError(t, err)
	require.Greater(t, len(frontier.Points), 3)
	for _, point := range frontier.Points {
		found, err := robots.SolveWithin(context.Background(), p, robots.Limit{LossRate: point.Measures.LossRate}, mdp.Settings{})
		require.NoError(t, err)
		assert.InEpsilon(t, point.Measures.Starvation, found.Value, 1e-11)
		found, err = robots.SolveWithin(context.Background(), p, robots.Limit{Starvation: point.Measures.Starvation}, mdp.Settings{})
		require.NoError(t, err)
		assert.InEpsilon(t, point.Measures.LossRate, found.Value, 1e-11)
	}
}

// TestSolveWithinWhereStarvationIsOneValue has policies whose starvation differs by less
// than rounding, and a limit on losses between theirs.
func TestSolveWithinWhereStarvationIsOneValue(t *testing.T) {
	p := process(2, 20, 0.01, 1, 1)
	found, err := robots.SolveWithin(context.Background(), p, robots.Limit{LossRate: 1e-45}, mdp.Settings{})
	require.NoError(t, err)
	assert.Equal(t, mdp.Converged, found.Status)
	assert.LessOrEqual(t, found.Measures.LossRate, 1e-45)
	fixed, err := p.EvaluateStatic(2)
	require.NoError(t, err)
	assert.InEpsilon(t, fixed.Starvation, found.Value, 1e-14) // all robots active starve it least
	assert.InEpsilon(t, fixed.Starvation, found.Lower, 1e-14)
}

// TestSolveWithinBetweenTheEnds has limits between the two policies at the ends, whose
// starvation differs by rounding alone, so that nothing is solved.
func TestSolveWithinBetweenTheEnds(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for range 300 {
		p := process(2+random.IntN(3), 4+random.IntN(20), math.Pow(10, -5+5*random.Float64()), 1, 1)
		eager, err := p.EvaluateStatic(p.Robots)
		require.NoError(t, err)
		most := eager.LossRate * random.Float64()
		if most == 0 {
			continue
		}
		found, err := robots.SolveWithin(context.Background(), p, robots.Limit{LossRate: most}, mdp.Settings{})
		require.NoError(t, err, "%+v", p)
		assert.Equal(t, mdp.Converged, found.Status, "%+v", p)
		assert.LessOrEqual(t, found.Measures.LossRate, most*(1+1e-11), "%+v", p)
		assert.GreaterOrEqual(t, found.Value, eager.Starvation*(1-1e-11), "%+v", p)
	}
}

// TestSolveWithinWhereNothingStarves has robots so fast that starvation is 0 in float64 under
// every policy: (λ/μ)⁻²⁰ = 10⁻²⁰⁰⁰.
func TestSolveWithinWhereNothingStarves(t *testing.T) {
	found, err := robots.SolveWithin(context.Background(), process(2, 20, 1e100, 1, 1), robots.Limit{LossRate: 1e90}, mdp.Settings{})
	require.NoError(t, err)
	assert.Zero(t, found.Value)
	assert.Zero(t, found.Lower)
	assert.LessOrEqual(t, found.Measures.LossRate, 1e90)
}

// TestSolveWithinKeepsToTheLimit has robots so fast that a policy keeps to the limit by what
// it does with a probability of 10⁻⁸⁵ or less, and robots so slow that a policy between two
// others has several closed classes.
func TestSolveWithinKeepsToTheLimit(t *testing.T) {
	for _, c := range []struct {
		parameters robots.Parameters
		most       float64
	}{
		{process(3, 2, 44.7, 4.54e-46, 1), 25.21},
		{process(8, 2, 0.142, 3.25e-111, 1), 5e-136},
		{robots.Parameters{Classes: []robots.Class{{2, 99.2}, {1, 1.05e-12}, {1, 7.18}}, Buffer: 2, ServiceRate: 601}, 5e-30},
	} {
		found, err := robots.SolveWithin(context.Background(), c.parameters, robots.Limit{LossRate: c.most}, mdp.Settings{})
		require.NoError(t, err)
		assert.Equal(t, mdp.Converged, found.Status)
		assert.LessOrEqual(t, found.Measures.LossRate, c.most*(1+1e-11))
		measures, err := robots.Measure(context.Background(), found.Policy)
		require.NoError(t, err)
		if found.Other == nil {
			assert.Equal(t, found.Measures, measures)
			continue
		}
		other, err := robots.Measure(context.Background(), found.Other)
		require.NoError(t, err)
		assert.LessOrEqual(t, measures.LossRate, c.most)
		assert.InEpsilon(t, c.most, (1-found.OtherShare)*measures.LossRate+found.OtherShare*other.LossRate, 1e-12)
		assert.InEpsilon(t, found.Value, (1-found.OtherShare)*measures.Starvation+found.OtherShare*other.Starvation, 1e-12)
	}
}

// TestSolveWithinMixesPolicies has a limit between two policies that recur in different states:
// which one is followed is drawn at the start.
func TestSolveWithinMixesPolicies(t *testing.T) {
	p := robots.Parameters{Classes: []robots.Class{{2, 13.72}, {3, 24.34}, {2, 0.1219}}, Buffer: 2, ServiceRate: 1.846}
	found, err := robots.SolveWithin(context.Background(), p, robots.Limit{LossShare: 0.302}, mdp.Settings{})
	require.NoError(t, err)
	assert.Equal(t, mdp.Converged, found.Status)
	require.NotNil(t, found.Other)
	share := func(m robots.Measures) float64 { return m.LossRate / (m.LossRate + p.ServiceRate*(1-m.Starvation)) }
	assert.InEpsilon(t, 0.302, share(found.Measures), 1e-12)
	kept, err := robots.Measure(context.Background(), found.Policy)
	require.NoError(t, err)
	other, err := robots.Measure(context.Background(), found.Other)
	require.NoError(t, err)
	assert.Less(t, share(kept), 0.302)
	assert.Greater(t, share(other), 0.302)
	for _, policy := range []robots.Measures{kept, other} { // both are optimal without a limit
		free := p
		free.StarvationWeight = found.Weight * (1 + 1e-7) // next to the tie
		best, err := robots.Solve(context.Background(), free, mdp.Settings{})
		require.NoError(t, err)
		assert.InEpsilon(t, best.Gain, free.StarvationWeight*policy.Starvation+policy.LossRate, 1e-6)
	}
}

// TestSolveWithinEndsEarly ends in iterations from the first to the last, by a limit and by an
// interruption, and yields a policy that keeps to the limit and bounds that hold.
func TestSolveWithinEndsEarly(t *testing.T) {
	p := process(16, 5, 0.1, 1, 1)
	for _, limit := range []robots.Limit{{LossRate: 0.01}, {Starvation: 0.3}} {
		settings := mdp.Settings{Method: mdp.RelativeValueIteration}
		best, err := robots.SolveWithin(context.Background(), p, limit, settings)
		require.NoError(t, err)
		assert.Equal(t, settings.Method.String(), best.Method)
		fixed, err := p.BestStatic(context.Background(), limit)
		require.NoError(t, err)
		check := func(found *robots.Constrained, status mdp.Status) {
			require.NotNil(t, found)
			assert.Equal(t, status, found.Status)
			assert.LessOrEqual(t, found.Lower, best.Value)
			assert.GreaterOrEqual(t, found.Upper, best.Value)
			if limit.Starvation > 0 {
				assert.LessOrEqual(t, found.Measures.Starvation, 0.3)
				assert.LessOrEqual(t, found.Value, fixed.LossRate)
			} else {
				assert.LessOrEqual(t, found.Measures.LossRate, 0.01)
				assert.LessOrEqual(t, found.Value, fixed.Starvation)
			}
		}
		over, cancel := context.WithCancel(context.Background())
		cancel()
		found, err := robots.SolveWithin(over, p, limit, settings)
		require.ErrorIs(t, err, context.Canceled)
		check(found, mdp.Interrupted)
		assert.True(t, math.IsNaN(found.Weight))
		settings.MaxIterations = 3
		found, err = robots.SolveWithin(context.Background(), p, limit, settings)
		require.ErrorIs(t, err, mdp.ErrIterationLimit)
		check(found, mdp.IterationLimit)
		settings.MaxIterations = 0
		for at := 1; at <= best.Iterations; at += max(1, best.Iterations/31) {
			ctx, cancel := context.WithCancel(context.Background())
			count := 0
			settings.Record = func(mdp.Progress) error {
				if count++; count == at {
					cancel()
				}
				return nil
			}
			found, err := robots.SolveWithin(ctx, p, limit, settings)
			cancel()
			if err != nil { // of the last iterations, some have the answer with them
				require.ErrorIs(t, err, context.Canceled)
				check(found, mdp.Interrupted)
			} else {
				check(found, mdp.Converged)
			}
		}
	}
}

// TestSolveWithinWherePoliciesTie has a limit whose multiplier is a weight at which no solve
// comes to its end.
func TestSolveWithinWherePoliciesTie(t *testing.T) {
	p := robots.Parameters{Classes: []robots.Class{{3, 3.0747678438816264}, {4, 40.544882988394434}, {4, 17.071856990536837}}, Buffer: 4, ServiceRate: 0.2102992994033118}
	found, err := robots.SolveWithin(context.Background(), p, robots.Limit{LossShare: 0.28313035718132357}, mdp.Settings{})
	require.NoError(t, err)
	assert.Equal(t, mdp.Converged, found.Status)
	assert.InEpsilon(t, found.Upper, found.Lower, 1e-9)
	for _, weight := range []float64{found.Weight * (1 - 1e-7), found.Weight * (1 + 1e-7)} { // next to the tie
		p.StarvationWeight = weight
		free, err := robots.Solve(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		assert.InEpsilon(t, free.Gain, weight*found.Measures.Starvation+found.Measures.LossRate, 1e-7)
	}
}
