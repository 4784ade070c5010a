package mdp

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"unsafe"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

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
	rate, err := stepRate(p.Rate)
	if err != nil {
		return nil, err
	}
	if len(p.Start) == 0 {
		return nil, fmt.Errorf("mdp: %w: Problem.Start is empty: give one state or more", ErrNoStart)
	}
	c := &compiler[S, A]{problem: p, index: make(map[S]int32), rows: rows.New(0, 0, 0)}
	for _, s := range p.Start {
		c.number(s)
	}
	limit := p.MemoryLimit
	if limit == 0 {
		limit = debug.SetMemoryLimit(-1)
	}
	for i := 0; i < len(c.states); i++ {
		if i%contextInterval == 0 {
			if ctx.Err() != nil {
				return nil, fmt.Errorf("mdp: compiling stopped after %d states: %w", i, context.Cause(ctx))
			}
			if bytes := c.forecast(i); bytes > float64(limit) {
				return nil, fmt.Errorf("mdp: %w: %d states found, and %d of them explored, with %d transitions: they will take %.3g GB, and the limit is %.3g GB (Problem.MemoryLimit)",
					ErrTooLarge, len(c.states), i, len(c.rows.Columns), bytes/1e9, float64(limit)/1e9)
			}
		}
		if err := c.expand(c.states[i]); err != nil {
			return nil, err
		}
	}
	return &Compiled[S, A]{
		Table:   &Table{rows: c.rows, rate: rate, excess: c.excess},
		states:  c.states,
		index:   c.index,
		actions: c.actions,
	}, nil
}

// compiler is the exploration under way.
type compiler[S comparable, A any] struct {
	problem  Problem[S, A]
	states   []S
	index    map[S]int32
	actions  []A
	rows     *rows.Rows
	excess   float64 // the most that normalize returned
	choices  []A     // of the state being expanded
	outcomes []Outcome[S]
}

// forecast returns the bytes that the states found so far will take at the least
// when all are explored, given that those explored are typical: the table, and
// the map between states and their numbers.
func (c *compiler[S, A]) forecast(explored int) float64 {
	var (
		state  S
		action A
	)
	const full = 2 // arrays that grow are up to twice as long while they are copied; maps half empty
	bytes := float64(len(c.states)) * full * float64(2*unsafe.Sizeof(state)+16)
	if explored == 0 {
		return bytes
	}
	choices, transitions := len(c.actions), len(c.rows.Columns)
	table := float64(choices)*float64(unsafe.Sizeof(action)) + float64(TableBytes(explored, choices, transitions))
	return bytes + table*float64(len(c.states))/float64(explored)
}

// number returns the number of s, a new one if s was not seen before.
func (c *compiler[S, A]) number(s S) int32 {
	if i, ok := c.index[s]; ok {
		return i
	}
	i := int32(len(c.states))
	c.index[s] = i
	c.states = append(c.states, s)
	return i
}

// expand appends the choices of s and their rows.
func (c *compiler[S, A]) expand(s S) error {
	c.choices = c.problem.Actions(c.choices[:0], s)
	if len(c.choices) == 0 {
		return &ModelError{State: fmt.Sprint(s), Err: fmt.Errorf("%w: give at least one", ErrNoActions)}
	}
	c.actions = append(c.actions, c.choices...)
	for _, a := range c.choices {
		cost := c.problem.Cost(s, a)
		err := checkCost(cost)
		if err == nil {
			err = c.row(s, a)
		}
		if err != nil {
			return &ModelError{State: fmt.Sprint(s), Action: fmt.Sprint(a), Err: err}
		}
		c.rows.EndChoice(cost)
	}
	c.rows.EndState()
	return nil
}

// row appends the transition row of action a in s.
func (c *compiler[S, A]) row(s S, a A) error {
	c.outcomes = c.problem.Next(c.outcomes[:0], s, a)
	start := len(c.rows.Columns)
	var fault error
	for _, o := range c.outcomes {
		if o.Probability == 0 {
			continue
		}
		if fault == nil { // before merging, which could hide it
			fault = checkProbability(o.Probability)
		}
		c.rows.Add(c.number(o.State), o.Probability)
	}
	c.rows.Merge()
	if len(c.rows.Columns) > maxCount || len(c.states) > maxCount {
		return fmt.Errorf("%w: more than %d transitions", ErrTooLarge, maxCount)
	}
	if fault == nil {
		var excess float64
		excess, fault = normalize(c.rows.Probabilities[start:])
		c.excess = max(c.excess, excess)
	}
	if fault != nil && c.problem.explain != nil {
		return c.problem.explain(s, a)
	}
	return fault
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
