package property_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"math"
	"math/big"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
)

func readModel(t testing.TB, name string) *modelfile.Model {
	t.Helper()
	m, err := modelfile.ReadFile("testdata/"+name+".drn", modelfile.Options{Exact: true})
	require.NoError(t, err)
	return m
}

func parseOne(t testing.TB, text string) *property.Property {
	t.Helper()
	all, err := property.Parse(text, "test")
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

// bounds answers a property, and returns bounds on its value in each state.
func bounds(t testing.TB, p *property.Property, m *modelfile.Model) (lower, upper []float64) {
	t.Helper()
	q, err := p.On(m)
	require.NoError(t, err, p)
	require.NoError(t, q.Model.Validate(), p)
	table, err := q.Model.Table(q.Reward)
	require.NoError(t, err, p)
	result, err := mdp.Solve(context.Background(), mdp.Rounded{Table: table}, q.Criterion, mdp.Settings{Workers: 1})
	require.NoError(t, err, p)
	for s := range m.NumStates() {
		l, u := result.Bounds(s)
		lower, upper = append(lower, l), append(upper, u)
	}
	return lower, upper
}

// The values are those of Storm 1.13 (stormpy 2.0.0), for models of our own: in its exact mode
// as fractions, and with times in continuous time to its precision of 1e-6.
func TestValuesOfStorm(t *testing.T) {
	text, err := os.ReadFile("testdata/storm.csv")
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(rows), 70)
	for _, row := range rows[1:] {
		m, p := readModel(t, row[0]), parseOne(t, row[1])
		lower, upper := bounds(t, p, m)
		low, high := lower[m.Initial[0]], upper[m.Initial[0]]
		switch {
		case p.HasThreshold():
			assert.Equal(t, row[3], p.Verdict(low, high, nil), row)
		case row[3] == "Infinity":
			assert.Equal(t, math.Inf(1), low, row)
		case row[2] == "float":
			x, err := strconv.ParseFloat(row[3], 64)
			require.NoError(t, err)
			assert.InDelta(t, x, low, 2e-6*max(1, x), row)
		default:
			x, ok := new(big.Rat).SetString(row[3])
			require.True(t, ok)
			assert.LessOrEqual(t, new(big.Rat).SetFloat64(low).Cmp(x), 0, "%v: %v", row, low)
			assert.GreaterOrEqual(t, new(big.Rat).SetFloat64(high).Cmp(x), 0, "%v: %v", row, high)
		}
	}
}
