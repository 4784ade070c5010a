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

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// vertices returns the extreme points of the distributions between two lists, in eighths.
func vertices(low, high []int64) (list [][]int64) {
	n := len(low)
	for free := range n {
		for mask := range 1 << n {
			p, left := make([]int64, n), int64(8)
			for i := range n {
				if p[i] = low[i]; mask>>i&1 == 1 {
					p[i] = high[i]
				}
				if i != free {
					left -= p[i]
				}
			}
			p[free] = left
			isSame := func(q []int64) bool { return slices.Equal(p, q) }
			if left >= low[free] && left <= high[free] && !slices.ContainsFunc(list, isSame) {
				list = append(list, p)
			}
		}
	}
	return list
}

// arena is a model with intervals, with all vertices of each choice.
type arena struct {
	m        *modelfile.Model
	vertices [][][]int64 // by choice
}

// randomArena returns a model of a few states, most of whose intervals begin at 0, and whose states
// without the label "a" have one choice or two.
func randomArena(r *rand.Rand) *arena {
	n := 2 + r.IntN(3)
	m := &modelfile.Model{
		Kind: modelfile.MDP, StateStart: []int32{0}, RowStart: []int32{0}, Initial: []int32{0},
		Labels: map[string][]int32{"a": {int32(n - 1)}}, Rewards: []modelfile.RewardModel{{Name: "r"}},
	}
	a := &arena{m: m}
	hasChoices := r.IntN(3) > 0
	if !hasChoices {
		m.Kind = modelfile.DTMC
	}
	for s := range n {
		choices := 1
		if hasChoices && s < n-1 {
			choices += r.IntN(2)
		}
		for range choices {
			to := r.Perm(n)[:1+r.IntN(min(n, 3))]
			slices.Sort(to)
			low, high := make([]int64, len(to)), make([]int64, len(to))
			for {
				var least, most int64
				for i := range to {
					low[i], high[i] = int64(r.IntN(4)), int64(1+r.IntN(8))
					if r.IntN(2) == 0 {
						low[i] = 0
					}
					high[i] = max(low[i], high[i])
					least, most = least+low[i], most+high[i]
				}
				if least <= 8 && most >= 8 {
					break
				}
			}
			for i, j := range to {
				m.Columns = append(m.Columns, int32(j))
				m.Values.Float, m.Values.Exact = append(m.Values.Float, float64(low[i])/8), append(m.Values.Exact, rat(low[i], 8))
				m.High.Float, m.High.Exact = append(m.High.Float, float64(high[i])/8), append(m.High.Exact, rat(high[i], 8))
			}
			m.RowStart = append(m.RowStart, int32(len(m.Columns)))
			a.vertices = append(a.vertices, vertices(low, high))
		}
		m.StateStart = append(m.StateStart, int32(len(m.RowStart)-1))
		x := int64(r.IntN(3))
		m.Rewards[0].State.Float, m.Rewards[0].State.Exact = append(m.Rewards[0].State.Float, float64(x)), append(m.Rewards[0].State.Exact, rat(x, 1))
	}
	return a
}

// each calls use with every combination of one of some numbers for each state.
func each(counts []int, use func(pick []int)) {
	pick := make([]int, len(counts))
	for {
		use(pick)
		i := 0
		for ; i < len(pick); i++ {
			if pick[i]++; pick[i] < counts[i] {
				break
			}
			pick[i] = 0
		}
		if i == len(pick) {
			return
		}
	}
}

// best returns the value of the game by all pairs of stationary choices: of the controller's best
// policy, against or with nature. Both have such choices that are optimal from every state.
func (a *arena) best(maximize, natureMaximizes bool, of func(policy, nature []int) []float64) (best []float64) {
	n := a.m.NumStates()
	better := func(x, y float64, greatest bool) bool { return (x > y) == greatest && x != y }
	actions := make([]int, n)
	for s := range n {
		actions[s] = int(a.m.StateStart[s+1] - a.m.StateStart[s])
	}
	each(actions, func(policy []int) {
		counts := make([]int, n)
		for s := range n {
			counts[s] = len(a.vertices[int(a.m.StateStart[s])+policy[s]])
		}
		var worst []float64
		each(counts, func(nature []int) {
			x := of(policy, nature)
			if worst == nil {
				worst = x
			}
			for s := range x {
				if better(x[s], worst[s], natureMaximizes) {
					worst[s] = x[s]
				}
			}
		})
		if best == nil {
			best = worst
		}
		for s := range best {
			if better(worst[s], best[s], maximize) {
				best[s] = worst[s]
			}
		}
	})
	return best
}

// chain returns the probability to reach the last state in a chain, or the total until then.
func (a *arena) chain(policy, nature []int, isTotal bool) []float64 {
	n := len(policy)
	row := func(s int) ([]int32, []int64) {
		k := int(a.m.StateStart[s]) + policy[s]
		return a.m.Columns[a.m.RowStart[k]:a.m.RowStart[k+1]], a.vertices[k][nature[s]]
	}
	can := make([]bool, n) // reach it; and always, on the paths that are left
	can[n-1] = true
	for range n {
		for s := range n {
			to, p := row(s)
			for i, j := range to {
				can[s] = can[s] || p[i] > 0 && can[j]
			}
		}
	}
	sure := slices.Clone(can)
	for range n {
		for s := range n - 1 {
			to, p := row(s)
			for i, j := range to {
				sure[s] = sure[s] && (p[i] == 0 || sure[j])
			}
		}
	}
	rows := make([][]*big.Rat, n)
	for s := range n {
		rows[s] = make([]*big.Rat, n+1)
		for j := range rows[s] {
			rows[s][j] = new(big.Rat)
		}
		rows[s][s].SetInt64(1)
		switch {
		case s == n-1:
			rows[s][n] = truth(!isTotal)
			continue
		case !can[s], isTotal && !sure[s]:
			continue
		case isTotal:
			rows[s][n].Set(a.m.Rewards[0].State.Exact[s])
		}
		to, p := row(s)
		for i, j := range to {
			rows[s][j] = new(big.Rat).Sub(rows[s][j], rat(p[i], 8))
		}
	}
	var values []float64
	for s, x := range solve(rows) {
		float, _ := x.Float64()
		if isTotal && !sure[s] {
			float = math.Inf(1)
		}
		values = append(values, float)
	}
	return values
}

// Reachability and totals where nature chooses what can be reached, against all pairs of stationary
// choices.
func TestIntervalProperties(t *testing.T) {
	models := 60
	if *atLength {
		models = 2000
	}
	r := rand.New(rand.NewPCG(41, 2))
	asked, converged := map[string]int{}, map[string]int{}
	for range models {
		a := randomArena(r)
		require.NoError(t, a.m.Validate())
		for _, sense := range []string{"min", "max"} {
			for _, nature := range []string{"min", "max"} {
				for _, operator := range []string{"P", "R"} {
					text := fmt.Sprintf(`%s%s%s=? [F "a"]`, operator, sense, nature)
					want := a.best(sense == "max", nature == "max", func(policy, nature []int) []float64 { return a.chain(policy, nature, operator == "R") })
					q := question.Question{Property: text}
					on, err := q.On(a.m)
					require.NoError(t, err)
					asked[operator]++
					found, err := answer.Solve(context.Background(), on, answer.Settings{})
					if err != nil {
						assert.ErrorIs(t, err, mdp.ErrUnsupported, "%s: %+v", text, a.m)
						continue
					}
					if found.Status == mdp.Converged {
						converged[operator]++
					}
					for s, x := range want {
						lower, upper := found.Result.Lower[s], found.Result.Upper[s]
						off := 1e-12 * max(1, x)
						if math.IsInf(x, 1) {
							off = 0
						}
						if !(lower <= x+off) || !(upper >= x-off) {
							t.Fatalf("%s: state %d: %v … %v, not %v: %+v", text, s, lower, upper, x, a.m)
						}
					}
					if found.Status == mdp.Converged {
						report, err := certificate.Check(context.Background(), a.m, found.Result, certificate.Options{})
						require.NoError(t, err)
						assert.Equal(t, certificate.Holds, report.Verdict(), "%s: %+v", text, a.m)
					}
				}
			}
		}
	}
	t.Log(asked, converged)
	assert.GreaterOrEqual(t, float64(converged["P"]), 0.98*float64(asked["P"]))
}

// total returns the total of all steps in a chain: the sum of visits, in a chain whose recurrent states
// pay nothing.
func (a *arena) total(policy, nature []int) []float64 {
	n := len(policy)
	reached := make([][]bool, n)
	for s := range n {
		reached[s] = make([]bool, n)
		reached[s][s] = true
	}
	each := func(use func(s int, j int32, p int64)) {
		for s := range n {
			k := int(a.m.StateStart[s]) + policy[s]
			for i, p := range a.vertices[k][nature[s]] {
				if p > 0 {
					use(s, a.m.Columns[int(a.m.RowStart[k])+i], p)
				}
			}
		}
	}
	for range n {
		each(func(s int, j int32, _ int64) {
			for t := range n {
				reached[s][t] = reached[s][t] || reached[j][t]
			}
		})
	}
	recurrent := make([]bool, n)
	for s := range n {
		recurrent[s] = true
		for t := range n {
			recurrent[s] = recurrent[s] && (!reached[s][t] || reached[t][s])
		}
	}
	rows := make([][]*big.Rat, n)
	for s := range n {
		for j := range n + 1 {
			rows[s] = append(rows[s], truth(j == s))
		}
		if !recurrent[s] {
			rows[s][n].Set(a.m.Rewards[0].State.Exact[s])
		}
	}
	each(func(s int, j int32, p int64) {
		if !recurrent[s] {
			rows[s][j].Sub(rows[s][j], rat(p, 8))
		}
	})
	var values []float64
	for s, x := range solve(rows) {
		float, _ := x.Float64()
		for t := range n {
			if reached[s][t] && recurrent[t] && holds(a.m.Rewards[0].State.Exact[t]) {
				float = math.Inf(1)
			}
		}
		values = append(values, float)
	}
	return values
}

// Totals of all steps, against all pairs of stationary choices. Where those who want the greatest total
// might stay without rewards, the question is refused.
func TestIntervalTotalsOfAllSteps(t *testing.T) {
	models := 100
	if *atLength {
		models = 2000
	}
	r := rand.New(rand.NewPCG(41, 5))
	asked, converged, refused, finite := 0, 0, 0, 0
	for range models {
		a := randomArena(r)
		if n := a.m.NumStates(); r.IntN(4) > 0 { // it ends without rewards
			a.m.Rewards[0].State.Float[n-1], a.m.Rewards[0].State.Exact[n-1] = 0, new(big.Rat)
			last := a.m.RowStart[a.m.StateStart[n-1]]
			a.m.Columns = append(a.m.Columns[:last:last], int32(n-1))
			for _, list := range []*modelfile.Numbers{&a.m.Values, &a.m.High} {
				list.Float, list.Exact = append(list.Float[:last:last], 1), append(list.Exact[:last:last], rat(1, 1))
			}
			a.m.RowStart[len(a.m.RowStart)-1] = last + 1
			a.vertices[len(a.vertices)-1] = [][]int64{{8}}
		}
		require.NoError(t, a.m.Validate())
		for _, sense := range []string{"min", "max"} {
			for _, nature := range []string{"min", "max"} {
				q := question.Question{Property: fmt.Sprintf(`R%s%s=? [C]`, sense, nature)}
				on, err := q.On(a.m)
				if asked++; err != nil {
					assert.ErrorContains(t, err, "stay without rewards")
					refused++
					continue
				}
				found, err := answer.Solve(context.Background(), on, answer.Settings{})
				require.NoError(t, err, "%s: %+v", q.Property, a.m)
				for s, x := range a.best(sense == "max", nature == "max", a.total) {
					lower, upper, off := found.Result.Lower[s], found.Result.Upper[s], 1e-12*max(1, x)
					if math.IsInf(x, 1) {
						off = 0
					} else if x > 0 {
						finite++
					}
					if !(lower <= x+off) || !(upper >= x-off) {
						t.Fatalf("%s: state %d: %v … %v, not %v: %+v", q.Property, s, lower, upper, x, a.m)
					}
				}
				if found.Status == mdp.Converged {
					converged++
					report, err := certificate.Check(context.Background(), a.m, found.Result, certificate.Options{})
					require.NoError(t, err)
					assert.Equal(t, certificate.Holds, report.Verdict(), "%s: %+v: %v", q.Property, a.m, report)
				}
			}
		}
	}
	t.Logf("asked %d, refused %d, converged %d, %d states with finite values above 0", asked, refused, converged, finite)
	assert.GreaterOrEqual(t, float64(converged), 0.98*float64(asked-refused))
}

// A chain whose interval decides a value although its probabilities times values are below all float64: from
// state 0, nature chooses how seldom to pay in state 1 before the goal comes.
func TestIntervalsBelowFloat64(t *testing.T) {
	m := read(`{"kind": "mdp", "reward_models": ["cost"], "labels": {"goal": [2]}, "states": [
		{"actions": [{"to": [[0, ["3/7", 1]], [1, [1e-153, 4e-153]], [2, [1e-247, 2e-247]]]}]},
		{"rewards": [1e-270], "actions": [{"to": [[0, 1]]}]},
		{"actions": [{"to": [[2, 1]]}]}]}`)
	for nature, want := range map[string]float64{"best": 1e-153 / 2e-247 * 1e-270, "worst": 4e-153 / 1e-247 * 1e-270} {
		q := question.Question{Criterion: question.Total, Sense: "minimize", Target: "goal", Uncertainty: nature}
		asked, err := q.On(m)
		require.NoError(t, err)
		found, err := answer.Solve(t.Context(), asked, answer.Settings{})
		require.NoError(t, err)
		require.InEpsilon(t, want, found.Result.Lower[0], 1e-12)
		require.InEpsilon(t, want, found.Result.Upper[0], 1e-12)
		report, err := certificate.Check(t.Context(), m, found.Result, certificate.Options{})
		require.NoError(t, err)
		require.Equal(t, certificate.Holds, report.Verdict())
	}
}
