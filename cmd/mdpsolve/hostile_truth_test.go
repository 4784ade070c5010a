package main

// What is true of a hostile model, in rational numbers.

import (
	"cmp"
	"context"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// hostileTruth is the exact answer to a question.
type hostileTruth struct {
	question        hostileQuestion
	goal            []int32
	rows            [][]hostileRow   // by state and action
	vertices        [][][]hostileRow // the same with intervals: what nature may choose
	ctx             context.Context  // ends when the truth takes too long to find
	rate            *big.Rat         // of uniformization; nil in discrete time
	model, absolute *exact.Model     // with the rewards, and with their absolute values
	values          []exact.Value
}

// hostileRow is a choice: probabilities, which sum to 1, and expected reward. In
// continuous time they are those of the uniformized process, and the reward is per
// unit of time.
type hostileRow struct {
	probabilities []*big.Rat // by state
	reward        *big.Rat
}

// newHostileTruth reads the numbers of a model by itself, and has package exact
// answer the question.
func newHostileTruth(ctx context.Context, m *hostileModel, q hostileQuestion) (*hostileTruth, error) {
	t := &hostileTruth{ctx: ctx, question: q, rate: m.rate()}
	for _, s := range m.goal {
		t.goal = append(t.goal, int32(s))
	}
	if q.uncertainty != "" {
		return t, t.findUncertain(m)
	}
	for s, state := range m.states {
		var rows []hostileRow
		for _, action := range state.actions {
			rows = append(rows, m.row(s, state, action, action.values(fraction), t.rate, fraction))
		}
		t.rows = append(t.rows, rows)
	}
	return t, t.find()
}

// find makes the exact models of the rows, and answers the question.
func (t *hostileTruth) find() error {
	var err error
	if t.model, err = t.exactModel(t.rows, false); err != nil {
		return err
	}
	if t.absolute, err = t.exactModel(t.rows, true); err != nil {
		return err
	}
	t.values, err = t.answer(t.model, t.sense())
	return err
}

// exactModel returns the model whose states have these rows as actions.
func (t *hostileTruth) exactModel(states [][]hostileRow, absolute bool) (*exact.Model, error) {
	arrays := exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}, Rate: t.rate}
	for _, rows := range states {
		for _, row := range rows {
			for j, p := range row.probabilities {
				if p.Sign() > 0 {
					arrays.Columns = append(arrays.Columns, int32(j))
					arrays.Probabilities = append(arrays.Probabilities, p)
				}
			}
			arrays.RowStart = append(arrays.RowStart, int32(len(arrays.Columns)))
			cost := row.reward
			if absolute {
				cost = new(big.Rat).Abs(cost)
			}
			arrays.Costs = append(arrays.Costs, cost)
		}
		arrays.StateStart = append(arrays.StateStart, int32(len(arrays.Costs)))
	}
	return exact.NewModel(arrays)
}

// under returns the truth of a randomised policy: weights by state and action,
// which sum to 1.
func (t *hostileTruth) under(weights [][]*big.Rat) (*hostileTruth, error) {
	chain := *t
	if t.vertices != nil {
		return &chain, chain.follow(weights)
	}
	chain.rows = nil
	for s, rows := range t.rows {
		mixed := hostileRow{zeros(len(t.rows)), new(big.Rat)}
		for a, row := range rows {
			mixed.reward.Add(mixed.reward, new(big.Rat).Mul(weights[s][a], row.reward))
			for j, p := range row.probabilities {
				mixed.probabilities[j].Add(mixed.probabilities[j], new(big.Rat).Mul(weights[s][a], p))
			}
		}
		chain.rows = append(chain.rows, []hostileRow{mixed})
	}
	return &chain, chain.find()
}

func (t *hostileTruth) sense() mdp.Sense {
	if t.question.sense == "maximize" {
		return mdp.Maximize
	}
	return mdp.Minimize
}

// answer answers the question for a model.
func (t *hostileTruth) answer(m *exact.Model, sense mdp.Sense) ([]exact.Value, error) {
	var (
		answer *exact.Answer
		err    error
	)
	ctx := t.ctx
	switch t.question.criterion {
	case criterionAverage:
		answer, err = m.Average(ctx, sense)
	case criterionDiscounted:
		answer, err = m.Discounted(ctx, sense, fraction(t.question.discount))
	case criterionTotal:
		answer, err = m.Total(ctx, sense, t.goal)
	default:
		answer, err = m.Finite(ctx, sense, exact.Horizon{Steps: t.horizon()})
	}
	if err != nil {
		return nil, err
	}
	return answer.Values, nil
}

func (t *hostileTruth) horizon() int { return int(fraction(t.question.horizon).Num().Int64()) }

// scale returns what the tolerance is relative to in each state: what the absolute
// rewards come to under a policy; for a finite horizon, at least.
func (t *hostileTruth) scale(policy []int32) ([]exact.Value, error) {
	if t.vertices != nil {
		return t.largest(policy)
	}
	if t.question.criterion == criterionFinite {
		return t.answer(t.absolute, mdp.Minimize)
	}
	followed, err := t.absolute.Follow(policy)
	if err != nil {
		return nil, err
	}
	return t.answer(followed, mdp.Minimize)
}

// achieved returns what a policy comes to; for a finite horizon, with the best
// steps after the first.
func (t *hostileTruth) achieved(policy []int32) ([]exact.Value, error) {
	if t.vertices != nil {
		return t.against(policy)
	}
	followed, err := t.model.Follow(policy)
	switch {
	case err != nil:
		return nil, err
	case t.question.criterion != criterionFinite:
		return t.answer(followed, t.sense())
	case t.horizon() == 0:
		return t.values, nil
	}
	rest, err := t.model.Finite(t.ctx, t.sense(), exact.Horizon{Steps: t.horizon() - 1})
	if err != nil {
		return nil, err
	}
	terminal := make([]*big.Rat, len(policy))
	for s, x := range rest.Values {
		terminal[s] = x.Rat()
	}
	answer, err := followed.Finite(t.ctx, t.sense(), exact.Horizon{Steps: 1, Terminal: terminal})
	if err != nil {
		return nil, err
	}
	return answer.Values, nil
}

// rate returns the rate of uniformization, the largest at which a state is left;
// nil for discrete time.
func (m *hostileModel) rate() *big.Rat {
	if m.kind != "ctmc" {
		return nil
	}
	most := new(big.Rat)
	for s, state := range m.states {
		leaving := new(big.Rat)
		for _, move := range state.actions[0].moves {
			if move.state != s {
				leaving.Add(leaving, fraction(cmp.Or(move.high, move.value)))
			}
		}
		if leaving.Cmp(most) > 0 {
			most = leaving
		}
	}
	if most.Sign() == 0 {
		return big.NewRat(1, 1)
	}
	return most
}

// values reads those of the transitions.
func (a *hostileAction) values(read func(string) *big.Rat) (values []*big.Rat) {
	for _, move := range a.moves {
		values = append(values, read(move.value))
	}
	return values
}

func (m *hostileModel) row(s int, state hostileState, action hostileAction, values []*big.Rat, rate *big.Rat, read func(string) *big.Rat) hostileRow {
	row := hostileRow{reward: read(state.reward)}
	for range m.states {
		row.probabilities = append(row.probabilities, new(big.Rat))
	}
	divisor := rate
	if divisor == nil {
		divisor = new(big.Rat) // the sum, which may be off 1
		for _, value := range values {
			divisor.Add(divisor, value)
		}
		row.reward.Add(row.reward, read(action.reward))
	}
	left := big.NewRat(1, 1)
	for i, move := range action.moves {
		earned := read(move.reward)
		if rate != nil {
			earned.Mul(earned.Add(earned, read(action.reward)), values[i])
			row.reward.Add(row.reward, earned)
		}
		p := new(big.Rat).Quo(values[i], divisor)
		if rate == nil {
			row.reward.Add(row.reward, earned.Mul(earned, p))
		}
		if move.state != s {
			row.probabilities[move.state].Set(p)
			left.Sub(left, p)
		}
	}
	row.probabilities[s].Set(left)
	return row
}
