package property_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
)

// inFractions answers a question by linear algebra in rational numbers.
func inFractions(t *testing.T, q *property.Question) []exact.Value {
	t.Helper()
	model, err := q.Model.Exact(q.Reward)
	require.NoError(t, err)
	var answer *exact.Answer
	switch ctx := context.Background(); c := q.Criterion.(type) {
	case mdp.LongRunAverage:
		answer, err = model.Average(ctx, c.Sense)
	case mdp.TotalCost:
		answer, err = model.Total(ctx, c.Sense, c.Target)
	case mdp.FiniteHorizon:
		var terminal []*big.Rat
		if q.Terminal.Len() > 0 {
			terminal = q.Terminal.Rationals()
		}
		answer, err = model.Finite(ctx, c.Sense, exact.Horizon{Steps: c.Steps, Terminal: terminal})
	default:
		t.Fatalf("%T", c)
	}
	require.NoError(t, err)
	return answer.Values
}

// exactModel returns a random model in fractions, with many rewards of 0.
func exactModel(r *rand.Rand, kind modelfile.Kind) *modelfile.Model {
	m := randomModel(r, kind)
	m.Values.Exact = m.Values.Rationals()
	for k := range m.NumChoices() {
		for e := m.RowStart[k]; e < m.RowStart[k+1] && !kind.IsContinuous(); e++ {
			m.Values.Exact[e] = big.NewRat(1, int64(m.RowStart[k+1]-m.RowStart[k]))
		}
	}
	rewards := func(n int) (list modelfile.Numbers) {
		for range n {
			list.Float = append(list.Float, float64(max(0, r.IntN(6)-4)))
		}
		list.Exact = list.Rationals()
		return list
	}
	m.Rewards[0] = modelfile.RewardModel{Name: "r", State: rewards(m.NumStates()), Action: rewards(m.NumChoices()), Transition: rewards(m.NumTransitions())}
	return m
}

// What the graph decides, without any bounds, is what fractions say, and nothing about 0
// and 1 is left open.
func TestGraphDecides(t *testing.T) {
	models := 300
	if testing.Short() {
		models = 100
	}
	const seed = 36
	r := rand.New(rand.NewPCG(seed, 1))
	answers := map[string]int{}
	for i := range models {
		m := exactModel(r, []modelfile.Kind{modelfile.DTMC, modelfile.MDP, modelfile.MDP, modelfile.CTMC, modelfile.CTMDP}[r.IntN(5)])
		paths := []string{`F "a"`, `G "a"`, `"a" U "b"`, `"a" W "b"`, `X "a"`}
		if k := r.IntN(5); !m.Kind.IsContinuous() {
			for _, path := range []string{`F<=%d "a"`, `G<=%d "a"`, `"a" U<%d "b"`, `"a" W<=%d "b"`} {
				paths = append(paths, fmt.Sprintf(path, k+1))
			}
		}
		for _, sense := range []string{"min", "max"} {
			var texts []string
			for _, relation := range []string{"<", "<=", ">", ">="} {
				for _, limit := range []string{"0", "1", "0.3"} {
					for _, path := range paths {
						texts = append(texts, fmt.Sprintf("P%s%s%s [%s]", sense, relation, limit, path))
					}
					texts = append(texts, fmt.Sprintf(`S%s%s%s ["a"]`, sense, relation, limit))
				}
				for _, path := range []string{`F "a"`, "C", "S"} {
					texts = append(texts, fmt.Sprintf("R%s%s0 [%s]", sense, relation, path))
				}
				if !m.Kind.IsContinuous() {
					texts = append(texts, fmt.Sprintf("R%s%s0 [C<=2]", sense, relation), fmt.Sprintf("R%s%s0 [I=1]", sense, relation))
				}
			}
			for _, text := range texts {
				p := parseOne(t, text)
				q, err := p.On(m)
				if err != nil {
					assert.Contains(t, err.Error(), "the greatest C")
					continue
				}
				for s, x := range inFractions(t, q) {
					want, got := p.Verdict(math.Inf(1), math.Inf(1), nil), q.Verdict(s, math.Inf(1), math.Inf(1), nil)
					if x.Infinity() == 0 {
						want, got = p.Verdict(0, 0, x.Rat()), q.Verdict(s, math.Inf(-1), math.Inf(1), nil)
						if isBetween := x.Rat().Sign() > 0 && x.Rat().Cmp(big.NewRat(1, 1)) < 0; isBetween && strings.Contains(text, "0.3") {
							want = property.Undecided
						}
					}
					answers[got]++
					require.Equal(t, want, got, "seed %d, model %d: %s in state %d, which has %v: %+v", seed, i, text, s, x, m)
				}
			}
		}
	}
	assert.Greater(t, min(answers["yes"], answers["no"]), 10*models)
}

// Chains in continuous time: the graph finds out what is possible within a time above 0.
func TestGraphDecidesWithTime(t *testing.T) {
	const seed = 36
	r := rand.New(rand.NewPCG(seed, 2))
	for i := range 60 {
		m := randomModel(r, modelfile.CTMC)
		a, b := holder(m, "a"), holder(m, "b")
		time := float64(r.IntN(8)) / 8
		ends := [2][]float64{} // not b, and b
		for s := range m.NumStates() {
			x := 0.0
			if b(s) {
				x = 1
			}
			ends[0], ends[1] = append(ends[0], 1-x), append(ends[1], x)
		}
		decided := func(s int) bool { return b(s) || !a(s) }
		above, _ := transientOf(m, decided, time, ends[1])
		below, _ := transientOf(m, decided, time, ends[0])
		const possible = 1e-40 // the sums are right to 1e-80
		for s := range m.NumStates() {
			for limit, want := range map[string]bool{">0": above[s] > possible, "<=0": above[s] <= possible, "<1": below[s] > possible, ">=1": below[s] <= possible} {
				p := parseOne(t, fmt.Sprintf(`P%s ["a" U<=%v "b"]`, limit, time))
				q, err := p.On(m)
				require.NoError(t, err)
				got := q.Verdict(s, math.Inf(-1), math.Inf(1), nil)
				require.Equal(t, map[bool]string{true: "yes", false: "no"}[want], got, "seed %d, model %d: %v in state %d: %+v", seed, i, p, s, m)
			}
		}
	}
}

// E and A are what the fixed points of CTL say (Clarke, Emerson and Sistla 1986).
func TestPathQuantifiers(t *testing.T) {
	const seed = 36
	r := rand.New(rand.NewPCG(seed, 3))
	answers := map[string]int{}
	for i := range 500 {
		m := randomModel(r, []modelfile.Kind{modelfile.DTMC, modelfile.MDP, modelfile.CTMC, modelfile.CTMDP}[r.IntN(4)])
		n := m.NumStates()
		next := make([][]int32, n)
		for s := range n {
			for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
				if next[s] = append(next[s], m.Columns[m.RowStart[k]:m.RowStart[k+1]]...); m.RowStart[k] == m.RowStart[k+1] { // it stays
					next[s] = append(next[s], int32(s))
				}
			}
		}
		// until iterates X ↦ ψ ∨ φ ∧ ∃ next X (or ∀ next) from all or no states.
		until := func(phi, psi func(s int) bool, every, from bool, most int) []bool {
			x := slices.Repeat([]bool{from}, n)
			for range most {
				y := make([]bool, n)
				for s := range n {
					goes := slices.ContainsFunc(next[s], func(j int32) bool { return x[j] != every }) != every
					y[s] = psi(s) || phi(s) && goes
				}
				x = y
			}
			return x
		}
		a, b := holder(m, "a"), holder(m, "b")
		always, never := func(int) bool { return true }, func(int) bool { return false }
		k := r.IntN(4)
		for quantifier, every := range map[string]bool{"E": false, "A": true} {
			want := map[string][]bool{
				`F "a"`:       until(always, a, every, false, n+2),
				`G "a"`:       until(a, never, every, true, n+2),
				`"a" U "b"`:   until(a, b, every, false, n+2),
				`("a" W "b")`: until(a, b, every, true, n+2),
				`X "a"`:       make([]bool, n),
			}
			for s := range n {
				want[`X "a"`][s] = slices.ContainsFunc(next[s], func(j int32) bool { return a(int(j)) != every }) != every
			}
			if !m.Kind.IsContinuous() {
				want[fmt.Sprintf(`F<=%d "a"`, k)] = until(always, a, every, false, k+1)
				want[fmt.Sprintf(`G<=%d "a"`, k)] = until(a, never, every, true, k+1)
			}
			for path, holds := range want {
				p := parseOne(t, quantifier+" ["+path+"]")
				assert.True(t, p.HasThreshold())
				q, err := p.On(m)
				require.NoError(t, err)
				require.NoError(t, q.Model.Validate())
				for s := range n {
					got := q.Verdict(s, math.Inf(-1), math.Inf(1), nil)
					answers[got]++
					require.Equal(t, map[bool]string{true: "yes", false: "no"}[holds[s]], got, "seed %d, model %d: %v in state %d: %+v", seed, i, p, s, m)
				}
			}
		}
	}
	assert.Greater(t, min(answers["yes"], answers["no"]), 1000)
	_, err := parseOne(t, `E [F<=2 "a"]`).On(randomModel(r, modelfile.CTMC))
	assert.EqualError(t, err, "test:1:1: E and A with a time are not answered for a CTMC")
}

// A path formula may stand in parentheses.
func TestParentheses(t *testing.T) {
	m := readModel(t, "bandit")
	for text, plain := range map[string]string{
		`Pmax=? [(F "rich")]`:                    `Pmax=? [F "rich"]`,
		`Pmax=? [((("out") U (("rich"))))]`:      `Pmax=? ["out" U "rich"]`,
		`Pmax=? [("init") U ("rich")]`:           `Pmax=? ["init" U "rich"]`,
		`Pmax=? [(("init") U ("rich"))]`:         `Pmax=? ["init" U "rich"]`,
		`Pmin=? [(G<=3 (!"out"))]`:               `Pmin=? [G<=3 !"out"]`,
		`Smax=? [(("out")|("rich"))&("out")]`:    `Smax=? ["out"]`,
		`R{"fee"}min=? [(F ("out" | "broke"))]`:  `R{"fee"}min=? [F "out" | "broke"]`,
		`R{"plays"}max=? [((C<=3))]`:             `R{"plays"}max=? [C<=3]`,
		`Pmax=? [("init") U (("rich")|("out"))]`: `Pmax=? ["init" U "rich" | "out"]`,
	} {
		low, high := bounds(t, parseOne(t, text), m)
		wantLow, wantHigh := bounds(t, parseOne(t, plain), m)
		assert.Equal(t, wantLow, low, text)
		assert.Equal(t, wantHigh, high, text)
	}
}

// What a refusal says in place of release is the same: a R b is not (!a U !b).
func TestAdviceOnRelease(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 4))
	for range 100 {
		m := randomModel(r, modelfile.MDP)
		a, b := holder(m, "a"), holder(m, "b")
		for sense, greatest := range map[string]bool{"min": false, "max": true} {
			opposite := &oracle{Model: m, greatest: !greatest}
			want := opposite.until(func(s int) bool { return !a(s) }, func(s int) bool { return !b(s) }, many, false)
			for s := range want {
				want[s] = 1 - want[s]
			}
			assertWithin(t, "P"+sense+`=? ["b" W ("a" & "b")]`, m, want, 1e-9)
		}
	}
}
