package main

// Hostile models with intervals and distances, and what is true of them: nature has the
// vertices of its choices, and the controller all policies.

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// Limits on what is enumerated.
const (
	mostPolicies = 36
	mostNatures  = 200
)

// intervals makes a model uncertain, and small enough to enumerate what can happen.
func (d *hostileDraw) intervals(q *hostileQuestion) {
	m := d.model
	policies := 1
	for s := range m.states {
		state := &m.states[s]
		for policies*len(state.actions) > mostPolicies {
			state.actions = state.actions[:len(state.actions)-1]
		}
		policies *= len(state.actions)
	}
	isUnknown := false
	for s := range m.states {
		for a := range m.states[s].actions {
			action := &m.states[s].actions[a]
			isUnknown = d.blur(s, action, q.criterion == criterionTotal) || isUnknown
		}
	}
	if isUnknown {
		q.uncertainty, m.drn = []string{"worst", "best"}[d.IntN(2)], false
	}
}

// blur makes the probabilities of an action unknown, for a total not where to it leads.
func (d *hostileDraw) blur(s int, action *hostileAction, isTotal bool) (isUnknown bool) {
	times := func(x string, factor *big.Rat) string { return factor.Mul(factor, fraction(x)).RatString() }
	least := new(big.Rat)
	for _, move := range action.moves {
		if p := fraction(move.value); move.state != s && (least.Sign() == 0 || p.Cmp(least) < 0) {
			least = p
		}
	}
	switch {
	case len(action.moves) == 0 || d.IntN(3) == 0:
		return false
	case d.model.kind != "ctmc" && d.IntN(4) == 0:
		if action.distance = []string{"1/4", "0.1", "1", "2", "1/16", "1/3", "1e-3", "5/7"}[d.IntN(8)]; isTotal && fraction(action.distance).Cmp(least) > 0 {
			if action.distance = times(least.RatString(), big.NewRat(1, 2)); least.Cmp(big.NewRat(1, 1e7)) < 0 {
				action.distance = ""
			}
			return action.distance != ""
		}
		return true
	}
	for i := range action.moves {
		move := &action.moves[i]
		p := move.value
		low := []string{"0", "0", p, times(p, big.NewRat(1, 2)), times(p, big.NewRat(int64(1+d.IntN(6)), 7))}[d.IntN(5)]
		if low == "0" && isTotal && move.state != s {
			low = times(p, big.NewRat(1, int64(2+d.IntN(9))))
		}
		high := []string{p, times(p, big.NewRat(2, 1)), "1", times(p, big.NewRat(9, 8))}[d.IntN(4)]
		if d.model.kind != "ctmc" && fraction(high).Cmp(one) > 0 || fraction(high).Cmp(fraction(p)) < 0 {
			high = p
		}
		if low != high {
			move.value, move.high, isUnknown = low, high, true
		}
	}
	return isUnknown
}

// unknown says what is unknown in a model.
func (m *hostileModel) unknown() string {
	for _, state := range m.states {
		for _, action := range state.actions {
			for _, move := range action.moves {
				if move.high != "" && move.value == "0" {
					return "lower ends of 0"
				}
			}
		}
	}
	return "intervals or distances"
}

// rounded reads a number as the nearest float64, which an answer about intervals is about.
func rounded(text string) *big.Rat {
	x, _ := fraction(text).Float64()
	return rational(x)
}

// findUncertain finds the vertices, and answers the question.
func (t *hostileTruth) findUncertain(m *hostileModel) (err error) {
	if t.rate != nil { // above all rates as they are rounded
		t.rate.Mul(t.rate, big.NewRat(2, 1))
	}
	for s, state := range m.states {
		var actions [][]hostileRow
		for _, action := range state.actions {
			var rows []hostileRow
			if n := len(action.moves); n > mostMoves || action.distance != "" && n > mostLosers {
				return context.DeadlineExceeded // there are too many vertices
			}
			for _, values := range action.vertices(m.kind == "ctmc") {
				if t.ctx.Err() != nil {
					return t.ctx.Err()
				}
				rows = append(rows, m.row(s, state, action, values, t.rate, rounded))
			}
			if rows == nil {
				return errors.New("a choice without probabilities")
			}
			actions = append(actions, rows)
		}
		t.vertices = append(t.vertices, actions)
		t.rows = append(t.rows, make([]hostileRow, len(actions)))
	}
	t.values, err = t.optimum()
	return err
}

// vertices lists values of transitions between which all others lie.
func (a *hostileAction) vertices(isRate bool) (all [][]*big.Rat) {
	low, high := a.values(rounded), []*big.Rat{}
	least, most := new(big.Rat), new(big.Rat)
	for i, move := range a.moves {
		high = append(high, rounded(cmp.Or(move.high, move.value)))
		least.Add(least, low[i])
		most.Add(most, high[i])
	}
	switch {
	case a.distance != "":
		half := rounded(a.distance)
		return neighbours(low, half.Quo(half, big.NewRat(2, 1)))
	case !isRate && least.Cmp(one) >= 0:
		return [][]*big.Rat{low}
	case !isRate && most.Cmp(one) <= 0:
		return [][]*big.Rat{high}
	}
	var free []int // the moves that nature can change
	for i := range low {
		if low[i].Cmp(high[i]) != 0 {
			free = append(free, i)
		}
	}
	for bits := range 1 << len(free) {
		values, left := slices.Clone(low), big.NewRat(1, 1)
		for at, i := range free {
			if bits>>at&1 == 1 {
				values[i] = high[i]
			}
		}
		for _, x := range values {
			left.Sub(left, x)
		}
		if isRate || len(values) == 0 {
			all = append(all, values)
			continue
		}
		for i, x := range values { // one takes the rest
			if rest := new(big.Rat).Add(left, x); rest.Cmp(low[i]) >= 0 && rest.Cmp(high[i]) <= 0 {
				vertex := slices.Clone(values)
				vertex[i] = rest
				all = append(all, vertex)
			}
		}
	}
	return all
}

// neighbours lists the probabilities of which one is greater than given ones by as much as
// possible, at most by half a distance, and the others less, one after the other in any order.
func neighbours(given []*big.Rat, half *big.Rat) (all [][]*big.Rat) {
	var lose func(p []*big.Rat, rest *big.Rat, from []int)
	lose = func(p []*big.Rat, rest *big.Rat, from []int) {
		if rest.Sign() <= 0 || len(from) == 0 {
			all = append(all, p)
			return
		}
		for i, e := range from {
			less, lost := slices.Clone(p), rest
			if p[e].Cmp(rest) < 0 {
				lost = p[e]
			}
			less[e] = new(big.Rat).Sub(p[e], lost)
			lose(less, new(big.Rat).Sub(rest, lost), slices.Delete(slices.Clone(from), i, i+1))
		}
	}
	for e := range given {
		p, above, others := slices.Clone(given), new(big.Rat).Neg(one), []int{}
		for i, x := range given {
			if above.Add(above, x); i != e {
				others = append(others, i)
			}
		}
		gain := new(big.Rat).Sub(one, given[e])
		if gain.Cmp(half) > 0 {
			gain = half
		}
		p[e] = new(big.Rat).Add(given[e], gain)
		lose(p, above.Add(above, gain), others)
	}
	return all
}

// follow leaves each state the action with a weight.
func (t *hostileTruth) follow(weights [][]*big.Rat) (err error) {
	var followed [][][]hostileRow
	for s, actions := range t.vertices {
		a := slices.IndexFunc(weights[s], func(x *big.Rat) bool { return x.Sign() > 0 })
		followed = append(followed, actions[a:a+1])
	}
	t.vertices, t.rows = followed, make([][]hostileRow, len(followed))
	t.values, err = t.optimum()
	return err
}

// towards returns the sense of nature.
func (t *hostileTruth) towards() mdp.Sense {
	if t.question.uncertainty == "best" {
		return t.sense()
	}
	return mdp.Maximize - t.sense()
}

// chosen lists the vertices of the actions of a policy, nil for all actions.
func (t *hostileTruth) chosen(policy []int32) (states [][]hostileRow) {
	for s, actions := range t.vertices {
		if policy != nil {
			actions = actions[policy[s] : policy[s]+1]
		}
		states = append(states, slices.Concat(actions...))
	}
	return states
}

// solved answers the question about some vertices.
func (t *hostileTruth) solved(states [][]hostileRow, absolute bool, sense mdp.Sense) ([]exact.Value, error) {
	m, err := t.exactModel(states, absolute)
	if err != nil {
		return nil, err
	}
	return t.answer(m, sense)
}

// optimum returns the best values that a policy can have.
func (t *hostileTruth) optimum() (best []exact.Value, err error) {
	switch {
	case t.question.criterion == criterionFinite:
		return t.backward(t.horizon(), nil)
	case t.question.uncertainty == "best":
		return t.solved(t.chosen(nil), false, t.sense())
	}
	policy := make([]int32, len(t.vertices))
	for isNew := true; isNew; {
		values, err := t.solved(t.chosen(policy), false, t.towards())
		if err != nil {
			return nil, err
		}
		best = t.extremes(best, values, t.sense())
		isNew = false
		for s := range policy { // the next policy
			if policy[s]++; int(policy[s]) < len(t.vertices[s]) {
				isNew = true
				break
			}
			policy[s] = 0
		}
	}
	if t.question.criterion == criterionTotal && t.sense() == mdp.Minimize {
		return t.fallen(best)
	}
	return best, nil
}

// extremes returns the least values of both, or the greatest.
func (t *hostileTruth) extremes(x, y []exact.Value, sense mdp.Sense) []exact.Value {
	if x == nil {
		return y
	}
	x = slices.Clone(x)
	for s := range x {
		if (compareValues(y[s], x[s]) < 0) == (sense == mdp.Minimize) {
			x[s] = y[s]
		}
	}
	return x
}

func compareValues(x, y exact.Value) int {
	if x.Infinity() != 0 || y.Infinity() != 0 {
		return cmp.Compare(x.Infinity(), y.Infinity())
	}
	return x.Rat().Cmp(y.Rat())
}

// fallen returns values with −∞ where that is so against every choice of nature: a policy that
// changes with time may go round a cycle as often as it likes.
func (t *hostileTruth) fallen(values []exact.Value) ([]exact.Value, error) {
	random := rand.New(rand.NewPCG(1, 2))
	var least []exact.Value
	for range mostNatures {
		var states [][]hostileRow
		for _, actions := range t.vertices {
			var rows []hostileRow
			for _, vertices := range actions {
				rows = append(rows, vertices[random.IntN(len(vertices))])
			}
			states = append(states, rows)
		}
		found, err := t.solved(states, false, t.sense())
		if err != nil {
			return nil, err
		}
		least = t.extremes(least, found, mdp.Maximize)
	}
	for s, x := range least {
		if x.Infinity() < 0 {
			values[s] = x
		}
	}
	return values, nil
}

// against returns what a policy comes to; for a finite horizon, with the best steps after the
// first.
func (t *hostileTruth) against(policy []int32) ([]exact.Value, error) {
	switch {
	case t.question.criterion != criterionFinite:
		return t.solved(t.chosen(policy), false, t.towards())
	case t.horizon() == 0:
		return t.values, nil
	}
	rest, err := t.backward(t.horizon()-1, nil)
	if err != nil {
		return nil, err
	}
	terminal := make([]*big.Rat, len(policy))
	for s, x := range rest {
		terminal[s] = x.Rat()
	}
	chain := *t
	chain.vertices = nil
	for s, a := range policy {
		chain.vertices = append(chain.vertices, t.vertices[s][a:a+1])
	}
	return chain.backward(1, terminal)
}

// largest returns the most that absolute rewards come to under a policy.
func (t *hostileTruth) largest(policy []int32) ([]exact.Value, error) {
	if t.question.criterion != criterionFinite {
		return t.solved(t.chosen(policy), true, mdp.Maximize)
	}
	m, err := t.exactModel(t.chosen(nil), true)
	if err != nil {
		return nil, err
	}
	return t.answer(m, mdp.Maximize)
}

// backward goes back from terminal rewards, nil for none.
func (t *hostileTruth) backward(steps int, terminal []*big.Rat) ([]exact.Value, error) {
	values := zeros(len(t.vertices))
	copy(values, terminal)
	isBetter := func(x, y *big.Rat, sense mdp.Sense) bool {
		return y == nil || (x.Cmp(y) < 0) == (sense == mdp.Minimize)
	}
	for range steps {
		if t.ctx.Err() != nil {
			return nil, t.ctx.Err()
		}
		next := make([]*big.Rat, len(values))
		for s, actions := range t.vertices {
			for _, vertices := range actions {
				var own *big.Rat
				for _, row := range vertices {
					x := new(big.Rat).Set(row.reward)
					for j, p := range row.probabilities {
						x.Add(x, new(big.Rat).Mul(p, values[j]))
					}
					if isBetter(x, own, t.towards()) {
						own = x
					}
				}
				if isBetter(own, next[s], t.sense()) {
					next[s] = own
				}
			}
		}
		values = next
	}
	// The answers of package exact for a horizon of 0 are these numbers.
	m, err := t.exactModel(t.chosen(nil), false)
	if err != nil {
		return nil, err
	}
	answer, err := m.Finite(t.ctx, mdp.Minimize, exact.Horizon{Steps: 0, Terminal: values})
	if err != nil {
		return nil, err
	}
	return answer.Values, nil
}
