package mdp

import (
	"cmp"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
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
	// time. An event of rate λ is a transition of probability λ/Λ; what the events of
	// an action leave is the probability of staying (see [ContinuousProblem]).
	Rate float64

	rows      *rows.Rows // without the end of the state and of the action at hand
	hasState  bool       // a state is at hand
	hasAction bool       // an action of it is
	cost      float64    // of the action
	fault     error
}

// AddState begins the next state and returns its number: 0, 1, 2, …
func (b *TableBuilder) AddState() int {
	b.endState()
	if b.rows == nil {
		b.rows = rows.New(0, 0, 0)
	}
	b.hasState = true
	return b.rows.NumStates()
}

// AddAction begins the next action of the state at hand, with its expected cost:
// a cost per step, or per unit of time where Rate is set, or a reward for
// criteria that maximise.
func (b *TableBuilder) AddAction(cost float64) {
	if !b.hasState {
		panic("mdp: TableBuilder.AddAction before AddState")
	}
	b.endAction()
	b.hasAction, b.cost = true, cost
}

// AddCost adds to the cost of the action at hand. A cost r of a transition that
// has probability p counts p·r, a lump cost r of an event of rate λ counts λ·r.
func (b *TableBuilder) AddCost(cost float64) {
	if b.adds("AddCost") {
		b.cost += cost
	}
}

// AddTransition adds a transition of the action at hand to a state, which may
// still be to come. The probabilities of an action are ≥ 0 and sum to 1; those of
// a state that is named more than once are added, those of 0 dropped.
func (b *TableBuilder) AddTransition(next int, probability float64) {
	if !b.adds("AddTransition") {
		return
	}
	err := checkProbability(probability) // before merging, which could hide it
	switch {
	case next < 0 || next >= maxCount:
		err = fmt.Errorf("%w: next state %d is not the number of a state", ErrNotDistribution, next)
	case len(b.rows.Columns) == maxCount:
		err = fmt.Errorf("%w: more than %d transitions", ErrTooLarge, maxCount)
	}
	switch {
	case err != nil:
		b.fail(err)
	case probability > 0:
		b.rows.Add(int32(next), probability)
	}
}

// Build returns the table of what was added, and empties the builder except for
// its Rate. Rows are checked as [NewTable] checks them: a fault is returned as a
// [*ModelError] that names state and action by their numbers. Special cases are:
//
//	no state: [ErrNoStart]
//	a state without actions: [ErrNoActions]
//	an action whose probabilities do not sum to 1, one without transitions among
//	them, or a next state that was not added: [ErrNotDistribution]
//	a Rate that is negative, infinite or NaN: [ErrRate]
//	more than 2³¹−1 transitions: [ErrTooLarge]
func (b *TableBuilder) Build() (*Table, error) {
	b.endState()
	built := *b
	*b = TableBuilder{Rate: b.Rate}
	if built.fault != nil {
		return nil, built.fault
	}
	r := cmp.Or(built.rows, rows.New(0, 0, 0))
	return NewTable(TableArrays{
		StateStart: r.StateStart, RowStart: r.RowStart, Columns: r.Columns, Probabilities: r.Probabilities, Costs: r.Costs, Rate: b.Rate,
	})
}

// adds says whether there is something to add to an action: not after a fault.
func (b *TableBuilder) adds(method string) bool {
	if b.fault == nil && !b.hasAction {
		panic("mdp: TableBuilder." + method + " before AddAction")
	}
	return b.fault == nil
}

// fail keeps a fault of the action at hand.
func (b *TableBuilder) fail(err error) {
	state := b.rows.NumStates()
	action := b.rows.NumChoices() - int(b.rows.StateStart[state])
	b.fault = &ModelError{State: fmt.Sprint(state), Action: fmt.Sprint(action), Err: err}
}

// endAction ends the action at hand, if there is one.
func (b *TableBuilder) endAction() {
	if !b.hasAction || b.fault != nil {
		return
	}
	b.rows.Merge()
	b.rows.EndChoice(b.cost)
	b.hasAction = false
}

// endState ends the state at hand, if there is one.
func (b *TableBuilder) endState() {
	b.endAction()
	if !b.hasState {
		return
	}
	b.rows.EndState()
	b.hasState, b.hasAction = false, false
}
