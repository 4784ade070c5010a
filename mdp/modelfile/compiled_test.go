package modelfile_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// shop is a shop in one of two towns, with goods.
type shop struct {
	goods int
	town  bool
}

// shops is a problem with actions up to a number, which cost what a table of random numbers
// says, in continuous time if rate is not 1. Every state leads to the empty shop.
func shops(random *rand.Rand, actions int, rate float64) mdp.Problem[shop, int] {
	var costs [4][2][3]float64
	for i := range costs {
		for j := range costs[i] {
			for a := range costs[i][j] {
				costs[i][j][a] = random.Float64()
			}
		}
	}
	place := func(s shop) int { return map[bool]int{true: 1}[s.town] }
	return mdp.Problem[shop, int]{
		Start: []shop{{}}, Rate: rate,
		Actions: func(dst []int, s shop) []int {
			for a := range 1 + (s.goods+1)%actions {
				dst = append(dst, 7*a)
			}
			return dst
		},
		Cost: func(s shop, a int) float64 { return costs[s.goods][place(s)][a/7] },
		Next: func(dst []mdp.Outcome[shop], s shop, a int) []mdp.Outcome[shop] {
			p := float64(1+a) / 64
			return append(dst, mdp.Outcome[shop]{State: s, Probability: 0.5}, mdp.Outcome[shop]{Probability: 0.25 - p},
				mdp.Outcome[shop]{State: shop{min(s.goods+1, 3), s.town}, Probability: 0.25}, mdp.Outcome[shop]{State: shop{s.goods, !s.town}, Probability: p})
		},
	}
}

// A problem that a program writes, in any format that can hold all of it, keeps its answers: with costs and
// with a further reward, from any state, by average, total and discounted cost.
func TestOfInAllFormats(t *testing.T) {
	random := rand.New(rand.NewPCG(37, 1))
	for _, test := range []struct {
		actions int
		rate    float64
		kind    modelfile.Kind
		scale   float64 // of totals in the file
	}{
		{1, 1, modelfile.DTMC, 1}, {3, 1, modelfile.MDP, 1}, {1, 2.5, modelfile.CTMC, 1}, {3, 2.5, modelfile.MDP, 2.5},
	} {
		problem := shops(random, test.actions, test.rate)
		compiled, err := problem.Compile(t.Context())
		require.NoError(t, err)
		other := problem
		other.Cost = func(s shop, a int) float64 { return float64(s.goods*s.goods + a) }
		others, err := other.Compile(t.Context())
		require.NoError(t, err)
		m, err := modelfile.Of(compiled, modelfile.Names[shop, int]{
			Cost:    "money",
			Rewards: map[string]func(shop, int) float64{"goods": other.Cost},
			Labels: map[string]func(shop) bool{
				"full": func(s shop) bool { return s.goods == 3 }, "init": func(s shop) bool { return s == shop{1, true} },
			},
		})
		require.NoError(t, err)
		require.Equal(t, test.kind, m.Kind)
		start, isThere := compiled.Index(shop{1, true})
		require.True(t, isThere)
		for _, f := range modelfile.Formats() {
			if len(f.Fit(m)) > 0 {
				continue
			}
			path := filepath.Join(t.TempDir(), "shops"+f.Suffix)
			if err := modelfile.WriteFile(path, m); err != nil {
				require.ErrorContains(t, err, "for which the format has no place")
				continue
			}
			read := readFile(t, path, modelfile.Options{})
			assert.Equal(t, []int32{int32(start)}, read.Initial, f.Name)
			assert.Equal(t, m.ActionNames, read.ActionNames, f.Name)
			if read.StateNames != nil {
				assert.Equal(t, "(1,true)", read.StateNames[start])
			}
			full, err := read.Labelled("full")
			require.NoError(t, err)
			for reward, want := range map[string]*mdp.Table{"money": compiled.Table, "goods": others.Table} {
				table, err := read.Table(reward)
				require.NoError(t, err)
				for _, c := range []struct {
					mdp.Criterion
					scale float64
				}{
					{mdp.LongRunAverage{}, 1},
					{mdp.LongRunAverage{Sense: mdp.Maximize}, 1},
					{mdp.TotalCost{Target: full}, test.scale},
					{mdp.Discounted{Discount: 0.9}, test.scale},
				} {
					if _, isDiscounted := c.Criterion.(mdp.Discounted); isDiscounted && m.Kind == modelfile.CTMC {
						continue // its steps are those of another uniformization rate
					}
					a, err := mdp.Solve(t.Context(), want, c.Criterion, mdp.Settings{Tolerance: 1e-12})
					require.NoError(t, err)
					b, err := mdp.Solve(t.Context(), table, c.Criterion, mdp.Settings{Tolerance: 1e-12})
					require.NoError(t, err)
					for s := range table.NumStates() {
						assert.InDelta(t, c.scale*a.Optimum(s), b.Optimum(s), 1e-10*math.Abs(c.scale*a.Optimum(s)), "%s %v %v", f.Name, test.kind, c)
					}
				}
			}
		}
	}
}

// States of other types have names too, and what files cannot hold is an error.
func TestOfNames(t *testing.T) {
	compiled, err := mdp.Problem[string, bool]{
		Start:   []string{"up"},
		Actions: func(dst []bool, _ string) []bool { return append(dst, false, true) },
		Cost:    func(string, bool) float64 { return 1 },
		Next: func(dst []mdp.Outcome[string], _ string, change bool) []mdp.Outcome[string] {
			return append(dst, mdp.Outcome[string]{State: map[bool]string{false: "up", true: "down"}[change], Probability: 1})
		},
	}.Compile(t.Context())
	require.NoError(t, err)
	m, err := modelfile.Of(compiled, modelfile.Names[string, bool]{})
	require.NoError(t, err)
	assert.Equal(t, "(state)", m.Variables)
	assert.Equal(t, []string{"(up)", "(down)"}, m.StateNames)
	assert.Equal(t, []string{"false", "true", "false", "true"}, m.ActionNames)
	assert.Equal(t, "cost", m.Rewards[0].Name)

	none := func(string) bool { return false }
	_, err = modelfile.Of(compiled, modelfile.Names[string, bool]{Labels: map[string]func(string) bool{"init": none}})
	assert.ErrorContains(t, err, "modelfile: model: ")
	same := map[string]func(string, bool) float64{"cost": func(string, bool) float64 { return 0 }}
	_, err = modelfile.Of(compiled, modelfile.Names[string, bool]{Rewards: same})
	assert.EqualError(t, err, `modelfile: model: reward model 1: name "cost" is not valid: use a text that no other has`)
	infinite := map[string]func(string, bool) float64{"much": func(string, bool) float64 { return math.Inf(1) }}
	_, err = modelfile.Of(compiled, modelfile.Names[string, bool]{Rewards: infinite})
	assert.ErrorContains(t, err, "use a finite number")
}
