package evaluate

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate/elimination"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate/krylov"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Totals solves the equations
//
//	x(s) = b(s) + Σ_j p(s,j)·x(j)
//
// of absorbing chains: x is the expected sum of b until absorption. Totals solves the strongly
// connected components of a chain, each after those that it leads to: in the chain of one policy
// they are smaller than in the graph of all actions. It eliminates the states of a component if
// that is affordable, and otherwise uses a Krylov method. If such a component has most of the
// states, the Krylov method solves the whole chain at once.
type Totals struct {
	team       *parallel.Team
	operations float64 // the most that an elimination may take

	tooLarge int // the least number of states known to be too large to eliminate

	divided   *graph.Chain // into parts
	chain     Absorbing
	component []int32 // by state
	parts     []part
	place     []int32 // by state, its number in its component
}

// Absorbing is an absorbing chain: Exit is the probability of each state of leaving the
// chain. If it is +Inf, the transitions of the state are ignored.
type Absorbing struct {
	*graph.Chain
	Exit []float64
}

// part is a strongly connected component of a chain, or the whole chain, with its solver.
// A run of components of one state each is a part without a solver.
type part struct {
	states  []int32
	inner   *graph.Chain // between the states; nil for a run
	factors *elimination.Factorization
	krylov  *krylov.Solver
}

// The limits of an elimination if there are other ways: about a second on one core.
const (
	Bytes      = 1 << 30
	Operations = 4e9
)

// IsAffordable reports whether an elimination takes at most the given number of
// operations, and at most [Bytes] of memory, or half of what ctx allows if that is less.
func IsAffordable(ctx context.Context, f elimination.Forecast, operations float64) bool {
	return !f.Partial && f.Operations <= operations && f.Bytes <= limit.Bytes(ctx, Bytes)
}

// An elimination with worthOperations operations for each transition takes about as long as an
// iterative solution.
const worthOperations = 3000

// NewTotals returns totals for chains of n states. An elimination takes at most the given
// number of operations: 0 for none, +Inf to eliminate at any cost.
func NewTotals(team *parallel.Team, n int, operations float64) *Totals {
	return &Totals{team: team, operations: operations, tooLarge: math.MaxInt, place: make([]int32, n)}
}

// plan plans the elimination of a part; nil if that is not affordable.
func (t *Totals) plan(ctx context.Context, g *graph.Graph) (*elimination.Factorization, error) {
	always := math.IsInf(t.operations, 1)
	most := t.operations
	if !always {
		most = min(most, worthOperations*float64(len(g.Columns)))
	}
	if g.NumStates() >= t.tooLarge || most == 0 {
		return nil, nil
	}
	plan, err := elimination.NewPlan(ctx, g.Undirected(), most)
	if err != nil {
		return nil, err
	}
	if !always && !IsAffordable(ctx, plan.Forecast, most) {
		t.tooLarge = g.NumStates()
		return nil, nil
	}
	return elimination.New(plan)
}

// IsIterative reports whether more digits take Solve more time, for the chain prepared.
func (t *Totals) IsIterative() bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return p.krylov != nil })
}

// Operations returns how many operations the eliminations for a chain take; +Inf if a part is not
// eliminated. A Prepare for this chain takes less time afterwards.
func (t *Totals) Operations(ctx context.Context, chain *graph.Chain) (operations float64, err error) {
	if err := t.dividedAs(ctx, chain); err != nil {
		return 0, err
	}
	for _, p := range t.parts {
		switch {
		case p.factors != nil:
			operations += p.factors.Plan.Forecast.Operations
		case p.inner != nil:
			return math.Inf(1), nil
		}
	}
	return operations, nil
}

// Prepare prepares the solution for a chain, which must be left with probability 1 from
// every state. It takes less time if the chain is the last one, with other exits.
func (t *Totals) Prepare(ctx context.Context, chain Absorbing) error {
	if err := t.dividedAs(ctx, chain.Chain); err != nil {
		return err
	}
	t.chain = chain
	for i := range t.parts {
		if err := t.prepare(ctx, &t.parts[i]); err != nil {
			return err
		}
	}
	return nil
}

// dividedAs divides a chain into parts, unless it is the last one.
func (t *Totals) dividedAs(ctx context.Context, chain *graph.Chain) error {
	if t.divided == chain {
		return nil
	}
	count, component := chain.Components()
	return t.divide(ctx, chain, count, component)
}

// divide divides a chain into parts by its components, and chooses how to solve each.
func (t *Totals) divide(ctx context.Context, chain *graph.Chain, count int, component []int32) (err error) {
	previous := t.parts
	t.parts, t.component, t.divided = nil, component, nil
	sets := graph.Members(component, count)
	for first, last := 0, 0; first < count; first = last {
		for last < count && len(sets[last]) == 1 {
			last++
		}
		if last > first {
			t.parts = append(t.parts, part{states: slices.Concat(sets[first:last]...)})
			continue
		}
		last++
		p := part{states: sets[first], inner: t.cut(chain, sets[first])}
		if i := len(t.parts); i < len(previous) && previous[i].serves(p.inner) {
			p.factors = previous[i].factors
		} else if p.factors, err = t.plan(ctx, &p.inner.Graph); err != nil {
			return err
		}
		if p.factors == nil && 2*len(p.states) > len(component) { // parts would gain very little
			for s := range component {
				component[s] = int32(min(len(chain.Next(int32(s))), 1))
			}
			sets = graph.Members(component, 2) // the states without transitions, and the others
			p = part{states: sets[1], inner: t.cut(chain, sets[1])}
			if len(previous) == 2 && slices.Equal(previous[1].states, p.states) {
				p.krylov = previous[1].krylov
			}
			t.parts = []part{{states: sets[0]}, p}
			break
		}
		t.parts = append(t.parts, p)
	}
	t.divided = chain
	return nil
}

// serves reports whether the elimination of the part serves a chain, too: it has the same
// transitions, with other probabilities.
func (p *part) serves(chain *graph.Chain) bool {
	return p.factors != nil && slices.Equal(p.inner.Start, chain.Start) && slices.Equal(p.inner.Columns, chain.Columns)
}

// cut returns the transitions of a chain between the states of a component.
func (t *Totals) cut(chain *graph.Chain, states []int32) *graph.Chain {
	if len(states) == chain.NumStates() {
		return chain
	}
	for i, s := range states {
		t.place[s] = int32(i)
	}
	inner := graph.NewChain(len(states))
	for _, s := range states {
		columns, probabilities := chain.Row(s)
		for k, j := range columns {
			if t.component[j] == t.component[s] {
				inner.Add(t.place[j], probabilities[k])
			}
		}
		inner.EndState()
	}
	return inner
}

// prepare prepares the solution of a part. Transitions to other parts count as its exit.
func (t *Totals) prepare(ctx context.Context, p *part) error {
	if p.inner == nil {
		return nil
	}
	exit := vector.Gather(t.chain.Exit, p.states)
	for i, s := range p.states {
		columns, probabilities := t.chain.Row(s)
		for k, j := range columns {
			if t.component[j] != t.component[s] {
				exit[i] += probabilities[k]
			}
		}
	}
	switch {
	case p.factors != nil:
		err := p.factors.Factor(ctx, p.inner, exit)
		if stuck, ok := errors.AsType[*elimination.StuckError](err); ok {
			stuck.State = p.states[stuck.State]
		}
		return err
	case p.krylov != nil:
		p.krylov.Follow(p.inner, exit)
	default:
		p.krylov = krylov.New(t.team, p.inner, exit)
	}
	return nil
}

// relativeResidual is the residual of a solution, relative to the right-hand side, if no
// tolerance is given: refinement does the rest.
const relativeResidual = 1e-4

// Solve returns the solution for b. An iterative solution has a residual of at most the
// tolerance, or of a small share of b if the tolerance is 0; isGood is false if its residual is larger.
// The error is [limit.ErrPrecisionLimit] if sums overflow, or the context's.
func (t *Totals) Solve(ctx context.Context, b []float64, tolerance float64) (x []float64, isGood bool, err error) {
	x, isGood = slices.Clone(b), true
	for _, p := range t.parts {
		for _, s := range p.states {
			leave := t.chain.Exit[s]
			if math.IsInf(leave, 1) {
				continue
			}
			columns, probabilities := t.chain.Row(s)
			for k, j := range columns {
				if t.component[j] != t.component[s] {
					x[s] += float64(probabilities[k] * x[j])
					leave += probabilities[k]
				}
			}
			if p.inner == nil {
				x[s] /= leave
			}
		}
		if p.inner == nil {
			continue
		}
		right := vector.Gather(x, p.states)
		if p.factors != nil {
			right = p.factors.Solve(right)
		} else {
			enough := tolerance
			if enough == 0 {
				enough = relativeResidual * vector.LargestMagnitude(right)
			}
			var outcome krylov.Outcome
			if right, outcome, err = p.krylov.Solve(ctx, right, enough); err != nil {
				return nil, false, err
			}
			isGood = isGood && outcome.Converged
		}
		vector.Scatter(x, right, p.states)
	}
	return x, isGood, checkFinite(x)
}

// SolveTransposed returns the solution of y(j) = b(j) + Σ_s y(s)·p(s,j), after an
// elimination of all parts: the expected number of visits to each state before the exit, if
// the chain starts b ≥ 0 times in each.
func (t *Totals) SolveTransposed(b []float64) []float64 {
	y := slices.Clone(b)
	for _, p := range slices.Backward(t.parts) {
		if p.inner != nil {
			vector.Scatter(y, p.factors.SolveTransposed(vector.Gather(y, p.states)), p.states)
		}
		for _, s := range slices.Backward(p.states) {
			if math.IsInf(t.chain.Exit[s], 1) {
				continue
			}
			columns, probabilities := t.chain.Row(s)
			if p.inner == nil {
				y[s] /= t.chain.Exit[s] + floats.Sum(probabilities)
			}
			for k, j := range columns {
				if t.component[j] != t.component[s] {
					y[j] += float64(y[s] * probabilities[k])
				}
			}
		}
	}
	return y
}

// checkFinite returns an error if a sum is too large for float64.
func checkFinite(x []float64) error {
	for i, y := range x {
		if math.IsNaN(y) || math.IsInf(y, 0) {
			return &elimination.StuckError{State: int32(i)}
		}
	}
	return nil
}
