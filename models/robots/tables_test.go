package robots_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/paper"
	"github.com/mdpsolve/mdpsolve/testdata"
)

// printed is a row of a printed table: its cells by column.
type printed map[string]string

// printedRows reads a table of package testdata.
func printedRows(t *testing.T, text string) []printed {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	var rows []printed
	for _, line := range lines[1:] {
		row := printed{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// parameters returns the row's, but for the number of robots.
func (p printed) parameters(t *testing.T) robots.Parameters {
	t.Helper()
	mu := 1.0 // in all of section 4
	if text, ok := p["mu"]; ok {
		mu = fraction(t, text)
	}
	return robots.Parameters{
		Buffer:           p.count(t, "K"),
		ArrivalRate:      fraction(t, p["lambda"]),
		ServiceRate:      mu,
		StarvationWeight: fraction(t, p["gamma"]),
	}
}

func (p printed) count(t *testing.T, column string) int {
	t.Helper()
	n, err := strconv.Atoi(p[column])
	require.NoError(t, err, column)
	return n
}

func (p printed) String() string { return fmt.Sprintf("%s,%s,%s", p["lambda"], p["K"], p["gamma"]) }

// roundedAs returns x with as many decimals as are printed.
func roundedAs(cell string, x float64) string {
	_, decimals, _ := strings.Cut(cell, ".")
	return strconv.FormatFloat(x, 'f', len(decimals), 64)
}

func TestFigures6To8(t *testing.T) {
	rows := printedRows(t, testdata.Figures)
	require.Len(t, rows, 3)
	for _, row := range rows {
		p := row.parameters(t)
		p.Robots = row.count(t, "robots")
		s, err := paper.Solve(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		assert.Equal(t, row["cost"], roundedAs(row["cost"], s.Gain), row)
		assert.Equal(t, row.count(t, "iterations"), s.Iterations, row)
		assert.Equal(t, mdp.Stopped, s.Status)
		assert.True(t, s.Policy.Curves()[0].Monotone)
	}
}

// Table 1 counts the stopping test one iteration later than the figures.
func TestTable1(t *testing.T) {
	rows := printedRows(t, testdata.Table1)
	require.Len(t, rows, 27)
	for i, row := range rows {
		if testing.Short() && i%9 != 2 {
			continue
		}
		p := row.parameters(t)
		p.Robots = row.count(t, "N_static")
		s, err := paper.Solve(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		assert.Equal(t, printed{
			"C_dynamic": row["C_dynamic"], "N_min": row["N_min"], "N_mean": row["N_mean"], "iterations": row["iterations"],
		}, printed{
			"C_dynamic":  roundedAs(row["C_dynamic"], s.Gain),
			"N_min":      strconv.Itoa(s.Measures.RobotsMin),
			"N_mean":     roundedAs(row["N_mean"], s.Measures.RobotsMean),
			"iterations": strconv.Itoa(s.Iterations + 1),
		}, "%v", row)
	}
}

// table2Errata are the cells of Table 2 that are not what comes out, with what
// does. The printed cost in the second is that of Table 1 for 22 robots.
var table2Errata = map[string]string{
	"0.05,10,6/5 C_dynamic":  "0.08156", // printed 0.12020
	"0.05,10,12/5 C_dynamic": "0.12020", // printed 0.20541
	"0.05,5,12/5 N_max":      "31",      // printed 32
	"0.1,5,7/5 N_max":        "15",      // printed 16
	"0.1,5,12/5 N_max":       "17",      // printed 18
}

func TestTable2(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred solves")
	}
	rows := printedRows(t, testdata.Table2)
	require.Len(t, rows, 18)
	different := map[string]string{}
	for _, row := range rows {
		p := row.parameters(t)
		var err error
		p.Robots, err = robots.LeastSufficientRobots(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		s, err := robots.Solve(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		computed := printed{
			"C_dynamic": roundedAs(row["C_dynamic"], s.Gain),
			"N_min":     strconv.Itoa(s.Measures.RobotsMin),
			"N_mean":    roundedAs(row["N_mean"], s.Measures.RobotsMean),
			"N_max":     strconv.Itoa(s.Measures.RobotsMax),
		}
		for column, text := range computed {
			if text != row[column] {
				different[fmt.Sprintf("%v %s", row, column)] = text
			}
		}
		assert.Equal(t, p.Robots, s.Measures.RobotsMax, "%v", row)
	}
	assert.Equal(t, table2Errata, different)
}
