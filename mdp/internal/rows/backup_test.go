package rows

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomRows returns rows of 1 to longest entries, of states with 1 to 5 actions,
// some of them alike.
func randomRows(random *rand.Rand, n, longest int) *Rows {
	r := New(n, 0, 0)
	for range n {
		for action := range 1 + random.IntN(5) {
			if previous := int32(r.NumChoices() - 1); action > 0 && random.IntN(4) == 0 {
				for _, e := range r.AppendChoice(nil, previous) {
					r.Add(e.State, e.Probability)
				}
				r.EndChoice(r.Costs[previous])
				continue
			}
			first, length, sum := len(r.Columns), 1+random.IntN(min(n, longest)), 0.0
			for len(r.Columns) < first+length {
				if j := int32(random.IntN(n)); !slices.Contains(r.Columns[first:], j) {
					r.Add(j, random.ExpFloat64())
					sum += r.Probabilities[len(r.Probabilities)-1]
				}
			}
			for e := first; e < first+length; e++ {
				r.Probabilities[e] /= sum
			}
			r.EndChoice(float64(random.IntN(3)) * random.NormFloat64())
		}
		r.EndState()
	}
	return r
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
func naiveValues(model Lister, v []float64, s int) []float64 {
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

// Sweeps have the bits of sums over rows, whichever form
// they take, and write nothing beyond their range.
func TestSweepsHaveTheBitsOfRows(t *testing.T) {
	const seed = 20260611
	random := rand.New(rand.NewPCG(seed, 0))
	trials := 500
	if testing.Short() {
		trials = 100
	}
	for trial := range trials {
		n := 1 + random.IntN(80)
		if trial == 0 {
			n = 3 * BlockStates
		}
		rows := randomRows(random, n, 1+random.IntN(40))
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
			values := naiveValues(rows, v, s)
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
			"Backup": rows.Backup, "Backup in Go": func(dst []float64, act []int32, v []float64, lo, hi int) {
				if lo < hi {
					rows.backupGo(dst, act, v, lo, hi)
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
			"BackupPolicy": rows.BackupPolicy, "BackupPolicy in Go": func(dst []float64, act []int32, v []float64, lo, hi int) {
				if lo < hi {
					rows.backupPolicyGo(dst, act, v, lo, hi)
				}
			},
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

// Repeated sweeps in place have the bits of as many sweeps.
func TestRelaxRepeatsASweep(t *testing.T) {
	random := rand.New(rand.NewPCG(20261130, 0))
	for range 100 {
		n := 1 + random.IntN(80)*random.IntN(80)
		rows, v, actions := randomRows(random, n, 1+random.IntN(40)), anyNumbers(random, n), make([]int32, n)
		for s := range actions {
			actions[s] = int32(random.IntN(rows.NumActions(s)))
		}
		lo, want := random.IntN(n), slices.Clone(v)
		hi := lo + 1 + random.IntN(n-lo)
		for range 3 {
			rows.backupPolicyGo(want, actions, want, lo, hi)
		}
		rows.Relax(v, actions, lo, hi, 3)
		require.Equal(t, bitsOf(want), bitsOf(v), "states %d … %d of %d", lo, hi, n)
	}
}
