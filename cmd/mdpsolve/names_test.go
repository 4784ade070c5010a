package main

import "math/big"

// The words of the command line that tests go through, written once more: a test
// that took them from the packages below would not see them change.
const (
	criterionAverage    = "average"
	criterionDiscounted = "discounted"
	criterionTotal      = "total"
	criterionFinite     = "finite"

	methodExact = "exact"

	methodDeadline = "edf"
	methodGolden   = "golden-ratio"
	methodRandom   = "random"
)

var (
	criteria        = []string{criterionAverage, criterionDiscounted, criterionTotal, criterionFinite}
	scheduleMethods = []string{methodDeadline, methodGolden, methodRandom, "round-robin"}
	objectiveNames  = []string{"fixed-order", "random", "discrete", "decaying", "age", "harmonic", "signals", "coffman", "coffman-randomized"}
	modelMethods    = []string{
		"auto", "rvi", "policy-iteration", "inexact-policy-iteration",
		"value-iteration", "modified-policy-iteration", methodExact,
	}
)

// fraction returns exactly what a number says.
func fraction(text string) *big.Rat {
	x, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text + " is no number")
	}
	return x
}
