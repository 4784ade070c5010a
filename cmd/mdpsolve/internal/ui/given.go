package ui

// Parameters as the user wrote them.

import "strings"

// Symbol is the notation for the parameter that a flag sets.
type Symbol = struct{ Flag, Written string }

// Given returns the parameters that are set, as the user wrote them: "λ = 1/10, K = 5".
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
