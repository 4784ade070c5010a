package certificate

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// Checks of results about models with intervals, against all vertices of all intervals and
// all policies, in fractions.

// randomIntervals returns a small model with intervals around the values of an ordinary one.
// With positive set, lower ends are above 0.
func randomIntervals(t testing.TB, random *rand.Rand, positive bool) *modelfile.Model {
	t.Helper()
	for {
		style := style{
			kind: modelfile.Kind(1 + random.IntN(3)), structure: structure(random.IntN(int(structures))), scale: []scale{plain, signed, sparse, halves}[random.IntN(4)],
		}
		m := randomModel(t, random, style)
		policies, wide := 1, false
		for s := range m.NumStates() {
			policies *= int(m.StateStart[s+1] - m.StateStart[s])
		}
		for k := range m.NumChoices() {
			wide = wide || m.RowStart[k+1]-m.RowStart[k] > 3
		}
		if policies > 6 || wide {
			continue
		}
		for e, p := range m.Values.Float {
			low, high := p, p
			switch random.IntN(5) {
			case 0, 1:
				low, high = p*(1-random.Float64()), p*(1+random.Float64())
			case 2:
				low, high = p/2, p+0.25
			case 3:
				if high = p + 0.5; !positive {
					low = 0
				}
			}
			if low < high || m.Kind != modelfile.CTMC { // few digits, for the sake of exact solutions
				low, high = math.Floor(64*low)/64, math.Ceil(64*high)/64
				if positive && low == 0 {
					low = 1.0 / 256
				}
			}
			m.Values.Float[e] = low
			m.High.Float = append(m.High.Float, high)
		}
		if m.Kind != modelfile.CTMC && random.IntN(3) == 0 {
			addDistances(random, m, positive)
		}
		if m.NumTransitions() == 0 || m.Validate() != nil {
			continue
		}
		return m
	}
}

// addDistances gives some choices distances in place of intervals.
func addDistances(random *rand.Rand, m *modelfile.Model, positive bool) {
	m.Distance.Float = make([]float64, m.NumChoices())
	for k := range m.Distance.Float {
		lo, hi := m.RowStart[k], m.RowStart[k+1]
		if random.IntN(3) == 0 {
			continue
		}
		sum := 64
		for e := lo; e < hi; e++ {
			m.Values.Float[e] = float64(sum) / 64
			if e < hi-1 {
				m.Values.Float[e] = float64(max(random.IntN(26)-5, 0)) / 64 // 0 is a state that nature may lead to
			}
			sum -= int(64 * m.Values.Float[e])
			m.High.Float[e] = m.Values.Float[e]
		}
		m.Distance.Float[k] = float64(random.IntN(40)) / 32
		if positive {
			m.Distance.Float[k] = slices.Min(m.Values.Float[lo:hi])
		}
	}
}

// neighbours lists the probabilities within a distance of others which one entry gains as much of as
// it can, while the others lose theirs one after the other, in any order.
func neighbours(nominal []*big.Rat, distance float64) (rows [][]*big.Rat) {
	half := new(big.Rat).SetFloat64(distance / 2)
	for gains, p := range nominal {
		gain := new(big.Rat).Sub(one, p)
		if gain.Cmp(half) > 0 {
			gain = half
		}
		var lose func(row []*big.Rat, from []int, rest *big.Rat)
		lose = func(row []*big.Rat, from []int, rest *big.Rat) {
			if rest.Sign() == 0 {
				rows = append(rows, row)
				return
			}
			for i, e := range from {
				lost, next := rest, slices.Clone(row)
				if row[e].Cmp(rest) < 0 {
					lost = row[e]
				}
				next[e] = new(big.Rat).Sub(row[e], lost)
				lose(next, slices.Delete(slices.Clone(from), i, i+1), new(big.Rat).Sub(rest, lost))
			}
		}
		row, others := slices.Clone(nominal), []int{}
		row[gains] = new(big.Rat).Add(p, gain)
		for e := range nominal {
			if e != gains {
				others = append(others, e)
			}
		}
		lose(row, others, gain)
	}
	return rows
}

// vertices lists the rows of choice k at the vertices of its intervals.
func vertices(m *modelfile.Model, k int) (rows [][]*big.Rat) {
	lo, hi := m.RowStart[k], m.RowStart[k+1]
	at := func(list []float64) (exact []*big.Rat) {
		for _, x := range list[lo:hi] {
			exact = append(exact, new(big.Rat).SetFloat64(x))
		}
		return exact
	}
	low, high := at(m.Values.Float), at(m.High.Float)
	if m.Distance.Len() > 0 && m.Distance.Float[k] > 0 {
		return neighbours(low, m.Distance.Float[k])
	}
	add := func(row []*big.Rat) {
		if !slices.ContainsFunc(rows, func(other []*big.Rat) bool {
			return slices.EqualFunc(row, other, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
		}) {
			rows = append(rows, row)
		}
	}
	for mask := range 1 << len(low) {
		row := slices.Clone(low)
		for i := range row {
			if mask>>i&1 == 1 {
				row[i] = high[i]
			}
		}
		if m.Kind == modelfile.CTMC {
			add(row)
			continue
		}
		for i := range row { // entry i takes the rest
			rest := big.NewRat(1, 1)
			for j, x := range row {
				if j != i {
					rest.Sub(rest, x)
				}
			}
			if rest.Cmp(low[i]) >= 0 && rest.Cmp(high[i]) <= 0 {
				vertex := slices.Clone(row)
				vertex[i] = rest
				add(vertex)
			}
		}
	}
	if rows == nil { // sums are 1 up to rounding
		row, total := slices.Clone(low), sum(low)
		for i := range row {
			row[i] = new(big.Rat).Quo(row[i], total)
		}
		rows = append(rows, row)
	}
	return rows
}

// vertexGame is all that can happen in a model with intervals: by state and action the vertices,
// with their costs.
type vertexGame struct {
	model *modelfile.Model
	rows  [][]*big.Rat
	costs []*big.Rat
	start []int // by choice: its first vertex
	rate  *big.Rat
}

func newVertexGame(m *modelfile.Model) *vertexGame {
	g := &vertexGame{model: m}
	if m.Kind == modelfile.CTMC {
		g.rate = big.NewRat(1024, 1)
	}
	r := m.Rewards[0]
	for s := range m.NumStates() {
		for k := int(m.StateStart[s]); k < int(m.StateStart[s+1]); k++ {
			g.start = append(g.start, len(g.rows))
			for _, row := range vertices(m, k) {
				of := func(n modelfile.Numbers, i int) *big.Rat {
					if n.Len() == 0 {
						return new(big.Rat)
					}
					return new(big.Rat).SetFloat64(n.Float[i])
				}
				cost, jumps := of(r.State, s), new(big.Rat)
				for i, p := range row {
					jumps.Add(jumps, p)
					cost.Add(cost, new(big.Rat).Mul(p, of(r.Transition, int(m.RowStart[k])+i)))
				}
				if g.rate == nil {
					jumps.SetInt64(1)
				}
				g.rows, g.costs = append(g.rows, row), append(g.costs, cost.Add(cost, jumps.Mul(jumps, of(r.Action, k))))
			}
		}
	}
	g.start = append(g.start, len(g.rows))
	return g
}

// exact returns the model whose actions are the vertices of the choices of a policy, or of
// all choices.
func (g *vertexGame) exact(t testing.TB, policy []int32) *exact.Model {
	t.Helper()
	return g.among(t, policy, func(int, int) bool { return true })
}

// among is exact with some of the vertices of each choice.
func (g *vertexGame) among(t testing.TB, policy []int32, take func(k, v int) bool) *exact.Model {
	t.Helper()
	m, a := g.model, exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}, Rate: g.rate}
	for s := range int32(m.NumStates()) {
		for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
			if len(policy) > 0 && policy[s] != k-m.StateStart[s] {
				continue
			}
			for v := g.start[k]; v < g.start[k+1]; v++ {
				if !take(int(k), v) {
					continue
				}
				values := make(map[int32]*big.Rat)
				rest := big.NewRat(1, 1)
				for i, p := range g.rows[v] {
					if j := m.Columns[int(m.RowStart[k])+i]; p.Sign() > 0 && (g.rate == nil || j != s) {
						values[j] = p
						if g.rate != nil {
							values[j] = new(big.Rat).Quo(p, g.rate)
						}
						rest.Sub(rest, values[j])
					}
				}
				if g.rate != nil {
					values[s] = rest
				}
				for j, p := range values {
					a.Columns, a.Probabilities = append(a.Columns, j), append(a.Probabilities, p)
				}
				a.RowStart, a.Costs = append(a.RowStart, int32(len(a.Columns))), append(a.Costs, g.costs[v])
			}
		}
		a.StateStart = append(a.StateStart, int32(len(a.Costs)))
	}
	model, err := exact.NewModel(a)
	require.NoError(t, err)
	return model
}

// policies calls do for each policy.
func (g *vertexGame) policies(do func(policy []int32)) {
	m, policy := g.model, make([]int32, g.model.NumStates())
	for {
		do(policy)
		s := 0
		for ; s < len(policy); s++ {
			if policy[s]++; policy[s] < m.StateStart[s+1]-m.StateStart[s] {
				break
			}
			policy[s] = 0
		}
		if s == len(policy) {
			return
		}
	}
}

// asked is a question about a model with intervals.
type asked struct {
	criterion mdp.Criterion
	name      string
	sense     mdp.Sense
	nature    mdp.Nature
	discount  float64
	steps     int
}

func (q asked) of(t testing.TB, m *exact.Model, sense mdp.Sense) []exact.Value {
	t.Helper()
	var answer *exact.Answer
	var err error
	switch q.name {
	case average:
		answer, err = m.Average(context.Background(), sense)
	case discounted:
		answer, err = m.Discounted(context.Background(), sense, new(big.Rat).SetFloat64(q.discount))
	case total:
		answer, err = m.Total(context.Background(), sense, q.criterion.(mdp.TotalCost).Target)
	}
	require.NoError(t, err)
	return answer.Values
}

// value returns what a policy achieves, or with nil the optimum.
func (q asked) value(t testing.TB, g *vertexGame, policy []int32) []exact.Value {
	t.Helper()
	opposite := mdp.Maximize - q.sense
	switch {
	case q.name == finite:
		return q.backward(g, policy)
	case q.nature == mdp.Optimistic:
		return q.of(t, g.exact(t, policy), q.sense)
	case policy != nil:
		return q.of(t, g.exact(t, policy), opposite)
	}
	var best []exact.Value
	g.policies(func(policy []int32) {
		values := q.of(t, g.exact(t, policy), opposite)
		if best == nil {
			best = slices.Clone(values)
		}
		for s, v := range values {
			if compareValues(v, best[s])*(1-2*int(q.sense)) < 0 {
				best[s] = v
			}
		}
	})
	if q.name == total && q.sense == mdp.Minimize { // policies that change with time may do better: see what is so against any nature
		random := rand.New(rand.NewPCG(1, 2))
		least := slices.Clone(best)
		for trial := range 100 {
			chosen := make([]int, len(g.start)-1)
			for k := range chosen {
				chosen[k] = g.start[k] + random.IntN(g.start[k+1]-g.start[k])
			}
			for s, v := range q.of(t, g.among(t, nil, func(k, v int) bool { return chosen[k] == v }), q.sense) {
				if trial == 0 || compareValues(v, least[s]) > 0 {
					least[s] = v
				}
			}
		}
		for s, v := range least {
			if v.Infinity() < 0 {
				best[s] = v
			}
		}
	}
	return best
}

// backward returns the value of a finite horizon, with the actions given in the first step.
func (q asked) backward(g *vertexGame, policy []int32) []exact.Value {
	m := g.model
	n := m.NumStates()
	values := make([]*big.Rat, n)
	for s := range values {
		values[s] = new(big.Rat)
	}
	better := func(x, y *big.Rat, sign int) bool { return y == nil || x.Cmp(y)*sign < 0 }
	sign := 1 - 2*int(q.sense)
	own := sign
	if q.nature == mdp.Robust {
		own = -sign
	}
	for left := q.steps - 1; left >= 0; left-- {
		next := make([]*big.Rat, n)
		for s := range int32(n) {
			for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
				if policy != nil && left == 0 && k-m.StateStart[s] != policy[s] {
					continue
				}
				var chosen *big.Rat
				for v := g.start[k]; v < g.start[k+1]; v++ {
					x := new(big.Rat).Set(g.costs[v])
					for i, p := range g.rows[v] {
						x.Add(x, new(big.Rat).Mul(p, values[m.Columns[int(m.RowStart[k])+i]]))
					}
					if better(x, chosen, own) {
						chosen = x
					}
				}
				if better(chosen, next[s], sign) {
					next[s] = chosen
				}
			}
		}
		values = next
	}
	answer := make([]exact.Value, n)
	for s, x := range values {
		answer[s] = exactValue(x)
	}
	return answer
}

// exactValue returns a number as an exact.Value: the average of one state.
func exactValue(x *big.Rat) exact.Value {
	m, _ := exact.NewModel(exact.Arrays{
		StateStart: []int32{0, 1}, RowStart: []int32{0, 1}, Columns: []int32{0}, Probabilities: []*big.Rat{big.NewRat(1, 1)}, Costs: []*big.Rat{x},
	})
	answer, _ := m.Average(context.Background(), mdp.Minimize)
	return answer.Values[0]
}

// compareValues compares values, which may be infinite.
func compareValues(x, y exact.Value) int {
	if x.Infinity() != 0 || y.Infinity() != 0 {
		return x.Infinity() - y.Infinity()
	}
	return x.Rat().Cmp(y.Rat())
}

// randomAsked returns a question about a model.
func randomAsked(random *rand.Rand, name string, m *modelfile.Model) asked {
	q := asked{name: name, sense: mdp.Sense(random.IntN(2)), nature: mdp.Nature(random.IntN(2))}
	switch name {
	case average:
		q.criterion = mdp.LongRunAverage{Sense: q.sense}
	case discounted:
		q.discount = []float64{0.5, 0.875, 0.9921875}[random.IntN(3)]
		q.criterion = mdp.Discounted{Discount: q.discount, Sense: q.sense}
	case total:
		q.criterion = mdp.TotalCost{Target: m.Labels["goal"], Sense: q.sense}
	case finite:
		q.steps = random.IntN(7)
		q.criterion = mdp.FiniteHorizon{Steps: q.steps, Sense: q.sense}
	}
	return q
}

// solved returns the result of a question; nil where the engine has none.
func (q asked) solved(t testing.TB, m *modelfile.Model) *Result {
	t.Helper()
	u, err := m.Uncertain("")
	require.NoError(t, err)
	found, err := mdp.Solve(context.Background(), u.With(q.nature), q.criterion, mdp.Settings{})
	if found == nil {
		require.ErrorIs(t, err, mdp.ErrOverflow)
		return nil
	}
	tolerance := mdp.DefaultTolerance
	r := &Result{
		Question: question.Question{Criterion: q.name, Sense: q.sense.String(), Uncertainty: q.nature.String()}, Policy: found.Policy, Status: found.Status.String(),
		Tolerance: &tolerance, Initial: int(m.Initial[0]), Certificate: CertificateOf(found, u.Rate()),
	}
	switch q.name {
	case discounted:
		r.Discount = &q.discount
	case total:
		r.Target = "goal"
	case finite:
		r.Horizon = &q.steps
	}
	for s := range m.NumStates() {
		lower, upper := found.Bounds(s)
		r.Values, r.Lower, r.Upper = append(r.Values, found.Optimum(s)), append(r.Lower, lower), append(r.Upper, upper)
	}
	r.Value = r.Values[r.Initial]
	return r
}

// assertEnclosed expects exact values between what is proved.
func assertEnclosed(t *testing.T, what string, values []exact.Value, proved []Interval) {
	t.Helper()
	for s, v := range values {
		below, above := floatBound(proved[s].Lower), floatBound(proved[s].Upper)
		x := floatBound(math.Inf(v.Infinity()))
		if v.Infinity() == 0 {
			x = exactBound(v.Rat())
		}
		assert.True(t, below.compare(x) <= 0 && x.compare(above) <= 0, "%s: state %d: %v is not in %v", what, s, v, proved[s])
	}
}

func TestIntervalsAgainstVertices(t *testing.T) {
	for _, name := range []string{average, discounted, total, finite} {
		t.Run(name, func(t *testing.T) {
			proved, converged, solved := 0, 0, 0
			trials(t, 100, func(t *testing.T, random *rand.Rand) {
				m := randomIntervals(t, random, name == total && random.IntN(4) == 0)
				if m.Kind == modelfile.CTMC && (name == discounted || name == finite) {
					return
				}
				q := randomAsked(random, name, m)
				r := q.solved(t, m)
				if r == nil {
					return
				}
				solved++
				g := newVertexGame(m)
				optimum, own := q.value(t, g, nil), q.value(t, g, r.Policy)
				report, err := Check(context.Background(), m, r, Options{})
				require.NoError(t, err)
				if r.Status == "converged" {
					converged++
					if report.Verdict() == Holds {
						proved++
					} else {
						t.Logf("%s %v %v: %v, %v %+v\n%+v\n%+v %+v", name, q.sense, q.nature, report.Verdict(), report.Reason, report, m, r, r.Certificate)
					}
				}
				assertEnclosed(t, "optimum", optimum, report.Optimum)
				assertEnclosed(t, "policy", own, report.Achieved)
				assert.NotEqual(t, Refuted, report.Bounds.Verdict, report.Bounds.Faults)
				spoilIntervals(t, random, q, m, r, optimum, g)
			})
			t.Logf("%d of %d converged, of which %d are proved", converged, solved, proved)
			least := 0.99 // the scale of a value of 0 may leave out what transitions pay
			if name == average {
				least = 0.97 // values need not tell what nature chooses where it can stop a chain, or between classes of equal gain
			}
			assert.GreaterOrEqual(t, float64(proved), least*float64(converged))
			assert.GreaterOrEqual(t, float64(converged), 0.98*float64(solved))
		})
	}
}

// spoilIntervals changes a result at random, and expects that what is false does not hold.
func spoilIntervals(t *testing.T, random *rand.Rand, q asked, m *modelfile.Model, r *Result, optimum []exact.Value, g *vertexGame) {
	t.Helper()
	for range 8 {
		bad := *r
		bad.Lower, bad.Upper, bad.Values, bad.Policy = slices.Clone(r.Lower), slices.Clone(r.Upper), slices.Clone(r.Values), slices.Clone(r.Policy)
		s := random.IntN(m.NumStates())
		bad.Status = ""
		switch random.IntN(5) {
		case 0:
			bad.Lower[s] += math.Ldexp(1, -random.IntN(40))
			bad.Upper[s] = max(bad.Lower[s], bad.Upper[s])
		case 1:
			bad.Upper[s] -= math.Ldexp(1, -random.IntN(40))
			bad.Lower[s] = min(bad.Lower[s], bad.Upper[s])
		case 2:
			bad.Policy[s] = int32(random.IntN(int(m.StateStart[s+1] - m.StateStart[s])))
		case 3:
			bad.Uncertainty = map[string]string{worstCase: bestCase, bestCase: worstCase}[r.Uncertainty]
			if c := r.Certificate; c != nil && random.IntN(2) == 0 {
				bad.Certificate = &Certificate{Lower: c.Upper, Upper: c.Lower, Scale: c.Scale, Cycle: c.Cycle}
			}
		case 4:
			if r.Certificate == nil {
				continue
			}
			c := *r.Certificate
			for _, v := range []*Vector{&c.Lower.Value, &c.Upper.Value, &c.Lower.Gain, &c.Upper.Gain} {
				if v.High = slices.Clone(v.High); len(v.High) > 0 && random.IntN(2) == 0 {
					v.High[random.IntN(len(v.High))] += (random.Float64() - 0.5) * math.Ldexp(1, -random.IntN(30))
				}
			}
			if random.IntN(3) == 0 {
				c.Lower, c.Upper = c.Upper, c.Lower
			}
			bad.Certificate = &c
		}
		for i := range bad.Values {
			bad.Values[i] = max(bad.Lower[i], min(bad.Values[i], bad.Upper[i]))
		}
		bad.Value = bad.Values[bad.Initial]
		report, err := Check(context.Background(), m, &bad, Options{})
		require.NoError(t, err)
		truth, own := optimum, q.value(t, g, bad.Policy)
		if bad.Uncertainty != r.Uncertainty {
			other := q
			other.nature = 1 - q.nature
			truth, own = other.value(t, g, nil), other.value(t, g, bad.Policy)
		}
		assertEnclosed(t, "optimum of a spoilt result", truth, report.Optimum)
		assertEnclosed(t, "policy of a spoilt result", own, report.Achieved)
		if report.Bounds.Verdict == Holds {
			claimed := make([]Interval, len(truth))
			for i := range claimed {
				claimed[i] = Interval{bad.Lower[i], bad.Upper[i]}
			}
			assertEnclosed(t, "bounds that hold", truth, claimed)
		}
		if report.Policy.Verdict == Holds {
			claimed := make([]Interval, len(own))
			for i := range claimed {
				claimed[i] = Interval{math.Inf(-1), bad.Upper[i]}
				if q.sense == mdp.Maximize {
					claimed[i] = Interval{bad.Lower[i], math.Inf(1)}
				} else if truth[i].Infinity() < 0 { // not judged
					claimed[i].Upper = math.Inf(1)
				}
			}
			assertEnclosed(t, "policy that holds", own, claimed)
		}
	}
}

// Rewards for where a horizon ends count: from state 0 nature ends in state 1 with
// probability 3/4 at most.
func TestIntervalsWithTerminalRewards(t *testing.T) {
	m := &modelfile.Model{
		Kind: modelfile.DTMC, StateStart: []int32{0, 1, 2}, RowStart: []int32{0, 2, 3}, Columns: []int32{0, 1, 1}, Initial: []int32{0},
		Values: modelfile.Numbers{Float: []float64{0.25, 0.5, 1}}, High: modelfile.Numbers{Float: []float64{0.5, 0.75, 1}},
		Rewards: []modelfile.RewardModel{{Name: "nothing"}, {Name: "end", State: modelfile.Numbers{Float: []float64{8, 16}}}},
	}
	for steps, want := range []float64{8, 14, 15.5} {
		r := &Result{Question: question.Question{Criterion: finite, Sense: "minimize", Reward: "nothing", Terminal: "end", Uncertainty: worstCase, Horizon: &steps}, Lower: Floats{want, 16}, Upper: Floats{want, 16}}
		report, err := Check(context.Background(), m, r, Options{})
		require.NoError(t, err)
		assert.Equal(t, Holds, report.Verdict(), "%d steps: %v", steps, report.Optimum)
	}
}
