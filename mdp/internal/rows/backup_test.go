package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rowsTable returns a table with rows of 1 to longest entries and states of 1 to 5
// actions, some of them alike.
func rowsTable(t *testing.T, random *rand.Rand, n, longest int) *Table {
	t.Helper()
	a := TableArrays{StateStart: []int32{0}, RowStart: []int32{0}}
	for range n {
		for action := range 1 + random.IntN(5) {
			if previous := len(a.Costs) - 1; action > 0 && random.IntN(4) == 0 {
				first, end := a.RowStart[previous], a.RowStart[previous+1]
				a.Columns = append(a.Columns, a.Columns[first:end]...)
				a.Probabilities = append(a.Probabilities, a.Probabilities[first:end]...)
				a.Costs = append(a.Costs, a.Costs[previous])
			} else {
				length := 1 + random.IntN(min(n, longest))
				first, sum := len(a.Columns), 0.0
				for len(a.Columns) < first+length {
					if j := int32(random.IntN(n)); !slices.Contains(a.Columns[first:], j) {
						a.Columns = append(a.Columns, j)
						a.Probabilities = append(a.Probabilities, random.ExpFloat64())
						sum += a.Probabilities[len(a.Probabilities)-1]
					}
				}
				for e := first; e < first+length; e++ {
					a.Probabilities[e] /= sum
				}
				a.Costs = append(a.Costs, float64(random.IntN(3))*random.NormFloat64())
			}
			a.RowStart = append(a.RowStart, int32(len(a.Columns)))
		}
		a.StateStart = append(a.StateStart, int32(len(a.Costs)))
	}
	table, err := NewTable(a)
	require.NoError(t, err)
	return table
}

// anyNumbers returns numbers of all magnitudes, and some that are none.
func anyNumbers(random *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = random.NormFloat64()
		switch random.IntN(60) {
		case 0:
			v[i] = 0
		case 1:
			v[i] = math.Copysign(0, -1)
		case 2:
			v[i] *= 1e-310
		case 3:
			v[i] *= 1e300
		case 4:
			v[i] = v[max(i-1, 0)]
		case 5:
			v[i] = math.Inf(1 - 2*random.IntN(2))
		case 6:
			v[i] = math.NaN()
		}
	}
	return v
}

// naiveValues returns the value of each action of s, row by row.
func naiveValues(model Explicit, v []float64, s int) []float64 {
	var values []float64
	for a := range model.NumActions(s) {
		row, cost := model.AppendRow(nil, s, a)
		sum := 0.0
		for _, e := range row {
			sum += float64(e.Probability * v[e.State])
		}
		values = append(values, sum+cost)
	}
	return values
}

func bitsOf(v []float64) []uint64 {
	bits := make([]uint64, len(v))
	for i, x := range v {
		bits[i] = math.Float64bits(x)
		if math.IsNaN(x) {
			bits[i] = math.Float64bits(math.NaN())
		}
	}
	return bits
}

// The sweeps of a table have the bits of sums over its rows, whichever form
// they take, and write nothing beyond their range.
func TestTableSweepsHaveTheBitsOfRows(t *testing.T) {
	const seed = 20260611
	random := rand.New(rand.NewPCG(seed, 0))
	trials := 500
	if testing.Short() {
		trials = 100
	}
	for trial := range trials {
		n := 1 + random.IntN(80)
		if trial == 0 {
			n = 3 * blockStates
		}
		table := rowsTable(t, random, n, 1+random.IntN(40))
		v := anyNumbers(random, n)
		lo, hi := random.IntN(n), random.IntN(n+1)
		want, wantActions := make([]float64, n), make([]int32, n)
		followed, actions := make([]float64, n), make([]int32, n)
		for s := range n {
			want[s], followed[s], wantActions[s], actions[s] = -7, -7, -7, -7
			if lo > s || s >= hi {
				continue
			}
			best := math.Inf(1)
			wantActions[s] = 0
			values := naiveValues(table, v, s)
			for a, value := range values {
				if value < best {
					best, wantActions[s] = value, int32(a)
				}
			}
			want[s] = best
			actions[s] = int32(random.IntN(len(values)))
			followed[s] = values[actions[s]]
		}
		for name, backup := range map[string]func(dst []float64, act []int32, v []float64, lo, hi int){
			"Backup": table.Backup, "Backup in Go": func(dst []float64, act []int32, v []float64, lo, hi int) {
				if lo < hi {
					table.backupGo(dst, act, v, lo, hi)
				}
			},
		} {
			for _, withActions := range []bool{false, true} {
				got, gotActions := make([]float64, n), make([]int32, n)
				for s := range got {
					got[s], gotActions[s] = -7, -7
				}
				if withActions {
					backup(got, gotActions, v, lo, hi)
					require.Equal(t, wantActions, gotActions, "%s: seed %d, trial %d", name, seed, trial)
				} else {
					backup(got, nil, v, lo, hi)
				}
				require.Equal(t, bitsOf(want), bitsOf(got), "%s: seed %d, trial %d", name, seed, trial)
			}
		}
		for name, backup := range map[string]func(dst []float64, act []int32, v []float64, lo, hi int){
			"BackupPolicy": table.BackupPolicy, "BackupPolicy in Go": table.backupPolicyGo,
		} {
			got := make([]float64, n)
			for s := range got {
				got[s] = -7
			}
			backup(got, actions, v, lo, hi)
			require.Equal(t, bitsOf(followed), bitsOf(got), "%s: seed %d, trial %d", name, seed, trial)
		}
	}
}

func TestTableSweepsPanicOnMisuse(t *testing.T) {
	table := rowsTable(t, rand.New(rand.NewPCG(1, 0)), 5, 3)
	v, act := make([]float64, 5), make([]int32, 5)
	for name, call := range map[string]func(){
		"short v":           func() { table.Backup(make([]float64, 5), nil, v[:4:4], 0, 1) },
		"short dst":         func() { table.Backup(make([]float64, 3), nil, v, 0, 4) },
		"short act":         func() { table.Backup(make([]float64, 5), act[:3:3], v, 0, 4) },
		"negative lo":       func() { table.Backup(make([]float64, 5), nil, v, -1, 4) },
		"hi too large":      func() { table.Backup(make([]float64, 9), nil, v, 0, 6) },
		"policy, short dst": func() { table.BackupPolicy(make([]float64, 4, 5), act, v, 0, 5) },
		"policy, short v":   func() { table.BackupPolicy(make([]float64, 5), act, v[:4:4], 0, 1) },
		"short policy":      func() { table.BackupPolicy(make([]float64, 5), act[:4:4], v, 0, 5) },
	} {
		assert.Panics(t, call, name)
	}
	act[3] = int32(table.NumActions(3))
	assert.PanicsWithValue(t, fmt.Sprintf("mdp: action %d of state 3, which has %d", act[3], act[3]),
		func() { table.BackupPolicy(make([]float64, 5), act, v, 0, 5) })
	act[3] = -1
	assert.Panics(t, func() { table.BackupPolicy(make([]float64, 5), act, v, 0, 5) })
	assert.NotPanics(t, func() { table.BackupPolicy(make([]float64, 5), act, v, 4, 5) })
}
