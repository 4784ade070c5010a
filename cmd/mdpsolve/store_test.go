package main

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A log with rows of all kinds says the same of its pages to a store and to refresh
// estimate, which reads it with other code.
func TestStoreAndEstimateReadTheSameLog(t *testing.T) {
	t.Chdir(t.TempDir())
	rows := []string{
		",", "1,200", "0,", "TRUE,ok", "False,204", ",304", ",200", ",ok", ",failed", ",503", ",301", "1,500", ",404", ",Gone", "1,304",
	}
	random := rand.New(rand.NewPCG(1, 2))
	var pages, visits strings.Builder
	pages.WriteString("id\n")
	visits.WriteString("id,time,changed,status,digest\n")
	for page := range 60 {
		fmt.Fprintf(&pages, "p%d\n", page)
		at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
		for range random.IntN(15) {
			at = at.Add(time.Duration(1 + random.Int64N(int64(48*time.Hour))))
			row, digest := rows[random.IntN(len(rows))], ""
			if row[0] == ',' && (row == "," || random.IntN(2) == 0) {
				digest = strconv.Itoa(random.IntN(2))
			}
			fmt.Fprintf(&visits, "p%d,%s,%s,%s\n", page, at.Format(time.RFC3339Nano), row, digest)
		}
	}
	writeFile(t, "pages.csv", pages.String())
	writeFile(t, "visits.csv", visits.String())
	for _, line := range []string{"set --bandwidth 60/day", "add --input pages.csv", "record --input visits.csv"} {
		status, _, stderr := execute(t, "store "+line+" --store pages.db")
		require.Zero(t, status, stderr)
	}
	byStore := changeRates(t, "store rates --store pages.db")
	byEstimate := changeRates(t, "refresh estimate --prior all --strict --input visits.csv")
	require.Greater(t, len(byEstimate), 30)
	for id, want := range byEstimate {
		// Both fit the prior until its likelihood moves no more, from other sums.
		assert.InEpsilon(t, want, byStore[id], 1e-9, id)
	}
}

// A log to which no prior can be fitted, as of pages that are all alike, gives estimates and lists of
// what is due all the same, and a warning.
func TestPlainPriors(t *testing.T) {
	t.Chdir(t.TempDir())
	log := "url,time,changed\n"
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for page := range 40 { // milliseconds and days apart
		gap := []time.Duration{time.Millisecond, 24 * time.Hour}[page%2]
		for visit := range 90 {
			log += fmt.Sprintf("https://h%d.example/%d,%s,%d\n", page%5, page, begin.Add(time.Duration(visit)*gap).Format(time.RFC3339Nano), visit%2)
		}
	}
	writeFile(t, "log.csv", log)
	for _, prior := range []string{"all", "host"} {
		status, stdout, stderr := execute(t, "refresh estimate --input log.csv --prior "+prior)
		require.Zero(t, status, stderr)
		assert.Contains(t, stderr, "mdpsolve: warning: no prior can be fitted to the log: a plain one serves (a gamma law with shape 1 and mean ")
		assert.Equal(t, 41, strings.Count(stdout, "\n"))
	}
	mustRun(t, "store set --store pages.db --bandwidth 40/day")
	mustRun(t, "store add --store pages.db --input log.csv")
	mustRun(t, "store record --store pages.db --input log.csv")
	for range 2 {
		for _, verb := range []string{"due --most 10 --now 2026-06-01", "rates"} {
			status, stdout, stderr := execute(t, "store "+verb+" --store pages.db")
			require.Zero(t, status, stderr)
			assert.Contains(t, stderr, "mdpsolve: warning: no prior of change rates can be fitted to the accesses in the store: a plain one serves\n")
			assert.Greater(t, strings.Count(stdout, "\n"), 1)
		}
	}
	_, _, stderr := execute(t, "store due --most 10 --now 2026-06-01 --store pages.db")
	assert.Contains(t, stderr, "10 more pages are due, 10 of them overdue by more than an interval: ", "the other 20 change too often to be worth an access")
}

// changeRates returns the column change_rate of what a command prints, by ID.
func changeRates(t *testing.T, line string) map[string]float64 {
	t.Helper()
	status, stdout, stderr := execute(t, line)
	require.Zero(t, status, stderr)
	table, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	id, rate := slices.Index(table[0], "id"), slices.Index(table[0], "change_rate")
	rates := map[string]float64{}
	for _, row := range table[1:] {
		if rates[row[id]], err = strconv.ParseFloat(row[rate], 64); rates[row[id]] == 0 {
			delete(rates, row[id]) // a page that is gone
		}
		require.NoError(t, err)
	}
	return rates
}
