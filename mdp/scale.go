package mdp

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// When bounds count as converged, and the scale to which the tolerance is relative.

// Within defines [Converged]. It reports whether the bounds on a value are within a
// tolerance of each other,
//
//	upper − lower ≤ tolerance·scale.
//
// The scale is the value, by the same criterion, of the absolute costs under the
// policy, or a lower bound on it. If the bounds have the same sign, the smaller of
// their magnitudes is such a lower bound, and Within uses it if it is larger than scale.
// So the tolerance is relative to the value if costs have one sign, however small the
// value is, and can still be met if positive and negative costs cancel.
// Equal bounds, infinite ones too, are within any tolerance.
//
// Rounding never makes Within true: the difference is rounded up and the product down.
func Within(lower, upper, scale, tolerance float64) bool {
	return bound.Within(lower, upper, scale, tolerance)
}

// Met reports whether bounds are within the tolerance of each other: [Within] with
// scale 0.
func (s Settings) Met(lower, upper float64) bool {
	tolerance := s.Tolerance
	if tolerance == 0 {
		tolerance = DefaultTolerance
	}
	return Within(lower, upper, 0, tolerance)
}

// Scale returns the scale of [Within] for state s: a lower bound on the value, by the
// same criterion, of the absolute costs under the policy. It is 0 if Solve did not need
// it.
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
	if r.within > 0 && tolerance >= r.within {
		return true
	}
	for s := range max(len(r.lower), len(r.scale)) {
		if lower, upper := r.Bounds(s); !Within(lower, upper, r.Scale(s), tolerance) {
			return false
		}
	}
	r.within = tolerance
	return true
}

// scaleTolerance is the relative tolerance of a scale. A scale only multiplies a
// tolerance, so one digit is enough.
const scaleTolerance = 0.1

// measure computes the scale of a result if that can decide whether it has converged:
// if costs under the policy have both signs, and may cancel.
func (r *run) measure(ctx context.Context, model Model, criterion Criterion, result *Result) {
	explicit, ok := model.(Explicit)
	minimized := criterion.minimized()
	if !ok || minimized == nil || r.limits.HasEnded() || result.met(r.settings.Tolerance) {
		return
	}
	if result.Value != nil {
		all, err := rowsOf(explicit)
		if err != nil {
			return
		}
		by, _ := criterion.stepFactor()
		below, above, rate := result.proof.Lower.Value.inner(), result.proof.Upper.Value.inner(), rateOf(model)
		h := bound.Scale(all, by, relativeError(model), result.Policy, below, above, func(s int, h float64) bool {
			return Within(result.lower[s], result.upper[s], rounding.QuotientDown(h, rate), r.settings.Tolerance)
		})
		if h.High != nil {
			result.setScale(h, rate)
			return
		}
	}
	chain, err := Policy{Actions: result.Policy}.under(explicit, nil)
	if err != nil || slices.Min(chain.rows.Costs) >= 0 || slices.Max(chain.rows.Costs) <= 0 {
		return
	}
	for s, c := range chain.rows.Costs {
		chain.rows.Costs[s] = math.Abs(c)
	}
	settings := Settings{Tolerance: scaleTolerance, Workers: r.settings.Workers, MaxIterations: r.settings.MaxIterations}
	found, _ := Solve(ctx, chain, minimized, settings)
	if found != nil {
		result.scale, result.proof.Scale = found.lower, &found.proof.Lower
	}
}

// setScale sets the scale to what values h prove.
func (r *Result) setScale(h vector.Vector, rate float64) {
	r.scale, _ = boundsOf(h, h, rate)
	r.proof.Scale = &Witness{Value: vectorOf(h)}
}
