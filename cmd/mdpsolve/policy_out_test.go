package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

func TestWrittenPoliciesAreEvaluatedAsSolved(t *testing.T) {
	modelFolder(t)
	require.NoError(t, os.WriteFile("queue.json", []byte(switchedQueue(4, 2)), 0o600))
	for _, question := range []string{
		"taxicab.json --criterion average --maximize",
		"taxicab.json --criterion discounted --discount 9/10 --minimize",
		"paths.drn --criterion total --target goal --minimize",
		"paths.drn --criterion discounted --discount 1/2 --maximize",
		"islands.drn --criterion average --maximize --reward fish",
		"twoservers.tra --criterion average",
		"twoservers.tra --criterion total --target full",
		"queue.json --criterion average --minimize",
		"queue.json --criterion discounted --discount 0.99 --minimize",
	} {
		for _, method := range []string{"", " --method exact"} {
			for _, name := range []string{"policy.json", "policy.csv"} {
				best := solved(t, "solve "+question+method+" --policy-out "+name)
				own := solved(t, "evaluate "+question+method+" --policy "+name)
				assert.Equal(t, best.Policy, own.Policy, question)
				for s := range best.Values {
					if method != "" {
						assert.Equal(t, best.Exact[s], own.Exact[s], "%s: state %d", question, s)
					}
					assert.LessOrEqual(t, own.Lower[s], best.Upper[s], "%s: state %d", question, s)
					assert.GreaterOrEqual(t, own.Upper[s], best.Lower[s], "%s: state %d", question, s)
				}
			}
		}
	}
}

// switchedQueue is a queue with so many places and servers, which are opened and closed one
// at a time, at arrivals that come slowly or in a rush.
func switchedQueue(places, servers int) string {
	state := func(queue, open, rush int) int { return (queue*(servers+1)+open)*2 + rush }
	var states []string
	for queue := range places + 1 {
		for open := range servers + 1 {
			for rush := range 2 {
				var actions []string
				for change, name := range []string{"close", "keep", "open"} {
					now := open + change - 1
					if now < 0 || now > servers {
						continue
					}
					// In 1/100: arrivals 10 or 40, services 40/servers each, a change 2.
					to := map[int]int{state(queue, now, 1-rush): 2 * servers}
					arrivals, busy := []int{10, 40}[rush], min(queue, now)
					to[state(min(queue+1, places), now, rush)] += arrivals * servers
					to[state(max(queue-1, 0), now, rush)] += 40 * busy
					to[state(queue, now, rush)] += (98-arrivals)*servers - 40*busy
					var moves []string
					for _, j := range slices.Sorted(maps.Keys(to)) {
						if to[j] > 0 {
							moves = append(moves, fmt.Sprintf(`[%d, "%d/%d"]`, j, to[j], 100*servers))
						}
					}
					actions = append(actions, fmt.Sprintf(`{"name": %q, "rewards": ["%d/4"], "to": [%s]}`,
						name, 4*queue*queue+6*now+8*max(change-1, 0), strings.Join(moves, ", ")))
				}
				states = append(states, fmt.Sprintf(`{"name": "(%d,%d,%t)", "actions": [%s]}`, queue, open, rush == 1, strings.Join(actions, ", ")))
			}
		}
	}
	full := state(places, 0, 0)
	return fmt.Sprintf(`{"kind": "mdp", "numbers": "rational", "initial": [0], "labels": {"full": [%d, %d]}, "reward_models": ["cost"], "state_variables": "(queue,open,rush)", "states": [%s]}`,
		full, full+1, strings.Join(states, ",\n"))
}

// readRules reads rules as a person does: it returns the name of the action that they give
// to the values of variables.
func readRules(t *testing.T, path string) (head string, action func(values map[string]string) string) {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	var lines []string
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "# ") {
			head += line + "\n"
		} else {
			lines = append(lines, line)
		}
	}
	return head, func(values map[string]string) string {
		holds := func(condition string) bool {
			words := strings.Fields(condition)
			switch {
			case len(words) == 1:
				return values[words[0]] == "true"
			case words[0] == "not":
				return values[words[1]] == "false"
			}
			value, err := strconv.Atoi(values[words[0]])
			require.NoError(t, err)
			bound, err := strconv.Atoi(words[2])
			require.NoError(t, err)
			return map[string]bool{"<=": value <= bound, ">": value > bound}[words[1]]
		}
		indent, taken := 0, false // of the conditions that are looked at
		for _, line := range lines {
			text := strings.TrimLeft(line, " ")
			depth := len(line) - len(text)
			if depth > indent || depth == indent && taken {
				continue
			}
			require.Equal(t, indent, depth, "no rule holds before %q", line)
			head, rest, isBranch := strings.Cut(text, ":")
			if !isBranch {
				return text
			}
			if condition := strings.TrimPrefix(strings.TrimPrefix(head, "else "), "if "); condition != "else" && !holds(condition) {
				continue
			}
			if rest != "" {
				return strings.TrimSpace(rest)
			}
			indent += 2
		}
		t.Fatalf("%s has no rule for %v", path, values)
		return ""
	}
}

// policyOfRules returns the policy of rules: a state without the action of its rule takes
// the first.
func policyOfRules(t *testing.T, m *modelfile.Model, path string) (head string, policy []int32) {
	t.Helper()
	head, action := readRules(t, path)
	names := strings.Split(strings.Trim(m.Variables, "()"), ",")
	for s := range m.NumStates() {
		values := make(map[string]string)
		for i, value := range strings.Split(strings.Trim(m.StateNames[s], "()"), ",") {
			values[names[i]] = value
		}
		at := 0
		for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
			if m.ActionName(s, int(k)) == action(values) {
				at = int(k - m.StateStart[s])
			}
		}
		policy = append(policy, int32(at))
	}
	return head, policy
}

// visited returns the states with a choice that a policy comes to.
func visited(m *modelfile.Model, policy []int32) map[int32]bool {
	seen := map[int32]bool{m.Initial[0]: true}
	for found := []int32{m.Initial[0]}; len(found) > 0; {
		s := found[0]
		found = found[1:]
		k := m.StateStart[s] + policy[s]
		for _, j := range m.Columns[m.RowStart[k]:m.RowStart[k+1]] {
			if !seen[j] {
				seen[j] = true
				found = append(found, j)
			}
		}
	}
	maps.DeleteFunc(seen, func(s int32, _ bool) bool { return m.StateStart[s+1]-m.StateStart[s] == 1 })
	return seen
}

// criterionOf answers a question about a chain in fractions.
type criterionOf func(chain *exact.Model) (*exact.Answer, error)

// exactValue returns what a policy costs from the initial state, by mdp/exact.
func exactValue(t *testing.T, m *modelfile.Model, policy []int32, criterion criterionOf) *big.Rat {
	t.Helper()
	chain, err := m.Under(mdp.Policy{Actions: policy})
	require.NoError(t, err)
	own, err := chain.Exact("")
	require.NoError(t, err)
	answer, err := criterion(own)
	require.NoError(t, err)
	return answer.Values[m.Initial[0]].Rat()
}

func averageOf(chain *exact.Model) (*exact.Answer, error) {
	return chain.Average(context.Background(), mdp.Minimize)
}

func discountedOf(discount *big.Rat) criterionOf {
	return func(chain *exact.Model) (*exact.Answer, error) {
		return chain.Discounted(context.Background(), mdp.Minimize, discount)
	}
}

// printedInterval reads "1.5 ± 0.1", "between 1 and 2" or "1.5".
func printedInterval(t *testing.T, text string) (low, high *big.Rat) {
	t.Helper()
	number := func(text string) *big.Rat {
		x, ok := new(big.Rat).SetString(text)
		require.True(t, ok, "%q", text)
		return x
	}
	if between, is := strings.CutPrefix(text, "between "); is {
		first, last, _ := strings.Cut(between, " and ")
		return number(first), number(last)
	}
	middle, radius, is := strings.Cut(text, " ± ")
	if !is {
		return number(text), number(text)
	}
	return new(big.Rat).Sub(number(middle), number(radius)), new(big.Rat).Add(number(middle), number(radius))
}

func assertWithin(t *testing.T, x *big.Rat, text string) {
	t.Helper()
	low, high := printedInterval(t, text)
	assert.True(t, low.Cmp(x) <= 0 && x.Cmp(high) <= 0, "%s is not %s", x.FloatString(20), text)
}

var costOfRules = regexp.MustCompile(`# (\d+) rules? in place of (\d+): their (?:average|total) is (.*?)(?: per step)?, (.*?)( %)? (?:above|below) the optimum;`)

// checkRules solves a question about a model, and compares rules with the policy, and
// what is said of fewer rules with exact values.
func checkRules(t *testing.T, m *modelfile.Model, question string, criterion criterionOf, sizes ...int) (simplified int) {
	t.Helper()
	best := solved(t, "solve "+question+" --policy-out rules.txt")
	head, policy := policyOfRules(t, m, "rules.txt")
	require.Contains(t, head, "the policy wherever it has a choice, in states that it reaches from the initial ones")
	met := visited(m, best.Policy)
	for s := range met {
		require.Equal(t, best.Policy[s], policy[s], "%s: state %d", question, s)
	}
	optimum := exactValue(t, m, best.Policy, criterion)
	require.Equal(t, optimum, exactValue(t, m, policy, criterion))
	for _, size := range sizes {
		solved(t, fmt.Sprintf("solve %s --policy-out rules.txt --max-rules %d", question, size))
		head, policy := policyOfRules(t, m, "rules.txt")
		said := costOfRules.FindStringSubmatch(head)
		if said == nil {
			require.Contains(t, head, "the policy wherever it has a choice")
			continue
		}
		simplified++
		count, err := strconv.Atoi(said[1])
		require.NoError(t, err)
		require.LessOrEqual(t, count, size)
		value := exactValue(t, m, policy, criterion)
		assertWithin(t, value, said[3])
		excess := new(big.Rat).Sub(value, optimum)
		excess.Abs(excess)
		if said[5] != "" {
			excess.Quo(excess, optimum).Mul(excess, big.NewRat(100, 1)).Abs(excess)
		}
		assertWithin(t, excess, said[4])
	}
	return simplified
}

func TestRulesAreThePolicyOfAQueue(t *testing.T) {
	t.Chdir(t.TempDir())
	text := switchedQueue(6, 3)
	require.NoError(t, os.WriteFile("queue.json", []byte(text), 0o600))
	m, err := modelfile.ReadJSON(strings.NewReader(text), "queue.json", modelfile.Options{Exact: true})
	require.NoError(t, err)
	assert.Equal(t, 5, checkRules(t, m, "queue.json --criterion average --minimize", averageOf, 1, 2, 3, 5, 8))
	assert.Positive(t, checkRules(t, m, "queue.json --criterion discounted --discount 9/10 --minimize", discountedOf(big.NewRat(9, 10)), 1, 2, 3))
	assert.Positive(t, checkRules(t, m, "queue.json --criterion total --target full --minimize", func(chain *exact.Model) (*exact.Answer, error) {
		return chain.Total(t.Context(), mdp.Minimize, m.Labels["full"])
	}, 1, 2, 3))
}

// randomRuled is a small model with states that have variables, of costs of any sign.
func randomRuled(random *rand.Rand) string {
	sizes := []int{1 + random.IntN(4), 1 + random.IntN(3), 2}
	n := sizes[0] * sizes[1] * sizes[2]
	var states []string
	for s := range n {
		var actions []string
		for _, a := range random.Perm(4)[:1+random.IntN(4)] {
			weights, all := make(map[int]int), 0
			for range 1 + random.IntN(3) {
				w := 1 + random.IntN(4)
				weights[random.IntN(n)] += w
				all += w
			}
			var to []string
			for _, j := range slices.Sorted(maps.Keys(weights)) {
				to = append(to, fmt.Sprintf(`[%d, "%d/%d"]`, j, weights[j], all))
			}
			actions = append(actions, fmt.Sprintf(`{"name": "do_%d", "rewards": [%d], "to": [%s]}`, a, random.IntN(40)-10, strings.Join(to, ", ")))
		}
		states = append(states, fmt.Sprintf(`{"name": "(%d,%d,%t)", "actions": [%s]}`,
			s%sizes[0]-1, s/sizes[0]%sizes[1]*5, s/sizes[0]/sizes[1] == 1, strings.Join(actions, ", ")))
	}
	return `{"kind": "mdp", "numbers": "rational", "initial": [0], "reward_models": ["r"], "state_variables": "(x,y,z)", "states": [` + strings.Join(states, ",\n") + "]}"
}

func TestRulesOfRandomModels(t *testing.T) {
	t.Chdir(t.TempDir())
	const seed = 274
	random := rand.New(rand.NewPCG(seed, 0))
	simplified := 0
	for i := range 60 {
		text := randomRuled(random)
		m, err := modelfile.ReadJSON(strings.NewReader(text), "m.json", modelfile.Options{Exact: true})
		require.NoError(t, err)
		if m.NumChoices() == m.NumStates() {
			continue
		}
		require.NoError(t, os.WriteFile("m.json", []byte(text), 0o600))
		sense := []string{" --minimize", " --maximize"}[i%2]
		if i%4 < 2 {
			simplified += checkRules(t, m, "m.json --criterion average"+sense, averageOf, 1, 2, 4)
		} else {
			simplified += checkRules(t, m, "m.json --criterion discounted --discount 7/8"+sense, discountedOf(big.NewRat(7, 8)), 1, 2, 4)
		}
	}
	assert.Greater(t, simplified, 50, "seed %d", seed)
}

// Names that would be misread are in quotation marks.
func TestRulesOfHostileNames(t *testing.T) {
	t.Chdir(t.TempDir())
	model := func(variables, first, second, action string) string {
		return fmt.Sprintf(`{"kind": "mdp", "reward_models": ["r"], "state_variables": %q, "states": [
			{"name": %q, "actions": [{"name": %q, "rewards": [1], "to": [[1, 1]]}, {"name": "b", "rewards": [2], "to": [[1, 1]]}]},
			{"name": %q, "actions": [{"name": %q, "rewards": [2], "to": [[0, 1]]}, {"name": "b", "rewards": [1], "to": [[0, 1]]}]}]}`,
			variables, first, action, second, action)
	}
	for _, test := range []struct{ variables, first, second, action, want string }{
		{"(x)", "(-9223372036854775808)", "(9223372036854775807)", "a", "if x <= -9223372036854775808: a\nelse: b\n"},
		{`(a "b": c)`, "(-1)", "(0)", "if x:\n", `if "a \"b\": c" <= -1: "if x:\n"` + "\nelse: b\n"},
		{"(x, é')", "(0, false)", "(0, true)", "a,b", "if not é': \"a,b\"\nelse: b\n"},
		{"(x,y)", "(1,0)", "(1,0)", "a", "--policy-out: states 0 and 1 have the same values, but not the same action: use .json or .csv"},
		{"(x)", "(0)", "(9223372036854775808)", "a", `--policy-out: variable "x" is "9223372036854775808" in state 1: rules need whole numbers, or true and false in all states`},
		{"(x)", "(0)", "(true)", "a", `--policy-out: variable "x" is "true" in state 1: rules need`},
		{"(x)", "(true)", "(1)", "a", `--policy-out: variable "x" is "1" in state 1: rules need`},
		{"(x)", "(0)", "(0,1)", "a", "--policy-out: the states of the model have no variables, and so no rules: use .json or .csv"},
		{"(x)", "(0)", "(1)", "b", `--policy-out: state 0 (0) has several actions "b": rules need a name for each`},
	} {
		require.NoError(t, os.WriteFile("m.json", []byte(model(test.variables, test.first, test.second, test.action)), 0o600))
		require.NoError(t, os.WriteFile("rules.txt", []byte("before"), 0o600))
		status, _, stderr := execute(t, "solve m.json --criterion average --minimize --policy-out rules.txt")
		content, err := os.ReadFile("rules.txt")
		require.NoError(t, err)
		if strings.HasPrefix(test.want, "--") {
			assert.Equal(t, 2, status)
			assert.Contains(t, stderr, test.want)
			assert.Equal(t, 1, strings.Count(stderr, "\n"))
			assert.Equal(t, "before", string(content))
			continue
		}
		require.Zero(t, status, stderr)
		assert.Equal(t, test.want, strings.Join(strings.SplitAfter(string(content), "\n")[2:], ""))
	}
}

// The scheduler has the members that Storm's has: compared with one that stormpy 2.0.0
// exported for a model with labels and valuations.
func TestSchedulerHasTheMembersOfStorm(t *testing.T) {
	modelFolder(t)
	solved(t, "solve taxicab.json --criterion average --maximize --policy-out policy.json")
	file, err := os.Open("policy.json")
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	lines := bufio.NewScanner(file)
	require.True(t, lines.Scan())
	assert.JSONEq(t, `{"c": [{"index": 1, "labels": ["stand"], "prob": 1.0}], "s": {"town": "A"}}`, strings.TrimPrefix(lines.Text(), "["))
	m, err := modelfile.ReadFile("taxicab.json", modelfile.Options{})
	require.NoError(t, err)
	p, _, err := certificate.ReadPolicyFile("policy.json", m)
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 1, 1}, p.Deterministic())
}
