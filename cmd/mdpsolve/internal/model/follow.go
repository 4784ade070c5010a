package model

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// policyFilesText is for the help of verbs that take a policy.
const policyFilesText = `FILE has a policy: .csv with the columns state and action (numbers, or names), and
probability for a randomised one, a line for each action that a state takes; a
scheduler that Storm has exported as .json (--exportscheduler); or a result.`

func policyFlag(usage string) cli.Flag { return ui.ValueFlag("policy", usage, "") }

// followed is a model under a policy, with what is asked about it.
type followed struct {
	path, policyPath string
	model            *mdpio.Model
	policy           *mdpio.Policy
	chain            *mdpio.Model // the model under the policy
	question         question
}

// readFollowed reads a model and a policy. Numbers are kept exactly where that is asked
// for, where the file is small, and where the policy is randomised, as probabilities
// are then multiplied.
func readFollowed(a *ui.Arguments, q question, exact bool) *followed {
	f := &followed{path: a.CLI.Args().First(), policyPath: a.Text("policy", "the file of a policy"), question: q}
	f.model = readModel(a, exact || isSmall(f.path))
	f.policy = readPolicy(a, f.policyPath, f.model)
	if f.policy.NumRandomized() > 0 && !f.model.IsExact() {
		f.model = readModel(a, true)
	}
	f.chain = chainUnder(a, f.policyPath, f.policy, f.model)
	checkQuestion(a, &f.question, f.chain)
	if !f.model.IsExact() && mixesSigns(f.model, f.question.reward) {
		f.model = readModel(a, true)
		f.chain = chainUnder(a, f.policyPath, f.policy, f.model)
	}
	checkCoverage(a, f)
	return f
}

// readPolicy reads the policy that --policy names.
func readPolicy(a *ui.Arguments, path string, m *mdpio.Model) *mdpio.Policy {
	p, err := interruptible(a.CLI.Context, func() (*mdpio.Policy, error) { return mdpio.ReadPolicyFile(path, m) })
	if err != nil {
		a.Fail(answerFault("--policy", path, err))
	}
	return p
}

// chainUnder returns the chain that a policy makes of a model.
func chainUnder(a *ui.Arguments, path string, p *mdpio.Policy, m *mdpio.Model) *mdpio.Model {
	chain, err := interruptible(a.CLI.Context, func() (*mdpio.Model, error) { return m.Under(p) })
	if err != nil {
		a.Fail(fileFault("--policy", path, err))
	}
	return chain
}

// checkCoverage refuses a policy that does not say what to do in a state that it comes
// to, and warns of other states of which it does not say it.
func checkCoverage(a *ui.Arguments, f *followed) {
	if len(f.policy.Missing) == 0 {
		return
	}
	target := f.question.targetOf(f.chain)
	if s := missed(f.chain, f.policy, target, target); s >= 0 {
		a.Fault("policy", "%q found, without an action for state %s, which it comes to; an action there is allowed",
			f.policyPath, stateName(f.chain, s))
		return
	}
	a.Warn("%s: no action for %s that the policy does not come to, such as state %s: the first is taken",
		wording.Short(f.policyPath), ui.Count(len(f.policy.Missing), "state"), stateName(f.chain, int(f.policy.Missing[0])))
}

// missed returns a state that a chain comes to, the way ending at others, and for
// which its policy has no action; −1 for none. In the target it needs none.
func missed(chain *mdpio.Model, p *mdpio.Policy, ends, target []int32) int {
	met := reached(chain, chain.Initial, ends)
	for _, s := range p.Missing {
		if _, over := slices.BinarySearch(target, s); met[s] && !over {
			return int(s)
		}
	}
	return -1
}

// targetOf returns the states at which a total ends; nil for other questions.
func (q question) targetOf(m *mdpio.Model) []int32 {
	if q.criterion != criterionTotal {
		return nil
	}
	target, _ := m.Labelled(q.target) // has been looked at
	return target
}

// reached returns which states of a chain can be reached from some, the way ending
// at others.
func reached(chain *mdpio.Model, from, ends []int32) []bool {
	met, end := make([]bool, chain.NumStates()), make([]bool, chain.NumStates())
	for _, s := range ends {
		end[s] = true
	}
	var found []int32
	meet := func(states []int32) {
		for _, s := range states {
			if !met[s] {
				met[s] = true
				found = append(found, s)
			}
		}
	}
	meet(from)
	for i := 0; i < len(found); i++ {
		if s := found[i]; !end[s] {
			meet(chain.Columns[chain.RowStart[s]:chain.RowStart[s+1]])
		}
	}
	return met
}
