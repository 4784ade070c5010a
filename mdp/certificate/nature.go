package certificate

// This file holds what nature chooses in a model with intervals.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// How nature chooses, as results name it.
const worstCase, bestCase = "worst", "best"

// natureOf returns −1 where nature minimises rewards, 1 where it maximises them, and 0 without
// intervals.
func natureOf(r *Result) int {
	sense := map[string]int{"minimize": 1, "maximize": -1}[r.Sense]
	return map[string]int{worstCase: sense, bestCase: -sense}[r.Uncertainty]
}

// fixing returns the side of a certificate that needs only one choice of nature, which
// follows from its vectors: the one that proves what nature wants.
func (c *Certificate) fixing(nature int) *Witness {
	if nature < 0 {
		return &c.Upper
	}
	return &c.Lower
}

// findEnds finds the ends of intervals. Where the least probabilities of a choice sum to 1 or
// more, or the greatest to 1 or less, these, divided by their sum, are the only distribution. A
// distribution within a distance d of probabilities p̂ takes something from p̂ and adds something,
// at most d/2 in all. As the sum of p̂ is off 1 by at most 1e-9, it takes less than d/2 + 2e-9.
func (r *rows) findEnds() {
	r.low, r.high = r.Values.Rationals(), r.High.Rationals()
	if r.continuous {
		return
	}
	if r.Distance.Len() > 0 {
		r.free = r.Distance.Rationals()
	}
	for k := range r.stateOf {
		lo, hi := r.RowStart[k], r.RowStart[k+1]
		low, high := r.low[lo:hi], r.high[lo:hi]
		if k < len(r.free) && r.free[k].Sign() > 0 {
			r.free[k] = new(big.Rat).Mul(r.free[k], big.NewRat(1, 2))
			lost := new(big.Rat).Add(r.free[k], big.NewRat(2, 1e9))
			for e, p := range high {
				if low[e] = new(big.Rat).Sub(p, lost); low[e].Sign() < 0 {
					low[e] = new(big.Rat)
				}
			}
			continue
		}
		if only := low; sum(low).Cmp(one) >= 0 || sum(high).Cmp(one) <= 0 {
			if sum(low).Cmp(one) < 0 {
				only = high
			}
			total := sum(only)
			for e, x := range only {
				low[e] = new(big.Rat).Quo(x, total)
				high[e] = low[e]
			}
		}
	}
}

func sum(list []*big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, x := range list {
		total.Add(total, x)
	}
	return total
}

// isPossible reports whether transition e may have a value above 0. In a model with distances all
// transitions that are listed may, unless nature's choice is fixed, where free is nil.
func (r *rows) isPossible(e int32) bool {
	return len(r.high) == 0 || r.free != nil || r.high[e].Sign() > 0
}

// choice says for what nature chooses: the greatest (sign 1) or the least expected gain and,
// among equal ones, the greatest or least Σ_e p_e·(w_e + β·value(j_e)), where w_e is the
// reward of a transition.
type choice struct {
	sign        int
	gain, value *numbers // nil: ignored
	factors     *factors // whose change multiplies values; nil: 1
}

// key is what a transition is ranked by.
type key struct{ gain, value bound }

func (c *choice) compare(x, y key) int {
	return c.sign * cmp.Or(x.gain.compare(y.gain), x.value.compare(y.value))
}

// key returns the key of coming to state j with a reward.
func (c *choice) key(j int32, reward *big.Rat) key {
	var x key
	if c.gain != nil {
		x.gain = c.gain.at(j)
	}
	if c.value == nil {
		return x
	}
	if x.value = c.value.at(j); x.value.isInfinite() || reward.Sign() == 0 && c.factors == nil {
		return x
	}
	value := new(big.Rat).Set(x.value.rational())
	if c.factors != nil {
		value.Mul(value, c.factors.change)
	}
	x.value = exactBound(value.Add(value, reward))
	return x
}

// chosen returns the values of all transitions that nature chooses: what the lower ends
// leave of 1 goes to the transitions in the order of their keys, as far as their intervals
// allow; the first in this order also gets what a distance allows to add (Givan, Leach and Dean
// 2000, Theorem 4). Transitions with equal keys share, so that a choice leads to as many states as
// possible. Rates do not compete: each is greatest where the jump is no worse for nature than
// staying, and otherwise least.
func (r *rows) chosen(c *choice) []*big.Rat {
	p := make([]*big.Rat, len(r.low))
	forStates(r.NumStates(), func(s int32) {
		for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
			r.choose(p, c, k)
		}
	})
	return p
}

func (r *rows) choose(p []*big.Rat, c *choice, k int32) {
	type ranked struct {
		key
		e     int32
		width *big.Rat
	}
	s, left := r.stateOf[k], big.NewRat(1, 1)
	var order []ranked
	for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
		p[e] = r.low[e]
		left.Sub(left, p[e])
		j, reward := r.Columns[e], r.transition.at(e).rational()
		if r.continuous {
			reward = new(big.Rat).Add(reward, r.action.at(k).rational())
		}
		if width := new(big.Rat).Sub(r.high[e], p[e]); width.Sign() > 0 || int(k) < len(r.free) && r.free[k].Sign() > 0 {
			order = append(order, ranked{c.key(j, reward), e, width})
		}
	}
	if r.continuous {
		here := c.key(s, new(big.Rat))
		for _, x := range order {
			if c.compare(x.key, here) >= 0 {
				p[x.e] = r.high[x.e]
			}
		}
		return
	}
	slices.SortFunc(order, func(x, y ranked) int { return c.compare(y.key, x.key) })
	for from, to := 0, 0; from < len(order) && left.Sign() > 0; from = to {
		widths, share, more := new(big.Rat), big.NewRat(1, 1), new(big.Rat)
		for ; to < len(order) && c.compare(order[to].key, order[from].key) == 0; to++ {
			widths.Add(widths, order[to].width)
		}
		if widths.Cmp(left) > 0 {
			share.Quo(left, widths)
		} else if from == 0 && r.free != nil {
			if more.Sub(left, widths); more.Cmp(r.free[k]) > 0 {
				more.Set(r.free[k])
			}
		}
		each := new(big.Rat).Quo(more, big.NewRat(int64(to-from), 1))
		for _, x := range order[from:to] {
			p[x.e] = x.width.Add(r.low[x.e], x.width.Mul(x.width, share))
			p[x.e].Add(p[x.e], each)
		}
		left.Sub(left, widths.Add(widths, more))
	}
}

// after returns the rows with the values that nature chooses, and the same transitions; the
// rows themselves without intervals.
func (r *rows) after(c *choice) *rows {
	if r.high == nil {
		return r
	}
	next := *r
	next.values = fromRationals(r.chosen(c)...)
	return &next
}

// fixed returns the question about the ordinary model in which nature's choice is fixed to the one for
// the vectors of a witness: its intervals have width 0.
func (q *problem) fixed(w *Witness) *problem {
	f, r, p := *q, *q.rows, q.fixedValues(w)
	f.rows, r.values, r.low, r.high, r.free = &r, fromRationals(p...), p, p, nil
	r.graph, r.ends = nil, nil
	return &f
}

// fixedValues returns the values of transitions that nature chooses for the vectors of a
// witness. The inequality for the values of an average counts only in end components. Where
// it fails, nature chooses by gains alone, and leads to as many states as possible, so that the
// choice leaves its component.
func (q *problem) fixedValues(w *Witness) []*big.Rat {
	c, r := q.choiceFor(w), *q.rows
	p := r.chosen(c)
	if !q.result.HasGain() {
		return p
	}
	r.values = fromRationals(slices.Clone(p)...)
	x := &expression{rows: &r, value: c.value, level: c.gain, costs: true}
	for k := range r.stateOf {
		if sign, known := x.sign(int32(k)); !known || sign*q.nature < 0 {
			r.choose(p, &choice{sign: q.nature, gain: c.gain}, int32(k))
		}
	}
	return p
}

// choiceFor returns the choice of nature for the vectors of a witness.
func (q *problem) choiceFor(w *Witness) *choice {
	n := q.rows.NumStates()
	return &choice{sign: q.nature, gain: fromVector(&w.Gain, n, nil), value: fromVector(&w.Value, n, q.target), factors: q.factors}
}

// against returns the model in which nature's choice is fixed: the model itself without
// intervals.
func (g *restricted) against(w *Witness) *restricted {
	if g.nature == 0 {
		return g
	}
	return restrict(g.fixed(w), g.allowed, nil)
}

// withNature returns a side of a certificate about needed choices. One side proves a bound that nature
// can reach. For that, one choice of nature is enough, so this side has the rows that nature chooses.
// The other side proves a bound that nature cannot pass. Its inequalities must hold for all choices of
// nature, so this side has the rows in which they are closest to failing. There, the inequality for
// the values of an average must hold for every choice, not only for choices that stay in an end
// component, because it depends on nature whether a choice stays.
func (g *restricted) withNature(w *Witness, needed []bool, sign int) *side {
	if g.nature == 0 {
		s := g.side(w, needed, g.stays, sign)
		s.stops = g.stops
		return s
	}
	if sign == g.nature {
		f := g.against(w)
		return f.side(w, f.rows.filter(f.needed, func(k, _ int32) bool { return needed[k] }), f.stays, sign)
	}
	all := g.stays
	if all != nil {
		all = g.allowed
	}
	s, c := g.side(w, needed, all, sign), g.choiceFor(w)
	s.finite = g.finite
	gain := c.gain
	c.gain = nil
	s.rows = g.rows.after(c)
	if s.drift != nil {
		s.drift.rows = g.rows.after(&choice{sign: g.nature, gain: gain})
	}
	return s
}

// Nature returns, for a model with intervals, the ordinary model of the probabilities that nature
// chooses by the certificate of a result. In it, the policy of the result has the value claimed. It is
// an error if the result, or its certificate, does not fit the model.
func Nature(m *modelfile.Model, r *Result) (*modelfile.Model, error) {
	return nature(m, m.Rounded(), r)
}

// ExactNature is [Nature] in fractions.
func ExactNature(m *modelfile.Model, r *Result) (*modelfile.Model, error) {
	exactly := m.Rounded()
	exactly.Values.Exact = exactly.Values.Rationals()
	return nature(m, exactly, r)
}

// nature fixes the values of transitions in other, which has the numbers of m.
func nature(m, other *modelfile.Model, r *Result) (*modelfile.Model, error) {
	asked, err := r.On(m)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	q, err := newProblem(context.Background(), asked, nil, r)
	switch n := m.NumStates(); {
	case err != nil:
		return nil, err
	case q.nature == 0 || r.Certificate == nil:
		return nil, errors.New("certificate: no choice of nature without intervals and a certificate")
	case r.Certificate.Validate(n) != nil:
		return nil, r.Certificate.Validate(n)
	}
	return other.Fixed(q.fixedValues(r.Certificate.fixing(q.nature)))
}
