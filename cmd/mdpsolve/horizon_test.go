package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/certificate"
)

// horizonModel is a random model with a finite horizon, in fractions.
type horizonModel struct {
	states   [][2]*big.Rat // reward, terminal reward
	actions  [][]horizonAction
	discount *big.Rat
	steps    int
	maximize bool
}

type horizonAction struct {
	reward *big.Rat
	to     map[int]*big.Rat
}

func randomHorizonModel(random *rand.Rand) *horizonModel {
	m := &horizonModel{discount: big.NewRat(1+random.Int64N(10), 10), steps: 2 + random.IntN(6), maximize: random.IntN(2) == 0}
	number := func() *big.Rat { return big.NewRat(random.Int64N(19)-9, 1+random.Int64N(7)) }
	n := 2 + random.IntN(4)
	for s := range n {
		m.states = append(m.states, [2]*big.Rat{number(), number()})
		m.actions = append(m.actions, nil)
		for range 1 + random.IntN(3) + 1/(1+s) { // the first state has a choice
			a, sum := horizonAction{number(), map[int]*big.Rat{}}, new(big.Rat)
			for _, j := range random.Perm(n)[:1+random.IntN(n)] {
				a.to[j] = big.NewRat(1+random.Int64N(9), 1)
				sum.Add(sum, a.to[j])
			}
			for _, p := range a.to {
				p.Quo(p, sum)
			}
			m.actions[s] = append(m.actions[s], a)
		}
	}
	return m
}

func (m *horizonModel) json(t *testing.T) string {
	t.Helper()
	states := []any{}
	for s, rewards := range m.states {
		actions := []any{}
		for _, a := range m.actions[s] {
			to := [][2]any{}
			for j, p := range a.to {
				to = append(to, [2]any{j, p.RatString()})
			}
			actions = append(actions, map[string]any{"rewards": []string{a.reward.RatString(), "0"}, "to": to})
		}
		states = append(states, map[string]any{"rewards": []string{rewards[0].RatString(), rewards[1].RatString()}, "actions": actions})
	}
	text, err := json.Marshal(map[string]any{"kind": "mdp", "reward_models": []string{"pay", "end"}, "states": states})
	require.NoError(t, err)
	return string(text)
}

// values returns the values by state of policies of each step or, for nil, of the best.
func (m *horizonModel) values(policies [][]int32) []*big.Rat {
	var v []*big.Rat
	for _, rewards := range m.states {
		v = append(v, rewards[1])
	}
	for step := m.steps - 1; step >= 0; step-- {
		var before []*big.Rat
		for s, actions := range m.actions {
			var best *big.Rat
			for a, action := range actions {
				x := new(big.Rat)
				for j, p := range action.to {
					x.Add(x, new(big.Rat).Mul(p, v[j]))
				}
				x.Add(x.Mul(x, m.discount), new(big.Rat).Add(m.states[s][0], action.reward))
				isBetter := best == nil || x.Cmp(best) > 0 == m.maximize
				if len(policies) == 0 && isBetter || len(policies) > 0 && int(policies[step][s]) == a {
					best = x
				}
			}
			before = append(before, best)
		}
		v = before
	}
	return v
}

func (m *horizonModel) question() string {
	sense := " --minimize"
	if m.maximize {
		sense = " --maximize"
	}
	return fmt.Sprintf(" --criterion finite --horizon %d --reward pay --terminal end --discount %s%s", m.steps, m.discount.RatString(), sense)
}

func assertEnclosed(t *testing.T, r *certificate.Result, exactly []*big.Rat, label string) {
	t.Helper()
	for s, x := range exactly {
		lower, upper := new(big.Rat).SetFloat64(r.Lower[s]), new(big.Rat).SetFloat64(r.Upper[s])
		assert.True(t, lower.Cmp(x) <= 0 && x.Cmp(upper) <= 0, "%s: state %d is worth %s, not %v … %v", label, s, x.RatString(), r.Lower[s], r.Upper[s])
	}
}

// TestFiniteHorizons solves random models with terminal rewards and discount factors, evaluates
// random policies of each step, and has both checkers judge the results, forged ones too.
func TestFiniteHorizons(t *testing.T) {
	t.Chdir(t.TempDir())
	const seed = 38
	trials := 40
	if *atLength {
		trials = 500
	}
	var cases []judgedCase
	for trial := range trials {
		random := rand.New(rand.NewPCG(seed, uint64(trial)))
		m, label := randomHorizonModel(random), fmt.Sprintf("seed %d, trial %d", seed, trial)
		name := func(form string) string { return fmt.Sprintf(form, trial) }
		model, question := name("m%d.json"), m.question()
		writeFile(t, model, m.json(t))
		for _, method := range []string{" --method auto", " --method exact"} {
			best := solved(t, "solve "+model+question+method+" --out "+name("r%d.npz"))
			assertEnclosed(t, best, m.values(nil), label)
			require.Len(t, best.Policies, m.steps)
			assertEnclosed(t, best, m.values(best.Policies), label)
			if best.Exact != nil {
				assert.Equal(t, m.values(nil), best.Exact, label)
			}
		}
		writeFile(t, name("r%d.json"), mustPrint(t, "solve "+model+question+" --output json"))
		writeFile(t, name("r%d.csv"), mustPrint(t, "solve "+model+question+" --output csv"))
		best, err := certificate.ReadFile(name("r%d.json"))
		require.NoError(t, err)
		for _, file := range []string{name("r%d.json"), name("r%d.npz"), name("r%d.csv") + question} {
			assert.Contains(t, mustPrint(t, "check "+model+" "+file), ": holds", "%s: %s", label, file)
		}
		for _, file := range []string{"r%d.json", "r%d.npz", "r%d.csv"} {
			own := solved(t, "evaluate "+model+question+" --policy "+name(file))
			assertEnclosed(t, own, m.values(own.Policies), label)
			assertEnclosed(t, best, m.values(own.Policies), label)
		}

		other, lines := make([][]int32, m.steps), []string{"action,state,step"}
		for step := range other {
			for s, actions := range m.actions {
				other[step] = append(other[step], int32(random.IntN(len(actions))))
				lines = append(lines, fmt.Sprintf("%d,%d,%d", other[step][s], s, step+1))
			}
		}
		writeFile(t, name("p%d.csv"), strings.Join(lines, "\n"))
		for _, method := range []string{" --method exact", " --method auto"} {
			own := solved(t, "evaluate "+model+question+method+" --policy "+name("p%d.csv")+" --out "+name("e%d.json"))
			assertEnclosed(t, own, m.values(other), label)
			assert.Equal(t, other, own.Policies, label)
			if own.Exact != nil {
				assert.Equal(t, m.values(other), own.Exact, label)
			}
		}
		assert.Contains(t, mustPrint(t, "check "+model+" "+name("e%d.json")), ": holds", label)
		cases = append(cases, judgedCase{model: model, result: name("r%d.json")}, judgedCase{model: model, result: name("e%d.json")})

		last := slices.Clone(best.Policies[m.steps-1])
		last[0] = (last[0] + 1) % int32(len(m.actions[0]))
		best.Policies[m.steps-1] = last
		worse := m.values(best.Policies)
		isWorse := slices.ContainsFunc([]int{0, 1}, func(s int) bool {
			x, _ := worse[s].Float64()
			return m.maximize && x < best.Lower[s]-1e-9 || !m.maximize && x > best.Upper[s]+1e-9
		})
		if isWorse {
			require.NoError(t, certificate.WriteFile(name("f%d.json"), best))
			status, stdout, _ := execute(t, "check "+model+" "+name("f%d.json"))
			assert.Equal(t, 3, status, label)
			assert.Contains(t, stdout, "refuted", label)
			cases = append(cases, judgedCase{model: model, result: name("f%d.json"), forged: "policy"})
		}
	}
	forged := 0
	for i, verdicts := range judge(t, cases) {
		want := "0"
		if cases[i].forged != "" {
			want = "3"
			forged++
			assert.Equal(t, "refuted", verdicts["policy"], cases[i].result)
		}
		assert.Equal(t, want, verdicts["status"], "%s: %v", cases[i].result, verdicts)
	}
	assert.Greater(t, forged, trials/4)
}

// TestFewStepsAreWritten leaves out the policies of all steps where these are too many.
func TestFewStepsAreWritten(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "m.json", `{"kind": "mdp", "reward_models": ["r"], "states": [{"actions": [{"rewards": [1], "to": [[0, 1]]}, {"to": [[1, 1]]}]}, {"actions": [{"to": [[1, 1]]}]}]}`)
	status, stdout, stderr := execute(t, "solve m.json --criterion finite --horizon 50000001 --maximize --max-iterations 2 --output json")
	assert.Equal(t, 3, status)
	assert.NotContains(t, stdout, "policies")
	assert.Contains(t, stderr, "warning: the policies of 50000001 steps of 2 states are more than 100000000 actions: only that of the first step is written\n")
	status, _, stderr = execute(t, "solve m.json --criterion finite --horizon 3 --maximize --terminal r")
	assert.Equal(t, 2, status)
	assert.Equal(t, "mdpsolve: --terminal: reward model \"r\" has no rewards of states, but of actions or transitions: use one with rewards of states\n", stderr)
}
