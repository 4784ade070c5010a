package mdpio_test

import (
	"fmt"
	"path/filepath"

	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// A large file is looked at before it is read.
func ExampleHeader() {
	header, err := mdpio.ReadHeader(filepath.Join("testdata", "queue.drn"))
	if err != nil {
		panic(err)
	}
	fmt.Println(header.Kind, header.States, header.Rational)
	// Output: CTMC 4 false
}
