package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// splitmix is the generator of Steele, Lea and Flood (2014).
type splitmix uint64

func (g *splitmix) next() uint64 {
	*g += 0x9E3779B97F4A7C15
	z := uint64(*g)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func (g *splitmix) float() float64 { return float64(g.next()>>11) * 0x1p-53 }

// garnet returns a random model (Archibald, McKinnon and Thomas 1995): in each
// state the same number of actions, each with successors that are uniform over
// all states, exponential weights made to sum to 1, and a uniform cost.
func garnet(b testing.TB, states, actions, successors int, seed uint64) *mdp.Table {
	b.Helper()
	random := splitmix(seed)
	rows := states * actions
	a := mdp.TableArrays{
		StateStart:    make([]int32, states+1),
		RowStart:      make([]int32, rows+1),
		Columns:       make([]int32, rows*successors),
		Probabilities: make([]float64, rows*successors),
		Costs:         make([]float64, rows),
	}
	for s := range a.StateStart {
		a.StateStart[s] = int32(s * actions)
	}
	for k := range rows {
		a.RowStart[k+1] = int32((k + 1) * successors)
		columns := a.Columns[k*successors : (k+1)*successors]
		for i := 0; i < successors; {
			j := int32(random.next() % uint64(states))
			if !slices.Contains(columns[:i], j) {
				columns[i] = j
				i++
			}
		}
		slices.Sort(columns)
		weights, sum := a.Probabilities[k*successors:(k+1)*successors], 0.0
		for i := range weights {
			weights[i] = -math.Log(1 - random.float())
			sum += weights[i]
		}
		for i := range weights {
			weights[i] /= sum
		}
		a.Costs[k] = random.float()
	}
	table, err := mdp.NewTable(a)
	require.NoError(b, err)
	return table
}

// sweptTable counts the states of a table that are swept with all actions, and those with
// one.
type sweptTable struct {
	*mdp.Table
	states, followed atomic.Int64
}

func (t *sweptTable) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	t.states.Add(int64(hi - lo))
	t.Table.Backup(dst, act, v, lo, hi)
}

func (t *sweptTable) BackupPolicy(dst []float64, act []int32, v []float64, lo, hi int) {
	t.followed.Add(int64(hi - lo))
	t.Table.BackupPolicy(dst, act, v, lo, hi)
}

// BenchmarkGarnet solves random models to a certified sup-norm error of 1e-6.
// Sweeps over all actions and sweeps with a fixed policy are added up, including the
// certifying one. GB/s is the memory that they must move, each element counted
// once: 12 bytes a transition, 12 a choice and 20 a state.
func BenchmarkGarnet(b *testing.B) {
	const actions, successors = 4, 10
	methods := []struct {
		name   string
		method mdp.Method
	}{
		{"default", 0},
		{"value-iteration", mdp.ValueIteration},
		{"modified-policy-iteration", mdp.ModifiedPolicyIteration},
	}
	for _, states := range quickSizes(100_000, 1_000_000) {
		var (
			model     *sweptTable
			tolerance float64 // half of the gap is 10⁻⁶
		)
		for _, method := range methods {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("model=garnet/states=%d/method=%s/workers=%d", states, method.name, workers), func(b *testing.B) {
					if model == nil {
						model = &sweptTable{Table: garnet(b, states, actions, successors, 1)}
						tolerance = 2e-6 / smallest(b, model)
					}
					model.states.Store(0)
					model.followed.Store(0)
					settings := mdp.Settings{Method: method.method, Tolerance: tolerance, Workers: workers}
					var result *mdp.Result
					for b.Loop() {
						var err error
						result, err = mdp.Solve(context.Background(), model, mdp.Discounted{Discount: 0.99}, settings)
						require.NoError(b, err)
					}
					visits := float64(model.states.Load() + model.followed.Load())
					choices := float64(actions*model.states.Load() + model.followed.Load())
					seconds := b.Elapsed().Seconds()
					b.ReportMetric(float64(result.Iterations), "rounds")
					b.ReportMetric(visits/float64(states)/float64(b.N), "sweeps")
					b.ReportMetric(visits/seconds/1e6, "Mstates/s")
					b.ReportMetric(seconds*1e9/(choices*successors), "ns/transition")
					b.ReportMetric((choices*(12*successors+12)+20*visits)/seconds/1e9, "GB/s")
				})
			}
		}
	}
}

// smallest returns the least value of a state.
func smallest(b testing.TB, model mdp.Model) float64 {
	b.Helper()
	result, err := mdp.Solve(context.Background(), model, mdp.Discounted{Discount: 0.99}, mdp.Settings{})
	require.NoError(b, err)
	return slices.Min(result.Value)
}
