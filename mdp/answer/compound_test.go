package answer_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// formulas makes random properties of a small model, and answers them in fractions by definition:
// backward induction for bounds of time, and otherwise all stationary policies.
type formulas struct {
	*rand.Rand
	m        *modelfile.Model
	policies [][]int32 // all that are stationary, as choices
}

// thing is a property with its values by state. Those of truth values are 0 and 1.
type thing struct {
	text   string
	values []*big.Rat
}

func rat(a, b int64) *big.Rat { return big.NewRat(a, b) }

func (f *formulas) each(value func(s int) *big.Rat) []*big.Rat {
	list := make([]*big.Rat, f.m.NumStates())
	for s := range list {
		list[s] = value(s)
	}
	return list
}

func truth(is bool) *big.Rat {
	if is {
		return rat(1, 1)
	}
	return new(big.Rat)
}

func holds(x *big.Rat) bool { return x.Sign() != 0 }

func not(list []*big.Rat) (opposite []*big.Rat) {
	for _, x := range list {
		opposite = append(opposite, new(big.Rat).Sub(rat(1, 1), x))
	}
	return opposite
}

// set makes a set of states.
func (f *formulas) set(depth int) thing {
	if depth > 0 {
		a, b := f.set(depth-1), f.set(depth-1)
		switch f.IntN(8) {
		case 0:
			return thing{"!(" + a.text + ")", not(a.values)}
		case 1:
			return thing{"(" + a.text + ") & (" + b.text + ")", f.each(func(s int) *big.Rat { return truth(holds(a.values[s]) && holds(b.values[s])) })}
		case 2:
			return thing{"((" + a.text + ") => (" + b.text + "))", f.each(func(s int) *big.Rat { return truth(!holds(a.values[s]) || holds(b.values[s])) })}
		case 3:
			return f.quantified(depth)
		case 4:
			x, y := f.number(depth-1), rat(int64(f.IntN(5)), 4)
			return thing{fmt.Sprintf("(%s) > %s", x.text, y.RatString()), f.each(func(s int) *big.Rat { return truth(x.values[s].Cmp(y) > 0) })}
		default:
			return f.threshold(depth)
		}
	}
	x := f.IntN(4)
	switch f.IntN(4) {
	case 0:
		return thing{fmt.Sprintf("x=%d", x), f.each(func(s int) *big.Rat { return truth(s == x) })}
	case 1:
		return thing{fmt.Sprintf("mod(x*3+1, 4)/2 <= %d/2", x), f.each(func(s int) *big.Rat { return truth((3*s+1)%4 <= x) })}
	}
	label := []string{"a", "b"}[f.IntN(2)]
	return thing{`"` + label + `"`, f.each(func(s int) *big.Rat { return truth(slices.Contains(f.m.Labels[label], int32(s))) })}
}

// sense returns min or max, and whether it is the greatest value.
func (f *formulas) sense() (string, bool) {
	if f.IntN(2) == 0 {
		return "min", false
	}
	return "max", true
}

// threshold makes P>=p [...], perhaps of all policies.
func (f *formulas) threshold(depth int) thing {
	word, greatest := f.sense()
	relation := []string{">=", ">", "<=", "<"}[f.IntN(4)]
	if f.IntN(2) == 0 {
		word, greatest = "", relation[0] == '<'
	}
	limit := rat(int64(f.IntN(5)), 4)
	path, values := f.path(depth, greatest)
	return thing{"P" + word + relation + limit.RatString() + " [" + path + "]", f.each(func(s int) *big.Rat {
		sign := values[s].Cmp(limit)
		return truth(map[string]bool{">=": sign >= 0, ">": sign > 0, "<=": sign <= 0, "<": sign < 0}[relation])
	})}
}

// quantified makes E or A of a path formula, by fixed points over all transitions.
func (f *formulas) quantified(depth int) thing {
	a, b := f.set(depth-1), f.set(depth-1)
	isWeak, isAll := f.IntN(2) == 0, f.IntN(2) == 0
	now := f.each(func(int) *big.Rat { return truth(isWeak) })
	for range f.m.NumStates() + 1 {
		before := now
		now = f.each(func(s int) *big.Rat {
			some, all := false, true
			for e := f.m.RowStart[f.m.StateStart[s]]; e < f.m.RowStart[f.m.StateStart[s+1]]; e++ {
				is := holds(before[f.m.Columns[e]])
				some, all = some || is, all && is
			}
			next := some
			if isAll {
				next = all
			}
			return truth(holds(b.values[s]) || holds(a.values[s]) && next)
		})
	}
	text := "E ["
	if isAll {
		text = "A ["
	}
	operator := "U"
	if isWeak {
		operator = "W"
	}
	return thing{text + "(" + a.text + ") " + operator + " (" + b.text + ")]", now}
}

// path makes a path formula, with its least or greatest probability.
func (f *formulas) path(depth int, greatest bool) (string, []*big.Rat) {
	a, b := f.set(depth-1), f.set(depth-1)
	low, high, bound := 0, -1, ""
	i, j := f.IntN(4), f.IntN(4)
	switch f.IntN(8) {
	case 0:
		high, bound = i, fmt.Sprintf("<=%d", i)
	case 1:
		high, bound = i, fmt.Sprintf("<%d", i+1)
	case 2:
		low, bound = i, fmt.Sprintf(">=%d", i)
	case 3:
		low, bound = i+1, fmt.Sprintf(">%d", i)
	case 4:
		low, high, bound = i, i+j, fmt.Sprintf("[%d,%d]", i, i+j)
	case 5:
		low, high, bound = i, i, fmt.Sprintf("=%d", i)
	}
	all := f.each(func(int) *big.Rat { return rat(1, 1) })
	x, y := "("+a.text+") ", " ("+b.text+")"
	both := func(p, q []*big.Rat) []*big.Rat {
		return f.each(func(s int) *big.Rat { return truth(holds(p[s]) && holds(q[s])) })
	}
	switch f.IntN(7) {
	case 0:
		return "F" + bound + y, f.until(all, b.values, low, high, greatest)
	case 1:
		return "G" + bound + y, not(f.until(all, not(b.values), low, high, !greatest))
	case 2:
		return x + "W" + bound + y, not(f.until(both(a.values, not(b.values)), both(not(a.values), not(b.values)), low, high, !greatest))
	case 3:
		return x + "R" + bound + y, not(f.until(not(a.values), not(b.values), low, high, !greatest))
	case 4:
		return "!(" + x + "U" + bound + y + ")", not(f.until(a.values, b.values, low, high, !greatest))
	case 5:
		return "X" + y, f.step(b.values, greatest)
	}
	return x + "U" + bound + y, f.until(a.values, b.values, low, high, greatest)
}

// mean returns the expectation of values after a choice.
func (f *formulas) mean(k int32, v []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for e := f.m.RowStart[k]; e < f.m.RowStart[k+1]; e++ {
		sum.Add(sum, new(big.Rat).Mul(f.m.Values.Exact[e], v[f.m.Columns[e]]))
	}
	return sum
}

func (f *formulas) step(v []*big.Rat, greatest bool) []*big.Rat {
	return f.each(func(s int) *big.Rat {
		var best *big.Rat
		for k := f.m.StateStart[s]; k < f.m.StateStart[s+1]; k++ {
			if x := f.mean(k, v); best == nil || (x.Cmp(best) > 0) == greatest {
				best = x
			}
		}
		return best
	})
}

// until returns the best probability of a U b with b at a step from low to high; −1 for no end.
func (f *formulas) until(a, b []*big.Rat, low, high int, greatest bool) []*big.Rat {
	v := f.each(func(s int) *big.Rat { return b[s] })
	if high < 0 {
		v = f.reach(a, b, greatest)
		high = low
	}
	for t := high - 1; t >= 0; t-- {
		next := f.step(v, greatest)
		v = f.each(func(s int) *big.Rat {
			switch {
			case t >= low && holds(b[s]):
				return rat(1, 1)
			case !holds(a[s]):
				return new(big.Rat)
			}
			return next[s]
		})
	}
	return v
}

// reach returns the best probability of a U b over all stationary policies.
func (f *formulas) reach(a, b []*big.Rat, greatest bool) []*big.Rat {
	var best []*big.Rat
	for _, policy := range f.policies {
		x := f.hitting(policy, a, b)
		if best == nil {
			best = x
		}
		for s := range best {
			if (x[s].Cmp(best[s]) > 0) == greatest {
				best[s] = x[s]
			}
		}
	}
	return best
}

// hitting solves the equations of a chain by elimination, where b can be reached at all.
func (f *formulas) hitting(policy []int32, a, b []*big.Rat) []*big.Rat {
	n := len(policy)
	can := make([]bool, n)
	for range n + 1 {
		for s, k := range policy {
			for e := f.m.RowStart[k]; e < f.m.RowStart[k+1]; e++ {
				can[s] = can[s] || holds(b[s]) || holds(a[s]) && can[f.m.Columns[e]]
			}
		}
	}
	rows := make([][]*big.Rat, n)
	for s, k := range policy {
		rows[s] = make([]*big.Rat, n+1)
		for j := range rows[s] {
			rows[s][j] = new(big.Rat)
		}
		rows[s][s].SetInt64(1)
		if rows[s][n] = truth(holds(b[s])); holds(b[s]) || !can[s] {
			continue
		}
		for e := f.m.RowStart[k]; e < f.m.RowStart[k+1]; e++ {
			to := rows[s][f.m.Columns[e]]
			to.Sub(to, f.m.Values.Exact[e])
		}
	}
	return solve(rows)
}

// solve solves linear equations, the right side last, by elimination.
func solve(rows [][]*big.Rat) (x []*big.Rat) {
	for i := range rows {
		p := i
		for !holds(rows[p][i]) {
			p++
		}
		rows[i], rows[p] = rows[p], rows[i]
		for r := range rows {
			if r == i || !holds(rows[r][i]) {
				continue
			}
			factor := new(big.Rat).Quo(rows[r][i], rows[i][i])
			for c := range rows[r] {
				rows[r][c] = new(big.Rat).Sub(rows[r][c], new(big.Rat).Mul(factor, rows[i][c]))
			}
		}
	}
	for i := range rows {
		x = append(x, new(big.Rat).Quo(rows[i][len(rows)], rows[i][i]))
	}
	return x
}

// number makes a number: a probability, a reward, arithmetic of them, or a filter.
func (f *formulas) number(depth int) thing {
	if depth > 0 && f.IntN(3) == 0 {
		x, y := f.number(depth-1), f.number(depth-1)
		operators := map[string]func(z, x, y *big.Rat) *big.Rat{"+": (*big.Rat).Add, "-": (*big.Rat).Sub, "*": (*big.Rat).Mul}
		operator := []string{"+", "-", "*"}[f.IntN(3)]
		return thing{"(" + x.text + operator + y.text + ")", f.each(func(s int) *big.Rat { return operators[operator](new(big.Rat), x.values[s], y.values[s]) })}
	}
	if depth > 0 && f.IntN(2) == 0 {
		return f.filtered(depth)
	}
	word, greatest := f.sense()
	if f.IntN(4) == 0 {
		k := f.IntN(4)
		v := f.each(func(int) *big.Rat { return new(big.Rat) })
		for range k {
			v = f.step(v, greatest)
			v = f.each(func(s int) *big.Rat { return new(big.Rat).Add(v[s], f.m.Rewards[0].State.Exact[s]) })
		}
		return thing{fmt.Sprintf("R%s=? [C<=%d]", word, k), v}
	}
	path, values := f.path(depth, greatest)
	return thing{"P" + word + "=? [" + path + "]", values}
}

// filtered makes a filter.
func (f *formulas) filtered(depth int) thing {
	x, set := f.number(depth-1), f.set(depth-1)
	if !slices.ContainsFunc(set.values, holds) {
		set = thing{"true", f.each(func(int) *big.Rat { return rat(1, 1) })}
	}
	var of []*big.Rat
	for s, is := range set.values {
		if holds(is) {
			of = append(of, x.values[s])
		}
	}
	sum := new(big.Rat)
	for _, y := range of {
		sum.Add(sum, y)
	}
	least, greatest := slices.MinFunc(of, (*big.Rat).Cmp), slices.MaxFunc(of, (*big.Rat).Cmp)
	kind := []string{"min", "max", "avg", "sum", "first", "count"}[f.IntN(6)]
	result := map[string]*big.Rat{"min": least, "max": greatest, "sum": sum, "avg": new(big.Rat).Quo(sum, rat(int64(len(of)), 1)), "first": of[0]}[kind]
	if kind == "count" {
		result = rat(0, 1)
		x = f.set(depth - 1)
		for s, is := range set.values {
			if holds(is) {
				result.Add(result, x.values[s])
			}
		}
	}
	return thing{"filter(" + kind + ", " + x.text + ", " + set.text + ")", f.each(func(int) *big.Rat { return result })}
}

// randomFormulas returns a model of a few states.
func randomFormulas(r *rand.Rand) *formulas {
	n := 2 + r.IntN(3)
	kind := []modelfile.Kind{modelfile.DTMC, modelfile.MDP}[r.IntN(2)]
	m := &modelfile.Model{Kind: kind, StateStart: []int32{0}, RowStart: []int32{0}, Initial: []int32{0}, Labels: map[string][]int32{"a": {}, "b": {}}, Variables: "(x)"}
	m.Rewards = []modelfile.RewardModel{{Name: "r"}}
	put := func(list *modelfile.Numbers, x *big.Rat) {
		float, _ := x.Float64()
		list.Float, list.Exact = append(list.Float, float), append(list.Exact, x)
	}
	for s := range n {
		actions := 1
		if kind == modelfile.MDP {
			actions += r.IntN(2)
		}
		for range actions {
			to := r.Perm(n)[:1+r.IntN(n)]
			slices.Sort(to)
			total := int64(0)
			var weights []int64
			for range to {
				weights = append(weights, int64(1+r.IntN(3)))
				total += weights[len(weights)-1]
			}
			for i, j := range to {
				m.Columns = append(m.Columns, int32(j))
				put(&m.Values, rat(weights[i], total))
			}
			m.RowStart = append(m.RowStart, int32(len(m.Columns)))
		}
		m.StateStart = append(m.StateStart, int32(len(m.RowStart)-1))
		for _, label := range []string{"a", "b"} {
			if r.IntN(2) == 0 {
				m.Labels[label] = append(m.Labels[label], int32(s))
			}
		}
		m.StateNames = append(m.StateNames, fmt.Sprintf("(%d)", s))
		put(&m.Rewards[0].State, rat(int64(r.IntN(3)), 2))
	}
	f := &formulas{Rand: r, m: m, policies: [][]int32{nil}}
	for s := range n {
		var longer [][]int32
		for _, policy := range f.policies {
			for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
				longer = append(longer, append(slices.Clone(policy), k))
			}
		}
		f.policies = longer
	}
	return f
}

// Nested, filtered and timed properties of random models, in all states, against fractions.
func TestCompoundProperties(t *testing.T) {
	models := 200
	if *atLength {
		models = 3000
	}
	r := rand.New(rand.NewPCG(41, 1))
	for range models {
		f := randomFormulas(r)
		require.NoError(t, f.m.Validate())
		of := f.set(2)
		if r.IntN(2) == 0 {
			of = f.number(2)
		}
		q := question.Question{Property: of.text}
		asked, err := q.On(f.m)
		require.NoError(t, err, of.text)
		found, err := answer.Solve(context.Background(), asked, answer.Settings{})
		require.NoError(t, err, "%s: %+v", of.text, f.m)
		isTruth := asked.Criterion != question.Compound && asked.Parsed.HasThreshold()
		for s, x := range of.values {
			lower, upper := new(big.Rat).SetFloat64(found.Result.Lower[s]), new(big.Rat).SetFloat64(found.Result.Upper[s])
			if isTruth { // the bounds are those of the value
				verdict := asked.Stated.Verdict(s, found.Result.Lower[s], found.Result.Upper[s], nil)
				if found.Result.Exact != nil {
					verdict = asked.Stated.Verdict(s, 0, 0, found.Result.Exact[s])
				}
				assert.Contains(t, []string{map[bool]string{true: "yes", false: "no"}[holds(x)], "undecided"}, verdict, "%s: state %d of %+v", of.text, s, f.m)
				continue
			}
			if lower.Cmp(x) > 0 || upper.Cmp(x) < 0 || found.Result.Upper[s]-found.Result.Lower[s] > 1e-6 {
				t.Fatalf("%s: state %d: %v … %v, not %s: %+v", of.text, s, found.Result.Lower[s], found.Result.Upper[s], x.RatString(), f.m)
			}
		}
	}
}

// Conditional probabilities of random models, against all policies that first decide, by state, between
// the actions and avoiding b for ever, until a or b occurs, and afterwards do what is best.
func TestConditionalProbabilities(t *testing.T) {
	models := 100
	if *atLength {
		models = 2000
	}
	r := rand.New(rand.NewPCG(41, 3))
	for range models {
		f := randomFormulas(r)
		a, b := f.indicator("a"), f.indicator("b")
		all := f.each(func(int) *big.Rat { return rat(1, 1) })
		if !holds(f.reach(all, b, true)[0]) {
			continue // not defined
		}
		word, greatest := f.sense()
		q := question.Question{Property: "P" + word + `=? [F "a" || F "b"]`}
		asked, err := q.On(f.m)
		require.NoError(t, err)
		found, err := answer.Solve(context.Background(), asked, answer.Settings{})
		require.NoError(t, err)
		want := f.conditional(a, b, greatest)
		lower, upper := new(big.Rat).SetFloat64(found.Result.Lower[0]), new(big.Rat).SetFloat64(found.Result.Upper[0])
		if lower.Cmp(want) > 0 || upper.Cmp(want) < 0 || found.Result.Upper[0]-found.Result.Lower[0] > 1e-6 {
			t.Fatalf("%s: %v … %v, not %s: %+v", q.Property, found.Result.Lower[0], found.Result.Upper[0], want.RatString(), f.m)
		}
	}
}

func (f *formulas) indicator(label string) []*big.Rat {
	return f.each(func(s int) *big.Rat { return truth(slices.Contains(f.m.Labels[label], int32(s))) })
}

// conditional returns the best P(F a | F b) from state 0.
func (f *formulas) conditional(a, b []*big.Rat, greatest bool) (best *big.Rat) {
	all := f.each(func(int) *big.Rat { return rat(1, 1) })
	ofA, ofB, least := f.reach(all, a, greatest), f.reach(all, b, greatest), f.reach(all, b, false)
	n := f.m.NumStates()
	counts := make([]int, n)
	for s := range n {
		if counts[s] = int(f.m.StateStart[s+1] - f.m.StateStart[s]); !holds(least[s]) {
			counts[s]++ // the last is to avoid b
		}
	}
	each(counts, func(pick []int) {
		// The chance that both occur, and that b does, are those of the first of the two.
		mass := func(weight func(s int) *big.Rat) *big.Rat {
			policy, end := make([]int32, n), f.each(func(s int) *big.Rat { return truth(holds(a[s]) || holds(b[s])) })
			gives := f.each(func(int) *big.Rat { return new(big.Rat) })
			goes := f.each(func(int) *big.Rat { return rat(1, 1) })
			for s := range n {
				policy[s] = f.m.StateStart[s] + int32(pick[s])
				if policy[s] == f.m.StateStart[s+1] { // avoid
					policy[s], goes[s] = f.m.StateStart[s], new(big.Rat)
				}
			}
			sum := new(big.Rat)
			for s := range n {
				if holds(end[s]) {
					gives[s] = rat(1, 1)
					first := f.each(func(j int) *big.Rat { return truth(holds(goes[j]) && !holds(end[j])) })
					sum.Add(sum, new(big.Rat).Mul(f.hitting(policy, first, gives)[0], weight(s)))
					gives[s] = new(big.Rat)
				}
			}
			return sum
		}
		both := mass(func(s int) *big.Rat {
			if holds(a[s]) {
				return ofB[s]
			}
			return ofA[s]
		})
		second := mass(func(s int) *big.Rat {
			if holds(b[s]) {
				return rat(1, 1)
			}
			return ofB[s]
		})
		if holds(second) {
			if x := both.Quo(both, second); best == nil || (x.Cmp(best) > 0) == greatest {
				best = x
			}
		}
	})
	if best == nil { // b occurs only after a, and may be avoided then
		return rat(1, 1)
	}
	return best
}

// event is a path formula without a time, a U b or a W b.
type event struct {
	text   string
	isWeak bool
	a, b   []*big.Rat
}

func (x event) isOpen(s int) bool { return holds(x.a[s]) && !holds(x.b[s]) }

// event makes a path formula.
func (f *formulas) event() event {
	a, b := f.set(0), f.set(0)
	all, none := f.each(func(int) *big.Rat { return rat(1, 1) }), f.each(func(int) *big.Rat { return new(big.Rat) })
	switch f.IntN(5) {
	case 0:
		return event{"(F (" + b.text + "))", false, all, b.values}
	case 1:
		return event{"(G (" + a.text + "))", true, a.values, none}
	case 2:
		return event{"((" + a.text + ") W (" + b.text + "))", true, a.values, b.values}
	case 3: // !(a U b)
		left := f.each(func(s int) *big.Rat { return truth(holds(a.values[s]) && !holds(b.values[s])) })
		right := f.each(func(s int) *big.Rat { return truth(!holds(a.values[s]) && !holds(b.values[s])) })
		return event{"!((" + a.text + ") U (" + b.text + "))", true, left, right}
	}
	return event{"((" + a.text + ") U (" + b.text + "))", false, a.values, b.values}
}

// decided returns the probability of an event in a chain, in fractions.
func (f *formulas) decided(x event) []*big.Rat {
	if !x.isWeak {
		return f.reach(x.a, x.b, true)
	}
	stays := f.each(func(s int) *big.Rat { return truth(x.isOpen(s)) })
	return not(f.reach(stays, f.each(func(s int) *big.Rat { return truth(!holds(x.a[s]) && !holds(x.b[s])) }), true))
}

// both returns the probability that two events hold in a chain: that of the states which are the first to
// decide one of them, weighed by the probability of the other from there. A state decides an event if b
// holds or a does not.
func (f *formulas) both(x, y event) []*big.Rat {
	open := f.each(func(s int) *big.Rat { return truth(x.isOpen(s) && y.isOpen(s)) })
	ofX, ofY := f.decided(x), f.decided(y)
	sum, never := f.each(func(int) *big.Rat { return new(big.Rat) }), f.each(func(int) *big.Rat { return rat(1, 1) })
	for t := range open {
		if holds(open[t]) {
			continue
		}
		first := f.reach(open, f.each(func(s int) *big.Rat { return truth(s == t) }), true)
		for s := range sum {
			never[s] = new(big.Rat).Sub(never[s], first[s])
			sum[s] = new(big.Rat).Add(sum[s], new(big.Rat).Mul(first[s], new(big.Rat).Mul(ofX[t], ofY[t])))
		}
	}
	if x.isWeak && y.isWeak {
		for s := range sum {
			sum[s] = new(big.Rat).Add(sum[s], never[s])
		}
	}
	return sum
}

// rewards returns the expected reward until b in a chain on runs where an event holds, times the probability
// of such a run. It is nil where it is infinite, since such a run may miss b. then is the same for runs on
// which the event has happened already; nil if it stays open.
func (f *formulas) rewards(b []*big.Rat, x event, then []*big.Rat) []*big.Rat {
	n, h := f.m.NumStates(), f.decided(x)
	missed := f.both(x, event{isWeak: true, a: not(b), b: f.each(func(int) *big.Rat { return new(big.Rat) })})
	rows := make([][]*big.Rat, n)
	for s := range n {
		for j := range n + 1 {
			rows[s] = append(rows[s], truth(j == s))
		}
		switch {
		case holds(b[s]) || !holds(h[s]) || holds(missed[s]):
			rows[s][n] = new(big.Rat)
		case then != nil && !x.isOpen(s):
			rows[s][n].Set(then[s])
		default:
			rows[s][n] = new(big.Rat).Mul(f.m.Rewards[0].State.Exact[s], h[s])
			for e := f.m.RowStart[f.m.StateStart[s]]; e < f.m.RowStart[f.m.StateStart[s+1]]; e++ {
				to := rows[s][f.m.Columns[e]]
				to.Sub(to, f.m.Values.Exact[e])
			}
		}
	}
	values := solve(rows)
	for s := range values {
		if holds(missed[s]) {
			values[s] = nil
		}
	}
	return values
}

// Conditions of any form on probabilities and rewards of chains, in all states, against fractions.
func TestConditionsInChains(t *testing.T) {
	models := 150
	if *atLength {
		models = 3000
	}
	r := rand.New(rand.NewPCG(41, 7))
	finite := 0
	for range models {
		f := randomFormulas(r)
		if f.m.NumChoices() > f.m.NumStates() {
			continue
		}
		x, y, target := f.event(), f.event(), f.set(0)
		if !holds(f.decided(y)[0]) {
			continue
		}
		ask := func(text string) *answer.Answer {
			q := question.Question{Property: text}
			asked, err := q.On(f.m)
			require.NoError(t, err, text)
			found, err := answer.Solve(context.Background(), asked, answer.Settings{})
			require.NoError(t, err, "%s: %+v", text, f.m)
			return found
		}
		both, condition := f.both(x, y), f.decided(y)
		always := f.each(func(int) *big.Rat { return rat(1, 1) })
		then := f.rewards(target.values, event{isWeak: true, a: always, b: not(always)}, nil)
		for s := range then {
			if then[s] == nil { // then a run from here on which the event holds misses the target, too
				then[s] = new(big.Rat)
			}
		}
		sums := f.rewards(target.values, y, then)
		share, reward := ask("P=? ["+x.text+" || "+y.text+"]"), ask("R=? [F ("+target.text+") || "+y.text+"]")
		for s, h := range condition {
			if !holds(h) {
				continue
			}
			for _, z := range []struct {
				sum   *big.Rat
				found *answer.Answer
			}{{both[s], share}, {sums[s], reward}} {
				lower, upper := z.found.Result.Lower[s], z.found.Result.Upper[s]
				if z.sum == nil {
					assert.True(t, math.IsInf(lower, 1), "%s: state %d: %v: %+v", z.found.Parsed, s, lower, f.m)
					continue
				}
				want, _ := new(big.Rat).Quo(z.sum, h).Float64()
				finite++
				if lower > want*(1+1e-15) || upper < want*(1-1e-15) || upper-lower > 1e-6 {
					t.Fatalf("%s: state %d: %v … %v, not %v: %+v", z.found.Parsed, s, lower, upper, want, f.m)
				}
			}
		}
	}
	t.Log(finite, "finite values")
}

// Two probabilities in models with choices: the greatest of one under a limit on the other, against the
// mixtures of all policies that choose by state until one is decided, and then do what is best for the other.
func TestLimitsOnProbabilities(t *testing.T) {
	models := 60
	if *atLength {
		models = 1500
	}
	r := rand.New(rand.NewPCG(41, 9))
	for range models {
		f := randomFormulas(r)
		zeros := f.each(func(int) *big.Rat { return new(big.Rat) })
		f.m.Rewards = append(f.m.Rewards, modelfile.RewardModel{Name: "z", State: modelfile.Numbers{Float: make([]float64, len(zeros)), Exact: zeros}})
		x, y := f.event(), f.event()
		for x.isWeak || y.isWeak {
			x, y = f.event(), f.event()
		}
		ofX, ofY := f.reach(x.a, x.b, true), f.reach(y.a, y.b, true)
		open := f.each(func(s int) *big.Rat { return truth(x.isOpen(s) && y.isOpen(s)) })
		var points [][2]*big.Rat
		for _, policy := range f.policies {
			p := [2]*big.Rat{new(big.Rat), new(big.Rat)}
			for s, is := range open {
				if !holds(is) {
					first := f.hitting(policy, open, f.each(func(j int) *big.Rat { return truth(j == s) }))[0]
					p[0].Add(p[0], new(big.Rat).Mul(first, ofX[s]))
					p[1].Add(p[1], new(big.Rat).Mul(first, ofY[s]))
				}
			}
			points = append(points, p)
		}
		limit := new(big.Rat).Mul(ofY[0], rat(int64(r.IntN(5)), 4))
		best := new(big.Rat)
		for _, p := range points {
			if p[1].Cmp(limit) < 0 {
				continue
			}
			for _, q := range points {
				mixed := new(big.Rat).Set(p[0])
				if q[1].Cmp(limit) < 0 { // p + w·(q − p) is at the limit
					w := new(big.Rat).Quo(new(big.Rat).Sub(p[1], limit), new(big.Rat).Sub(p[1], q[1]))
					mixed.Add(mixed, w.Mul(w, new(big.Rat).Sub(q[0], p[0])))
				}
				if mixed.Cmp(best) > 0 {
					best = mixed
				}
			}
		}
		want, _ := best.Float64()
		for _, more := range []string{"", `, R{"z"}>=0 [C]`} {
			q := question.Question{Property: fmt.Sprintf("multi(Pmax=? [%s], P>=%s [%s]%s)", x.text, limit.RatString(), y.text, more)}
			asked, err := q.On(f.m)
			require.NoError(t, err, q.Property)
			found, err := answer.Solve(context.Background(), asked, answer.Settings{})
			require.NoError(t, err, "%s: %+v", q.Property, f.m)
			bounds := found.Result.ValueBounds
			if bounds[0] > want*(1+1e-15) || bounds[1] < want*(1-1e-15) || bounds[1]-bounds[0] > 1e-6 {
				t.Fatalf("%s: %v, not %v: %+v", q.Property, bounds, want, f.m)
			}
			report, err := certificate.Check(context.Background(), f.m, found.Result, certificate.Options{})
			require.NoError(t, err)
			assert.Equal(t, certificate.Holds, report.Verdict(), "%s: %+v: %v", q.Property, f.m, report)
			for verdict, by := range map[string]*big.Rat{"yes": rat(-1, 1000), "no": rat(1, 1000)} {
				lower := new(big.Rat).Add(best, by)
				if lower.Sign() < 0 || lower.Cmp(rat(1, 1)) > 0 {
					continue
				}
				q := question.Question{Property: fmt.Sprintf("multi(P>=%s [%s], P>=%s [%s]%s)", lower.RatString(), x.text, limit.RatString(), y.text, more)}
				asked, err := q.On(f.m)
				require.NoError(t, err, q.Property)
				found, err := answer.Solve(context.Background(), asked, answer.Settings{})
				require.NoError(t, err, "%s: %+v", q.Property, f.m)
				assert.Contains(t, []string{verdict, "undecided"}, found.Result.Answer, "%s: %+v", q.Property, f.m)
			}
		}
	}
}
