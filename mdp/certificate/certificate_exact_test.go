package certificate_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// generator is a model as the theorems on certificates have it: choice k of state s
// costs cost and leads to other states at weights; the probability of staying does
// not occur. Rewards to be maximised are negative costs.
type generator struct {
	rows   [][]generatorRow // by state
	target map[int32]bool
}

type generatorRow struct {
	columns []int32
	weights []*big.Rat
	cost    *big.Rat
}

// generatorOf takes the numbers of an exact model with one reward model.
func generatorOf(m *modelfile.Model, sense mdp.Sense) *generator {
	r := &m.Rewards[0]
	at := func(n modelfile.Numbers, i int) *big.Rat {
		if n.Len() == 0 {
			return new(big.Rat)
		}
		return n.Exact[i]
	}
	g := &generator{target: map[int32]bool{}}
	for s := range m.NumStates() {
		var rows []generatorRow
		for k := int(m.StateStart[s]); k < int(m.StateStart[s+1]); k++ {
			values := m.Values.Exact[m.RowStart[k]:m.RowStart[k+1]]
			divisor := new(big.Rat)
			for _, v := range values {
				divisor.Add(divisor, v)
			}
			row := generatorRow{cost: new(big.Rat).Set(at(r.State, s))}
			if m.Kind.IsContinuous() {
				divisor = big.NewRat(1, 1)
			} else {
				row.cost.Add(row.cost, at(r.Action, k))
			}
			for i, v := range values {
				e := int(m.RowStart[k]) + i
				w := new(big.Rat).Quo(v, divisor)
				earned := new(big.Rat).Set(at(r.Transition, e))
				if m.Kind.IsContinuous() {
					earned.Add(earned, at(r.Action, k))
				}
				row.cost.Add(row.cost, earned.Mul(earned, w))
				if int(m.Columns[e]) != s {
					row.columns, row.weights = append(row.columns, m.Columns[e]), append(row.weights, w)
				}
			}
			if sense == mdp.Maximize {
				row.cost.Neg(row.cost)
			}
			rows = append(rows, row)
		}
		g.rows = append(g.rows, rows)
	}
	return g
}

// drift returns Σ w_j·(x_j − x_s).
func (r *generatorRow) drift(x []*big.Rat, s int) *big.Rat {
	sum := new(big.Rat)
	for i, j := range r.columns {
		difference := new(big.Rat).Sub(x[j], x[s])
		sum.Add(sum, difference.Mul(difference, r.weights[i]))
	}
	return sum
}

// excess returns cost + Σ w_j·(x_j − x_s).
func (r *generatorRow) excess(x []*big.Rat, s int) *big.Rat {
	return new(big.Rat).Add(r.cost, r.drift(x, s))
}

// among reports whether all states that a choice leads to have a property.
func (r *generatorRow) among(in func(j int32) bool) bool {
	return !slices.ContainsFunc(r.columns, func(j int32) bool { return !in(j) })
}

// reaches returns, by state, the states that can be reached by allowed choices.
func (g *generator) reaches(allowed func(s, a int) bool) [][]bool {
	n := len(g.rows)
	reach := make([][]bool, n)
	for s := range n {
		reach[s] = make([]bool, n)
		reach[s][s] = true
		for a, row := range g.rows[s] {
			for _, j := range row.columns {
				reach[s][j] = reach[s][j] || allowed(s, a)
			}
		}
	}
	for via := range n {
		for s := range n {
			for j := range n {
				reach[s][j] = reach[s][j] || reach[s][via] && reach[via][j]
			}
		}
	}
	return reach
}

// endComponents returns which choices stay in their maximal end component, among the
// allowed ones.
func (g *generator) endComponents(allowed func(s, a int) bool) [][]bool {
	stays := make([][]bool, len(g.rows))
	for s, rows := range g.rows {
		for a := range rows {
			stays[s] = append(stays[s], allowed(s, a))
		}
	}
	for again := true; again; {
		again = false
		reach := g.reaches(func(s, a int) bool { return stays[s][a] })
		for s, rows := range g.rows {
			for a, row := range rows {
				if stays[s][a] && !row.among(func(j int32) bool { return reach[j][s] && slices.Contains(stays[j], true) }) {
					stays[s][a], again = false, true
				}
			}
		}
	}
	return stays
}

// closed returns the states in closed classes of the chain of a policy.
func (g *generator) closed(policy []int32) []bool {
	reach := g.reaches(func(s, a int) bool { return int32(a) == policy[s] })
	closed := make([]bool, len(g.rows))
	for s := range closed {
		closed[s] = true
		for j := range closed {
			closed[s] = closed[s] && (!reach[s][j] || reach[j][s])
		}
	}
	return closed
}

// average says which inequality of a certificate does not hold.
func (g *generator) average(lower, upper certificate.Witness, policy []int32, sign int64) error {
	stays := g.endComponents(func(int, int) bool { return true })
	gain, value := g.numbers(lower.Gain, sign), g.numbers(lower.Value, sign)
	for s, rows := range g.rows {
		for a, row := range rows {
			if row.drift(gain, s).Sign() < 0 || stays[s][a] && row.excess(value, s).Cmp(gain[s]) < 0 {
				return fmt.Errorf("lower bound, state %d, action %d", s, a)
			}
		}
	}
	gain, value = g.numbers(upper.Gain, sign), g.numbers(upper.Value, sign)
	closed := g.closed(policy)
	for s, rows := range g.rows {
		row := rows[policy[s]]
		if row.drift(gain, s).Sign() > 0 || closed[s] && row.excess(value, s).Cmp(gain[s]) > 0 {
			return fmt.Errorf("upper bound, state %d", s)
		}
	}
	return nil
}

// numbers returns a vector times a sign; infinite numbers are nil.
func (g *generator) numbers(v certificate.Vector, sign int64) []*big.Rat {
	x := make([]*big.Rat, len(g.rows))
	for s := range x {
		if at := min(s, len(v.High)-1); at < 0 {
			x[s] = new(big.Rat)
		} else if v.Exact[at] != nil {
			x[s] = new(big.Rat).Mul(v.Exact[at], big.NewRat(sign, 1))
		}
	}
	return x
}

// proper returns the states from which some policy reaches the target surely.
func (g *generator) proper() []bool {
	in := slices.Repeat([]bool{true}, len(g.rows))
	for {
		reach := g.reaches(func(s, a int) bool {
			return !g.target[int32(s)] && g.rows[s][a].among(func(j int32) bool { return in[j] })
		})
		again := false
		for s := range in {
			if in[s] && !g.meets(reach[s]) {
				in[s], again = false, true
			}
		}
		if !again {
			return in
		}
	}
}

// meets reports whether a set has a state of the target.
func (g *generator) meets(set []bool) bool {
	for s, in := range set {
		if in && g.target[int32(s)] {
			return true
		}
	}
	return false
}

// least says which inequality for the least total does not hold.
func (g *generator) least(c *certificate.Certificate) error {
	proper, x := g.proper(), g.numbers(c.Lower.Value, 1)
	endless := g.endless(c.Cycle, proper)
	surely := g.surely(c.Policy)
	for s, rows := range g.rows {
		high := c.Lower.Value.High[s]
		switch {
		case g.target[int32(s)]:
			if x[s] == nil || x[s].Sign() != 0 {
				return fmt.Errorf("target state %d", s)
			}
			continue
		case x[s] == nil && (high > 0 && proper[s] || high < 0 && !endless[s]):
			return fmt.Errorf("state %d is not infinite", s)
		case x[s] == nil:
			continue
		case !proper[s] || !surely[s]:
			return fmt.Errorf("state %d is infinite", s)
		}
		for a, row := range rows {
			if !row.among(func(j int32) bool { return proper[j] }) {
				continue
			}
			if !row.among(func(j int32) bool { return x[j] != nil }) || row.excess(x, s).Sign() < 0 {
				return fmt.Errorf("lower bound, state %d, action %d", s, a)
			}
		}
		row := rows[c.Policy[s]]
		if !row.among(func(j int32) bool { return x[j] != nil }) || row.excess(x, s).Sign() > 0 {
			return fmt.Errorf("upper bound, state %d", s)
		}
	}
	return nil
}

// surely returns the states from which a policy reaches the target surely.
func (g *generator) surely(policy []int32) []bool {
	reach := g.reaches(func(s, a int) bool { return !g.target[int32(s)] && int32(a) == policy[s] })
	surely := make([]bool, len(g.rows))
	for s := range surely {
		surely[s] = true
		for j, reached := range reach[s] {
			surely[s] = surely[s] && (!reached || g.meets(reach[j]))
		}
	}
	return surely
}

// endless returns the states from which a cycle makes totals fall without bound.
func (g *generator) endless(cycle *certificate.Cycle, proper []bool) []bool {
	endless := make([]bool, len(g.rows))
	if cycle == nil {
		return endless
	}
	x := g.numbers(cycle.Value, 1)
	negative := g.closed(cycle.Policy)
	reach := g.reaches(func(s, a int) bool { return int32(a) == cycle.Policy[s] })
	for s, is := range negative {
		negative[s] = is && g.rows[s][cycle.Policy[s]].excess(x, s).Sign() < 0 && proper[s] && !g.meets(reach[s])
	}
	for s := range negative { // all of the class
		for j := range negative {
			negative[s] = negative[s] && (!reach[s][j] || g.rows[j][cycle.Policy[j]].excess(x, j).Sign() <= 0)
		}
	}
	reach = g.reaches(func(s, a int) bool {
		return !g.target[int32(s)] && g.rows[s][a].among(func(j int32) bool { return proper[j] })
	})
	for s := range endless {
		for j := range negative {
			endless[s] = endless[s] || proper[s] && reach[s][j] && negative[j]
		}
	}
	return endless
}

// greatest says which inequality for the greatest total, as costs, does not hold.
func (g *generator) greatest(c *certificate.Certificate) error {
	outside := func(s, _ int) bool { return !g.target[int32(s)] }
	stays, reach, x := g.endComponents(outside), g.reaches(outside), g.numbers(c.Lower.Value, -1)
	for s, rows := range g.rows {
		avoids := false
		for j := range reach[s] {
			avoids = avoids || reach[s][j] && slices.Contains(stays[j], true)
		}
		switch {
		case g.target[int32(s)]:
			if x[s] == nil || x[s].Sign() != 0 {
				return fmt.Errorf("target state %d", s)
			}
		case avoids != (x[s] == nil) || avoids && c.Lower.Value.High[s] < 0:
			return fmt.Errorf("state %d: %v", s, c.Lower.Value.High[s])
		case avoids:
		default:
			for a, row := range rows {
				sign := row.excess(x, s).Sign()
				if sign < 0 || sign > 0 && int32(a) == c.Policy[s] {
					return fmt.Errorf("state %d, action %d", s, a)
				}
			}
		}
	}
	return nil
}

// discounted says which inequality for a discounted sum does not hold.
func (g *generator) discounted(c *certificate.Certificate, discount *big.Rat, sign int64) error {
	x := g.numbers(c.Lower.Value, sign)
	for s, rows := range g.rows {
		lost := new(big.Rat).Sub(big.NewRat(1, 1), discount)
		lost.Mul(lost, x[s])
		for a, row := range rows {
			moved := new(big.Rat).Mul(discount, row.drift(x, s))
			order := moved.Add(moved, row.cost).Cmp(lost)
			if order < 0 || order > 0 && int32(a) == c.Policy[s] {
				return fmt.Errorf("state %d, action %d", s, a)
			}
		}
	}
	return nil
}

// smallModel returns an exact model of a few states, most often multichain, with
// rewards of all sorts and of both signs, some of them 0, and decimals that do not
// quite sum to 1.
func smallModel(random *rand.Rand) *modelfile.Model {
	kind := []modelfile.Kind{modelfile.DTMC, modelfile.CTMC, modelfile.MDP, modelfile.MDP, modelfile.MDP, modelfile.CTMDP}[random.IntN(6)]
	n := 2 + random.IntN(5)
	m := &modelfile.Model{Kind: kind, StateStart: []int32{0}, RowStart: []int32{0}, Initial: []int32{0}}
	var values []*big.Rat
	for range n {
		choices := 1
		if kind.HasChoices() {
			choices += random.IntN(3)
		}
		for range choices {
			targets := random.Perm(n)[:1+random.IntN(2)]
			if kind.IsContinuous() && random.IntN(5) == 0 {
				targets = nil
			}
			rest := int64(1e12)
			for i, j := range targets {
				v := big.NewRat(rest, 1e12)
				switch {
				case kind.IsContinuous():
					v = big.NewRat(1+random.Int64N(30), 1+random.Int64N(30))
				case i == 0 && len(targets) == 2:
					share := (1 + random.Int64N(9)) * 1e11
					rest -= share - random.Int64N(3)*random.Int64N(300)
					v = big.NewRat(share, 1e12)
				}
				m.Columns, values = append(m.Columns, int32(j)), append(values, v)
			}
			m.RowStart = append(m.RowStart, int32(len(m.Columns)))
		}
		m.StateStart = append(m.StateStart, int32(len(m.RowStart)-1))
	}
	m.Values = exactNumbers(values)
	if m.Values.Exact == nil { // a CTMC without transitions
		m.Values.Exact = []*big.Rat{}
	}
	lowest := random.Int64N(4)
	rewards := func(n int) modelfile.Numbers {
		list := make([]*big.Rat, n)
		for i := range list {
			list[i] = big.NewRat(random.Int64N(5)-lowest, 1+random.Int64N(2))
		}
		return exactNumbers(list)
	}
	r := modelfile.RewardModel{Name: "r", State: rewards(n)}
	if random.IntN(2) == 0 {
		r.Action, r.Transition = rewards(m.NumChoices()), rewards(len(m.Columns))
	}
	m.Rewards = []modelfile.RewardModel{r}
	return m
}

// What exact answers come with proves them, by inequalities in the numbers of the
// model itself; and what claims a little more is no proof.
func TestCertificatesOfExactAnswers(t *testing.T) {
	const seed = 5
	infinite := map[string]int{}
	for i := range 1500 {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		m := smallModel(random)
		require.NoError(t, m.Validate())
		model, err := m.Exact("r")
		require.NoError(t, err)
		target := []int32{int32(random.IntN(m.NumStates()))}
		for _, sense := range []mdp.Sense{mdp.Minimize, mdp.Maximize} {
			name := fmt.Sprintf("seed %d, model %d, %v", seed, i, sense)
			g, sign := generatorOf(m, sense), int64(1)
			if sense == mdp.Maximize {
				sign = -1
			}
			answer, err := model.Average(t.Context(), sense)
			require.NoError(t, err)
			c := certificateFor(t, answer)
			require.NoError(t, g.average(c.Lower, c.Upper, c.Policy, sign), name)
			for _, move := range []int64{-1, 1} {
				moved := c.Lower
				moved.Gain = above(moved.Gain, big.NewRat(move, 1e18))
				if move == sign {
					require.Error(t, g.average(moved, c.Upper, c.Policy, sign), name)
				} else {
					require.Error(t, g.average(c.Lower, moved, c.Policy, sign), name)
				}
			}

			if !m.Kind.IsContinuous() {
				discount := big.NewRat(99, 101)
				answer, err = model.Discounted(t.Context(), sense, discount)
				require.NoError(t, err)
				require.NoError(t, g.discounted(certificateFor(t, answer), discount, sign), name)
			}

			answer, err = model.Total(t.Context(), sense, target)
			require.NoError(t, err)
			c = certificateFor(t, answer)
			g.target[target[0]] = true
			prove := g.least
			if sense == mdp.Maximize {
				prove = g.greatest
			}
			require.NoError(t, prove(c), name)
			for s := range c.Lower.Value.High {
				infinite[answer.Values[s].String()]++
				wrong := above(c.Lower.Value, new(big.Rat))
				if c.Lower.Value.Exact[s] == nil {
					wrong.High[s], wrong.Exact[s] = -c.Lower.Value.High[s], nil
				} else {
					wrong.Exact[s] = new(big.Rat).Add(wrong.Exact[s], big.NewRat(1, 1e18))
				}
				require.Error(t, prove(&certificate.Certificate{Lower: certificate.Witness{Value: wrong}, Policy: c.Policy, Cycle: c.Cycle}), name)
			}
		}
	}
	require.Greater(t, infinite["Infinity"], 1000)
	require.Greater(t, infinite["-Infinity"], 100)
}

func certificateFor(t *testing.T, answer *exact.Answer) *certificate.Certificate {
	t.Helper()
	c := certificate.CertificateOfExact(answer)
	require.NoError(t, c.Validate(len(answer.Values)))
	return c
}

// above returns a vector with a number added.
func above(v certificate.Vector, x *big.Rat) certificate.Vector {
	sum := certificate.Vector{High: slices.Clone(v.High), Exact: slices.Clone(v.Exact)}
	for s, y := range v.Exact {
		if y != nil {
			sum.Exact[s] = new(big.Rat).Add(y, x)
		}
	}
	return sum
}

// exactNumbers returns a list of exact numbers, empty where all are 0.
func exactNumbers(list []*big.Rat) modelfile.Numbers {
	result, some := modelfile.Numbers{Exact: list}, false
	for _, x := range list {
		float, _ := x.Float64()
		some = some || float != 0
		result.Float = append(result.Float, float)
	}
	if !some {
		return modelfile.Numbers{}
	}
	return result
}
