package property

// The question that a property asks about a model.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// Probability is the name of the reward model of a [Question] about a probability.
const Probability = "probability"

// On states a property as a question about a model.
//
//   - P without a time is a long-run average: states that decide the property are made
//     absorbing, and earn 1 per step if it holds.
//   - P with a time has terminal rewards of 1 in the states where the property holds.
//   - R [F φ] is a total until φ, and R [C] that of all steps.
//   - The other averages and horizons are those of the model itself.
//   - E and A are thresholds of P, in a model that has an action for each transition.
//
// What a property lacks to have an answer for the model is a [*modelfile.SyntaxError].
func (p *Property) On(m *modelfile.Model) (*Question, error) {
	hasChoices := m.NumChoices() > m.NumStates()
	if p.sense == "" && p.relation == "" && hasChoices {
		return nil, fault(p.file, p.at, p.operator+"=? about a model with choices", p.operator+"min=? or "+p.operator+"max=?")
	}
	q := &question{property: p, from: m}
	if p.sense == "max" || p.sense == "" && hasChoices && strings.HasPrefix(p.relation, "<") { // for all policies
		q.sense = mdp.Maximize
	}
	left, right := slices.Repeat([]bool{true}, m.NumStates()), make([]bool, m.NumStates())
	var err error
	if p.left != nil {
		if left, err = p.left.states(m, p.file); err != nil {
			return nil, err
		}
	}
	if p.right != nil {
		if right, err = p.right.states(m, p.file); err != nil {
			return nil, err
		}
	}
	state := q.probability
	switch {
	case p.time != nil && (m.Kind == modelfile.CTMDP || m.Kind == modelfile.SMDP):
		return nil, q.refuse(fmt.Sprintf("a time in a model of kind %v, whose best actions would depend on the time that is left", m.Kind), "a property without a time")
	case p.operator == "R":
		state = q.reward
	case p.ofPaths && p.time != nil && m.Kind == modelfile.CTMC:
		return nil, q.refuse("E and A with a time are not answered for a CTMC", "")
	case p.ofPaths:
		q.from = paths(m)
	}
	asked, err := state(left, right)
	if err != nil {
		return nil, err
	}
	if asked.property, asked.OfPaths = p, p.ofPaths; p.HasThreshold() {
		err = asked.decide(q.sense)
	}
	return asked, err
}

// question is a property that is asked about a model.
type question struct {
	property *Property
	from     *modelfile.Model
	sense    mdp.Sense
}

// probability states P and S.
func (q *question) probability(left, right []bool) (*Question, error) {
	p, m := q.property, q.from
	switch p.path {
	case "S":
		return q.average(m, modelfile.RewardModel{Name: Probability, State: ones(m, right)}), nil
	case "X":
		terminal := ones(m, right)
		return ask(jumps(m), modelfile.RewardModel{Name: Probability}, mdp.FiniteHorizon{Steps: 1, Terminal: terminal.Float, Sense: q.sense}, terminal), nil
	case "G":
		left, right = right, make([]bool, len(right))
	}
	isOpen := p.path == "G" || p.path == "W" // it holds as long as nothing is decided
	decided, earning := make([]bool, len(left)), make([]bool, len(left))
	for s := range left {
		decided[s] = right[s] || !left[s]
		earning[s] = right[s] || isOpen && left[s]
	}
	changed := absorbing(m, decided)
	asked, err := q.average(changed, modelfile.RewardModel{Name: Probability, State: ones(m, earning)}), error(nil)
	if p.time != nil {
		asked, err = q.bounded(changed, modelfile.RewardModel{Name: Probability}, ones(m, earning))
	}
	for s, is := range decided {
		if err != nil || !is {
			continue
		}
		asked.Final = append(asked.Final, int32(s))
		if m.StateStart[s+1]-m.StateStart[s] > 1 {
			asked.Decided = append(asked.Decided, int32(s))
		}
	}
	return asked, err
}

// reward states R.
func (q *question) reward(_, until []bool) (*Question, error) {
	p, m := q.property, q.from
	found, err := m.Reward(p.reward)
	if err != nil {
		return nil, q.refuse(strings.TrimPrefix(err.Error(), "modelfile: "), "")
	}
	r := *found
	switch {
	case p.path == "S":
		return q.average(m, r), nil
	case p.path == "F":
		return q.total(r, until), nil
	case p.path == "I":
		return q.bounded(m, modelfile.RewardModel{Name: r.Name}, r.State)
	case p.time != nil:
		return q.bounded(m, r, modelfile.Numbers{})
	}
	return ask(m, r, mdp.TotalCost{Sense: q.sense}, modelfile.Numbers{}), nil
}

func (q *question) refuse(found, expected string) error {
	return fault(q.property.file, q.property.at, found, expected)
}

// ask returns a question about a model with one reward model.
func ask(m *modelfile.Model, r modelfile.RewardModel, criterion mdp.Criterion, terminal modelfile.Numbers) *Question {
	bare := *m
	bare.Labels, bare.Rewards = nil, []modelfile.RewardModel{r}
	return &Question{Model: &bare, Reward: r.Name, Criterion: criterion, Terminal: terminal}
}

func (q *question) average(m *modelfile.Model, r modelfile.RewardModel) *Question {
	return ask(m, r, mdp.LongRunAverage{Sense: q.sense}, modelfile.Numbers{})
}

// total states a total until one of some states.
func (q *question) total(r modelfile.RewardModel, until []bool) *Question {
	target := []int32{}
	for s, is := range until {
		if is {
			target = append(target, int32(s))
		}
	}
	asked := ask(q.from, r, mdp.TotalCost{Target: target, Sense: q.sense}, modelfile.Numbers{})
	asked.Target = "target"
	asked.Model.Labels = map[string][]int32{asked.Target: target}
	return asked
}

// bounded states a question about rewards up to the time of the property, and at its end.
func (q *question) bounded(m *modelfile.Model, r modelfile.RewardModel, terminal modelfile.Numbers) (*Question, error) {
	time, strict := q.property.time, q.property.strict
	x, _ := time.Float64()
	switch {
	case strict && x == 0:
		return nil, q.refuse("a time below 0", "<= and a time")
	case m.Kind == modelfile.CTMC:
		return ask(m, r, mdp.TimeHorizon{Time: x, Terminal: terminal.Float}, terminal), nil
	case !time.IsInt() || x > math.MaxInt32:
		return nil, q.refuse("a time of "+time.RatString()+" in a model with steps", "a whole number of steps, up to 2147483647")
	case strict:
		x--
	}
	return ask(m, r, mdp.FiniteHorizon{Steps: int(x), Terminal: terminal.Float, Sense: q.sense}, terminal), nil
}
