package evaluate

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate/elimination"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate/krylov"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Totals solves the equations
//
//	x(s) = b(s) + Σ_j p(s,j)·x(j)
//
// of absorbing chains: x is the expected sum of b until absorption. If it is affordable,
// Totals eliminates all states, by one plan for all policies of a model. Otherwise it
// solves the strongly connected components of a policy's chain, which connects fewer states
// than all actions do, each after those that it leads to; or the whole chain at once, if
// one component has most of the states. It eliminates the states of a component if that
// is affordable, and otherwise uses a Krylov method.
type Totals struct {
	team       *parallel.Team
	operations float64                    // the most that an elimination may take
	factors    *elimination.Factorization // of all states; nil if that is not affordable

	tooLarge int // the least number of states known to be too large to eliminate

	chain Absorbing
	parts []part // of the chain, without factors
	place []int32
}

// Absorbing is an absorbing chain: Exit is the probability of each state of leaving the
// chain.
type Absorbing struct {
	*graph.Chain
	Exit []float64
}

// part is a strongly connected component of a chain, or the whole chain, with its
// solver; a single state needs none.
type part struct {
	states  []int32
	factors *elimination.Factorization
	krylov  *krylov.Solver
}

// The limits of an elimination if there are other ways: about a second on one core.
const (
	Bytes      = 1 << 30
	Operations = 4e9
)

// IsAffordable reports whether an elimination takes at most the given number of
// operations, and little memory.
func IsAffordable(f elimination.Forecast, operations float64) bool {
	return !f.Partial && f.Operations <= operations && f.Bytes <= Bytes
}

// worthOperations is the number of operations of an elimination, for each transition, that
// take the time of an iterative solution.
const worthOperations = 3000

// NewTotals returns totals for chains with transitions in a graph. With always, they
// eliminate at any cost.
func NewTotals(ctx context.Context, team *parallel.Team, transitions *graph.Graph, always bool) (*Totals, error) {
	t := NewIterative(team, transitions.NumStates())
	t.operations = Operations
	var err error
	if t.factors, err = t.plan(ctx, transitions, always); err != nil && (!always || ctx.Err() != nil) {
		return t, nil
	}
	return t, err
}

// NewIterative returns totals for chains of n states that never eliminate.
func NewIterative(team *parallel.Team, n int) *Totals {
	return &Totals{team: team, tooLarge: math.MaxInt, place: make([]int32, n)}
}

// plan returns a factorization for chains with transitions in a graph; nil if elimination
// is not affordable.
func (t *Totals) plan(ctx context.Context, g *graph.Graph, always bool) (*elimination.Factorization, error) {
	most := math.Inf(1)
	if !always {
		if most = min(t.operations, worthOperations*float64(len(g.Columns))); g.NumStates() >= t.tooLarge {
			return nil, nil
		}
	}
	plan, err := planFor(ctx, g, most)
	if err != nil {
		return nil, err
	}
	if !always && !IsAffordable(plan.Forecast, most) {
		t.tooLarge = g.NumStates()
		return nil, nil
	}
	return elimination.New(plan)
}

// planFor plans the elimination of all states of a graph.
func planFor(ctx context.Context, g *graph.Graph, operations float64) (*elimination.Plan, error) {
	return elimination.NewPlan(ctx, g.Undirected(), operations)
}

// IsIterative reports whether more digits take Solve more time.
func (t *Totals) IsIterative() bool { return t.factors == nil }

// Prepare prepares the solution for a chain, which must be left with probability 1 from
// every state.
func (t *Totals) Prepare(ctx context.Context, chain Absorbing) error {
	t.chain = chain
	if t.factors != nil {
		return t.factors.Factor(ctx, chain.Chain, chain.Exit)
	}
	previous := t.parts
	t.parts = nil
	count, component := chain.Components()
	sets := graph.Members(component, count)
	if most := slices.MaxFunc(sets, func(a, b []int32) int { return len(a) - len(b) }); 2*len(most) > len(component) {
		sets = graph.Members(make([]int32, len(component)), 1) // parts would gain very little
	}
	for i, states := range sets {
		p := part{states: states}
		if len(sets) == 1 && len(previous) == 1 {
			p.krylov = previous[i].krylov
		}
		if len(states) > 1 {
			if err := t.prepare(ctx, &p); err != nil {
				return err
			}
		}
		t.parts = append(t.parts, p)
	}
	return nil
}

// prepare chooses how to solve a component, and prepares that.
func (t *Totals) prepare(ctx context.Context, p *part) (err error) {
	cut := t.chain
	if len(p.states) < cut.NumStates() {
		cut = t.cut(p.states)
	}
	if p.factors, err = t.plan(ctx, &cut.Graph, false); err != nil {
		return err
	}
	if p.factors != nil {
		return p.factors.Factor(ctx, cut.Chain, cut.Exit)
	}
	if p.krylov != nil {
		p.krylov.Follow(cut.Chain, cut.Exit)
	} else {
		p.krylov = krylov.New(t.team, cut.Chain, cut.Exit)
	}
	return nil
}

// cut returns the chain of a component, which is left where it leads to others.
func (t *Totals) cut(states []int32) Absorbing {
	t.mark(states)
	cut := Absorbing{graph.NewChain(len(states)), vector.Gather(t.chain.Exit, states)}
	for i, s := range states {
		columns, probabilities := t.chain.Row(s)
		for k, j := range columns {
			if t.place[j] == 0 {
				cut.Exit[i] += probabilities[k]
			} else {
				cut.Add(t.place[j]-1, probabilities[k])
			}
		}
		cut.EndState()
	}
	t.unmark(states)
	return cut
}

// mark numbers the states of a component, from 1.
func (t *Totals) mark(states []int32) {
	for i, s := range states {
		t.place[s] = int32(i) + 1
	}
}

func (t *Totals) unmark(states []int32) {
	for _, s := range states {
		t.place[s] = 0
	}
}

// relativeResidual is the residual of a solution, relative to the right-hand side, if no
// tolerance is given: refinement does the rest.
const relativeResidual = 1e-4

// Solve returns the solution for b. An iterative solution has a residual of at most the
// tolerance, or a small share of b if that is 0; isGood is false if it did not get there.
// The error is [limit.ErrPrecisionLimit] if sums overflow, or the context's.
func (t *Totals) Solve(ctx context.Context, b []float64, tolerance float64) (x []float64, isGood bool, err error) {
	isGood = true
	if t.factors != nil {
		x = t.factors.Solve(b)
		return x, true, checkFinite(x)
	}
	x = make([]float64, len(b))
	for _, p := range t.parts {
		right := vector.Gather(b, p.states)
		t.mark(p.states)
		leave := t.chain.Exit[p.states[0]] // of the only state
		for i, s := range p.states {
			columns, probabilities := t.chain.Row(s)
			for k, j := range columns {
				leave += probabilities[k]
				if t.place[j] == 0 {
					right[i] += float64(probabilities[k] * x[j])
				}
			}
		}
		t.unmark(p.states)
		switch {
		case len(p.states) == 1:
			right[0] /= leave
		case p.factors != nil:
			right = p.factors.Solve(right)
		default:
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

// checkFinite returns an error if a sum is too large for float64.
func checkFinite(x []float64) error {
	for i, y := range x {
		if math.IsNaN(y) || math.IsInf(y, 0) {
			return &elimination.StuckError{State: int32(i)}
		}
	}
	return nil
}
