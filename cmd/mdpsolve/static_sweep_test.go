package main

// The verb static sweep, with lists.

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// Every combination of the values of lists has the rows of a sweep of its own.
func TestStaticSweepOfLists(t *testing.T) {
	rows := func(line string) (rows []map[string]any) {
		status, stdout, stderr := execute(t, line+" --service erlang:2 -o json")
		require.Equal(t, ui.ExitSolved, status, stderr)
		require.NoError(t, json.Unmarshal([]byte(stdout), &rows))
		return rows
	}
	var want []map[string]any
	for _, mu := range []string{"1", "2"} {
		for _, lambda := range []string{"1/10", "1/5"} {
			for _, buffer := range []string{"4", "6", "8"} {
				want = append(want, rows(fmt.Sprintf(
					"static sweep --over gamma --from 1 --to 2 --steps 3 --mu %s --lambda %s --buffer %s", mu, lambda, buffer))...)
			}
		}
	}
	assert.Equal(t, want, rows("static sweep --over gamma --from 1 --to 2 --steps 3 --mu 1,2 --lambda 1/10,1/5 --buffer 4:8:2"))
}
