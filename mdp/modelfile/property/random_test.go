package property_test

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

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
)

// oracle answers properties by their definition: by sweeps over the model as it is, as many
// as the property has steps, or so many that the rest does not matter.
type oracle struct {
	*modelfile.Model
	greatest bool
	reward   []float64 // by state
}

// many is a number of sweeps after which these small models have forgotten their start.
const many = 4000

// step returns the best of the sums of a reward and what comes after a step.
func (o *oracle) step(v, reward []float64) []float64 {
	next := make([]float64, len(v))
	for s := range v {
		for k := o.StateStart[s]; k < o.StateStart[s+1]; k++ {
			sum := 0.0
			for e := o.RowStart[k]; e < o.RowStart[k+1]; e++ {
				sum += o.Values.Float[e] * v[o.Columns[e]]
			}
			if reward != nil {
				sum += reward[s]
			}
			if k == o.StateStart[s] || o.greatest == (sum > next[s]) {
				next[s] = sum
			}
		}
	}
	return next
}

// until is the probability of φ U ψ within some steps, or of φ W ψ.
func (o *oracle) until(phi, psi func(s int) bool, steps int, weak bool) []float64 {
	v := make([]float64, o.NumStates())
	for t := range steps + 1 {
		next := o.step(v, nil)
		for s := range v {
			switch {
			case psi(s):
				next[s] = 1
			case !phi(s):
				next[s] = 0
			case t == 0 && weak:
				next[s] = 1
			case t == 0:
				next[s] = 0
			}
		}
		v = next
	}
	return v
}

// total is the reward until ψ, infinite where it still grows.
func (o *oracle) total(psi func(s int) bool, steps int) []float64 {
	var v [3][]float64
	x := make([]float64, o.NumStates())
	for t := range 2*steps + 1 {
		if t%steps == 0 {
			v[t/steps] = x
		}
		x = o.step(x, o.reward)
		for s := range x {
			if psi(s) {
				x[s] = 0
			}
		}
	}
	for s := range x {
		if x[s] = v[2][s]; v[2][s]-v[1][s] > 1e-3 {
			x[s] = math.Inf(1)
		}
	}
	return x
}

// average is the mean reward of late steps.
func (o *oracle) average(reward []float64, steps int) []float64 {
	v := make([]float64, o.NumStates())
	var first []float64
	for t := range 2 * steps {
		if t == steps {
			first = v
		}
		v = o.step(v, reward)
	}
	for s := range v {
		v[s] = (v[s] - first[s]) / float64(steps)
	}
	return v
}

// randomModel returns a model of a few states, all of which are left with probability 1/4
// or more, or never, so that sweeps settle within a few hundred steps.
func randomModel(r *rand.Rand, kind modelfile.Kind) *modelfile.Model {
	n := 2 + r.IntN(5)
	m := &modelfile.Model{Kind: kind, StateStart: []int32{0}, RowStart: []int32{0}, Initial: []int32{0}, Labels: map[string][]int32{"a": {}, "b": {}}}
	m.Rewards = []modelfile.RewardModel{{Name: "r"}}
	for s := range n {
		actions := 1
		if kind.HasChoices() {
			actions += r.IntN(3)
		}
		for range actions {
			at := len(m.Columns)
			for j := range n {
				if r.IntN(3) == 0 && j != s {
					m.Columns = append(m.Columns, int32(j))
				}
			}
			if !kind.IsContinuous() {
				m.Columns = append(m.Columns, int32(s)) // periods make averages of sweeps slow
			}
			for range m.Columns[at:] {
				x := 1 / float64(len(m.Columns)-at)
				if kind.IsContinuous() {
					x = float64(1+r.IntN(8)) / 4
				}
				m.Values.Float = append(m.Values.Float, x)
			}
			m.RowStart = append(m.RowStart, int32(len(m.Columns)))
		}
		m.StateStart = append(m.StateStart, int32(len(m.RowStart)-1))
		for _, label := range []string{"a", "b"} {
			if r.IntN(3) == 0 {
				m.Labels[label] = append(m.Labels[label], int32(s))
			}
		}
		m.Rewards[0].State.Float = append(m.Rewards[0].State.Float, float64(r.IntN(3)))
	}
	return m
}

// assertWithin compares bounds with values that are off by little.
func assertWithin(t *testing.T, text string, m *modelfile.Model, want []float64, off float64) {
	t.Helper()
	lower, upper := bounds(t, parseOne(t, text), m)
	for s, x := range want {
		if math.IsInf(x, 1) {
			assert.Equal(t, x, lower[s], "%s: state %d of %+v", text, s, m)
			continue
		}
		assert.True(t, lower[s] <= x+off && x-off <= upper[s], "%s: state %d: %v … %v, not %v: %+v", text, s, lower[s], upper[s], x, m)
	}
}

// assertEvaluated compares the values of a property, compound or not, with values that are off by little.
func assertEvaluated(t *testing.T, text string, m *modelfile.Model, want []float64, off float64) {
	t.Helper()
	v, err := parseOne(t, text).Evaluate(m, func(q *property.Question) (lower, upper []float64, exact []*big.Rat, err error) {
		table, err := q.Model.Table(q.Reward)
		require.NoError(t, err)
		result, err := mdp.Solve(context.Background(), mdp.Rounded{Table: table}, q.Criterion, mdp.Settings{Workers: 1})
		require.NoError(t, err, text)
		for s := range m.NumStates() {
			l, u := result.Bounds(s)
			lower, upper = append(lower, l), append(upper, u)
		}
		return lower, upper, nil, nil
	})
	require.NoError(t, err, text)
	for s, x := range want {
		assert.True(t, v.Lower[s] <= x+off && x-off <= v.Upper[s], "%s: state %d: %v … %v, not %v: %+v", text, s, v.Lower[s], v.Upper[s], x, m)
	}
}

func holder(m *modelfile.Model, label string) func(s int) bool {
	return func(s int) bool { return slices.Contains(m.Labels[label], int32(s)) }
}

// Every operator on random chains and decision processes, by definition.
func TestRandomModels(t *testing.T) {
	models := 60
	if testing.Short() {
		models = 15
	}
	r := rand.New(rand.NewPCG(27, 2))
	for range models {
		m := randomModel(r, []modelfile.Kind{modelfile.DTMC, modelfile.MDP}[r.IntN(2)])
		a, b := holder(m, "a"), holder(m, "b")
		always := func(int) bool { return true }
		never := func(int) bool { return false }
		for _, sense := range []string{"min", "max"} {
			o := &oracle{Model: m, greatest: sense == "max", reward: m.Rewards[0].State.Float}
			other := &oracle{Model: m, greatest: sense == "min"}
			probability := func(text string, want []float64) {
				t.Helper()
				assertWithin(t, "P"+sense+"=? ["+text+"]", m, want, 1e-9)
			}
			k := r.IntN(6)
			probability(`F "a"`, o.until(always, a, many, false))
			probability(`"a" U "b"`, o.until(a, b, many, false))
			probability(`!"b" U !("a" | "b")`, o.until(func(s int) bool { return !b(s) }, func(s int) bool { return !a(s) && !b(s) }, many, false))
			probability(`"a" W "b"`, o.until(a, b, many, true))
			probability(`"a" U "b" <=> !"a" | "b" => false`, o.until(a, func(s int) bool { return b(s) != (!a(s) || b(s)) }, many, false))
			probability(fmt.Sprintf(`F<=%d "b"`, k), o.until(always, b, k, false))
			probability(fmt.Sprintf(`"a" U<%d "b"`, k+1), o.until(a, b, k, false))
			probability(fmt.Sprintf(`"a" W<=%d "b"`, k), o.until(a, b, k, true))
			for text, steps := range map[string]int{`G "a"`: many, fmt.Sprintf(`G<=%d "a"`, k): k} {
				want := other.until(always, func(s int) bool { return !a(s) }, steps, false)
				for s := range want {
					want[s] = 1 - want[s]
				}
				probability(text, want)
			}
			indicator := make([]float64, m.NumStates())
			for s := range indicator {
				if a(s) {
					indicator[s] = 1
				}
			}
			probability(`X "a"`, o.step(indicator, nil))
			assertWithin(t, "S"+sense+`=? ["a"]`, m, o.average(indicator, many), 1e-3)
			assertWithin(t, "R"+sense+"=? [S]", m, o.average(o.reward, many), 1e-3)
			v := slices.Clone(o.reward)
			for range k {
				v = o.step(v, nil)
			}
			assertWithin(t, fmt.Sprintf("R%s=? [I=%d]", sense, k), m, v, 1e-9)
			v = make([]float64, m.NumStates())
			for range k {
				v = o.step(v, o.reward)
			}
			assertWithin(t, fmt.Sprintf("R%s=? [C<=%d]", sense, k), m, v, 1e-9)
			assertWithin(t, "R"+sense+"=? [C]", m, o.total(never, many), 1e-6)
			sure := other.until(always, b, many, false) // the least probability for the greatest total
			for s := range o.reward {
				o.reward[s]++ // without end components of reward 0, sweeps find the least total of policies that reach b
			}
			want := o.total(b, many)
			for s := range want {
				if sure[s] < 1-1e-6 {
					want[s] = math.Inf(1)
				}
			}
			assertWithin(t, "R"+sense+`=? [F "b"]`, m, want, 1e-6)
			for s := range o.reward {
				o.reward[s]--
			}
		}
	}
}

// transientOf returns exp(Q·t)·x and ∫ exp(Q·u)·x du, by many short steps of Taylor's series
// in numbers of 300 bits.
func transientOf(m *modelfile.Model, frozen func(s int) bool, time float64, x []float64) (at, integral []float64) {
	const steps, terms = 64, 24
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }
	v, sum := make([]*big.Float, len(x)), make([]*big.Float, len(x))
	for s := range x {
		v[s], sum[s] = number(x[s]), number(0)
	}
	h := number(time)
	h.Quo(h, number(steps))
	for range steps {
		term := v
		next, area := slices.Clone(v), slices.Clone(v)
		for i := 1; i <= terms; i++ {
			moved := make([]*big.Float, len(x))
			for s := range x {
				moved[s] = number(0)
				for e := m.RowStart[s]; e < m.RowStart[s+1] && !frozen(s); e++ {
					change := number(0).Sub(term[m.Columns[e]], term[s])
					moved[s].Add(moved[s], change.Mul(change, number(m.Values.Float[e])))
				}
				moved[s].Mul(moved[s], h)
				moved[s].Quo(moved[s], number(float64(i)))
				next[s] = number(0).Add(next[s], moved[s])
				area[s] = number(0).Add(area[s], number(0).Quo(moved[s], number(float64(i+1))))
			}
			term = moved
		}
		for s := range x {
			sum[s].Add(sum[s], area[s].Mul(area[s], h))
		}
		v = next
	}
	for s := range x {
		y, _ := v[s].Float64()
		z, _ := sum[s].Float64()
		at, integral = append(at, y), append(integral, z)
	}
	return at, integral
}

// uniformized returns the chain of steps at rate 32, which is faster than all exit rates.
func uniformized(m *modelfile.Model) *modelfile.Model {
	u := &modelfile.Model{StateStart: m.StateStart, RowStart: []int32{0}}
	for s := range m.NumStates() {
		stay := 1.0
		for e := m.RowStart[s]; e < m.RowStart[s+1]; e++ {
			u.Columns, u.Values.Float = append(u.Columns, m.Columns[e]), append(u.Values.Float, m.Values.Float[e]/32)
			stay -= m.Values.Float[e] / 32
		}
		u.Columns, u.Values.Float = append(u.Columns, int32(s)), append(u.Values.Float, stay)
		u.RowStart = append(u.RowStart, int32(len(u.Columns)))
	}
	return u
}

// Every operator on random chains in continuous time.
func TestRandomChainsInContinuousTime(t *testing.T) {
	models := 40
	if testing.Short() {
		models = 10
	}
	r := rand.New(rand.NewPCG(27, 3))
	for range models {
		m := randomModel(r, modelfile.CTMC)
		a, b := holder(m, "a"), holder(m, "b")
		n, time := m.NumStates(), float64(r.IntN(40))/8
		reward := m.Rewards[0].State.Float
		in := func(set func(s int) bool) []float64 {
			x := make([]float64, n)
			for s := range x {
				if set(s) {
					x[s] = 1
				}
			}
			return x
		}
		never := func(int) bool { return false }
		until, _ := transientOf(m, func(s int) bool { return b(s) || !a(s) }, time, in(b))
		assertWithin(t, fmt.Sprintf(`P=? ["a" U<=%v "b"]`, time), m, until, 1e-13)
		always, _ := transientOf(m, func(s int) bool { return !a(s) }, time, in(a))
		assertWithin(t, fmt.Sprintf(`P=? [G<=%v "a"]`, time), m, always, 1e-13)
		within, later := float64(r.IntN(16))/8, float64(r.IntN(16))/8
		start, _ := transientOf(m, func(s int) bool { return b(s) || !a(s) }, within, in(b))
		for s := range start {
			if !a(s) { // φ has to hold until the interval begins
				start[s] = 0
				if later == 0 {
					start[s] = in(b)[s]
				}
			}
		}
		timed, _ := transientOf(m, func(s int) bool { return !a(s) }, later, start)
		assertEvaluated(t, fmt.Sprintf(`P=? ["a" U[%v,%v] "b"]`, later, later+within), m, timed, 1e-12)
		at, integral := transientOf(m, never, time, reward)
		assertWithin(t, fmt.Sprintf(`R=? [I=%v]`, time), m, at, 1e-13)
		assertWithin(t, fmt.Sprintf(`R=? [C<=%v]`, time), m, integral, 1e-12)
		o := &oracle{Model: uniformized(m)}
		assertWithin(t, `S=? ["a"]`, m, o.average(in(a), 20*many), 1e-3)
		assertWithin(t, `P=? [F "b"]`, m, o.until(func(int) bool { return true }, b, 20*many, false), 1e-6)
		jump := make([]float64, n)
		for s := range jump {
			sum, hit := 0.0, 0.0
			for e := m.RowStart[s]; e < m.RowStart[s+1]; e++ {
				if sum += m.Values.Float[e]; a(int(m.Columns[e])) {
					hit += m.Values.Float[e]
				}
			}
			if jump[s] = hit / sum; sum == 0 {
				jump[s] = in(a)[s]
			}
		}
		assertWithin(t, `P=? [X "a"]`, m, jump, 1e-14)
	}
}
