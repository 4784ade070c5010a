package answer_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

var atLength = flag.Bool("long", false, "run random tests in full")

// randomMDP returns a model with small whole rewards, in which ties are frequent. From every state
// the next one may come, and the last has the label goal.
func randomMDP(random *rand.Rand) *modelfile.Model {
	n := 2 + random.IntN(4)
	var states []map[string]any
	for s := range n {
		var actions []map[string]any
		for range 1 + random.IntN(3) {
			to := [][]any{{(s + 1) % n, "1/2"}}
			if rest := random.IntN(3); rest == 0 {
				to = append(to, []any{random.IntN(n), "1/3"}, []any{random.IntN(n), "1/6"})
			} else {
				to = append(to, []any{random.IntN(n), "1/2"})
			}
			merged := map[int]*big.Rat{}
			for _, e := range to {
				p, _ := new(big.Rat).SetString(e[1].(string))
				if merged[e[0].(int)] == nil {
					merged[e[0].(int)] = new(big.Rat)
				}
				merged[e[0].(int)].Add(merged[e[0].(int)], p)
			}
			row := [][]any{}
			for j, p := range merged {
				row = append(row, []any{j, p.RatString()})
			}
			actions = append(actions, map[string]any{"rewards": []any{random.IntN(3), random.IntN(2)}, "to": row})
		}
		states = append(states, map[string]any{"actions": actions})
	}
	text, err := json.Marshal(map[string]any{"kind": "mdp", "reward_models": []string{"r", "c"}, "labels": map[string]any{"goal": []int{n - 1}}, "states": states})
	if err != nil {
		panic(err)
	}
	return read(string(text))
}

// TestActionValues compares the optimal actions with what policies are worth, in fractions: a policy
// of optimal actions has the optimum, and one that begins with another action has not.
func TestActionValues(t *testing.T) {
	trials := 60
	if *atLength {
		trials = 1000
	}
	ties := 0
	for seed := range uint64(trials) {
		random := rand.New(rand.NewPCG(seed, 38))
		m := randomMDP(random)
		q := question.Question{Criterion: question.Total, Target: "goal", Sense: []string{"minimize", "maximize"}[random.IntN(2)], Reward: "r"}
		if random.IntN(2) == 0 {
			q.Criterion, q.Target = question.Discounted, ""
			q.SetDiscount(big.NewRat(1+random.Int64N(9), 10))
		}
		asked, err := q.On(m)
		require.NoError(t, err)
		found, err := answer.Solve(t.Context(), asked, answer.Settings{})
		require.NoError(t, err)
		values, err := found.ActionValues(t.Context())
		require.NoError(t, err)
		best := exactValues(t, m, q, nil)
		policy := make([]int32, m.NumStates())
		for s := range policy {
			optimal := 0
			for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
				once := firstThen(t, m, q, s, k-m.StateStart[s], best)
				require.NotEqual(t, mdp.Undecided, values.Optimality[k])
				isOptimal := once.Cmp(best[s]) == 0
				assert.Equal(t, isOptimal, values.Optimality[k] == mdp.Optimal, "seed %d, state %d, choice %d: %s, optimum %s", seed, s, k, once.RatString(), best[s].RatString())
				x, _ := once.Float64()
				assert.True(t, values.Lower[k] <= x && x <= values.Upper[k])
				if isOptimal {
					if optimal++; optimal > 1 {
						ties++
					}
					if random.IntN(2) == 0 || optimal == 1 {
						policy[s] = k - m.StateStart[s]
					}
				}
			}
			require.Positive(t, optimal)
		}
		for s, x := range exactValues(t, m, q, policy) {
			assert.Zero(t, x.Cmp(best[s]), "seed %d, state %d", seed, s)
		}
	}
	assert.Greater(t, ties, trials/4)
}

// exactValues returns the optimum, or the values of a policy.
func exactValues(t *testing.T, m *modelfile.Model, q question.Question, policy []int32) (values []*big.Rat) {
	t.Helper()
	if policy != nil {
		chain, err := m.Under(mdp.Policy{Actions: policy})
		require.NoError(t, err)
		m = chain
	}
	asked, err := q.On(m)
	require.NoError(t, err)
	found, err := answer.Solve(context.Background(), asked, answer.Settings{Exactly: true})
	require.NoError(t, err)
	return found.Result.Exact
}

// firstThen returns what an action in a state is worth if the optimum follows: the value of a copy
// of the state, added to the model, that has this action alone.
func firstThen(t *testing.T, m *modelfile.Model, q question.Question, s int, action int32, best []*big.Rat) *big.Rat {
	t.Helper()
	if s == m.NumStates()-1 && q.Target != "" {
		return new(big.Rat)
	}
	n, k := m.NumStates(), m.StateStart[s]+action
	var states []string
	for j := range n { // states that are worth the optimum: they earn it, and end
		states = append(states, fmt.Sprintf(`{"actions": [{"rewards": [%q], "to": [[%d, 1]]}]}`, best[j].RatString(), n+1))
	}
	var to []string
	for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
		to = append(to, fmt.Sprintf(`[%d, %q]`, m.Columns[e], m.Values.Exact[e].RatString()))
	}
	r, err := m.Reward("r")
	require.NoError(t, err)
	reward := "0" // if the list is empty
	if r.Action.Len() > 0 {
		reward = r.Action.Exact[k].RatString()
	}
	states = append(
		states, fmt.Sprintf(`{"actions": [{"rewards": [%q], "to": [%s]}]}`, reward, strings.Join(to, ", ")),
		fmt.Sprintf(`{"actions": [{"rewards": [0], "to": [[%d, 1]]}]}`, n+1),
	)
	other := read(fmt.Sprintf(`{"kind": "dtmc", "reward_models": ["r"], "labels": {"end": [%d]}, "states": [%s]}`, n+1, strings.Join(states, ", ")))
	later := q
	if q.Target != "" {
		later.Target = "end"
	}
	return exactValues(t, other, later, nil)[n]
}
