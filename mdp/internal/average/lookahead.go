package average

import (
	"context"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
)

// Look-ahead: sweeps of value iteration that improve a policy before it is evaluated.

// The sweeps of lookAhead are done in spells, after each of which it looks
// whether the policy still changes. A Sweeper takes next to nothing for a sweep,
// so that the first policy may be as good as some thousand sweeps make it.
const (
	spellSweeps = 100
	firstSpells = 20
	laterSpells = 4
	plainSpells = 1 // of a model that is no Sweeper
)

// lookAhead makes the current policy one that is greedy some steps ahead: for
// the values after sweeps of value iteration over those of the last evaluation.
// By the monotony of T its gain is in exact arithmetic not above that of the
// policy evaluated, as that of the greedy policy is not (Puterman 1994, §8.7.1,
// modified policy iteration), and usually far below: an evaluation knows the
// values of a policy, but what is best far from where the policy errs has to
// spread step by step.
//
// It sweeps in float64, and compares actions in it. It returns the bounds of
// the first sweep. Where the context ends or the time is up it leaves what it has,
// also the values if there was no evaluation yet, and returns the error.
func (it *Iteration) lookAhead(ctx context.Context) (lower, upper float64, err error) {
	sweeper, v := it.task.Sweeper, it.current.Values.High
	spells, shift := firstSpells, 0.0
	if it.best.Policy != nil {
		spells = laterSpells
		shift = Damping * it.current.Gain // so that small values near the root stay small, with all their digits
	}
	if !sweeper.IsFused() {
		spells = plainSpells
	}
	from, to := make([]float64, len(v)), make([]float64, len(v))
	policy := make([]int32, len(v))
	for spell := range spells {
		for i := range spellSweeps {
			if end := it.stopped(ctx, spell > 0 || i > 0); end != nil {
				if it.best.Policy == nil {
					it.current.Values.High = v
				}
				return lower, upper, end
			}
			least, greatest := sweeper.Sweep(to, v, Damping, shift)
			if err := method.CheckFinite(least, greatest); err != nil {
				return 0, 0, err
			}
			if spell == 0 && i == 0 {
				lower, upper = least, greatest
			}
			v = to
			from, to = to, from
		}
		sweeper.Blocks(func(_, lo, hi int) { it.task.Model.Backup(to, policy, v, lo, hi) })
		if slices.Equal(policy, it.current.Policy) {
			break
		}
		it.current.Policy, policy = policy, it.current.Policy
	}
	return lower, upper, nil
}

// stopped returns why no further sweep is to be made, nil to go on. The first is
// made whatever the time: it gives the bounds.
func (it *Iteration) stopped(ctx context.Context, swept bool) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case swept && it.task.Limits.IsOverdue():
		return limit.ErrTimeLimit
	}
	return nil
}
