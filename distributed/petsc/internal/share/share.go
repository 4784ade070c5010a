// Package share holds the share of a model that one rank has: the rows of a range of
// states, generated from a declaration of the whole.
package share

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Model lists the rows of a whole model one by one, whichever are asked for. Every
// [mdp.Explicit] does.
type Model interface {
	NumStates() int
	NumActions(s int) int
	AppendRow(dst []mdp.Entry, s, a int) (row []mdp.Entry, cost float64)
}

// Range returns the states first … last−1 of a rank: as many for each as can be.
func Range(states, ranks, rank int) (first, last int) {
	return states * rank / ranks, states * (rank + 1) / ranks
}

// RelativeError returns that of a model which admits one, as [mdp.Approximate] does.
func RelativeError(model Model) float64 {
	if approximate, ok := model.(interface{ RelativeError() float64 }); ok {
		return approximate.RelativeError()
	}
	return 0
}

// Share is an [mdp.Part]: the rows of the states First, First+1, …, which it numbers 0,
// 1, …. The states of other ranks to which they lead, the ghosts, follow.
type Share struct {
	First  int
	Ghosts []int32 // numbers in the whole model

	widest        int // transitions of the policy with the most
	relativeError float64
	stateStart    []int32 // first choice of each state, and the end
	rowStart      []int32 // first entry of each choice, and the end
	columns       []int32 // by the share's own numbers; a row in the order of those of the model
	probabilities []float64
	costs         []float64 // by choice
}

// Plan is what a first look at the rows of a share has counted, before any is stored.
type Plan struct {
	First, Last int

	// Choices, Transitions and Widest count the choices, the transitions, and those of
	// the choice with the most of them in each state: the most that a policy has.
	Choices, Transitions, Widest int

	model Model
	// ghosts are the states of other ranks that rows lead to, as they are met, and numbers
	// their places.
	ghosts  []int32
	numbers map[int32]int32
}

// maxCount bounds what is counted in 32 bits.
const maxCount = math.MaxInt32

// contextInterval is how many states are looked at between two looks at the context.
const contextInterval = 1 << 14

// NewPlan looks at the rows of the states first … last−1 of a model. Every row is
// checked: a fault is returned as a [*mdp.ModelError] that names state and action.
func NewPlan(ctx context.Context, model Model, first, last int) (*Plan, error) {
	p := &Plan{First: first, Last: last, model: model, numbers: map[int32]int32{}}
	err := p.rows(ctx, func(row []mdp.Entry, cost float64) error {
		if err := check(row, cost, model.NumStates()); err != nil {
			return err
		}
		p.Choices++
		p.Transitions += len(row)
		for _, e := range row {
			if j := int(e.State); j >= first && j < last {
				continue
			}
			if _, met := p.numbers[e.State]; !met {
				p.numbers[e.State] = int32(len(p.ghosts))
				p.ghosts = append(p.ghosts, e.State)
			}
		}
		return nil
	}, func(widest int) { p.Widest += widest })
	switch {
	case err != nil:
		return nil, err
	case p.Choices > maxCount || p.Transitions > maxCount:
		return nil, fmt.Errorf("%w: %d choices and %d transitions in one rank: use more ranks, for at most %d", mdp.ErrTooLarge, p.Choices, p.Transitions, maxCount)
	}
	return p, nil
}

// Ghosts returns how many states of other ranks the rows lead to.
func (p *Plan) Ghosts() int { return len(p.ghosts) }

// Bytes returns the memory that the share will take.
func (p *Plan) Bytes() float64 {
	return 12*float64(p.Transitions) + 12*float64(p.Choices) + 4*float64(p.Last-p.First) + 4*float64(p.Ghosts())
}

// Fill generates the rows once more and stores them.
func (p *Plan) Fill(ctx context.Context) (*Share, error) {
	s := &Share{
		First:         p.First,
		widest:        p.Widest,
		relativeError: RelativeError(p.model),
		Ghosts:        p.ghosts,
		stateStart:    append(make([]int32, 0, p.Last-p.First+1), 0),
		rowStart:      append(make([]int32, 0, p.Choices+1), 0),
		columns:       make([]int32, 0, p.Transitions),
		probabilities: make([]float64, 0, p.Transitions),
		costs:         make([]float64, 0, p.Choices),
	}
	own := int32(p.Last - p.First)
	err := p.rows(ctx, func(row []mdp.Entry, cost float64) error {
		for _, e := range row {
			number := e.State - int32(p.First)
			if number < 0 || number >= own {
				number = own + p.numbers[e.State]
			}
			s.columns, s.probabilities = append(s.columns, number), append(s.probabilities, e.Probability)
		}
		s.costs = append(s.costs, cost)
		s.rowStart = append(s.rowStart, int32(len(s.columns)))
		return nil
	}, func(int) { s.stateStart = append(s.stateStart, int32(len(s.costs))) })
	if err != nil {
		return nil, err
	}
	return s, nil
}

// rows calls row for each choice, with its entries in the order of states, and end for
// each state, with the number of entries of its longest row.
func (p *Plan) rows(ctx context.Context, row func([]mdp.Entry, float64) error, end func(widest int)) error {
	var entries []mdp.Entry
	byState := func(a, b mdp.Entry) int { return int(a.State) - int(b.State) }
	for s := p.First; s < p.Last; s++ {
		if (s-p.First)%contextInterval == 0 && ctx.Err() != nil {
			return fmt.Errorf("generating rows stopped at state %d: %w", s, context.Cause(ctx))
		}
		widest := 0
		for a := range p.model.NumActions(s) {
			var cost float64
			entries, cost = p.model.AppendRow(entries[:0], s, a)
			entries = slices.DeleteFunc(entries, func(e mdp.Entry) bool { return e.Probability == 0 })
			if !slices.IsSortedFunc(entries, byState) {
				slices.SortFunc(entries, byState)
			}
			if err := row(entries, cost); err != nil {
				return &mdp.ModelError{State: fmt.Sprint(s), Action: fmt.Sprint(a), Err: err}
			}
			widest = max(widest, len(entries))
		}
		if p.model.NumActions(s) == 0 {
			return &mdp.ModelError{State: fmt.Sprint(s), Err: mdp.ErrNoActions}
		}
		end(widest)
	}
	return nil
}

// rowSumTolerance is how far the probabilities of a row may be from 1 in sum. What they
// leave is taken for the probability of staying, as everywhere in package mdp.
const rowSumTolerance = 1e-9

// check returns what is wrong with a row that is sorted by states.
func check(row []mdp.Entry, cost float64, states int) error {
	sum := 0.0
	for i, e := range row {
		switch {
		case e.State < 0 || int(e.State) >= states:
			return fmt.Errorf("%w: next state %d, of states 0 … %d", mdp.ErrNotDistribution, e.State, states-1)
		case i > 0 && row[i-1].State == e.State:
			return fmt.Errorf("%w: next state %d is named twice", mdp.ErrNotDistribution, e.State)
		case !(e.Probability > 0):
			return fmt.Errorf("%w: probability %v", mdp.ErrNotDistribution, e.Probability)
		}
		sum += e.Probability
	}
	if !(math.Abs(sum-1) <= rowSumTolerance) {
		return fmt.Errorf("%w: probabilities sum to %v, not to 1", mdp.ErrNotDistribution, sum)
	}
	if math.IsNaN(cost) || math.IsInf(cost, 0) {
		return fmt.Errorf("%w: %v", mdp.ErrCost, cost)
	}
	return nil
}

// NumStates returns the number of states of the share.
func (s *Share) NumStates() int { return len(s.stateStart) - 1 }

// NumActions returns the number of actions of one of them.
func (s *Share) NumActions(state int) int {
	return int(s.stateStart[state+1] - s.stateStart[state])
}

// AppendRow appends the row of an action, by the share's own numbers, and returns it with
// its cost.
func (s *Share) AppendRow(dst []mdp.Entry, state, action int) ([]mdp.Entry, float64) {
	k := s.stateStart[state] + int32(action)
	for e := s.rowStart[k]; e < s.rowStart[k+1]; e++ {
		dst = append(dst, mdp.Entry{State: s.columns[e], Probability: s.probabilities[e]})
	}
	return dst, s.costs[k]
}

// RelativeError is that of the model.
func (s *Share) RelativeError() float64 { return s.relativeError }

// Cheapest returns a lower bound on the costs of all actions, and so on any average; +Inf
// where there is no state.
func (s *Share) Cheapest() float64 {
	least := math.Inf(1)
	for _, cost := range s.costs {
		if cost != 0 { // which no relative error moves
			cost = math.Nextafter(cost-s.relativeError*math.Abs(cost), math.Inf(-1))
		}
		least = min(least, cost)
	}
	return least
}

// whole returns the number in the whole model of one of the share's own.
func (s *Share) whole(number int32) int32 {
	if own := int32(s.NumStates()); number >= own {
		return s.Ghosts[number-own]
	}
	return number + int32(s.First)
}
