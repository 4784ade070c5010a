package mdp

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/mdp/internal/average"
	"github.com/mdpsolve/mdpsolve/mdp/internal/discounted"
	"github.com/mdpsolve/mdpsolve/mdp/internal/implicit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
)

// Method is a way to solve a model. The zero value lets [Solve] choose:
//
//   - relative value iteration: for average, chosen where the model does not list its rows
//   - value iteration: for discounted, chosen where the model can do nothing but Backup
//   - modified policy iteration: for discounted, on a PolicyBackuper, chosen where it does not list its rows
//   - policy iteration: for average, discounted or total, on an Explicit model, chosen where exact evaluation is affordable
//   - inexact policy iteration: for average or discounted, on an Explicit model, chosen where exact evaluation is not affordable
//
// Backward induction is no Method, since a finite horizon has no other.
type Method int

// The methods.
const (
	// RelativeValueIteration is the method of successive approximation for the
	// long-run average,
	//
	//	h ← h + τ·(T h − h) − shift,  τ = 0.9,
	//
	// with the shift (the same for all states) that keeps the values from growing.
	// Each sweep bounds the gain by the least and the greatest of T h − h, a span
	// that never grows. It converges on every communicating and every unichain
	// model, periodic or not: the aperiodicity transformation (Schweitzer 1971;
	// Puterman 1994, §8.5.4 and §8.5.5). An iteration is one sweep.
	RelativeValueIteration Method = iota + 1

	// ValueIteration is successive approximation for [Discounted],
	//
	//	v ← T v,  (T v)(s) = min over a of { c(s,a) + β·Σ_j p(j|s,a)·v(j) }.
	//
	// Each sweep bounds the values by the least and the greatest of T v − v
	// (MacQueen 1966), whose span falls faster than the values approach their
	// limit: by the mixing of the chain on top of β. An iteration is one sweep.
	ValueIteration

	// ModifiedPolicyIteration is value iteration for [Discounted] in which a sweep
	// over all actions is followed by up to 20 sweeps with the actions it found
	// (Puterman and Shin 1978): these cost a fraction, and most policies are good long
	// before their values are. The better the policy proves to be, the further they
	// go. An iteration is one sweep over all actions with those that follow it.
	ModifiedPolicyIteration

	// PolicyIteration is Howard's method (1960) with exact evaluation: solve the
	// equations of the present policy, change every action that another one beats,
	// until none does. An iteration is one evaluation.
	//
	// The gain of each policy comes from an elimination without subtractions, so
	// it has all its digits however small it is. The values are refined to
	// double-double precision, and actions are compared in it: differences are
	// told apart down to about 10⁻²⁸ of the values. A policy whose chain has
	// several closed classes is led to the best of them before it is evaluated
	// (Haviv and Puterman 1991). Sweeps of value iteration that look far ahead find
	// the first policy, and one more after its evaluation, which takes fewer
	// iterations.
	//
	// It ends when no action is better than the present one by more than rounding,
	// whatever the tolerance. The bounds are then as close as arithmetic allows. It
	// also ends, with the last policy that was evaluated, at one whose chain is beyond
	// exact evaluation in float64 (see [Evaluate]). [TotalCost] and [Discounted] are solved as stochastic shortest
	// paths, one strongly connected component after the other.
	PolicyIteration

	// InexactPolicyIteration is policy iteration with approximate evaluation, for
	// [Discounted] and [LongRunAverage]. It is at home where models mix slowly and
	// sweeps take tens of thousands. It begins with sweeps, those of
	// [ModifiedPolicyIteration] or [RelativeValueIteration], and stays with them as
	// long as they get on.
	//
	// Where they do not it takes implicit steps. With π the actions that attain T v,
	// and r = T v − v,
	//
	//	v ← v + (I − γ·β·P_π)⁻¹·(r − g),  γ = H/(1+H),
	//
	// where β is the discount, 1 for the average, and g a number that is the same for
	// all states. With horizon H = 0 that is value iteration, with H = ∞ policy
	// iteration, and in between λ-policy iteration (Bertsekas and Ioffe 1996). The
	// horizon grows from step to step. At a finite one the equations have a solution,
	// and a well-conditioned one, also for the average and whatever closed classes
	// the chain of π has. No step raises the upper bound that the greatest of r is,
	// for what is left of r after it is a mean of r, by states that π leads to.
	// Some sweeps follow each step.
	//
	// Equations are solved by elimination, see [PolicyIteration], where that is
	// cheap, as where states lie on a line or in a plane, and else by conjugate
	// residuals with a multigrid preconditioner. The residual is to be within a share
	// of the gap between the best bounds so far: inexact steps of Newton's method (Dembo,
	// Eisenstat and Steihaug 1982), as Gargiani and others (2024) take them for
	// discounted models. Where evaluation fails, or the upper bound rises all the
	// same, the horizon is made shorter; and where steps bring nothing, sweeps go on
	// from the best values. So it converges wherever sweeps do: on every
	// communicating or unichain model.
	//
	// For the average, values are kept in double-double precision from where float64
	// no longer resolves the bounds. An iteration is one of the method that sweeps, or
	// one step.
	InexactPolicyIteration
)

// partialSweeps is the greatest number of sweeps with a fixed policy in an iteration of
// modified policy iteration.
const partialSweeps = 20

// methodFacts are what the list of methods says of one.
type methodFacts struct {
	name     string
	criteria []Criterion // that it solves
	needs    string      // what a model must be: an interface of this package, with its article
	chosen   string      // when Solve chooses it

	// start begins the iteration on a task; nil where the criterion does.
	start func(task *method.Task) method.Iteration
}

// methods is the list of methods. The comment on Method, docs/methods.md and the help of
// the command are compared with it by tests.
var methods = []methodFacts{
	RelativeValueIteration: {
		"relative value iteration",
		[]Criterion{LongRunAverage{}},
		"", "where the model does not list its rows",
		func(task *method.Task) method.Iteration { return average.NewRelative(task) },
	},
	ValueIteration: {
		"value iteration",
		[]Criterion{Discounted{}},
		"", "where the model can do nothing but Backup",
		func(task *method.Task) method.Iteration { return discounted.New(task, 0) },
	},
	ModifiedPolicyIteration: {
		"modified policy iteration",
		[]Criterion{Discounted{}},
		"a PolicyBackuper", "where it does not list its rows",
		func(task *method.Task) method.Iteration { return discounted.New(task, partialSweeps) },
	},
	PolicyIteration: {
		"policy iteration", []Criterion{LongRunAverage{}, Discounted{}, TotalCost{}}, "an Explicit model", "where exact evaluation is affordable", nil,
	},
	InexactPolicyIteration: {
		"inexact policy iteration",
		[]Criterion{LongRunAverage{}, Discounted{}},
		"an Explicit model", "where exact evaluation is not affordable",
		func(task *method.Task) method.Iteration { return implicit.New(task, partialSweeps) },
	},
}

// String returns the name of the method, such as "policy iteration"; "" for numbers that
// stand for none.
func (m Method) String() string {
	if m < 0 || int(m) >= len(methods) {
		return ""
	}
	return methods[m].name
}

// solves says whether a method is one for the criterion.
func (f methodFacts) solves(criterion Criterion) bool {
	return slices.ContainsFunc(f.criteria, func(c Criterion) bool { return reflect.TypeOf(c) == reflect.TypeOf(criterion) })
}

// check returns an error where a method that is named does not solve the criterion, or
// needs more than the model can do.
func (m Method) check(criterion Criterion, model Model) error {
	switch {
	case m == 0:
		return nil
	case m.String() == "":
		return fmt.Errorf("mdp: Settings.Method %d is not valid: use a method of this package, or 0 to let Solve choose", int(m))
	}
	if f := methods[m]; f.solves(criterion) {
		_, lists := model.(Explicit)
		_, follows := model.(PolicyBackuper)
		if f.needs == "" || f.needs == "a PolicyBackuper" && follows || f.needs == "an Explicit model" && lists {
			return nil
		}
		return fmt.Errorf("mdp: %s: %w: it needs %s", m, ErrUnsupported, f.needs)
	}
	var others []string
	for _, f := range methods {
		if f.solves(criterion) {
			others = append(others, f.name)
		}
	}
	if others == nil {
		others = []string{"backward induction, with no method named"}
	}
	return fmt.Errorf("mdp: %s: %w: criterion %s needs %s", m, ErrUnsupported, criterion.name(), alternatives(others))
}

// alternatives joins words by commas and "or".
func alternatives(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
