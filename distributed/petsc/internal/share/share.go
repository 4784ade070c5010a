// Package share holds one rank's share of a model: the rows of a range of states, generated
// from a declaration of the whole model.
package share

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Model lists any row of a whole model. Every [mdp.Explicit] does.
type Model interface {
	NumStates() int
	NumActions(s int) int
	AppendRow(dst []mdp.Entry, s, a int) (row []mdp.Entry, cost float64)
}

// Range returns the states first … last−1 of a rank; all ranks have nearly the same
// number.
func Range(states, ranks, rank int) (first, last int) {
	return states * rank / ranks, states * (rank + 1) / ranks
}

// RelativeError returns the relative error of an [mdp.Approximate] model, 0 for others.
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

	widest        int // the most transitions of a policy
	relativeError float64
	stateStart    []int32 // first choice of each state, and the end
	rowStart      []int32 // first entry of each choice, and the end
	columns       []int32 // by the share's own numbers; a row in the order of those of the model
	probabilities []float64
	costs         []float64 // by choice
}

// Plan holds the counts of a first pass over the rows of a share, which stores none.
type Plan struct {
	First, Last int

	// Choices and Transitions count those of all rows. Widest adds up the transitions of
	// the choice with the most of them in each state: the most transitions of a policy.
	Choices, Transitions, Widest int

	model Model
	// ghosts are the states of other ranks to which rows lead, in the order in which they
	// are found, and numbers their places.
	ghosts  []int32
	numbers map[int32]int32
}

// maxCount bounds counts, which have 32 bits.
const maxCount = math.MaxInt32

// contextInterval is the number of states between two checks of the context.
const contextInterval = 1 << 14

// NewPlan counts the rows of the states first … last−1 of a model. It checks every row, and
// returns a fault as a [*mdp.ModelError] that names state and action.
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

// Ghosts returns the number of states of other ranks to which the rows lead.
func (p *Plan) Ghosts() int { return len(p.ghosts) }

// Bytes returns the memory of the share.
func (p *Plan) Bytes() float64 {
	return 12*float64(p.Transitions) + 12*float64(p.Choices) + 4*float64(p.Last-p.First) + 4*float64(p.Ghosts())
}

// Fill generates the rows again and stores them.
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

// rowSumTolerance is the largest distance from 1 of the sum of a row. The probability of
// staying is what the others leave, as everywhere in package mdp.
const rowSumTolerance = 1e-9

// check returns the fault of a row that is sorted by states.
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
		return fmt.Errorf("%w: probabilities sum to %v, not to 1 within 1e-9: divide each by their sum", mdp.ErrNotDistribution, sum)
	}
	if math.IsNaN(cost) || math.IsInf(cost, 0) {
		return fmt.Errorf("%w: %v", mdp.ErrCost, cost)
	}
	return nil
}

// NumStates returns the number of states of the share.
func (s *Share) NumStates() int { return len(s.stateStart) - 1 }

// NumActions returns the number of actions of a state of the share.
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
		if cost != 0 { // 0 has no relative error
			cost = math.Nextafter(cost-s.relativeError*math.Abs(cost), math.Inf(-1))
		}
		least = min(least, cost)
	}
	return least
}

// whole returns the number in the whole model of a state of the share.
func (s *Share) whole(number int32) int32 {
	if own := int32(s.NumStates()); number >= own {
		return s.Ghosts[number-own]
	}
	return number + int32(s.First)
}
