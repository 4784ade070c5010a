package static_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/models/static"
	"github.com/mdpsolve/mdpsolve/queue"
)

// TestPrintedTables: the columns C_static and N_static of the paper's Tables 1
// and 2, all digits.
func TestPrintedTables(t *testing.T) {
	rows := 0
	for _, table := range []string{"table1", "table2"} {
		file, err := os.Open("../../testdata/" + table + "_printed.csv")
		require.NoError(t, err)
		records, err := csv.NewReader(file).ReadAll()
		require.NoError(t, err)
		require.NoError(t, file.Close())
		column := map[string]int{}
		for i, name := range records[0] {
			column[name] = i
		}
		for _, record := range records[1:] {
			rows++
			label := fmt.Sprint(table, ": ", record)
			buffer, err := strconv.Atoi(record[column["K"]])
			require.NoError(t, err)
			lambda, err := number.Parse(record[column["lambda"]])
			require.NoError(t, err)
			gamma, err := number.Parse(record[column["gamma"]])
			require.NoError(t, err)
			p := static.Parameters{ArrivalRate: lambda, ServiceRate: 1, StarvationWeight: gamma, Buffer: buffer}
			result, err := p.Optimize()
			require.NoError(t, err)
			assert.Equal(t, record[column["N_static"]], strconv.Itoa(result.Robots), label)
			printed := record[column["C_static"]]
			digits := len(printed) - strings.Index(printed, ".") - 1
			assert.Equal(t, printed, strconv.FormatFloat(result.Cost, 'f', digits, 64), label)
		}
	}
	assert.Equal(t, 27+18, rows)
}

// TestBestNumberByBruteForce compares with the cheapest of all numbers up to
// far beyond the best, for several laws.
func TestBestNumberByBruteForce(t *testing.T) {
	for _, text := range []string{"exponential", "deterministic", "erlang:3", "gamma:0.3", "hyperexponential:0.9@1,0.1@20"} {
		for _, cost := range []static.Cost{static.LossRate, static.LossProbability} {
			for _, lambda := range []float64{0.03, 0.21, 0.9, 4} {
				for _, weight := range []float64{0.05, 0.4, 1, 1.7, 12} {
					for _, buffer := range []int{2, 3, 8} {
						law, err := queue.ParseLaw(text, 0.5, nil)
						require.NoError(t, err)
						p := static.Parameters{ArrivalRate: lambda, ServiceRate: 2, StarvationWeight: weight, Buffer: buffer, Service: law, Cost: cost}
						best, err := p.Optimize()
						require.NoError(t, err)
						for n := 1; n <= 3*best.Robots+10; n++ {
							cost := p.CostAt(float64(n) * lambda / 2)
							require.GreaterOrEqual(t, cost, best.Cost*(1-1e-13), "%s: %d against %d in %+v", text, n, best.Robots, p)
						}
						again, err := p.Evaluate(best.Robots)
						require.NoError(t, err)
						assert.Equal(t, best, again)
						assert.InEpsilon(t, best.Cost, p.CostAt(best.Load), 1e-13)
					}
				}
			}
		}
	}
}

// TestResultAgainstQuotients evaluates the textbook quotients where they lose
// little.
func TestResultAgainstQuotients(t *testing.T) {
	p := static.Parameters{ArrivalRate: 0.25, ServiceRate: 2, StarvationWeight: 1.4, Buffer: 6}
	for _, robots := range []int{1, 4, 11, 40} {
		result, err := p.Evaluate(robots)
		require.NoError(t, err)
		rho := 0.125 * float64(robots)
		empty := (1 - rho) / (1 - math.Pow(rho, 7))
		full := empty * math.Pow(rho, 6)
		assert.Equal(t, rho, result.Load)
		assert.InEpsilon(t, empty, result.Starvation, 1e-13)
		assert.InEpsilon(t, full, result.LossProbability, 1e-13)
		assert.InEpsilon(t, 2*rho*full, result.LossRate, 1e-13)
		assert.InEpsilon(t, (1-rho)*(1.4+2*math.Pow(rho, 7))/(1-math.Pow(rho, 7)), result.Cost, 1e-13)
		assert.InEpsilon(t, 2*8.0/6, result.CriticalWeight, 1e-15)
		p := p
		p.Cost = static.LossProbability
		result, err = p.Evaluate(robots)
		require.NoError(t, err)
		assert.InEpsilon(t, (1-rho)*(1.4+math.Pow(rho, 6))/(1-math.Pow(rho, 7)), result.Cost, 1e-13)
	}
}
