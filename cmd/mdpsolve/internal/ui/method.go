package ui

// The flags that say how to solve, shared by the verbs for robots and those for any
// model.

import (
	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// The values of --method. JSON answers name methods like this too.
const (
	MethodAuto   = "auto"
	MethodPaper  = "paper"
	MethodValue  = "rvi"
	MethodPolicy = "policy-iteration"
)

// Method is a method with its settings, as the flags give them.
type Method struct {
	Name     string
	Settings mdp.Settings
	Trace    *Trace // nil for none
}

// MethodFlags returns the flags that say how to solve; names are the methods.
func MethodFlags(names ...string) []cli.Flag {
	return Group(MethodGroup,
		NewChoiceFlag("method", "solve by `METHOD`", MethodAuto, names...),
		ValueFlag("tolerance", "accept bounds that are `E` apart, relative to the upper one", "1e-9"),
		WorkersFlag(),
		ValueFlag("max-iterations", "stop after `n` iterations of the method", "10000000"),
		ValueFlag("time-limit", "stop after `SECONDS`", ""),
	)
}

// Method reads the flags of [MethodFlags].
func (a *Arguments) Method() Method {
	m := Method{Name: a.Choice("method")}
	m.Settings.Tolerance = a.share("tolerance")
	m.Settings.Workers = a.Workers()
	m.Settings.MaxIterations = a.Whole("max-iterations", 1)
	m.Settings.TimeLimit = a.Seconds("time-limit")
	switch m.Name {
	case MethodValue:
		m.Settings.Method = mdp.RelativeValueIteration
	case MethodPolicy:
		m.Settings.Method = mdp.PolicyIteration
	}
	return m
}

// Automatic is the value of --robots that leaves the number to the program.
const Automatic = "auto"
