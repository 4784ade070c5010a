package filepos_test

import (
	"fmt"

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
