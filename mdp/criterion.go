package mdp

import (
	"context"

	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
)

// Criterion says what is minimised or maximised. It is a value, such as
// LongRunAverage{}.
type Criterion interface {
	// String returns the name of the criterion.
	String() string

	// check returns an error if the criterion, or the model under it, is not
	// allowed.
	check(model Model) error

	sense() Sense

	// minimized returns the criterion minimised, under which a policy has a value of
	// absolute costs; nil where the criterion finds that value itself.
	minimized() Criterion

	// solve minimises the criterion on the model.
	solve(r *run, model Model) (*Result, error)
}

// objective is what methods work on: a criterion on a model that needs no
// further dividing.
type objective interface {
	// String returns the name of the criterion.
	String() string

	// choose picks a method and says why.
	choose(ctx context.Context, model Model, workers int) (method Method, why string, err error)

	// discount returns β, 1 for the long-run average.
	discount() float64

	// certify makes one fresh sweep over the values that a method ended with,
	// and returns a result with its bounds, values and policy.
	certify(task *method.Task, answer method.Answer) (*Result, error)
}
