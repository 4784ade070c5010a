package model

// Chains played at random, for simulate.

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/confidence"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
	"github.com/mdpsolve/mdpsolve/models/robots/operate"
)

// game is a chain as it is played: what is earned is what happens, not what is
// expected.
type game struct {
	criterion string
	timed     bool // in continuous time
	start     int32
	choices   []int32   // by state, the first of its choices
	policies  [][]int32 // the action of each state by step; nil for a chain
	rowStart  []int32   // by choice
	columns   []int32
	// chances are, by transition, the probability of it or an earlier one of the
	// choice; the last of a choice is infinite.
	chances   []float64
	exits     []float64 // by state, the rate of all transitions, in continuous time
	states    []float64 // rewards, per step or unit of time
	actions   []float64 // rewards by choice
	ending    []float64 // rewards of states at the end; nil for none
	arrivals  []float64 // rewards by transition; nil for none
	target    []bool
	discount  float64 // 1 for none
	horizon   float64 // steps, or time; infinite for a total
	warmUp    float64
	batches   int // parts of the horizon of an average
	seed      uint64
	workers   int
	confident float64
}

// newGame returns the game of a question about a chain, or about a model with the policies of each
// step.
func newGame(q *question.Asked, chain *modelfile.Model, policies [][]int32) *game {
	n := chain.NumStates()
	g := &game{
		criterion: q.Criterion, timed: chain.Kind == modelfile.CTMC, start: chain.Initial[0],
		choices: chain.StateStart, policies: policies, ending: q.Ending.Float,
		rowStart: chain.RowStart, columns: chain.Columns, chances: make([]float64, chain.NumTransitions()),
		target: make([]bool, n), discount: 1, horizon: math.Inf(1), batches: 1,
	}
	if q.Discount != nil {
		g.discount = *q.Discount
	}
	for _, s := range q.Ends {
		g.target[s] = true
	}
	if g.timed {
		g.exits = chain.ExitRates().Float
	}
	for k := range chain.NumChoices() {
		lo, hi := chain.RowStart[k], chain.RowStart[k+1]
		all, sum := 0.0, 0.0
		for _, x := range chain.Values.Float[lo:hi] {
			all += x
		}
		for e := lo; e < hi; e++ {
			sum += chain.Values.Float[e]
			g.chances[e] = sum / all
		}
		if lo < hi {
			g.chances[hi-1] = math.Inf(1) // despite rounding
		}
	}
	reward, _ := chain.Reward(q.Reward) // checked before
	g.states, g.actions = orZeros(reward.State.Float, n), orZeros(reward.Action.Float, chain.NumChoices())
	g.arrivals = reward.Transition.Float
	return g
}

func orZeros(numbers []float64, n int) []float64 {
	if len(numbers) == 0 {
		return make([]float64, n)
	}
	return numbers
}

// player plays a game once.
type player struct {
	*game
	ctx    context.Context
	random *rand.Rand
	state  int32
	steps  int64
	value  float64
	parts  []float64 // means over the batches of an average
}

// lookEvery is the number of steps between two looks at the context.
const lookEvery = 1 << 16

// jump goes to the next state and returns what the jump earns.
func (p *player) jump() float64 {
	k := p.choices[p.state]
	if p.policies != nil { // each play has as many steps
		k += p.policies[p.steps][p.state]
	}
	p.steps++
	lo, hi := p.rowStart[k], p.rowStart[k+1]
	e := int(lo)
	if hi-lo > 1 {
		e += sort.SearchFloat64s(p.chances[lo:hi], p.random.Float64())
	}
	p.state = p.columns[e]
	if len(p.arrivals) > 0 {
		return p.actions[k] + p.arrivals[e]
	}
	return p.actions[k]
}

// play plays the game to its end.
func (p *player) play() (err error) {
	p.state = p.start
	if p.criterion != question.Average {
		p.value, err = p.pass(p.horizon)
		return err
	}
	if _, err := p.pass(p.warmUp); err != nil {
		return err
	}
	from := p.warmUp
	for part := range p.batches {
		to := p.warmUp + p.horizon*float64(part+1)/float64(p.batches)
		if !p.timed {
			to = math.Floor(to)
		}
		earned, err := p.pass(to - from)
		if err != nil {
			return err
		}
		p.parts = append(p.parts, earned/(to-from))
		p.value += earned / p.horizon
		from = to
	}
	return nil
}

// pass returns what is earned in a number of steps, or in a time, or until the target.
// What is earned after t steps is discounted t times. Times are without memory, so that
// each pass may begin with a new one.
func (p *player) pass(length float64) (earned float64, err error) {
	weight := 1.0
	for left := length; left > 0 && !p.target[p.state]; {
		if p.steps%lookEvery == 0 && p.ctx.Err() != nil {
			return 0, context.Cause(p.ctx)
		}
		stay := 1.0
		if p.timed {
			if stay = math.Inf(1); p.exits[p.state] > 0 {
				stay = p.random.ExpFloat64() / p.exits[p.state]
			}
		}
		now := p.states[p.state] * min(stay, left)
		if stay > left {
			return earned + now, nil
		}
		earned += weight * (now + p.jump())
		weight *= p.discount
		left -= stay
	}
	if p.ending != nil {
		earned += weight * p.ending[p.state]
	}
	return earned, nil
}

// played holds the results of replications.
type played struct {
	observed     []float64 // by replication, or by part of the only one
	replications int
	from         string // what the observations are of
	steps        int64
	interval     operate.Interval
}

// play plays a number of times. Replication i draws from a generator of its own
// (PCG), seeded by the i-th pair of numbers from the generator of the seed, so
// that results do not depend on the number of workers. If the context ends before,
// what comes beside its error is that of the first replications that came to their
// end, nil where none did.
func (g *game) play(ctx context.Context, replications int) (*played, error) {
	players, failures := make([]player, replications), make([]error, replications)
	seeds := rand.NewPCG(g.seed, 0)
	for i := range players {
		players[i] = player{game: g, ctx: ctx, random: rand.New(rand.NewPCG(seeds.Uint64(), seeds.Uint64()))}
	}
	progress, done := ui.ProgressOf(ctx), atomic.Int64{}
	progress.Phase("simulating")
	parallel.For(g.workers, replications, func(i int) {
		failures[i] = players[i].play()
		progress.Count(done.Add(1), int64(replications), "replications")
	})
	end := errors.Join(failures...)
	if end != nil {
		end = context.Cause(ctx)
		players = players[:slices.IndexFunc(failures, func(err error) bool { return err != nil })]
	}
	if len(players) == 0 {
		return nil, end
	}
	found := &played{replications: len(players), from: "replications"}
	for i := range players {
		found.steps += players[i].steps
		found.observed = append(found.observed, players[i].value)
	}
	if replications == 1 && len(players[0].parts) > 1 {
		found.observed, found.from = players[0].parts, "batches"
	}
	mean, halfWidth := confidence.Mean(found.observed, g.confident)
	found.interval = operate.Interval{Mean: mean, HalfWidth: halfWidth}
	return found, end
}
