// This file words the parameters of the process for pictures, as they were given.

package robots

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// given returns the parameters as they were given, but for the flags that vary.
// robots is their number, which --robots auto leaves to be found; 0 stands for classes,
// and for a number that differs from case to case.
func given(a *ui.Arguments, robots int, varying ...string) string {
	var words []string
	switch {
	case a.CLI.IsSet("class"):
		for _, class := range a.CLI.StringSlice("class") {
			number, rate, _ := strings.Cut(class, "@")
			words = append(words, number+" robots of λ = "+rate)
		}
	case robots > 0 && a.CLI.String("robots") == ui.Automatic:
		words = append(words, fmt.Sprintf("N = %d", robots))
	}
	symbols := []ui.Symbol{
		{"buffer", "K"},
		{"lambda", "λ"},
		{"mu", "μ"},
		{"gamma", "γ"},
		{"service", "service "},
		{"holding-cost", "holding cost "},
		{"robot-cost", "robot cost "},
		{"activation-cost", "activation cost "},
	}
	if words == nil {
		symbols = append([]ui.Symbol{{"robots", "N"}}, symbols...)
	}
	for _, s := range symbols {
		if word := a.Given(s); word != "" && !slices.Contains(varying, s.Flag) {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}
