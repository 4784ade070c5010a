package certificate

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// truth is a question about a random model with its exact answer, which the
// oracle finds, and the exact solution of package exact as a certificate.
type truth struct {
	model  *modelfile.Model
	result *Result
	oracle *exactModel
	values []oracleValue
	target []bool
	beta   *big.Rat // the discount factor of the steps of exactly, with a rate of discounting
}

// randomTruth returns a random model, a random question about it and the exact
// answer.
func randomTruth(t testing.TB, random *rand.Rand) *truth {
	t.Helper()
	style := randomStyle(random)
	x := &truth{model: randomModel(t, random, style)}
	n := x.model.NumStates()
	r := &Result{
		Question: question.Question{Criterion: question.Criteria[random.IntN(4)], Sense: []string{"minimize", "maximize"}[random.IntN(2)]},
		Status:   "converged", Method: "oracle", Initial: int(x.model.Initial[0]), Tolerance: new(1e-12),
	}
	if random.IntN(2) == 0 {
		r.Reward = "cost"
	}
	if isTimed := x.model.Kind.IsContinuous(); isTimed && (r.Criterion == "finite" || r.Criterion == "discounted" && x.model.Kind == modelfile.SMDP) {
		r.Criterion = "average"
	} else if isTimed && r.Criterion == "discounted" {
		r.Rate = new([]float64{0.1, 1e-9, 40, 1.0 / 3}[random.IntN(4)])
		if *r.Rate == 1.0/3 {
			r.ExactRate = big.NewRat(1, 3)
		}
	}
	x.oracle = newExactModel(x.model)
	switch {
	case r.Criterion == "discounted" && r.Rate == nil:
		r.Discount = new([]float64{0, 0.5, 0.9, 0.999, 1 - 0x1p-40, 2.0 / 3}[random.IntN(6)])
		if *r.Discount == 2.0/3 {
			r.ExactDiscount = big.NewRat(2, 3)
		}
	case r.Criterion == "finite":
		r.Horizon = new(random.IntN(7))
	case r.Criterion == "total":
		r.Target = "goal"
		x.target = make([]bool, n)
		for _, s := range x.model.Labels["goal"] {
			x.target[s] = true
		}
	}
	x.result = r
	t.Logf("%+v %s %s", style, r.Criterion, r.Sense)
	switch r.Criterion {
	case "average":
		x.values, _ = x.oracle.best(x.maximize(), x.oracle.average)
	case "total":
		x.values, _ = x.oracle.bestTotal(x.target, x.maximize())
	default:
		x.values, _ = x.oracle.best(x.maximize(), x.evaluate)
	}
	r.Lower, r.Upper, r.Values = make([]float64, n), make([]float64, n), make([]float64, n)
	for s, v := range x.values {
		r.Lower[s], r.Upper[s] = v.float()
		r.Values[s] = r.Lower[s]
		if v.Rat != nil {
			r.Values[s], _ = v.Float64()
		}
	}
	r.Value = r.Values[r.Initial]
	x.certify(t)
	return x
}

// maximize reports whether the most is asked for.
func (x *truth) maximize() bool { return x.result.Sense == "maximize" }

// evaluate returns what a policy achieves.
func (x *truth) evaluate(policy []int32) []oracleValue {
	r := x.result
	switch r.Criterion {
	case "average":
		return x.oracle.average(policy)
	case "discounted":
		if r.Rate != nil {
			return x.oracle.discounted(one, r.DiscountRate())(policy)
		}
		return x.oracle.discounted(r.DiscountFactor(), new(big.Rat).Sub(one, r.DiscountFactor()))(policy)
	case "total":
		return x.oracle.total(x.target)(policy)
	default:
		return x.oracle.horizon(r.Steps(), x.maximize(), policy)
	}
}

// criteria are the words for the criteria.
// exactly returns the model for package exact; costs are absolute where that is
// asked for.
func (x *truth) exactly(t testing.TB, absolute bool) *exact.Model {
	t.Helper()
	a := exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}, Rate: big.NewRat(1, 1)}
	for _, choices := range x.oracle.rows {
		for _, row := range choices {
			leave := new(big.Rat)
			for _, v := range row {
				leave.Add(leave, v)
			}
			if leave.Cmp(a.Rate) > 0 {
				a.Rate = leave
			}
		}
	}
	for s, choices := range x.oracle.rows {
		for k, row := range choices {
			stay := big.NewRat(1, 1)
			for j, v := range row {
				if v.Sign() > 0 {
					p := new(big.Rat).Quo(v, a.Rate)
					a.Columns, a.Probabilities = append(a.Columns, int32(j)), append(a.Probabilities, p)
					stay.Sub(stay, p)
				}
			}
			a.Columns, a.Probabilities = append(a.Columns, int32(s)), append(a.Probabilities, stay)
			a.RowStart = append(a.RowStart, int32(len(a.Columns)))
			cost := new(big.Rat).Set(x.oracle.costs[s][k])
			if absolute {
				cost.Abs(cost)
			}
			a.Costs = append(a.Costs, cost)
		}
		a.StateStart = append(a.StateStart, int32(len(a.Costs)))
	}
	if x.result.Rate != nil { // steps that end time come besides
		x.beta = new(big.Rat).Set(a.Rate)
		a.Rate = new(big.Rat).Add(a.Rate, x.result.DiscountRate())
		x.beta.Quo(x.beta, a.Rate)
	}
	m, err := exact.NewModel(a)
	require.NoError(t, err)
	return m
}

// certify sets policy and certificate of the result.
func (x *truth) certify(t testing.TB) {
	t.Helper()
	r := x.result
	sense := mdp.Minimize
	if x.maximize() {
		sense = mdp.Maximize
	}
	m := x.exactly(t, false)
	if r.Criterion == "finite" {
		_, r.Policy = x.oracle.best(x.maximize(), x.evaluate)
		return
	}
	witness, policy := x.solve(t, m, sense)
	r.Policy = policy
	r.Certificate = &Certificate{Lower: witness, Upper: witness}
	absolute, err := x.exactly(t, true).Follow(policy)
	require.NoError(t, err)
	scale, _ := x.solve(t, absolute, mdp.Minimize)
	r.Certificate.Scale = &scale
	if r.Criterion == "total" && !x.maximize() {
		followed, err := m.Follow(policy)
		require.NoError(t, err)
		mean, err := followed.Average(context.Background(), mdp.Minimize)
		require.NoError(t, err)
		r.Certificate.Cycle = &Cycle{Policy: slices.Clone(policy), Value: exactVectorOf(mean.Relative)}
	}
}

// solve returns the exact solution of a model as a witness, and its policy.
func (x *truth) solve(t testing.TB, m *exact.Model, sense mdp.Sense) (Witness, []int32) {
	t.Helper()
	ctx := context.Background()
	var (
		answer *exact.Answer
		err    error
	)
	switch x.result.Criterion {
	case "average":
		answer, err = m.Average(ctx, sense)
		require.NoError(t, err)
		return Witness{Gain: exactVectorOf(answer.Values), Value: exactVectorOf(answer.Relative)}, answer.Policy
	case "total":
		answer, err = m.Total(ctx, sense, x.model.Labels["goal"])
	default:
		if x.result.Rate != nil {
			answer, err = m.Discounted(ctx, sense, x.beta)
			break
		}
		if *x.result.Discount == 0 { // the cheapest, which the oracle knows
			return x.cheapest(sense == mdp.Maximize)
		}
		answer, err = m.Discounted(ctx, sense, x.result.DiscountFactor())
	}
	require.NoError(t, err)
	return Witness{Value: exactVectorOf(answer.Values)}, answer.Policy
}

// cheapest returns the answer where only the first step counts.
func (x *truth) cheapest(maximize bool) (Witness, []int32) {
	values, policy := x.oracle.best(maximize, x.evaluate)
	v := Vector{}
	for _, y := range values {
		high, _ := y.Float64()
		v.High, v.Exact = append(v.High, high), append(v.Exact, y.Rat)
	}
	return Witness{Value: v}, policy
}

func exactVectorOf(values []exact.Value) Vector {
	v := Vector{}
	for _, x := range values {
		v.High = append(v.High, x.Float64())
		v.Exact = append(v.Exact, x.Rat())
	}
	return v
}

// check calls Check, which must not fail.
func (x *truth) check(t testing.TB) *Report {
	t.Helper()
	report, err := Check(context.Background(), x.model, x.result, Options{})
	require.NoError(t, err)
	return report
}

// setExact adds the exact values to the result.
func (x *truth) setExact() {
	x.result.Exact = make([]*big.Rat, len(x.values))
	for s, v := range x.values {
		x.result.Exact[s] = v.Rat
	}
}

// holds reports whether a value lies between bounds.
func holds(v oracleValue, lower, upper float64) bool {
	bound := func(x float64) oracleValue {
		if math.IsInf(x, 0) {
			return oracleValue{sign: int(math.Copysign(1, x))}
		}
		return oracleValue{Rat: new(big.Rat).SetFloat64(x)}
	}
	return !v.less(bound(lower)) && !bound(upper).less(v)
}
