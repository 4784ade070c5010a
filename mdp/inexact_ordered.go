package mdp

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/krylov"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
)

const (
	// orderedSweeps is what a solution component by component takes, in sweeps
	// with a policy.
	orderedSweeps = 100

	// orderedCorrections bounds the solutions, each for what the one before has
	// left.
	orderedCorrections = 4
)

// byComponents solves the equations of a chain of several strongly connected
// components, one after the other, as [evaluate.Ordered] does. A chain may stay in
// many sets of states for long, so that the equations have as many nearly
// singular directions, which are too many for GMRES; but each of them is of one
// component, often a small one that is eliminated.
func (e *iterated) byComponents(ctx context.Context, c *stoppingChain, a krylov.Operator, x, b []float64, tolerance float64) (good bool, err error) {
	n := len(b)
	totals := evaluate.NewOrdered(e.team, e.workers, n+1)
	if err := totals.Prepare(ctx, c.ending()); err != nil {
		return false, beyondPrecision(err)
	}
	left, product := append(slices.Clone(b), 0), make([]float64, n)
	clear(x)
	for range orderedCorrections {
		more, err := totals.Solve(left)
		if err != nil {
			return false, beyondPrecision(err)
		}
		for i := range x {
			x[i] += more[i]
		}
		a(product, x)
		largest := 0.0
		for i := range b {
			left[i] = b[i] - product[i]
			largest = max(largest, math.Abs(left[i]))
		}
		if largest <= tolerance {
			return true, nil
		}
	}
	return false, nil
}

// scattered says whether no strongly connected component has more than half of
// the states.
func scattered(c *graph.Chain) bool {
	count, component := c.Components()
	sizes := make([]int, count)
	for _, k := range component {
		sizes[k]++
	}
	return slices.Max(sizes) <= len(component)/2
}

// beyondPrecision returns an error unless it is that something could not be
// solved as exactly as it should.
func beyondPrecision(err error) error {
	if errors.Is(err, ErrPrecisionLimit) {
		return nil
	}
	return err
}

// ending returns the chain with one more state, in which it stops.
func (c *stoppingChain) ending() *evaluate.Chain {
	n := c.chain.NumStates()
	e := &evaluate.Chain{Chain: *graph.NewChain(n + 1)}
	e.Columns = make([]int32, 0, len(c.chain.Columns)+n)
	e.Probabilities = make([]float64, 0, len(c.chain.Columns)+n)
	for s := range int32(n) {
		columns, probabilities := c.chain.Row(s)
		for i, j := range columns {
			e.Add(j, probabilities[i])
		}
		e.Add(int32(n), c.excess)
		e.EndState()
	}
	e.EndState()
	return e
}
