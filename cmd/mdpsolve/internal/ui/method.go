package ui

// How to solve: the flags that verbs for robots and for any model share.

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

// Method is how to solve.
type Method struct {
	Name       string
	Settings   mdp.Settings
	Checkpoint string // file for the result so far; "" for none
}

// MethodFlags are those that say how to solve.
func MethodFlags(names ...string) []cli.Flag {
	return []cli.Flag{
		ValueFlag("method", "solve by `METHOD`: "+Enumerate(names), MethodAuto),
		ValueFlag("tolerance", "accept bounds that are `E` apart, relative to the upper one", "1e-9"),
		WorkersFlag(),
		ValueFlag("max-iterations", "stop after `n` iterations of the method", "10000000"),
		ValueFlag("time-limit", "stop after `SECONDS`", ""),
	}
}

// Method reads the flags of [MethodFlags].
func (a *Arguments) Method(names ...string) Method {
	m := Method{Name: a.Choice("method", names...)}
	m.Settings.Tolerance = a.share("tolerance")
	m.Settings.Workers = a.Workers()
	m.Settings.MaxIterations = a.Whole("max-iterations", 1)
	m.Settings.TimeLimit = a.Seconds("time-limit")
	switch m.Name {
	case MethodValue:
		m.Settings.Method = mdp.RelativeValueIteration{}
	case MethodPolicy:
		m.Settings.Method = mdp.PolicyIteration{}
	}
	return m
}

// Automatic is the value of --robots that leaves the number to the program.
const Automatic = "auto"

// Exact returns the method for questions that the authors' iteration, which
// ends at no given accuracy, cannot answer.
func (m Method) Exact() Method {
	if m.Name == MethodPaper {
		m.Name = MethodAuto
	}
	return m
}
