package mdp_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// slowModel is a queue whose values take many sweeps, with gain 1/2.
func slowModel(t *testing.T) *mdp.Table {
	t.Helper()
	const n = 600
	arrays := tableArrays(birthDeath(t, n, func(int) (up, down float64) { return 0.5, 0.5 }))
	for s := n / 2; s < n; s++ {
		arrays.Costs[s] = 1
	}
	table, err := mdp.NewTable(arrays)
	require.NoError(t, err)
	return table
}

// assertUsable checks a result that comes with an error.
func assertUsable(t *testing.T, result *mdp.Result, status mdp.Status) {
	t.Helper()
	require.NotNil(t, result)
	assert.Equal(t, status, result.Status)
	assert.LessOrEqual(t, result.Lower, 0.5)
	assert.GreaterOrEqual(t, result.Upper, 0.5)
	assert.LessOrEqual(t, result.Lower, result.Gain)
	assert.LessOrEqual(t, result.Gain, result.Upper)
	assert.Len(t, result.Policy, 600)
	assert.Len(t, result.Bias, 600)
	assert.Positive(t, result.Elapsed)
}

var bothMethods = []mdp.Method{mdp.RelativeValueIteration, mdp.PolicyIteration}

func TestSolveInAContextThatHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errEnough)
	for _, method := range bothMethods {
		result, err := mdp.Solve(ctx, slowModel(t), mdp.LongRunAverage{}, mdp.Settings{Method: method})
		require.ErrorIs(t, err, errEnough)
		assertUsable(t, result, mdp.Interrupted)
		assert.Zero(t, result.Iterations)
	}
}

func TestSolveCancelledOnTheWay(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	result, err := mdp.Solve(ctx, slowModel(t), mdp.LongRunAverage{}, mdp.Settings{
		Method: mdp.RelativeValueIteration,
		Record: func(p mdp.Progress) error {
			if p.Iteration == 7 {
				cancel()
			}
			return nil
		},
	})
	require.ErrorIs(t, err, context.Canceled)
	assertUsable(t, result, mdp.Interrupted)
	assert.Equal(t, 7, result.Iterations)
}

func TestSolveUpToADeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	result, err := mdp.Solve(ctx, slowModel(t), mdp.LongRunAverage{}, mdp.Settings{Method: mdp.RelativeValueIteration})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assertUsable(t, result, mdp.Interrupted)
}

func TestTimeLimit(t *testing.T) {
	for _, method := range bothMethods {
		result, err := mdp.Solve(context.Background(), slowModel(t), mdp.LongRunAverage{},
			mdp.Settings{Method: method, TimeLimit: time.Nanosecond})
		require.ErrorIs(t, err, mdp.ErrTimeLimit)
		assertUsable(t, result, mdp.TimeLimit)
	}
}

func TestMaxIterations(t *testing.T) {
	result, err := mdp.Solve(context.Background(), slowModel(t), mdp.LongRunAverage{},
		mdp.Settings{Method: mdp.RelativeValueIteration, MaxIterations: 5})
	require.ErrorIs(t, err, mdp.ErrIterationLimit)
	assertUsable(t, result, mdp.IterationLimit)
	assert.Equal(t, 5, result.Iterations)
	assert.ErrorContains(t, err, "iteration 5")
}

func TestRecordEndsASolve(t *testing.T) {
	for _, method := range bothMethods {
		result, err := mdp.Solve(context.Background(), slowModel(t), mdp.LongRunAverage{}, mdp.Settings{
			Method: method,
			Record: func(p mdp.Progress) error {
				assert.LessOrEqual(t, p.Lower, 0.5)
				assert.GreaterOrEqual(t, p.Upper, 0.5)
				return errEnough
			},
		})
		require.ErrorIs(t, err, errEnough)
		assertUsable(t, result, mdp.Interrupted)
		assert.Equal(t, 1, result.Iterations)
	}
}

// Rounding never makes Within true next to the tolerance, and false only there.
func TestWithinRoundsAgainstItself(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	exact := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	for range 20_000 {
		lower, tolerance := math.Exp2(20*random.Float64()-10), math.Exp2(-20*random.Float64())
		upper := lower + tolerance*lower*(1+float64(random.IntN(17)-8)*0x1p-53)
		allowed := new(big.Rat).Mul(exact(tolerance), exact(lower))
		if apart := new(big.Rat).Sub(exact(upper), exact(lower)); apart.Cmp(allowed) > 0 {
			require.False(t, mdp.Within(lower, upper, 0, tolerance), "%v, %v, %v", lower, upper, tolerance)
		}
		require.True(t, mdp.Within(lower, upper, 0, tolerance*(1+0x1p-30)+0x1p-50), "%v, %v, %v", lower, upper, tolerance)
	}
}

func TestSettingsOutOfRange(t *testing.T) {
	for name, settings := range map[string]mdp.Settings{
		"Tolerance -1":     {Tolerance: -1},
		"Tolerance NaN":    {Tolerance: math.NaN()},
		"Tolerance +Inf":   {Tolerance: math.Inf(1)},
		"MaxIterations -1": {MaxIterations: -1},
		"TimeLimit -1ns":   {TimeLimit: -1},
		"Workers -1":       {Workers: -1},
		"Values of length 2 is not valid: the model has 600": {Values: []float64{1, 2}},
		"Values of length 0 is not valid: the model has 600": {Values: []float64{}},
		"Values[599] NaN":  {Values: append(make([]float64, 599), math.NaN())},
		"Values[599] -Inf": {Values: append(make([]float64, 599), math.Inf(-1))},
	} {
		result, err := mdp.Solve(context.Background(), slowModel(t), mdp.LongRunAverage{}, settings)
		assert.Nil(t, result)
		assert.ErrorContains(t, err, "mdp: Settings."+name)
	}
}

func TestSolveWithoutAModelOrACriterion(t *testing.T) {
	for _, test := range []struct {
		model     mdp.Model
		criterion mdp.Criterion
		want      string
	}{
		{nil, mdp.LongRunAverage{}, "mdp: nil argument: the model is nil"},
		{(*mdp.Table)(nil), mdp.LongRunAverage{}, "mdp: nil argument: the model is nil"},
		{(*mdp.Compiled[int, int])(nil), mdp.Discounted{Discount: 0.5}, "mdp: nil argument: the model is nil"},
		{slowModel(t), nil, "mdp: nil argument: the criterion is nil: use one such as mdp.LongRunAverage{}"},
		{slowModel(t), (*mdp.TotalCost)(nil), "mdp: nil argument: the criterion is nil: use one such as mdp.LongRunAverage{}"},
		{nil, nil, "mdp: nil argument: the model is nil"},
	} {
		result, err := mdp.Solve(context.Background(), test.model, test.criterion, mdp.Settings{})
		require.ErrorIs(t, err, mdp.ErrMissing)
		require.EqualError(t, err, test.want)
		assert.Nil(t, result)
	}
	_, err := mdp.LongRun(context.Background(), nil, mdp.Policy{Actions: nil})
	require.ErrorIs(t, err, mdp.ErrMissing)
	_, err = mdp.LongRun(context.Background(), (*mdp.Table)(nil), mdp.Policy{Actions: []int32{0}})
	require.ErrorIs(t, err, mdp.ErrMissing)
}

func TestMet(t *testing.T) {
	inf := math.Inf(1)
	relative := mdp.Settings{Tolerance: 1e-3}
	assert.True(t, relative.Met(999.5, 1000))
	assert.False(t, relative.Met(998, 1000))
	assert.True(t, relative.Met(-1000, -999.5))
	assert.True(t, relative.Met(0, 0))
	assert.False(t, relative.Met(0, 1e-300))
	assert.False(t, mdp.Settings{}.Met(1, 1+1e-8))
	assert.True(t, mdp.Settings{}.Met(1, 1+1e-10))
	assert.True(t, relative.Met(inf, inf))
	assert.True(t, mdp.Within(-0.25, 0.25, 1000, 1e-3))
	assert.False(t, mdp.Within(-0.25, 0.25, 400, 1e-3))
	assert.False(t, mdp.Within(1, 1+1e-9, 0, 1e-9), "the gap is more than 10⁻⁹, by rounding")
	for _, settings := range []mdp.Settings{relative, {}} {
		assert.False(t, settings.Met(-inf, inf))
		assert.False(t, settings.Met(0, inf))
		assert.False(t, settings.Met(-inf, 0))
		assert.False(t, settings.Met(math.NaN(), 0))
		assert.False(t, settings.Met(-math.MaxFloat64, math.MaxFloat64))
	}
}

// Numbers that overflow on the way, or NaN among the values to start from, end
// in an error and no result.
func TestSolveRefusesWhatIsNotFinite(t *testing.T) {
	huge := chainOf(t, [][]float64{{0, 1}, {1, 0}}, []float64{math.MaxFloat64, -math.MaxFloat64})
	nan := mdp.Settings{Values: []float64{math.NaN(), 0}}
	plain := chainOf(t, [][]float64{{0, 1}, {0, 1}}, []float64{1, 2})
	for _, method := range append(bothMethods, 0) {
		for _, test := range []struct {
			model    mdp.Model
			settings mdp.Settings
		}{{huge, mdp.Settings{MaxIterations: 100}}, {plain, nan}, {backupOnly{plain}, nan}} {
			test.settings.Method = method
			result, err := mdp.Solve(context.Background(), test.model, mdp.LongRunAverage{}, test.settings)
			require.Error(t, err)
			if result != nil {
				assert.NotEqual(t, mdp.Converged, result.Status)
				assert.LessOrEqual(t, result.Lower, result.Upper)
			}
		}
	}
}

func TestStatusNames(t *testing.T) {
	names := map[mdp.Status]string{
		mdp.Unsolved: "unsolved", mdp.Converged: "converged", mdp.IterationLimit: "iteration-limit",
		mdp.TimeLimit: "time-limit", mdp.PrecisionLimit: "precision-limit", mdp.Stopped: "stopped",
		mdp.Interrupted: "interrupted", mdp.Status(99): "unsolved", mdp.Status(-1): "unsolved",
	}
	for status, name := range names {
		assert.Equal(t, name, status.String())
	}
	var zero mdp.Status
	assert.Equal(t, mdp.Unsolved, zero)
}

// watched calls each before every sweep, with the number of sweeps before it.
type watched struct {
	mdp.Explicit
	each   func(sweeps int)
	sweeps int
}

func (w *watched) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	w.each(w.sweeps)
	w.sweeps++
	w.Explicit.Backup(dst, act, v, lo, hi)
}

// Before its first evaluation and after each of the first ones policy iteration
// makes a hundred sweeps and more. It obeys limits between them, and then returns what
// the sweeps have found.
func TestPolicyIterationStopsAmongItsSweeps(t *testing.T) {
	const limit = 200 * time.Millisecond
	for _, last := range []int{20, 120} {
		for name, want := range map[string]error{"cancelled": errEnough, "time is up": mdp.ErrTimeLimit} {
			ctx, cancel := context.WithCancelCause(context.Background())
			settings := mdp.Settings{Method: mdp.PolicyIteration, Workers: 1, Tolerance: 1e-15}
			if want == mdp.ErrTimeLimit { //nolint:errorlint // it is that one
				settings.TimeLimit = limit
			}
			model := &watched{Explicit: weather(), each: func(sweeps int) {
				switch {
				case sweeps != last:
				case settings.TimeLimit > 0:
					time.Sleep(2 * limit) // so that the time is certainly up
				default:
					cancel(errEnough)
				}
			}}
			result, err := mdp.Solve(ctx, model, mdp.LongRunAverage{}, settings)
			require.NotNil(t, result, name)
			assert.LessOrEqual(t, model.sweeps, last+2, name) // that one, and the one for the policy
			assert.InDelta(t, 1.0/3, result.Gain, 1e-5, name)
			if last == 20 { // not even one evaluation
				require.ErrorIs(t, err, want, name)
				assert.Greater(t, result.Upper, result.Lower, name)
				assert.Less(t, result.Upper-result.Lower, 1e-5, name)
			}
		}
	}
}
