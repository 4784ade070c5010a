package model

import (
	"context"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// methodExact solves in rational numbers.
const methodExact = "exact"

// solveExactly finds the answer in fractions. Exact arithmetic has nothing to
// show before its end, so where it ends early the bounds are those of a solve in
// floating point that ends at once.
func (s *solution) solveExactly(c *cli.Context, m ui.Method) error {
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
	if limit := m.Settings.TimeLimit; limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(c.Context, max(1, limit-time.Since(begin)))
		defer cancel()
	}
	answer, err := s.question.exactly(limited, model, s.model)
	switch {
	case limited.Err() != nil:
		m.Settings.TimeLimit = 1
		return s.solveNumerically(c, m)
	case err != nil:
		return s.solveFault(m, err)
	}
	if err := s.keepExact(answer, m.Settings.Tolerance, time.Since(begin)); err != nil {
		return s.solveFault(m, err)
	}
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

// keepExact turns an exact answer into a result, unless a value is beyond the range
// of float64. Bounds are the float64 next to each value, which are not within the
// tolerance of each other where it is as small as rounding, or the value is.
func (s *solution) keepExact(a *exact.Answer, tolerance float64, elapsed time.Duration) error {
	for _, x := range a.Values {
		if x.Infinity() == 0 && math.IsInf(x.Float64(), 0) {
			return mdp.ErrOverflow
		}
	}
	s.status = mdp.Converged
	r := s.newResult()
	proof := mdpio.CertificateOfExact(a)
	values := proof.Lower.Value
	if s.question.criterion == criterionAverage {
		values = proof.Lower.Gain
	}
	r.Values, r.Exact = values.High, values.Exact
	for state, x := range a.Values {
		r.Lower[state], r.Upper[state] = x.Bounds()
		if !mdp.Within(r.Lower[state], r.Upper[state], 0, tolerance) {
			s.status = mdp.PrecisionLimit
		}
	}
	r.Status, r.Method, r.Iterations, r.Seconds = s.status.String(), methodExact, a.Rounds, elapsed.Seconds()
	r.Policy, r.Tolerance = a.Policy, tolerance
	if s.question.criterion != criterionFinite {
		r.Certificate = proof
	}
	for _, x := range a.Relative {
		r.Relative = append(r.Relative, x.Float64())
	}
	r.Relative = relativeValues(r.Relative)
	s.complete(r)
	return nil
}

// writtenDiscount returns the discount factor as a result keeps it: nil where that
// is the shortest decimal of its float64.
func (q question) writtenDiscount() *big.Rat {
	if q.exactDiscount == nil || q.exactDiscount.Cmp(fraction(strconv.FormatFloat(q.discount, 'g', -1, 64))) == 0 {
		return nil
	}
	return q.exactDiscount
}

// complement returns 1−β of the discount factor as it was given, rounded.
func (q question) complement() float64 {
	rest := new(big.Rat).SetInt64(1)
	x, _ := rest.Sub(rest, q.exactDiscount).Float64()
	return x
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
