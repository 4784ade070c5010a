package model

// Policies from files, and the chains that they make of models: for evaluate, simulate
// and check.

import (
	"math/big"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// policyFilesText is for the help of verbs that take a policy.
const policyFilesText = `FILE is a result of solve, a scheduler exported by Storm as .json (--exportscheduler), or
a .csv file with the columns state and action (numbers or names). Columns of the
variables of states, or name, may take the place of state, and policy, with numbers, that
of action. For a randomised policy, the .csv file has one more column, probability, and a
line for each action. What solve --output csv prints will do, too. A result with
policies, or a column step from 1, has a policy for each step, for --criterion finite with
as many. Policies for the first of several steps alone, mixtures of several policies, and
names that may also be numbers are refused. A model without choices needs no policy.`

func policyFlag(usage string) cli.Flag { return ui.ValueFlag("policy", usage, "") }

// followed is a question about the chain that a policy makes of a model.
type followed struct {
	asked
	whole      *modelfile.Model // with all its actions
	policyPath string           // "" for a model without choices, which needs none
	policy     *modelfile.Policy
	steps      []*modelfile.Policy // of each step, if they differ; policy and the chain are those of the first
}

// readFollowed reads a model and a policy; a model without choices has only one. Numbers are kept exactly where that is asked
// for, where the file is small, and where the policy is randomised, as probabilities
// are then multiplied.
func readFollowed(a *ui.Arguments, q question, exact bool) *followed {
	f := &followed{asked: asked{path: a.CLI.Args().First(), question: q}}
	m := readModel(a, exact || isSmall(a, f.path))
	if n := m.NumStates(); q.ofTime && m.Kind.IsContinuous() {
		ones := modelfile.Numbers{Float: slices.Repeat([]float64{1}, n), Exact: slices.Repeat([]*big.Rat{big.NewRat(1, 1)}, n)}
		m.Rewards = []modelfile.RewardModel{{Name: "time", State: ones}}
	}
	if m.NumChoices() > m.NumStates() || a.CLI.IsSet("policy") {
		f.policyPath = a.Text("policy", "the file of a policy")
		f.steps, f.whole, f.model = readUnder(a, f.policyPath, m)
		checkSteps(a, "--policy", f.policyPath, f.steps, m, q.criterion, q.horizon)
		switch f.policy = f.steps[0]; {
		case len(f.steps) == 1:
			f.steps = nil
		case m.IsUncertain():
			a.Fail(ui.UsageErrorf("--policy: %q has a policy for each of %d steps, which is not valid for a model with intervals: use one policy for all steps",
				f.policyPath, len(f.steps)))
		}
	} else {
		f.policy, f.whole, f.model = modelfile.NewPolicy(make([]int32, m.NumStates())), m, m
	}
	checkQuestion(a, &f.question, f.model)
	if !f.whole.IsExact() && mixesSigns(f.whole, f.question.reward) {
		f.whole = readModel(a, true)
		f.model = under(a, f.policyPath, f.policy, f.whole)
	}
	checkCoverage(a, "--policy", f.policyPath, f.policy, f.model, f.question.ends, f.question.ends, "first")
	return f
}

// printPolicy says which policy is followed, and what kind it is, in a model with choices.
func (f *followed) printPolicy(s *ui.Screen) {
	words := "one action in each state"
	if states := f.policy.NumRandomized(); states > 0 {
		words = "randomised in " + ui.Count(states, "state")
	}
	if f.steps != nil {
		words += ", which depends on the step"
	}
	if f.policyPath != "" {
		s.Item("policy", "%s, %s", wording.Short(f.policyPath), words)
	}
}

// policyField names the policy for programs.
func (f *followed) policyField() ui.Field {
	if f.policyPath == "" {
		return ui.Field{Name: "policy"}
	}
	return ui.Field{Name: "policy", Value: f.policyPath}
}

// readUnder reads a policy, or one for each step, and returns them with the model, now exact if
// the policy is randomised, and the chain that the first makes of the model.
func readUnder(a *ui.Arguments, path string, m *modelfile.Model) (steps []*modelfile.Policy, model, chain *modelfile.Model) {
	steps = load(a, "--policy", path, func() ([]*modelfile.Policy, error) { return certificate.ReadPoliciesFile(path, m) })
	if steps[0].NumRandomized() > 0 && !m.IsExact() {
		m = readModel(a, true)
	}
	return steps, m, under(a, path, steps[0], m)
}

// under returns the chain that a policy makes of a model.
func under(a *ui.Arguments, path string, p *modelfile.Policy, m *modelfile.Model) *modelfile.Model {
	return load(a, "--policy", path, func() (*modelfile.Model, error) { return m.Under(p) })
}

// checkCoverage refuses a policy that does not say what to do in a state that its chain
// comes to, the way ending at some states, unless that state is in the target. It warns
// of other states for which the policy has no action: which one is taken there.
func checkCoverage(a *ui.Arguments, operand, path string, p *modelfile.Policy, chain *modelfile.Model, ends, target []int32, taken string) {
	if len(p.Missing) == 0 {
		return
	}
	met := reached(transitions(chain), chain.Initial, ends)
	for _, s := range p.Missing {
		if _, over := slices.BinarySearch(target, s); met[s] && !over {
			a.Fail(ui.UsageErrorf("%s: %q reaches state %s, but has no action for that state: give one",
				operand, path, stateName(chain, int(s))))
		}
	}
	a.Warn("%s: no action for %s that the policy never reaches, such as state %s: the %s action is used",
		wording.Short(path), ui.Count(len(p.Missing), "state"), stateName(chain, int(p.Missing[0])), taken)
}

// transitions returns the graph of a chain.
func transitions(chain *modelfile.Model) *graph.Graph {
	g := &graph.Graph{Start: make([]int, len(chain.RowStart)), Columns: chain.Columns}
	for s, start := range chain.RowStart {
		g.Start[s] = int(start)
	}
	return g
}

// reached returns which states can be reached from some, the way ending at others.
func reached(g *graph.Graph, from, ends []int32) []bool {
	end := make([]bool, g.NumStates())
	for _, s := range ends {
		end[s] = true
	}
	_, met := g.Reached(from, end)
	return met
}
