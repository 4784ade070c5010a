package shard

// The one who asks.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/internal/dual"
)

// An InfeasibleError says that the least rates do not fit into the bandwidth or into the
// cap of a host: no rates keep to all of them.
type InfeasibleError struct {
	Host    string // whose cap it is; "": the bandwidth
	Least   float64
	Allowed float64
}

// Error returns a line with the sum of the least rates and what is allowed.
func (e *InfeasibleError) Error() string {
	if e.Host == "" {
		return fmt.Sprintf("refresh: the pages ask for %v at least; the bandwidth is %v", e.Least, e.Allowed)
	}
	return fmt.Sprintf("refresh: the pages of host %q ask for %v at least; its cap is %v", e.Host, e.Least, e.Allowed)
}

// A Solution is that of package refresh, without rates: shards have them.
type Solution struct {
	refresh.Solution
	Pages           int
	HostMultipliers map[string]float64 // of hosts with a cap
}

// Solve puts questions to all shards until they have the best rates. ask returns the merged
// answers of all shards; its errors end the solve. Other errors are those of
// refresh.Optimize, and [*InfeasibleError].
func Solve(ctx context.Context, p *Problem, ask func(*Question) (*Answer, error)) (*Solution, error) {
	begin := time.Now()
	objective, err := p.Best()
	if err != nil {
		return nil, err
	}
	check := refresh.Problem{Objective: objective, Bandwidth: p.Bandwidth}
	if err := check.Validate(); err != nil {
		return nil, err
	}
	scout, err := ask(&Question{Kind: Scout})
	if err != nil {
		return nil, err
	}
	if scout.Count == 0 {
		return nil, errors.New("refresh: there are no pages")
	}
	r := &remote{problem: p, ask: ask, scout: scout}
	for host := range scout.AtNone {
		r.names = append(r.names, host)
	}
	slices.Sort(r.names)
	whole := check.Dual()
	whole.Remote, whole.Elsewhere = r, scout.Count
	if scout.AtLeast {
		whole.Least = []float64{}
	}
	if scout.Bounded {
		whole.Greatest = []float64{}
	}
	if p.Capped {
		whole.Hosts = []int32{}
		for _, host := range r.names {
			most := math.Inf(1)
			if host != "" {
				most = p.cap(host)
			}
			whole.HostCaps = append(whole.HostCaps, most)
		}
	}
	team := parallel.NewTeam(1)
	defer team.Close()
	result, err := dual.Solve(ctx, whole, nil, 0, team)
	if result == nil {
		if infeasible, ok := errors.AsType[*dual.InfeasibleError](err); ok {
			err = &InfeasibleError{Least: infeasible.Least, Allowed: infeasible.Allowed}
			if infeasible.Host >= 0 {
				err = &InfeasibleError{r.names[infeasible.Host], infeasible.Least, infeasible.Allowed}
			}
		}
		return nil, err
	}
	if err == nil && !result.Precise {
		err = refresh.ErrPrecision
	}
	s := &Solution{Pages: scout.Count, Solution: refresh.Solution{
		Value: result.Value, Bound: result.Bound, Multiplier: result.Multiplier, Residual: result.Residual,
		Used: result.Used, Active: result.Active, Passes: result.Passes + 1, Elapsed: time.Since(begin),
	}}
	for i, multiplier := range result.HostMultipliers {
		if r.names[i] != "" {
			if s.HostMultipliers == nil {
				s.HostMultipliers = map[string]float64{}
			}
			s.HostMultipliers[r.names[i]] = multiplier
		}
	}
	return s, err
}

// remote is the pages in all shards.
type remote struct {
	problem *Problem
	ask     func(*Question) (*Answer, error)
	scout   *Answer
	names   []string // of groups
}

// Sample implements dual.Remote.
func (r *remote) Sample() dual.Pages { return r.scout.Sample }

// Demand implements dual.Remote.
func (r *remote) Demand(multipliers []float64) ([]dual.Demand, error) {
	q := &Question{Kind: Demand, Pages: r.scout.Count}
	q.Multiplier, q.Multipliers = common(r.names, multipliers, sameNumber)
	answer := r.scout.AtNone
	switch {
	case q.Multipliers == nil && q.Multiplier == 0:
	case q.Multipliers == nil && math.IsInf(q.Multiplier, 1):
		answer = r.scout.AtMost
	default:
		a, err := r.ask(q)
		if err != nil {
			return nil, err
		}
		answer = a.Demands
	}
	return valuesOf(r.names, dual.Demand{}, answer), nil
}

// Points implements dual.Remote.
func (r *remote) Points(multipliers []float64) ([]dual.Points, error) {
	a, err := r.ask(&Question{Kind: Points, Pages: r.scout.Count, At: multipliers})
	if err != nil {
		return nil, err
	}
	return valuesOf(r.names, nil, a.Points), nil
}

// Ends implements dual.Remote.
func (r *remote) Ends(low, high float64) ([]dual.Ends, error) {
	a, err := r.ask(&Question{Kind: Ends, Pages: r.scout.Count, Multiplier: low, High: high})
	if err != nil {
		return nil, err
	}
	return valuesOf(r.names, dual.Ends{}, a.Ends), nil
}

// Settle implements dual.Remote.
func (r *remote) Settle(settlements []dual.Settlement) ([]dual.Tally, *dual.Values, error) {
	q := &Question{Kind: Settle, Pages: r.scout.Count}
	q.Settlement, q.Settlements = common(r.names, settlements, func(a, b dual.Settlement) bool { return a == b })
	a, err := r.ask(q)
	if err != nil {
		return nil, nil, err
	}
	return valuesOf(r.names, dual.Tally{}, a.Tallies), &a.Values, nil
}

// sameNumber says whether two numbers are equal, or both none.
func sameNumber(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// common returns the value that the first of several have, and the others by name.
func common[T any](names []string, values []T, same func(a, b T) bool) (first T, others map[string]T) {
	for i, value := range values {
		switch {
		case i == 0:
			first = value
		case !same(value, first):
			if others == nil {
				others = map[string]T{}
			}
			others[names[i]] = value
		}
	}
	return first, others
}
