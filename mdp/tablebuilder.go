package mdp

import (
	"fmt"
	"math"

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
	// time. It is to be set before the first event is added, and kept.
	Rate float64

	rows      *rows.Rows // without the end of the state and of the action at hand
	hasState  bool       // a state is at hand
	hasAction bool       // an action of it is
	cost      float64    // of the action
	steps     float64    // per unit of time, from the first event on
	leaving   float64    // total rate of the events of the action that leave the state
	hasEvents bool       // of the action
	excess    float64    // as in Table
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
	if b.adds("AddTransition") {
		b.add(next, probability)
	}
}

// AddEvent adds to the action at hand an event that occurs at the given rate and
// leads to a state: a transition of probability rate/Rate. What the events of an
// action leave of the probability goes to its own state, in which nothing happens
// then (Puterman 1994, §11.5.2). An event that leads back to its own state changes
// nothing; what it costs is for [TableBuilder.AddCost].
func (b *TableBuilder) AddEvent(next int, rate float64) {
	if !b.adds("AddEvent") {
		return
	}
	if b.steps == 0 {
		if b.steps, b.fault = stepRate(b.Rate); b.fault != nil {
			return
		}
	}
	if !(rate >= 0) || math.IsInf(rate, 1) {
		b.fail(fmt.Errorf("%w: event to %d at rate %v: rates are finite and not negative", ErrRate, next, rate))
		return
	}
	b.hasEvents = true
	if next != b.rows.NumStates() {
		b.leaving += rate
		b.add(next, rate/b.steps)
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
//	events that leave a state at a greater rate than Rate, or a Rate that is not
//	the one of the first event: [ErrRate]
//	more than 2³¹−1 transitions: [ErrTooLarge]
func (b *TableBuilder) Build() (*Table, error) {
	b.endState()
	if steps, _ := stepRate(b.Rate); b.fault == nil && b.steps > 0 && steps != b.steps {
		b.fault = fmt.Errorf("mdp: %w: Rate %v differs from that at the first event, %v", ErrRate, b.Rate, b.steps)
	}
	built := *b
	*b = TableBuilder{Rate: b.Rate}
	rate, err := stepRate(b.Rate)
	switch {
	case built.fault != nil:
		return nil, built.fault
	case err != nil:
		return nil, err
	case built.rows == nil:
		return nil, fmt.Errorf("mdp: %w: a table needs at least one state", ErrNoStart)
	}
	if err := checkColumns(built.rows); err != nil {
		return nil, err
	}
	return &Table{rows: built.rows, rate: rate, excess: built.excess}, nil
}

// checkColumns returns an error unless all rows lead to states that there are.
func checkColumns(r *rows.Rows) error {
	n := int32(r.NumStates())
	for s := range n {
		for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
			for _, j := range r.Next(k) {
				if j >= n {
					return &ModelError{
						State: fmt.Sprint(s), Action: fmt.Sprint(k - r.StateStart[s]),
						Err: fmt.Errorf("%w: next state %d, of states 0 … %d", ErrNotDistribution, j, n-1),
					}
				}
			}
		}
	}
	return nil
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

// add adds a transition of the action at hand.
func (b *TableBuilder) add(next int, probability float64) {
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

// endAction ends the action at hand, if there is one.
func (b *TableBuilder) endAction() {
	if !b.hasAction || b.fault != nil {
		return
	}
	if b.hasEvents {
		stay := 1 - b.leaving/b.steps
		if stay < -rowSumTolerance {
			b.fail(fmt.Errorf("%w: events leave the state at rate %v, more than the uniformization rate %v", ErrRate, b.leaving, b.steps))
			return
		}
		b.add(b.rows.NumStates(), max(stay, 0))
	}
	b.rows.Merge()
	excess, err := normalize(b.rows.Probabilities[b.rows.RowStart[b.rows.NumChoices()]:])
	if fault := checkCost(b.cost); fault != nil {
		err = fault
	}
	if err != nil {
		b.fail(err)
		return
	}
	b.excess = max(b.excess, excess)
	b.rows.EndChoice(b.cost)
	b.hasAction, b.leaving, b.hasEvents = false, 0, false
}

// endState ends the state at hand, if there is one.
func (b *TableBuilder) endState() {
	b.endAction()
	if !b.hasState {
		return
	}
	state := b.rows.NumStates()
	if b.fault == nil && b.rows.NumChoices() == int(b.rows.StateStart[state]) {
		b.fault = &ModelError{State: fmt.Sprint(state), Err: fmt.Errorf("%w: give at least one", ErrNoActions)}
	}
	b.rows.EndState()
	b.hasState, b.hasAction = false, false
}
