package modelfile_test

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

func ExampleFormats() {
	for _, f := range modelfile.Formats() {
		fmt.Println(f.Suffix, f.Meaning, f.Beside)
	}
	// Output:
	// .json JSON []
	// .drn DRN, the explicit format of Storm []
	// .umb UMB, the binary format of PRISM, Storm and Modest []
	// .tra the explicit format of PRISM [.sta .lab .srew .trew]
}

// A model is made fit for a format that cannot hold all of it.
func ExampleFormat_Fit() {
	m, err := modelfile.ReadFile("testdata/toymaker.json", modelfile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	format, err := modelfile.FormatOf("toymaker.drn")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(format.Fit(m))
	// Output:
	// [reward model "profit": its rewards of transitions are lost, but for their expectation, a reward of actions]
}
