package answer

// This file holds the words that results have for methods.

import (
	"strings"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Methods are the methods of package mdp with their words in results. The engine refuses those
// that do not fit a criterion or a model.
var Methods = []struct {
	Name   string
	Method mdp.Method
}{
	{"rvi", mdp.RelativeValueIteration},
	{"policy-iteration", mdp.PolicyIteration},
	{"inexact-policy-iteration", mdp.InexactPolicyIteration},
	{"value-iteration", mdp.ValueIteration},
	{"modified-policy-iteration", mdp.ModifiedPolicyIteration},
}

// exactly is the word for solutions in fractions.
const exactly = "exact"

// MethodName returns the word for the name of a method, as Result.Method of package mdp has it.
func MethodName(name string) string {
	for _, m := range Methods {
		if m.Method.String() == name {
			return m.Name
		}
	}
	return strings.ReplaceAll(name, " ", "-")
}
