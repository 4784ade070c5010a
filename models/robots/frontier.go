package robots

import (
	"context"
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/tradeoff"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// Frontier is the trade-off between starvation and losses: the policies that are optimal for
// some weight γ of a range, in order of γ. As γ grows, starvation falls and all other costs
// rise.
//
// A policy with starvation S and other costs y per unit of time costs γS + y. The minimum of
// these lines over all policies is concave and piecewise linear in γ; its pieces are the
// vertices of the lower left hull of the pairs (S, y) of all policies, randomised ones
// included.
type Frontier struct {
	Points []FrontierPoint

	// Gap bounds how much a policy may cost less than the cheapest of Points at any γ of the
	// range, relative to that: 0 if every breakpoint was found.
	Gap float64

	// Solves counts the weights for which the process was solved.
	Solves int
}

// FrontierPoint is a policy that is optimal for a range of weights.
type FrontierPoint struct {
	// From and To are the weights between which no other policy costs less.
	From, To float64

	// Policy is the policy, and Measures its behaviour; Gain is the cost at the
	// weight for which the policy was found, At. OtherCosts are all costs per unit of time
	// except that of starvation.
	Policy     *Policy
	Measures   Measures
	At         float64
	OtherCosts float64
}

// FrontierSettings say how to look for a frontier.
type FrontierSettings struct {
	From, To  float64      // the range of γ, 0 < From < To
	MaxPoints int          // at least 2; 0 stands for any number
	Solve     mdp.Settings // for each weight; Values are ignored
}

// NewFrontier finds the frontier of a process; its StarvationWeight is ignored.
//
// With v vertices it takes 2v−1 solves at most: it solves where the lines of two policies cross
// (the weights of M. J. Eisner and D. G. Severance, Mathematical techniques for efficient record
// segmentation in large shared databases, Journal of the ACM 23 (1976), 619-635). The pair with
// the largest possible improvement between them comes first, so that a search which ends at
// MaxPoints has the smallest Gap. Breakpoints are as exact as solves: to about 1e-11 of the cost
// by policy iteration, to the tolerance by value iteration.
//
// Errors are a [*ParameterError] for settings out of range, those of [Solve], also of a solve
// that does not converge, and [mdp.ErrTooLarge] if a policy cannot be measured. If any solve
// but the first fails, the frontier beside the error holds the policies found so far.
func NewFrontier(ctx context.Context, p Parameters, settings FrontierSettings) (*Frontier, error) {
	settings.Solve.Values = nil
	switch {
	case !isPositive(settings.From):
		return nil, &ParameterError{"From", settings.From, "a positive finite number"}
	case !isPositive(settings.To) || settings.To <= settings.From:
		return nil, &ParameterError{"To", settings.To, fmt.Sprintf("a finite number above From = %v", settings.From)}
	case settings.MaxPoints < 2 && settings.MaxPoints != 0:
		return nil, &ParameterError{"MaxPoints", settings.MaxPoints, "at least 2"}
	}
	frontier := &Frontier{}
	search := tradeoff.Front[*Solution]{Solve: func(ctx context.Context, weights []float64) (point tradeoff.Point[*Solution], lower float64, err error) {
		frontier.Solves++
		p.StarvationWeight = weights[0] / weights[1]
		if point.Policy, err = solveTie(ctx, p, settings.Solve); err != nil {
			return point, 0, err
		}
		m, free := point.Policy.Measures, p
		if m == nil {
			return point, 0, fmt.Errorf("robots: %w: an optimal policy cannot be measured", mdp.ErrTooLarge)
		}
		free.StarvationWeight = 0
		point.Values = []float64{m.Starvation, free.Cost(*m)}
		return point, weights[0]*point.Values[0] + weights[1]*point.Values[1], nil
	}}
	err := search.Run(ctx, [2]float64{settings.From, 1}, [2]float64{settings.To, 1}, settings.MaxPoints)
	if len(search.Vertices) == 0 {
		return nil, err
	}
	from := settings.From
	for i := range search.Vertices {
		v, to := &search.Vertices[i], settings.To
		if i+1 < len(search.Vertices) {
			to = v.Next[0] / v.Next[1]
			if v.Gap > tradeoff.Tie {
				frontier.Gap = max(frontier.Gap, v.Gap)
			}
		}
		frontier.Points = append(frontier.Points, FrontierPoint{
			From: from, To: to, Policy: v.Policy.Policy, Measures: *v.Policy.Measures, At: v.At[0] / v.At[1], OtherCosts: v.Values[1],
		})
		from = to
	}
	if v := search.Vertices[0].Values; err != nil && frontier.Solves == 2 { // the least cost does not fall as the weight rises
		frontier.Gap = 1 - (settings.From*v[0]+v[1])/(settings.To*v[0]+v[1])
	}
	return frontier, err
}

// solveTie solves for a weight at which policies may cost the same. If rounding keeps the
// solve from converging, a weight next to it takes its place.
func solveTie(ctx context.Context, p Parameters, settings mdp.Settings) (*Solution, error) {
	solution, err := Solve(ctx, p, settings)
	if !errors.Is(err, mdp.ErrPrecisionLimit) || solution == nil {
		return solution, err
	}
	p.StarvationWeight *= 1 + tradeoff.Tie/4
	again, err := Solve(ctx, p, settings)
	if again != nil {
		again.Iterations += solution.Iterations
	}
	return again, err
}
