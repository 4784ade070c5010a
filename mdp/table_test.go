package mdp_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// twoStates returns good arrays: state 0 with two actions, state 1 with one.
func twoStates() mdp.TableArrays {
	return mdp.TableArrays{
		StateStart:    []int32{0, 2, 3},
		RowStart:      []int32{0, 1, 3, 4},
		Columns:       []int32{1, 0, 1, 0},
		Probabilities: []float64{1, 0.5, 0.5, 1},
		Costs:         []float64{3, 4, 5},
		Rate:          2,
	}
}

func TestTable(t *testing.T) {
	table, err := mdp.NewTable(twoStates())
	require.NoError(t, err)
	assert.Equal(t, 2, table.NumStates())
	assert.Equal(t, 2, table.NumActions(0))
	assert.Equal(t, 1, table.NumActions(1))
	assert.Equal(t, 3, table.NumChoices())
	assert.Equal(t, 4, table.NumTransitions())
	assert.Equal(t, 2.0, table.Rate())

	kept := []mdp.Entry{{State: 9, Probability: 9}}
	row, cost := table.AppendRow(kept, 0, 1)
	assert.Equal(t, []mdp.Entry{{State: 9, Probability: 9}, {State: 0, Probability: 0.5}, {State: 1, Probability: 0.5}}, row)
	assert.Equal(t, 4.0, cost)
	for _, action := range []int{-1, 2} {
		assert.Panics(t, func() { table.AppendRow(nil, 0, action) })
	}

	// min(3 + v1, 4 + (v0 + v1)/2) and 5 + v0 with v = (10, 20)
	dst, act := []float64{-1, -1}, []int32{-1, -1}
	table.Backup(dst, act, []float64{10, 20}, 0, 1)
	assert.Equal(t, []float64{19, -1}, dst)
	assert.Equal(t, []int32{1, -1}, act)
	table.Backup(dst, nil, []float64{10, 20}, 1, 2)
	assert.Equal(t, []float64{19, 15}, dst)
	assert.Equal(t, []int32{1, -1}, act)
	table.Backup(dst, act, []float64{10, 20}, 1, 1)
	assert.Equal(t, []float64{19, 15}, dst)
}

// The first of several actions that attain the minimum is named.
func TestBackupNamesTheFirstMinimum(t *testing.T) {
	table, err := mdp.NewTable(mdp.TableArrays{
		StateStart:    []int32{0, 3},
		RowStart:      []int32{0, 1, 2, 3},
		Columns:       []int32{0, 0, 0},
		Probabilities: []float64{1, 1, 1},
		Costs:         []float64{2, 1, 1},
	})
	require.NoError(t, err)
	dst, act := make([]float64, 1), make([]int32, 1)
	table.Backup(dst, act, make([]float64, 1), 0, 1)
	assert.Equal(t, int32(1), act[0])
}

func TestNewTableRefusesMalformedArrays(t *testing.T) {
	for name, spoil := range map[string]func(a *mdp.TableArrays){
		"no arrays":              func(a *mdp.TableArrays) { *a = mdp.TableArrays{} },
		"no state starts":        func(a *mdp.TableArrays) { a.StateStart = nil },
		"one state start":        func(a *mdp.TableArrays) { a.StateStart = []int32{0} },
		"no row starts":          func(a *mdp.TableArrays) { a.RowStart = nil },
		"no columns":             func(a *mdp.TableArrays) { a.Columns = nil },
		"no probabilities":       func(a *mdp.TableArrays) { a.Probabilities = nil },
		"no costs":               func(a *mdp.TableArrays) { a.Costs = nil },
		"empty slices":           func(a *mdp.TableArrays) { a.StateStart, a.Costs = []int32{}, []float64{} },
		"state starts from 1":    func(a *mdp.TableArrays) { a.StateStart[0] = 1 },
		"state starts too far":   func(a *mdp.TableArrays) { a.StateStart[2] = 4 },
		"state starts too short": func(a *mdp.TableArrays) { a.StateStart[2] = 2 },
		"state starts decrease":  func(a *mdp.TableArrays) { a.StateStart = []int32{0, 4, 3} },
		"state without actions":  func(a *mdp.TableArrays) { a.StateStart = []int32{0, 3, 3} },
		"negative state start":   func(a *mdp.TableArrays) { a.StateStart[1] = -1 },
		"row starts decrease":    func(a *mdp.TableArrays) { a.RowStart = []int32{0, 3, 1, 4} },
		"empty row":              func(a *mdp.TableArrays) { a.RowStart = []int32{0, 1, 1, 4} },
		"too few row starts":     func(a *mdp.TableArrays) { a.RowStart = []int32{0, 1, 4} },
		"too many row starts":    func(a *mdp.TableArrays) { a.RowStart = []int32{0, 1, 2, 3, 4} },
		"too many costs":         func(a *mdp.TableArrays) { a.Costs = append(a.Costs, 1) },
		"too few probabilities":  func(a *mdp.TableArrays) { a.Probabilities = a.Probabilities[:3] },
	} {
		a := twoStates()
		spoil(&a)
		table, err := mdp.NewTable(a)
		assert.Nil(t, table, name)
		assert.ErrorContains(t, err, "mdp: ", name)
	}
}

func TestNewTableNamesTheFault(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(a *mdp.TableArrays)
		want  error
	}{
		"column too large":     {func(a *mdp.TableArrays) { a.Columns[2] = 2 }, mdp.ErrNotDistribution},
		"negative column":      {func(a *mdp.TableArrays) { a.Columns[1] = -1 }, mdp.ErrNotDistribution},
		"column twice":         {func(a *mdp.TableArrays) { a.Columns[2] = 0 }, mdp.ErrNotDistribution},
		"negative probability": {func(a *mdp.TableArrays) { a.Probabilities = []float64{1, -0.5, 1.5, 1} }, mdp.ErrNotDistribution},
		"NaN probability":      {func(a *mdp.TableArrays) { a.Probabilities[1] = math.NaN() }, mdp.ErrNotDistribution},
		"sum":                  {func(a *mdp.TableArrays) { a.Probabilities[1] = 0.25 }, mdp.ErrNotDistribution},
		"cost NaN":             {func(a *mdp.TableArrays) { a.Costs[1] = math.NaN() }, mdp.ErrCost},
		"cost infinite":        {func(a *mdp.TableArrays) { a.Costs[1] = math.Inf(-1) }, mdp.ErrCost},
	} {
		a := twoStates()
		test.spoil(&a)
		_, err := mdp.NewTable(a)
		require.ErrorIs(t, err, test.want, name)
		var fault *mdp.ModelError
		require.ErrorAs(t, err, &fault, name)
		assert.Equal(t, [2]string{"0", "1"}, [2]string{fault.State, fault.Action}, name)
	}
	for _, rate := range []float64{-1, math.NaN(), math.Inf(1)} {
		a := twoStates()
		a.Rate = rate
		_, err := mdp.NewTable(a)
		assert.ErrorIs(t, err, mdp.ErrRate)
	}
}

// A row of n entries that misses 1 by at most n+1 roundings, 2⁻⁵³ each, stays as it is; others are
// divided by their sum. A row of zeros has a message of its own.
func TestNewTableDividesRows(t *testing.T) {
	for missing, want := range map[float64][2]float64{
		6: {0.5, 0.5 - 6*0x1p-54},
		// 1/2 and 1/2 − 4u, times 1 + 4u for u = 2⁻⁵³.
		8: {0.5 + 4*0x1p-54, 0.5 - 4*0x1p-54},
	} {
		a := twoStates()
		a.Probabilities[1], a.Probabilities[2] = 0.5, 0.5-missing*0x1p-54
		table, err := mdp.NewTable(a)
		require.NoError(t, err)
		row, _ := table.AppendRow(nil, 0, 1)
		assert.Equal(t, []mdp.Entry{{State: 0, Probability: want[0]}, {State: 1, Probability: want[1]}}, row, "%v·2⁻⁵⁴ missing", missing)
	}
	a := twoStates()
	a.Probabilities[1], a.Probabilities[2] = 0, 0
	_, err := mdp.NewTable(a)
	require.ErrorIs(t, err, mdp.ErrNotDistribution)
	assert.ErrorContains(t, err, "no next state has a positive probability")
}

func FuzzNewTable(f *testing.F) {
	f.Add([]byte{0, 2, 3}, []byte{0, 1, 3, 4}, []byte{1, 0, 1, 0}, []byte{4, 2, 2, 4})
	f.Add([]byte{0, 255, 1}, []byte{0, 9}, []byte{7}, []byte{})
	f.Fuzz(func(t *testing.T, stateStart, rowStart, columns, quarters []byte) {
		a := mdp.TableArrays{StateStart: signedBytes(stateStart), RowStart: signedBytes(rowStart), Columns: signedBytes(columns)}
		for _, q := range quarters {
			a.Probabilities = append(a.Probabilities, float64(int8(q))/4)
			a.Costs = append(a.Costs, float64(q))
		}
		if n := len(rowStart) - 1; n >= 0 && n < len(a.Costs) {
			a.Costs = a.Costs[:n]
		}
		table, err := mdp.NewTable(a)
		if err != nil {
			return
		}
		n := table.NumStates()
		dst, act := make([]float64, n), make([]int32, n)
		table.Backup(dst, act, make([]float64, n), 0, n)
		for s := range n {
			row, cost := table.AppendRow(nil, s, int(act[s]))
			sum := 0.0
			for _, e := range row {
				sum += e.Probability
			}
			if cost != dst[s] || math.Abs(sum-1) > 1e-12 {
				t.Fatalf("state %d: cost %v, backup %v, row %v", s, cost, dst[s], row)
			}
		}
	})
}

func signedBytes(b []byte) []int32 {
	var x []int32
	for _, v := range b {
		x = append(x, int32(int8(v)))
	}
	return x
}

// A table may take the rows of another, if it has the same lists; costs are its own, and are checked.
func TestRowsOfAnotherTable(t *testing.T) {
	arrays := twoStates()
	first, err := mdp.NewTable(arrays)
	require.NoError(t, err)
	arrays.Rows, arrays.Costs, arrays.Rate = first, []float64{6, 7, 8}, 3
	second, err := mdp.NewTable(arrays)
	require.NoError(t, err)
	row, cost := second.AppendRow(nil, 0, 1)
	assert.Equal(t, []mdp.Entry{{State: 0, Probability: 0.5}, {State: 1, Probability: 0.5}}, row)
	assert.Equal(t, []float64{7, 3}, []float64{cost, second.Rate()})
	_, cost = first.AppendRow(nil, 0, 1)
	assert.Equal(t, []float64{4, 2}, []float64{cost, first.Rate()})

	arrays.Costs = []float64{6, math.NaN(), 8}
	_, err = mdp.NewTable(arrays)
	require.ErrorIs(t, err, mdp.ErrCost)
	for _, spoil := range []func(*mdp.TableArrays){
		func(a *mdp.TableArrays) { a.Probabilities = []float64{1, 0.5, 0.6, 1} },
		func(a *mdp.TableArrays) { a.Columns = []int32{1, 0, 2, 0} },
		func(a *mdp.TableArrays) { a.RowStart = []int32{0, 1, 1, 4} },
	} {
		other := twoStates()
		other.Rows = first
		spoil(&other)
		_, err = mdp.NewTable(other) // other lists are checked
		require.ErrorIs(t, err, mdp.ErrNotDistribution)
	}
}
