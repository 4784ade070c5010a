package ui

// Flags about the method, shared by the verbs for robots and for any model.

import (
	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
)

// The values of --method, which are also the names of methods in JSON.
const (
	MethodAuto   = "auto"
	MethodPaper  = "paper"
	MethodValue  = "rvi"
	MethodPolicy = "policy-iteration"
)

// Method is a method with its settings, as given by flags.
type Method struct {
	Name     string
	Settings mdp.Settings
	Trace    *Trace // nil for none
}

// MethodFlags returns the flags about the method; names are the values of --method.
func MethodFlags(names ...string) []cli.Flag {
	return Group(MethodGroup,
		NewChoiceFlag("method", "solve by `METHOD`", MethodAuto, names...),
		ValueFlag("tolerance", "stop when the bounds differ by at most `E`, relative to the upper one", "1e-9"),
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
	for _, known := range answer.Methods {
		if known.Name == m.Name {
			m.Settings.Method = known.Method
		}
	}
	return m
}

// Automatic is the value of --robots that lets the program choose the number.
const Automatic = "auto"
