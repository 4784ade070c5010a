package mdp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Problem declares a finite Markov decision process in discrete time, with
// states S and actions A of types of your own. [Problem.Compile] explores it from
// Start; states that cannot be reached are not part of the model.
//
// The functions append to dst and return it, as the built-in append does, so
// that compiling does not allocate for each row. They must be pure: for the same
// arguments they return the same values.
//
// The probabilities of an action must sum to 1 within 1e-9. Compile divides them by
// their sum if that is off 1 by more than rounding explains. A larger difference is a
// fault ([ErrNotDistribution]): if it comes from few decimals, from float32 or from a
// truncated law, divide the probabilities by their sum in Next.
type Problem[S comparable, A any] struct {
	// Start lists the states where exploration begins, at least one. The first
	// becomes state 0 of the compiled model.
	Start []S

	// Actions appends the actions that are allowed in s, at least one.
	Actions func(dst []A, s S) []A

	// Cost is the expected cost of a step in state s under action a: any finite
	// number. If Rate is set it is a cost per unit of time.
	Cost func(s S, a A) float64

	// Next appends the possible next states with their probabilities, which
	// are ≥ 0 and sum to 1. Probabilities of the same state are added; outcomes of
	// probability 0 are dropped.
	Next func(dst []Outcome[S], s S, a A) []Outcome[S]

	// Rate is the uniformization rate of a continuous-time process (Lippman 1975):
	// the number of steps per unit of time. An event of rate r has probability
	// r/Rate; with the remaining probability the state stays. Cost and gain are per
	// unit of time. 0 stands for 1: a step is the unit of time.
	Rate float64
}

// Outcome is one possible next state of a [Problem] and its probability.
type Outcome[S comparable] struct {
	State       S
	Probability float64
}

// Compiled is the [Table] of a [Problem] with the problem's own states and actions.
// States are numbered in the order of a breadth-first exploration from Start, and the
// actions of a state in the order of Problem.Actions. [Compiled.Choice] returns the best
// action in a state; no number is needed.
type Compiled[S comparable, A any] struct {
	*Table
	states  []S
	index   map[S]int32
	actions []A
}

// contextInterval is the number of states explored between two checks of the context:
// large enough to cost nothing, small enough to stop at once.
const contextInterval = 1024

// maxCount bounds choices and transitions, whose indices are int32.
const maxCount = math.MaxInt32

// Compile explores the problem breadth first from its start states and stores
// it as a sparse table.
//
// It checks every row, and returns a fault as a [*ModelError] that names the state and
// the action. Other errors are [ErrNoStart], [ErrRate], [ErrTooLarge] for more than
// 2³¹−1 transitions, and the context's. Compile panics if a function of the problem is
// nil.
func (p Problem[S, A]) Compile(ctx context.Context) (*Compiled[S, A], error) {
	if p.Actions == nil || p.Cost == nil || p.Next == nil {
		panic("mdp: Problem needs Actions, Cost and Next")
	}
	if len(p.Start) == 0 {
		return nil, fmt.Errorf("mdp: %w: Problem.Start is empty: give one state or more", ErrNoStart)
	}
	c := &Compiled[S, A]{index: make(map[S]int32)}
	for _, s := range p.Start {
		c.number(s)
	}
	b := TableBuilder{Rate: p.Rate}
	var (
		choices  []A
		outcomes []Outcome[S]
	)
	for i := 0; i < len(c.states); i++ {
		if i%contextInterval == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("mdp: compiling stopped after %d states: %w", i, context.Cause(ctx))
		}
		s := c.states[i]
		choices = p.Actions(choices[:0], s)
		c.actions = append(c.actions, choices...)
		b.AddState()
		for _, a := range choices {
			b.AddAction(p.Cost(s, a))
			outcomes = p.Next(outcomes[:0], s, a)
			for _, o := range outcomes {
				if o.Probability != 0 {
					b.AddTransition(int(c.number(o.State)), o.Probability)
				}
			}
		}
		if b.endState(); b.fault != nil {
			break
		}
	}
	table, err := b.Build()
	if fault, ok := errors.AsType[*ModelError](err); ok { // it names the state and the action by their numbers
		i, _ := strconv.Atoi(fault.State)
		if a, err := strconv.Atoi(fault.Action); err == nil {
			fault.Action = fmt.Sprint(p.Actions(nil, c.states[i])[a])
		}
		fault.State = fmt.Sprint(c.states[i])
	}
	if err != nil {
		return nil, err
	}
	c.Table = table
	return c, nil
}

// number returns the number of s, the next free one for a new state.
func (c *Compiled[S, A]) number(s S) int32 {
	if i, ok := c.index[s]; ok {
		return i
	}
	i := int32(len(c.states))
	c.index[s] = i
	c.states = append(c.states, s)
	return i
}

// State returns the state with number i. It panics if there is none.
func (c *Compiled[S, A]) State(i int) S { return c.states[i] }

// Index returns the number of state s, and whether s is a state of the model.
func (c *Compiled[S, A]) Index(s S) (int, bool) {
	i, ok := c.index[s]
	return int(i), ok
}

// Choice returns the action that the policy of a result of this model takes in state s.
// It panics if s is not a state of the model, see [Compiled.Index].
func (c *Compiled[S, A]) Choice(result *Result, s S) A {
	i, ok := c.index[s]
	if !ok {
		panic(fmt.Sprintf("mdp: Choice: the model has no state %v", s))
	}
	return c.Action(int(i), int(result.Policy[i]))
}

// Action returns action a of the state with number i. It panics if there is none.
func (c *Compiled[S, A]) Action(i, a int) A {
	c.checkAction(i, a)
	return c.actions[int(c.rows.StateStart[i])+a]
}
