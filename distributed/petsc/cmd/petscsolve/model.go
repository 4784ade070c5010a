package main

import (
	"github.com/mdpsolve/mdpsolve/distributed/petsc"
	"github.com/mdpsolve/mdpsolve/distributed/petsc/internal/garnet"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// question is a model and what is asked of it.
type question struct {
	kind      string // robots, garnet or model
	model     petsc.Model
	criterion mdp.Criterion
	discount  float64 // 1 for the average
	sense     mdp.Sense
}

// readQuestion reads the model that the operands name.
func readQuestion(a *arguments) (q question, err error) {
	if len(a.operands) == 0 {
		return q, faultf("no model: name robots, garnet or model FILE")
	}
	q.kind = a.operands[0]
	operands := 1
	switch q.kind {
	case "robots":
		a.only("robots", "robots", "buffer", "lambda", "mu", "gamma", "criterion", "discount")
		q.ask(a, "average")
		p := robots.Parameters{
			Robots: a.whole("robots", "", 1), Buffer: a.whole("buffer", "", 2),
			ArrivalRate: a.positive("lambda", ""), ServiceRate: a.positive("mu", ""), StarvationWeight: a.positive("gamma", ""),
		}
		if a.fault != nil {
			return q, a.fault
		}
		if q.model, err = robots.NewModel(p); err != nil {
			return q, faultf("%v", err)
		}
	case "garnet":
		a.only("garnet", "states", "actions", "successors", "seed", "criterion", "discount")
		q.ask(a, "")
		q.model = garnet.Model{
			States: a.whole("states", "", 1), Actions: a.whole("actions", "", 1), Successors: a.whole("successors", "", 1),
			Seed: uint64(a.whole("seed", "1", 0)),
		}
	case "model":
		a.only("model FILE", "reward", "criterion", "discount", "minimize", "maximize")
		q.ask(a, "")
		operands = 2
	default:
		return q, faultf("%q is no model: use robots, garnet or model FILE", q.kind)
	}
	if a.fault != nil {
		return q, a.fault
	}
	if len(a.operands) < operands {
		return q, faultf("model: no file: name one behind it")
	}
	if len(a.operands) > operands {
		return q, faultf("%q is not expected: options begin with --, see petscsolve help", a.operands[operands])
	}
	if q.kind == "model" {
		q.model, err = readFile(a, a.operands[1], q)
	}
	return q, err
}

// ask reads the criterion.
func (q *question) ask(a *arguments, otherwise string) {
	q.discount = 1
	if a.has("maximize") {
		q.sense = mdp.Maximize
		if a.has("minimize") {
			a.failf("--maximize: not valid with --minimize: use one of the two")
		}
	}
	if a.choice("criterion", otherwise, "average", "discounted") == "average" {
		if a.has("discount") {
			a.failf("--discount: not valid with --criterion average: leave it out")
		}
		q.criterion = mdp.LongRunAverage{Sense: q.sense}
		return
	}
	q.discount = a.number("discount", "", "a number above 0 and below 1", func(x float64) bool { return x > 0 && x < 1 })
	q.criterion = mdp.Discounted{Discount: q.discount, Sense: q.sense}
}

// readFile reads a model from a file, whole: every rank does, and keeps only its rows.
func readFile(a *arguments, name string, q question) (petsc.Model, error) {
	file, err := mdpio.ReadFile(name, mdpio.Options{})
	if err != nil {
		return nil, faultf("%v", err)
	}
	if file.NumChoices() > file.NumStates() && !a.has("minimize") && !a.has("maximize") {
		return nil, faultf("--minimize: missing, and --maximize too: give one of them for a model with choices")
	}
	if file.Kind == mdpio.CTMC && q.discount < 1 {
		return nil, faultf("--criterion: discounted is not valid for a CTMC: use average")
	}
	reward := a.text("reward", " ")
	if !a.has("reward") {
		if len(file.Rewards) != 1 {
			return nil, faultf("--reward: missing: name one of the %d reward models of %s", len(file.Rewards), name)
		}
		reward = file.Rewards[0].Name
	}
	table, err := file.Table(reward)
	if err != nil {
		return nil, faultf("%s: %v", name, err)
	}
	if q.discount == 1 && mdp.Analyze(table).Classification == mdp.Multichain {
		return nil, faultf("%s: the best average may depend on the state, which petscsolve does not look at: use mdpsolve solve", name)
	}
	return mdp.Rounded{Table: table}, nil
}
