package property

// The question that an operator asks about a model.

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// Probability is the name of the reward model of a [Question] about a probability.
const Probability = "probability"

// On states a property, which is not compound, as a question about a model.
//
//   - P without a time is a long-run average: states that decide the property, and those from which
//     nothing ever does, are made absorbing, and earn 1 per step if it holds.
//   - P with a time has terminal rewards of 1 in the states where the property holds.
//   - R [F φ] is a total until φ, and R [C] that of all steps.
//   - The other averages and horizons are those of the model itself.
//   - E and A are thresholds of P, in a model that has an action for each transition.
//
// A property that has no answer for the model is a [*modelfile.SyntaxError], which says what is missing.
func (p *Property) On(m *modelfile.Model) (*Question, error) {
	e := p.evaluation(m)
	if p.IsCompound() {
		return nil, fault(p.file, p.at, "a property that is answered by several questions", "one question")
	}
	if _, err := e.check(p.root); err != nil {
		return nil, err
	}
	q := p.root.query
	left, _ := e.set(q.left, true)
	right, _ := e.set(q.right, false)
	if e.err != nil {
		return nil, e.err
	}
	return e.question(q, left, right)
}

// question is an operator that is asked about a model.
type question struct {
	*query
	file   string
	from   *modelfile.Model
	sense  mdp.Sense
	nature mdp.Nature
}

// question states an operator as a question.
func (e *evaluation) question(of *query, left, right []bool) (*Question, error) {
	q := &question{query: of, file: e.file, from: e.m}
	sense, nature, err := e.senses(of)
	if err != nil {
		return nil, err
	}
	q.sense, q.nature = sense, nature
	state := q.probability
	switch {
	case q.operator == "R":
		state = q.ofReward
	case q.bounds.upper != nil && (e.m.Kind == modelfile.CTMDP || e.m.Kind == modelfile.SMDP):
		return nil, q.refuse(fmt.Sprintf("a time in a model of kind %v, whose best actions would depend on the time that is left", e.m.Kind), "a property without a time")
	case q.ofPaths && q.bounds.upper != nil && e.m.Kind == modelfile.CTMC:
		return nil, q.refuse("E and A with a time are not answered for a CTMC", "")
	case e.m.IsUncertain() && (q.ofPaths || q.kind == "X" && e.m.Kind.IsContinuous()):
		return nil, q.refuse("E and A, and X in continuous time, are not answered for a model with intervals", "")
	case q.ofPaths:
		q.from = paths(e.m)
	}
	asked, err := state(left, right)
	if err != nil {
		return nil, err
	}
	if asked.query, asked.OfPaths, asked.Nature = of, q.ofPaths, nature; of.relation != "" || e.ask != nil && of.operator == "P" {
		err = asked.decide(q.sense)
	}
	return asked, err
}

// senses returns how the controller and nature choose. A threshold without min or max is to hold
// for all choices of both. In a chain, nature chooses what min or max say, unless the caller says
// how it does.
func (e *evaluation) senses(q *query) (sense mdp.Sense, nature mdp.Nature, err error) {
	hasChoices := e.m.NumChoices() > e.m.NumStates() || q.ofPaths
	isUncertain := e.m.IsUncertain()
	refuse := func(found, expected string) error { return fault(e.file, q.at, found, expected) }
	word, _, _ := operatorOf(q.at.text)
	switch {
	case q.nature != "" && !isUncertain && !e.m.ZeroWidth:
		return 0, 0, refuse(word+q.sense+q.nature+" about a model without intervals", word+q.sense)
	case q.sense == "" && q.relation == "" && (hasChoices || isUncertain):
		about, first, second := "choices", "min=?", "max=?"
		if isUncertain {
			about = "intervals"
		}
		if hasChoices && isUncertain {
			first, second = "minmax=?", "maxmin=?"
		}
		return 0, 0, refuse(word+"=? about a model with "+about, word+first+" or "+word+second)
	case q.nature == "" && q.sense != "" && isUncertain && hasChoices && e.uncertainty == "":
		return 0, 0, refuse(word+q.sense+" about a model with choices and intervals",
			word+q.sense+"min or "+word+q.sense+"max, of which the second says how nature chooses, or --uncertainty")
	}
	if q.sense == "max" || q.sense == "" && (hasChoices || isUncertain) && strings.HasPrefix(q.relation, "<") { // for all policies
		sense = mdp.Maximize
	}
	if nature = mdp.Optimistic; q.nature != "" && q.nature != q.sense || q.nature == "" && q.sense != "" && e.uncertainty == mdp.Robust.String() {
		nature = mdp.Robust
	}
	return sense, nature, nil
}

// probability states P and S.
func (q *question) probability(left, right []bool) (*Question, error) {
	m := q.from
	switch q.kind {
	case "S":
		return q.average(m, modelfile.RewardModel{Name: Probability, State: ones(m, right)}), nil
	case "X":
		terminal := ones(m, right)
		return ask(jumps(m), modelfile.RewardModel{Name: Probability}, mdp.FiniteHorizon{Steps: 1, Terminal: terminal.Float, Sense: q.sense}, terminal), nil
	}
	isOpen := q.kind == "W" // it holds as long as nothing is decided
	decided, earning := make([]bool, len(left)), make([]bool, len(left))
	var turns []int32 // decided states, where the outcome is not that of a run that never decides
	for s := range left {
		decided[s] = right[s] || !left[s]
		earning[s] = right[s] || isOpen && left[s]
		if decided[s] && earning[s] != isOpen {
			turns = append(turns, int32(s))
		}
	}
	if q.bounds.upper == nil {
		settle(m, decided, turns)
	}
	changed := absorbing(m, decided)
	asked, err := q.average(changed, modelfile.RewardModel{Name: Probability, State: ones(m, earning)}), error(nil)
	if q.bounds.upper != nil {
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

// settle adds to the decided states those from which no path leads to a state of turns. From these, every
// run has the outcome of one that never decides the property.
func settle(m *modelfile.Model, decided []bool, turns []int32) {
	starts, ends := make([]int32, len(decided)+1), slices.Clone(decided)
	for s, k := range m.StateStart {
		starts[s] = m.RowStart[k]
	}
	for _, s := range turns {
		ends[s] = false
	}
	_, met := graph.OfChain(starts, m.Columns).Reverse().Reached(turns, ends)
	for s, may := range met {
		decided[s] = decided[s] || !may
	}
}

// timeReward is the name of the reward model that earns 1 per step, or per unit of time.
const timeReward = "time"

// paid returns the reward model that R, or T, is about.
func (q *question) paid() (r modelfile.RewardModel, err error) {
	if q.ofTime {
		return modelfile.RewardModel{Name: timeReward, State: ones(q.from, slices.Repeat([]bool{true}, q.from.NumStates()))}, nil
	}
	found, err := q.from.Reward(q.reward)
	if err != nil {
		return r, q.refuse(strings.TrimPrefix(err.Error(), "modelfile: "), "")
	}
	return *found, nil
}

// ofReward states R, and T.
func (q *question) ofReward(_, until []bool) (*Question, error) {
	m := q.from
	r, err := q.paid()
	switch {
	case err != nil:
		return nil, err
	case q.bounds.upper != nil && (m.Kind == modelfile.CTMDP || m.Kind == modelfile.SMDP):
		return nil, q.refuse(fmt.Sprintf("a time in a model of kind %v, whose best actions would depend on the time that is left", m.Kind), "a property without a time")
	case q.discount != nil && m.Kind.IsContinuous():
		return nil, q.refuse("a discount factor in continuous time, which has no steps: use --criterion discounted --rate", "")
	case q.kind == "S":
		return q.average(m, r), nil
	case q.kind == "F":
		return q.total(r, until), nil
	case q.kind == "I":
		return q.bounded(m, modelfile.RewardModel{Name: r.Name}, r.State)
	case q.bounds.upper != nil:
		return q.bounded(m, r, modelfile.Numbers{})
	case q.discount != nil:
		factor, _ := q.discount.Float64()
		complement, _ := new(big.Rat).Sub(one, q.discount).Float64()
		asked := ask(m, r, mdp.Discounted{Discount: factor, Complement: complement, Sense: q.sense}, modelfile.Numbers{})
		asked.Discount = q.discount
		return asked, nil
	}
	if m.IsUncertain() {
		return q.endless(r)
	}
	return ask(m, r, mdp.TotalCost{Sense: q.sense}, modelfile.Numbers{}), nil
}

func (q *question) refuse(found, expected string) error { return fault(q.file, q.at, found, expected) }

// ask returns a question about a model with one reward model.
func ask(m *modelfile.Model, r modelfile.RewardModel, criterion mdp.Criterion, terminal modelfile.Numbers) *Question {
	bare := *m
	bare.Labels, bare.Rewards = nil, []modelfile.RewardModel{r}
	return &Question{Model: &bare, Reward: r.Name, Criterion: criterion, Terminal: terminal}
}

func (q *question) average(m *modelfile.Model, r modelfile.RewardModel) *Question {
	return ask(m, r, mdp.LongRunAverage{Sense: q.sense, GainOnly: r.Name == Probability}, modelfile.Numbers{})
}

// total states a total until one of some states.
func (q *question) total(r modelfile.RewardModel, until []bool) *Question {
	target := marked(until)
	asked := ask(q.from, r, mdp.TotalCost{Target: target, Sense: q.sense}, modelfile.Numbers{})
	asked.Target = "target"
	asked.Model.Labels = map[string][]int32{asked.Target: target}
	return asked
}

// bounded states a question about rewards up to the time of the property, and at its end.
func (q *question) bounded(m *modelfile.Model, r modelfile.RewardModel, terminal modelfile.Numbers) (*Question, error) {
	time, strict := q.bounds.upper, q.bounds.upperStrict
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
	horizon := mdp.FiniteHorizon{Steps: int(x), Terminal: terminal.Float, Sense: q.sense}
	if q.discount != nil {
		horizon.Discount, _ = q.discount.Float64()
	}
	asked := ask(m, r, horizon, terminal)
	asked.Discount = q.discount
	return asked, nil
}
