package mdp

import (
	"fmt"
	"slices"
)

// TableBuilder makes a [Table] row by row, for models that a program generates
// in loops over state numbers and that need no type for their states: begin a
// state, begin an action of it, add the transitions of that action, and so on
// with the next action or state. The zero value is an empty builder.
//
// A fault is kept until [TableBuilder.Build] returns it, and what is added after
// it is passed over. The methods panic where there is no state or action yet to
// add to.
type TableBuilder struct {
	// Rate is the number of steps per unit of time of a continuous-time model,
	// its uniformization rate Λ; 0 stands for 1. Costs are then per unit of
	// time. It is to be set before the first event is added, and kept.
	Rate float64

	arrays    TableArrays     // starts without the end of the last state and action
	steps     float64         // per unit of time, from the first event on
	leaving   float64         // total rate of the events that leave the state at hand
	hasEvents bool            // of the action at hand
	positions map[int32]int32 // entries of the row at hand by next state, once it is long
	fault     error
}

// scannedRow is the length from which a row is no longer searched entry by entry.
const scannedRow = 32

// clearedRow is the length up to which the positions of a row make room for those
// of the next: to clear a map takes as long as it once was large.
const clearedRow = 1 << 10

// Grow makes room for so many further states, choices and transitions, so that
// adding them allocates no more. It panics where a number is negative.
func (b *TableBuilder) Grow(states, choices, transitions int) {
	if states < 0 || choices < 0 || transitions < 0 {
		panic(fmt.Sprintf("mdp: TableBuilder.Grow by %d states, %d choices, %d transitions: none may be negative",
			states, choices, transitions))
	}
	a := &b.arrays
	a.StateStart = slices.Grow(a.StateStart, states+1)
	a.RowStart, a.Costs = slices.Grow(a.RowStart, choices+1), slices.Grow(a.Costs, choices)
	a.Columns, a.Probabilities = slices.Grow(a.Columns, transitions), slices.Grow(a.Probabilities, transitions)
}

// AddState begins the next state and returns its number: 0, 1, 2, …
func (b *TableBuilder) AddState() int {
	b.endState()
	b.arrays.StateStart = append(b.arrays.StateStart, int32(len(b.arrays.Costs)))
	return b.state()
}

// AddAction begins the next action of the state at hand, with its expected cost:
// a cost per step, or per unit of time where Rate is set, or a reward for
// criteria that maximise.
func (b *TableBuilder) AddAction(cost float64) {
	if b.state() < 0 {
		panic("mdp: TableBuilder.AddAction before AddState")
	}
	b.endAction()
	if b.fault != nil {
		return
	}
	b.arrays.Costs = append(b.arrays.Costs, cost)
	b.arrays.RowStart = append(b.arrays.RowStart, int32(len(b.arrays.Columns)))
}

// AddCost adds to the cost of the action at hand. A cost r of a transition that
// has probability p counts p·r, a lump cost r of an event of rate λ counts λ·r.
func (b *TableBuilder) AddCost(cost float64) {
	if b.adds("AddCost") {
		b.arrays.Costs[len(b.arrays.Costs)-1] += cost
	}
}

// AddTransition adds a transition of the action at hand to a state, which may
// still be to come. The probabilities of an action are ≥ 0 and sum to 1; those of
// a state that is named more than once are added, those of 0 dropped.
func (b *TableBuilder) AddTransition(next int, probability float64) {
	if b.adds("AddTransition") && b.isState(next) {
		b.add(int32(next), probability)
	}
}

// AddEvent adds to the action at hand an event that occurs at the given rate and
// leads to a state: a transition of probability rate/Rate. What the events of an
// action leave of the probability goes to its own state, in which nothing happens
// then (Puterman 1994, §11.5.2). An event that leads back to its own state changes
// nothing; what it costs is for [TableBuilder.AddCost].
func (b *TableBuilder) AddEvent(next int, rate float64) {
	if !b.adds("AddEvent") || !b.isState(next) {
		return
	}
	if b.steps == 0 {
		if b.steps, b.fault = stepRate(b.Rate); b.fault != nil {
			return
		}
	}
	if err := checkEvent(next, rate); err != nil {
		b.fail(err)
		return
	}
	b.hasEvents = true
	if next != b.state() {
		b.leaving += rate
		b.add(int32(next), rate/b.steps)
	}
}

// Build returns the table of what was added, and empties the builder except for
// its Rate. The table is checked as [NewTable] checks it: a fault is returned as a
// [*ModelError] that names state and action by their numbers. Special cases are:
//
//	no state: [ErrNoStart]
//	a state without actions: [ErrNoActions]
//	an action whose probabilities do not sum to 1, one without transitions among
//	them, or a next state that was not added: [ErrNotDistribution]
//	events that leave a state at a greater rate than Rate, or a Rate that is not
//	the one of the first event: [ErrRate]
//	more than 2³¹−1 transitions: [ErrTooLarge]
func (b *TableBuilder) Build() (*Table, error) {
	b.endState()
	if steps, _ := stepRate(b.Rate); b.fault == nil && b.steps > 0 && steps != b.steps {
		b.fault = fmt.Errorf("mdp: %w: Rate %v differs from that at the first event, %v", ErrRate, b.Rate, b.steps)
	}
	a, fault := b.arrays, b.fault
	none := b.state() < 0
	*b = TableBuilder{Rate: b.Rate}
	if fault != nil {
		return nil, fault
	}
	if none {
		return nil, fmt.Errorf("mdp: %w: a table needs at least one state", ErrNoStart)
	}
	a.StateStart = append(a.StateStart, int32(len(a.Costs)))
	a.RowStart = append(a.RowStart, int32(len(a.Columns)))
	a.Rate = b.Rate
	return NewTable(a)
}

// state returns the number of the state at hand, -1 before the first.
func (b *TableBuilder) state() int { return len(b.arrays.StateStart) - 1 }

// action returns the number of the action at hand, -1 before the first of a state.
func (b *TableBuilder) action() int {
	if b.state() < 0 {
		return -1
	}
	return len(b.arrays.Costs) - int(b.arrays.StateStart[b.state()]) - 1
}

// adds says whether there is something to add to an action: not after a fault.
func (b *TableBuilder) adds(method string) bool {
	if b.fault == nil && b.action() < 0 {
		panic("mdp: TableBuilder." + method + " before AddAction")
	}
	return b.fault == nil
}

// isState says whether next can be the number of a state.
func (b *TableBuilder) isState(next int) bool {
	if next < 0 || next >= maxCount {
		b.fail(fmt.Errorf("%w: next state %d is not the number of a state", ErrNotDistribution, next))
		return false
	}
	return true
}

// fail keeps a fault of the action at hand.
func (b *TableBuilder) fail(err error) {
	b.fault = &ModelError{State: fmt.Sprint(b.state()), Action: fmt.Sprint(b.action()), Err: err}
}

// row returns the next states of the action at hand, and where they begin.
func (b *TableBuilder) row() ([]int32, int32) {
	start := b.arrays.RowStart[len(b.arrays.RowStart)-1]
	return b.arrays.Columns[start:], start
}

// add adds a transition, to one that leads to the same state if there is one.
func (b *TableBuilder) add(next int32, probability float64) {
	if probability == 0 {
		return
	}
	if err := checkProbability(probability); err != nil { // before merging, which could hide it
		b.fail(err)
		return
	}
	if at, ok := b.find(next); ok {
		b.arrays.Probabilities[at] += probability
		return
	}
	if len(b.arrays.Columns) == maxCount {
		b.fail(fmt.Errorf("%w: more than %d transitions", ErrTooLarge, maxCount))
		return
	}
	b.arrays.Columns = append(b.arrays.Columns, next)
	b.arrays.Probabilities = append(b.arrays.Probabilities, probability)
	row, start := b.row()
	switch {
	case len(row) == scannedRow:
		if len(b.positions) > clearedRow {
			b.positions = nil
		}
		if b.positions == nil {
			b.positions = make(map[int32]int32)
		}
		clear(b.positions)
		for i, j := range row {
			b.positions[j] = start + int32(i)
		}
	case len(row) > scannedRow:
		b.positions[next] = start + int32(len(row)-1)
	}
}

// find returns the entry of the action at hand that leads to a state.
func (b *TableBuilder) find(next int32) (int32, bool) {
	row, start := b.row()
	if len(row) >= scannedRow {
		at, ok := b.positions[next]
		return at, ok
	}
	i := slices.Index(row, next)
	return start + int32(i), i >= 0
}

// endAction ends the action at hand, if there is one.
func (b *TableBuilder) endAction() {
	if b.fault != nil || b.action() < 0 {
		return
	}
	if b.hasEvents {
		stay := 1 - b.leaving/b.steps
		if stay < -rowSumTolerance {
			b.fail(leavesTooFast(b.leaving, b.steps))
			return
		}
		b.add(int32(b.state()), max(stay, 0))
		b.leaving, b.hasEvents = 0, false
	}
	if row, _ := b.row(); len(row) == 0 {
		_, fault := normalize(nil)
		b.fail(fault)
	}
}

// endState ends the state at hand, if there is one.
func (b *TableBuilder) endState() {
	b.endAction()
	if b.fault == nil && b.state() >= 0 && b.action() < 0 {
		b.fault = &ModelError{State: fmt.Sprint(b.state()), Err: fmt.Errorf("%w; at least one is needed", ErrNoActions)}
	}
}
