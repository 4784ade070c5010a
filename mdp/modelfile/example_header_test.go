package modelfile_test

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// A file is not read to its end if it announces more states than one wants.
func ExampleHeader() {
	_, err := modelfile.ReadFile(filepath.Join("testdata", "queue.drn"), modelfile.Options{Announced: func(h modelfile.Header) error {
		fmt.Println(h.Kind, h.States, h.Rational)
		if h.States > 3 {
			return errors.New("too large")
		}
		return nil
	}})
	fmt.Println(err)
	// Output:
	// CTMC 4 false
	// too large
}
