package main

import (
	"context"
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// methodExact solves in rational numbers.
const methodExact = "exact"

// solveExactly finds the answer in fractions. Exact arithmetic has nothing to
// show before its end, so where it ends early the bounds are those of a solve in
// floating point that ends at once.
func (s *solution) solveExactly(c *cli.Context, m method) error {
	begin := time.Now()
	table, err := s.model.GraphTable()
	if err != nil {
		return fileFault(modelOperand, s.path, err)
	}
	if s.structure, err = structureOf(c.Context, table); err != nil {
		return fileFault(modelOperand, s.path, err)
	}
	model, err := interruptible(c.Context, func() (*exact.Model, error) { return s.model.Exact(s.question.reward) })
	if err != nil {
		return s.solveFault(m, err)
	}
	limited := c.Context
	if limit := m.settings.TimeLimit; limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(c.Context, max(1, limit-time.Since(begin)))
		defer cancel()
	}
	answer, err := s.question.exactly(limited, model, s.model)
	switch {
	case limited.Err() != nil:
		m.settings.TimeLimit = 1
		return s.solveNumerically(c, m)
	case err != nil:
		return s.solveFault(m, err)
	}
	s.keepExact(answer, time.Since(begin))
	return nil
}

// exactly answers a question about a model in rational numbers.
func (q question) exactly(ctx context.Context, model *exact.Model, m *mdpio.Model) (*exact.Answer, error) {
	switch q.criterion {
	case criterionDiscounted:
		return model.Discounted(ctx, q.sense, q.exactDiscount)
	case criterionTotal:
		target, _ := m.Labelled(q.target) // has been looked at
		return model.Total(ctx, q.sense, target)
	case criterionFinite:
		return model.Finite(ctx, q.sense, q.horizon, nil)
	}
	return model.Average(ctx, q.sense)
}

// keepExact turns an exact answer into a result.
func (s *solution) keepExact(a *exact.Answer, elapsed time.Duration) {
	s.status = mdp.Converged
	r := s.newResult()
	r.Status, r.Method, r.Iterations, r.Seconds = s.status.String(), methodExact, a.Rounds, elapsed.Seconds()
	r.Policy = a.Policy
	r.Exact = make([]*big.Rat, len(a.Values))
	for state, x := range a.Values {
		r.Lower[state], r.Upper[state] = x.Bounds()
		if r.Exact[state] = x.Rat(); r.Exact[state] == nil {
			r.Values[state] = math.Inf(x.Infinity())
		} else {
			r.Values[state], _ = r.Exact[state].Float64()
		}
	}
	for _, x := range a.Relative {
		r.Relative = append(r.Relative, x.Float64())
	}
	s.complete(r)
}

// discountMargin bounds what the rounding of a discount factor β to the float64 γ
// changes values by, given the largest of them. The values of a policy satisfy
//
//	v_β − v_γ = β·P·(v_β − v_γ) + (β − γ)·P·v_γ,
//
// so they differ by |β − γ|·max|v_γ|/(1 − β) at most, and so do the best values,
// with the policies that are best for β and for γ.
func (q question) discountMargin(largest float64) float64 {
	rounded := new(big.Rat).SetFloat64(q.discount)
	moved, _ := rounded.Sub(rounded, q.exactDiscount).Float64()
	moved = math.Abs(moved)
	share := moved / (1 - q.discount - 2*moved)
	if !(share >= 0 && share < 0.5) {
		return math.Inf(1)
	}
	return share / (1 - share) * largest * (1 + 0x1p-40) // more than rounding does
}

// fraction returns exactly what a number says that has been parsed before.
func fraction(text string) *big.Rat {
	above, below, has := strings.Cut(text, "/")
	x, ok := new(big.Rat).SetString(above)
	if ok && has {
		var divisor *big.Rat
		if divisor, ok = new(big.Rat).SetString(below); ok {
			x.Quo(x, divisor)
		}
	}
	if !ok {
		panic("main: " + text + " has been parsed, and is no number")
	}
	return x
}
