package catalogue

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/mdptest"
)

// Exact optima agree with the digits that their sources print, state by state.
func TestPrintedDigits(t *testing.T) {
	for name, printed := range map[string]map[string]string{
		"toymaker":               {"1": "2"},
		"toymaker-discounted":    {"1": "22.2", "2": "12.3"},
		"toymaker-four-weeks":    {"1": "12.222", "2": "2.223"},
		"taxicab":                {"1": "13.34"},
		"maintenance":            {"1": "0.4338"},
		"forest-discounted":      {"0": "26.244", "1": "29.484", "2": "33.484"},
		"inventory-three-months": {"0": "4.1875", "1": "8.0625", "2": "12.125", "3": "14.1875"},
		"secretary":              {"0": "0.399"},
		"coupons":                {"0": "14.7"},
		"grid": {
			"13": "-0.812", "23": "-0.868", "33": "-0.918",
			"12": "-0.762", "32": "-0.660",
			"11": "-0.705", "21": "-0.655", "31": "-0.611", "41": "-0.388",
		},
	} {
		p := problem(t, name)
		for s, optimum := range p.Optimum {
			digits, ok := printed[p.State(s)]
			if !ok {
				continue
			}
			_, decimals, _ := strings.Cut(digits, ".")
			assert.Equal(t, digits, optimum.FloatString(len(decimals)), "%s, state %s", name, p.State(s))
			delete(printed, p.State(s))
		}
		assert.Empty(t, printed, name)
	}
}

// All forms of a problem are the same process in float64: the table and the
// compiled declaration have the same rows up to rounding, and the others what
// the table has, with the sign of their costs.
func TestFormsAreTheSameProcess(t *testing.T) {
	for _, p := range catalogue() {
		table, compiled := p.table(t, 1), p.compile(t)
		require.Equal(t, table.NumStates(), compiled.NumStates())
		for s := range table.NumStates() {
			require.Equal(t, table.NumActions(s), compiled.NumActions(s))
			for a := range table.NumActions(s) {
				row, cost := table.AppendRow(nil, s, a)
				other, otherCost := compiled.AppendRow(nil, s, a)
				require.InDelta(t, cost, otherCost, 1e-12*(1+cost*cost), p.Name)
				require.Len(t, other, len(row), p.Name)
				for k, e := range row {
					require.Equal(t, e.State, other[k].State, p.Name)
					require.InEpsilon(t, e.Probability, other[k].Probability, 1e-15, p.Name)
				}
			}
		}
		assert.Equal(t, p.Criterion, p.forms(t)[0].criterion)
	}
}

// Every form meets the requirements of a model.
func TestFormsAreModels(t *testing.T) {
	for _, p := range catalogue() {
		for _, form := range p.forms(t) {
			if p.NumStates() < 1000 || form.name == "table" {
				mdptest.TestModel(t, form.model)
			}
		}
	}
}

// A form has the interfaces that its name says.
func TestPowersOfForms(t *testing.T) {
	for _, p := range catalogue() {
		for _, form := range p.forms(t) {
			_, explicit := form.model.(mdp.Explicit)
			_, follower := form.model.(mdp.PolicyBackuper)
			_, sweeper := form.model.(mdp.Sweeper)
			_, timed := form.model.(mdp.Timed)
			assert.Equal(t, form.name == "table" || form.name == "compiled" || form.name == "rows", explicit, form)
			assert.Equal(t, form.name == "table" || form.name == "compiled" || form.name == "follower", follower, form)
			assert.Equal(t, form.name == "fused", sweeper, form)
			assert.Equal(t, explicit || p.exact.Rate.Cmp(one) != 0, timed, form)
		}
	}
}

// The exact evaluation agrees with one by hand: two closed classes that are
// reached with probabilities 1/2, whose shares of time are 1/3, 2/3 and 1.
func TestExactEvaluation(t *testing.T) {
	p := problem(t, "two-classes")
	gains, err := p.objective.evaluate(p.Exact(), make([]int32, 4))
	require.NoError(t, err)
	var text []string
	for _, g := range gains {
		text = append(text, g.RatString())
	}
	assert.Equal(t, []string{"1", "1", "5", "3"}, text)

	discounted, err := discountedBy(ratio(1, 2), mdp.Minimize).evaluate(p.Exact(), make([]int32, 4))
	require.NoError(t, err)
	// v(2) = 10; v(0) = 3 + v(1)/2, v(1) = v(0)/4 + v(1)/4; v(3) = 7 + v(1)/8 + v(2)/8 + v(3)/4.
	assert.Zero(t, discounted[2].Cmp(whole(10)))
	assert.Zero(t, discounted[0].Cmp(ratio(18, 5)))
	assert.Zero(t, discounted[1].Cmp(ratio(6, 5)))
	assert.Zero(t, discounted[3].Cmp(new(big.Rat).Mul(ratio(4, 3), add(whole(7), ratio(6, 40), ratio(10, 8)))))
}
