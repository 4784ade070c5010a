package mdptest

import (
	"context"
	"flag"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

var long = flag.Bool("long", false, "run every method on the large problems too")

// solving is mdp.Solve with some settings, and with what it promises of status
// and error checked.
func solving(t *testing.T, settings mdp.Settings) Solver {
	t.Helper()
	return func(ctx context.Context, model mdp.Model, criterion mdp.Criterion, workers int) (Answer, error) {
		settings.Workers = workers
		result, err := mdp.Solve(ctx, model, criterion, settings)
		if result == nil {
			return Answer{}, err
		}
		expected := map[mdp.Status]error{
			mdp.Converged: nil, mdp.IterationLimit: mdp.ErrIterationLimit, mdp.PrecisionLimit: mdp.ErrPrecisionLimit,
		}
		want, known := expected[result.Status]
		require.True(t, known, "status %v beside %v", result.Status, err)
		require.ErrorIs(t, err, want)
		return AnswerOf(result), nil
	}
}

// Every method solves every problem in every form: where it is not refused, it
// converges to the exact optimum, unless sweeps alone cannot.
func TestMethodsOnTheCatalogue(t *testing.T) {
	for _, problem := range catalogue() {
		t.Run(problem.Name, func(t *testing.T) {
			methods := Methods(problem.Criterion)
			rounds := 20_000
			if problem.NumStates() > 1000 {
				rounds = 200
				if !*long {
					methods = methods[:1]
				}
			}
			for _, form := range problem.Forms() {
				taken := false
				for _, method := range methods {
					answer, err := form.solve(t.Context(), solving(t, mdp.Settings{Method: method, MaxIterations: rounds}))
					if refused(err) {
						continue
					}
					taken = true
					require.NoError(t, err, "method %v", method)
					assert.True(t, answer.Converged || form.beyondSweeps(method), "%v: method %v has not converged", form, method)
				}
				assert.True(t, taken, "%v: no method takes it", form)
			}
		})
	}
}

// beyondSweeps says that a method has only sweeps to bring on bounds that do not
// meet, or not soon.
func (f Form) beyondSweeps(method mdp.Method) bool {
	_, listed := f.Model.(mdp.Explicit)
	_, divided := f.Model.(interface{ NumChoices() int }) // a table
	manyGains := f.problem.objective.kind == average && f.problem.Classification == mdp.Multichain
	exact := listed && (method == 0 || method == mdp.PolicyIteration)
	if f.problem.objective.kind == finite && !listed {
		return true // one bound on the rounding of all states says little of values near 0
	}
	return manyGains && !divided || f.problem.Slow && !exact
}

// What is stopped after a few rounds has bounds that are right all the same.
func TestMethodsStoppedEarly(t *testing.T) {
	for _, problem := range catalogue() {
		if problem.NumStates() > 1000 && !*long {
			continue
		}
		for _, form := range problem.Forms() {
			for _, method := range Methods(problem.Criterion) {
				for rounds := 1; rounds <= 3; rounds++ {
					_, err := form.solve(t.Context(), solving(t, mdp.Settings{Method: method, MaxIterations: rounds}))
					if !refused(err) {
						assert.NoError(t, err, "method %v, %d rounds", method, rounds)
					}
				}
			}
		}
	}
}

// What is not supported is passed over.
func TestTestSolver(t *testing.T) {
	solve := solving(t, mdp.Settings{MaxIterations: 1000})
	converged, answers := TestSolver(t, func(ctx context.Context, model mdp.Model, criterion mdp.Criterion, workers int) (Answer, error) {
		if model.NumStates() > 1000 {
			return Answer{}, mdp.ErrUnsupported
		}
		return solve(ctx, model, criterion, workers)
	})
	assert.Greater(t, answers, 200)
	assert.Greater(t, converged, answers*9/10)
}
