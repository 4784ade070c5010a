package mdp

import (
	"context"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// When bounds count as converged, and the scale that the tolerance is relative to.

// Within is the definition of [Converged]: whether bounds on a value are within a
// tolerance of each other,
//
//	upper − lower ≤ tolerance·scale.
//
// The scale is the value, by the same criterion, of the absolute costs under the
// policy, or any lower bound on that. If the bounds have the same sign, the smaller of
// their magnitudes is such a lower bound, and is used where it is larger than scale.
// So for costs of one sign the tolerance is relative to the value, however small that
// is, and where positive and negative costs cancel the tolerance can still be met.
// Bounds that are equal, infinite ones too, are within any tolerance.
//
// Rounding never makes it true: the difference is rounded up and the product down.
func Within(lower, upper, scale, tolerance float64) bool {
	return bound.Within(lower, upper, scale, tolerance)
}

// Met reports whether bounds are within the tolerance of each other, by [Within]
// with scale 0.
func (s Settings) Met(lower, upper float64) bool {
	tolerance := s.Tolerance
	if tolerance == 0 {
		tolerance = DefaultTolerance
	}
	return Within(lower, upper, 0, tolerance)
}

// Scale returns a lower bound on the value from state s, by the same criterion, of the
// absolute costs under the policy. The tolerance is relative to it, see [Within]. It is
// 0 where it was not needed.
func (r *Result) Scale(s int) float64 {
	switch len(r.scale) {
	case 0:
		return 0
	case 1:
		return r.scale[0]
	}
	return r.scale[s]
}

// met says whether the bounds of all states are within the tolerance.
func (r *Result) met(tolerance float64) bool {
	for s := range max(len(r.lower), len(r.scale)) {
		if lower, upper := r.Bounds(s); !Within(lower, upper, r.Scale(s), tolerance) {
			return false
		}
	}
	return true
}

// scaleTolerance is the relative tolerance to which a scale is computed. As the scale
// only multiplies a tolerance, one digit of it is enough.
const scaleTolerance = 0.1

// measure computes the scale of a result if that may decide whether it has converged:
// if costs under the policy have both signs, so that they may cancel.
func (r *run) measure(ctx context.Context, model Model, criterion Criterion, result *Result) {
	explicit, ok := model.(Explicit)
	minimized := criterion.minimized()
	if !ok || minimized == nil || r.limits.HasEnded() || result.met(r.settings.Tolerance) {
		return
	}
	chain, cancels := absolute(explicit, result.Policy)
	if !cancels {
		return
	}
	settings := Settings{Tolerance: scaleTolerance, Workers: r.settings.Workers, MaxIterations: r.settings.MaxIterations}
	if r.settings.TimeLimit > 0 {
		settings.TimeLimit = max(r.settings.TimeLimit-time.Since(r.limits.Begin), 1)
	}
	found, _ := Solve(ctx, inexactTable{chain, relativeError(model)}, minimized, settings)
	if found != nil {
		result.scale, result.proof.Scale = found.lower, &found.proof.Lower
	}
}

// absolute returns the chain of a policy with absolute costs, and whether the costs
// have both signs.
func absolute(model Explicit, policy []int32) (chain *Table, cancels bool) {
	r := rows.New(model.NumStates(), model.NumStates(), 0)
	positive, negative := false, false
	var row []Entry
	for s, a := range policy {
		var cost float64
		row, cost = model.AppendRow(row[:0], s, int(a))
		for _, e := range row {
			r.Add(e.State, e.Probability)
		}
		r.EndChoice(math.Abs(cost))
		r.EndState()
		positive, negative = positive || cost > 0, negative || cost < 0
	}
	return &Table{rows: r, rate: rateOf(model)}, positive && negative
}
