package total

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate/elimination"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Components of few states in a large problem: policy iteration in float64, with elimination in a
// dense matrix, in memory that all of them share.
//
// The elimination has no subtractions, so that the values of a policy have nearly all their digits,
// each relative to its own size (O'Cinneide 1993). Costs are moved by margins that are a small
// multiple of the rounding of a row. So the values satisfy the inequalities of [Problem], which are
// checked as always. If they do not, or if bounds are not close, values in double-double follow.

const (
	// marginErrors is the margin of a row as a multiple of its rounding.
	marginErrors = 4

	// mostPolicies is the most policies of a small component: few are needed.
	mostPolicies = 50
)

// small is policy iteration in a small component. The policy is that of the problem.
type small struct {
	*Problem
	states               []int32
	matrix               []float64
	exit, right, margins []float64 // by state of the component
	start                []int32   // the policy before
	row                  []rows.Entry
	policies             int
	isProved, isLost     bool
}

// solve settles a component, if that gives bounds within a part of the tolerance.
func (c *small) solve(ctx context.Context, states []int32) (isSettled bool, err error) {
	p := c.Problem
	n := len(states)
	c.matrix, c.exit = slices.Grow(c.matrix[:0], n*n)[:n*n], slices.Grow(c.exit[:0], n)[:n]
	c.right, c.margins = slices.Grow(c.right[:0], n)[:n], slices.Grow(c.margins[:0], n)[:n]
	c.states, c.start, c.policies, c.isProved, c.isLost = states, c.start[:0], 0, false, false
	for i, s := range states {
		p.place[s] = int32(i) + 1
		c.start = append(c.start, p.Policy[s])
	}
	end, err := p.Run.Drive(ctx, c)
	p.Run.Note(end)
	p.forget(states)
	isSettled = c.isProved && c.isClose()
	for i, s := range states {
		if p.Settled[s] = isSettled; !isSettled {
			p.Policy[s] = c.start[i]
		}
	}
	return isSettled, err
}

// Iterate evaluates the policy for the lower bound and improves it. If no choice is better, it
// evaluates the policy for the upper bound.
func (c *small) Iterate(ctx context.Context) (lower, upper float64, err error) {
	c.policies++
	if c.isLost = !c.factor(ctx); !c.isLost {
		c.evaluate(c.lower())
		c.improve(c.lower())
	}
	if c.isProved {
		c.evaluate(c.upper())
		for _, s := range c.states {
			c.isProved = c.isProved && c.proves(c.upper(), int(s), c.choice(s), &c.row)
		}
		c.isLost = !c.isProved
	}
	return c.Lower.High[0], math.Inf(1), nil
}

// IsFinished reports whether bounds are proved, or cannot be.
func (c *small) IsFinished() bool { return c.isProved || c.isLost || c.policies == mostPolicies }

func (c *small) choice(s int32) int32 { return c.Rows.StateStart[s] + c.Policy[s] }

func (c *small) factors() blas64.General {
	n := len(c.states)
	return blas64.General{Rows: n, Cols: n, Stride: n, Data: c.matrix}
}

// factor eliminates the chain of the policy. It reports whether that leads to settled states.
func (c *small) factor(ctx context.Context) bool {
	factors := c.factors()
	clear(factors.Data)
	for i, s := range c.states {
		exit := c.ends
		for e, end := c.Rows.RowStart[c.choice(s)], c.Rows.RowStart[c.choice(s)+1]; e < end; e++ {
			switch j, q := c.Rows.Columns[e], c.goesOn*c.Rows.Probabilities[e]; {
			case j == s:
			case c.place[j] > 0:
				factors.Data[i*factors.Stride+int(c.place[j])-1] -= q
			default:
				exit += q
			}
		}
		c.exit[i] = exit
	}
	return elimination.FactorDense(ctx, factors, c.exit) < 0
}

// evaluate sets values to those of the policy, for costs that are moved by margins.
func (c *small) evaluate(of side) {
	margins, right := c.margins, c.right
	clear(margins)
	for pass := range 2 {
		for i, s := range c.states {
			k := c.choice(s)
			sum := of.costs[k] + of.direction*margins[i]
			for e := c.Rows.RowStart[k]; e < c.Rows.RowStart[k+1]; e++ {
				if j := c.Rows.Columns[e]; c.place[j] == 0 {
					sum += float64(c.goesOn * c.Rows.Probabilities[e] * of.values.High[j])
				}
			}
			right[i] = sum
		}
		elimination.SolveDense(c.factors(), right)
		for i, s := range c.states {
			of.values.Set(int(s), doubledouble.FromFloat(right[i]))
		}
		for i, s := range c.states {
			if pass == 0 {
				_, err, _ := c.excess(of, int(s), c.choice(s))
				margins[i] = marginErrors * err
			}
		}
	}
}

// improve takes better choices, for costs moved by margins, in states where some choice does not
// satisfy the inequality of the lower bound.
func (c *small) improve(of side) {
	isOpen, changed := false, false
	for _, s := range c.states {
		best, better := 0.0, c.choice(s)
		for k := c.Rows.StateStart[s]; k < c.Rows.StateStart[s+1]; k++ {
			if !c.Allowed[k] {
				continue
			}
			excess, err, leave := c.excess(of, int(s), k)
			if excess > err || leave == 0 && c.Rows.Costs[k] >= 0 || c.proves(of, int(s), k, &c.row) {
				continue
			}
			isOpen = true
			if x := (excess - marginErrors*err) / leave; x < best && k != c.choice(s) {
				best, better = x, k
			}
		}
		if better != c.choice(s) {
			c.Policy[s], changed = better-c.Rows.StateStart[s], true
		}
	}
	c.isProved, c.isLost = !isOpen, isOpen && !changed
}

// isClose reports whether the bounds of all states are close.
func (c *small) isClose() bool {
	for _, s := range c.states {
		if !c.areClose(c.Lower.High[s], c.Upper.High[s]) {
			return false
		}
	}
	return true
}
