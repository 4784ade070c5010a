package filepos_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/number"
)

func ExampleError() {
	fault := filepos.Fault(`"x"`, "a number such as 0.5")
	fmt.Println(fault.At("rates.csv", filepos.Place{Line: 3, Column: 7}))
	fmt.Println(filepos.Fault("the file ends within a row", "").At("rates.csv", filepos.Place{Line: 4, Column: 1}))
	// Output:
	// rates.csv:3:7: found "x"; expected a number such as 0.5
	// rates.csv:4:1: the file ends within a row
}

func ExampleBadNumber() {
	if _, err := number.Parse("fast"); err != nil {
		fmt.Println(filepos.BadNumber(err).At("rates.csv", filepos.Place{Line: 3, Column: 7}))
	}
	// Output: rates.csv:3:7: found "fast"; expected a number such as 1.5, 1e-3 or 17/15
}

func TestCompare(t *testing.T) {
	places := []filepos.Place{{Line: 1, Column: 1}, {Line: 1, Column: 9}, {Line: 2, Column: 1}}
	assert.True(t, slices.IsSortedFunc(places, filepos.Place.Compare))
	assert.Zero(t, places[1].Compare(filepos.Place{Line: 1, Column: 9}))
	assert.Positive(t, places[2].Compare(places[1]))
}
