package mdp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strconv"
	"unsafe"
)

// Problem declares a finite Markov decision process in discrete time over
// states S and actions A of the user's own types. Only the states that can be
// reached from Start are part of it; they are found by Compile.
//
// The functions append to dst and return it, as the built-in append does, so
// that a model of many states is compiled without an allocation for each row.
// They must be pure: the same arguments, the same answer.
type Problem[S comparable, A any] struct {
	// Start lists the states that exploration begins with, at least one. The
	// first becomes state 0 of the compiled model.
	Start []S

	// Actions appends the actions that may be chosen in s, at least one.
	Actions func(dst []A, s S) []A

	// Cost is the expected cost of the step that action a in state s starts;
	// any finite number. Where Rate is set it is the cost per unit of time.
	Cost func(s S, a A) float64

	// Next appends the possible next states with their probabilities, which
	// are ≥ 0 and sum to 1. A state may be named more than once (its
	// probabilities are added); outcomes of probability 0 are dropped.
	Next func(dst []Outcome[S], s S, a A) []Outcome[S]

	// Rate is the number of steps per unit of time where the steps are the
	// events of a uniformized continuous-time process (Lippman 1975): an event of
	// rate r then has the probability r/Rate, and with what is left nothing happens.
	// 0 stands for 1, the step itself as the unit of time. Cost is then a cost
	// per unit of time, and so is the gain.
	Rate float64

	// MemoryLimit bounds the bytes that Compile may take; 0 stands for the memory
	// limit of the Go runtime (GOMEMLIMIT), which is none by default. Compile
	// forecasts from what it has found so far and gives up with [ErrTooLarge]
	// before the memory is taken.
	MemoryLimit int64
}

// Outcome is one possible next state of a [Problem] and its probability.
type Outcome[S comparable] struct {
	State       S
	Probability float64
}

// Compiled is a [Table] together with the states and actions that its numbers
// stand for. State numbers follow breadth-first exploration from the start
// states; action a of a state is the a-th that Problem.Actions gave for it.
type Compiled[S comparable, A any] struct {
	*Table
	states  []S
	index   map[S]int32
	actions []A
}

// contextInterval is how many states are explored between two looks at the
// context: rare enough to cost nothing, often enough to stop at once.
const contextInterval = 1024

// maxCount bounds choices and transitions, which are counted in int32.
const maxCount = math.MaxInt32

// Compile explores the problem breadth first from its start states and stores
// it as a sparse table. Successors named twice in a row are merged, those of
// probability 0 dropped.
//
// Every row is checked; a fault comes back as a [*ModelError] that names the
// state and the action. Compile returns the context's error if it ends, and
// [ErrTooLarge] past 2³¹−1 transitions or the memory limit. It panics if a function of the problem
// is nil.
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
	limit := p.MemoryLimit
	if limit == 0 {
		limit = debug.SetMemoryLimit(-1)
	}
	b := TableBuilder{Rate: p.Rate}
	var (
		choices  []A
		outcomes []Outcome[S]
	)
	for i := 0; i < len(c.states); i++ {
		if i%contextInterval == 0 {
			if ctx.Err() != nil {
				return nil, fmt.Errorf("mdp: compiling stopped after %d states: %w", i, context.Cause(ctx))
			}
			if bytes := c.forecast(&b, i); bytes > float64(limit) {
				return nil, fmt.Errorf("mdp: %w: %d states found, and %d of them explored, with %d transitions: they will take %.3g GB, and the limit is %.3g GB (Problem.MemoryLimit)",
					ErrTooLarge, len(c.states), i, len(b.rows.Columns), bytes/1e9, float64(limit)/1e9)
			}
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
		b.endState()
		if fault, ok := errors.AsType[*ModelError](b.fault); ok {
			if action, err := strconv.Atoi(fault.Action); err == nil {
				fault.Action = fmt.Sprint(choices[action])
			}
			fault.State = fmt.Sprint(s)
			return nil, fault
		}
	}
	table, err := b.Build()
	if err != nil {
		return nil, err
	}
	c.Table = table
	return c, nil
}

// forecast returns the bytes that the states found so far will take at the least
// when all are explored, given that those explored are typical: the table, and
// the map between states and their numbers.
func (c *Compiled[S, A]) forecast(b *TableBuilder, explored int) float64 {
	var (
		state  S
		action A
	)
	const full = 2 // arrays that grow are up to twice as long while they are copied; maps half empty
	bytes := float64(len(c.states)) * full * float64(2*unsafe.Sizeof(state)+16)
	if explored == 0 {
		return bytes
	}
	choices, transitions := len(c.actions), len(b.rows.Columns)
	table := float64(choices)*float64(unsafe.Sizeof(action)) + float64(TableBytes(explored, choices, transitions))
	return bytes + table*float64(len(c.states))/float64(explored)
}

// number returns the number of s, a new one if s was not seen before.
func (c *Compiled[S, A]) number(s S) int32 {
	if i, ok := c.index[s]; ok {
		return i
	}
	i := int32(len(c.states))
	c.index[s] = i
	c.states = append(c.states, s)
	return i
}

// State returns the state with number i.
func (c *Compiled[S, A]) State(i int) S { return c.states[i] }

// Index returns the number of state s, and whether s is a state of the model.
func (c *Compiled[S, A]) Index(s S) (int, bool) {
	i, ok := c.index[s]
	return int(i), ok
}

// Action returns action a of the state with number i.
func (c *Compiled[S, A]) Action(i, a int) A {
	c.checkAction(i, a)
	return c.actions[int(c.rows.StateStart[i])+a]
}
