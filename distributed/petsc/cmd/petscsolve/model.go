package main

import (
	"errors"
	"strings"

	"github.com/mdpsolve/mdpsolve/distributed/petsc"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// task is a model with a criterion.
type task struct {
	model     petsc.Model
	criterion mdp.Criterion
	discount  float64 // 1 for the average
	sense     mdp.Sense
}

// name returns the name of the criterion.
func (q *task) name() string {
	if q.discount < 1 {
		return "discounted"
	}
	return "average"
}

// readQuestion reads a command line: a model, and flags.
func readQuestion(words []string) (q task, a *arguments, err error) {
	switch words[0] {
	case "robots":
		a = parse(words[1:], "robots", "buffer", "lambda", "mu", "gamma")
		q.ask(a, "average")
		p := robots.Parameters{
			Robots: a.whole("robots", "", 1), Buffer: a.whole("buffer", "", 2),
			ArrivalRate: a.positive("lambda", ""), ServiceRate: a.positive("mu", ""), StarvationWeight: a.positive("gamma", ""),
		}
		if a.fault != nil {
			return q, a, a.fault
		}
		if q.model, err = robots.NewModel(p); err != nil {
			return q, a, faultf("%v", err)
		}
	case "model":
		if len(words) == 1 || strings.HasPrefix(words[1], "-") {
			return q, nil, faultf("model: the file is missing: use model FILE")
		}
		a = parse(words[2:], "reward")
		q.ask(a, "")
		if a.fault != nil {
			return q, a, a.fault
		}
		q.model, err = readFile(a, words[1], q)
	default:
		return q, nil, faultf("%q is not a model: use robots or model FILE", words[0])
	}
	return q, a, err
}

// ask reads the criterion and the sense.
func (q *task) ask(a *arguments, otherwise string) {
	q.discount = 1
	if a.maximize {
		q.sense = mdp.Maximize
		if a.minimize {
			a.failf("--maximize: not valid with --minimize: use one of the two")
		}
	}
	if a.criterion(otherwise) == "average" {
		if a.has("discount") {
			a.failf("--discount: not valid with --criterion average: leave it out")
		}
		q.criterion = mdp.LongRunAverage{Sense: q.sense}
		return
	}
	q.discount = a.number("discount", "", "a number above 0 and below 1", func(x float64) bool { return x > 0 && x < 1 })
	q.criterion = mdp.Discounted{Discount: q.discount, Sense: q.sense}
}

// readFile reads a model file. Every rank reads all of it, and keeps only its rows.
func readFile(a *arguments, name string, q task) (petsc.Model, error) {
	file, err := modelfile.ReadFile(name, modelfile.Options{})
	if err != nil {
		return nil, faultf("%v", err)
	}
	ask := question.Question{Criterion: q.name(), Reward: a.text("reward", " ")}
	if a.maximize || a.minimize {
		ask.Sense = q.sense.String()
	}
	if q.discount < 1 {
		ask.Discount = &q.discount
	}
	if !a.has("reward") {
		ask.Reward = ""
	}
	asked, err := ask.On(file)
	if fault, ok := errors.AsType[*question.Error](err); ok && fault.Words != nil {
		return nil, faultf("%s: give --minimize or --maximize", fault.Reason)
	} else if ok {
		return nil, faultf("--%s: %s", fault.Member, fault.Reason)
	}
	if err != nil {
		return nil, faultf("%v", err)
	}
	table, err := file.Table(asked.Reward)
	if err != nil {
		return nil, faultf("%s: %v", name, err)
	}
	if q.discount == 1 && mdp.Analyze(table).Classification == "multichain" {
		return nil, faultf("%s: the optimal average may depend on the state, for which petscsolve has no method: use mdpsolve solve", name)
	}
	return mdp.Rounded{Table: table}, nil
}
