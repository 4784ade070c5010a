package main

import (
	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// The values of --method. JSON answers name methods like this too.
const (
	methodAuto   = "auto"
	methodPaper  = "paper"
	methodValue  = "rvi"
	methodPolicy = "policy-iteration"
)

// method is how to solve.
type method struct {
	name     string
	settings mdp.Settings
}

// methodFlags are those that say how to solve.
func methodFlags(names ...string) []cli.Flag {
	return []cli.Flag{
		valueFlag("method", "solve by `METHOD`: "+enumerate(names), methodAuto),
		valueFlag("tolerance", "accept bounds that are `E` apart, relative to the upper one", "1e-9"),
		workersFlag(),
		valueFlag("max-iterations", "stop after `n` iterations of the method", "10000000"),
		valueFlag("time-limit", "stop after `SECONDS`", ""),
	}
}

func (a *arguments) method(names ...string) method {
	m := method{name: a.choice("method", names...)}
	m.settings.Tolerance = a.share("tolerance")
	m.settings.Workers = a.workers()
	m.settings.MaxRounds = a.whole("max-iterations", 1)
	m.settings.TimeLimit = a.seconds("time-limit")
	switch m.name {
	case methodValue:
		m.settings.Method = mdp.RelativeValueIteration{}
	case methodPolicy:
		m.settings.Method = mdp.PolicyIteration{}
	}
	return m
}

// automatic is the value of --robots that leaves the number to the program.
const automatic = "auto"

// exact returns the method for questions that the authors' iteration, which
// ends at no given accuracy, cannot answer.
func (m method) exact() method {
	if m.name == methodPaper {
		m.name = methodAuto
	}
	return m
}
