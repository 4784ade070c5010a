package answer

// This file finds the distribution of the total of a finite horizon.

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// way is a transition of a choice. reward is the index of its reward in paths.different.
type way struct {
	to          int32
	reward      int
	probability float64
}

// paths follow a policy for a number of steps from the first initial state. If there are terminal
// rewards, one more step earns them, and stays in its state.
type paths struct {
	*Followed
	all     *transitions
	endings []*big.Rat // terminal rewards, by state; empty for none

	different []*big.Rat      // all rewards met so far, each once
	number    map[string]int  // of each in different, by its text
	ways      map[int32][]way // of the choices met so far

	steps []*payments // consecutive steps that can have the same rewards share one
}

// payments are the rewards that a step can have.
type payments struct {
	met   []bool   // by number of a reward: the step can have it
	least *big.Rat // of these rewards
	units []int    // by number: by how many units the reward exceeds least
}

// mostSteps bounds the steps of a horizon for a distribution.
const mostSteps = 1_000_000

// mostUnits bounds a reward in units, so that float64 holds it exactly.
const mostUnits = 1 << 53

// ofSteps finds the distribution of the total of a finite horizon.
func (t *Totals) ofSteps(ctx context.Context, f *Followed, x []*big.Rat) error {
	if f.Steps() > mostSteps {
		return &question.Error{Member: "horizon", Reason: fmt.Sprintf("%d is too large for a distribution: use at most %d", f.Steps(), mostSteps)}
	}
	p := &paths{Followed: f, all: transitionsOf(f), endings: f.Ending.Rationals(), number: map[string]int{}, ways: map[int32][]way{}}
	if err := p.explore(ctx); err != nil {
		return err
	}
	unit := new(big.Rat)
	for _, step := range p.steps {
		if step.least == nil {
			unit = p.findLeast(step, unit)
		}
		t.Least.Add(t.Least, step.least)
	}
	if unit.Sign() > 0 {
		t.Unit = unit
	}
	greatest := 0 // of all totals
	for _, step := range p.steps {
		if step.units == nil {
			if err := p.findUnits(step, t.Unit); err != nil {
				return err
			}
		}
		greatest = min(greatest+slices.Max(step.units), math.MaxInt32)
	}
	most := max(0, min(t.units(x[len(x)-1]), greatest))
	start := []mdp.Entry{{State: f.Whole.Initial[0], Probability: 1}}
	found, err := mdp.HorizonDistribution(ctx, f.Whole.NumStates(), start, len(p.steps), most, p.moves)
	if err != nil {
		return err
	}
	t.Distribution = *found
	t.inRewards()
	t.between(x)
	return nil
}

// findLeast finds the least reward of a step. It returns the greatest common divisor of a unit and all
// differences between a reward of the step and the least one.
func (p *paths) findLeast(step *payments, unit *big.Rat) *big.Rat {
	for r, met := range step.met {
		if met && (step.least == nil || p.different[r].Cmp(step.least) < 0) {
			step.least = p.different[r]
		}
	}
	for r, met := range step.met {
		if met {
			unit = divisor(unit, new(big.Rat).Sub(p.different[r], step.least))
		}
	}
	return unit
}

// findUnits finds by how many units each reward of a step exceeds the least one.
func (p *paths) findUnits(step *payments, unit *big.Rat) error {
	above := Totals{Unit: unit, Least: step.least}
	step.units = make([]int, len(step.met))
	for r, met := range step.met {
		if !met {
			continue
		}
		if step.units[r] = above.units(p.different[r]); int64(step.units[r]) > mostUnits {
			return fmt.Errorf("answer: %w: a reward of %s", mdp.ErrTooLarge, p.different[r].RatString())
		}
	}
	return nil
}

// explore finds the rewards that each step can have.
func (p *paths) explore(ctx context.Context) error {
	now, isNext := []int32{p.Whole.Initial[0]}, make([]bool, p.Whole.NumStates())
	for step := range p.Steps() {
		var next []int32
		var met []bool
		for _, s := range now {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			actions, _ := p.Policy.InStep(step).At(int(s))
			for _, a := range actions {
				for _, w := range p.from(s, a) {
					met = mark(met, w.reward)
					if !isNext[w.to] {
						isNext[w.to] = true
						next = append(next, w.to)
					}
				}
			}
		}
		for _, s := range next {
			isNext[s] = false
		}
		now = next
		p.addStep(met)
	}
	if len(p.endings) > 0 {
		var met []bool
		for _, s := range now {
			met = mark(met, p.ending(int(s)))
		}
		p.addStep(met)
	}
	return nil
}

// addStep appends a step that can have the rewards of these numbers.
func (p *paths) addStep(met []bool) {
	if last := len(p.steps) - 1; last >= 0 && slices.Equal(met, p.steps[last].met) {
		p.steps = append(p.steps, p.steps[last])
		return
	}
	p.steps = append(p.steps, &payments{met: met})
}

// mark sets an entry of a list, which may be too short for it.
func mark(list []bool, i int) []bool {
	if missing := i + 1 - len(list); missing > 0 {
		list = append(list, make([]bool, missing)...)
	}
	list[i] = true
	return list
}

// numbered returns the number of a reward.
func (p *paths) numbered(reward *big.Rat) int {
	text := reward.RatString()
	i, known := p.number[text]
	if !known {
		i = len(p.different)
		p.number[text], p.different = i, append(p.different, reward)
	}
	return i
}

// ending returns the number of the terminal reward of a state.
func (p *paths) ending(s int) int { return p.numbered(decimal(p.endings[s])) }

// from returns the transitions of an action in a state.
func (p *paths) from(s, a int32) []way {
	k := p.Whole.StateStart[s] + a
	ways, known := p.ways[k]
	if known {
		return ways
	}
	for _, x := range p.all.from(s, a) {
		probability, _ := x.probability.Float64()
		ways = append(ways, way{x.to, p.numbered(x.reward), probability})
	}
	p.ways[k] = ways
	return ways
}

// moves appends the moves of a step from a state: see [mdp.HorizonDistribution].
func (p *paths) moves(to []mdp.Move, step, s int) []mdp.Move {
	units := p.steps[step].units
	if step == p.Steps() {
		return append(to, mdp.Move{To: int32(s), Pay: units[p.ending(s)], Probability: 1})
	}
	actions, shares := p.Policy.InStep(step).At(s)
	for i, a := range actions {
		share := 1.0
		if shares != nil {
			share, _ = shares[i].Float64()
		}
		for _, w := range p.from(int32(s), a) {
			to = append(to, mdp.Move{To: w.to, Pay: units[w.reward], Probability: share * w.probability})
		}
	}
	return to
}
