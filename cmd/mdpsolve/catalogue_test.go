package main

// The problems of package catalogue, whose optima are known: what every method says
// of them holds, by both checkers.

import (
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/mdptest/catalogue"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

const (
	// manyStates are so many that Python takes seconds for each result.
	manyStates = 1000

	// fewIterations are too few for sweeps over a slow problem: what a solve says that
	// ends early has to hold too.
	fewIterations = "1000"
)

func TestCatalogue(t *testing.T) {
	t.Chdir(t.TempDir())
	c := &catalogueRun{T: t, answers: map[string]int{}}
	for _, p := range catalogue.Problems() {
		flags, ok := flagsFor(p)
		if !ok {
			t.Logf("%s has terminal costs, for which there is no flag: left out", p.Name)
			continue
		}
		best := c.solve(p, p.Name, flags, p.Exact(), nil)
		if a := p.Exact(); isContinuous(a) && !isChain(a) {
			c.solve(p, p.Name+"-chain", flags, follow(a, best), best)
		}
	}
	for _, method := range slices.Clone(modelMethods) {
		assert.NotZero(t, c.answers[method], method)
	}
	t.Logf("answers by method: %v", c.answers)
	t.Run("python", func(t *testing.T) {
		for i, verdicts := range judge(t, c.cases) {
			assert.Equal(t, "0", verdicts["status"], "%s: %v", c.cases[i].line, verdicts)
			for _, claim := range []string{"lower", "upper", "values", "policy"} {
				assert.Equal(t, "holds", verdicts[claim], "%s: %s", c.cases[i].line, claim)
			}
		}
	})
}

// flagsFor returns the flags that ask the question of a problem. There are none for
// terminal costs.
func flagsFor(p *catalogue.Problem) (flags string, ok bool) {
	sense := map[mdp.Sense]string{mdp.Minimize: " --minimize", mdp.Maximize: " --maximize"}
	switch c := p.Criterion.(type) {
	case mdp.LongRunAverage:
		return " --criterion average" + sense[c.Sense], true
	case mdp.Discounted: // all discount factors are short decimals
		return fmt.Sprint(" --criterion discounted --discount ", c.Discount, sense[c.Sense]), true
	case mdp.TotalCost:
		return " --criterion total --target target" + sense[c.Sense], true
	case mdp.FiniteHorizon:
		free := !slices.ContainsFunc(c.Terminal, func(x float64) bool { return x != 0 })
		return fmt.Sprint(" --criterion finite --horizon ", c.Steps, sense[c.Sense]), free
	}
	panic(fmt.Sprintf("criterion %T found", p.Criterion))
}

// Every problem comes back from UMB as it was, in fractions and in float64.
func TestCatalogueThroughUMB(t *testing.T) {
	folder := t.TempDir()
	written := func(m *modelfile.Model) string {
		var text strings.Builder
		require.NoError(t, modelfile.WriteJSON(&text, m))
		return text.String()
	}
	for _, p := range catalogue.Problems() {
		for _, exact := range []bool{true, false} {
			options := modelfile.Options{Exact: exact}
			m, err := modelfile.ReadJSON(strings.NewReader(written(modelOf(p, p.Exact()))), p.Name, options)
			require.NoError(t, err)
			for _, name := range []string{"m.umb", "m.umb.gz"} {
				path := filepath.Join(folder, name)
				require.NoError(t, modelfile.WriteFile(path, m), p.Name)
				got, err := modelfile.ReadFile(path, options)
				require.NoError(t, err, p.Name)
				assert.Equal(t, written(m), written(got), p.Name)
			}
		}
	}
}

// catalogueRun is what has been solved so far.
type catalogueRun struct {
	*testing.T
	answers map[string]int // by method
	cases   []judgedCase   // for Python
}

// solve solves a problem, given as arrays, by every method, and returns the policy
// of the last one. Where the arrays are the chain of a policy, that is given too.
func (c *catalogueRun) solve(p *catalogue.Problem, name, flags string, a exact.Arrays, of []int32) []int32 {
	model := name + ".json"
	require.NoError(c, modelfile.WriteFile(model, modelOf(p, a)))
	methods, python := slices.Clone(modelMethods), true
	if p.NumStates() > manyStates && !*atLength {
		c.Logf("%s has %d states: without -long only the default method is run, and not Python", name, p.NumStates())
		methods, python = methods[:1], false
	}
	policy := of
	for _, method := range methods {
		line, result := "solve "+model+flags+" --method "+method, name+"."+method+".json"
		stops := p.Slow && method != ui.MethodAuto && method != methodExact
		if stops {
			line += " --max-iterations " + fewIterations
		}
		status, _, stderr := execute(c.T, line+" --out "+result)
		switch {
		case status == ui.ExitUsage && strings.Contains(stderr, "for this question"):
			continue
		case status == ui.ExitLimit && stops:
			c.Log(strings.TrimSpace(stderr))
		default:
			require.Zero(c, status, "%s: %s", line, stderr)
		}
		c.answers[method]++
		policy = c.verify(p, line, result, of)
		c.check("check " + model + " " + result)
		if python {
			c.cases = append(c.cases, judgedCase{line: line, model: model, result: result})
		}
	}
	return policy
}

// verify wants what [catalogue.Problem.Verify] asks of an answer, and the optimum itself
// where it is given exactly. It returns the policy.
func (c *catalogueRun) verify(p *catalogue.Problem, line, name string, of []int32) []int32 {
	r, err := certificate.ReadFile(name)
	require.NoError(c, err)
	policy := r.Policy
	if of != nil {
		policy = of
	}
	assert.NoError(c, p.Verify(catalogue.Answer{
		Lower: r.Lower, Upper: r.Upper, Value: r.Values, Policy: policy, Converged: r.Status == "converged",
	}), line)
	for s, x := range r.Exact {
		if optimum := p.Optimum[s]; x == nil || optimum == nil {
			assert.True(c, x == nil && optimum == nil && r.Values[s] == math.Inf(1), "%s: state %d", line, s)
		} else {
			assert.Zero(c, x.Cmp(optimum), "%s: state %d: %s, %s", line, s, x, optimum)
		}
	}
	return policy
}

// check wants every claim to hold by the certificate in the result.
func (c *catalogueRun) check(line string) {
	got := answer(c.T, line)
	assert.Equal(c, "holds", got["verdict"], line)
	if got["criterion"] != criterionFinite {
		assert.Equal(c, "given", got["certificate"], line)
	}
	claims := got["claims"].([]any)
	assert.GreaterOrEqual(c, len(claims), 4, line)
	for _, claim := range claims {
		assert.Equal(c, "holds", claim.(map[string]any)["verdict"], "%s: %v", line, claim)
	}
}

func isContinuous(a exact.Arrays) bool { return a.Rate.Cmp(big.NewRat(1, 1)) != 0 }

func isChain(a exact.Arrays) bool { return len(a.Costs) == len(a.StateStart)-1 }

// follow returns the chain of a policy.
func follow(a exact.Arrays, policy []int32) exact.Arrays {
	chain := exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}, Rate: a.Rate}
	for s, action := range policy {
		k := a.StateStart[s] + action
		lo, hi := a.RowStart[k], a.RowStart[k+1]
		chain.Columns = append(chain.Columns, a.Columns[lo:hi]...)
		chain.Probabilities = append(chain.Probabilities, a.Probabilities[lo:hi]...)
		chain.Costs = append(chain.Costs, a.Costs[k])
		chain.RowStart = append(chain.RowStart, int32(len(chain.Columns)))
		chain.StateStart = append(chain.StateStart, int32(s+1))
	}
	return chain
}

// modelOf returns the arrays of a problem as a model whose numbers are fractions. A
// chain in continuous time is a CTMC. With choices, for which there is no kind, it
// is the MDP of its steps, which take a time of 1/Rate on average.
func modelOf(p *catalogue.Problem, a exact.Arrays) *modelfile.Model {
	m := &modelfile.Model{Kind: modelfile.MDP, StateStart: a.StateStart, Initial: []int32{0}}
	m.Rewards = []modelfile.RewardModel{{Name: "cost"}}
	cost := &m.Rewards[0]
	if c, is := p.Criterion.(mdp.TotalCost); is {
		m.Labels = map[string][]int32{"target": c.Target}
	}
	if isChain(a) {
		m.Kind = modelfile.DTMC
	}
	if isChain(a) && isContinuous(a) {
		m.Kind = modelfile.CTMC
		m.RowStart = []int32{0}
		for s, x := range a.Costs {
			for e := a.RowStart[s]; e < a.RowStart[s+1]; e++ {
				if j := a.Columns[e]; int(j) != s { // in other steps nothing happens
					m.Columns = append(m.Columns, j)
					appendExactly(&m.Values, new(big.Rat).Mul(a.Probabilities[e], a.Rate))
				}
			}
			m.RowStart = append(m.RowStart, int32(len(m.Columns)))
			appendExactly(&cost.State, x)
		}
		return m
	}
	m.RowStart, m.Columns = a.RowStart, a.Columns
	for _, x := range a.Probabilities {
		appendExactly(&m.Values, x)
	}
	for _, x := range a.Costs {
		if _, is := p.Criterion.(mdp.LongRunAverage); !is { // an average is the same per step
			x = new(big.Rat).Quo(x, a.Rate)
		}
		appendExactly(&cost.Action, x)
	}
	return m
}

func appendExactly(numbers *modelfile.Numbers, x *big.Rat) {
	nearest, _ := x.Float64()
	numbers.Float, numbers.Exact = append(numbers.Float, nearest), append(numbers.Exact, x)
}
