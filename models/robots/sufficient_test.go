package robots_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// All numbers of robots are tried, up to twice as many as are said to be
// enough: none has a gain below that, and one fewer has a higher one.
func TestLeastSufficientRobotsByBruteForce(t *testing.T) {
	r := random(t)
	trials := 60
	if testing.Short() {
		trials = 8
	}
	for trial := range trials {
		p := randomParameters(r, 1, 7, 4)
		if trial == 0 {
			p = process(0, 5, 0.1, 1, 1.4)
		}
		p.Robots = -1 // ignored
		enough, err := robots.LeastSufficientRobots(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		gains := map[int]*robots.Solution{}
		for n := 1; n <= 2*enough+2; n++ {
			p.Robots = n
			gains[n] = solved(t, p)
		}
		least := 1
		for gains[least].Lower > gains[2*enough+2].Upper {
			least++
		}
		assert.Equal(t, least, enough, "%+v", p)
		assert.Equal(t, enough, gains[enough].Measures.RobotsMax, "%+v", p)
		for n := enough + 1; n <= 2*enough+2; n++ {
			assert.InEpsilon(t, gains[enough].Gain, gains[n].Gain, 1e-12, "%d robots, %+v", n, p)
		}
	}
}

// Galloping and bisection find what one finds who tries all numbers.
func TestLeastSufficientRobotsOfAnyGains(t *testing.T) {
	r := random(t)
	p := process(0, 5, 1e-3, 1, 1.4) // begins with 2006 robots
	for range 500 {
		recurs := 1 + r.IntN(2005)
		gains := make([]float64, 2007) // from somewhere on they fall by less than the gap of bounds
		growth := 0.3 * math.Pow(r.Float64(), 6)
		for n := range gains {
			gains[n] = 1 + 1e-9*math.Expm1(growth*float64(max(recurs-n, 0)))
		}
		const gap = 1e-7
		solves := 0
		got, err := robots.LeastSufficient(p, func(n int) (*robots.Solution, error) {
			solves++
			return &robots.Solution{Lower: gains[n] - gap, Upper: gains[n] + gap, Measures: &robots.Measures{RobotsMax: min(n, recurs)}}, nil
		})
		require.NoError(t, err)
		want := recurs
		for want > 1 && !(gains[want-1]-gap > gains[recurs]+gap) {
			want--
		}
		assert.Equal(t, want, got)
		assert.LessOrEqual(t, solves, 3+2*11)
	}
}

// Where an idle server costs a thousand times what a lost page does, far more robots are
// worth having than keep the server busy.
func TestLeastSufficientRobotsWhereLossesAreCheap(t *testing.T) {
	p := process(0, 2, 0.1, 1, 1000)
	enough, err := robots.LeastSufficientRobots(context.Background(), p, mdp.Settings{})
	require.NoError(t, err)
	require.Greater(t, float64(enough), 3*p.ServiceRate/p.ArrivalRate+float64(p.Buffer))
	p.Robots = 4 * enough
	unlimited := solved(t, p)
	p.Robots = enough
	assert.LessOrEqual(t, solved(t, p).Lower, unlimited.Upper)
	p.Robots = enough - 1
	assert.Greater(t, solved(t, p).Lower, unlimited.Upper)
}

// With many robots the next one changes less than bounds tell.
func TestLeastSufficientRobotsWhereTheyAreMany(t *testing.T) {
	if testing.Short() {
		t.Skip("20,000 robots")
	}
	p := process(0, 5, 1e-4, 1, 1.4)
	enough, err := robots.LeastSufficientRobots(context.Background(), p, mdp.Settings{})
	require.NoError(t, err)
	p.Robots = 20_000
	unlimited := solved(t, p)
	assert.Equal(t, 10_099, unlimited.Measures.RobotsMax)
	p.Robots = enough
	assert.LessOrEqual(t, solved(t, p).Lower, unlimited.Upper)
	p.Robots = enough - 1
	assert.Greater(t, solved(t, p).Lower, unlimited.Upper)
}

// Robots that are fast beside the server are worth having up to the number of
// places, K: then q + r = K at all times keeps the queue supplied and loses
// nothing, and the curves are f_0(r) = K − r and f_1(r) = K − 1 − r. Pages wait
// at the server or are fetched by a robot, as machines wait for repair or work,
// so the queue is empty with the probability
//
//	S = 1 / Σ_{i=0}^K K!/(K−i)! (λ/μ)^i
//
// of the machine repair model (L. Kleinrock, Queueing Systems I, 1975, section
// 3.8).
func TestFastRobots(t *testing.T) {
	for _, p := range []robots.Parameters{process(0, 5, 1e3, 1, 1), process(0, 2, 1e6, 1, 1e-3), process(0, 9, 50, 1, 0.5), process(0, 3, 1, 1, 1)} {
		n, err := robots.LeastSufficientRobots(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		assert.Equal(t, p.Buffer, n, "%+v", p)
		p.Robots = n
		s := solved(t, p)
		sum, term := 1.0, 1.0
		for i := range p.Buffer {
			term *= float64(p.Buffer-i) * p.ArrivalRate / p.ServiceRate
			sum += term
		}
		assert.InEpsilon(t, 1/sum, s.Measures.Starvation, 1e-14)
		assert.InEpsilon(t, p.StarvationWeight/sum, s.Gain, 1e-13)
		assert.Zero(t, s.Measures.LossRate)
		curves := s.Policy.Curves()[0]
		for r := range n {
			assert.Equal(t, p.Buffer-r, curves.Departure[r])
			assert.Equal(t, p.Buffer-2-r, curves.Arrival[r+1])
		}
	}
}

func TestLeastSufficientRobotsRefuses(t *testing.T) {
	ctx := context.Background()
	var fault *robots.ParameterError
	_, err := robots.LeastSufficientRobots(ctx, process(0, 1, 1, 1, 1), mdp.Settings{})
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, "Buffer", fault.Field)
	_, err = robots.LeastSufficientRobots(ctx, process(0, 5, math.NaN(), 1, 1), mdp.Settings{})
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, "ArrivalRate", fault.Field)

	for _, p := range []robots.Parameters{
		process(0, 5, 1e-30, 1, 1),
		process(0, 5, 1e-300, 1e300, 1),      // a ratio that overflows
		process(0, 5, 1e-9, 1, 1),            // below 2³¹, but too many pairs
		process(0, math.MaxInt, 1, 1, 1),     // the buffer alone
		process(0, math.MaxInt32, 1e3, 1, 1), // likewise
	} {
		n, err := robots.LeastSufficientRobots(ctx, p, mdp.Settings{})
		require.ErrorIs(t, err, mdp.ErrTooLarge, "%+v", p)
		assert.Zero(t, n)
	}

	ctx, cancel := context.WithCancel(ctx)
	cancel()
	n, err := robots.LeastSufficientRobots(ctx, figure6, mdp.Settings{})
	require.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, n)
	_, err = robots.LeastSufficientRobots(context.Background(), figure6, mdp.Settings{MaxIterations: 1, Method: mdp.RelativeValueIteration})
	require.ErrorIs(t, err, mdp.ErrIterationLimit)
}
