// This file writes the parameters of the process for pictures, as on the command line.

package robots

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// given returns the parameters as on the command line, without the flags that vary. robots
// is the number that --robots auto found; 0 for several classes, or if it varies.
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
		{"robots", "N"},
		{"buffer", "K"},
		{"lambda", "λ"},
		{"mu", "μ"},
		{"gamma", "γ"},
		{"service", "service "},
		{"holding-cost", "holding cost "},
		{"robot-cost", "robot cost "},
		{"activation-cost", "activation cost "},
	}
	if words != nil {
		symbols = symbols[1:]
	}
	for _, s := range symbols {
		if word := a.Given(s); word != "" && !slices.Contains(varying, s.Flag) {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}
