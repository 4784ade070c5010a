package mdp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// PolicyIteration is Howard's method (1960) with exact evaluation: solve the
// equations of the present policy, change every action that another one beats,
// until none does. It needs a model that is [Explicit] and communicating, and
// a round is one evaluation.
//
// The gain of each policy comes from an elimination without subtractions, so
// it has all its digits however small it is. The values are refined to
// double-double precision, and actions are compared in it: differences are
// told apart down to about 10⁻²⁸ of the values. A policy whose chain has
// several closed classes is led to the best of them before it is evaluated
// (Haviv and Puterman 1991).
//
// It ends when no action is better than the present one by more than rounding,
// whatever the tolerance. The bounds are then as close as arithmetic allows. It
// also ends, with the best policy so far, at one whose chain is beyond exact
// evaluation in float64 (see [Evaluate]).
type PolicyIteration struct{}

// String returns "policy iteration".
func (PolicyIteration) String() string { return "policy iteration" }

// firstSweeps is the number of sweeps of value iteration that find the first
// policy: cheap beside one evaluation, and worth several of them.
const firstSweeps = 100

func (m PolicyIteration) start(ctx context.Context, task *task) (iteration, error) {
	if err := onlyAverage(task, m); err != nil {
		return nil, err
	}
	model, ok := task.model.(Explicit)
	if !ok {
		return nil, fmt.Errorf("mdp: policy iteration: %w: it does not list its rows (interface Explicit)", ErrUnsupported)
	}
	graph := unionGraph(model)
	if count, _ := graph.components(); count != 1 {
		return nil, fmt.Errorf("mdp: policy iteration: %w: it is not communicating (%d strongly connected components)", ErrUnsupported, count)
	}
	order := graph.bandOrder()
	below, above := graph.bandwidths(order, oneGroup(order), 0)
	if f := forecastElimination(len(order), below, above); f.bytes > maxEliminationBytes {
		return nil, fmt.Errorf("mdp: policy iteration: %w: one evaluation would take %s", ErrTooLarge, f)
	}
	sweeps, err := RelativeValueIteration{}.start(ctx, task)
	if err != nil {
		return nil, err
	}
	for range firstSweeps {
		if ctx.Err() != nil {
			break
		}
		if _, _, err := sweeps.round(ctx); err != nil {
			return nil, err
		}
	}
	first := sweeps.answer()
	it := &policyIteration{task: task, model: model, predecessors: graph.reverse(), order: order, root: noRoot, seen: map[uint64]bool{}}
	it.current = answer{values: first.values, policy: make([]int32, model.NumStates()), gain: math.NaN()}
	it.improve(first)
	return it, nil
}

type policyIteration struct {
	task         *task
	model        Explicit
	predecessors *graph
	order        []int32
	root         int32           // of the last evaluation
	current      answer          // values of the last evaluation, and the policy that is greedy for them
	best         answer          // of the least gain so far, as it was evaluated
	seen         map[uint64]bool // hashes of the policies evaluated so far
	done         bool
}

// riseTolerance is the relative rise of the gain that shows that rounding
// decided between actions: in exact arithmetic it never rises, and the
// elimination knows it to far more digits than this.
const riseTolerance = 1e-9

func (it *policyIteration) round(ctx context.Context) (lower, upper float64, err error) {
	system, err := it.evaluable(ctx)
	if errors.Is(err, ErrPrecisionLimit) {
		if it.best.policy != nil {
			it.current = it.best
		}
		it.done = true
		c := certifyExplicit(it.model, it.task.sweeper, it.current)
		return c.Lower, c.Upper, nil
	}
	if err != nil {
		return 0, 0, err
	}
	gain, values := refine(system, nil)
	if it.best.policy != nil && gain > it.best.gain+riseTolerance*math.Abs(it.best.gain) {
		it.current, it.done = it.best, true
		system, err = newSystem(ctx, newChain(it.model, it.best.policy), it.order, it.root)
		if err != nil {
			return 0, 0, err
		}
		lower, upper = it.enclose(system)
		return lower, upper, nil
	}
	it.root = system.classes[0].root
	it.current = answer{policy: it.current.policy, gain: gain, values: values}
	it.best = answer{policy: slices.Clone(it.current.policy), gain: gain, values: values}
	// In exact arithmetic no policy comes twice: each is better than the one
	// before, in its gain or in the values of transient states.
	again := it.seen[policyHash(it.best.policy)]
	it.seen[policyHash(it.best.policy)] = true
	lower, upper, changed := it.improve(it.current)
	if it.done = !changed || again; it.done {
		it.current = it.best
		lower, upper = it.enclose(system)
	}
	return lower, upper, nil
}

// policyHash returns a hash of 64 bits (FNV-1a over words).
func policyHash(policy []int32) uint64 {
	hash := uint64(14695981039346656037)
	for _, a := range policy {
		hash = (hash ^ uint64(a)) * 1099511628211
	}
	return hash
}

func (it *policyIteration) finished() bool { return it.done }

func (it *policyIteration) exhausted() bool { return it.done }

func (it *policyIteration) answer() answer { return it.current }

// improve makes the current policy greedy for the values of from, keeping the
// actions that no other beats, and returns the bounds from the same sweep.
func (it *policyIteration) improve(from answer) (lower, upper float64, changed bool) {
	sweeper := it.task.sweeper
	changes := make([]bool, len(sweeper.least))
	policy, inexact := it.current.policy, relativeError(it.model)
	sweeper.blocks(func(block, lo, hi int) {
		least, greatest := math.Inf(1), math.Inf(-1)
		var row []Entry
		for s := lo; s < hi; s++ {
			b := bestAction(it.model, inexact, from, s, &row)
			policy[s] = b.action
			changes[block] = changes[block] || b.change
			least, greatest = min(least, b.floor), max(greatest, b.ceiling)
		}
		sweeper.least[block], sweeper.most[block] = least, greatest
	})
	for _, c := range changes {
		changed = changed || c
	}
	lower, upper = sweeper.extremes()
	return lower, upper, changed
}

// enclose makes values for the bounds. The bounds are the extremes over states
// of T h − h with the error that it may have, and where that error is large
// (values are, and differences of them) they suffer, although such states are
// rarely visited. So the policy, whose chain the system has factored, is
// evaluated once more with each cost lowered by a margin that is larger than
// the error: T h − h is then larger than the new gain by that margin, which
// outweighs the error, while the gain falls by no more than the stationary mean
// of the margin. Likewise upward.
func (it *policyIteration) enclose(system *system) (lower, upper float64) {
	margin, inexact := make([]float64, len(it.order)), relativeError(it.model)
	it.task.sweeper.blocks(func(_, lo, hi int) {
		var row []Entry
		for s := lo; s < hi; s++ {
			b := bestAction(it.model, inexact, it.current, s, &row)
			margin[s] = 2*b.uncertainty + 4*math.Abs(b.value.AddFloat(-it.current.gain).Hi)
		}
	})
	_, it.current.above = refine(system, margin)
	floats.Scale(-1, margin)
	_, it.current.below = refine(system, margin)
	c := certifyExplicit(it.model, it.task.sweeper, it.current)
	return c.Lower, c.Upper
}

// evaluable factors the chain of the current policy, after leading all states
// to the best of its closed classes where there are several.
func (it *policyIteration) evaluable(ctx context.Context) (*system, error) {
	chain := newChain(it.model, it.current.policy)
	system, err := newSystem(ctx, chain, it.order, it.root)
	if err != nil || len(system.classes) == 1 {
		return system, err
	}
	best, least := 0, math.Inf(1)
	for i, class := range system.classes {
		if g := class.gain(system, chain.costs); g < least {
			best, least = i, g
		}
	}
	it.lead(chain, system.classes[best].states)
	chain = newChain(it.model, it.current.policy)
	return newSystem(ctx, chain, it.order, system.classes[best].root)
}

// lead changes the policy so that its chain reaches the target from every
// state, and no more than that needs: states that reach it as they are keep
// their actions.
func (it *policyIteration) lead(chain *chain, target []int32) {
	policyPredecessors := chain.reverse()
	reached := make([]bool, chain.numStates())
	// found holds what is reached; those before settled have had their
	// predecessors under the policy looked at, those before asked also the
	// predecessors under other actions.
	var found []int32
	settled, asked, place := 0, 0, 0 // place: of the predecessor of found[asked] to look at next
	reach := func(s int32) {
		if !reached[s] {
			reached[s] = true
			found = append(found, s)
		}
	}
	for _, s := range target {
		reach(s)
	}
	for asked < len(found) {
		for ; settled < len(found); settled++ {
			for _, s := range policyPredecessors.next(found[settled]) {
				reach(s)
			}
		}
		predecessors := it.predecessors.next(found[asked])
		for place < len(predecessors) && reached[predecessors[place]] {
			place++
		}
		if place == len(predecessors) {
			asked, place = asked+1, 0
			continue
		}
		s := predecessors[place]
		it.current.policy[s] = actionTowards(it.model, int(s), found[asked])
		reach(s) // and whatever reaches s by the policy may keep its action
	}
}

// actionTowards returns the first action of s that can lead to the target in
// one step.
func actionTowards(model Explicit, s int, target int32) int32 {
	var row []Entry
	for a := range model.NumActions(s) {
		row, _ = model.AppendRow(row[:0], s, a)
		for _, e := range row {
			if e.State == target && e.Probability > 0 {
				return int32(a)
			}
		}
	}
	panic(fmt.Sprintf("mdp: no action of state %d leads to state %d, though the graph says so", s, target))
}
