package bench

import (
	"context"
	"encoding/csv"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/paper"
	"github.com/mdpsolve/mdpsolve/testdata"
)

// policyInstances have an arrival rate of up to twice the service rate, as in the
// paper: growing squares, growing numbers of robots, and one with a gain of 1e-11.
var policyInstances = []struct{ buffer, robots int }{
	{50, 100},
	{100, 200},
	{200, 400},
	{400, 800},
	{50, 1000},
	{50, 2000},
	{50, 4000},
	{50, 8000},
	{100, 4000},
	{200, 2000},
}

// BenchmarkPolicyIteration measures whole solves, to bounds that meet, without
// the measures of the policy.
func BenchmarkPolicyIteration(b *testing.B) {
	for _, instance := range policyInstances {
		model, err := robots.NewModel(robots.Parameters{
			Robots: instance.robots, Buffer: instance.buffer,
			ArrivalRate: 2 / float64(instance.robots), ServiceRate: 1, StarvationWeight: 1.4,
		})
		require.NoError(b, err)
		if testing.Short() && model.NumStates() > 100_000 {
			continue
		}
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("model=robots/K=%d/N=%d/pairs=%d/method=policy-iteration/workers=%d",
				instance.buffer, instance.robots, model.NumStates(), workers), func(b *testing.B) {
				settings := mdp.Settings{Method: mdp.PolicyIteration, Workers: workers}
				var result *mdp.Result
				for b.Loop() {
					result, err = mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, settings)
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(result.Iterations), "rounds")
				b.ReportMetric((result.Upper-result.Lower)/result.Upper*1e12, "gap/1e-12")
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(model.NumStates()), "ns/pair")
			})
		}
	}
}

// BenchmarkTable1 solves all 27 rows of the paper's Table 1, exactly and by the authors'
// method, whose costs have errors of up to 1e-5. An operation is the whole table.
func BenchmarkTable1(b *testing.B) {
	rows := table1(b)
	for _, form := range []struct {
		method string
		solve  func(context.Context, robots.Parameters, mdp.Settings) (*robots.Solution, error)
	}{
		{"policy-iteration", robots.Solve},
		{"paper", paper.Solve},
	} {
		b.Run("model=robots/rows=27/method="+form.method+"/workers=1", func(b *testing.B) {
			worst := 0.0
			for b.Loop() {
				for _, p := range rows {
					s, err := form.solve(context.Background(), p, mdp.Settings{Workers: 1})
					if err != nil && s == nil || form.method != "paper" && err != nil {
						b.Fatal(err)
					}
					worst = max(worst, (s.Upper-s.Lower)/s.Upper)
				}
			}
			b.ReportMetric(worst*1e12, "gap/1e-12")
		})
	}
}

// table1 returns the parameters of the rows of the paper's Table 1.
func table1(b *testing.B) []robots.Parameters {
	records, err := csv.NewReader(strings.NewReader(testdata.Table1)).ReadAll()
	require.NoError(b, err)
	column := map[string]int{}
	for i, name := range records[0] {
		column[name] = i
	}
	var rows []robots.Parameters
	for _, record := range records[1:] {
		number := func(name string) float64 {
			x, ok := new(big.Rat).SetString(record[column[name]])
			require.True(b, ok)
			f, _ := x.Float64()
			return f
		}
		whole := func(name string) int {
			n, err := strconv.Atoi(record[column[name]])
			require.NoError(b, err)
			return n
		}
		rows = append(rows, robots.Parameters{
			Robots: whole("N_static"), Buffer: whole("K"),
			ArrivalRate: number("lambda"), ServiceRate: 1, StarvationWeight: number("gamma"),
		})
	}
	require.Len(b, rows, 27)
	return rows
}
