package modelfile_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

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

// A program that copies a file reads it again, exactly, where float64 is not enough.
func ExampleDigits() {
	const thirds = `{"kind": "dtmc", "states": [{"actions": [{"to": [[0, "1/3"], [1, "2/3"]]}]}, {"actions": [{"to": [[1, 1]]}]}]}`
	digits := &modelfile.Digits{}
	_, err := modelfile.ReadJSON(strings.NewReader(thirds), "m.json", modelfile.Options{Digits: digits})
	fmt.Println(digits.Fractions, err)
	m, err := modelfile.ReadJSON(strings.NewReader(thirds), "m.json", modelfile.Options{Exact: digits.Fractions})
	fmt.Println(m.Values.Exact[0], err)
	// Output:
	// true <nil>
	// 1/3 <nil>
}
