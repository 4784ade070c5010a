package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/certificate"
)

// timedModel is a random model in continuous time, in fractions.
type timedModel struct {
	kind   string
	states []timedState
}

type timedState struct {
	rate    *big.Rat // reward per unit of time
	actions []timedAction
}

// timedAction is what a jump from a state does, and how long the state lasts until then on
// average: sojourn is nil for ever.
type timedAction struct {
	rate, reward, sojourn *big.Rat // rate is a reward per unit of time
	to, pays              []*big.Rat
}

func randomTimedModel(random *rand.Rand, kind string, isSigned bool) *timedModel {
	m := &timedModel{kind: kind}
	number := func() *big.Rat {
		x := big.NewRat(random.Int64N(10), 1+random.Int64N(7))
		if random.IntN(3) == 0 {
			x.SetInt64(0)
		} else if isSigned && random.IntN(2) == 0 {
			x.Neg(x)
		}
		return x
	}
	n := 2 + random.IntN(3)
	for s := range n {
		state := timedState{rate: number()}
		for range 1 + random.IntN(3) + 1/(1+s) { // the first state has a choice
			a := timedAction{rate: number(), reward: number(), sojourn: big.NewRat(1+random.Int64N(30), 1+random.Int64N(30)), to: zeros(n), pays: zeros(n)}
			if kind == "ctmdp" && random.IntN(6) == 0 {
				a = timedAction{rate: new(big.Rat), reward: number(), to: zeros(n), pays: zeros(n)}
				state.actions = append(state.actions, a)
				continue
			}
			sum := new(big.Rat)
			for _, j := range random.Perm(n)[:1+random.IntN(n)] {
				a.to[j], a.pays[j] = big.NewRat(1+random.Int64N(9), 1), number()
				sum.Add(sum, a.to[j])
			}
			for _, p := range a.to {
				p.Quo(p, sum)
			}
			state.actions = append(state.actions, a)
		}
		m.states = append(m.states, state)
	}
	return m
}

func (m *timedModel) json(t *testing.T) string {
	t.Helper()
	states := []any{}
	one := func(x *big.Rat) []string { return []string{x.RatString()} }
	for _, s := range m.states {
		actions := []any{}
		for _, a := range s.actions {
			to := [][]any{}
			for j, p := range a.to {
				if p.Sign() == 0 {
					continue
				}
				value := p
				if m.kind == "ctmdp" {
					value = new(big.Rat).Quo(p, a.sojourn)
				}
				to = append(to, []any{j, value.RatString(), one(a.pays[j])})
			}
			action := map[string]any{"rewards": one(a.reward), "reward_rates": one(a.rate), "to": to}
			if m.kind == "smdp" {
				action["duration"] = a.sojourn.RatString()
			}
			actions = append(actions, action)
		}
		states = append(states, map[string]any{"rewards": one(s.rate), "actions": actions})
	}
	text, err := json.Marshal(states)
	require.NoError(t, err)
	return fmt.Sprintf(`{"kind": %q, "reward_models": ["pay"], "labels": {"end": [%d]}, "states": %s}`, m.kind, len(states)-1, text)
}

// timedQuestion is a question about a timed model; without a criterion it is a total.
type timedQuestion struct {
	flags   string
	average bool
	rate    *big.Rat // of discounting
	target  int      // −1 for none
}

// visit returns what a state earns until its jump, which comes after the sojourn time.
func (s timedState) visit(a timedAction) *big.Rat {
	earned := new(big.Rat).Add(s.rate, a.rate)
	earned.Add(earned.Mul(earned, a.sojourn), a.reward)
	for j, p := range a.to {
		earned.Add(earned, new(big.Rat).Mul(p, a.pays[j]))
	}
	return earned
}

// values returns the values by state of a policy, which takes one action in each; nil for +∞.
func (m *timedModel) values(q timedQuestion, policy []timedAction) []*big.Rat {
	n := len(policy)
	reach := make([][]bool, n)
	for s, a := range policy {
		reach[s] = make([]bool, n)
		reach[s][s] = true
		for j, p := range a.to {
			reach[s][j] = reach[s][j] || p.Sign() > 0 && s != q.target
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	closed := func(s int) bool {
		for j := range n {
			if reach[s][j] && !reach[j][s] {
				return false
			}
		}
		return true
	}
	gains, infinite := make([]*big.Rat, n), make([]bool, n)
	for s := range n {
		if closed(s) {
			gains[s] = m.classGain(policy, reach[s])
			infinite[s] = !q.average && q.rate == nil && (q.target >= 0 && s != q.target || q.target < 0 && gains[s].Sign() != 0)
		}
	}
	equations := make([][]*big.Rat, n)
	for s, a := range policy {
		equations[s] = zeros(n + 1)
		equations[s][s].SetInt64(1)
		weight := big.NewRat(1, 1) // of what comes after the jump
		switch {
		case q.rate != nil && a.sojourn == nil:
			equations[s][n].Quo(m.states[s].rate, q.rate)
			continue
		case q.rate != nil: // the transform of an exponential time, 1/(1+α·τ)
			weight.Inv(weight.Add(weight, new(big.Rat).Mul(q.rate, a.sojourn)))
			equations[s][n].Mul(weight, m.states[s].visit(a))
		case q.average && closed(s):
			equations[s][n].Set(gains[s])
			continue
		case q.average:
		case closed(s): // it earns no more
			continue
		default:
			equations[s][n].Set(m.states[s].visit(a))
		}
		for j, p := range a.to {
			equations[s][j].Sub(equations[s][j], new(big.Rat).Mul(weight, p))
		}
	}
	values := gauss(equations)
	for s := range values {
		for j := range n {
			if reach[s][j] && infinite[j] {
				values[s] = nil
			}
		}
	}
	return values
}

// classGain returns the gain of a closed class: what its jumps earn over the time that they
// take, by the stationary distribution of the jumps.
func (m *timedModel) classGain(policy []timedAction, class []bool) *big.Rat {
	first, n := slices.Index(class, true), len(policy)
	if policy[first].sojourn == nil {
		return m.states[first].rate
	}
	equations := make([][]*big.Rat, n)
	for s := range n {
		equations[s] = zeros(n + 1)
	}
	for s, a := range policy {
		equations[s][s].Add(equations[s][s], big.NewRat(-1, 1))
		for j, p := range a.to {
			if class[s] {
				equations[j][s].Add(equations[j][s], p)
			}
		}
	}
	equations[first] = zeros(n + 1)
	for s := range n {
		if class[s] {
			equations[first][s].SetInt64(1)
		}
	}
	equations[first][n].SetInt64(1)
	earned, time := new(big.Rat), new(big.Rat)
	for s, share := range gauss(equations) {
		if class[s] {
			earned.Add(earned, new(big.Rat).Mul(share, m.states[s].visit(policy[s])))
			time.Add(time, new(big.Rat).Mul(share, policy[s].sojourn))
		}
	}
	return earned.Quo(earned, time)
}

// best returns the best values by state of all policies.
func (m *timedModel) best(q timedQuestion, maximize bool) []*big.Rat {
	policy, best := make([]timedAction, len(m.states)), []*big.Rat(nil)
	var choose func(s int)
	choose = func(s int) {
		if s < len(policy) {
			for _, a := range m.states[s].actions {
				policy[s] = a
				choose(s + 1)
			}
			return
		}
		own := m.values(q, policy)
		if best == nil {
			best = own
			return
		}
		for s, x := range own {
			isGreater := best[s] != nil && (x == nil || x.Cmp(best[s]) > 0)
			isLess := x != nil && (best[s] == nil || x.Cmp(best[s]) < 0)
			if maximize && isGreater || !maximize && isLess {
				best[s] = x
			}
		}
	}
	choose(0)
	return best
}

// mixed returns what happens in a state where an action is taken for a share of the time, and
// another for the rest.
func (s timedState) mixed(share *big.Rat, x, y timedAction) timedAction {
	n := len(x.to)
	mix := timedAction{rate: new(big.Rat), reward: new(big.Rat), to: zeros(n), pays: zeros(n)}
	exit := new(big.Rat)
	for i, a := range []timedAction{x, y} {
		w := new(big.Rat).Set(share)
		if i == 1 {
			w.Sub(big.NewRat(1, 1), share)
		}
		mix.rate.Add(mix.rate, new(big.Rat).Mul(w, a.rate))
		if a.sojourn == nil {
			continue
		}
		jumps := w.Quo(w, a.sojourn) // per unit of time
		exit.Add(exit, jumps)
		mix.reward.Add(mix.reward, new(big.Rat).Mul(jumps, a.reward))
		for j, p := range a.to {
			jump := new(big.Rat).Mul(jumps, p)
			mix.to[j].Add(mix.to[j], jump)
			mix.reward.Add(mix.reward, jump.Mul(jump, a.pays[j]))
		}
	}
	if exit.Sign() == 0 {
		return mix
	}
	mix.sojourn = new(big.Rat).Inv(exit)
	for _, x := range append([]*big.Rat{mix.reward}, mix.to...) {
		x.Quo(x, exit)
	}
	return mix
}

// TestRatesWithChoices solves random CTMDPs and SMDPs, evaluates policies, and compares with all
// policies in fractions: the average by what jumps earn over the time that they take, a
// discounted total by the transform of exponential times, and totals by the jumps. Both
// checkers judge the results.
func TestRatesWithChoices(t *testing.T) {
	t.Chdir(t.TempDir())
	const seed = 384
	trials := 40
	if *atLength {
		trials = 500
	}
	var cases []judgedCase
	for trial := range trials {
		for _, kind := range []string{"ctmdp", "smdp"} {
			random := rand.New(rand.NewPCG(seed, uint64(trial)))
			isSigned := random.IntN(2) == 0
			m := randomTimedModel(random, kind, isSigned)
			questions := []timedQuestion{{flags: "average", average: true, target: -1}}
			if kind == "ctmdp" {
				alpha := big.NewRat(1+random.Int64N(20), 1+random.Int64N(200))
				questions = append(questions, timedQuestion{flags: "discounted --rate " + alpha.RatString(), rate: alpha, target: -1})
			}
			if !isSigned {
				questions = append(questions, timedQuestion{flags: "total", target: -1}, timedQuestion{flags: "total --target end", target: len(m.states) - 1})
			}
			model := fmt.Sprintf("%s%d.json", kind, trial)
			writeFile(t, model, m.json(t))
			for _, q := range questions {
				maximize := random.IntN(2) == 0
				sense := " --minimize"
				if maximize {
					sense = " --maximize"
				}
				line := model + " --criterion " + q.flags
				label := fmt.Sprintf("seed %d, trial %d: %s%s", seed, trial, line, sense)
				want := m.best(q, maximize)
				result := fmt.Sprintf("r%d.json", len(cases))
				best := solved(t, "solve "+line+sense+" --out "+result)
				assertValued(t, best, want, label)
				if !slices.Contains(want, nil) {
					assert.Equal(t, want, solved(t, "solve "+line+sense+" --method exact").Exact, label)
				}
				assert.Contains(t, mustPrint(t, "check "+model+" "+result), ": holds", label)
				cases = append(cases, judgedCase{line: label, model: model, result: result})

				policy, lines := []timedAction(nil), "state,policy,probability\n"
				for s, state := range m.states {
					x, y := random.IntN(len(state.actions)), random.IntN(len(state.actions))
					share := big.NewRat(1+random.Int64N(3), 4)
					if x == y {
						policy, lines = append(policy, state.actions[x]), lines+fmt.Sprintf("%d,%d,1\n", s, x)
						continue
					}
					policy = append(policy, state.mixed(share, state.actions[x], state.actions[y]))
					rest := new(big.Rat).Sub(big.NewRat(1, 1), share)
					lines += fmt.Sprintf("%d,%d,%s\n%d,%d,%s\n", s, x, share.RatString(), s, y, rest.RatString())
				}
				writeFile(t, "p.csv", lines)
				assertValued(t, solved(t, "evaluate "+line+" --policy p.csv"), m.values(q, policy), label+", a policy")
			}
		}
	}
	for i, verdicts := range judge(t, cases) {
		assert.Equal(t, "0", verdicts["status"], "%s: %v", cases[i].line, verdicts)
	}
}

// assertValued asserts that bounds enclose values, nil for +∞, and are close.
func assertValued(t *testing.T, r *certificate.Result, want []*big.Rat, label string) {
	t.Helper()
	assert.Equal(t, "converged", r.Status, label)
	for s, x := range want {
		if x == nil {
			assert.True(t, math.IsInf(r.Lower[s], 1), "%s: state %d is infinite, not %v … %v", label, s, r.Lower[s], r.Upper[s])
			continue
		}
		lower, upper := new(big.Rat).SetFloat64(r.Lower[s]), new(big.Rat).SetFloat64(r.Upper[s])
		if assert.True(t, lower != nil && upper != nil, "%s: state %d is worth %s, not %v … %v", label, s, x.RatString(), r.Lower[s], r.Upper[s]) {
			assert.True(t, lower.Cmp(x) <= 0 && x.Cmp(upper) <= 0, "%s: state %d is worth %s, not %v … %v", label, s, x.RatString(), r.Lower[s], r.Upper[s])
		}
	}
}
