package robots

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

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

	joined bool // the next point is known to be its neighbour
}

// FrontierSettings say how to look for a frontier.
type FrontierSettings struct {
	From, To  float64      // the range of γ, 0 < From < To
	MaxPoints int          // at least 2; 0 stands for any number
	Solve     mdp.Settings // for each weight; Values are ignored
}

func (s FrontierSettings) withDefaults() (FrontierSettings, error) {
	if s.MaxPoints == 0 {
		s.MaxPoints = math.MaxInt
	}
	s.Solve.Values = nil
	switch {
	case !isPositive(s.From):
		return s, &ParameterError{"From", s.From, "a positive finite number"}
	case !isPositive(s.To) || s.To <= s.From:
		return s, &ParameterError{"To", s.To, fmt.Sprintf("a finite number above From = %v", s.From)}
	case s.MaxPoints < 2:
		return s, &ParameterError{"MaxPoints", s.MaxPoints, "at least 2"}
	}
	return s, nil
}

// equalCosts is the relative difference up to which two costs count as equal:
// above the rounding of exact evaluation, some 1e-14.
const equalCosts = 1e-11

// NewFrontier finds the frontier of a process; its StarvationWeight is ignored.
//
// Of two policies that are optimal for some weights, either is as good as the
// other at the weight γ* where their lines cross,
//
//	γ* = (y_B − y_A)/(S_A − S_B).
//
// If nothing costs less there, γ* is a breakpoint and the two are neighbours;
// otherwise the policy that is optimal at γ* lies between them, and each half is
// searched in the same way (the weights of M. J. Eisner and D. G. Severance,
// Mathematical techniques for efficient record segmentation in large shared
// databases, Journal of the ACM 23 (1976), 619-635). With v vertices that takes
// 2v−1 solves at most. The pair with the largest possible improvement between them comes
// first, so that a search which ends at MaxPoints has the smallest Gap.
//
// Breakpoints are as exact as solves: to about 1e-11 of the cost by policy iteration, to
// the tolerance by value iteration. If rounding keeps a solve from converging, as it may
// where policies cost the same, a weight next to γ* takes its place.
//
// Errors are a [*ParameterError] for settings out of range, those of [Solve], also of a solve
// that does not converge, and [mdp.ErrTooLarge] if a policy cannot be measured. If any solve
// but the first fails, the frontier beside the error holds the policies found so far.
func NewFrontier(ctx context.Context, p Parameters, settings FrontierSettings) (*Frontier, error) {
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &frontierSearch{parameters: p, settings: settings}
	first, err := s.solve(ctx, settings.From)
	if err != nil {
		return nil, err
	}
	s.points = []FrontierPoint{first}
	last, err := s.solve(ctx, settings.To)
	if err != nil {
		frontier := s.frontier()
		// The least cost does not fall as the weight rises.
		frontier.Gap = 1 - first.cost(settings.From)/first.cost(settings.To)
		return frontier, err
	}
	if last.Measures.Starvation < first.Measures.Starvation && last.cost(settings.To) < first.cost(settings.To)*(1-equalCosts) {
		s.points = append(s.points, last)
	}
	for len(s.points) < settings.MaxPoints {
		at := s.widest()
		if at < 0 {
			break
		}
		if err := s.split(ctx, at); err != nil {
			return s.frontier(), err
		}
	}
	return s.frontier(), nil
}

// cost returns the line of the point at a weight.
func (p *FrontierPoint) cost(weight float64) float64 {
	return weight*p.Measures.Starvation + p.OtherCosts
}

type frontierSearch struct {
	parameters Parameters
	settings   FrontierSettings
	points     []FrontierPoint // in order of the weights
	solves     int
}

func (s *frontierSearch) solve(ctx context.Context, weight float64) (FrontierPoint, error) {
	s.solves++
	p := s.parameters
	p.StarvationWeight = weight
	solution, err := solveTie(ctx, p, s.settings.Solve)
	if err != nil {
		return FrontierPoint{}, err
	}
	if solution.Measures == nil {
		return FrontierPoint{}, fmt.Errorf("robots: %w: an optimal policy cannot be measured", mdp.ErrTooLarge)
	}
	p.StarvationWeight = 0
	return FrontierPoint{Policy: solution.Policy, Measures: *solution.Measures, At: weight, OtherCosts: p.Cost(*solution.Measures)}, nil
}

// solveTie solves for a weight at which policies may cost the same. If rounding keeps the
// solve from converging, a weight next to it takes its place.
func solveTie(ctx context.Context, p Parameters, settings mdp.Settings) (*Solution, error) {
	solution, err := Solve(ctx, p, settings)
	if !errors.Is(err, mdp.ErrPrecisionLimit) || solution == nil {
		return solution, err
	}
	p.StarvationWeight *= 1 + equalCosts/4
	again, err := Solve(ctx, p, settings)
	if again != nil {
		again.Iterations += solution.Iterations
	}
	return again, err
}

// crossing returns the weight at which two neighbours cost the same.
func crossing(a, b *FrontierPoint) float64 {
	weight := (b.OtherCosts - a.OtherCosts) / (a.Measures.Starvation - b.Measures.Starvation)
	return min(max(weight, a.At), b.At) // rounding must not lead out
}

// hidden returns by how much, relative to their cost where they cross, a policy
// between two points may be cheaper than both: it is not below the lines through
// the points that have the slopes for which these are optimal.
func hidden(a, b *FrontierPoint) float64 {
	weight := crossing(a, b)
	starvation := (b.cost(b.At) - a.cost(a.At)) / (b.At - a.At)
	least := a.cost(a.At) + (weight-a.At)*starvation
	return 1 - least/a.cost(weight)
}

// widest returns the point with the largest possible improvement after it; −1 for none.
func (s *frontierSearch) widest() int {
	at, most := -1, 0.0
	for i := range len(s.points) - 1 {
		a, b := &s.points[i], &s.points[i+1]
		if a.joined {
			continue
		}
		if gap := hidden(a, b); gap > equalCosts && gap > most {
			at, most = i, gap
		}
	}
	return at
}

// split solves where points at and at+1 cross, and finds them to be neighbours
// or puts what it finds between them.
func (s *frontierSearch) split(ctx context.Context, at int) error {
	a, b := &s.points[at], &s.points[at+1]
	weight := crossing(a, b)
	between, err := s.solve(ctx, weight)
	if err != nil {
		return err
	}
	better := between.cost(weight) < a.cost(weight)*(1-equalCosts)
	if !better || between.Measures.Starvation >= a.Measures.Starvation || between.Measures.Starvation <= b.Measures.Starvation {
		a.joined = true
		return nil
	}
	s.points = slices.Insert(s.points, at+1, between)
	return nil
}

// frontier sets the ranges of the points.
func (s *frontierSearch) frontier() *Frontier {
	f := &Frontier{Solves: s.solves, Points: s.points}
	from := s.settings.From
	for i := range f.Points {
		p := &f.Points[i]
		p.From, p.To = from, s.settings.To
		if i+1 < len(f.Points) {
			next := &f.Points[i+1]
			p.To = crossing(p, next)
			if gap := hidden(p, next); !p.joined && gap > equalCosts {
				f.Gap = max(f.Gap, gap)
			}
		}
		from = p.To
	}
	return f
}
