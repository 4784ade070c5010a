package ui

// Parameters as they were given.

import "strings"

// Symbol is how people write the parameter that a flag gives.
type Symbol = struct{ Flag, Written string }

// Given returns the parameters that flags gave, as they were written: "λ = 1/10, K = 5".
// Flags that are not set are left out.
func (a *Arguments) Given(symbols ...Symbol) string {
	var words []string
	for _, s := range symbols {
		switch {
		case !a.CLI.IsSet(s.Flag):
		case strings.HasSuffix(s.Written, " "): // a word, not a symbol
			words = append(words, s.Written+a.CLI.String(s.Flag))
		default:
			words = append(words, s.Written+" = "+a.CLI.String(s.Flag))
		}
	}
	return strings.Join(words, ", ")
}
