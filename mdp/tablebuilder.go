package mdp

import (
	"cmp"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// TableBuilder makes a [Table] row by row, for models that a program generates
// in loops over state numbers and that need no type for their states. Begin a
// state, begin one of its actions, add the transitions of that action; then go on
// with the next action or state. The zero value is an empty builder.
//
// The builder keeps the first fault, ignores all that is added after it, and
// returns the fault from [TableBuilder.Build].
type TableBuilder struct {
	// Rate is the uniformization rate Λ of a continuous-time model: the number of
	// steps per unit of time. 0 stands for 1. Costs are then per unit of time. An
	// event of rate λ is a transition of probability λ/Λ; the probability that the
	// events of an action leave is that of staying (see [ContinuousProblem]).
	Rate float64

	parts     []*rows.Rows // the rows of earlier states, in parts, so that no list has to grow large
	before    int          // states of the parts
	stored    int          // transitions of the parts
	rows      *rows.Rows   // of later states; the current state and action are not ended yet
	hasState  bool         // there is a current state
	hasAction bool         // it has a current action
	cost      float64      // of the action
	distance  float64      // the L1 distance of the action; 0 for none
	zeros     []zero       // its transitions of probability 0, which matter if it has a distance
	intervals *intervals   // nil without any
	fault     error        // the first
}

// partTransitions is the number of transitions from which on a part is complete.
const partTransitions = 1 << 20

// AddState begins the next state and returns its number: 0, 1, 2, …
func (b *TableBuilder) AddState() int {
	b.endState()
	if b.rows == nil {
		b.rows = rows.New(0, 0, 0)
	}
	b.hasState = true
	return b.before + b.rows.NumStates()
}

// AddAction begins the next action of the current state, with its expected cost:
// per step, or per unit of time where Rate is set. Criteria that maximise take it
// for a reward.
func (b *TableBuilder) AddAction(cost float64) {
	if !b.follows(b.hasState, "AddAction", "AddState") {
		return
	}
	b.endAction()
	b.hasAction, b.cost, b.distance, b.zeros = true, cost, 0, b.zeros[:0]
}

// AddCost adds to the cost of the current action. For a cost r of a transition of
// probability p add p·r; for a lump cost r of an event of rate λ add λ·r.
func (b *TableBuilder) AddCost(cost float64) {
	if b.follows(b.hasAction, "AddCost", "AddAction") {
		b.cost += cost
	}
}

// AddTransition adds a transition of the current action to the state with the number
// next, which you may add later. The probabilities of an action are ≥ 0 and sum to 1,
// within 1e-9. Those of the same next state are added, and transitions of probability 0
// are dropped unless the action has an L1 distance.
func (b *TableBuilder) AddTransition(next int, probability float64) {
	if b.follows(b.hasAction, "AddTransition", "AddAction") {
		b.addTransition(next, probability, 0)
	}
}

func (b *TableBuilder) addTransition(next int, probability, cost float64) {
	err := checkProbability(probability) // before merging, which could hide it
	switch {
	case next < 0 || next >= maxCount:
		err = fmt.Errorf("%w: next state %d is not the number of a state", ErrNotDistribution, next)
	case b.stored+len(b.rows.Columns) == maxCount:
		err = fmt.Errorf("%w: more than %d transitions", ErrTooLarge, maxCount)
	}
	switch {
	case err != nil:
		b.fail(err)
	case probability > 0:
		b.rows.Add(int32(next), probability)
		if b.intervals != nil {
			b.intervals.add(probability, cost)
		}
	default:
		b.zeros = append(b.zeros, zero{next, cost})
	}
}

// Build returns the table of all that was added, and empties the builder except for
// its Rate. It checks rows as [NewTable] does, and returns a fault of a row as a
// [*ModelError] that names state and action by their numbers. Errors are:
//
//	AddAction before AddState, AddTransition or AddCost before AddAction: [ErrOrder]
//	no state: [ErrNoStart]
//	a state without actions: [ErrNoActions]
//	an action whose probabilities do not sum to 1, one without transitions among
//	them, or a next state that was not added: [ErrNotDistribution]
//	a Rate that is negative, infinite or NaN: [ErrRate]
//	more than 2³¹−1 transitions: [ErrTooLarge]
func (b *TableBuilder) Build() (*Table, error) {
	b.endState()
	if b.intervals != nil && b.fault == nil {
		b.fault = fmt.Errorf("mdp: %w: TableBuilder.Build after AddInterval or AddDistance: call BuildUncertain", ErrOrder)
	}
	r, _, err := b.take()
	if err != nil {
		return nil, err
	}
	return newTable(TableArrays{
		StateStart: r.StateStart, RowStart: r.RowStart, Columns: r.Columns, Probabilities: r.Probabilities, Costs: r.Costs, Rate: b.Rate,
	}, true)
}

// take returns all that was added, and empties the builder except for its Rate.
func (b *TableBuilder) take() (*rows.Rows, *intervals, error) {
	built := *b
	*b = TableBuilder{Rate: b.Rate}
	r := cmp.Or(built.rows, rows.New(0, 0, 0))
	if built.parts != nil {
		r = rows.Join(append(built.parts, r))
	}
	return r, built.intervals, built.fault
}

// follows reports whether a method may add to the current state or action: if there is
// one, and no fault came before.
func (b *TableBuilder) follows(isThere bool, method, earlier string) bool {
	if b.fault == nil && !isThere {
		b.fault = fmt.Errorf("mdp: %w: TableBuilder.%s before %s: call %s first", ErrOrder, method, earlier, earlier)
	}
	return b.fault == nil
}

// fail keeps a fault of the current action.
func (b *TableBuilder) fail(err error) {
	state := b.rows.NumStates()
	action := b.rows.NumChoices() - int(b.rows.StateStart[state])
	b.fault = &ModelError{State: fmt.Sprint(b.before + state), Action: fmt.Sprint(action), Err: err}
}

// endAction ends the current action, if there is one.
func (b *TableBuilder) endAction() {
	if !b.hasAction || b.fault != nil {
		return
	}
	if b.intervals == nil {
		b.rows.Merge()
	} else if b.spread(); b.fault != nil {
		return
	}
	b.rows.EndChoice(b.cost)
	b.hasAction = false
}

// endState ends the current state, if there is one.
func (b *TableBuilder) endState() {
	b.endAction()
	if !b.hasState {
		return
	}
	b.rows.EndState()
	b.hasState, b.hasAction = false, false
	if r := b.rows; len(r.Columns) >= partTransitions {
		b.parts, b.before, b.stored = append(b.parts, r), b.before+r.NumStates(), b.stored+len(r.Columns)
		b.rows = rows.New(r.NumStates(), r.NumChoices(), len(r.Columns))
	}
}
