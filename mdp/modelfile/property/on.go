package property

// The question that a property asks about a model.

import (
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// On states a property as a question about a model. Its reward model is "probability" for
// P and S: what then is averaged, or earned at the end, is 1 where the property holds.
//
//   - P without a bound of time is a long-run average: states that decide the property are
//     made absorbing, and earn 1 per step if it holds.
//   - P with a bound of time has terminal rewards 1 in states where the property holds.
//   - R [F φ] is a total until φ, and R [C] one until no reward is left to come.
//   - The other averages and horizons are those of the model itself.
//
// What a property lacks to have an answer for the model is a [*modelfile.SyntaxError].
func (p *Property) On(m *modelfile.Model) (*Question, error) {
	sense, err := p.direction(m)
	if err != nil {
		return nil, err
	}
	c := &change{from: m, property: p, sense: sense}
	c.left = slices.Repeat([]bool{true}, m.NumStates())
	for _, operand := range []struct {
		formula *formula
		states  *[]bool
	}{{p.left, &c.left}, {p.right, &c.right}} {
		if operand.formula != nil {
			if *operand.states, err = operand.formula.states(m, p.file); err != nil {
				return nil, err
			}
		}
	}
	if p.operator == "R" {
		return c.reward()
	}
	return c.probability()
}

// direction returns the sense of a property: that of its threshold is what has to hold for
// all policies.
func (p *Property) direction(m *modelfile.Model) (mdp.Sense, error) {
	switch {
	case p.sense == "max":
		return mdp.Maximize, nil
	case p.sense == "" && p.relation == "" && m.NumChoices() > m.NumStates():
		return 0, fault(p.file, p.at, p.operator+"=? about a model with choices", p.operator+"min=? or "+p.operator+"max=?")
	case p.sense == "" && (p.relation == "<=" || p.relation == "<") && m.NumChoices() > m.NumStates():
		return mdp.Maximize, nil
	}
	return mdp.Minimize, nil
}

// probability states P and S.
func (c *change) probability() (*Question, error) {
	switch c.property.path {
	case "S":
		return c.average(c.from, modelfile.RewardModel{Name: Probability, State: c.ones(c.right)}), nil
	case "X":
		q := c.horizon(jumps(c.from), c.ones(c.right))
		q.Criterion = mdp.FiniteHorizon{Steps: 1, Terminal: q.Terminal.Float, Sense: c.sense}
		return q, nil
	}
	holds, open := c.right, c.property.path == "G" || c.property.path == "W" // open: it holds as long as nothing is decided
	if c.property.path == "G" {
		c.left, holds = c.right, make([]bool, len(c.right))
	}
	decided, earning := make([]bool, len(holds)), make([]bool, len(holds))
	for s := range holds {
		decided[s] = holds[s] || !c.left[s]
		earning[s] = holds[s] || open && c.left[s]
	}
	changed := c.absorbing(decided)
	if c.property.time == nil {
		return c.average(changed, modelfile.RewardModel{Name: Probability, State: c.ones(earning)}), nil
	}
	return c.bounded(changed, c.ones(earning))
}

// reward states R.
func (c *change) reward() (*Question, error) {
	found, err := c.from.Reward(c.property.reward)
	if err != nil {
		return nil, c.refuse(err.Error()[len("modelfile: "):], "")
	}
	r := *found
	switch p := c.property; {
	case p.path == "S":
		return c.average(c.from, r), nil
	case p.path == "F":
		return c.total(c.from, r, c.right), nil
	case p.path == "I":
		return c.bounded(c.from, r.State)
	case p.time != nil:
		q, err := c.bounded(c.from, modelfile.Numbers{})
		if err == nil {
			q.Model.Rewards, q.Reward = []modelfile.RewardModel{r}, r.Name
		}
		return q, err
	}
	return c.cumulative(r)
}

// refuse returns an error about the whole property.
func (c *change) refuse(found, expected string) error {
	if expected == "" {
		expected = "a property that the model has an answer to"
	}
	return fault(c.property.file, c.property.at, found, expected)
}

// Probability is the name of the reward model of a [Question] about a probability.
const Probability = "probability"

// of returns a question about a model with one reward model.
func (c *change) of(m *modelfile.Model, r modelfile.RewardModel) *Question {
	bare := *m
	bare.Labels, bare.Rewards = nil, []modelfile.RewardModel{r}
	return &Question{Model: &bare, Reward: r.Name}
}

func (c *change) average(m *modelfile.Model, r modelfile.RewardModel) *Question {
	q := c.of(m, r)
	q.Criterion = mdp.LongRunAverage{Sense: c.sense}
	return q
}

// total states a total until one of some states.
func (c *change) total(m *modelfile.Model, r modelfile.RewardModel, until []bool) *Question {
	q := c.of(m, r)
	target := []int32{}
	for s, is := range until {
		if is {
			target = append(target, int32(s))
		}
	}
	q.Target = "target"
	q.Model.Labels = map[string][]int32{q.Target: target}
	q.Criterion = mdp.TotalCost{Target: target, Sense: c.sense}
	return q
}

// horizon states a question about terminal rewards.
func (c *change) horizon(m *modelfile.Model, terminal modelfile.Numbers) *Question {
	q := c.of(m, modelfile.RewardModel{Name: Probability})
	q.Terminal = terminal
	return q
}

// bounded states a question about terminal rewards after the time of the property.
func (c *change) bounded(m *modelfile.Model, terminal modelfile.Numbers) (*Question, error) {
	q := c.horizon(m, terminal)
	if m.Kind == modelfile.CTMC {
		x := c.property.seconds()
		if c.property.strict && x == 0 {
			return nil, c.refuse("a time below 0", "<= and a time")
		}
		q.Criterion = mdp.TimeHorizon{Time: x, Terminal: terminal.Float}
		return q, nil
	}
	steps, ok := c.property.steps()
	if !ok {
		return nil, c.refuse("a bound of "+c.property.time.RatString()+" in discrete time", "a whole number of steps, up to 2147483647")
	}
	q.Criterion = mdp.FiniteHorizon{Steps: steps, Terminal: terminal.Float, Sense: c.sense}
	return q, nil
}

// cumulative states the total of all rewards. Where no reward is to come any more, it
// ends: for the least total, where some policy earns none; for the greatest, a policy that
// could go on for ever without a reward has to be able to end.
func (c *change) cumulative(r modelfile.RewardModel) (*Question, error) {
	m := c.from
	expected, err := m.ExpectedRewards(c.property.reward)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(expected.Float, func(x float64) bool { return x < 0 }) {
		return nil, c.refuse("C with rewards below 0", "rewards from 0 up, as the total may have no limit")
	}
	if m.NumChoices() > m.NumStates() && c.sense == mdp.Maximize {
		return c.greatestTotal(r.Name, expected)
	}
	idle, err := c.idle(expected.Float)
	return c.total(m, r, idle), err
}

// idle returns the states in which some policy stays for ever, or among which it goes
// around, without a reward.
func (c *change) idle(expected []float64) ([]bool, error) {
	b, idle := c.newModel(), make([]bool, c.from.NumStates())
	for s := range idle {
		for _, k := range c.choices(s) {
			if expected[k] == 0 {
				b.copyChoice(k)
				idle[s] = true
			}
		}
		if !idle[s] {
			b.leadTo(s)
		}
		b.endState()
	}
	graph, err := b.model.GraphTable()
	if err != nil {
		return nil, err
	}
	for s, component := range mdp.Analyze(graph).Component {
		idle[s] = idle[s] && component >= 0
	}
	return idle, nil
}

// choices returns the choices of a state.
func (c *change) choices(s int) []int32 {
	var list []int32
	for k := c.from.StateStart[s]; k < c.from.StateStart[s+1]; k++ {
		list = append(list, k)
	}
	return list
}

// greatestTotal states the greatest total. The states of an end component in which nothing
// can be earned count as one, its first: the others lead there. From there one can leave
// by any choice that leaves it, or end: in one that cannot be left, if there is any.
func (c *change) greatestTotal(reward string, expected modelfile.Numbers) (*Question, error) {
	m := c.from
	graph, err := m.GraphTable()
	if err != nil {
		return nil, err
	}
	of := mdp.Analyze(graph).Component
	components := map[int]*component{}
	inside := func(s int, k int32) bool {
		return of[s] >= 0 && !slices.ContainsFunc(m.Columns[m.RowStart[k]:m.RowStart[k+1]], func(j int32) bool { return of[j] != of[s] })
	}
	for s, i := range of {
		if i < 0 {
			continue
		}
		if components[i] == nil {
			components[i] = &component{first: s}
		}
		for _, k := range c.choices(s) {
			if !inside(s, k) {
				components[i].leaving = append(components[i].leaving, k)
			} else if expected.Float[k] != 0 {
				components[i].earns = true
			}
		}
	}
	over := -1
	for _, x := range components {
		if !x.earns && x.leaving == nil && (over < 0 || x.first < over) {
			over = x.first
		}
	}
	until := make([]bool, m.NumStates())
	b := c.newModel()
	b.expected = &expected
	for s, i := range of {
		x := components[i]
		switch {
		case i < 0 || x.earns:
			for _, k := range c.choices(s) {
				b.copyChoice(k)
			}
		case s != x.first:
			b.leadTo(x.first)
		case x.leaving == nil:
			until[s] = true
			b.leadTo(s)
		default:
			for _, k := range x.leaving {
				b.copyChoice(k)
			}
			if over >= 0 {
				b.leadTo(over)
			}
		}
		b.endState()
	}
	q := c.total(b.model, modelfile.RewardModel{Name: reward, Action: b.earned}, until)
	q.OwnActions = true
	return q, nil
}

// component is a maximal end component.
type component struct {
	first   int // state
	leaving []int32
	earns   bool // in a choice that does not leave it
}

// zero and one are shared: nobody changes them.
var zero, one = new(big.Rat), big.NewRat(1, 1)
