// Package answer answers questions about models in files, as the command mdpsolve does.
//
//	model, err := modelfile.ReadFile("taxicab.json", modelfile.Options{Exact: true})
//	q := question.Question{Criterion: question.Average, Sense: "maximize"}
//	asked, err := q.On(model)
//	found, err := answer.Solve(ctx, asked, answer.Settings{})
//	err = certificate.WriteFile("result.json", found.Result)
//
// [Solve] finds the best policy, [Evaluate] the value of a given policy, and [Simulate] an estimate
// of that value. [Distribution] finds the distribution of a total, and [TradeOff] the best policies
// for two rewards. [Judge] judges a result. Where float64 is not precise enough for a small model,
// Solve, Evaluate and Judge go on in fractions.
package answer

// This file solves questions.

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/soon"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// Settings say how to answer. The zero value is useful.
type Settings struct {
	mdp.Settings

	// Exactly asks for a solution in fractions, which suits small models. Method is then ignored.
	Exactly bool

	// Steps asks for the policies of all steps of a finite horizon.
	Steps bool

	// Phase, if not nil, is called with the name of each phase that begins: "classifying",
	// "solving", "solving in fractions" or "checking".
	Phase func(name string)
}

func (s Settings) phase(name string) {
	if s.Phase != nil {
		s.Phase(name)
	}
}

// Answer is the answer to a question.
type Answer struct {
	*question.Asked
	Result    *certificate.Result
	Status    mdp.Status
	Structure mdp.Structure // of the model; its Classification is "" for criteria other than the average

	settings Settings
	begin    time.Time
	followed *Followed   // nil for a question about the best policy
	rate     float64     // of uniformization
	steps    [][]int32   // the policies of steps, as far as they are known
	numeric  *mdp.Result // the answer in floating point; nil for one in fractions

	fractions *exact.Answer // the answer in fractions; nil for one in floating point
}

// ModelError is a fault in the numbers of a valid model that shows when it is solved, such as a sum
// beyond float64.
type ModelError struct{ Err error }

// Error returns the text of the fault.
func (e *ModelError) Error() string { return e.Err.Error() }

// Unwrap returns the fault.
func (e *ModelError) Unwrap() error { return e.Err }

// Solve finds the best policy and its value in each state, with proved bounds. If the question has
// constraints, it finds the best mixture of policies within them, from the initial state.
//
// If ctx or a limit ends the work, the answer has the bounds so far, and Status says why it ended.
// Errors are those of [mdp.Solve] that come without a result, such as [mdp.ErrUnsupported] for a
// total that is not defined; a [*ModelError]; and a [*mdp.InfeasibleError] where no policy keeps to
// the limits.
func Solve(ctx context.Context, q *question.Asked, settings Settings) (*Answer, error) {
	return begin(q, settings).finish(ctx)
}

// begin returns an answer that is still to be found.
func begin(q *question.Asked, settings Settings) *Answer {
	if settings.Tolerance == 0 {
		settings.Tolerance = mdp.DefaultTolerance
	}
	return &Answer{Asked: q, settings: settings, begin: time.Now()}
}

// finish finds the answer, says why values are infinite, and compares them with a threshold.
func (a *Answer) finish(ctx context.Context) (*Answer, error) {
	if a.Constraints != nil {
		if err := a.solveWithin(ctx); err != nil {
			return nil, err
		}
		return a, nil
	}
	if a.Criterion == question.Compound && a.Parsed.Optimized() == 0 {
		return a, a.decideLimits(ctx)
	}
	if a.Criterion == question.Compound {
		return a, a.combine(ctx)
	}
	if err := a.find(ctx); err != nil {
		return nil, err
	}
	a.explain()
	a.decide(ctx)
	return a, nil
}

// find solves in floating point. If that overflows or leaves the answer open, it solves in fractions.
func (a *Answer) find(ctx context.Context) error {
	if a.settings.Exactly {
		return a.solveExactly(ctx)
	}
	err := a.solveNumerically(ctx)
	isOpen := err == nil && (a.Status == mdp.PrecisionLimit || a.isUnproved(ctx))
	if !isOpen && !errors.Is(err, mdp.ErrOverflow) {
		return err
	}
	switch late := a.resort(ctx); {
	case late == nil:
		return nil
	case a.Criterion == question.Total && errors.Is(late, mdp.ErrUnsupported): // the total is not defined
		return late
	case isOpen:
		a.end(mdp.PrecisionLimit)
	}
	return err
}

func (a *Answer) end(status mdp.Status) {
	a.Status = status
	a.Result.Status = status.String()
}

// solveNumerically solves in floating point.
func (a *Answer) solveNumerically(ctx context.Context) error {
	a.settings.TimeLimit = a.left(a.settings.TimeLimit)
	if a.Model.IsUncertain() {
		return a.solveUncertain(ctx)
	}
	table, err := a.table()
	if err != nil {
		return err
	}
	if err := a.classify(ctx, table); err != nil {
		return err
	}
	return a.solveModel(ctx, mdp.Rounded{Table: table})
}

// solveModel solves a model, or finds the value of a policy that changes from step to step.
func (a *Answer) solveModel(ctx context.Context, model mdp.Timed) error {
	a.rate = model.Rate()
	a.settings.phase("solving")
	var result *mdp.Result
	var err error
	if a.isByStep() {
		result, err = mdp.Evaluate(ctx, model, mdp.Policy{Steps: a.followed.steps}, a.recordingCriterion(), a.settings.Settings)
	} else {
		result, err = mdp.Solve(ctx, model, a.recordingCriterion(), a.settings.Settings)
	}
	if result == nil {
		return err
	}
	a.keep(result)
	return nil
}

// table returns the table that is solved.
func (a *Answer) table() (*mdp.Table, error) {
	table, err := a.Table()
	if err != nil {
		return nil, &ModelError{err}
	}
	return table, nil
}

// classify finds the structure of the model for a long-run average, unless it is known. The structure
// says whether averages may differ between states. Other criteria do not need it, nor does a model whose
// states were made absorbing.
func (a *Answer) classify(ctx context.Context, table *mdp.Table) error {
	if a.Structure.Classification != "" || !a.HasGain() || a.Stated != nil && a.Stated.IsAbsorbed() {
		return nil
	}
	a.settings.phase("classifying")
	structure, err := soon.Do(ctx, 0, func() (mdp.Structure, error) { return mdp.Analyze(table), nil })
	a.Structure = structure
	return err
}

// solveUncertain solves a model with intervals.
func (a *Answer) solveUncertain(ctx context.Context) error {
	model, err := a.Model.Uncertain(a.Reward)
	if err != nil {
		return &ModelError{err}
	}
	graph, err := a.Model.GraphTable()
	if err != nil {
		return &ModelError{err}
	}
	if err := a.classify(ctx, graph); err != nil {
		return err
	}
	return a.solveModel(ctx, model.With(a.Nature()))
}

// left returns what is left of a time limit; 0 for no limit.
func (a *Answer) left(limit time.Duration) time.Duration {
	if limit == 0 {
		return 0
	}
	return max(1, limit-time.Since(a.begin))
}

// blank returns a result that has the question and the structure, and no values yet.
func (a *Answer) blank() *certificate.Result {
	n := a.Model.NumStates()
	r := &certificate.Result{Question: a.Given, Initial: int(a.Model.Initial[0])}
	if len(a.Model.Initial) > 1 {
		r.InitialStates = a.Model.Initial
	}
	if a.Constraints != nil {
		return r
	}
	if a.isByStep() { // a proof by backward induction follows the policy of each step
		r.Evaluated = true
		r.KeepPolicy(mdp.Policy{Steps: a.followed.steps})
	}
	r.Values, r.Lower, r.Upper = make([]float64, n), make([]float64, n), make([]float64, n)
	if a.Structure.Classification != "" { // in continuous time every component is aperiodic
		r.Classification, r.Aperiodic = a.Structure.Classification, new(a.Model.Kind.IsContinuous() || a.Structure.Period == 1)
	}
	return r
}

// keep turns a result of package mdp into one for a file.
func (a *Answer) keep(found *mdp.Result) {
	r := a.blank()
	a.Status, a.Result, a.numeric, a.fractions = found.Status, r, found, nil
	r.Status, r.Method, r.Choice = found.Status.String(), mdp.MethodWord(found.Method), found.Reason
	r.Iterations, r.Seconds, r.Tolerance = found.Iterations, found.Elapsed.Seconds(), &a.settings.Tolerance
	a.keepPolicy(found.Policy)
	for state := range r.Values {
		lower, upper := found.Bounds(state)
		value := found.Optimum(state)
		if a.Stated != nil && a.Stated.IsProbability() {
			lower, value, upper = max(lower, 0), min(max(value, 0), 1), min(upper, 1)
		}
		r.Values[state], r.Lower[state], r.Upper[state] = value+0, lower+0, upper+0 // not −0
	}
	r.Relative = a.relativeValues(found.Bias)
	r.Certificate = certificate.CertificateOf(found, a.rate)
	r.Value = r.Values[r.Initial]
}

// relativeValues returns the relative values of a long-run average. It returns nil if one is beyond
// float64, and for other criteria and for probabilities, where relative values have no meaning.
func (a *Answer) relativeValues(values []float64) []float64 {
	if !a.HasGain() || a.Stated != nil && a.Stated.IsProbability() || slices.ContainsFunc(values, func(x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) }) {
		return nil
	}
	return values
}

// decide says whether the threshold of a property is met. Fractions are the last resort.
func (a *Answer) decide(ctx context.Context) {
	if a.Parsed == nil || !a.Parsed.HasThreshold() {
		return
	}
	if a.Result.Answer = a.Result.Verdict(a.Asked); a.Result.Answer == property.Undecided && a.resort(ctx) == nil {
		a.Result.Answer = a.Result.Verdict(a.Asked)
	}
	if r := a.Result; a.Stated.OfPaths {
		if r.Certificate != nil {
			r.Certificate.Policy = r.Policy
		}
		r.Policy, r.Policies = nil, nil
	}
}
