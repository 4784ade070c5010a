package mdptest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Solver is what [TestSolver] tests: mdp.Solve with some settings, or code of
// your own. It returns an error that wraps mdp.ErrUnsupported or mdp.ErrTooLarge for
// a model or a criterion that it is not made for, and any other error only where
// it fails: one that was stopped too early still has an answer, with its bounds.
type Solver func(ctx context.Context, model mdp.Model, criterion mdp.Criterion, workers int) (Answer, error)

// TestSolver solves every problem of the [Catalogue] in every form, with one
// worker and with three, and reports to t every answer that [Form.Verify] finds
// wrong and every one that depends on the number of workers. It returns how
// many answers had converged, of how many.
func TestSolver(t *testing.T, solve Solver) (converged, answers int) {
	t.Helper()
	for _, problem := range Catalogue() {
		t.Run(problem.Name, func(t *testing.T) {
			for _, form := range problem.Forms() {
				answer, err := form.solve(t.Context(), solve)
				switch {
				case refused(err):
				case err != nil:
					t.Error(err)
				default:
					answers++
					if answer.Converged {
						converged++
					}
				}
			}
		})
	}
	return converged, answers
}

// refused says that a solver is not made for what it was asked.
func refused(err error) bool {
	return errors.Is(err, mdp.ErrUnsupported) || errors.Is(err, mdp.ErrTooLarge)
}

// solve returns a verified answer, or what is wrong with it.
func (f Form) solve(ctx context.Context, solve Solver) (Answer, error) {
	var answers [2]Answer
	for i, workers := range []int{1, 3} {
		answer, err := solve(ctx, f.Model, f.Criterion, workers)
		if err != nil {
			return answer, fmt.Errorf("%v: %w", f, err)
		}
		answers[i] = answer
	}
	if err := f.Verify(answers[0]); err != nil {
		return answers[0], err
	}
	if !answers[0].same(answers[1]) {
		return answers[0], fmt.Errorf("%v: one worker and three give different answers", f)
	}
	return answers[0], nil
}

// same says whether answers are the same to the bit.
func (a Answer) same(b Answer) bool {
	bits := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
	return a.Converged == b.Converged && slices.Equal(a.Policy, b.Policy) && slices.EqualFunc(a.Value, b.Value, bits) &&
		slices.EqualFunc(a.Lower, b.Lower, bits) && slices.EqualFunc(a.Upper, b.Upper, bits)
}

// Methods returns the methods of package mdp for a criterion, first nil, with
// which mdp.Solve chooses one.
func Methods(criterion mdp.Criterion) []mdp.Method {
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
