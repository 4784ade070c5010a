package main

// The problems of package mdptest, whose optima are known: what every method says
// of them holds, by both checkers.

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
	"github.com/mdpsolve/mdpsolve/mdp/mdptest"
)

const (
	// manyStates are so many that Python takes seconds for a certificate, and
	// fractions take minutes.
	manyStates = 1000

	// fewIterations are too few for sweeps over a problem that is slow: what a solve
	// that ends early says has to hold too.
	fewIterations = 1000
)

func TestCatalogue(t *testing.T) {
	t.Chdir(t.TempDir())
	used := map[string]int{}
	var cases []judgedCase
	for _, p := range mdptest.Catalogue() {
		flags, ok := flagsFor(p)
		if !ok {
			t.Logf("%s has terminal costs, for which there is no flag: left out", p.Name)
			continue
		}
		model := p.Name + ".json"
		require.NoError(t, mdpio.WriteFile(model, modelOf(p)))
		for _, method := range modelMethodNames() {
			if p.NumStates() > manyStates && !*atLength && method != methodAuto {
				continue
			}
			result := p.Name + "." + method + ".json"
			line := "solve " + model + flags + " --method " + method
			if p.Slow && method != methodAuto && method != methodExact {
				line += " --max-iterations " + strconv.Itoa(fewIterations)
			}
			status, _, stderr := execute(t, line+" --out "+result)
			if status == exitUsage && strings.Contains(stderr, "for this question") {
				continue
			}
			if status == exitLimit && p.Slow && method != methodAuto {
				t.Logf("%s: %s", line, strings.TrimSpace(stderr))
			} else {
				require.Zero(t, status, "%s: %s", line, stderr)
			}
			used[method]++
			assertOptimum(t, p, line, result)
			assertHolds(t, "check "+model+" "+result)
			cases = append(cases, judgedCase{line: line, model: model, result: result})
		}
	}
	for _, method := range modelMethodNames() {
		assert.NotZero(t, used[method], method)
	}
	t.Logf("answers by method: %v", used)
	t.Run("python", func(t *testing.T) {
		for i, verdicts := range judge(t, cases) {
			assert.Equal(t, "0", verdicts["status"], "%s: %v", cases[i].line, verdicts)
			for _, claim := range []string{"lower", "upper", "values", "policy"} {
				assert.Equal(t, "holds", verdicts[claim], "%s: %s", cases[i].line, claim)
			}
		}
	})
}

// flagsFor returns the flags that ask the question of a problem. There are none for
// terminal costs.
func flagsFor(p *mdptest.Problem) (flags string, ok bool) {
	sense := map[mdp.Sense]string{mdp.Minimize: " --minimize", mdp.Maximize: " --maximize"}
	switch c := p.Criterion.(type) {
	case mdp.LongRunAverage:
		return " --criterion average" + sense[c.Sense], true
	case mdp.Discounted:
		return fmt.Sprint(" --criterion discounted --discount ", c.Discount, sense[c.Sense]), true
	case mdp.TotalCost:
		return " --criterion total --target target" + sense[c.Sense], true
	case mdp.FiniteHorizon:
		free := !slices.ContainsFunc(c.Terminal, func(x float64) bool { return x != 0 })
		return fmt.Sprint(" --criterion finite --horizon ", c.Steps, sense[c.Sense]), free
	}
	panic(fmt.Sprintf("criterion %T found", p.Criterion))
}

// modelOf returns a problem as a model whose numbers are fractions. One in
// continuous time with nothing to choose is a CTMC. One with choices, for which
// there is no kind, is the MDP of its steps, which take a time of 1/Rate on average.
func modelOf(p *mdptest.Problem) *mdpio.Model {
	a := p.Exact()
	n, choices := len(a.StateStart)-1, len(a.Costs)
	m := &mdpio.Model{Kind: mdpio.MDP, StateStart: a.StateStart, Initial: []int32{0}, RowStart: []int32{0}}
	one := big.NewRat(1, 1)
	continuous := a.Rate.Cmp(one) != 0 && choices == n
	switch {
	case continuous:
		m.Kind = mdpio.CTMC
	case choices == n:
		m.Kind = mdpio.DTMC
	}
	for s := range n {
		for k := a.StateStart[s]; k < a.StateStart[s+1]; k++ {
			for e := a.RowStart[k]; e < a.RowStart[k+1]; e++ {
				value := a.Probabilities[e]
				if continuous {
					if a.Columns[e] == int32(s) {
						continue // the step in which nothing happens
					}
					value.Mul(value, a.Rate)
				}
				m.Columns = append(m.Columns, a.Columns[e])
				appendExactly(&m.Values, value)
			}
			m.RowStart = append(m.RowStart, int32(len(m.Columns)))
		}
	}
	cost := mdpio.RewardModel{Name: "cost"}
	_, isAverage := p.Criterion.(mdp.LongRunAverage)
	for _, x := range a.Costs {
		switch {
		case continuous:
			appendExactly(&cost.State, x)
		case isAverage: // the same per step as per unit of time
			appendExactly(&cost.Action, x)
		default:
			appendExactly(&cost.Action, x.Quo(x, a.Rate))
		}
	}
	m.Rewards = []mdpio.RewardModel{cost}
	if c, ok := p.Criterion.(mdp.TotalCost); ok {
		m.Labels = map[string][]int32{"target": c.Target}
	}
	return m
}

func appendExactly(numbers *mdpio.Numbers, x *big.Rat) {
	nearest, _ := x.Float64()
	numbers.Float, numbers.Exact = append(numbers.Float, nearest), append(numbers.Exact, x)
}

// assertOptimum wants what [mdptest.Form.Verify] asks of an answer, and the optimum
// itself where it is given exactly.
func assertOptimum(t *testing.T, p *mdptest.Problem, line, name string) {
	t.Helper()
	r, err := mdpio.ReadResultFile(name)
	require.NoError(t, err)
	assert.NoError(t, p.Forms()[0].Verify(mdptest.Answer{
		Lower: r.Lower, Upper: r.Upper, Value: r.Values, Policy: r.Policy, Converged: r.Status == "converged",
	}), line)
	for s, x := range r.Exact {
		if optimum := p.Optimum[s]; x == nil || optimum == nil {
			assert.True(t, x == nil && optimum == nil && r.Values[s] == math.Inf(1), "%s: state %d", line, s)
		} else {
			assert.Zero(t, x.Cmp(optimum), "%s: state %d: %s, %s", line, s, x, optimum)
		}
	}
}

// assertHolds wants a check to hold, claim by claim, by the certificate in the
// result.
func assertHolds(t *testing.T, line string) {
	t.Helper()
	got := answer(t, line)
	assert.Equal(t, "holds", got["verdict"], line)
	if got["criterion"] != criterionFinite {
		assert.Equal(t, "given", got["certificate"], line)
	}
	claims := got["claims"].([]any)
	assert.GreaterOrEqual(t, len(claims), 5, line)
	for _, claim := range claims {
		assert.Equal(t, "holds", claim.(map[string]any)["verdict"], "%s: %v", line, claim)
	}
}
