package certificate

import (
	"context"
	"errors"
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
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// undefinedTotal marks totals of all steps that are not defined.
var undefinedTotal = oracleValue{sign: 2}

// endless returns the totals of all steps of a policy.
func (x *exactModel) endless(policy []int32) []oracleValue {
	n := len(policy)
	reach, gains := x.reachability(policy, nil), x.average(policy)
	stops, values := make([]bool, n), make([]oracleValue, n)
	isRecurrent := func(s int) bool {
		return !slices.ContainsFunc(indices(n), func(j int) bool { return reach[s][j] && !reach[j][s] })
	}
	for s := range n {
		stops[s] = isRecurrent(s) && gains[s].Sign() == 0 && x.costs[s][policy[s]].Sign() == 0
	}
	totals := x.total(stops)(policy)
	for s := range n {
		values[s] = totals[s]
		sign := 0
		for j := range n {
			if !reach[s][j] || !isRecurrent(j) {
				continue
			}
			own := gains[j].Sign()
			if own == 0 && x.costs[j][policy[j]].Sign() != 0 || own*sign < 0 {
				values[s] = undefinedTotal
			} else if own != 0 && values[s] != undefinedTotal {
				sign, values[s] = own, oracleValue{sign: own}
			}
		}
	}
	return values
}

// endlessModel is a small model, often with absorbing states, cycles and rewards of 0.
func endlessModel(t *testing.T, random *rand.Rand) *modelfile.Model {
	t.Helper()
	n := 2 + random.IntN(3)
	var states []string
	for s := range n {
		var actions []string
		for range 1 + random.IntN(2) {
			to := fmt.Sprintf("[%d,1]", random.IntN(n))
			if j := random.IntN(n); random.IntN(3) == 0 && j != s {
				to = fmt.Sprintf(`[%d,"1/3"],[%d,"2/3"]`, s, j)
			}
			actions = append(actions, fmt.Sprintf(`{"rewards":[%d],"to":[%s]}`, []int{0, 0, 0, 1, -1, 2, -3}[random.IntN(7)], to))
		}
		states = append(states, `{"actions":[`+strings.Join(actions, ",")+`]}`)
	}
	text := `{"kind":"mdp","reward_models":["r"],"states":[` + strings.Join(states, ",") + `]}`
	m, err := modelfile.Read(strings.NewReader(text), "model.json", modelfile.Options{Exact: true})
	require.NoError(t, err)
	return m
}

// Totals of all steps: what solve finds is proved, and whatever is done to claims and
// certificates, what holds is so, and what is refuted is not.
func TestTotalsOfAllSteps(t *testing.T) {
	counts := map[string]int{}
	trials(t, 1500, func(t *testing.T, random *rand.Rand) {
		m := endlessModel(t, random)
		sense := mdp.Sense(random.IntN(2))
		oracle := newExactModel(m)
		best := make([]oracleValue, m.NumStates())
		for s := range best {
			best[s] = undefinedTotal
		}
		oracle.policies(func(p []int32) {
			for s, own := range oracle.endless(p) {
				isBetter := own.less(best[s])
				if sense == mdp.Maximize {
					isBetter = best[s].less(own)
				}
				if own != undefinedTotal && (best[s] == undefinedTotal || isBetter) {
					best[s] = own
				}
			}
		})
		r := solvedEndless(t, m, sense, random.IntN(2) == 0)
		if r == nil {
			counts["refused"]++
			return
		}
		report, err := Check(context.Background(), m, r, Options{})
		require.NoError(t, err)
		counts["solved "+r.Status+" "+report.Verdict().String()]++
		if r.Status == "converged" {
			assert.Equal(t, Holds, report.Verdict(), "%+v", report)
		}
		for s := range best {
			assert.True(t, best[s] == undefinedTotal || holds(best[s], r.Lower[s], r.Upper[s]), "state %d: %v is not in [%v, %v]", s, best[s], r.Lower[s], r.Upper[s])
		}
		for range 1 + random.IntN(2) {
			spoilEndless(random, m, r)
		}
		if report, err = Check(context.Background(), m, r, Options{}); err != nil {
			return
		}
		counts["spoilt "+report.Verdict().String()]++
		isTrue := true
		for s, v := range best {
			if i := report.Optimum[s]; v != undefinedTotal {
				assert.True(t, holds(v, i.Lower, i.Upper), "state %d: %v is not in %v", s, v, i)
				isTrue = isTrue && holds(v, r.Lower[s], r.Upper[s])
			}
		}
		assert.NotEqual(t, decide(!isTrue), report.Bounds.Verdict)
		for s, v := range oracle.endless(r.Policy) {
			if i := report.Achieved[s]; v != undefinedTotal {
				assert.True(t, holds(v, i.Lower, i.Upper), "state %d: the policy is worth %v, not in %v", s, v, i)
			}
		}
	})
	t.Log(counts)
}

// solvedEndless returns what is found of a model, in floating point or in fractions; nil if it is
// refused.
func solvedEndless(t *testing.T, m *modelfile.Model, sense mdp.Sense, exactly bool) *Result {
	t.Helper()
	ctx, n := context.Background(), m.NumStates()
	r := &Result{Question: question.Question{Criterion: "total", Sense: sense.String(), Reward: "r"}, Status: "converged", Tolerance: new(1e-9)}
	r.Values, r.Lower, r.Upper = make([]float64, n), make([]float64, n), make([]float64, n)
	if exactly {
		model, err := m.Exact("r")
		require.NoError(t, err)
		answer, err := model.Total(ctx, sense, nil)
		if errors.Is(err, mdp.ErrUnsupported) {
			return nil
		}
		require.NoError(t, err)
		for s, x := range answer.Values {
			r.Lower[s], r.Upper[s] = x.Bounds()
			r.Values[s] = x.Float64()
		}
		r.Policy, r.Certificate = answer.Policy, CertificateOfExact(answer)
	} else {
		table, err := m.Table("r")
		require.NoError(t, err)
		result, err := mdp.Solve(ctx, mdp.Rounded{Table: table}, mdp.TotalCost{Sense: sense}, mdp.Settings{})
		require.True(t, err == nil || errors.Is(err, mdp.ErrPrecisionLimit), err)
		for s := range n {
			r.Lower[s], r.Upper[s] = result.Bounds(s)
			r.Values[s] = result.Optimum(s)
		}
		r.Status, r.Policy, r.Certificate = result.Status.String(), result.Policy, CertificateOf(result, 1)
	}
	r.Value = r.Values[0]
	return r
}

// spoilEndless changes a claim or the certificate.
func spoilEndless(random *rand.Rand, m *modelfile.Model, r *Result) {
	s := random.IntN(m.NumStates())
	number := []float64{math.Inf(-1), -1, 0, 1, math.Inf(1)}[random.IntN(5)]
	c := *r.Certificate
	switch random.IntN(6) {
	case 0:
		r.Lower[s] = min(number, r.Upper[s])
	case 1:
		r.Upper[s] = max(number, r.Lower[s])
	case 2:
		r.Policy = slices.Clone(r.Policy)
		r.Policy[s] = int32(random.IntN(int(m.StateStart[s+1] - m.StateStart[s])))
	case 3:
		c.Cycle = nil
	case 4:
		c.Lower = spoiltWitness(random, c.Lower, s, number)
	case 5:
		c.Upper = spoiltWitness(random, c.Upper, s, number)
	}
	r.Certificate = &c
	r.Values, r.Value = nil, 0
}

func spoiltWitness(random *rand.Rand, w Witness, s int, number float64) Witness {
	v := Vector{High: slices.Clone(w.Value.High), Low: slices.Clone(w.Value.Low), Exact: slices.Clone(w.Value.Exact)}
	if v.High[s] = number; v.Low != nil {
		v.Low[s] = 0
	}
	if v.Exact != nil {
		if v.Exact[s] = nil; !math.IsInf(number, 0) {
			v.Exact[s] = new(big.Rat).SetFloat64(number)
		}
	}
	if random.IntN(2) == 0 && !math.IsInf(number, 0) { // all of them
		for i := range v.High {
			if !math.IsInf(v.High[i], 0) {
				v.High[i] += number
				if v.Exact != nil {
					v.Exact[i] = new(big.Rat).Add(v.Exact[i], new(big.Rat).SetFloat64(number))
					v.High[i], _ = v.Exact[i].Float64()
				}
			}
		}
	}
	return Witness{Value: v}
}
