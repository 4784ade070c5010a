package catalogue

import (
	"errors"
	"flag"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

var long = flag.Bool("long", false, "run every method on the large problems too")

// answerOf returns a result of mdp.Solve as an answer.
func answerOf(result *mdp.Result) Answer {
	a := Answer{Policy: result.Policy, Converged: result.Status == mdp.Converged}
	for s := range result.Policy {
		lower, upper := result.Bounds(s)
		a.Lower, a.Upper = append(a.Lower, lower), append(a.Upper, upper)
		a.Value = append(a.Value, result.Optimum(s))
	}
	return a
}

// methods returns the methods of package mdp for a criterion, first nil, with
// which mdp.Solve chooses one.
func methods(criterion mdp.Criterion) []mdp.Method {
	switch criterion.(type) {
	case mdp.LongRunAverage:
		return []mdp.Method{0, mdp.PolicyIteration, mdp.RelativeValueIteration, mdp.InexactPolicyIteration}
	case mdp.Discounted:
		return []mdp.Method{0, mdp.PolicyIteration, mdp.ValueIteration, mdp.ModifiedPolicyIteration, mdp.InexactPolicyIteration}
	case mdp.TotalCost:
		return []mdp.Method{0, mdp.PolicyIteration}
	default:
		return []mdp.Method{0}
	}
}

// solve returns the answer of mdp.Solve to a form, if the method takes it. The answer
// is verified, its status is what the error says, and it is the same to the bit with
// one worker and with three.
func (f form) solve(t *testing.T, settings mdp.Settings) (answer Answer, taken bool) {
	t.Helper()
	var answers [2]Answer
	for i, workers := range []int{1, 3} {
		settings.Workers = workers
		result, err := mdp.Solve(t.Context(), f.model, f.criterion, settings)
		if errors.Is(err, mdp.ErrUnsupported) || errors.Is(err, mdp.ErrTooLarge) {
			return Answer{}, false
		}
		require.NotNil(t, result, "%v, method %v: %v", f, settings.Method, err)
		expected := map[mdp.Status]error{
			mdp.Converged: nil, mdp.IterationLimit: mdp.ErrIterationLimit, mdp.PrecisionLimit: mdp.ErrPrecisionLimit,
		}
		want, known := expected[result.Status]
		require.True(t, known, "%v, method %v: status %v beside %v", f, settings.Method, result.Status, err)
		require.ErrorIs(t, err, want)
		answers[i] = answerOf(result)
	}
	require.NoError(t, f.verify(answers[0]), "method %v, at most %d iterations", settings.Method, settings.MaxIterations)
	require.True(t, answers[0].same(answers[1]), "%v, method %v: one worker and three give different answers", f, settings.Method)
	return answers[0], true
}

// same reports whether answers are the same to the bit.
func (a Answer) same(b Answer) bool {
	bits := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
	return a.Converged == b.Converged && slices.Equal(a.Policy, b.Policy) && slices.EqualFunc(a.Value, b.Value, bits) &&
		slices.EqualFunc(a.Lower, b.Lower, bits) && slices.EqualFunc(a.Upper, b.Upper, bits)
}

// Every method solves every problem in every form: unless it is refused, it
// converges to the exact optimum, except where sweeps cannot.
func TestMethodsOnTheCatalogue(t *testing.T) {
	for _, problem := range catalogue() {
		t.Run(problem.Name, func(t *testing.T) {
			methods := methods(problem.Criterion)
			rounds := 20_000
			if problem.NumStates() > 1000 {
				rounds = 200
				if !*long {
					methods = methods[:1]
				}
			}
			for _, form := range problem.forms(t) {
				taken := false
				for _, method := range methods {
					answer, takes := form.solve(t, mdp.Settings{Method: method, MaxIterations: rounds})
					if takes {
						taken = true
						assert.True(t, answer.Converged || form.beyondSweeps(method), "%v: method %v has not converged", form, method)
					}
				}
				assert.True(t, taken, "%v: no method takes it", form)
			}
		})
	}
}

// beyondSweeps reports whether a method only sweeps, and its bounds do not meet or not
// soon.
func (f form) beyondSweeps(method mdp.Method) bool {
	_, listed := f.model.(mdp.Explicit)
	_, divided := f.model.(interface{ NumChoices() int }) // a table
	manyGains := f.problem.objective.kind == average && f.problem.Classification == "multichain"
	exact := listed && (method == 0 || method == mdp.PolicyIteration)
	if f.problem.objective.kind == finite && !listed {
		return true // one bound on the rounding of all states says little of values near 0
	}
	return manyGains && !divided || f.problem.Slow && !exact
}

// A solve that stops after a few rounds has bounds that hold.
func TestMethodsStoppedEarly(t *testing.T) {
	for _, problem := range catalogue() {
		if problem.NumStates() > 1000 && !*long {
			continue
		}
		for _, form := range problem.forms(t) {
			for _, method := range methods(problem.Criterion) {
				for rounds := 1; rounds <= 3; rounds++ {
					form.solve(t, mdp.Settings{Method: method, MaxIterations: rounds})
				}
			}
		}
	}
}
