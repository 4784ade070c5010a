package certificate_test

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/certificate"
)

// JSON has no infinite numbers: they are texts.
func ExampleFloats() {
	text, err := json.Marshal(certificate.Floats{0.5, math.Inf(1)})
	fmt.Println(string(text), err)
	var read certificate.Floats
	err = json.Unmarshal(text, &read)
	fmt.Println(read, err)
	// Output:
	// [0.5,"Infinity"] <nil>
	// [0.5 +Inf] <nil>
}
