package mdp

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/internal/average"
	"github.com/mdpsolve/mdpsolve/mdp/internal/discounted"
	"github.com/mdpsolve/mdpsolve/mdp/internal/implicit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
)

// Method is a way to solve a model. The zero value lets [Solve] choose:
//
//   - relative value iteration: for average, chosen where the model does not list its rows
//   - value iteration: for discounted, chosen where the model has no method but Backup
//   - modified policy iteration: for discounted, on a PolicyBackuper, chosen where it does not
//     list its rows
//   - policy iteration: for average, discounted or total, on an Explicit model, chosen where the
//     model is small; for discounted, also where float64 is not precise enough for sweeps; for
//     average, also where the model is no Table and exact evaluation is affordable
//   - inexact policy iteration: for average or discounted, on an Explicit model, chosen in all
//     other cases
//
// [FiniteHorizon] takes no Method: backward induction is the only one.
type Method int

// The methods.
const (
	// RelativeValueIteration is successive approximation for [LongRunAverage],
	//
	//	h ← h + τ·(T h − h) − shift,  τ = 0.9,
	//
	// with a shift, the same for all states, that keeps the values from growing.
	// Each sweep bounds the gain by the least and the greatest of T h − h, whose span
	// never grows. The method converges on every communicating and every unichain
	// model, periodic or not, by the aperiodicity transformation (Schweitzer 1971;
	// Puterman 1994, §8.5.4 and §8.5.5). An iteration is one sweep.
	RelativeValueIteration Method = iota + 1

	// ValueIteration is successive approximation for [Discounted],
	//
	//	v ← T v,  (T v)(s) = min over a of { c(s,a) + β·Σ_j p(j|s,a)·v(j) }.
	//
	// Each sweep bounds the values by the least and the greatest of T v − v
	// (MacQueen 1966). Their span falls faster than the values approach their
	// limit: by the mixing of the chain as well as by β. An iteration is one sweep.
	ValueIteration

	// ModifiedPolicyIteration is value iteration for [Discounted] in which a sweep
	// over all actions is followed by up to 20 sweeps with the actions it found
	// (Puterman and Shin 1978). Those cost a fraction, and policies are often good long
	// before their values are. The closer the policy is to the optimum, the more of them
	// follow. An iteration is one sweep over all actions and the sweeps that follow it.
	ModifiedPolicyIteration

	// PolicyIteration is Howard's method (1960) with exact evaluation: it solves the
	// equations of the current policy, and replaces every action that another one
	// beats, until none does. An iteration is one evaluation.
	//
	// The gain of each policy comes from an elimination without subtractions, so it has
	// all its digits however small it is. Values are refined to double-double
	// precision, in which actions are compared: differences down to about 10⁻²⁸ of the
	// values count. If the chain of a policy has several closed classes, the policy is
	// changed to lead to the best of them before it is evaluated (Haviv and Puterman
	// 1991). To save iterations, sweeps of value iteration find the first policy and,
	// from its values, the second.
	//
	// The method ends when no action is better than the current one by more than
	// rounding, whatever the tolerance; the bounds are then as close as arithmetic
	// allows. It also ends at a policy whose exact evaluation underflows float64 (see
	// [Evaluate]), with the last policy that was evaluated. [TotalCost] and [Discounted]
	// are solved as stochastic shortest path problems, one strongly connected component
	// after another. Where [Solve] chooses the method for [TotalCost], it sweeps over components of
	// 64 states or more in place (Gauss-Seidel; Bertsekas 2012, §2.2). It sweeps in the order of the
	// distance from the target, so that one sweep carries values from there to all states. Where
	// policies may well lead away from the target, it sweeps in the order of a depth-first search if
	// that is better. It evaluates policies where that takes less time. Sweeps whose changes fall by
	// the same ratio are extrapolated (Aitken 1926).
	PolicyIteration

	// InexactPolicyIteration is policy iteration with approximate evaluation, for
	// [Discounted] and [LongRunAverage]. It suits models that mix slowly, on which other
	// methods need tens of thousands of sweeps. It begins with the sweeps of
	// [ModifiedPolicyIteration] or [RelativeValueIteration], and continues them while
	// they make progress.
	//
	// After that it takes implicit steps. With π the actions that attain T v,
	// and r = T v − v,
	//
	//	v ← v + (I − γ·β·P_π)⁻¹·(r − g),  γ = H/(1+H),
	//
	// where β is the discount, 1 for the average, and g a number that is the same for
	// all states. With horizon H = 0 that is value iteration, with H = ∞ policy
	// iteration, and in between λ-policy iteration (Bertsekas and Ioffe 1996). The
	// horizon grows from step to step. While H is finite, the equations have a
	// well-conditioned solution, also for the average and for any closed classes of
	// the chain of π. No exact step raises the upper bound, which is the greatest of r:
	// what remains of r after the step is a mean of r over the states that π leads to.
	// Some sweeps follow each step.
	//
	// Equations are solved by elimination, see [PolicyIteration], if that is
	// cheap, as for states on a line or in a plane, and otherwise by conjugate
	// residuals with a multigrid preconditioner. The residual must be within a share
	// of the gap between the best bounds so far: these are inexact steps of Newton's
	// method (Dembo, Eisenstat and Steihaug 1982), which Gargiani and others (2024) take
	// for discounted models. If evaluation fails, or the upper bound rises, the horizon
	// is shortened; if steps make no progress, sweeps continue from the best values.
	// So the method converges if sweeps do: on every communicating or unichain model.
	//
	// Where Solve chooses the method for [Discounted], and paths lead to absorbing states of a
	// table that are far, at 20 steps or more, the sweeps are those of [PolicyIteration] for
	// [TotalCost], of the problem in which each step ends with probability 1−β.
	//
	// Where Solve chooses the method for [Discounted], it yields to [PolicyIteration], which starts
	// from its policy, if elimination solves the equations but steps make no progress, or if
	// small values need bounds that are closer than those that large ones allow.
	//
	// Values are kept in double-double precision once float64 no longer resolves the bounds. An
	// iteration is an iteration of the sweeping method, or a step.
	InexactPolicyIteration
)

// partialSweeps is the most sweeps with a fixed policy in an iteration of modified policy
// iteration.
const partialSweeps = 20

// methodFacts describe a method.
type methodFacts struct {
	name     string
	criteria []Criterion // that it solves
	needs    string      // the interface that a model must implement, with its article; "" for none
	chosen   string      // when Solve chooses it

	// start begins the iteration on a task; nil if the criterion does.
	start func(task *method.Task) method.Iteration
}

// methods is the list of methods. Tests compare it with the comment on Method,
// docs/methods.md and the help of the command.
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
		"", "where the model has no method but Backup",
		func(task *method.Task) method.Iteration { return discounted.New(task, 0) },
	},
	ModifiedPolicyIteration: {
		"modified policy iteration",
		[]Criterion{Discounted{}},
		"a PolicyBackuper", "where it does not list its rows",
		func(task *method.Task) method.Iteration { return discounted.New(task, partialSweeps) },
	},
	PolicyIteration: {
		"policy iteration",
		[]Criterion{LongRunAverage{}, Discounted{}, TotalCost{}},
		"an Explicit model", "where the model is small; for discounted, also where float64 is not precise enough for sweeps; for average, also where the model is no Table and exact evaluation is affordable",
		nil,
	},
	InexactPolicyIteration: {
		"inexact policy iteration",
		[]Criterion{LongRunAverage{}, Discounted{}},
		"an Explicit model", "in all other cases",
		func(task *method.Task) method.Iteration { return implicit.New(task, partialSweeps) },
	},
}

// MethodWord returns the word that result files and the command have for a method, by its name in
// [Result.Method]: "rvi" for relative value iteration, and otherwise the name with hyphens.
func MethodWord(name string) string {
	if name == RelativeValueIteration.String() {
		return "rvi"
	}
	return strings.ReplaceAll(name, " ", "-")
}

// String returns the name of the method, such as "policy iteration"; "" for a number that
// is not a method.
func (m Method) String() string {
	if m < 0 || int(m) >= len(methods) {
		return ""
	}
	return methods[m].name
}

// Criteria returns the names of the criteria that the method solves, as results have them; nil for a
// number that is not a method.
func (m Method) Criteria() (names []string) {
	if m.String() == "" {
		return nil
	}
	for _, c := range methods[m].criteria {
		names = append(names, c.name())
	}
	return names
}

// solves reports whether the method solves the criterion.
func (f methodFacts) solves(criterion Criterion) bool {
	return slices.ContainsFunc(f.criteria, func(c Criterion) bool { return reflect.TypeOf(c) == reflect.TypeOf(criterion) })
}

// check returns an error if the method does not solve the criterion, or needs an interface
// that the model does not implement.
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
		return fmt.Errorf("mdp: %s: %w: criterion %s has only one method: leave Method out", m, ErrUnsupported, criterion.name())
	}
	return fmt.Errorf("mdp: %s: %w: criterion %s needs %s", m, ErrUnsupported, criterion.name(), wording.Alternatives(others))
}
